public import FlowEngine
public import FlowLanguage
internal import OAuthProtocol
internal import Synchronization

/// Signs in a visitor of a web server, whose own routes send the browser to the provider and take the answer.
///
/// ```swift
/// let visit = WebSignIn(runner, redirectURI: "https://app.example/callback", profile: visitor)
/// switch try await visit.next() {                    // GET /login
/// case .redirect(let url): redirect(to: url)
/// case .ended(let result): welcome(result)           // a stored session was good enough
/// }
/// switch try await visit.answer(with: requestURL) {  // GET /callback
/// case .redirect(let url): redirect(to: url)         // the flow needs the person once more
/// case .ended(let result): welcome(result)
/// }
/// ```
///
/// One for each sign-in, kept where a cookie of that browser alone finds it: an answer that another browser brings is
/// somebody else's (RFC 6749 §10.12). The run goes on for as long as somebody holds it, at most as long as the flow allows.
public final class WebSignIn: Sendable {
    /// What the browser is to be told.
    public enum Turn: Sendable {
        /// To go there, as by status 303. The address holds `state`, so it is for no log.
        case redirect(to: String)
        /// Nothing more: the run is over, by a success or not.
        case ended(FlowResult)
    }

    private let visitor: Visitor
    private let run: Task<Void, Never>

    /// Begins the run.
    ///
    /// - Parameters:
    ///   - redirectURI: Of the server's route, as it is registered with the provider.
    ///   - profile: Keeps the visitors' sessions apart in the store.
    ///   - sinks: Receive the redacted events of the run.
    ///   - occasion: Whether of every run, or only of one that did not succeed.
    public init(
        _ runner: FlowRunner, redirectURI: String, inputs: [String: Value] = [:], profile: String,
        sinks: [any TraceSink] = [], tracing occasion: TraceOccasion = .always
    ) {
        let visitor = Visitor(redirectURI, cancelled: runner.cancelled)
        self.visitor = visitor
        run = Task {
            do throws(SignInFailure) {
                let result = try await runner.run(
                    inputs: inputs, profile: profile, presenter: visitor, sinks: sinks, tracing: occasion)
                await visitor.end(.success(.ended(result)))
            } catch {
                await visitor.end(.failure(error))
            }
        }
    }

    deinit { run.cancel() }

    /// What the browser is to be told, once the run knows it.
    ///
    /// - Throws: What keeps a run from beginning, as `FlowRunner.run` does; `cancelled` when this task is, while the run
    ///   goes on.
    public func next() async throws(SignInFailure) -> Turn { try await visitor.next().get() }

    /// Takes the address that the browser came back to.
    ///
    /// It is checked like any other answer, and is the only one: a wrong one ends the run. Where no answer is waited for,
    /// as when somebody loads the page again, it is told what came of the first.
    ///
    /// - Parameter address: Whole, or its query alone; of an answer by `form_post` the body.
    /// - Throws: What keeps a run from beginning; `cancelled` when this task is, while the run goes on with the answer.
    public func answer(with address: String) async throws(SignInFailure) -> Turn {
        try await visitor.answer(Secret(address, kind: .code)).get()
    }

    /// Whether nothing more will come of it: another sign-in of this visitor needs another one.
    public var isOver: Bool { visitor.isOver.load(ordering: .acquiring) }

    /// Ends the run through the flow's end `cancelled`. Whoever asks from now on is sent nowhere, and told how it ended.
    public func cancel() {
        visitor.isCancelled.store(true, ordering: .releasing)
        run.cancel()
    }
}

extension WebSignIn.Turn: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says where to, without what is for no log: the query.
    public var description: String {
        switch self {
        case .redirect(let url): "‹redirect to \(BrowserPage.place(url))›"
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

/// The browser as the run sees it.
private actor Visitor: BrowserPresenter {
    nonisolated let redirectURI: String?
    nonisolated let isOver = Atomic(false)
    /// From then on nobody is sent anywhere.
    nonisolated let isCancelled = Atomic(false)
    /// What the browser is to be told; `nil` while the run is at work.
    private var turn: Result<WebSignIn.Turn, SignInFailure>?
    private var waiting: [FirstValue<Result<WebSignIn.Turn, SignInFailure>>] = []
    /// What the run waits for.
    private var page: FirstValue<BrowserAnswer>?

    /// For a request that is given up.
    private let cancelled: SignInFailure

    init(_ redirectURI: String, cancelled: SignInFailure) {
        self.redirectURI = redirectURI
        self.cancelled = cancelled
    }

    // MARK: The run

    func present(_ page: BrowserPage) async -> BrowserPresentation {
        let answer = FirstValue<BrowserAnswer>()
        self.page = answer
        if !isEnding { tell(.success(.redirect(to: page.url))) }
        return .session { await answer.value() ?? .closed }
    }

    func dismiss() async { page = nil }

    func end(_ result: Result<WebSignIn.Turn, SignInFailure>) {
        page = nil
        isOver.store(true, ordering: .releasing)
        tell(result)
    }

    private func tell(_ turn: Result<WebSignIn.Turn, SignInFailure>) {
        self.turn = turn
        for request in waiting { request.set(turn) }
        waiting = []
    }

    // MARK: The routes

    private var isEnding: Bool { isCancelled.load(ordering: .acquiring) }

    func next() async -> Result<WebSignIn.Turn, SignInFailure> {
        if let turn, !isEnding || isOver.load(ordering: .acquiring) { return turn }
        let request = FirstValue<Result<WebSignIn.Turn, SignInFailure>>()
        waiting.append(request)
        if let turn = await request.value() { return turn }
        waiting.removeAll { $0 === request }
        return .failure(cancelled)
    }

    func answer(_ address: Secret) async -> Result<WebSignIn.Turn, SignInFailure> {
        if let page {
            self.page = nil
            turn = nil
            page.set(.callback(address))
        }
        return await next()
    }
}
