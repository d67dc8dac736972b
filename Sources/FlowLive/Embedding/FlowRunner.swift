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
///     client: ClientRegistration(clientID: "my-app", authenticationMethod: .none),
///     configuration: LiveConfiguration(storeDirectory: "/home/me/.local/share/my-app", stateDirectory: "/tmp/my-app"))
/// let result = await runner.run(inputs: ["login_hint": "ada@example.com"])
/// print(result.end, result.outputs["subject"] ?? .null)
/// ```
///
/// Immutable; several runs may be under way at once.
public struct FlowRunner: Sendable {
    private let program: FlowProgram
    private let provider: BoundProvider
    private let configuration: LiveConfiguration
    private let directory: String

    /// Reads and checks both files and binds them to the client.
    ///
    /// - Parameters:
    ///   - variables: Values of the descriptor's `variables`, and `secrets` of those that are secret.
    ///   - environment: One of the descriptor's `environments`.
    ///   - parent: The file of the descriptor that this one `extends`, by its id.
    ///   - directory: Where relative programs of hooks start.
    ///   - sources: Finds the flows that this one runs as steps or imports.
    /// - Throws: `FlowFileError` with every mistake of both files and of the variables.
    public init(
        flow: SourceFile, provider: SourceFile, client: ClientRegistration, variables: [String: String] = [:],
        secrets: [String: Secret] = [:], environment: String? = nil, configuration: LiveConfiguration,
        directory: String = ".", sources: FlowSources = .none,
        parent: (String) -> SourceFile? = { _ in nil }
    ) throws(FlowFileError) {
        let compilation = FlowCompiler.compile(flow, sources: sources)
        let reading = ProviderReader.read(provider, environment: environment, parent: parent)
        let diagnostics = compilation.diagnostics + reading.diagnostics
        guard let program = compilation.program, let descriptor = reading.descriptor, !diagnostics.hasErrors
        else {
            throw FlowFileError(diagnostics: diagnostics)
        }
        do throws(BindingError) {
            let bound = try descriptor.bind(variables: variables, secrets: secrets)
            self.provider = BoundProvider(descriptor: descriptor, bound: bound, registration: client)
        } catch {
            throw FlowFileError(diagnostics: error.problems.map { Self.diagnostic($0, provider) })
        }
        self.program = program
        self.configuration = configuration
        self.directory = directory
    }

    private static func diagnostic(_ problem: VariableProblem, _ file: SourceFile) -> Diagnostic {
        Diagnostic(
            code: "FL016", severity: .error, file: file.path, span: SourceSpan(at: .start),
            message: problem.message,
            hint: problem.hint)
    }

    /// Runs the flow to its end; cancelling the task ends it through the end `cancelled`.
    ///
    /// - Parameters:
    ///   - inputs: By name; those left out take the flow's defaults.
    ///   - profile: Keeps the sessions of several people or purposes apart in the store.
    ///   - sinks: Receive the redacted events of the run.
    /// - Throws: `FlowInputError` for an unknown or missing input, `LiveSetupError` when the network cannot be used.
    public func run(
        inputs: [String: Value] = [:], profile: String = "default", sinks: [any TraceSink] = []
    ) async throws -> FlowResult {
        let effects = try LiveEffects(configuration)
        let plan = RunPlan(
            program: program, providers: Array(repeating: provider, count: max(1, program.providers.count)),
            inputs: try program.inputValues(inputs), profile: profile, isTraced: !sinks.isEmpty,
            directory: directory)
        let outcome = await FlowRun(plan: plan, handler: effects, sinks: sinks).run()
        await effects.shutDown()
        return FlowResult(outcome)
    }
}

/// The mistakes of the files that a runner was made from.
public struct FlowFileError: Error, Sendable {
    public let diagnostics: [Diagnostic]
}

/// How a flow ended for the embedding program.
public struct FlowResult: Sendable {
    /// Name of the end that was reached.
    public let end: String
    public let isSuccess: Bool
    /// Public message of the end, or of the engine's failure.
    public let message: String?
    /// Stable code of what went wrong; `nil` for a success.
    public let errorCode: String?
    public let outputs: [String: Value]
    /// The tokens of the flow's set `main`; `nil` when the run ended without any.
    public let tokens: Tokens?

    /// What a program needs to call APIs.
    public struct Tokens: Sendable {
        public let accessToken: Secret
        public let tokenType: String
        /// Milliseconds since 1970; `nil` when the server named no lifetime.
        public let expiresAt: Int64?
        public let scopes: [String]
        public let subject: String?
    }

    init(_ outcome: RunOutcome) {
        end = outcome.end.name
        isSuccess = outcome.isSuccess
        message = outcome.end.error?.message ?? outcome.end.message
        errorCode = outcome.errorCode
        outputs = Dictionary(outcome.end.outputs.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        let main = zip(outcome.plan.program.tokenSets, outcome.tokens).first { $0.0.name == "main" }
        tokens = main?.1.map {
            Tokens(
                accessToken: $0.accessToken, tokenType: $0.tokenType, expiresAt: $0.expiresAt,
                scopes: $0.scopes,
                subject: $0.subject)
        }
    }
}
