internal import FlowLanguage
internal import YAMLText

/// Results of tests for people.
struct TestText: Sendable {
    let options: RenderOptions
    /// Whether only what failed is told.
    let isQuiet: Bool

    func flow(_ report: FlowTestReport, coverage: Bool) -> String {
        let flow = report.flow
        var text = "\(flow.program.name)  \(VisibleText.escaped(flow.source.path))\n"
        for entry in report.entries { text += line(entry, flow) }
        return coverage ? text + self.coverage(report.coverage) : text
    }

    func summary(_ reports: [FlowTestReport]) -> String {
        let count = reports.reduce(0) { $0 + $1.entries.count }
        let failed = reports.reduce(0) { $0 + $1.failed }
        return "\(count) tests, \(count - failed) passed, \(failed) failed\n"
    }

    private func line(_ entry: FlowTestReport.Entry, _ flow: LoadedFlow) -> String {
        guard !entry.failures.isEmpty else {
            return isQuiet ? "" : "  \(options.ascii ? "ok" : "✓") \(entry.test.name)\n"
        }
        let place = "\(VisibleText.escaped(flow.source.path)):\(entry.test.span.start.line)"
        let details = entry.failures.map { "      \($0)\n" }.joined()
        return "  \(options.ascii ? "not ok" : "✗") \(entry.test.name)  (\(place))\n\(details)"
    }

    private func coverage(_ coverage: FlowCoverage) -> String {
        var page = Page(options)
        let missing = coverage.gaps.isEmpty ? "" : "; no test passes through"
        page.line("\(coverage.covered) of \(coverage.total) outcomes tested\(missing)", indent: 2)
        page.table(
            coverage.gaps.map { [Styled($0.step), Styled($0.outcomes.joined(separator: ", "), .dim)] },
            indent: 4)
        return page.take()
    }
}
