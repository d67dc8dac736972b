package import JOSE
package import OAuthProtocol

/// What a sandbox is: its issuer, who may use it, who can sign in, and what goes wrong on purpose.
package struct SandboxConfiguration: Sendable {
    /// How the authorization endpoint answers.
    package enum Mode: String, Sendable, Hashable, CaseIterable {
        /// With a page on which a person signs in or cancels.
        case page
        /// At once, with a code for the user whom `login_hint` names, else for the first.
        case automatic
    }

    /// As in `http://127.0.0.1:8400`: an absolute URL.
    package var issuer: String
    package var clients: [SandboxClient]
    /// At least one; the first is preselected on the page.
    package var users = SandboxUser.standard
    package var lifetimes: SandboxLifetimes
    /// Signs ID tokens; the key set always holds one key of each algorithm.
    package var algorithm: SigningAlgorithm
    package var mode: Mode
    package var faults: [Fault]
    /// Whether scopes that the sandbox does not know are granted too, instead of refused as `invalid_scope`.
    package var acceptsOtherScopes = false
    /// Whether a client that nobody has registered may ask too, without a secret and with any redirect URI.
    package var takesAnyClient = false
    /// Whether access tokens are JWTs that say when they end (RFC 9068 §2.2); nobody can verify them.
    package var writesAccessTokensAsJWT = false
    /// Claims of every ID token beside those of the protocol.
    package var furtherClaims: JSONObject = [:]
    /// Whether authorization requests must be pushed (RFC 9126 §5).
    package var requiresPushedRequests = false
    /// Whether every proof must hold the newest nonce (RFC 9449 §8).
    package var demandsDPoPNonce = false
    /// The types of authorization details that can be granted (RFC 9396 §10).
    package var authorizationDetailsTypes = ["account_information", "payment_initiation"]
    /// Without it anybody on this machine may register a client (RFC 7591 §3).
    package var initialAccessToken: Secret?

    package init(
        issuer: String, clients: [SandboxClient] = SandboxClient.standard,
        lifetimes: SandboxLifetimes = SandboxLifetimes(), algorithm: SigningAlgorithm = .rs256,
        mode: Mode = .page, faults: [Fault] = []
    ) {
        self.issuer = issuer
        self.clients = clients
        self.lifetimes = lifetimes
        self.algorithm = algorithm
        self.mode = mode
        self.faults = faults
    }

    /// Where its addresses begin.
    var base: String { issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer }

    /// How a browser names where its pages are from (RFC 6454 §6).
    var origin: String {
        guard let host = issuer.firstRange(of: "://")?.upperBound else { return issuer }
        return String(issuer[..<host]) + issuer[host...].prefix { $0 != "/" }
    }

    func user(_ username: String) -> SandboxUser? { users.first { $0.username.hasBytes(of: username) } }
}

/// How long what the sandbox issues is good for, in seconds.
package struct SandboxLifetimes: Sendable, Hashable {
    package var accessToken: Int64 = 3600
    package var idToken: Int64 = 3600
    /// RFC 6749 §4.1.2 recommends ten minutes at most; a client needs far less.
    package var code: Int64 = 60
    /// How long the page waits for a person.
    package var page: Int64 = 600
    /// How long a device's code can be entered, and how often the device may ask.
    package var deviceCode: Int64 = 600
    package var pollInterval: Int64
    /// How long a pushed request waits for the browser (RFC 9126 §2.2).
    package var pushedRequest: Int64 = 60

    package init(pollInterval: Int64 = 5) { self.pollInterval = pollInterval }
}

extension String {
    /// Whether both strings are the same bytes, without Unicode normalisation (RFC 6749 §3.1.2.3).
    func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
