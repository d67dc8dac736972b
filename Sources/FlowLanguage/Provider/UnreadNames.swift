internal import OAuthProtocol
internal import YAMLText

/// FL103: names in rules for requests and answers that nothing can ever have or read, most of them misspelt.
///
/// Told only where that is certain: names of operations and of userinfo are the flow's and the profile's to read, and
/// a member that any text of the file mentions may be meant.
extension DescriptorReader {
    /// What the engine itself puts into requests, whoever they go to.
    private static let requestNames: Set<String> = [
        "access_token", "acr_values", "actor_token", "actor_token_type", "assertion", "audience",
        "authorization_details", "claims", "client_assertion", "client_assertion_type", "client_id",
        "client_secret", "code", "code_challenge", "code_challenge_method", "code_verifier", "device_code",
        "dpop_jkt", "grant_type", "id_token_hint", "login_hint", "logout_hint", "max_age", "nonce",
        "post_logout_redirect_uri", "prompt", "redirect_uri", "refresh_token", "request", "request_uri",
        "requested_token_type", "resource", "response_mode", "response_type", "scope", "state",
        "subject_token", "subject_token_type", "token", "token_type_hint", "ui_locales",
    ]
    /// What is read of the answer to a grant (RFC 6749 §5.1, RFC 8693 §2.2.1, RFC 9396 §7).
    private static let tokenNames = [
        "access_token", "authorization_details", "expires_at", "expires_in", "id_token", "issued_token_type",
        "refresh_expires_in", "refresh_token", "refresh_token_expires_in", "scope", "token_type",
    ]
    /// RFC 8628 §3.2
    private static let deviceNames = [
        "device_code", "expires_in", "interval", "user_code", "verification_uri",
        "verification_uri_complete",
    ]

    private static let requests = [
        "authorization", "token", "refresh", "grants", "device_authorization", "userinfo", "introspection",
        "revocation", "logout",
    ]

    mutating func warnOfUnreadNames() {
        // What a file that is missing says may be what reads them.
        guard layers.isComplete else { return }
        for key in Self.requests {
            if let request = root[key]?.mapping { warnOfRequestNames(request) }
        }
        for key in ["token", "refresh", "grants"] {
            guard let response = root[key]?["response"]?.mapping else { continue }
            warnOfMembers(response, Self.tokenNames, readsProfile: readsTokensForProfile)
        }
        if let response = root["device_authorization"]?["response"]?.mapping {
            warnOfMembers(response, Self.deviceNames, readsProfile: false)
        }
    }

    private mutating func warnOfRequestNames(_ request: YAMLMapping) {
        guard request.entries.contains(where: { Self.namesParameters($0.key) }) else { return }
        let renamed = request["rename"]?.value.mapping?.entries ?? []
        var named = renamed.map { ($0.key, $0.keySpan) }
        for key in ["omit", "raw", "order"] {
            for node in request[key]?.value.sequence ?? [] {
                guard case .string(let name) = node.value else { continue }
                // What is raw or put in order has its last name.
                if key != "omit", renamed.contains(where: { $0.value.scalar?.text == name }) { continue }
                if key != "omit", let new = renamed.first(where: { $0.key == name })?.value.scalar?.text {
                    diagnostics.append(
                        Diagnostic(
                            code: "FL103", severity: .warning, file: root.file, span: node.span,
                            message: "no parameter is sent as \"\(name)\": it is called \"\(new)\" there"))
                    continue
                }
                named.append((name, node.span))
            }
        }
        let unknown = named.filter { !Self.requestNames.contains($0.0) }
        guard !unknown.isEmpty else { return }
        let own = ownParameters()
        for (name, span) in unknown where !own.contains(name) {
            warnOfName(name, span, "no request has a parameter", Self.requestNames.union(own).sorted())
        }
    }

    /// Whether parameters are named under the key that are there for other reasons.
    private static func namesParameters(_ key: String) -> Bool {
        switch key.utf8.count {
        case 3: key == "raw"
        case 4: key == "omit"
        case 5: key == "order"
        case 6: key == "rename"
        default: false
        }
    }

    /// Names that the file itself gives to parameters, or lets others give.
    private func ownParameters() -> Set<String> {
        var names: Set<String> = []
        for key in Self.requests {
            for part in ["params", "query"] {
                names.formUnion(root[key]?[part]?.mapping?.entries.map(\.key) ?? [])
            }
            if let place = root[key]?["token_placement"]?.scalar?.text.split(separator: ":").last {
                names.insert(String(place))
            }
        }
        for node in [root["authorization"]?["allow_params"], root["hooks"]?["query"]] {
            names.formUnion(node?.sequence?.compactMap { $0.scalar?.text } ?? [])
        }
        return names
    }

    /// Whether a profile without rules takes standard claims out of the answer to a grant.
    private var readsTokensForProfile: Bool {
        guard let claims = root["claims"]?.mapping?.entries else { return false }
        return claims.allSatisfy { $0.key == "source" && $0.value.scalar?.text == "token" }
    }

    private mutating func warnOfMembers(_ response: YAMLMapping, _ read: [String], readsProfile: Bool) {
        let keys = ["map", "absent", "types", "defaults"]
        let entries = keys.flatMap { response[$0]?.value.mapping?.entries ?? [] }
        let unknown = entries.filter { entry in
            !read.contains(entry.key)
                && !(readsProfile && BoundDescriptor.standardClaims.contains(entry.key))
        }
        guard !unknown.isEmpty, let node = layers.root else { return }
        var texts: [String] = []
        Self.collectTexts(node, into: &texts)
        for entry in unknown where !texts.contains(where: { $0.contains(entry.key) }) {
            warnOfName(entry.key, entry.keySpan, "nothing reads a member", read)
        }
    }

    /// Every text that could read a member: all but the rules that make members.
    private static func collectTexts(_ node: YAMLNode, into texts: inout [String]) {
        switch node.content {
        case .scalar(let scalar): texts.append(scalar.text)
        case .sequence(let nodes): for node in nodes { collectTexts(node, into: &texts) }
        case .mapping(let mapping):
            for entry in mapping.entries where !["map", "absent", "types", "defaults"].contains(entry.key) {
                collectTexts(entry.value, into: &texts)
            }
        }
    }

    private mutating func warnOfName(
        _ name: String, _ span: SourceSpan, _ what: String, _ known: [String]
    ) {
        // What is wrong in another way has been reported already.
        guard !diagnostics.contains(where: { $0.span == span }) else { return }
        let nearest = SpellingSuggestion.nearest(to: name, in: known)
        let suggestion = Suggestion(nearest)
        diagnostics.append(
            Diagnostic(
                code: "FL103", severity: .warning, file: root.file, span: span,
                message: "\(what) \"\(name)\"\(suggestion)",
                hint: nearest == nil && known.count < 12 ? "read are \(known.joined(separator: ", "))" : nil,
                fix: suggestion.fix))
    }
}
