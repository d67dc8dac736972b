internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// Grants of the token endpoint that no browser brings.
extension SandboxProvider {
    /// - SeeAlso: RFC 6749 §4.4
    func clientCredentials(
        _ form: Parameters, _ caller: TokenCaller, now: Int64
    ) throws(RequestFlaw) -> Issue {
        guard caller.client.isTrusted else {
            throw RequestFlaw("unauthorized_client", "a public client cannot prove who it is")
        }
        let scopes = form.words("scope")
        let personal = [Scope.openID, Scope.offlineAccess]
        guard scopes.allSatisfy({ isKnown($0) && !personal.contains($0) }) else {
            throw RequestFlaw("invalid_scope", "no person is there for openid, and other scopes are unknown")
        }
        return try issueNew(form, caller, username: "", scopes: scopes, now: now)
    }

    /// Issues a token for the user whom the client vouches for, or for the client itself.
    ///
    /// - SeeAlso: RFC 7523 §2.1 and §3
    func bearAssertion(
        _ form: Parameters, _ caller: TokenCaller, now: Int64
    ) throws(RequestFlaw) -> Issue {
        let assertion = try required("assertion", form)
        let client = caller.client
        guard let jwt = ClientJWT.verify(assertion, of: client, usesSecret: false) else {
            throw .invalidGrant("the assertion is not signed with a key of the client")
        }
        guard jwt.claims.iss?.hasBytes(of: client.id) == true, jwt.isFor(configuration.issuer) else {
            throw .invalidGrant("iss is not the client, or aud not the issuer as a text")
        }
        guard jwt.isCurrent(now / 1000), let serial = jwt.serial(client) else {
            throw .invalidGrant("the assertion is expired, good for too long, or has no jti")
        }
        let subject = jwt.claims.sub ?? ""
        guard
            let user = configuration.user(subject)
                ?? configuration.users.first(where: { $0.subject == subject })
        else { throw .invalidGrant("sub is no user of the sandbox") }
        let scopes = form.words("scope")
        guard scopes.allSatisfy({ isKnown($0) && $0 != Scope.offlineAccess }) else {
            throw RequestFlaw(
                "invalid_scope", "an assertion is good for itself, and other scopes are unknown")
        }
        let isNew = state.withLock { $0.ledger.use(serial, until: now / 1000 + 7200, now: now / 1000) }
        guard isNew else { throw .invalidGrant("the assertion was used before") }
        return try issueNew(form, caller, username: user.username, scopes: scopes, now: now)
    }

    /// - SeeAlso: RFC 8628 §3.4 and §3.5
    func device(_ form: Parameters, _ caller: TokenCaller, now: Int64) throws(RequestFlaw) -> Issue {
        let code = TokenHash(of: try required("device_code", form))
        let verifier = form["code_verifier"]
        let challenge = if let verifier { try Self.challenge(of: verifier) } else { String?.none }
        let resources = try RequestExtensions.resources(form)
        let names = IssueNames(self)
        let id = newToken()
        return try change { state throws(RequestFlaw) in
            let (record, signIn) = try state.ledger.poll(
                code, clientID: caller.client.id, codeChallenge: challenge, now: now)
            var grant = Grant(
                id: id, clientID: caller.client.id, username: signIn.username, scopes: record.scopes,
                nonce: nil, acr: nil, authenticatedAt: signIn.time)
            if !caller.client.isConfidential { grant.refreshKey = caller.key }
            let part = try grant.part(scopes: grant.scopes, resources: resources, key: caller.key)
            state.ledger.keep(grant)
            return issue(
                grant, part, nonce: nil, hasRefreshToken: grant.isOffline, names, &state, now: now)
        }
    }

    func isKnown(_ scope: String) -> Bool { configuration.acceptsOtherScopes || Scope.known.contains(scope) }

    private func issueNew(
        _ form: Parameters, _ caller: TokenCaller, username: String, scopes: [String], now: Int64
    ) throws(RequestFlaw) -> Issue {
        let grant = Grant(
            id: newToken(), clientID: caller.client.id, username: username, scopes: scopes, nonce: nil,
            acr: nil, authenticatedAt: now / 1000,
            details: try RequestExtensions.details(form, configuration))
        let part = try grant.part(
            scopes: scopes, resources: try RequestExtensions.resources(form), key: caller.key)
        let names = IssueNames(self)
        return state.withLock { state in
            state.ledger.keep(grant)
            return issue(grant, part, nonce: nil, hasRefreshToken: false, names, &state, now: now)
        }
    }
}
