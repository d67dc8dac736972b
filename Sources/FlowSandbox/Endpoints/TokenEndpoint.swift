internal import JOSE
internal import OAuthProtocol
internal import Synchronization

extension SandboxProvider {
    /// - SeeAlso: RFC 6749 §3.2
    func token(_ request: ServerRequest, now: Int64) -> SandboxReply {
        let form = Parameters(form: request)
        let isRefresh = form?["grant_type"] == "refresh_token"
        let actions = state.withLock { state in
            state.faults.hit(.token) + (isRefresh ? state.faults.hit(.refresh) : [])
        }
        return FaultedAnswer(actions, protocolError: deliberateError).reply {
            do throws(TokenRefusal) {
                return try answer(request, form, actions, now: now)
            } catch {
                return error.response
            }
        }
    }

    /// Who asks, and the key that the request proves to hold.
    private func caller(
        _ request: ServerRequest, _ form: Parameters, _ actions: [Fault.Action], now: Int64
    ) throws(TokenRefusal) -> TokenCaller {
        let client = try authenticate(request, form, now: now)
        let key = try proof(request, actions, isRequired: client.demands.proof, now: now)
        return TokenCaller(client: client, key: key)
    }

    /// The key of a request's proof.
    ///
    /// - Throws: What is wrong with the proof, or that the client may not do without one (RFC 9449 §5.2).
    func proof(
        _ request: ServerRequest, _ actions: [Fault.Action], isRequired: Bool, now: Int64
    ) throws(TokenRefusal) -> String? {
        do throws(RequestFlaw) {
            let key = try provedKey(request, actions, now: now)
            guard key != nil || !isRequired else {
                throw .invalidRequest("the client registered to prove its key with every request")
            }
            return key
        } catch {
            throw TokenRefusal(flaw: error, fields: nonceFields(for: error.code))
        }
    }

    /// The form, if it is one that an endpoint for clients takes.
    func checked(_ form: Parameters?, _ request: ServerRequest) throws(TokenRefusal) -> Parameters {
        guard let form else {
            throw TokenRefusal(flaw: .invalidRequest("the body must be application/x-www-form-urlencoded"))
        }
        guard (request.query ?? "").isEmpty else {
            throw TokenRefusal(flaw: .invalidRequest("parameters belong into the body"))
        }
        // An audience or a resource may be one of several (RFC 8693 §2.1, RFC 8707 §2).
        if let name = form.repeated.first(where: { !["audience", "resource"].contains($0) }) {
            let shown = name.utf8.allSatisfy(isNameByte) ? name : "parameter"
            throw TokenRefusal(flaw: .invalidRequest("the parameter \(shown) came more than once"))
        }
        return form
    }

    private func answer(
        _ request: ServerRequest, _ form: Parameters?, _ actions: [Fault.Action], now: Int64
    ) throws(TokenRefusal) -> HTTPResponse {
        let form = try checked(form, request)
        guard let type = form["grant_type"] else {
            throw TokenRefusal(flaw: .invalidRequest("grant_type is missing"))
        }
        let caller = try caller(request, form, actions, now: now)
        let fields = demandsNonce(actions) && caller.key != nil ? [nonceField] : []
        do throws(RequestFlaw) {
            let (issue, further) = try issue(
                type, form, caller, keepsRefreshToken: actions.contains(.noRefreshToken), now: now)
            return answer(issue, further, fields: fields)
        } catch {
            throw TokenRefusal(flaw: error, fields: fields)
        }
    }

    private func issue(
        _ type: String, _ form: Parameters, _ caller: TokenCaller, keepsRefreshToken: Bool, now: Int64
    ) throws(RequestFlaw) -> (Issue, JSONObject) {
        if Self.grantTypes.contains(type) { try caller.client.check(grantType: type) }
        switch type {
        case "authorization_code":
            return (try exchange(form, caller, now: now), [:])
        case "refresh_token":
            return (try refresh(form, caller, keepsRefreshToken: keepsRefreshToken, now: now), [:])
        case "client_credentials":
            return (try clientCredentials(form, caller, now: now), [:])
        case TokenRequest.deviceGrant:
            return (try device(form, caller, now: now), [:])
        case TokenRequest.jwtBearerGrant:
            return (try bearAssertion(form, caller, now: now), [:])
        case TokenRequest.exchangeGrant:
            return try exchangeToken(form, caller, now: now)
        default:
            throw RequestFlaw("unsupported_grant_type", "the metadata names the grant types")
        }
    }

    /// S256 of a verifier (RFC 7636 §4.6).
    static func challenge(of verifier: String) throws(RequestFlaw) -> String {
        guard PKCE.isVerifier(verifier) else {
            throw .invalidRequest("code_verifier must be 43 to 128 unreserved characters")
        }
        return Base64URL.encode(Digest.sha256(verifier.utf8))
    }

    /// - SeeAlso: RFC 6749 §4.1.3, RFC 7636 §4.5
    private func exchange(
        _ form: Parameters, _ caller: TokenCaller, now: Int64
    ) throws(RequestFlaw) -> Issue {
        let code = try required("code", form)
        let redirectURI = try required("redirect_uri", form)
        let challenge = try Self.challenge(of: try required("code_verifier", form))
        let resources = try RequestExtensions.resources(form)
        let names = IssueNames(self)
        return try change { state throws(RequestFlaw) in
            var grant = try state.ledger.redeem(
                TokenHash(of: code), clientID: caller.client.id, redirectURI: redirectURI,
                codeChallenge: challenge, key: caller.key, now: now / 1000)
            if !caller.client.isConfidential {
                grant.refreshKey = caller.key
                state.ledger.keep(grant)
            }
            let part = try grant.part(scopes: grant.scopes, resources: resources, key: caller.key)
            return issue(
                grant, part, nonce: grant.nonce, hasRefreshToken: grant.isOffline, names, &state, now: now)
        }
    }

    /// - SeeAlso: RFC 6749 §6, OIDC Core §12
    private func refresh(
        _ form: Parameters, _ caller: TokenCaller, keepsRefreshToken: Bool, now: Int64
    ) throws(RequestFlaw) -> Issue {
        let token = TokenHash(of: try required("refresh_token", form))
        let wanted = form.words("scope")
        let resources = try RequestExtensions.resources(form)
        let names = IssueNames(self)
        return try change { state throws(RequestFlaw) in
            let grant = try state.ledger.grant(
                refreshToken: token, clientID: caller.client.id, key: caller.key)
            // A restored sandbox may have been given other users.
            guard configuration.user(grant.username) != nil else {
                throw .invalidGrant("the user is gone")
            }
            guard wanted.allSatisfy(grant.scopes.contains) else {
                throw RequestFlaw("invalid_scope", "the scope is wider than what was granted")
            }
            let part = try grant.part(
                scopes: wanted.isEmpty ? grant.scopes : wanted, resources: resources, key: caller.key)
            if !keepsRefreshToken { state.ledger.spend(refreshToken: token) }
            return issue(
                grant, part, nonce: nil, hasRefreshToken: !keepsRefreshToken, names, &state, now: now)
        }
    }

    func required(_ name: String, _ form: Parameters) throws(RequestFlaw) -> String {
        guard let value = form[name] else { throw .invalidRequest("\(name) is missing") }
        return value
    }

    func change<Result>(
        _ body: (inout SandboxState) throws(RequestFlaw) -> Result
    ) throws(RequestFlaw) -> Result {
        try state.withLock { state throws(RequestFlaw) in try body(&state) }
    }
}

/// Who asks for a token, and the key of its proof (RFC 9449 §5).
struct TokenCaller: Sendable {
    let client: SandboxClient
    let key: String?
}

/// What RFC 6749 §3.2 suggests of a parameter's name; anything else is not repeated in a description.
private func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
        true
    default: false
    }
}
