public import FlowEngine
public import FlowLanguage
public import OAuthProtocol

/// How a flow ended for the embedding program.
public struct FlowResult: Sendable {
    /// Name of the end that was reached.
    public let end: String
    /// Public message of the end, or of the engine's failure.
    public let message: String?
    /// Why the sign-in did not succeed; `nil` for a success.
    public let failure: SignInFailure?
    /// Those of the end, by name; `Value.text` is the text of one.
    public let outputs: [String: Value]
    /// The tokens of the flow's set `main`; `nil` when the run ended without any, or without success.
    public var tokens: Tokens? { tokenSets["main"] }
    /// The tokens of every set that has some at the end, by its name: what steps put `into` one. Empty without success:
    /// nobody vouches for what a run still held when it failed, and what it has stored is in the store.
    public let tokenSets: [String: Tokens]

    /// Whether the flow came to an end of success.
    public var isSuccess: Bool { failure == nil }

    /// What a program needs to call APIs.
    public struct Tokens: Sendable {
        /// Of a request to an API, for which `headerFields` says how it bears the token; `reveal()` gives it in clear.
        public let accessToken: Secret
        /// `Bearer`, or `DPoP` for a token that is bound to a key (RFC 6749 §7.1).
        public let tokenType: String
        /// Milliseconds since 1970; `nil` when the server named no lifetime.
        public let expiresAt: Int64?
        /// What was granted (RFC 6749 §5.1), in the order of the server; what was asked for where it named none.
        public let scopes: [String]
        /// Whom the tokens speak for, as the provider names them; `nil` where it does not, as with plain OAuth 2.0.
        public let subject: String?
        /// The last ID token, for a service that looks at who signed in to this client, such as a program's own server (OIDC
        /// Core §2), which verifies it: one that an `http` step found in an answer, no check of the engine may have met. A
        /// refresh need not bring another: its `exp` may be past while the access token is good. As the provider sent it;
        /// `nil` where there is none.
        public let idToken: Secret?
        /// The private key that the access token is bound to (RFC 9449 §6); `nil` for a bearer token.
        private(set) var proofKey: Secret?

        /// Some for what a program does with tokens, in its own tests.
        public init(
            accessToken: Secret, tokenType: String = "Bearer", expiresAt: Int64? = nil, scopes: [String] = [],
            subject: String? = nil, idToken: Secret? = nil
        ) {
            self.accessToken = accessToken
            self.tokenType = tokenType
            self.expiresAt = expiresAt
            self.scopes = scopes
            self.subject = subject
            self.idToken = idToken
        }
    }

    /// One that no run brought about, for what a program does with results, in its own tests and previews.
    ///
    /// - Parameters:
    ///   - end: As the flow names it: `signed_in` is the success of the shipped `login`.
    ///   - failure: `nil` for a success, else such as `SignInFailure(code: "access_denied")`.
    ///   - outputs: Those that the end declares.
    ///   - tokens: Those of the set `main`; as in a run none count beside a failure.
    ///   - others: Those of other sets, by name; neither do they.
    public init(
        end: String, message: String? = nil, failure: SignInFailure? = nil, outputs: [String: Value] = [:],
        tokens: Tokens? = nil, others: [String: Tokens] = [:]
    ) {
        self.end = end
        self.message = message
        self.failure = failure
        self.outputs = outputs
        var sets = others
        if let tokens { sets["main"] = tokens }
        tokenSets = failure == nil ? sets : [:]
    }

    init(_ outcome: RunOutcome, _ texts: FailureTexts) {
        end = outcome.end.name
        message = outcome.end.error?.message ?? outcome.end.message
        failure = outcome.failure(texts)
        outputs = Dictionary(outcome.end.outputs.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        let sets = zip(outcome.plan.program.tokenSets, outcome.isSuccess ? outcome.tokens : [])
        tokenSets = Dictionary(
            sets.compactMap { row, tokens in tokens.map { (row.name, Tokens($0)) } }, uniquingKeysWith: { $1 }
        )
    }
}

extension FlowResult.Tokens {
    init(_ set: TokenSet) {
        self.init(
            accessToken: set.accessToken, tokenType: set.tokenType, expiresAt: set.expiresAt,
            scopes: set.scopes, subject: set.subject, idToken: set.idToken ?? set.earlierIDToken)
        proofKey = set.proofKey
    }
}
