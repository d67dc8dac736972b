public import FlowEngine
public import FlowLanguage
public import OAuthProtocol

/// Signs in visitors of a web server of which several instances run, or which is started anew meanwhile: while a visitor
/// is at the provider, the run is in a ticket that the server keeps for them, and nowhere else.
///
/// ```swift
/// let signIn = try PortableSignIn(runner, redirectURI: "https://app.example/callback", keys: [key])
/// switch try await signIn.begin(profile: visitor) {                // GET /login
/// case .redirect(let url, let ticket): keep(ticket); redirect(to: url)
/// case .ended(let result): welcome(result)                         // a stored session was good enough
/// }
/// switch try await signIn.answer(with: requestURL, to: ticket) {   // GET /callback, at any instance
/// case .redirect(let url, let ticket): keep(ticket); redirect(to: url)
/// case .ended(let result): welcome(result)
/// }
/// ```
///
/// A ticket belongs where the cookie of that browser alone finds it (RFC 6749 §10.12), and is good for one answer: it is to be
/// taken out as it is read, since a code that is sent twice may cost the tokens of the first time (§4.1.2).
public struct PortableSignIn: Sendable {
    /// What the browser is to be told.
    public enum Turn: Sendable {
        /// To go there, as by status 303. The address holds `state`, so it is for no log.
        case redirect(to: String, ticket: SignInTicket)
        /// Nothing more: the run is over, by a success or not.
        case ended(FlowResult)
    }

    private let runner: FlowRunner
    private let redirectURI: String
    private let seal: TicketSeal

    /// - Parameters:
    ///   - runner: The same flow, provider and client at every instance: a ticket is good for no other.
    ///   - redirectURI: Of the server's route, as it is registered with the provider.
    ///   - keys: Texts of at least 32 random bytes, such as `openssl rand -base64 32` prints. The first seals tickets, each
    ///     opens them, so that a new key takes the place of an old one while visitors are under way.
    /// - Throws: `setup_failed` where there is no key, or one that is too short, and for what can be no redirect URI.
    public init(_ runner: FlowRunner, redirectURI: String, keys: [Secret]) throws(SignInFailure) {
        if let problem = LiveSetupError(redirectURI: redirectURI) { throw runner.failure(problem) }
        guard let seal = TicketSeal(keys) else {
            throw runner.failure(
                LiveSetupError(
                    keys.isEmpty ? "there is none" : "one has fewer than 32 bytes",
                    error: "unusable_ticket_key"))
        }
        self.runner = runner
        self.redirectURI = redirectURI
        self.seal = seal
    }

    /// Begins a sign-in.
    ///
    /// - Parameters:
    ///   - inputs: By name; those left out take the flow's defaults.
    ///   - profile: Keeps the visitors' sessions apart in the store.
    ///   - sinks: Receive the redacted events of the run as far as it gets.
    ///   - occasion: Whether of every run, or only of one that did not succeed; one that waits is neither.
    /// - Throws: What keeps a run from beginning, as `FlowRunner.run` does.
    public func begin(
        inputs: [String: Value] = [:], profile: String, sinks: [any TraceSink] = [],
        tracing occasion: TraceOccasion = .always
    ) async throws(SignInFailure) -> Turn {
        let page = PageForLater(redirectURI: redirectURI, answer: nil)
        let stretch = try await runner.stretch(
            .new(inputs: inputs, profile: profile), presenter: page, sinks: sinks, tracing: occasion)
        return try turn(stretch, page)
    }

    /// Goes on with a sign-in.
    ///
    /// The address is checked like any other answer, and is the only one: a wrong one ends the run.
    ///
    /// - Parameters:
    ///   - address: That the browser came back to, whole, or its query alone; of an answer by `form_post` the body.
    ///   - ticket: `SignInTicket.text` of the last turn.
    /// - Throws: `ticket_invalid` for a ticket that none of the keys opens, or that another flow, provider or client than
    ///   the runner's has begun; what keeps a run from beginning.
    public func answer(
        with address: String, to ticket: String, sinks: [any TraceSink] = [],
        tracing occasion: TraceOccasion = .always
    ) async throws(SignInFailure) -> Turn {
        guard let entries = seal.open(ticket) else { throw runner.failure(FailureCode.ticketInvalid, nil) }
        let page = PageForLater(redirectURI: redirectURI, answer: Secret(address, kind: .code))
        let stretch = try await runner.stretch(
            .again(entries), presenter: page, sinks: sinks, tracing: occasion)
        return try turn(stretch, page)
    }

    private func turn(_ stretch: FlowRunner.Stretch, _ page: PageForLater) throws(SignInFailure) -> Turn {
        guard stretch.isPutAside, let url = page.url else { return .ended(stretch.result) }
        guard let text = seal.seal(stretch.journal.entries) else {
            throw runner.failure(FailureCode.setupFailed, "the ticket cannot be sealed")
        }
        return .redirect(
            to: url, ticket: SignInTicket(text: text, expiresAt: stretch.journal.waitsUntil ?? 0))
    }
}

extension PortableSignIn.Turn: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says where to, without what is for no log: the query, and the ticket.
    public var description: String {
        switch self {
        case .redirect(let url, _): "‹redirect to \(BrowserPage.place(url))›"
        case .ended(let result): "ended(\(result))"
        }
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror {
        switch self {
        case .redirect: Mirror(self, children: [], displayStyle: .enum)
        case .ended(let result): Mirror(self, children: ["ended": result], displayStyle: .enum)
        }
    }
}
