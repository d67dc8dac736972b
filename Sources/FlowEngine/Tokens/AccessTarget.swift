package import OAuthProtocol

/// What an access token was asked for: what tells the access tokens of one session apart.
///
/// The session itself is one grant of one person to one client. Its refresh token brings any number of access tokens
/// beside the first, for less than all scopes (RFC 6749 §6) or for one resource of several (RFC 8707 §2.2).
package struct AccessTarget: Sendable, Hashable {
    /// The scopes that the request was narrowed to, each once and sorted; `nil` for all that was granted.
    package let scopes: [String]?
    /// Resource indicators, each once and sorted; empty where the provider chooses.
    package let resources: [String]

    package init(scopes: [String]? = nil, resources: [String] = []) {
        // No request can ask for none (RFC 6749 §3.3).
        self.scopes = scopes.flatMap { $0.isEmpty ? nil : Set($0).sorted() }
        self.resources = Set(resources).sorted()
    }

    /// All that was granted, at no resource in particular: what a sign-in brings.
    package static let whole = AccessTarget()

    package var isWhole: Bool { self == .whole }
}

/// An access token that a session has beside the one in use.
package struct HeldToken: Sendable {
    package let target: AccessTarget
    package let accessToken: Secret
    package let tokenType: String
    /// Milliseconds since 1970; `nil` when the server named no lifetime.
    package let expiresAt: Int64?
    /// How long it was good when it came, in milliseconds; `nil` where nobody knows.
    package var lifetime: Int64?
    package let scopes: [String]
}

extension TokenSet {
    /// How many access tokens a session keeps beside the one in use.
    private static let mostHeld = 16

    /// Whether there is an access token at all: there is none for a target that was never asked for.
    package var hasAccessToken: Bool { !self.accessToken.reveal().isEmpty }

    /// Every access token of the session, the one in use first.
    package var accessTokens: [HeldToken] { (inUse.map { [$0] } ?? []) + self.held }

    private var inUse: HeldToken? {
        guard hasAccessToken else { return nil }
        return HeldToken(
            target: self.target, accessToken: self.accessToken, tokenType: self.tokenType,
            expiresAt: self.expiresAt, lifetime: self.lifetime, scopes: self.scopes)
    }

    /// Takes the access token for that target into use; one that the session does not have counts as expired.
    package mutating func use(_ target: AccessTarget) {
        guard target != self.target else { return }
        self.grantedScopes = granted
        let others = accessTokens
        let found = others.first { $0.target == target }
        self.target = target
        self.accessToken = found?.accessToken ?? Secret("", kind: .accessToken)
        self.tokenType = found?.tokenType ?? self.tokenType
        self.expiresAt = found.map(\.expiresAt) ?? 0
        self.lifetime = found?.lifetime
        self.scopes = found?.scopes ?? target.scopes ?? granted
        self.held = others.filter { $0.target != target }
    }

    /// Forgets the access tokens beside the one in use that are past their time, then those that end first.
    mutating func dropStaleTokens(now: Int64) {
        var held = self.held.filter { $0.expiresAt.map { $0 > now } ?? true }
        if held.count > Self.mostHeld {
            held.sort { ($0.expiresAt ?? .max) > ($1.expiresAt ?? .max) }
            held.removeLast(held.count - Self.mostHeld)
        }
        self.held = held
    }
}
