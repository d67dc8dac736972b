internal import YAMLText

/// FL066: credentials that stand in the file itself.
///
/// Looks for what only a credential looks like: a PEM key, a JWT, a literal under a key or in a header field
/// whose name is that of one.
enum CredentialRule {
    private static let names = ["client_secret", "client_assertion", "password", "private_key", "api_key"]

    static func check(_ root: YAMLNode, _ findings: inout Findings) {
        search(root, key: nil, &findings)
    }

    /// The composer bounds the depth (`YAMLLimits.flow`).
    private static func search(_ node: YAMLNode, key: String?, _ findings: inout Findings) {
        switch node.content {
        case .mapping(let mapping):
            for entry in mapping.entries {
                if key == "headers", CredentialField.holdsCredential(entry.key) {
                    searchField(entry, &findings)
                } else {
                    // What a declaration sets goes by the declared name.
                    let isInitial = entry.key == "default" || entry.key == "init"
                    search(entry.value, key: isInitial ? key : entry.key, &findings)
                }
            }
        case .sequence(let items):
            for item in items { search(item, key: key, &findings) }
        case .scalar(let scalar):
            guard let form = form(scalar.text, key: key) else { return }
            report(node, form, &findings)
        }
    }

    private static func searchField(_ entry: YAMLMapping.Entry, _ findings: inout Findings) {
        guard let text = entry.value.scalar?.text, CredentialField.isLiteral(text) else { return }
        report(entry.value, "a literal for header field \"\(entry.key)\"", &findings)
    }

    private static func report(_ node: YAMLNode, _ form: String, _ findings: inout Findings) {
        let message = "\(form) stands in the file; credentials belong to the client's registration"
        findings.diagnostics.append(.credential(at: node.span, findings.file, message))
    }

    /// Shorter than any key or token that is of use to somebody.
    private static let shortest = 40

    /// The end of the first line of a PEM file (RFC 7468 §10 and §11).
    private static let privateKey = TextSearch(Array("PRIVATE KEY-----".utf8))

    private static func form(_ text: String, key: String?) -> String? {
        if text.utf8.count > shortest {
            if privateKey.first(in: Array(text.utf8)[...]) != nil { return "a private key" }
            if isToken(text) { return "a JWT" }
        }
        guard let key, names.contains(key), !text.isEmpty, !text.contains("${"),
            // The declaration of an input or a field of that name.
            FlowType.parse(text) == nil
        else { return nil }
        return "a literal for \"\(key)\""
    }

    /// `eyJ` is `{"` in base64url, with which every JOSE header begins (RFC 7515 §3.1).
    private static func isToken(_ text: String) -> Bool {
        guard text.hasPrefix("eyJ"), text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2 else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
    }
}

extension Diagnostic {
    /// FL066, of which no output shows the part of the file.
    static func credential(
        at span: SourceSpan, _ file: String, _ message: String, hint: String? = nil
    ) -> Diagnostic {
        Diagnostic(
            code: "FL066", file: file, span: span, message: message, hint: hint, isCredential: true)
    }
}
