internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// What no descriptor may say.
enum DescriptorSafety {
    /// Parameters that the engine owns: they have a key of their own, or are reached by `rename` and `omit`.
    static func isProtected(_ parameter: String) -> Bool {
        protected.contains(parameter) || parameter.hasPrefix("code_challenge")
            || parameter.hasPrefix("client_assertion")
    }

    private static let protected: Set<String> = [
        "client_id", "redirect_uri", "response_type", "state", "nonce", "code", "code_verifier",
        "client_secret",
    ]

    /// Whether it stands for the whole request (RFC 9101): it is made where the client registered for it.
    static func isRequestObject(_ parameter: String) -> Bool {
        parameter == "request" || parameter == "request_uri"
    }

    /// Why an address cannot be an issuer (RFC 8414 §2, OpenID Connect Discovery §3).
    static let issuerWithQuery = "has a query, which no issuer may have"

    /// Parameters of the authorization request that protect the user; nothing may leave them out.
    static func isIndispensable(_ parameter: String) -> Bool {
        parameter == "state" || parameter == "nonce" || parameter.hasPrefix("code_challenge")
    }

    /// Why the text cannot be an endpoint; the start of a template counts as far as it is fixed.
    static func problem(ofEndpoint text: String) -> (code: String, message: String)? {
        guard TemplateScanner.isTemplate(text) else {
            return EndpointURL.check(text, allowLoopbackHTTP: true).map {
                ($0 == .insecure ? "FL067" : "FL016", "\"\(text)\" \($0.rawValue)")
            }
        }
        guard text.hasPrefix("http://") else { return nil }
        let isLoopback = ["http://127.0.0.1", "http://localhost", "http://[::1]"].contains {
            // Nothing that continues the host name, or makes a user name of it.
            text.hasPrefix($0) && [":", "/", "?"].contains(text.dropFirst($0.count).prefix(1))
        }
        return isLoopback ? nil : ("FL067", "\"\(text)\" is not https")
    }

    /// What to write in place of an address that is none.
    static func cure(ofEndpoint text: String) -> String? {
        if text.hasPrefix("http://") { return "write https://; http:// is only for this machine" }
        if !text.contains("://"), !text.contains("{") { return "write all of it, from https:// on" }
        if text.contains("{") { return "a variable of the provider is written ${vars.NAME}" }
        return text.contains(" ") ? "a space is written %20" : nil
    }

    /// The text of a URL up to the end of its host; `nil` where anything but a variable fills that in.
    static func start(ofEndpoint text: String) -> String? {
        // The same with stand-ins for the variables; the first may be the URL's beginning.
        var shown = ""
        var rest = text[...]
        while let character = rest.first {
            if rest.hasPrefix("${") {
                guard let end = rest.firstIndex(of: "}"),
                    rest.dropFirst(2).drop(while: { $0 == " " }).hasPrefix("vars.")
                else { return nil }
                shown += shown.contains("://") ? "x" : "https://x"
                rest = rest[rest.index(after: end)...]
                continue
            }
            if character == "/" || character == "?", let scheme = shown.firstRange(of: "://"),
                scheme.upperBound < shown.endIndex
            {
                return String(text[..<rest.startIndex])
            }
            shown.append(character)
            rest = rest.dropFirst()
        }
        return text
    }

    /// Reports every literal credential of a file.
    ///
    /// - Parameter parent: The key that the node stands under.
    static func findCredentials(
        _ node: YAMLNode, under parent: String = "", file: String, _ diagnostics: inout [Diagnostic]
    ) {
        switch node.content {
        case .scalar(let scalar):
            guard looksLikeCredential(scalar.text) else { return }
            report(node, "a key or token is written out here", file, &diagnostics)
        case .sequence(let nodes):
            for node in nodes { findCredentials(node, under: parent, file: file, &diagnostics) }
        case .mapping(let mapping):
            let entries = mapping.entries
            for index in entries.indices {
                let (key, value) = (entries[index].key, entries[index].value)
                let length = key.utf8.count
                // What is renamed is a name, whatever it is the name of.
                if length == 6, key == "rename" { continue }
                if isSecretKey(key) || isSecretPart(key, of: parent), isLiteral(value) {
                    report(value, "\"\(key)\" is written out here", file, &diagnostics)
                } else if !isShort(value) {
                    if length == 7, key == "headers" { findFields(value, file: file, &diagnostics) }
                    findCredentials(value, under: key, file: file, &diagnostics)
                }
            }
        }
    }

    private static func findFields(_ fields: YAMLNode, file: String, _ diagnostics: inout [Diagnostic]) {
        for field in fields.mapping?.entries ?? []
        where CredentialField.holdsCredential(field.key) && !isSecretKey(field.key) {
            guard let text = field.value.scalar?.text, CredentialField.isLiteral(text),
                !looksLikeCredential(text)
            else { continue }
            report(field.value, "header field \"\(field.key)\" is written out here", file, &diagnostics)
        }
    }

    static func isSecretKey(_ key: String) -> Bool {
        switch key.utf8.count {
        case 7: key == "api_key"
        case 8: key == "password"
        case 11: key == "private_key"
        case 13: key == "client_secret" || key == "Authorization"
        case 16: key == "client_assertion"
        default: false
        }
    }

    /// Keys that hold a secret where they stand: `api_key.value`, and the key of `client_secret.jwt`.
    private static func isSecretPart(_ key: String, of parent: String) -> Bool {
        switch key.utf8.count {
        case 3: key == "key" && parent == "jwt"
        case 5: key == "value" && parent == "api_key"
        default: false
        }
    }

    private static func isLiteral(_ node: YAMLNode) -> Bool {
        guard case .string(let text) = node.value else { return false }
        return !text.isEmpty && !TemplateScanner.isTemplate(text)
    }

    /// The shortest signed token and the shortest private key are longer.
    private static let shortest = 16

    /// Whether the value is too short for a credential that shows by itself.
    private static func isShort(_ node: YAMLNode) -> Bool {
        if case .scalar(let scalar) = node.content { scalar.text.utf8.count < shortest } else { false }
    }

    /// PEM (RFC 7468 §2), and a JWS whose header and payload are JSON objects.
    static func looksLikeCredential(_ text: String) -> Bool {
        guard text.utf8.count >= shortest else { return false }
        return isSignedToken(text.utf8) || isPrivateKey(text)
    }

    private static func isSignedToken(_ bytes: String.UTF8View) -> Bool {
        guard bytes.first == UInt8(ascii: "e"), bytes.starts(with: "eyJ".utf8) else { return false }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && parts[1].starts(with: "eyJ".utf8)
    }

    private static func isPrivateKey(_ text: String) -> Bool {
        text.holds("-----BEGIN ") && text.holds("PRIVATE KEY-----")
    }

    private static func report(
        _ node: YAMLNode, _ message: String, _ file: String, _ diagnostics: inout [Diagnostic]
    ) {
        diagnostics.append(
            .credential(
                at: node.span, file, message,
                hint: "credentials belong to a registration, from the environment or a file"))
    }
}
