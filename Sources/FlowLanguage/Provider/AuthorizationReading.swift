internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// The front channel: the authorization request and what comes back.
extension DescriptorReader {
    static let authorizationKeys = [
        "scope", "required_scope", "scope_delimiter", "repeat_scope", "omit_empty_scope", "response_type",
        "response_mode", "pkce", "state", "nonce", "params", "allow_params", "omit", "rename", "raw", "order",
        "fragment", "trailing_fragment", "endpoint_when", "claims", "authorization_details",
    ]
    static let pkceKeys = ["mode", "method", "challenge_encoding"]
    static let stateKeys = ["mode", "on_error"]
    static let endpointWhenKeys = ["if", "authorization_endpoint"]

    /// Scopes are words: what stands between them has no letters and digits.
    private mutating func delimiter(_ authorization: MappingReader) -> String? {
        let key = "scope_delimiter"
        guard let text = authorization.string(key, &diagnostics), let node = authorization[key] else {
            return nil
        }
        let isSigns = text.utf8.allSatisfy { byte in
            (0x20...0x7E).contains(byte) && !(0x30...0x39).contains(byte)
                && !(0x61...0x7A).contains(byte | 0x20)
        }
        if text.isEmpty || !isSigns, !TemplateScanner.isTemplate(text) {
            authorization.wrong(
                key, node, "signs such as \",\"", hint: "write \",\" or \" \" as they are", &diagnostics)
        }
        return text
    }

    /// Scopes that are parameters each have nothing between them; those of a device's request still stand in one.
    private mutating func warnOfUnusedDelimiter(_ authorization: MappingReader, _ facts: AuthorizationFacts) {
        guard facts.repeatsScope, !root.has("device_authorization_endpoint"),
            let node = authorization["scope_delimiter"]
        else { return }
        warn(
            "FL103", node,
            "with repeat_scope every scope is a parameter of its own, and nothing stands between",
            hint: "leave scope_delimiter out; how answers list scopes is for token.response.types to say")
    }

    mutating func authorization() -> AuthorizationFacts {
        var facts = AuthorizationFacts()
        guard let authorization = part("authorization", keys: Self.authorizationKeys)
        else {
            checkChallengeMethods(facts)
            refuseOwnParameters(facts)
            return facts
        }
        facts.scopes = scopes("scope", authorization)
        facts.requiredScopes = scopes("required_scope", authorization)
        if let node = authorization["scope"] ?? authorization["required_scope"] {
            facts.scopePlace = (layers.layer(of: node.span), node.span)
        }
        facts.scopeDelimiter = delimiter(authorization) ?? " "
        facts.repeatsScope = authorization.bool("repeat_scope", &diagnostics) ?? false
        warnOfUnusedDelimiter(authorization, facts)
        facts.omitsEmptyScope = authorization.bool("omit_empty_scope", &diagnostics) ?? true
        facts.responseType = responseType(authorization)
        facts.responseMode = responseMode(authorization)
        facts.nonce =
            authorization.word("nonce", as: AuthorizationFacts.NonceMode.self, &diagnostics) ?? .auto
        if facts.wantsIDToken { checkHybrid(authorization, facts) }
        proofKey(authorization, &facts)
        checkChallengeMethods(facts)
        state(authorization, &facts)
        facts.allowedParameters = authorization.strings("allow_params", &diagnostics) ?? []
        refuseProtected(facts.allowedParameters, authorization["allow_params"])
        fragments(authorization, &facts)
        facts.order = authorization.strings("order", &diagnostics) ?? []
        facts.alternatives = (authorization.sequence("endpoint_when", &diagnostics) ?? []).compactMap {
            alternative($0)
        }
        demands(authorization, &facts)
        facts.dialect = dialect(authorization, .authorization)
        refuseOwnKey("authorization", "scope")
        refuseOwnParameters(facts)
        refuseUnsentScopes(authorization, facts)
        refuseToOmit(
            facts.dialect.omit, authorization,
            "authorization.state, authorization.pkce and authorization.nonce say what a server cannot take")
        return facts
    }

    /// What protects the user is switched off by its own key, where the file says why.
    mutating func refuseToOmit(_ names: Set<String>, _ operation: MappingReader, _ hint: String) {
        guard let node = operation["omit"] else { return }
        for name in names.sorted() where DescriptorSafety.isIndispensable(name) {
            report("FL068", node, "\"\(name)\" protects the user and cannot be left out", hint: hint)
        }
    }

    /// A URL has one fragment: what routes in the browser begins before the parameters, any other ends the URL.
    private mutating func fragments(_ authorization: MappingReader, _ facts: inout AuthorizationFacts) {
        facts.fragment = authorization.string("fragment", &diagnostics)
        facts.trailingFragment = authorization.string("trailing_fragment", &diagnostics)
        guard let node = authorization["trailing_fragment"], let text = facts.trailingFragment else { return }
        if facts.fragment != nil {
            report("FL016", node, "a URL has one fragment: leave out \"fragment\" or \"trailing_fragment\"")
        }
        // RFC 3986 §3.5
        if EndpointURL.check("https://x/?\(text)", allowLoopbackHTTP: false) != nil {
            report(
                "FL016", node, "\"\(text)\" holds a character that a fragment may not hold",
                hint: text.hasPrefix("#") ? "write it without the #" : nil)
        }
    }

    private mutating func scopes(_ key: String, _ authorization: MappingReader) -> [DescriptorText] {
        guard authorization.strings(key, &diagnostics) != nil else { return [] }
        return (authorization[key]?.sequence ?? []).compactMap { node in
            guard case .string = node.value, let scope = text(node, .facts) else { return nil }
            if let name = scope.literal, !ScopeName.isWellFormed(name) {
                report(
                    "FL016", node, "\"\(name)\" is not the name of a scope (RFC 6749 §3.3)",
                    hint: name.contains(" ") ? "write each scope as an element of its own" : nil)
            }
            return scope
        }
    }

    /// What is asked for and not sent would count as granted: without a word of the server that is what it was asked for
    /// (RFC 6749 §5.1).
    private mutating func refuseUnsentScopes(_ authorization: MappingReader, _ facts: AuthorizationFacts) {
        guard facts.dialect.omit.contains("scope"), !(facts.scopes + facts.requiredScopes).isEmpty,
            let node = authorization["scope"] ?? authorization["required_scope"]
        else { return }
        report(
            "FL058", node,
            "scopes are named here and left out of the request: none is sent, and all count as granted",
            hint: "drop them, or scope from authorization.omit")
    }

    /// Those that reach a listener (OAuth 2.0 Multiple Response Types §2.1, Form Post Response Mode, JARM §2.3).
    static let responseModes = ["query", "form_post", "jwt", "query.jwt", "form_post.jwt"]

    /// What every request asks for beyond scopes.
    private mutating func demands(_ authorization: MappingReader, _ facts: inout AuthorizationFacts) {
        if let node = authorization["claims"] {
            do throws(ClaimsRequestError) {
                facts.claims = try ClaimsRequest.parse(LiteralReader.json(node))
            } catch {
                report(
                    "FL016", node, "\"\(error.place)\" is no request for claims (OpenID Connect Core §5.5)")
            }
        }
        if let node = authorization["authorization_details"] {
            do throws(AuthorizationDetailsError) {
                facts.details = try AuthorizationDetails.parse(LiteralReader.json(node))
            } catch {
                report(
                    "FL016", node, "authorization details are a list of mappings with a type (RFC 9396 §2)")
            }
        }
    }

    /// A word of a provider's own for the code flow is sent as it is; an ID token may come beside the code, and the types
    /// that bring access tokens through the browser, or no code, are refused (RFC 9700 §2.1.2).
    private mutating func responseType(_ authorization: MappingReader) -> String {
        let type = authorization.string("response_type", &diagnostics) ?? "code"
        guard type != AuthorizationFacts.hybridType else { return type }
        if type.holds(" ") || ["token", "id_token", "none"].contains(type),
            let node = authorization["response_type"]
        {
            let isReversed = type == "id_token code"
            report(
                "FL068", node,
                isReversed
                    ? "the name of the hybrid flow is \"\(AuthorizationFacts.hybridType)\""
                    : "\"\(type)\" is not the code flow, the only one spoken here (RFC 9700 §2.1.2)",
                hint: isReversed ? "write it so" : "leave response_type out")
        }
        return type
    }

    /// What must be said, and what may not, where an ID token comes through the browser (OpenID Connect Core §3.3).
    private mutating func checkHybrid(_ authorization: MappingReader, _ facts: AuthorizationFacts) {
        guard let type = authorization["response_type"] else { return }
        if root["protocol"]?.scalar?.text != "oidc" {
            report("FL068", type, "an ID token comes with OpenID Connect alone", hint: "protocol: oidc")
        }
        if facts.nonce == .off, let node = authorization["nonce"] {
            report(
                "FL068", node,
                "only a nonce binds the ID token of the answer to the request (OpenID Connect Core §3.3.2.11)"
            )
        }
        if let node = root["id_token"]?["ignore"], node.value == .bool(true) {
            report(
                "FL068", node, "the ID token is asked for beside the code and cannot be ignored",
                hint: "response_type: code asks for none there")
        }
        switch facts.responseMode {
        case "form_post", "form_post.jwt": return
        case nil where authorization["response_mode"] != nil: return  // told already
        case nil, "jwt":
            report(
                "FL068", authorization["response_mode"] ?? type,
                "the answer to \"\(facts.responseType)\" comes in a fragment unless it is asked for otherwise, and a "
                    + "fragment never leaves the browser",
                hint: "response_mode: form_post")
        default:
            guard let node = authorization["response_mode"] else { return }
            warn(
                "FL105", node,
                "the ID token comes in an address, which browsers keep and proxies may write down (OAuth 2.0 Multiple "
                    + "Response Types §5)",
                hint: "response_mode: form_post, unless the provider cannot do that")
        }
    }

    private mutating func responseMode(_ authorization: MappingReader) -> String? {
        if let node = authorization["response_mode"], node.scalar?.text == "fragment" {
            report(
                "FL068", node, "a fragment never leaves the browser, so no listener can read the answer",
                hint: "query or form_post")
            return nil
        }
        return authorization.word("response_mode", of: Self.responseModes, &diagnostics)
    }

    private mutating func proofKey(_ authorization: MappingReader, _ facts: inout AuthorizationFacts) {
        guard let pkce = authorization.mapping("pkce", keys: Self.pkceKeys, &diagnostics) else { return }
        facts.pkce = pkce.word("mode", as: AuthorizationFacts.PKCEMode.self, &diagnostics) ?? .auto
        facts.challengeMethod = challengeMethod(pkce)
    }

    /// What the challenge is made by.
    mutating func challengeMethod(_ pkce: MappingReader) -> PKCE.Method {
        let encoding = pkce.word("challenge_encoding", as: PKCE.ChallengeEncoding.self, &diagnostics)
        guard pkce.word("method", of: PKCE.Method.names, &diagnostics) == PKCE.Method.plain.name else {
            return .s256(encoding ?? .base64url)
        }
        if encoding != nil, let node = pkce["challenge_encoding"] {
            report(
                "FL068", node, "with the method plain there is no digest to be written",
                hint: "leave challenge_encoding out")
        }
        return .plain
    }

    /// Where the file itself says that the method is not known, every sign-in would be refused; plain is for servers
    /// that know nothing else (RFC 7636 §4.2).
    private mutating func checkChallengeMethods(_ facts: AuthorizationFacts) {
        guard facts.pkce != .off, let node = root["code_challenge_methods_supported"],
            let methods = node.sequence
        else { return }
        let method = facts.challengeMethod.name
        if !methods.contains(where: { $0.value == .string(method) }) {
            report(
                "FL068", node,
                "without \(method) here no sign-in starts: PKCE is used, and with no other method",
                hint: "authorization.pkce: {method: plain} is for servers that know nothing else, "
                    + "{mode: off} for those that know no PKCE")
        } else if let node = methods.first(where: { $0.value == .string("S256") }), method != "S256" {
            report(
                "FL068", node,
                "the server takes S256, so that the weaker plain may not be used (RFC 7636 §4.2)",
                hint: "leave authorization.pkce.method out")
        }
    }

    private mutating func state(_ authorization: MappingReader, _ facts: inout AuthorizationFacts) {
        guard let state = authorization.mapping("state", keys: Self.stateKeys, &diagnostics) else { return }
        facts.state = state.word("mode", as: AuthorizationFacts.StateMode.self, &diagnostics) ?? .required
        facts.isStateRequiredOnError =
            state.word("on_error", of: ["required", "optional"], &diagnostics) != "optional"
        let isBound = facts.pkce == .required && facts.challengeMethod != .plain
        if facts.state == .off, !isBound, let node = state["mode"] {
            report(
                "FL068", node,
                "without state only PKCE with S256 keeps a foreign answer out (RFC 9700 §4.7.1)",
                hint: "write authorization.pkce: {mode: required} too, or in_redirect_uri here")
        }
    }

    private mutating func alternative(_ node: YAMLNode) -> AuthorizationFacts.Alternative? {
        let reader = MappingReader(
            node, "a rule of endpoint_when", keys: Self.endpointWhenKeys, file: root.file, &diagnostics)
        guard let reader else { return nil }
        reader.require("if", "authorization_endpoint", diagnostics: &diagnostics)
        guard let condition = condition("if", in: reader, .authorization),
            let endpoint = reader["authorization_endpoint"].flatMap({ endpoint($0) })
        else { return nil }
        return AuthorizationFacts.Alternative(condition: condition, endpoint: endpoint)
    }

    private mutating func refuseProtected(_ names: [String], _ node: YAMLNode?) {
        for name in names
        where DescriptorSafety.isProtected(name) || DescriptorSafety.isRequestObject(name) {
            guard let node else { continue }
            report("FL058", node, "\"\(name)\" belongs to the engine and no flow may set it")
        }
        if names.contains("scope"), let node {
            report(
                "FL058", node, "\"scope\" belongs to the engine and no flow may set it",
                hint: "a flow asks for scopes by itself, and --scope adds one")
        }
    }

    // MARK: Callback

    static let callbackKeys = ["method", "rename", "decode", "iss", "error", "capture", "verify"]
    static let captureKeys = ["from", "decode", "optional", "trusted", "example"]
    static let verifyKeys = ["param", "expect", "timestamp", "max_age"]
    static let errorKeys = ["code", "description"]

    mutating func callback() -> CallbackFacts {
        var facts = CallbackFacts()
        guard let callback = part("callback", keys: Self.callbackKeys) else {
            return facts
        }
        facts.issuer = callback.word("iss", as: CallbackFacts.IssuerMode.self, &diagnostics) ?? .auto
        // Without an issuer there is nothing to compare an iss with.
        if facts.issuer == .ignore, root.has("issuer"), let node = callback["iss"] {
            let isAnnounced = root["authorization_response_iss_parameter_supported"]?.value == .bool(true)
            let words = isAnnounced ? "although the file says" : "even where the metadata says"
            warn(
                "FL105", node,
                "an answer may do without iss \(words) that the provider sends one (RFC 9207)",
                hint:
                    "leave iss out unless the provider is known to say so wrongly: iss keeps out the answers of others"
            )
        }
        facts.methods = methods(callback)
        facts.dialect.rename = names("rename", in: callback)
        refuseLostNames(callback, facts.dialect.rename)
        let decodings = names("decode", in: callback)
        for entry in callback["decode"]?.mapping?.entries ?? [] {
            guard let decoding = decodings[entry.key] else { continue }
            guard decoding == "urldecode" else {
                report("FL016", entry.value, "the only decoding is urldecode")
                continue
            }
            facts.dialect.decoded.insert(entry.key)
        }
        let error = callback.mapping("error", keys: Self.errorKeys, &diagnostics)
        facts.dialect.errorCode = parameters("code", in: error)
        facts.dialect.errorDescription = parameters("description", in: error)
        for entry in callback.mapping("capture", keys: nil, &diagnostics)?.entries ?? [] {
            guard let capture = capture(entry) else { continue }
            facts.captures.append(capture)
            guard let name = facts.dialect.rename[capture.parameter] else { continue }
            report(
                "FL046", entry.value,
                "no \"\(capture.parameter)\" is left to capture: callback.rename calls it \"\(name)\"",
                hint: "capture it by that name: \(entry.key): {from: \(name)}")
        }
        facts.signature = signature(callback)
        return facts
    }

    private mutating func methods(_ callback: MappingReader) -> [HTTPMethod] {
        guard let node = callback["method"] else { return [] }
        let words = callback.strings("method", &diagnostics) ?? []
        for word in words where !["GET", "POST"].contains(word) {
            report("FL016", node, "a browser brings a callback by GET or POST, not \(word)")
        }
        let mode = root["authorization"]?["response_mode"]?.scalar?.text
        let needed = mode.map { $0.hasPrefix("form_post") ? "POST" : "GET" }
        // jwt leaves it to the server (JARM §2.3.4).
        if let mode, let needed, mode != "jwt", node.sequence != nil, !words.contains(needed) {
            report(
                "FL016", node, "with response_mode \(mode) the callback comes by \(needed)",
                hint: "leave method out, or name \(needed) too")
        }
        return words.compactMap(HTTPMethod.init(rawValue:))
    }

    /// The name of a parameter, or a list of which the first that is there counts.
    private mutating func parameters(_ key: String, in mapping: MappingReader?) -> [String] {
        guard let mapping, let node = mapping[key] else { return [] }
        if node.sequence != nil { return mapping.strings(key, &diagnostics) ?? [] }
        return mapping.string(key, &diagnostics).map { [$0] } ?? []
    }

    private mutating func capture(_ entry: YAMLMapping.Entry) -> CallbackFacts.Capture? {
        guard FlowName.isID(entry.key) else {
            report(
                "FL014", entry.keySpan,
                "what is captured has a name of lower-case letters, digits and '_', not \"\(entry.key)\"",
                hint: "give it one, and say which parameter it is: my_name: \(entry.key)")
            return nil
        }
        if case .string(let parameter) = entry.value.value {
            return CallbackFacts.Capture(name: entry.key, parameter: parameter)
        }
        let reader = MappingReader(
            entry.value, .named("capture", entry.key), keys: Self.captureKeys, file: root.file, &diagnostics)
        guard let reader else { return nil }
        if reader.bool("trusted", &diagnostics) == true, let node = reader["trusted"] {
            report("FL068", node, "nobody vouches for what comes through the browser")
        }
        var capture = CallbackFacts.Capture(
            name: entry.key, parameter: reader.string("from", &diagnostics) ?? entry.key)
        capture.isJSON = reader.word("decode", of: ["json"], &diagnostics) != nil
        capture.isOptional = reader.bool("optional", &diagnostics) ?? false
        capture.example = reader.string("example", &diagnostics)
        return capture
    }

    private mutating func signature(_ callback: MappingReader) -> CallbackFacts.Signature? {
        guard let verify = callback.mapping("verify", keys: Self.verifyKeys, &diagnostics) else { return nil }
        verify.require("param", "expect", diagnostics: &diagnostics)
        guard let parameter = verify.string("param", &diagnostics),
            let expected = text("expect", in: verify, .signature)
        else { return nil }
        return CallbackFacts.Signature(
            parameter: parameter, expected: expected, timestamp: verify.string("timestamp", &diagnostics),
            maxAge: verify.int("max_age", in: 1...86_400, &diagnostics) ?? 300)
    }

    /// Names with names.
    mutating func names(_ key: String, in mapping: MappingReader) -> [String: String] {
        var names: [String: String] = [:]
        for entry in mapping.names(key, &diagnostics) {
            guard case .string(let name) = entry.value.value, !name.isEmpty else {
                report(
                    "FL016", entry.value,
                    "expected the new name of \"\(entry.key)\", found \(entry.value.shape)")
                continue
            }
            names[entry.key] = name
        }
        return names
    }
}
