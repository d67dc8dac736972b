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
        return FaultedAnswer(actions).reply {
            do throws(TokenRefusal) {
                return try answer(
                    request, form, keepsRefreshToken: actions.contains(.noRefreshToken), now: now)
            } catch {
                return error.response
            }
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
        _ request: ServerRequest, _ form: Parameters?, keepsRefreshToken: Bool, now: Int64
    ) throws(TokenRefusal) -> HTTPResponse {
        let form = try checked(form, request)
        guard let type = form["grant_type"] else {
            throw TokenRefusal(flaw: .invalidRequest("grant_type is missing"))
        }
        let client = try TokenClient.authenticate(request, form, configuration)
        do throws(RequestFlaw) {
            switch type {
            case "authorization_code":
                return answer(try exchange(form, client, now: now))
            case "refresh_token":
                return answer(try refresh(form, client, keepsRefreshToken: keepsRefreshToken, now: now))
            case "client_credentials":
                return answer(try clientCredentials(form, client, now: now))
            case TokenRequest.deviceGrant:
                return answer(try device(form, client, now: now))
            case TokenRequest.exchangeGrant:
                return answer(
                    try exchangeToken(form, client, now: now),
                    ["issued_token_type": .string(TokenExchange.accessTokenType)])
            default:
                throw RequestFlaw("unsupported_grant_type", "the metadata names the grant types")
            }
        } catch {
            throw TokenRefusal(flaw: error)
        }
    }

    /// - SeeAlso: RFC 6749 §4.1.3, RFC 7636 §4.5
    private func exchange(
        _ form: Parameters, _ client: SandboxClient, now: Int64
    ) throws(RequestFlaw) -> Issue {
        let code = try required("code", form)
        let redirectURI = try required("redirect_uri", form)
        let verifier = try required("code_verifier", form)
        guard (43...128).contains(verifier.utf8.count) else {
            throw .invalidRequest("code_verifier must have 43 to 128 characters")
        }
        let challenge = Base64URL.encode(Digest.sha256(verifier.utf8))
        let names = IssueNames(self)
        return try change { state throws(RequestFlaw) in
            let grant = try state.ledger.redeem(
                TokenHash(of: code), clientID: client.id, redirectURI: redirectURI, codeChallenge: challenge,
                now: now / 1000)
            return issue(
                grant, scopes: grant.scopes, nonce: grant.nonce, hasRefreshToken: grant.isOffline, names,
                &state, now: now)
        }
    }

    /// - SeeAlso: RFC 6749 §6, OIDC Core §12
    private func refresh(
        _ form: Parameters, _ client: SandboxClient, keepsRefreshToken: Bool, now: Int64
    ) throws(RequestFlaw) -> Issue {
        let token = TokenHash(of: try required("refresh_token", form))
        let wanted = form.words("scope")
        let names = IssueNames(self)
        return try change { state throws(RequestFlaw) in
            let grant = try state.ledger.grant(refreshToken: token, clientID: client.id)
            // A restored sandbox may have been given other users.
            guard configuration.user(grant.username) != nil else {
                throw .invalidGrant("the user is gone")
            }
            guard wanted.allSatisfy(grant.scopes.contains) else {
                throw RequestFlaw("invalid_scope", "the scope is wider than what was granted")
            }
            if !keepsRefreshToken { state.ledger.spend(refreshToken: token) }
            return issue(
                grant, scopes: wanted.isEmpty ? grant.scopes : wanted, nonce: nil,
                hasRefreshToken: !keepsRefreshToken, names, &state, now: now)
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

/// What RFC 6749 §3.2 suggests of a parameter's name; anything else is not repeated in a description.
private func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
        true
    default: false
    }
}
