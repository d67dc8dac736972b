public import FlowEngine
public import FlowLanguage
public import OAuthProtocol
public import YAMLText

/// Runs sign-in flows for a Swift program: flow and provider from YAML, everything else from the caller.
///
/// ```swift
/// let runner = try FlowRunner(
///     flow: SourceFile(path: "login.flow.yaml", text: flowText),
///     provider: SourceFile(path: "acme.yaml", text: providerText),
///     client: ClientRegistration(clientID: "my-app"),
///     configuration: LiveConfiguration(
///         storeDirectory: "/home/me/.local/share/my-app", stateDirectory: "/home/me/.local/state/my-app",
///         environment: ProcessInfo.processInfo.environment))  // without it there is no display to open a browser on
/// let result = try await runner.run(inputs: ["login_hint": "ada@example.com"])
/// print(result.end, result.outputs["subject"]?.text ?? "nobody")
/// ```
///
/// Immutable; several runs may be under way at once. They share what is known of the provider, and `events` of the
/// configuration: an event is for whichever run waits for its name.
public struct FlowRunner: Sendable {
    /// What its runs share; each has its own inputs and profile.
    private var common: RunPlan
    private let given: FlowProviders
    private var configuration: LiveConfiguration
    /// As the host has given it.
    private let programs: String?
    private let sources: FlowSources
    private let texts: FailureTexts
    /// Metadata and keys of the providers, for all runs.
    private let documents: DocumentCache
    private let ground = CommonGround()

    /// Reads and checks both files, holds the flow against the provider, and binds them to the client.
    ///
    /// - Parameters:
    ///   - variables: Values of the descriptor's `variables`, and `secrets` of those that are secret.
    ///   - environment: One of the descriptor's `environments`.
    ///   - parent: The file of the descriptor that this one `extends`, by its id.
    ///   - directory: Where relative programs of hooks and ports start; `nil` for the folder of the flow's path.
    ///   - sources: Finds the flows that this one runs as steps or imports.
    ///   - texts: What failures tell a person, in the language of the program.
    /// - Throws: `file_invalid` with every mistake of both files and of the variables, and with what the flow asks of
    ///   the provider that it does not have; also for a flow with several providers. `hook_failed` where a hook whose
    ///   failure would end the run lacks its closure in `configuration.hooks`, or the key of its server in
    ///   `configuration.environment`.
    public init(
        flow: SourceFile, provider: SourceFile, client: ClientRegistration, variables: [String: String] = [:],
        secrets: [String: Secret] = [:], environment: String? = nil, configuration: LiveConfiguration,
        directory: String? = nil, sources: FlowSources = .none, texts: FailureTexts = .english,
        parent: (String) -> SourceFile? = { _ in nil }
    ) throws(SignInFailure) {
        let provider = FlowProvider(
            provider, client: client, variables: variables, secrets: secrets, environment: environment,
            parent: parent)
        try self.init(
            flow: flow, providers: ["": provider], configuration: configuration, directory: directory,
            sources: sources, texts: texts)
    }

    /// Reads and checks a flow with several providers.
    ///
    /// - Parameters:
    ///   - providers: By the aliases of the flow; a single one may have any name.
    ///   - directory: Where relative programs of hooks and ports start; `nil` for the folder of the flow's path.
    ///   - sources: Finds the flows that this one runs as steps or imports.
    ///   - texts: What failures tell a person, in the language of the program.
    /// - Throws: `file_invalid` with every mistake of the files and of the variables, with what the flow asks of the
    ///   providers that they do not have, for an alias without a provider, and for a provider
    ///   under an alias that the flow does not have. `hook_failed` as above.
    public init(
        flow: SourceFile, providers: [String: FlowProvider], configuration: LiveConfiguration,
        directory: String? = nil, sources: FlowSources = .none, texts: FailureTexts = .english
    ) throws(SignInFailure) {
        let compilation = FlowCompiler.compile(flow, sources: sources)
        given = try FlowProviders(providers, after: compilation.diagnostics, texts)
        guard let program = compilation.program else {
            throw SignInFailure(files: compilation.diagnostics, texts)
        }
        try given.checkAliases(of: program, texts)
        common = Self.plan(program, try given.of(program, texts), flow, directory)
        self.configuration = configuration
        programs = directory
        self.sources = sources
        self.texts = texts
        documents = DocumentCache(configuration)
        try checkHooks()
    }

    /// The same providers, clients and configuration with another flow.
    ///
    /// - Throws: `file_invalid` with every mistake of the flow, and with what it asks of the provider in vain;
    ///   `hook_failed` for a hook that lacks what it cannot do without.
    public func running(_ flow: SourceFile) throws(SignInFailure) -> FlowRunner {
        let compilation = FlowCompiler.compile(flow, sources: sources)
        guard let program = compilation.program, !compilation.diagnostics.hasErrors else {
            throw SignInFailure(files: compilation.diagnostics, texts)
        }
        var copy = self
        copy.common = Self.plan(program, try given.of(program, texts), flow, programs)
        try copy.checkHooks()
        return copy
    }

    /// The keys, closures and programs without which a run would end after a person has signed in for nothing.
    private func checkHooks() throws(SignInFailure) {
        let missing = program.missingParts { need in
            switch need {
            case .variable(let name): configuration.environment[name]?.isEmpty == false
            case .closure(let name): configuration.hooks.closure(named: name) != nil
            case .program(let name, let folder):
                configuration.locate(name, from: FlowFolder.join(common.directory, folder)) != nil
            case .port(let name): configuration.ports.closure(named: name) != nil
            }
        }.filter(\.endsRun)
        guard let first = missing.first else { return }
        throw SignInFailure(
            before: first.hook == nil ? Outcome.portFailed.name ?? "" : RunFailure.Code.hookFailed.rawValue,
            error: "missing_part", hook: first.hook,
            detail: missing.map(\.description).joined(separator: "; "), texts)
    }

    /// - Parameter programs: Where relative programs start; `nil` for the folder of the flow's path.
    private static func plan(
        _ program: FlowProgram, _ providers: [BoundProvider], _ source: SourceFile, _ programs: String?
    ) -> RunPlan {
        let folder = source.path.lastIndex(of: "/").map { String(source.path[..<$0]) }
        return RunPlan(
            program: program, providers: providers, inputs: [], directory: programs ?? folder ?? ".",
            source: source)
    }

    private var program: FlowProgram { common.program }

    /// Runs the flow to its end; cancelling the task ends it through the end `cancelled`.
    ///
    /// - Parameters:
    ///   - inputs: By name; those left out take the flow's defaults.
    ///   - profile: Keeps the sessions of several people or purposes apart in the store.
    ///   - presenter: Shows the pages of this run; `nil` for that of the configuration.
    ///   - sinks: Receive the redacted events of the run, the address of a sign-in among them. Where there is no sink, no
    ///     presenter and no terminal to paste at, and no browser opens, a step that needs a person ends `headless`.
    ///   - occasion: Whether of every run, or only of one that did not succeed.
    /// - Returns: How the flow ended, with the failure where that is no success.
    /// - Throws: `input_invalid` for an unknown or missing input, `setup_failed` when the network cannot be used.
    public func run(
        inputs: [String: Value] = [:], profile: String = "default",
        presenter: (any BrowserPresenter)? = nil, sinks: [any TraceSink] = [],
        tracing occasion: TraceOccasion = .always
    ) async throws(SignInFailure) -> FlowResult {
        let plan = plan(try values(inputs), profile: profile)
        let effects = try effects(
            isHeard: occasion.isEveryRun && !sinks.allSatisfy { $0 is AskingSink }, presenter)
        let outcome = await FlowRun(
            plan: plan, handler: effects, sinks: sinks, journal: keepsJournals ? effects.journal() : nil,
            isResumable: false, tracing: occasion, onSecurityEvent: configuration.onSecurityEvent
        ).run()
        await effects.shutDown()
        return FlowResult(outcome, texts)
    }

    private func plan(_ inputs: [Value], profile: String) -> RunPlan {
        RunPlan(common, inputs: inputs, profile: profile)
    }

    /// A store of the program's own keeps sessions and nothing else.
    private var keepsJournals: Bool { configuration.store == nil || configuration.store is DiskStore }

    private func values(_ inputs: [String: Value]) throws(SignInFailure) -> [Value] {
        do throws(FlowInputError) {
            return try program.inputValues(inputs)
        } catch {
            throw SignInFailure(before: FailureCode.inputInvalid, detail: error.description, texts)
        }
    }

    private func effects(
        isHeard: Bool, _ presenter: (any BrowserPresenter)?, isResuming: Bool = false
    ) throws(SignInFailure) -> LiveEffects {
        var configuration = configuration
        configuration.isHeard = isHeard
        configuration.isResuming = isResuming
        if let presenter { configuration.presenter = presenter }
        if configuration.recovery == nil, keepsJournals {
            configuration.recovery = { run, session in await recover(run, holding: session) }
        }
        do throws(LiveSetupError) {
            return try LiveEffects(configuration, documents: documents, ground: ground)
        } catch {
            throw SignInFailure(before: FailureCode.setupFailed, detail: error.description, texts)
        }
    }
}

/// A run in stretches, each perhaps by another process.
extension FlowRunner {
    /// Where a stretch begins.
    enum StretchStart {
        case new(inputs: [String: Value], profile: String)
        /// After these records.
        case again([JournalEntry])
    }

    /// What came of one.
    struct Stretch {
        let result: FlowResult
        /// Whether the run waits for its visitor.
        let isPutAside: Bool
        let journal: CarriedJournal
    }

    func stretch(
        _ start: StretchStart, presenter: PageForLater, sinks: [any TraceSink],
        tracing occasion: TraceOccasion
    ) async throws(SignInFailure) -> Stretch {
        var recorded: RecordedRun?
        var entries: [JournalEntry] = []
        let plan: RunPlan
        switch start {
        case .new(let inputs, let profile): plan = self.plan(try values(inputs), profile: profile)
        case .again(let records):
            // Records that were sealed can be read, unless another version of the program has written them.
            guard let run = try? RecordedRun(records) else { throw failure(FailureCode.ticketInvalid, nil) }
            plan = self.plan(run.inputs, profile: run.profile)
            recorded = run
            entries = records
        }
        let effects = try effects(
            isHeard: occasion.isEveryRun && !sinks.allSatisfy { $0 is AskingSink }, presenter,
            isResuming: recorded != nil)
        let journal = await journal(entries, recorded, effects)
        let outcome = await FlowRun(
            plan: plan, handler: effects, sinks: sinks, journal: journal, resuming: recorded,
            tracing: occasion, onSecurityEvent: configuration.onSecurityEvent
        ).run()
        await effects.shutDown()
        return Stretch(
            result: FlowResult(outcome, texts), isPutAside: outcome.end.error?.code == .suspended,
            journal: journal)
    }

    private func journal(
        _ entries: [JournalEntry], _ recorded: RecordedRun?, _ effects: LiveEffects
    ) async -> CarriedJournal {
        guard keepsJournals else { return CarriedJournal(entries, store: nil) }
        // The store has it where the run has used the refresh token of a stored session before it was put aside.
        if let recorded, let kept = try? await effects.resume(recorded.runID) {
            return CarriedJournal(entries, store: kept.journal, isKept: true)
        }
        return CarriedJournal(entries, store: effects.journal())
    }

    func failure(_ code: String, _ detail: String?) -> SignInFailure {
        SignInFailure(before: code, detail: detail, texts)
    }
}

/// What a session that lives longer than a run needs.
extension FlowRunner {
    /// The same with a store that stays open between its runs, the one that all others of this runner use.
    func keepingStore() -> FlowRunner {
        guard configuration.store == nil, configuration.savesSessions else { return self }
        var copy = self
        copy.configuration.store = ground.disk(configuration)
        return copy
    }

    /// The same, where each renewal of a session first brings interrupted runs of these flows to their end.
    func recovering(_ runners: [FlowRunner]) -> FlowRunner {
        guard keepsJournals else { return self }
        var copy = self
        copy.configuration.recovery = { run, session in
            for runner in runners { await runner.recover(run, holding: session) }
        }
        return copy
    }

    /// Brings a run of this flow to its end that was interrupted while it renewed the session; nobody is asked for
    /// anything. What becomes of it is in the store: the renewed session, or the doubt about it.
    ///
    /// - Parameter session: Its lock is held by the caller.
    private func recover(_ run: ResumableRun, holding session: SessionKey) async {
        guard run.recorded.digest == program.digest else { return }
        var configuration = configuration
        configuration.isInteractive = false
        configuration.recovery = nil
        configuration.isResuming = true
        // Without effects the session stays in doubt, and its token is not sent again.
        guard
            let effects = try? LiveEffects(
                configuration, lent: [session], documents: documents, ground: ground)
        else { return }
        let plan = plan(run.recorded.inputs, profile: run.recorded.profile)
        _ = await FlowRun(
            plan: plan, handler: effects, sinks: [], journal: run.journal, resuming: run.recorded
        )
        .run()
        await effects.shutDown()
    }

    /// What is stored under the flow's own key of the profile; `nil` when nothing is that can be read.
    ///
    /// - Parameter isEssential: Whether it is waited for also when this task is cancelled.
    /// - Throws: `store_failed`, also where a store of the program does not answer in time.
    func storedTokens(
        profile: String, isEssential: Bool
    ) async throws(SignInFailure) -> StoredTokens? {
        guard configuration.savesSessions, let store = configuration.store,
            let provider = common.providers.first
        else { return nil }
        let key = SessionKey(
            issuer: provider.sessionIssuer, clientID: provider.registration.clientID, profile: profile,
            key: nil)
        do throws(SessionStoreError) {
            let deadline = WallClock.now() + configuration.storePatience
            let row = try await store.ask(until: deadline, isEssential: isEssential) {
                store throws(SessionStoreError) in try await store.load(key.digest)
            }
            guard let row,
                let set = SessionRecord.decode(
                    StoredSession(bytes: row.bytes, generation: row.generation, isInDoubt: row.isInDoubt),
                    issuer: provider.sessionIssuer, clientID: provider.registration.clientID, key: key)
            else { return nil }
            // One that was sent, and whose fate nobody knows, is not sent again.
            let isSpent = set.isInDoubt && provider.descriptor.refresh.rotation != .reusable
            return StoredTokens(set: set, canRefresh: provider.canRefresh(set) && !isSpent)
        } catch {
            // What cannot be read is replaced by the next sign-in.
            if case .damaged = error { return nil }
            throw SignInFailure(before: "store_failed", detail: error.words, texts)
        }
    }

    /// Refuses a flow that does not take the inputs, or needs others.
    ///
    /// - Throws: `input_invalid`.
    func checkInputs(_ given: [String: Value]) throws(SignInFailure) {
        do throws(FlowInputError) {
            _ = try program.inputValues(given)
        } catch {
            throw SignInFailure(
                before: FailureCode.inputInvalid, detail: "\(program.file): \(error.description)", texts)
        }
    }

    /// The failure of a task that waits no more.
    var cancelled: SignInFailure { SignInFailure(before: "cancelled", detail: nil, texts) }

    /// The failure of a flow that ends well and brings no tokens.
    var unsuccessful: SignInFailure {
        SignInFailure(before: FailureCode.unsuccessful, detail: "the flow ended without tokens", texts)
    }
}

extension TraceOccasion {
    /// Whether sinks are told while a run goes on.
    fileprivate var isEveryRun: Bool {
        switch self {
        case .always: true
        case .picked, .failure: false
        }
    }
}

/// A stored session, read.
struct StoredTokens: Sendable {
    private var set: TokenSet
    let session: Session

    init(set: TokenSet, canRefresh: Bool) {
        self.set = set
        session = Session(
            subject: set.subject, issuer: set.issuer, scopes: set.granted, expiresAt: set.expiresAt,
            canRefresh: canRefresh)
    }

    /// The same with the access token for that target in use.
    func use(_ target: AccessTarget) -> StoredTokens {
        var copy = self
        copy.set.use(target)
        return copy
    }

    var tokens: FlowResult.Tokens { FlowResult.Tokens(set) }

    func isExpired(at now: Int64, margin: Int64) -> Bool { set.isExpired(at: now, margin: margin) }
}

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
        /// For the `Authorization` field of a request, where `reveal()` gives it in clear (RFC 6750 §2.1).
        public let accessToken: Secret
        /// `Bearer`, or `DPoP` for a token that is bound to a key (RFC 6749 §7.1).
        public let tokenType: String
        /// Milliseconds since 1970; `nil` when the server named no lifetime.
        public let expiresAt: Int64?
        /// What was granted (RFC 6749 §5.1), in the order of the server; what was asked for where it named none.
        public let scopes: [String]
        /// Whom the tokens speak for, as the provider names them; `nil` where it does not, as with plain OAuth 2.0.
        public let subject: String?
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
            scopes: set.scopes, subject: set.subject)
    }
}
