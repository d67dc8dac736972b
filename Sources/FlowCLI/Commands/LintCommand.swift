internal import FlowLanguage
internal import YAMLText

/// `lint`: everything that is wrong with the files, at once.
struct LintCommand: Sendable {
    let context: CommandContext
    let request: LintRequest

    func run() throws(Problem) -> Int {
        let files = try LintFiles(request.paths, context).files
        let provider = try provider()
        let diagnostics = files.flatMap { self.diagnostics($0, provider) }
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
        case .provider: ProviderReader.read(file.source).diagnostics
        case .registrations: RegistrationReader.read(file.source).diagnostics
        }
    }

    private func flowDiagnostics(_ source: SourceFile, _ provider: ProviderDescriptor?) -> [Diagnostic] {
        let compilation = FlowCompiler.compile(source, sources: context.library.sources)
        guard let program = compilation.program, let provider else { return compilation.diagnostics }
        return (compilation.diagnostics + ProviderRules.check(program, provider)).sorted()
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
