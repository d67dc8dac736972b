internal import FlowEngine
internal import FlowLive
internal import OAuthProtocol

/// A token for another program, good for a while.
struct HelperToken: Sendable {
    let secret: Secret
    /// Milliseconds since 1970; `nil` when nobody said.
    let expiresAt: Int64?

    /// A program that gets a token works with it for a while before it sends it.
    static let leastLife: Int64 = 60_000

    /// - Parameter program: Who gets it, for a refusal.
    static func get(
        _ kind: CredentialRequest.Token, _ access: SessionAccess, for program: String
    ) async throws(Problem) -> HelperToken {
        switch kind {
        case .access:
            let tokens = try await access.tokens()
            guard tokens.proofKey == nil, tokens.isPresentable else {
                throw Problem(
                    .config,
                    "the access token is no bearer token (\(RemoteText.sanitize(tokens.tokenType))), and "
                        + "\(program) can send no other")
            }
            return HelperToken(
                secret: try checked(tokens.accessToken, program), expiresAt: tokens.expiresAt)
        case .id:
            if let token = try token(access, await access.tokens(), program) { return token }
            if let token = try token(access, await access.refreshed(), program) { return token }
            throw Problem(
                .authRequired, "the session has no ID token that is still good, and a refresh brings none",
                hints: ["sign in again, or give --kind access"])
        }
    }

    /// The ID token while it is good, without the encryption that is for the client alone.
    private static func token(
        _ access: SessionAccess, _ tokens: TokenSet, _ program: String
    ) throws(Problem) -> HelperToken? {
        guard let token = idToken(of: tokens, access.provider, leastLife: leastLife) else { return nil }
        return HelperToken(secret: try checked(token.secret, program), expiresAt: token.expiresAt)
    }

    /// The last ID token of the session.
    ///
    /// - Parameter leastLife: Milliseconds that it is to have left, or a little more.
    /// - Returns: `nil` also for one that is too old.
    static func idToken(
        of tokens: TokenSet, _ provider: BoundProvider, leastLife: Int64
    ) -> HelperToken? {
        guard let token = provider.signed(tokens.idToken ?? tokens.earlierIDToken),
            let end = IDTokenLife.end(of: token), end - WallClock.now() > leastLife
        else { return nil }
        return HelperToken(secret: token, expiresAt: end)
    }

    /// Every protocol has lines or fields that such a token would break out of (RFC 6750 §2.1, `b64token`).
    private static func checked(_ token: Secret, _ program: String) throws(Problem) -> Secret {
        guard token.reveal().utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(.provider, "the token holds characters that \(program) cannot take")
        }
        return token
    }
}
