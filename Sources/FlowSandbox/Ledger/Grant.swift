internal import JOSE

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
    /// The key that the refresh tokens of a public client are bound to (RFC 9449 §5).
    var refreshKey: String?
    /// Services that the tokens may be for; empty for any (RFC 8707 §2.2).
    var resources: [String] = []
    /// RFC 9396.
    var details: [JSONObject] = []
    var claims = WantedClaims()

    /// Whether it comes with a refresh token (OIDC Core §11).
    var isOffline: Bool { scopes.contains(Scope.offlineAccess) }
}

/// Names of claims that were asked for one by one (OIDC Core §5.5).
struct WantedClaims: Sendable, Hashable {
    var idToken: [String] = []
    var userInfo: [String] = []
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
    /// The key that must be proved to be held by whoever redeems it (RFC 9449 §10).
    let key: String?
    /// Seconds since 1970.
    let expiresAt: Int64
    var isSpent = false
}

/// An authorization request that a client pushed and a browser is to bring (RFC 9126).
struct PushedRecord: Sendable, Hashable {
    let request: AcceptedRequest
    /// Seconds since 1970.
    let expiresAt: Int64
}

struct AccessRecord: Sendable, Hashable {
    let grantID: String
    let scopes: [String]
    /// Milliseconds since 1970, so that a lifetime of one second is one.
    let expiresAt: Int64
    /// The thumbprint of the key that it is bound to (RFC 9449 §6).
    var key: String?
    /// Services that it is for; empty for any.
    var resources: [String] = []
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
    /// `nil` for a device that sent none.
    let codeChallenge: String?
    /// Seconds since 1970.
    let expiresAt: Int64
    /// Seconds between two questions.
    var interval: Int64
    /// Milliseconds since 1970.
    var polledAt: Int64?
    var decision = Decision.pending
}
