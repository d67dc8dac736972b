internal import Synchronization

/// What a stand-in remembers of the sign-ins that it has seen, beside the sandbox.
final class StandInMemory: Sendable {
    struct SignIn: Sendable {
        var client: String
        /// Where the browser was sent to, for providers that do not want it repeated.
        var redirectURI: String
        /// Scopes that nobody asked for.
        var added: [String]
        /// Whether the browser brings the answer as a form (OAuth 2.0 Form Post Response Mode).
        var isForm = false
    }

    private struct Contents {
        var byCode: [String: SignIn] = [:]
        var newestCode: String?
        var byToken: [String: SignIn] = [:]
        /// Access tokens, each with the refresh token that came with it.
        var refreshTokens: [String: String?] = [:]
        var newestRefreshToken: String?
        /// The last request for a redirect URI; its code comes next.
        var requests: [String: SignIn] = [:]
        /// Clients of sessions that began before.
        var byIDToken: [String: String] = [:]
    }

    private let contents = Mutex(Contents())

    func expect(_ signIn: SignIn) { contents.withLock { $0.requests[signIn.redirectURI] = signIn } }

    func request(for redirectURI: String) -> SignIn? { contents.withLock { $0.requests[redirectURI] } }

    func note(code: String, redirectURI: String) {
        contents.withLock {
            $0.byCode[code] = $0.requests[redirectURI]
            $0.newestCode = code
        }
    }

    /// A code that a device asks with.
    func note(code: String, of signIn: SignIn) { contents.withLock { $0.byCode[code] = signIn } }

    /// For providers that do not want it in the request for tokens.
    var newestCode: String? { contents.withLock(\.newestCode) }

    func signIn(code: String) -> SignIn? { contents.withLock { $0.byCode[code] } }
    func signIn(token: String) -> SignIn? { contents.withLock { $0.byToken[token] } }

    /// - Parameter refreshToken: `nil` where none came with it.
    func note(accessToken: String, refreshToken: String?, of signIn: SignIn?) {
        contents.withLock { contents in
            for token in [accessToken, refreshToken].compactMap(\.self) { contents.byToken[token] = signIn }
            contents.refreshTokens[accessToken] = .some(refreshToken)
            contents.newestRefreshToken = refreshToken ?? contents.newestRefreshToken
        }
    }

    /// For providers that renew what they gave last, and are told nothing of it.
    var newestRefreshToken: String? { contents.withLock(\.newestRefreshToken) }

    /// The refresh token that came with an access token, for providers that renew one by the other.
    func refreshToken(with accessToken: String) -> String? {
        contents.withLock { $0.refreshTokens[accessToken].flatMap(\.self) }
    }

    func isIssued(_ accessToken: String) -> Bool {
        contents.withLock { $0.refreshTokens[accessToken] != nil }
    }

    func trust(idToken: String, of client: String) { contents.withLock { $0.byIDToken[idToken] = client } }
    func client(idToken: String) -> String? { contents.withLock { $0.byIDToken[idToken] } }
}
