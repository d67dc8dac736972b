internal import FlowLive
internal import Glibc

/// The command: from arguments to a process status.
package enum FlowCLI {
    /// Runs the command and ends the process with its status.
    ///
    /// Must be called by the first thread before there is another; it runs all tasks from then on, and another one takes
    /// signals. No work ever runs on the main actor.
    ///
    /// - Parameter arguments: Without the program's name.
    package static func start(_ arguments: [String]) -> Never {
        ProcessStart.occupyStreams()
        ProcessStart.keepStatusOfChildren()
        ProcessMemory.conceal()
        EmergencyLine.arm()
        Interruption.holdSignals()
        let interruption = Interruption()
        guard let surroundings = Surroundings.ofProcess(interruption) else {
            TextStream(descriptor: STDERR_FILENO).write(
                "flowrun: the working directory is gone or cannot be reached; go to another one\n")
            exit(Int32(ExitStatus.local.rawValue))
        }
        if let problem = ProcessStart.problemWithDescriptors() {
            TextStream(descriptor: STDERR_FILENO).write("flowrun: \(problem)\n")
            exit(Int32(ExitStatus.local.rawValue))
        }
        let isReceiving = WorkerThread.start { interruption.receive() }
        guard isReceiving else {
            TextStream(descriptor: STDERR_FILENO).write("flowrun: the system has no thread left\n")
            exit(Int32(ExitStatus.local.rawValue))
        }
        let thread = FirstThread()
        // Without the libraries' own farewells: other threads may still hold what those would free. Everything that was
        // written is on its way already.
        Task(executorPreference: thread) { _exit(await main(arguments, surroundings)) }
        thread.run()
    }

    /// Runs one command to its end.
    ///
    /// - Parameter arguments: Without the program's name.
    /// - Returns: The process status.
    package static func main(_ arguments: [String], _ surroundings: Surroundings) async -> Int32 {
        let command: Command
        let common: CommonOptions
        var filled = FilledOptions()
        do throws(UsageError) {
            let parsed = try ArgumentReader.read(arguments, environment: surroundings.environment)
            filled = FilledOptions(parsed)
            (command, common) = try Command.read(parsed, isRevealAllowed: isRevealAllowed(surroundings))
        } catch {
            let form = ArgumentReader.form(wantedBy: arguments)
            let problem = filled.naming(Problem(error))
            return Int32(CommandContext(surroundings, CommonOptions()).fail(problem, form).rawValue)
        }
        let context = CommandContext(surroundings, common)
        if let foreign = context.library.foreignProject {
            context.note("warning: \(foreign.warning(from: surroundings.directory))")
        }
        let status: Int
        do throws(Problem) {
            status = try await run(command, context)
        } catch {
            status = context.fail(filled.naming(error), common.form).rawValue
        }
        guard !surroundings.output.hasFailed else {
            surroundings.complain("standard output could not be written")
            return Int32(status == 0 ? ExitStatus.local.rawValue : status)
        }
        return Int32(status)
    }

    private static func run(_ command: Command, _ context: CommandContext) async throws(Problem) -> Int {
        try context.checkProviders()
        switch command {
        case .run(let request): return try await RunCommand(context: context, request: request).run()
        case .lint(let request): return try await LintCommand(context: context, request: request).run()
        case .test(let request): return try await TestCommand(context: context, request: request).run()
        case .explore(let request): return try await ExploreCommand(context: context, request: request).run()
        case .listFlows(let form): return FlowListCommand(context: context, form: form).run()
        case .show(let kind, let name, let form):
            return try ShowCommand(context: context, kind: kind, name: name, form: form).run()
        case .listProviders(let request):
            return await ProviderListCommand(context: context, request: request).run()
        case .discoverProvider(let request):
            return try await DiscoverCommand(context: context, request: request).run()
        case .testProvider(let request):
            return try await ProviderTestCommand(context: context, request: request).run()
        case .addProvider(let request):
            return try ProviderAddCommand(context: context, request: request).run()
        case .providerHosts(let request):
            return try ProviderHostsCommand(context: context, request: request).run()
        case .providerPins(let request):
            return try await ProviderPinsCommand(context: context, request: request).run()
        case .resume(let request): return try await ResumeCommand(context: context, request: request).run()
        case .scheme(let request): return try SchemeCommand(context: context, request: request).run()
        case .journal(let request):
            return try await JournalCommand(context: context, request: request).run()
        case .trace(let request): return try await TraceCommand(context: context, request: request).run()
        case .status(let request): return try await StatusCommand(context: context, request: request).run()
        case .logoutAll(let request):
            return try await LogoutAllCommand(context: context, request: request).run()
        case .store(let request): return try await StoreCommand(context: context, request: request).run()
        case .http(let request): return try await HTTPCommand(context: context, request: request).run()
        case .credential(let request):
            return try await CredentialCommand(context: context, request: request).run()
        case .setup(let request): return try SetupCommand(context: context, request: request).run()
        case .register(let request):
            return try await RegisterCommand(context: context, request: request).run()
        case .sandbox(let request): return try await SandboxCommand(context: context, request: request).run()
        case .trust(let request): return try TrustCommand(context: context, request: request).run()
        case .hooks(let request): return try HooksCommand(context: context, request: request).run()
        case .format(let request): return try FormatCommand(context: context, request: request).run()
        case .graph(let request): return try await GraphCommand(context: context, request: request).run()
        case .newFlow(let request): return try NewFlowCommand(context: context, request: request).run()
        case .schema(let file): context.write(try SchemaCommand.text(of: file))
        case .kinds(let request): return try KindsCommand(context: context, request: request).run()
        case .decodeToken(let file, let form):
            return try DecodeTokenCommand(context: context, file: file, form: form).run()
        case .verifyToken(let request):
            return try await VerifyTokenCommand(context: context, request: request).run()
        case .signToken(let request): return try SignTokenCommand(context: context, request: request).run()
        case .pkce(let file, let form): return try PKCECommand(context: context, file: file, form: form).run()
        case .doctor(let request): return await DoctorCommand(context: context, request: request).run()
        case .config(let request): return try ConfigCommand(context: context, request: request).run()
        case .completion(let shell):
            let program = context.surroundings.executable ?? "flowrun"
            context.write(CompletionScript.text(shell, program: program))
        case .complete(let words): return await CompleteCommand(context: context, words: words).run()
        case .manual: context.write(ManualPage.text)
        case .explain(let code): context.write(try ExplainCommand.text(code, context))
        case .version(let form): context.write(VersionCommand.text(form))
        case .help(let topic):
            do throws(UsageError) {
                let text = try HelpText.text(of: topic)
                let output = context.surroundings.output
                let width = RenderOptions(context.common, output, context.surroundings).width
                context.write(output.isTerminal ? FittedText.fitted(text, to: width) : text)
            } catch {
                throw Problem(error)
            }
        }
        return ExitStatus.ok.rawValue
    }

    /// Secrets are shown to a person at a terminal, or where somebody allowed it on purpose; never in CI logs.
    private static func isRevealAllowed(_ surroundings: Surroundings) -> Bool {
        guard surroundings.variable("CI") == nil else { return false }
        return surroundings.output.isTerminal || surroundings.variable("FLOWRUN_ALLOW_REVEAL") == "1"
    }
}
