internal import Synchronization

/// Tokens that an earlier sign-in is taken to have brought.
package struct AdoptedSession: Sendable {
    package let client: String
    package let accessToken: String
    /// Milliseconds since 1970.
    package let expiresAt: Int64
    package let refreshToken: String?
    package let scopes: [String]

    package init(
        client: String, accessToken: String, expiresAt: Int64, refreshToken: String?, scopes: [String]
    ) {
        self.client = client
        self.accessToken = accessToken
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
        self.scopes = scopes
    }
}

extension SandboxProvider {
    /// Takes tokens for its own, as those of its first user.
    ///
    /// - Parameter now: Milliseconds since 1970.
    package func adopt(_ session: AdoptedSession, now: Int64) {
        let grant = Grant(
            id: newToken(), clientID: session.client, username: configuration.users[0].username,
            scopes: session.scopes, nonce: nil, acr: nil, authenticatedAt: now / 1000)
        let access = AccessRecord(
            grantID: grant.id, scopes: session.scopes, expiresAt: session.expiresAt)
        state.withLock { state in
            state.ledger.keep(grant)
            state.ledger.issue(
                accessToken: TokenHash(of: session.accessToken), access, now: now / 1000)
            if let token = session.refreshToken {
                state.ledger.issue(refreshToken: TokenHash(of: token), for: grant)
            }
        }
    }
}
