public import FlowEngine
public import FlowLanguage
internal import OAuthProtocol
public import YAMLText

/// A person's session at a provider, kept for a program: a state to show, and a good access token when one is needed.
///
/// Runs the same flows on the same store as the command, so a program and the command share sessions where they share
/// the folders and the client.
///
/// ```swift
/// let session = try SignInSession(signIn: runner, refresh: refreshFlow, signOut: logoutFlow)
/// let states = session.states  // outside of the task, which else keeps the session
/// Task { for await state in states { show(state) } }
/// if await session.currentSession() == nil { try await session.signIn() }
/// let tokens = try await session.validAccessToken(minimumLifetime: .seconds(60))
/// ```
///
/// Any number of tasks may ask at once: one refreshes, one person is asked, and all have the answer. Other processes
/// are waited for by the locks of the flows, and what a process that died had begun is brought to its end first.
public actor SignInSession {
    private let signIn: FlowRunner
    private let refresh: FlowRunner
    private let signOut: FlowRunner
    /// What it was made with: keeps the sessions of several people or purposes apart.
    public nonisolated let profile: String
    private let board = StateBoard()
    private var signingIn: SharedWork<Result<Session, SignInFailure>>?
    private var signingOut: SharedWork<Result<Bool, SignInFailure>>?
    private var refreshing: [AccessTarget: Refreshing] = [:]
    /// How often flows may have changed the store.
    private var changes = 0
    /// Ends a session that nobody can refresh when its time is over.
    private var expiry: Task<Void, Never>?

    private struct Refreshing {
        let work: SharedWork<Result<FlowResult.Tokens, SignInFailure>>
        /// The life that the token must have left, in milliseconds.
        let lifetime: Int64
    }

    /// - Parameters:
    ///   - runner: Signs a person in; also says provider, client and configuration.
    ///   - refresh: A flow that makes the stored session fresh without a person, with the inputs `min_ttl`, `scopes` and
    ///     `resource` as the shipped one; the last two are only given for an access token of less than everything.
    ///   - signOut: A flow that forgets the session, with the inputs `revoke` and `everywhere` as the shipped one.
    ///   - profile: Keeps the sessions of several people or purposes apart.
    /// - Throws: `file_invalid` with the mistakes of the flows, `hook_failed` as a runner does, `input_invalid` for a flow
    ///   that does not take the inputs it will be given, or needs others.
    public init(
        signIn runner: FlowRunner, refresh: SourceFile, signOut: SourceFile, profile: String = "default"
    ) throws(SignInFailure) {
        // Opened once, for all the flows.
        let shared = runner.keepingStore()
        let flows = [shared, try shared.running(refresh), try shared.running(signOut)]
        try flows[1].checkInputs(Self.inputs(lifetime: 60_000))
        try flows[2].checkInputs(Self.inputs(revoke: true, everywhere: true))
        signIn = flows[0].recovering(flows)
        self.refresh = flows[1].recovering(flows)
        self.signOut = flows[2].recovering(flows)
        self.profile = profile
    }

    private init(_ session: SignInSession, profile: String) {
        (signIn, refresh, signOut) = (session.signIn, session.refresh, session.signOut)
        self.profile = profile
    }

    deinit { expiry?.cancel() }

    /// The session of another profile, with the same flows and configuration: nothing is read or checked once more, so a
    /// server makes that of each visitor from its first.
    public nonisolated func with(profile: String) -> SignInSession { SignInSession(self, profile: profile) }

    private static func inputs(lifetime: Int64) -> [String: Value] { ["min_ttl": .duration(lifetime)] }

    private static func inputs(revoke: Bool, everywhere: Bool) -> [String: Value] {
        ["revoke": .bool(revoke), "everywhere": .bool(everywhere)]
    }

    // MARK: State

    /// The present state and every later one, for any number of observers; each begins with the present state.
    ///
    /// A change by another process is seen when this one next asks for the session or for a token. The sequence does not
    /// keep the session, and ends with it.
    public nonisolated var states: some AsyncSequence<SessionState, Never> & Sendable {
        let states = board.observe()
        if board.current == nil { Task { await currentSession() } }
        return states
    }

    /// The session that is stored now; `nil` when there is none that can be used without a person.
    @discardableResult
    public func currentSession() async -> Session? {
        let read = await readStore()
        // While a person is asked, that is the state.
        guard signingIn == nil else { return read.session }
        switch read {
        case .usable(let stored): publish(.signedIn(stored.session))
        case .unusable: publish(.expired)
        // The flow that found it expired has deleted it.
        case .nothing: publish(board.current == .expired ? .expired : .signedOut)
        case .unreadable(let failure): publish(.error(failure))
        }
        return read.session
    }

    private enum StoreReading {
        case usable(StoredTokens)
        case unusable
        case nothing
        case unreadable(SignInFailure)

        /// Whether there is one, of whatever use.
        var isSession: Bool {
            switch self {
            case .usable, .unusable: true
            case .nothing, .unreadable: false
            }
        }

        var session: Session? {
            if case .usable(let stored) = self { stored.session } else { nil }
        }
    }

    /// What the store holds; never what it held before a flow of this session changed it.
    ///
    /// - Parameter isEssential: Whether the answer is waited for also when this task is cancelled.
    private func readStore(isEssential: Bool = true) async -> StoreReading {
        while true {
            let before = changes
            let reading: StoreReading
            do throws(SignInFailure) {
                let stored = try await signIn.storedTokens(
                    profile: profile, isEssential: isEssential)
                if let stored {
                    let isUsable =
                        stored.session.canRefresh || !stored.isExpired(at: WallClock.now(), margin: 0)
                    reading = isUsable ? .usable(stored) : .unusable
                } else {
                    reading = .nothing
                }
            } catch {
                reading = .unreadable(error)
            }
            if before == changes { return reading }
        }
    }

    private func publish(_ state: SessionState) {
        board.publish(state)
        expiry?.cancel()
        expiry = nil
        guard case .signedIn(let session) = state, !session.canRefresh, let end = session.expiresAt else {
            return
        }
        expiry = Task { [weak self] in
            // Only cancellation ends the sleep early.
            guard (try? await Sleep.until(end)) != nil else { return }
            await self?.currentSession()
        }
    }

    // MARK: Tokens

    /// An access token that is good for so long, refreshed if need be.
    ///
    /// A server that gives shorter lives than that is not asked again and again: what it gives is returned. A sign-out that
    /// is under way is waited for: its session gives no token any more.
    ///
    /// - Parameters:
    ///   - scopes: Some of those that were granted, for a token that can do no more (RFC 6749 §6); `nil` for all.
    ///   - resources: URIs of the resources that the token is for (RFC 8707 §2.2); empty where the provider chooses.
    /// - Throws: A failure of the class `session` when a person must sign in, also for a scope that nobody granted;
    ///   `cancelled` when this task is; else what went wrong, with the session kept.
    public func validAccessToken(
        minimumLifetime: Duration = .seconds(60), scopes: [String]? = nil, resources: [String] = []
    ) async throws(SignInFailure) -> FlowResult.Tokens {
        let target = AccessTarget(scopes: scopes, resources: resources)
        let lifetime = minimumLifetime.milliseconds
        while true {
            try await endOfSignOut()
            let current: Refreshing
            if let refreshing = refreshing[target] {
                current = refreshing
            } else {
                let reading = await readStore(isEssential: false)
                if case .unreadable(let failure) = reading {
                    throw Task.isCancelled ? signIn.cancelled : failure
                }
                // Somebody may have signed out meanwhile.
                if isSigningOut { continue }
                if case .usable(let stored) = reading,
                    !stored.use(target).isExpired(at: WallClock.now(), margin: lifetime)
                {
                    if signingIn == nil { publish(.signedIn(stored.session)) }
                    return stored.use(target).tokens
                }
                // Another task may have begun meanwhile.
                current = refreshing[target] ?? begin(lifetime, target)
            }
            guard let result = await current.work.value() else { throw signIn.cancelled }
            // One that asked for less may have been content with a token that is too old for this one.
            if current.lifetime >= lifetime { return try result.get() }
            if case .failure(let failure) = result { throw failure }
        }
    }

    private func begin(_ lifetime: Int64, _ target: AccessTarget) -> Refreshing {
        // A refresh that has begun is brought to its end, whoever waits: half a rotation loses the session.
        let new = Refreshing(work: SharedWork { await self.renew(lifetime, target) }, lifetime: lifetime)
        refreshing[target] = new
        return new
    }

    private func renew(
        _ lifetime: Int64, _ target: AccessTarget
    ) async -> Result<FlowResult.Tokens, SignInFailure> {
        defer { refreshing[target] = nil }
        var inputs = Self.inputs(lifetime: lifetime)
        if let scopes = target.scopes { inputs["scopes"] = .list(scopes.map(Value.string)) }
        if !target.resources.isEmpty { inputs["resource"] = .list(target.resources.map(Value.string)) }
        let hadSession = await readStore().isSession
        let result: FlowResult
        do throws(SignInFailure) {
            result = try await refresh.run(inputs: inputs, profile: profile)
        } catch {
            return .failure(error)
        }
        changes += 1
        if let failure = result.failure {
            // The flow has deleted a session that is of no more use; one without some scope is of use.
            if !target.isWhole {
                await currentSession()
            } else if failure.failureClass == .session, signingIn == nil {
                publish(hadSession ? .expired : .signedOut)
            }
            return .failure(failure)
        }
        await currentSession()
        guard let tokens = result.tokens else { return .failure(refresh.unsuccessful) }
        return .success(tokens)
    }

    // MARK: Signing in and out

    /// Has a person sign in, unless the stored session will do.
    ///
    /// Several tasks that ask at once share one sign-in; it ends when all of them are cancelled. A sign-out that is under
    /// way is waited for, so that its session is not taken for a good one.
    ///
    /// - Parameters:
    ///   - inputs: Of the flow; those of the first task count.
    ///   - sinks: Receive the redacted events of the run, the address or the code that a person needs among them; those
    ///     of the first task do.
    /// - Throws: What went wrong; `cancelled` when this task is, and when somebody signs out meanwhile.
    @discardableResult
    public func signIn(
        inputs: [String: Value] = [:], sinks: [any TraceSink] = []
    ) async throws(SignInFailure) -> Session {
        try await endOfSignOut()
        while let signingIn, signingIn.isAbandoned {
            await signingIn.end()
            try await endOfSignOut()
        }
        let work =
            signingIn
            ?? SharedWork(endsWithLastWaiter: true) { await self.askPerson(inputs, sinks) }
        signingIn = work
        // One that was signed out of may have come through all the same; what it has stored is forgotten then.
        guard let result = await work.value(), !work.isAbandoned else { throw signIn.cancelled }
        return try result.get()
    }

    private func askPerson(
        _ inputs: [String: Value], _ sinks: [any TraceSink]
    ) async -> Result<Session, SignInFailure> {
        var sinks = sinks
        if case .signedIn = board.current {
            // The stored session may do; then nobody is asked.
            sinks.append(AskingSink(board: board))
        } else {
            publish(.signingIn)
        }
        let outcome: Result<FlowResult, SignInFailure>
        do throws(SignInFailure) {
            outcome = .success(try await signIn.run(inputs: inputs, profile: profile, sinks: sinks))
        } catch {
            outcome = .failure(error)
        }
        signingIn = nil
        changes += 1
        switch outcome {
        case .success(let result) where result.isSuccess:
            if let session = await currentSession() { return .success(session) }
            guard let tokens = result.tokens else { return .failure(signIn.unsuccessful) }
            // A flow that keeps nothing.
            let session = Session(tokens)
            publish(.signedIn(session))
            return .success(session)
        case .success(let result): return await notSignedIn(result.failure ?? signIn.unsuccessful)
        case .failure(let failure): return await notSignedIn(failure)
        }
    }

    private func notSignedIn(_ failure: SignInFailure) async -> Result<Session, SignInFailure> {
        await tell(failure)
        return .failure(failure)
    }

    private func tell(_ failure: SignInFailure) async {
        if failure.failureClass == .cancelled {
            // As if nobody had been asked.
            await currentSession()
        } else {
            publish(.error(failure))
        }
    }

    /// Forgets the session; a sign-in that is under way is ended first, by `cancelled`, and leaves none behind.
    ///
    /// Ends when this task is cancelled, as a run does; what has been revoked by then stays so.
    ///
    /// - Parameters:
    ///   - revoke: Whether the provider is told to revoke the tokens; its trouble is no failure.
    ///   - everywhere: Whether the person is signed out at the provider too, in the browser.
    /// - Returns: Whether the provider has revoked the tokens.
    /// - Throws: What kept the session from being forgotten.
    @discardableResult
    public func signOut(revoke: Bool = true, everywhere: Bool = false) async throws(SignInFailure) -> Bool {
        try await endOfSignOut()
        let work = SharedWork(endsWithLastWaiter: true) {
            await self.forget(Self.inputs(revoke: revoke, everywhere: everywhere))
        }
        signingOut = work
        guard let result = await work.value() else { throw signOut.cancelled }
        return try result.get()
    }

    var isSigningOut: Bool { signingOut != nil }

    /// Waits for a sign-out that is under way, and for each that comes meanwhile.
    ///
    /// - Throws: `cancelled` when this task is.
    private func endOfSignOut() async throws(SignInFailure) {
        while let signingOut {
            guard await signingOut.value() != nil else { throw signOut.cancelled }
        }
    }

    private func forget(_ inputs: [String: Value]) async -> Result<Bool, SignInFailure> {
        defer { signingOut = nil }
        if let signingIn {
            signingIn.abandon()
            await signingIn.end()
        }
        // What a refresh would store after the session was forgotten.
        for refreshing in refreshing.values { await refreshing.work.end() }
        do throws(SignInFailure) {
            let result = try await signOut.run(inputs: inputs, profile: profile)
            changes += 1
            if let failure = result.failure { throw failure }
            publish(.signedOut)
            return .success(result.outputs["revoked"] == .bool(true))
        } catch {
            await tell(error)
            return .failure(error)
        }
    }
}

/// Says that a person is asked, once a run comes to that.
struct AskingSink: TraceSink {
    let board: StateBoard

    func receive(_ event: TraceEvent) {
        guard case .stepStart(let start) = event.body,
            StepKind(rawValue: start.kind)?.asksPerson == true
        else { return }
        board.publish(.signingIn)
    }
}

extension Duration {
    /// Of a life that a token is to have: at least none, at most longer than any has.
    fileprivate var milliseconds: Int64 {
        let bounded = min(max(self, .zero), .seconds(1_000 * 366 * 86_400))
        let (seconds, attoseconds) = bounded.components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}

extension Session {
    fileprivate init(_ tokens: FlowResult.Tokens) {
        self.init(
            subject: tokens.subject, issuer: nil, scopes: tokens.scopes, expiresAt: tokens.expiresAt,
            canRefresh: false)
    }
}
