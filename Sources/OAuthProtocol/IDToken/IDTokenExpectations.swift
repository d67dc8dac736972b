/// What an ID token must say to be accepted in this run.
package struct IDTokenExpectations: Sendable, Hashable {
    /// Which request brought the token.
    package enum Origin: Sendable, Hashable {
        /// A code exchange, with the nonce that was sent.
        case code(nonce: Secret?)
        /// The authorization itself, beside a code that the token must name, with the nonce that was sent
        /// (OIDC Core §3.3.2.11).
        case authorization(nonce: Secret)
        /// A refresh, with what the first ID token said; `nil` where it is not known (OIDC Core §12.2).
        ///
        /// The time is in seconds since 1970.
        case refresh(
            issuer: String, subject: String, previousNonce: Secret? = nil, previousAuthTime: Double? = nil,
            previousAudience: PreviousAudience? = nil)
    }

    /// For whom the first ID token was.
    package struct PreviousAudience: Sendable, Hashable {
        package let audiences: [String]
        package let authorizedParty: String?

        package init(audiences: [String], authorizedParty: String?) {
            self.audiences = audiences
            self.authorizedParty = authorizedParty
        }
    }

    /// Whom the ID token of the authorization response was about (OIDC Core §3.3.3.6).
    package struct AnsweredToken: Sendable, Hashable {
        package let issuer: String
        package let subject: String

        package init(issuer: String, subject: String) {
            self.issuer = issuer
            self.subject = subject
        }
    }

    /// The issuers to accept, exact texts with every template expanded.
    package var issuers: [String]
    package var clientID: String
    /// Other audiences that the descriptor trusts beside the client.
    package var additionalAudiences: [String]
    package var origin: Origin
    /// What came with the token, for `at_hash`, `c_hash` and `s_hash`.
    package var accessToken: Secret?
    package var code: Secret?
    package var state: Secret?
    /// `nil` where the authorization response brought no ID token.
    package var answered: AnsweredToken?
    /// In seconds.
    package var maxAge: Int?
    package var acrValues: [String]
    package var expectedSubject: String?
    /// How far clocks may differ; at most `maximumLeeway` counts.
    package var leewaySeconds: Int
    /// Whether the token was verified when it came and only proves who signed in: any leeway counts then.
    package var isStored = false
    package var requiredClaims: [String]
    /// Whether `EncryptedToken.open` took off the encryption that the client registered.
    package var wasEncrypted = false
    /// False for the providers that do not echo a nonce; one that comes is compared all the same.
    package var nonceRequired: Bool

    /// "no more than a few minutes" (RFC 7519 §4.1.4).
    package static let maximumLeeway = 300

    package init(
        issuers: [String], clientID: String, additionalAudiences: [String] = [], origin: Origin,
        accessToken: Secret? = nil, code: Secret? = nil, state: Secret? = nil, maxAge: Int? = nil,
        acrValues: [String] = [],
        expectedSubject: String? = nil, leewaySeconds: Int = 60, requiredClaims: [String] = [],
        nonceRequired: Bool = true
    ) {
        self.issuers = issuers
        self.clientID = clientID
        self.additionalAudiences = additionalAudiences
        self.origin = origin
        self.accessToken = accessToken
        self.code = code
        self.state = state
        self.maxAge = maxAge
        self.acrValues = acrValues
        self.expectedSubject = expectedSubject
        self.leewaySeconds = leewaySeconds
        self.requiredClaims = requiredClaims
        self.nonceRequired = nonceRequired
    }
}
