internal import FlowReport
internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import OAuthProtocol

/// The tokens of a stored session for a command that uses them itself: a run of which nothing is shown.
struct SessionAccess: Sendable {
    let provider: BoundProvider
    /// Names of the variables that hold secrets of registrations.
    var secretVariables: Set<String> { run.secretVariables }
    private let command: RunCommand
    private let run: RunCommand.Prepared

    /// - Parameter request: Of the flow "refresh", or of another that ends with the tokens of a session.
    /// - Throws: What keeps the run from beginning, such as a client that nobody registered.
    init(_ context: CommandContext, _ request: RunRequest) throws(Problem) {
        var common = context.common
        if common.verbosity == 1 { common.verbosity = 0 }
        command = RunCommand(context: CommandContext(context.surroundings, common), request: request)
        run = try command.prepare()
        guard let provider = run.binding.providers.first else {
            throw Problem(.internal, "the flow \"\(request.flow)\" has no provider")
        }
        self.provider = provider
    }

    /// A good access token with what was stored beside it.
    func tokens() async throws(Problem) -> TokenSet { try await tokens(command, run) }

    /// The same after a refresh, however good the token is.
    func refreshed() async throws(Problem) -> TokenSet {
        var request = command.request
        request.inputs.append(.forcedRefresh)
        let again = RunCommand(context: command.context, request: request)
        return try await tokens(again, try again.prepare())
    }

    /// Another token than this one, which the server refused: one that somebody has refreshed meanwhile, else a new one.
    func replacing(_ refused: Secret) async throws(Problem) -> TokenSet {
        let found = try await tokens()
        return found.accessToken == refused ? try await refreshed() : found
    }

    private func tokens(
        _ command: RunCommand, _ run: RunCommand.Prepared
    ) async throws(Problem) -> TokenSet {
        var live = command.live(run, try command.plan(run))
        live.explains = false
        let result = try await live.run()
        // What comes after the run has nothing to end well: a signal ends it at once.
        command.context.surroundings.interruption?.onArrival(nil)
        let outcome = result.outcome
        let sets = zip(outcome.plan.program.tokenSets, outcome.tokens)
        guard outcome.isSuccess, let tokens = sets.first(where: { $0.0.name == "main" })?.1 else {
            throw problem(result)
        }
        return tokens
    }

    /// The command that signs somebody in for it.
    var signIn: String { SignInHint.command(command.request.word(for: provider), command.request.arguments) }

    private func problem(_ result: LiveRun.Result) -> Problem {
        let exit = ExitStatus(rawValue: result.status) ?? .internal
        return Problem(
            exit, Self.words(of: result.failure, at: provider.descriptor.id, end: result.outcome.end.name),
            hints: exit == .authRequired ? ["sign in: \(signIn)"] + result.hints : [])
    }

    /// Why there is no token.
    ///
    /// - Parameters:
    ///   - failure: Of the step that the run failed with; `nil` when no step did.
    ///   - end: Where the run ended, for want of anything better to say.
    static func words(of failure: FailureReport?, at provider: String, end: String) -> String {
        if failure?.kind == StepKind.restore.rawValue, failure?.outcome == Outcome.absent.name {
            return "nobody is signed in at \(provider)"
        }
        var reason = [failure?.text.headline, failure?.description].compactMap(\.self)
        // A step can have no more to say than what the headline says of all such failures.
        if reason.count == 2, reason[0] == reason[1] { reason.removeLast() }
        return "no token from \(provider): " + (reason.isEmpty ? end : reason.joined(separator: ": "))
    }
}

extension RunRequest {
    /// What another command has to call a provider of the run: as this one does where that is the path of a file,
    /// else by its name.
    ///
    /// - Parameter alias: Of its slot; `nil` for the first.
    func word(for provider: BoundProvider, alias: String? = nil, isFirst: Bool = true) -> String {
        let choice = providers.last { $0.alias == nil ? isFirst : alias == nil || $0.alias == alias }
        return Library.word(choice?.name, for: provider.descriptor.id)
    }
}

/// The command that signs somebody in.
enum SignInHint {
    static func command(_ provider: String?, _ arguments: ParsedArguments?) -> String {
        "flowrun login\(provider.map { " \($0)" } ?? "")\(options(arguments))\(connection(arguments))"
    }

    /// What was said of how its provider is reached, with a space in front; empty where nothing was.
    static func connection(_ arguments: ParsedArguments?) -> String {
        written(arguments?.words(of: ["cacert"]) ?? [])
    }

    static func connection(_ options: LiveOptions) -> String {
        written(options.caFile.map { ["--cacert", $0] } ?? [])
    }

    /// What was said of whose session it is, with a space in front; empty where nothing was.
    static func options(_ arguments: ParsedArguments?) -> String {
        let names = [
            "providers", "profile", "client-id", "client-secret-file", "client-secret-env",
            "private-key-file", "private-key-env", "client-assertion-file", "client-assertion-env",
            "environment", "set", "scope", "redirect-uri",
        ]
        return written(arguments?.words(of: names) ?? [])
    }

    /// What the flow was given, with a space in front, but for what not everybody may read.
    static func inputs(_ given: [NamedText], of program: FlowProgram) -> String {
        let shown = given.filter { one in
            program.inputs.contains { $0.name == one.name && $0.type.isForEverybody }
        }
        return written(shown.flatMap { ["--input", "\($0.name)=\($0.text)"] })
    }

    /// A command of every day as it was given, without `flowrun`; `nil` for another command.
    static func everyday(_ request: RunRequest, _ provider: String?, of program: FlowProgram) -> String? {
        guard let given = request.arguments, let name = everydayName(given) else { return nil }
        let flags = everydayFlags.filter(given.has).map { "--\($0)" }
        let typed = given.all("input") + given.all("var")
        let own = request.inputs.filter { typed.contains("\($0.name)=\($0.text)") }
        return name + written((provider.map { [$0] } ?? []) + flags) + options(given)
            + written(given.words(of: ["resource"])) + inputs(own, of: program) + connection(given)
    }

    /// Who wants a token wants the session refreshed; a client's own token is for a flow of its own.
    private static func everydayName(_ given: ParsedArguments) -> String? {
        switch given.spec.name {
        case let name where RunRequest.everydayFlows.contains(name): name
        case "token", "exec": given.has("client-credentials") ? nil : "refresh"
        default: nil
        }
    }

    private static let everydayFlags = ["revoke", "everywhere", "refresh-token"]

    private static func written(_ words: [String]) -> String {
        words.isEmpty ? "" : " " + ShellWords.quoted(words)
    }
}

extension FlowType {
    /// Whether anybody may read its values.
    fileprivate var isForEverybody: Bool {
        switch self {
        case .string, .url, .int, .number, .bool, .time, .duration, .null: true
        case .list(let inner), .optional(let inner): inner.isForEverybody
        case .secret, .sensitive, .tokenset, .bytes, .json, .map: false
        }
    }
}
