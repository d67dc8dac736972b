package import OAuthProtocol

package struct IDTokenFacts: Sendable {
    package enum NonceMode: String, Sendable, Hashable, CaseIterable {
        case required
        case whenPresent = "when_present"
        case off
    }

    /// Overrides the issuer to compare with; may read the token's own claims, as multi-tenant providers need.
    package var issuer: DescriptorText?
    /// Audiences that are trusted beside the client; a template may make several, with spaces between, or none.
    package var audiences: [DescriptorText] = []
    package var isRequired: Bool?
    /// Whether an ID token is dropped unread: that of a provider whose tokens are known not to be valid.
    package var isIgnored = false
    package var nonce = NonceMode.required
    /// Seconds.
    package var clockSkew: Int?
    /// Seconds.
    package var maxAge: Int?

    package init() {}
}

/// How the profile is made from the answers.
package struct ClaimsFacts: Sendable {
    package enum Source: String, Sendable, Hashable, CaseIterable {
        case idToken = "id_token"
        case userinfo, token, merge
    }

    /// One place where a member may come from.
    package enum Origin: Sendable {
        case path(ValuePath)
        case template(DescriptorText)
    }

    /// The first origin with a value counts.
    package struct Rule: Sendable {
        package var origins: [Origin]
        package var type: ClaimType?
    }

    package enum ClaimType: String, Sendable, Hashable, CaseIterable {
        case string, boolean, integer, number
        /// Seconds since 1970, from a number of them or a text of RFC 3339.
        case timestamp
        /// The same, from milliseconds since 1970.
        case timestampMilliseconds = "timestamp_ms"
    }

    package var source = Source.merge
    /// In the order written. Empty: the standard claims of OpenID Connect Core §5.1 by their own names.
    package var rules: [(name: String, rule: Rule)] = []

    package init() {}
}

/// Which redirect URIs the provider lets a client register.
package struct RedirectFacts: Sendable, Hashable {
    package var loopbackHosts = ["127.0.0.1"]
    /// Fixed ports; `nil` for any port (RFC 8252 §7.3).
    package var loopbackPorts: [UInt16]?
    /// Whether the file says that any will do, which is otherwise only what RFC 8252 asks of every server.
    package var saysAnyPort = false
    package var loopbackPath = "/callback"
    /// The kinds of redirect URI that a client may register.
    package var kinds: [Kind] = [.loopback]

    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case loopback, scheme, https
    }

    package init() {}
}
