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
/// let result = try await runner.run(inputs: ["login_hint": .string("ada@example.com")])
/// print(result.end, result.outputs["subject"]?.text ?? "nobody")
/// ```
///
/// Immutable; several runs may be under way at once. They share what is known of the provider, and `events` of the
/// configuration: an event is for whichever run waits for its name.
public struct FlowRunner: Sendable {
    /// What its runs share; each has its own inputs and profile.
    var common: RunPlan
    private let given: FlowProviders
    var configuration: LiveConfiguration
    /// As the host has given it.
    private let programs: String?
    private let sources: FlowSources
    let texts: FailureTexts
    /// Metadata and keys of the providers, for all runs.
    let documents: DocumentCache
    let ground = CommonGround()

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
    ///   the provider that it does not have; also for a flow with several providers.
    ///   `hook_failed` where a hook whose failure would end the run lacks its closure in `configuration.hooks`, or the
    ///   key of its server in `configuration.environment`. `setup_failed` for a folder of the configuration that can be
    ///   none, where `caFile`, or else `SSL_CERT_FILE` of the environment, has no certificate, and where the flow sends a
    ///   person to the provider for a client without the secret, key or certificate that the descriptor says it proves
    ///   itself with, or with a key or a certificate that cannot be used.
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
    ///   under an alias that the flow does not have. `hook_failed` and `setup_failed` as above.
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
        self.configuration.store = configuration.store.map(RetainingStore.init)
        programs = directory
        self.sources = sources
        self.texts = configuration.store == nil ? texts : texts.ofProgramStore
        documents = DocumentCache(configuration)
        try checkHooks()
        if let mistake = configuration.mistakeInFolders {
            throw failure(LiveSetupError(mistake, error: "unusable_folder"))
        }
        if let mistake = configuration.mistakeInAuthorities {
            throw failure(LiveSetupError(mistake, error: "unusable_authorities"))
        }
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

    var program: FlowProgram { common.program }

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

    func plan(_ inputs: [Value], profile: String) -> RunPlan {
        RunPlan(common, inputs: inputs, profile: profile)
    }

    /// A store of the program's own keeps sessions and nothing else.
    var keepsJournals: Bool { configuration.store == nil || configuration.store is DiskStore }

    func values(_ inputs: [String: Value]) throws(SignInFailure) -> [Value] {
        do throws(FlowInputError) {
            return try program.inputValues(inputs)
        } catch {
            throw SignInFailure(before: FailureCode.inputInvalid, detail: error.description, texts)
        }
    }

    func effects(
        isHeard: Bool, _ presenter: (any BrowserPresenter)?, isResuming: Bool = false,
        isAnsweredLater: @escaping @Sendable () -> Bool = { false }
    ) throws(SignInFailure) -> LiveEffects {
        var configuration = configuration
        configuration.isHeard = isHeard
        configuration.isResuming = isResuming
        configuration.isAnsweredLater = isAnsweredLater
        if let presenter { configuration.presenter = presenter }
        if configuration.recovery == nil, keepsJournals {
            configuration.recovery = { run, session in await recover(run, holding: session) }
        }
        do throws(LiveSetupError) {
            return try LiveEffects(configuration, documents: documents, ground: ground)
        } catch {
            throw failure(error)
        }
    }

    func failure(_ error: LiveSetupError) -> SignInFailure {
        SignInFailure(before: FailureCode.setupFailed, error: error.error, detail: error.description, texts)
    }
}

extension TraceOccasion {
    /// Whether sinks are told while a run goes on.
    var isEveryRun: Bool {
        switch self {
        case .always: true
        case .picked, .failure: false
        }
    }
}
