internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// A provider file made of what a provider publishes: only what differs from what flowrun does unasked.
struct DescriptorDraft: Sendable {
    static let schemaName = "provider.schema.json"

    let name: String
    let issuer: String
    /// Where the metadata was found.
    let url: String
    /// Whether a person said that it is there: another place may have other metadata.
    var isTold = false
    let fields: ServerMetadataFields
    /// That the tokens are for, where it led there.
    var resource: ProtectedResource?
    /// Whether a client may be known by the address of a document about it.
    var readsClientDocuments = false

    var isOpenID: Bool {
        url.hasSuffix("/openid-configuration") || fields.idTokenSigningAlgValuesSupported != nil
    }

    var text: String {
        var lines = [
            "# yaml-language-server: $schema=\(Self.schemaName)",
            "# Endpoints, keys and methods come from the provider's own metadata, at",
            "# \(visible(url)).",
            "# Say here only what it leaves out or gets wrong; flowrun provider test \(name) compares the two.",
            "provider: \(name)",
            "display_name: \(title)",
            "protocol: \(isOpenID ? "oidc" : "oauth2")",
            "# console: https://...              # where people register a client; shown when one is missing",
            "",
            "issuer: \(quoted(issuer))",
        ]
        if !isOpenID {
            lines.append(
                "discovery: auto                     # plain OAuth 2.0 asks for no metadata by itself")
        }
        if !isFound { lines.append("server_metadata_url: \(quoted(url))") }
        lines += client + authorization + taker + redirect + pkce
        return lines.joined(separator: "\n") + "\n"
    }

    private var title: String { name.prefix(1).uppercased() + name.dropFirst() }

    /// Whether a run comes upon that metadata by itself.
    private var isFound: Bool {
        let places = Discovery.plans(issuer: issuer, metadataURL: nil).map(\.endpoint)
        return isTold ? places.first == url : places.contains(url)
    }

    private var client: [String] {
        let methods = fields.tokenEndpointAuthMethodsSupported
        var lines = ["", "# Client authentication: \(list(methods ?? ["client_secret_basic"]))."]
        let usable = (methods ?? ["client_secret_basic"]).compactMap(ClientAuthenticationMethod.init)
        if usable.isEmpty { lines.append("# flowrun knows none of these.") }
        var members: [String] = []
        let algorithms = fields.idTokenSigningAlgValuesSupported ?? []
        if algorithms.count == 1, let only = SignatureAlgorithm(name: algorithms[0]), only != .rs256 {
            let proofs: [ClientAuthenticationMethod] = [.clientSecretBasic, .clientSecretPost]
            let proof = proofs.first { usable.contains($0) }
            if !only.isMAC {
                members.append("  id_token_signed_response_alg: \(only.rawValue)")
            } else if let proof {
                members.append("  token_endpoint_auth_method: \(proof.rawValue)")
                members.append(
                    "  id_token_signed_response_alg: \(only.rawValue)   # signed with the client secret")
            }
        }
        if resource?.demandsProof == true {
            members.append(
                "  dpop_bound_access_tokens: true   # the resource takes no others (RFC 9728 section 2)")
        }
        return members.isEmpty ? lines : lines + ["client:"] + members
    }

    private var authorization: [String] {
        var lines: [String] = [""]
        let offered = fields.scopesSupported
        if let offered, !offered.isEmpty { lines += comment("It offers the scopes", offered) }
        if offered?.contains("offline_access") == true, resource?.scopes?.contains("offline_access") != true {
            lines.append("# Add offline_access for a session that outlives its access token.")
        }
        var scopes =
            isOpenID
            ? ["openid", "email", "profile"].filter { offered?.contains($0) ?? true || $0 == "openid" } : []
        // Nobody else writes templates into the file.
        scopes += (resource?.scopes ?? []).prefix(60).filter { !scopes.contains($0) && !$0.contains("${") }
        var written: [String] = []
        if !scopes.isEmpty { written.append("  scope: [\(scopes.map(scalar).joined(separator: ", "))]") }
        if let parameter { written.append("  \(parameter)") }
        guard !written.isEmpty else { return lines.count > 1 ? lines : [] }
        return lines + ["authorization:"] + written
    }

    /// The tokens are for that resource alone (RFC 8707), and it gets them.
    private var taker: [String] {
        guard let resource, let parameter else { return [] }
        return [
            "token:", "  \(parameter)", "refresh:", "  \(parameter)", "",
            "resources: [\(quoted(resource.identifier))]",
        ]
    }

    /// The ports of the redirect URIs of a program that registers itself, whose numbers change from issuer to issuer: many
    /// servers compare them, although any should do (RFC 8252 §7.3).
    private var redirect: [String] {
        guard fields.registrationEndpoint != nil || readsClientDocuments else { return [] }
        let digest = Digest.sha256(Array(issuer.utf8))
        // Below the ports that systems give to connections, so that they are free.
        let first = 21_000 + (Int(digest[0]) << 8 | Int(digest[1])) % 10_000
        return [
            "", "# The first that is free is listened at; some servers take no others than those registered.",
            "redirect: { loopback: { ports: [\(first), \(first + 1), \(first + 2)] } }",
        ]
    }

    private var parameter: String? {
        resource.map { "params: { resource: \(quoted($0.identifier)) }" }
    }

    /// RFC 9700 §2.1.1 wants S256; that a server knows less is for its documentation to say, not for this answer.
    private var pkce: [String] {
        guard let methods = fields.codeChallengeMethodsSupported, !methods.contains("S256") else { return [] }
        return [
            "", "# It lists the PKCE methods \(list(methods)); flowrun sends S256 (RFC 7636 section 7.2).",
            "# Where its documentation knows plain alone: authorization: { pkce: { method: plain } }",
        ]
    }

    // MARK: Text

    /// Remote names, fit for one line of a comment.
    private func list(_ names: [String]) -> String {
        names.prefix(40).map { visible($0) }.joined(separator: ", ")
    }

    private func visible(_ text: String) -> String { RemoteText.sanitize(text, limit: 200) }

    /// A comment that is broken between names.
    private func comment(_ start: String, _ names: [String]) -> [String] {
        var lines = ["# \(start)"]
        for (index, name) in names.prefix(60).enumerated() {
            let word = visible(name) + (index == min(names.count, 60) - 1 ? "." : ",")
            if lines[lines.count - 1].count + word.count > 110 { lines.append("#  ") }
            lines[lines.count - 1] += " \(word)"
        }
        return lines
    }

    /// A scope holds neither a space nor a quotation mark (RFC 6749 §3.3), and what else it may hold can mean something.
    private func scalar(_ scope: String) -> String {
        let isPlain = scope.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || byte == UInt8(ascii: "_")
        }
        return isPlain ? scope : "\"\(scope)\""
    }

    /// A URL has no character that means something at the start of a plain scalar, but for these.
    private func quoted(_ url: String) -> String {
        url.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
                || Array(":/.-_~?=&%+".utf8).contains(byte)
        } ? url : "'\(url.replacing("'", with: "''"))'"
    }
}
