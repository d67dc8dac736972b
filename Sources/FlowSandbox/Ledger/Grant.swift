/// What one person allowed one client; every code and token descends from one grant and dies with it.
struct Grant: Sendable, Hashable {
    let id: String
    let clientID: String
    /// The user's name to sign in with, not `sub`.
    let username: String
    let scopes: [String]
    let nonce: String?
    let acr: String?
    /// Seconds since 1970.
    let authenticatedAt: Int64

    /// Whether it comes with a refresh token (OIDC Core §11).
    var isOffline: Bool { scopes.contains(Scope.offlineAccess) }
}

/// An authorization request that waits for the person in front of the page.
struct PendingAuthorization: Sendable, Hashable {
    let request: AcceptedRequest
    /// Proves that a form was made by the sandbox for this request.
    let formToken: String
    /// Seconds since 1970.
    let expiresAt: Int64
    /// Who has signed in, once somebody has, and when in seconds since 1970.
    var signedIn: SignIn?

    struct SignIn: Sendable, Hashable {
        let username: String
        let time: Int64
    }
}

/// What an authorization code stands for.
struct CodeRecord: Sendable, Hashable {
    let grant: Grant
    let redirectURI: String
    let codeChallenge: String
    /// Seconds since 1970.
    let expiresAt: Int64
    var isSpent = false
}

struct AccessRecord: Sendable, Hashable {
    let grantID: String
    let scopes: [String]
    /// Milliseconds since 1970, so that a lifetime of one second is one.
    let expiresAt: Int64
}

struct RefreshRecord: Sendable, Hashable {
    let grantID: String
    var isSpent = false
}

/// A device that waits for a person to enter its code (RFC 8628).
struct DeviceRecord: Sendable, Hashable {
    enum Decision: Sendable, Hashable {
        case pending, refused
        case allowed(PendingAuthorization.SignIn)
    }

    let userCode: String
    let clientID: String
    let scopes: [String]
    /// Seconds since 1970.
    let expiresAt: Int64
    /// Seconds between two questions.
    var interval: Int64
    /// Milliseconds since 1970.
    var polledAt: Int64?
    var decision = Decision.pending
}
