package import OAuthProtocol
package import JOSE

/// The tokens of one sign-in with what is known about their origin.
///
/// A set remembers where it comes from, so that verifying after a refresh applies OpenID Connect Core §12.2 without
/// any flag. Times are milliseconds since 1970.
///
/// Copies share what they hold until one of them changes: a run hands its sets from step to step, and each has some
/// thirty parts that would be counted.
@dynamicMemberLookup
package struct TokenSet: Sendable {
    package enum Origin: String, Sendable, Hashable {
        case code, refresh, store, device, client, exchange, assertion, http
    }

    /// What a set holds; each part is read and written as one of the set itself.
    package struct Parts: Sendable {
        package var origin: Origin
        package var issuer: String?
        package var clientID: String
        package var accessToken: Secret
        package var tokenType: String
        package var expiresAt: Int64?
        /// How long the access token in use was good when it came, in milliseconds; `nil` where nobody knows.
        package var lifetime: Int64?
        package var refreshToken: Secret?
        /// `nil` when the server did not say, as most do not.
        package var refreshExpiresAt: Int64?
        /// Whether the refresh token was sent by a run that never learned what became of it: it is not sent again.
        package var isInDoubt = false
        package var idToken: Secret?
        /// The verified ID token of an earlier answer, where the last one brought none.
        package var earlierIDToken: Secret?
        /// Of the access token in use.
        package var scopes: [String]
        /// What a refresh may ask for; `nil` where the access token in use stands for all of it.
        package var grantedScopes: [String]?
        /// What the access token in use was asked for.
        package var target = AccessTarget.whole
        /// The other access tokens of the session, of other targets.
        package var held: [HeldToken] = []
        /// Whom the tokens speak for: from a verified ID token, from the store, from the provider's profile, or
        /// from an answer that a flow has looked into.
        package var subject: String?
        /// Whether the subject is no more than what an `http` step found in an answer: no check of the engine has met it.
        package var isSubjectAsserted = false
        /// `iss` of the verified ID token; a multi-tenant provider's differs from `issuer`.
        package var tokenIssuer: String?
        /// What the authorization request demanded; `nil` after a refresh.
        package var nonce: Secret?
        package var maxAge: Int?
        /// The code that was redeemed, for `c_hash`; gone once the ID token is verified.
        package var code: Secret?
        /// Whom the ID token that came beside the code was about (OIDC Core §3.3.3.6); gone then too.
        package var answered: IDTokenExpectations.AnsweredToken?
        /// The `state` that came with it, for `s_hash`; gone then too.
        package var state: Secret?
        /// Levels of authentication one of which was asked for as essential (OIDC Core §5.5.1.1).
        package var essentialLevels: [String] = []
        package var authTime: Int64?
        package var acr: String?
        /// For whom the verified ID token was: a later one must not be for others (OIDC Core §12.2).
        package var audiences: [String] = []
        package var authorizedParty: String?
        package var obtainedAt: Int64
        package var refreshedAt: Int64?
        /// Further members of the token response, such as user data that some providers put there.
        package var members: JSONObject = [:]
        /// What was captured of the authorization response; nobody vouches for it.
        package var captured: JSONObject = [:]
        /// Further token sets of the same answer, by the descriptor's names: the JSON of each.
        package var others: [String: Secret] = [:]
        /// The members that the descriptor keeps with the session.
        package var kept: JSONObject = [:]
        /// What the step that stored the session noted with it.
        package var meta: JSONObject = [:]

        /// The private key that the access token is bound to (RFC 9449 §6); `nil` for a bearer token.
        package var proofKey: Secret?
        /// The claims of the ID token once it is verified in this run.
        package var claims: JSONObject?
        /// Where the provider files of its sign-in and of later saves have secrets sent; `nil` until it was stored.
        package var destinations: Set<String>?
        /// Where the set lies in the store; `nil` until it was restored or stored.
        package var stored: StoredPlace?
    }

    /// The row of a stored set and the generation that was read or written last.
    package struct StoredPlace: Sendable, Hashable {
        package var key: SessionKey
        package var generation: Int64
        /// The `key` of the step that stored it.
        package var name: String?

        package init(key: SessionKey, generation: Int64, name: String? = nil) {
            self.key = key
            self.generation = generation
            self.name = name
        }
    }

    private final class Shared: @unchecked Sendable {  // changed only while one set alone refers to it
        var parts: Parts

        init(_ parts: Parts) { self.parts = parts }
    }

    private var shared: Shared

    package init(_ parts: Parts) { shared = Shared(parts) }

    package subscript<Part>(dynamicMember path: WritableKeyPath<Parts, Part>) -> Part {
        @inline(__always) get { shared.parts[keyPath: path] }
        @inline(__always) set {
            if !isKnownUniquelyReferenced(&shared) { shared = Shared(shared.parts) }
            shared.parts[keyPath: path] = newValue
        }
    }
}

extension TokenSet {
    /// What no text may show.
    package var secrets: [Secret] {
        var secrets: [Secret] = []
        secrets.reserveCapacity(5 + self.held.count)
        if hasAccessToken { secrets.append(self.accessToken) }
        for token in self.held { secrets.append(token.accessToken) }
        for case let secret? in [self.refreshToken, self.idToken, self.earlierIDToken, self.proofKey] {
            secrets.append(secret)
        }
        if !self.kept.isEmpty { secrets += AnswerScreen.secrets(amongFurther: self.kept) }
        return secrets
    }

    /// The scopes of the grant.
    package var granted: [String] { self.grantedScopes ?? self.scopes }

    /// Whether the access token may be shown to a resource: what an exchange issues need be none (RFC 8693 §2.2.1).
    ///
    /// One that is bound to a key goes with a proof (RFC 9449 §7.1).
    package var isPresentable: Bool {
        self.tokenType.equalsIgnoringASCIICase(self.proofKey == nil ? "Bearer" : DPoPProof.scheme)
    }

    /// Whether the refresh token is past the time that the server gave it.
    package func isRefreshOver(at now: Int64) -> Bool { self.refreshExpiresAt.map { now >= $0 } ?? false }

    /// Whether the access token is past its time, or will be within `margin` milliseconds.
    ///
    /// - Returns: `false` when the server named no lifetime (RFC 6749 §5.1).
    package func isExpired(at now: Int64, margin: Int64) -> Bool {
        guard let expiresAt = self.expiresAt else { return false }
        let (end, isEndless) = expiresAt.subtractingReportingOverflow(margin)
        return !isEndless && now >= end
    }

    /// The life that the access token in use must have left where nobody demands more or less, in milliseconds.
    ///
    /// At most half of what it came with: one of five minutes that had to have five left would be no good to anybody.
    ///
    /// - Parameter early: As the provider's file says; `nil` where it does not.
    package func usualMargin(early: Int64?) -> Int64 {
        guard let lifetime = self.lifetime else { return early ?? 30_000 }
        return min(early ?? 300_000, max(0, lifetime / 2))
    }
}
