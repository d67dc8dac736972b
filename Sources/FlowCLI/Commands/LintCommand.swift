internal import FlowLanguage
internal import FlowLive
internal import YAMLText

/// `lint`: everything that is wrong with the files, at once.
struct LintCommand: Sendable {
    let context: CommandContext
    let request: LintRequest

    /// What was found in one file; some of it may lie in another that it is made of.
    private struct Finding: Sendable {
        let path: String
        let diagnostics: [Diagnostic]
        var sources: [SourceFile]
    }

    func run() async throws(Problem) -> Int {
        var files = try LintFiles(request.paths, context)
        try checkFound(files)
        let provider = try provider()
        if request.fixes {
            for file in files.files { try repair(file, provider) }
            files = try LintFiles(request.paths, context)
        }
        var findings = await files.files.mapInParallel { self.finding($0, provider) }
        findings += files.unreadable.map { Finding(path: $0.file, diagnostics: [$0], sources: []) }
        var diagnostics = findings.flatMap(\.diagnostics).withoutRepetitions()
        if request.coverage { diagnostics += try await uncovered(files.files) }
        context.write(text(diagnostics, findings))
        guard diagnostics.hasErrors, !request.exitsZero else { return ExitStatus.ok.rawValue }
        return ExitStatus.config.rawValue
    }

    /// A check of nothing finds nothing wrong, and is seldom what was meant.
    private func checkFound(_ files: LintFiles) throws(Problem) {
        guard files.files.isEmpty, files.unreadable.isEmpty else {
            for path in files.empty { context.note("warning: there is nothing to check in \(path)") }
            return
        }
        let place = files.empty.isEmpty ? "the project" : files.empty.joined(separator: ", ")
        throw Problem(
            .usage, "there is nothing to check in \(place)",
            hints: [
                "files are known by their names: NAME.flow.yaml, NAME.provider.yaml, flowrun.yaml",
                "name a file of another name itself, or write one to begin with: flowrun flow new NAME",
            ])
    }

    private func provider() throws(Problem) -> ProviderDescriptor? {
        guard let name = request.provider else { return nil }
        return try context.library.provider(name).descriptor
    }

    /// Writes the file with its fixes, and says what each has replaced.
    private func repair(_ file: LintFiles.File, _ provider: ProviderDescriptor?) throws(Problem) {
        let path = file.source.path
        let repair = FileRepair(file.source) { source in
            finding(LintFiles.File(kind: file.kind, source: source), provider).diagnostics
        }
        guard !repair.fixed.isEmpty else { return }
        do throws(FileProblem) {
            try FileReplacement.replace(
                FilePath.join(context.surroundings.directory, path), with: repair.source.text)
        } catch {
            throw Problem(error, .local)
        }
        for fixed in repair.fixed {
            let words = "\(path):\(fixed.diagnostic.span.start): \(fixed.old) is now \(fixed.new)"
            context.note("fixed \(VisibleText.escaped(words))")
        }
    }

    private func finding(_ file: LintFiles.File, _ provider: ProviderDescriptor?) -> Finding {
        switch file.kind {
        case .flow: flowFinding(file.source, provider)
        case .provider: providerFinding(file.source)
        case .registrations:
            Finding(
                path: file.source.path, diagnostics: registrationDiagnostics(file.source),
                sources: [RegistrationReader.shown(file.source)])
        case nil:
            Finding(
                path: file.source.path, diagnostics: FileLikeness.mistakes(ofForeign: file.source),
                sources: [file.source])
        }
    }

    private func providerFinding(_ source: SourceFile) -> Finding {
        let reading = ProviderReader.check(
            source, parent: context.library.parent, known: context.library.providerNames)
        let dated = reading.descriptor.map { PinDates.check($0, now: WallClock.now()) } ?? []
        let name = DescriptorName.check(source).map { [$0] } ?? []
        return Finding(
            path: source.path, diagnostics: (reading.diagnostics + dated + name).sorted(),
            sources: reading.sources)
    }

    private func registrationDiagnostics(_ source: SourceFile) -> [Diagnostic] {
        let (registrations, diagnostics) = RegistrationReader.read(source)
        let misfits = registrations.flatMap { registration -> [Diagnostic] in
            let library = context.library
            guard (try? library.path(.provider, registration.provider)) != nil else {
                return [RegistrationRules.missingProvider(registration, known: library.providerNames())]
            }
            // One with mistakes is linted by itself.
            guard let plain = try? library.provider(registration.provider).descriptor else { return [] }
            let environment = registration.environment.flatMap { environment in
                try? library.provider(registration.provider, environment: environment.value).descriptor
            }
            return RegistrationRules.check(registration, environment ?? plain)
        }
        return (diagnostics + misfits).sorted()
    }

    private func flowFinding(_ source: SourceFile, _ provider: ProviderDescriptor?) -> Finding {
        let log = SourceLog()
        let compilation = FlowCompiler.compile(source, sources: log.noting(context.library.sources))
        return Finding(
            path: source.path, diagnostics: diagnostics(of: compilation, source, provider),
            sources: [source] + log.files)
    }

    private func diagnostics(
        of compilation: FlowCompilation, _ source: SourceFile, _ provider: ProviderDescriptor?
    ) -> [Diagnostic] {
        guard let program = compilation.program else { return compilation.diagnostics }
        var diagnostics = compilation.diagnostics + BindRules.check(program, facts(program, provider))
        diagnostics += ProgramFileRule.check(program, of: source, starting: false, context.surroundings)
        let library = context.library
        diagnostics += StandardProviderRule.check(program, of: source, known: library.providerNames) {
            (try? library.path(.provider, $0)) != nil
        }
        if let provider { diagnostics += ProviderRules.check(program, provider) }
        return diagnostics.sorted()
    }

    /// The providers that the flow would run with: the one asked about, and those that it names itself.
    private func facts(_ program: FlowProgram, _ provider: ProviderDescriptor?) -> [BindFacts?] {
        program.providers.enumerated().map { index, slot in
            // A descriptor with mistakes is linted by itself.
            let named = slot.standard.flatMap { try? context.library.provider($0.value).descriptor }
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

    private func text(_ diagnostics: [Diagnostic], _ findings: [Finding]) -> String {
        let sources = findings.flatMap(\.sources)
        switch request.format {
        case .json: return JSONDiagnosticRenderer().render(diagnostics, sources: sources)
        case .sarif:
            return SARIFRenderer(version: VersionCommand.version).render(diagnostics, sources: sources)
        case .github: return GitHubDiagnosticRenderer().render(diagnostics, sources: sources)
        case .short: return TextDiagnosticRenderer(detail: .oneLine).render(diagnostics, sources: sources)
        case .human:
            let output = context.surroundings.output
            let options = RenderOptions(context.common, output, context.surroundings)
            let renderer = TextDiagnosticRenderer(
                colour: options.color, width: output.isTerminal ? options.width : nil)
            let found = renderer.render(diagnostics, sources: sources)
            let wrong = Set(diagnostics.map(\.file))
            let clean = findings.count { $0.diagnostics.isEmpty && !wrong.contains($0.path) }
            guard context.common.verbosity > 0 else { return found }
            return found + "\(findings.count) file(s) checked, \(clean) without a finding\n"
        }
    }
}

extension [Diagnostic] {
    /// Files that are made of one another have mistakes in common.
    fileprivate func withoutRepetitions() -> [Diagnostic] {
        var known: Set<Diagnostic> = []
        return filter { known.insert($0).inserted }
    }
}
