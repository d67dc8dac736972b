internal import FlowLanguage
internal import YAMLText

/// `lint`: everything that is wrong with the files, at once.
struct LintCommand: Sendable {
    let context: CommandContext
    let request: LintRequest

    func run() throws(Problem) -> Int {
        let files = try LintFiles(request.paths, context).files
        let diagnostics = files.flatMap(Self.diagnostics)
        let sources = files.map(\.source)
        context.write(text(diagnostics, sources))
        guard diagnostics.hasErrors, !request.exitsZero else { return ExitStatus.ok.rawValue }
        return ExitStatus.config.rawValue
    }

    private static func diagnostics(_ file: LintFiles.File) -> [Diagnostic] {
        switch file.kind {
        case .flow: FlowCompiler.compile(file.source).diagnostics
        case .provider: ProviderReader.read(file.source).diagnostics
        case .registrations: RegistrationReader.read(file.source).diagnostics
        }
    }

    private func text(_ diagnostics: [Diagnostic], _ sources: [SourceFile]) -> String {
        switch request.format {
        case .json: return JSONDiagnosticRenderer().render(diagnostics, sources: sources)
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
