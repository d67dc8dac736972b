internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// Server metadata, redirects and ID tokens.
extension DescriptorReader {
    typealias Endpoint = (name: String, path: any WritableKeyPath<ServerFacts, DescriptorText?> & Sendable)

    /// The endpoints by the names of RFC 8414 §2 and OpenID Connect Discovery §3.
    static let endpoints: [Endpoint] = [
        ("authorization_endpoint", \.authorizationEndpoint),
        ("token_endpoint", \.tokenEndpoint),
        ("userinfo_endpoint", \.userinfoEndpoint),
        ("jwks_uri", \.jwksURI),
        ("revocation_endpoint", \.revocationEndpoint),
        ("introspection_endpoint", \.introspectionEndpoint),
        ("device_authorization_endpoint", \.deviceAuthorizationEndpoint),
        ("pushed_authorization_request_endpoint", \.pushedAuthorizationRequestEndpoint),
        ("registration_endpoint", \.registrationEndpoint),
        ("end_session_endpoint", \.endSessionEndpoint),
    ]

    static let endpointNames = endpoints.map(\.name)

    /// Members of the metadata that a descriptor may replace, or remove with nothing after their names.
    static let amendable =
        endpointNames + ServerMetadataFields.lists.map(\.name) + ServerMetadataFields.flags.map(\.name) + [
            "mtls_endpoint_aliases"
        ]

    mutating func serverFacts(_ wireProtocol: ProviderDescriptor.WireProtocol) -> ServerFacts {
        var facts = ServerFacts()
        facts.issuer = root["issuer"].flatMap { issuer($0) }
        facts.issuerAliases = (root.sequence("issuer_aliases", &diagnostics) ?? []).compactMap {
            text($0, .facts)
        }
        facts.metadataURL = root["server_metadata_url"].flatMap { endpoint($0) }
        for (name, path) in Self.endpoints {
            if let node = root[name] { facts[keyPath: path] = endpoint(node) }
        }
        for (name, path) in ServerMetadataFields.lists where root.has(name) {
            facts.members[keyPath: path] = root.strings(name, &diagnostics)
        }
        for (name, path) in ServerMetadataFields.flags where root.has(name) {
            facts.members[keyPath: path] = root.bool(name, &diagnostics)
        }
        facts.removed = layers.removed
        facts.mtlsEndpointAliases = endpointAliases()
        checkCompleteness(wireProtocol)
        warnOfUnusedMetadata(wireProtocol)
        return facts
    }

    /// An issuer has no query: what is put behind it would become part of that (RFC 8414 §2).
    private mutating func issuer(_ node: YAMLNode) -> DescriptorText? {
        if let text = node.scalar?.text, !TemplateScanner.isTemplate(text),
            text.utf8.contains(UInt8(ascii: "?"))
        {
            report("FL016", node, "\"\(text)\" \(DescriptorSafety.issuerWithQuery)")
            return nil
        }
        if let text = node.scalar?.text, let place = text.firstRange(of: "/.well-known/") {
            report(
                "FL016", node, "\"\(text)\" is where metadata is published, not who publishes it",
                hint: "the issuer is what stands before: \(text[..<place.lowerBound])")
            return nil
        }
        return endpoint(node)
    }

    /// What cannot be discovered must be written.
    private mutating func checkCompleteness(_ wireProtocol: ProviderDescriptor.WireProtocol) {
        // The missing part may be in the file that is missing.
        guard layers.isComplete else { return }
        let mode = root["discovery"]?.scalar?.text
        // Without a protocol nobody knows what is missing; that there is none, or none such, has been reported.
        let word = root["protocol"]?.scalar?.text
        guard word.flatMap(ProviderDescriptor.WireProtocol.init) != nil else { return }
        if wireProtocol == .oidc { root.require("issuer", diagnostics: &diagnostics) }
        if wireProtocol == .oauth2, !root.has("issuer"), mode != "off" { refuseMetadataOfNobody(mode) }
        if !mayBeDiscovered(wireProtocol) {
            // A token request that brings its own endpoint needs no other.
            if root["token"]?["endpoint"] == nil { root.require("token_endpoint", diagnostics: &diagnostics) }
        }
    }

    /// Whoever says where metadata is wants it to be used.
    func standardDiscovery(
        _ wireProtocol: ProviderDescriptor.WireProtocol
    ) -> ProviderDescriptor.DiscoveryMode {
        wireProtocol == .oidc || root.has("server_metadata_url") ? .auto : .off
    }

    /// Whether what the file does not say may be in the metadata.
    func mayBeDiscovered(_ wireProtocol: ProviderDescriptor.WireProtocol) -> Bool {
        let mode = root["discovery"]?.scalar?.text ?? standardDiscovery(wireProtocol).rawValue
        return mode != "off" && (wireProtocol == .oidc || root.has("issuer"))
    }

    /// FL088: metadata that the file speaks of and that no sign-in asks for.
    private mutating func warnOfUnusedMetadata(_ wireProtocol: ProviderDescriptor.WireProtocol) {
        let place = root["server_metadata_url"] ?? root["discovery"]
        guard let place, layers.isComplete, wireProtocol == .oidc || root.has("issuer") else { return }
        let mode = root["discovery"]?.scalar?.text
        if mode == "off", root.has("server_metadata_url") {
            warn(
                "FL088", place, "with discovery: off no metadata is ever fetched",
                hint: "drop \"server_metadata_url\", or \"discovery\"")
        }
        guard mode == nil || mode == "auto", namesWhatSignInsNeed(wireProtocol) else { return }
        warn(
            "FL088", place, "no sign-in fetches the metadata: the file names every endpoint that one needs",
            hint: "discovery: required fetches it all the same, discovery: off says that nothing is fetched")
    }

    private func namesWhatSignInsNeed(_ wireProtocol: ProviderDescriptor.WireProtocol) -> Bool {
        let isTokenEndpointNamed = root.has("token_endpoint") || root["token"]?["endpoint"] != nil
        let isUserInfoEndpointNamed =
            root.has("userinfo_endpoint") || root["userinfo"]?["endpoint"] != nil
            || root["userinfo"]?["supported"]?.value == .bool(false)
        let others = ["authorization_endpoint"] + (wireProtocol == .oidc ? ["jwks_uri"] : [])
        return isTokenEndpointNamed && isUserInfoEndpointNamed && others.allSatisfy(root.has)
    }

    /// Metadata is believed only when it names the issuer that it was asked for (RFC 8414 §3.3).
    private mutating func refuseMetadataOfNobody(_ mode: String?) {
        let key = mode == "required" ? "discovery" : "server_metadata_url"
        guard let node = root[key] else { return }
        report(
            "FL011", node, "\"\(key)\" needs the key \"issuer\": without it no metadata is ever fetched",
            hint: "name the issuer that the metadata names")
    }

    static let idTokenKeys = [
        "issuer", "audience", "required", "ignore", "nonce", "clock_skew", "max_age",
    ]

    mutating func idToken() -> IDTokenFacts {
        var facts = IDTokenFacts()
        guard let idToken = part("id_token", keys: Self.idTokenKeys) else {
            return facts
        }
        facts.issuer = idToken["issuer"].flatMap { endpoint($0, .issuer) }
        facts.audiences = (idToken.sequence("audience", &diagnostics) ?? []).compactMap { text($0, .facts) }
        facts.isRequired = idToken.bool("required", &diagnostics)
        facts.isIgnored = idToken.bool("ignore", &diagnostics) ?? false
        facts.nonce = idToken.word("nonce", as: IDTokenFacts.NonceMode.self, &diagnostics) ?? .required
        facts.clockSkew = idToken.int("clock_skew", in: 0...600, &diagnostics)
        facts.maxAge = idToken.int("max_age", in: 0...31_536_000, &diagnostics)
        return facts
    }

    static let redirectKeys = ["loopback", "schemes", "https"]
    static let loopbackKeys = ["hosts", "ports", "path"]

    mutating func redirect() -> RedirectFacts {
        var facts = RedirectFacts()
        let redirect = part("redirect", keys: Self.redirectKeys)
        if let redirect { facts.kinds = Self.kinds(redirect, &diagnostics) }
        guard let loopback = redirect?.mapping("loopback", keys: Self.loopbackKeys, &diagnostics) else {
            return facts
        }
        facts.loopbackHosts = loopbackHosts(loopback) ?? facts.loopbackHosts
        facts.loopbackPorts = loopbackPorts(loopback)
        facts.saysAnyPort = loopback["ports"]?.scalar?.text == "any"
        if let path = loopback.string("path", &diagnostics), let node = loopback["path"] {
            facts.loopbackPath = path
            if !isPlainPath(path) {
                loopback.wrong("path", node, "a path such as /callback", &diagnostics)
            }
        }
        return facts
    }

    /// `/[A-Za-z0-9._~/-]*`
    private func isPlainPath(_ path: String) -> Bool {
        path.hasPrefix("/")
            && path.unicodeScalars.allSatisfy { scalar in
                ExpressionLexer.isNamePart(scalar) || "-.~/".unicodeScalars.contains(scalar)
            }
    }

    private mutating func loopbackHosts(_ loopback: MappingReader) -> [String]? {
        guard let hosts = loopback.strings("hosts", &diagnostics), let node = loopback["hosts"] else {
            return nil
        }
        let known = ["127.0.0.1", "[::1]", "localhost"]
        if node.sequence?.isEmpty == true {
            loopback.wrong("hosts", node, Self.list(of: known), &diagnostics)
        }
        for node in node.sequence ?? [] {
            guard case .string(let host) = node.value, !known.contains(host) else { continue }
            loopback.wrongElement(of: "hosts", node, "some of \(known.joined(separator: ", "))", &diagnostics)
        }
        return hosts.isEmpty ? nil : hosts
    }

    private static func list(of words: [String]) -> String { "a list of \(words.joined(separator: ", "))" }

    /// `nil` for any port, which is also what the file may say.
    private mutating func loopbackPorts(_ loopback: MappingReader) -> [UInt16]? {
        guard let node = loopback["ports"], node.scalar?.text != "any" else { return nil }
        guard let ports = node.sequence, !ports.isEmpty else {
            loopback.wrong("ports", node, "any, or a list of port numbers", &diagnostics)
            return nil
        }
        let known = ports.compactMap { port -> UInt16? in
            if case .int(let number) = port.value, number > 0, let port = UInt16(exactly: number) {
                return port
            }
            loopback.wrongElement(of: "ports", port, "port numbers from 1 to 65535", &diagnostics)
            return nil
        }
        return known.isEmpty ? nil : known
    }

    /// Loopback redirects are taken unless only others are named.
    private static func kinds(
        _ redirect: MappingReader, _ diagnostics: inout [Diagnostic]
    ) -> [RedirectFacts.Kind] {
        let schemes = redirect.strings("schemes", &diagnostics) ?? []
        for node in redirect["schemes"]?.sequence ?? [] {
            guard case .string(let text) = node.value else { continue }
            let isOwn = RedirectURI.isScheme(text) && !RedirectURI.foreignSchemes.contains(text.lowercased())
            if !isOwn && !TemplateScanner.isTemplate(text) {
                let expected = "URI schemes of programs, such as com.example.app"
                redirect.wrongElement(of: "schemes", node, expected, &diagnostics)
            }
        }
        let pages = redirect.strings("https", &diagnostics) ?? []
        for node in redirect["https"]?.sequence ?? [] {
            guard case .string(let text) = node.value, !TemplateScanner.isTemplate(text),
                EndpointURL.check(text, allowLoopbackHTTP: false) != nil
            else { continue }
            redirect.wrongElement(of: "https", node, "https URLs", &diagnostics)
        }
        let others: [RedirectFacts.Kind] =
            (schemes.isEmpty ? [] : [.scheme]) + (pages.isEmpty ? [] : [.https])
        return redirect.has("loopback") || others.isEmpty ? [.loopback] + others : others
    }
}
