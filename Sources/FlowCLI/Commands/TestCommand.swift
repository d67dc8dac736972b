internal import FlowLanguage
internal import YAMLText

/// `test`: the tests that flows bring along, rehearsed.
struct TestCommand: Sendable {
    let context: CommandContext
    let request: TestRequest

    func run() async throws(Problem) -> Int {
        let tests = FlowTests(context: context, provider: request.provider, filter: request.filter)
        var reports: [FlowTestReport] = []
        for name in try flows() {
            let report = try await tests.run(try context.library.flow(name))
            guard !report.entries.isEmpty || request.coverage else { continue }
            reports.append(report)
            // A person sees the tests of one flow while those of the next are run.
            if request.format == .text { context.write(text.flow(report, coverage: request.coverage)) }
        }
        switch request.format {
        case .text: context.write(text.summary(reports))
        case .tap: context.write(TAPReport.text(reports, coverage: request.coverage))
        case .junit: context.write(JUnitReport.text(reports, coverage: request.coverage))
        }
        return (reports.allSatisfy { $0.failed == 0 } ? ExitStatus.ok : .assertion).rawValue
    }

    private var text: TestText {
        let options = RenderOptions(context.common, context.surroundings.output, context.surroundings)
        return TestText(options: options, isQuiet: context.common.verbosity == 0)
    }

    private func flows() throws(Problem) -> [String] {
        if !request.flows.isEmpty { return request.flows }
        let paths = context.library.entries(of: .flow).filter {
            $0.shadowedBy == nil && $0.origin == .project
        }
        guard !paths.isEmpty else {
            throw Problem(.usage, "there are no flows of a project here", hints: ["name the flows to test"])
        }
        return paths.map { $0.path.contains("/") ? $0.path : "./\($0.path)" }
    }
}
