internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// Grants of the token endpoint that no browser brings.
extension SandboxProvider {
    /// - SeeAlso: RFC 6749 §4.4
    func clientCredentials(
        _ form: Parameters, _ client: SandboxClient, now: Int64
    ) throws(RequestFlaw) -> Issue {
        guard client.secret != nil else {
            throw RequestFlaw("unauthorized_client", "a public client cannot prove who it is")
        }
        let scopes = form.words("scope")
        let personal = [Scope.openID, Scope.offlineAccess]
        guard scopes.allSatisfy({ isKnown($0) && !personal.contains($0) }) else {
            throw RequestFlaw("invalid_scope", "no person is there for openid, and other scopes are unknown")
        }
        let grant = Grant(
            id: newToken(), clientID: client.id, username: "", scopes: scopes, nonce: nil, acr: nil,
            authenticatedAt: now / 1000)
        return issueNew(grant, now: now)
    }

    /// - SeeAlso: RFC 8628 §3.4 and §3.5
    func device(_ form: Parameters, _ client: SandboxClient, now: Int64) throws(RequestFlaw) -> Issue {
        let code = TokenHash(of: try required("device_code", form))
        let names = IssueNames(self)
        let id = newToken()
        return try change { state throws(RequestFlaw) in
            let (record, signIn) = try state.ledger.poll(code, clientID: client.id, now: now)
            let grant = Grant(
                id: id, clientID: client.id, username: signIn.username, scopes: record.scopes, nonce: nil,
                acr: nil, authenticatedAt: signIn.time)
            state.ledger.keep(grant)
            return issue(
                grant, scopes: grant.scopes, nonce: nil, hasRefreshToken: grant.isOffline, names, &state,
                now: now)
        }
    }

    /// Exchanges a live access token of the client for one with less scope.
    ///
    /// - SeeAlso: RFC 8693 §2.1 and §2.2
    func exchangeToken(
        _ form: Parameters, _ client: SandboxClient, now: Int64
    ) throws(RequestFlaw) -> Issue {
        let subject = TokenHash(of: try required("subject_token", form))
        guard try required("subject_token_type", form) == TokenExchange.accessTokenType,
            (form["requested_token_type"] ?? TokenExchange.accessTokenType) == TokenExchange.accessTokenType,
            (form["actor_token"] == nil) == (form["actor_token_type"] == nil)
        else { throw .invalidRequest("only access tokens are exchanged, for access tokens") }
        guard (form["audience"] ?? Self.audience) == Self.audience else {
            throw RequestFlaw("invalid_target", "the only audience is \(Self.audience)")
        }
        let wanted = form.words("scope")
        let names = IssueNames(self)
        return try change { state throws(RequestFlaw) in
            guard let (grant, scopes) = state.ledger.access(subject, now: now),
                grant.clientID.hasBytes(of: client.id)
            else { throw .invalidGrant("the subject token is unknown, dead or of another client") }
            guard wanted.allSatisfy(scopes.contains) else {
                throw RequestFlaw("invalid_scope", "the scope is wider than the subject token's")
            }
            let kept = (wanted.isEmpty ? scopes : wanted).filter { $0 != Scope.openID }
            return issue(
                grant, scopes: kept, nonce: nil, hasRefreshToken: false, names, &state, now: now)
        }
    }

    private static let audience = "sandbox-api"

    func isKnown(_ scope: String) -> Bool { configuration.acceptsOtherScopes || Scope.known.contains(scope) }

    private func issueNew(_ grant: Grant, now: Int64) -> Issue {
        let names = IssueNames(self)
        return state.withLock { state in
            state.ledger.keep(grant)
            return issue(
                grant, scopes: grant.scopes, nonce: nil, hasRefreshToken: false, names, &state, now: now)
        }
    }
}
