internal import JOSE
internal import OAuthProtocol
internal import Synchronization

extension SandboxProvider {
    /// The one audience that an exchange can name.
    private static let audience = "sandbox-api"
    private static let issued = [TokenType.accessToken.rawValue, TokenType.idToken.rawValue]

    /// Exchanges a token of the client for an access token with less scope, or for an ID token.
    ///
    /// - SeeAlso: RFC 8693 §2.1 and §2.2
    func exchangeToken(
        _ form: Parameters, _ caller: TokenCaller, now: Int64
    ) throws(RequestFlaw) -> (Issue, JSONObject) {
        let requested = form["requested_token_type"] ?? TokenType.accessToken.rawValue
        guard Self.issued.contains(requested) else {
            throw .invalidRequest("an exchange issues access tokens and ID tokens")
        }
        guard (form["actor_token"] == nil) == (form["actor_token_type"] == nil) else {
            throw .invalidRequest("actor_token and actor_token_type go together")
        }
        guard (form["audience"] ?? Self.audience) == Self.audience else {
            throw RequestFlaw("invalid_target", "the only audience is \(Self.audience)")
        }
        let subject = try subject(form, caller.client, now: now)
        guard let grant = subject.grant, grant.clientID.hasBytes(of: caller.client.id) else {
            throw .invalidGrant("the subject token is unknown, dead or of another client")
        }
        let wanted = form.words("scope")
        guard wanted.allSatisfy(subject.scopes.contains) else {
            throw RequestFlaw("invalid_scope", "the scope is wider than the subject token's")
        }
        return try issue(
            requested, grant, scopes: wanted.isEmpty ? subject.scopes : wanted,
            resources: try RequestExtensions.resources(form), caller, now: now)
    }

    private func issue(
        _ type: String, _ grant: Grant, scopes: [String], resources: [String], _ caller: TokenCaller,
        now: Int64
    ) throws(RequestFlaw) -> (Issue, JSONObject) {
        let names = IssueNames(self)
        let isIDToken = type == TokenType.idToken.rawValue
        let kept = isIDToken ? [Scope.openID] : scopes.filter { $0 != Scope.openID }
        let part = try grant.part(scopes: kept, resources: resources, key: caller.key)
        let made = state.withLock { state in
            issue(grant, part, nonce: nil, hasRefreshToken: false, names, &state, now: now)
        }
        guard isIDToken else { return (made, ["issued_token_type": .string(type)]) }
        guard let token = try? made.idToken?.signed(made.keys, configuration.algorithm) else {
            throw .invalidRequest("no ID token can be issued for this subject")
        }
        // "access_token [...] is used to carry the requested token", which is none (RFC 8693 §2.2.1).
        return (
            made, ["issued_token_type": .string(type), "access_token": .string(token), "token_type": "N_A"]
        )
    }

    /// The grant that the subject token stands for, whatever its type, and the scopes of the token.
    private func subject(
        _ form: Parameters, _ client: SandboxClient, now: Int64
    ) throws(RequestFlaw) -> (grant: Grant?, scopes: [String]) {
        let token = try required("subject_token", form)
        let hash = TokenHash(of: token)
        switch TokenType(rawValue: try required("subject_token_type", form)) {
        case .accessToken:
            let found = state.withLock { $0.ledger.access(hash, now: now) }
            return (found?.grant, found?.record.scopes ?? [])
        case .refreshToken:
            let grant = state.withLock { state -> Grant? in
                guard let record = state.ledger.refreshTokens[hash], !record.isSpent else { return nil }
                return state.ledger.grants[record.grantID]
            }
            return (grant, grant?.scopes ?? [])
        case .idToken:
            return (grant(ofIDToken: token, client, now: now), [Scope.openID, "profile", "email"])
        case .jwt, .saml1, .saml2, nil:
            throw .invalidRequest("the subject is an access, refresh or ID token of the sandbox")
        }
    }

    /// A grant for the user of a live ID token; it is kept with the tokens that are issued for it.
    private func grant(ofIDToken token: String, _ client: SandboxClient, now: Int64) -> Grant? {
        let keys = state.withLock { $0.keys }
        guard let claims = claims(of: token, keys), (claims["exp"]?.intValue ?? 0) > now / 1000,
            claims["aud"]?.stringValue?.hasBytes(of: client.id) == true,
            let user = configuration.users.first(where: { $0.subject == claims["sub"]?.stringValue })
        else { return nil }
        let grant = Grant(
            id: newToken(), clientID: client.id, username: user.username,
            scopes: [Scope.openID, "profile", "email"], nonce: nil, acr: claims["acr"]?.stringValue,
            authenticatedAt: claims["auth_time"]?.intValue ?? now / 1000)
        state.withLock { $0.ledger.keep(grant) }
        return grant
    }
}
