internal import FlowLanguage
internal import YAMLText

/// `test`: the tests that flows bring along, rehearsed.
struct TestCommand: Sendable {
    let context: CommandContext
    let request: TestRequest

    func run() async throws(Problem) -> Int {
        if let name = request.provider {
            do throws(LibraryProblem) { _ = try context.library.path(.provider, name) } catch {
                throw Problem(error)
            }
        }
        let tests = FlowTests(context: context, provider: request.provider, filter: request.filter)
        var reports: [FlowTestReport] = []
        var known: [String] = []
        for name in try flows() {
            let flow = try context.library.flow(name)
            known += flow.program.tests.map(\.name)
            let report = try await tests.run(flow)
            guard !report.entries.isEmpty || request.coverage && request.filter == nil else { continue }
            reports.append(report)
            // A person sees the tests of one flow while those of the next are run.
            if request.format == .text { context.write(text.flow(report, coverage: request.coverage)) }
        }
        // A misspelt filter must not pass for tests that pass.
        if let filter = request.filter, reports.isEmpty { throw Self.problem(withFilter: filter, known) }
        switch request.format {
        case .text: context.write(text.summary(reports))
        case .tap: context.write(TAPReport.text(reports, coverage: request.coverage))
        case .junit: context.write(JUnitReport.text(reports, coverage: request.coverage))
        }
        return (reports.allSatisfy { $0.failed == 0 } ? ExitStatus.ok : .assertion).rawValue
    }

    private static func problem(withFilter filter: String, _ known: [String]) -> Problem {
        let near = nearest(to: filter, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
        let shown = known.prefix(longestList).joined(separator: ", ")
        let more = known.count > longestList ? " and \(known.count - longestList) more" : ""
        return Problem(
            .usage, "no test has \"\(filter)\" in its name\(near)",
            hints: [known.isEmpty ? "these flows have no tests" : "tests: \(shown)\(more)"])
    }

    private static let longestList = 8

    /// The test whose name, or as many words in a row as the filter has, is nearest to the filter.
    private static func nearest(to filter: String, among names: [String]) -> String? {
        let count = filter.split(separator: " ").count
        var tests: [String: String] = [:]
        for name in names {
            let words = name.split(separator: " ")
            tests[name] = name
            for start in words.indices where start + count <= words.count {
                let part = words[start..<(start + count)].joined(separator: " ")
                if tests[part] == nil { tests[part] = name }
            }
        }
        // A filter takes the case as it is, a person's memory does not.
        let folded = tests.keys.sorted().first { $0.lowercased() == filter.lowercased() }
        return (folded ?? SpellingSuggestion.nearest(to: filter, in: tests.keys)).flatMap { tests[$0] }
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
