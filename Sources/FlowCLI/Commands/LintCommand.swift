internal import FlowLanguage
internal import FlowLive
internal import YAMLText

/// `lint`: everything that is wrong with the files, at once.
struct LintCommand: Sendable {
    let context: CommandContext
    let request: LintRequest

    func run() async throws(Problem) -> Int {
        let files = try LintFiles(request.paths, context).files
        let provider = try provider()
        var diagnostics = await files.mapInParallel { self.diagnostics($0, provider) }.flatMap(\.self)
        if request.coverage { diagnostics += try await uncovered(files) }
        let sources = files.map(\.source)
        context.write(text(diagnostics, sources))
        guard diagnostics.hasErrors, !request.exitsZero else { return ExitStatus.ok.rawValue }
        return ExitStatus.config.rawValue
    }

    private func provider() throws(Problem) -> ProviderDescriptor? {
        guard let name = request.provider else { return nil }
        return try context.library.provider(name).descriptor
    }

    private func diagnostics(_ file: LintFiles.File, _ provider: ProviderDescriptor?) -> [Diagnostic] {
        switch file.kind {
        case .flow: flowDiagnostics(file.source, provider)
        case .provider:
            providerDiagnostics(file.source)
        case .registrations: RegistrationReader.read(file.source).diagnostics
        }
    }

    private func providerDiagnostics(_ source: SourceFile) -> [Diagnostic] {
        let reading = ProviderReader.check(
            source, parent: context.library.parent, known: context.library.providerNames)
        let dated = reading.descriptor.map { PinDates.check($0, now: WallClock.now()) } ?? []
        return (reading.diagnostics + dated).sorted()
    }

    private func flowDiagnostics(_ source: SourceFile, _ provider: ProviderDescriptor?) -> [Diagnostic] {
        let compilation = FlowCompiler.compile(source, sources: context.library.sources)
        guard let program = compilation.program else { return compilation.diagnostics }
        var diagnostics = compilation.diagnostics + BindRules.check(program, facts(program, provider))
        let folder = FilePath.parent(of: FilePath.join(context.surroundings.directory, source.path))
        let programs = ProgramFiles(directory: folder)
        // One that is missing may be there where the flow is run; there it is looked for.
        diagnostics += ProgramFileRule.check(program) { path in
            let problem = programs.problem(path)
            return problem == .missing ? nil : problem
        }
        if let provider { diagnostics += ProviderRules.check(program, provider) }
        return diagnostics.sorted()
    }

    /// The providers that the flow would run with: the one asked about, and those that it names itself.
    private func facts(_ program: FlowProgram, _ provider: ProviderDescriptor?) -> [BindFacts?] {
        program.providers.enumerated().map { index, slot in
            // A descriptor with mistakes is linted by itself; one that is missing is missed when the flow is run.
            let named = slot.standard.flatMap { try? context.library.provider($0).descriptor }
            guard let descriptor = (index == 0 ? provider : nil) ?? named else { return nil }
            let examples = descriptor.variables.compactMap { variable in
                variable.example.map { (variable.name, $0) }
            }
            let variables = Dictionary(examples) { first, _ in first }
            // Without a value for every variable, addresses are not compared.
            let bound = try? descriptor.bind(variables: variables)
            let cached = CachedMetadata(context.surroundings)
            return BindFacts(
                descriptor: descriptor, bound: bound, metadata: bound.flatMap { cached.fields(of: $0) })
        }
    }

    /// What no test of a flow passes through; flows with mistakes have no tests to run.
    private func uncovered(_ files: [LintFiles.File]) async throws(Problem) -> [Diagnostic] {
        let tests = FlowTests(context: context, provider: request.provider, filter: nil)
        var diagnostics: [Diagnostic] = []
        for file in files where file.kind == .flow {
            let compilation = FlowCompiler.compile(file.source, sources: context.library.sources)
            guard let program = compilation.program else { continue }
            let flow = LoadedFlow(program: program, source: file.source, diagnostics: [])
            diagnostics += try await tests.run(flow).coverage.diagnostics(in: file.source.path)
        }
        return diagnostics
    }

    private func text(_ diagnostics: [Diagnostic], _ sources: [SourceFile]) -> String {
        switch request.format {
        case .json: return JSONDiagnosticRenderer().render(diagnostics, sources: sources)
        case .sarif:
            return SARIFRenderer(version: VersionCommand.version).render(diagnostics, sources: sources)
        case .github: return GitHubDiagnosticRenderer().render(diagnostics, sources: sources)
        case .short: return TextDiagnosticRenderer(detail: .oneLine).render(diagnostics, sources: sources)
        case .human:
            let options = RenderOptions(context.common, context.surroundings.output, context.surroundings)
            let renderer = TextDiagnosticRenderer(colour: options.color)
            let found = renderer.render(diagnostics, sources: sources)
            let clean = Set(sources.map(\.path)).subtracting(diagnostics.map(\.file)).count
            guard context.common.verbosity > 0 else { return found }
            return found + "\(sources.count) file(s) checked, \(clean) without a finding\n"
        }
    }
}
