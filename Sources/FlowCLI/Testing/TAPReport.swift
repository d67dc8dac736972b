internal import FlowLanguage
internal import YAMLText

/// Results of tests in the Test Anything Protocol.
///
/// - SeeAlso: TAP 14, <https://testanything.org/tap-version-14-specification.html>
enum TAPReport {
    static func text(_ reports: [FlowTestReport], coverage: Bool) -> String {
        let count = reports.reduce(0) { $0 + $1.entries.count }
        var text = "TAP version 14\n1..\(count)\(count == 0 ? " # SKIP no tests" : "")\n"
        var number = 0
        for report in reports {
            for entry in report.entries {
                number += 1
                text += test(entry, number, report.flow)
            }
            if coverage { text += self.coverage(report) }
        }
        return text
    }

    private static func test(_ entry: FlowTestReport.Entry, _ number: Int, _ flow: LoadedFlow) -> String {
        let name = "\(number) - \(description("\(flow.program.name): \(entry.test.name)"))\n"
        guard !entry.failures.isEmpty else { return "ok \(name)" }
        let failures = entry.failures.map { "    - \(JSONText.quoted($0))\n" }.joined()
        return """
            not ok \(name)  ---
              severity: fail
              file: \(JSONText.quoted(flow.source.path))
              line: \(entry.test.span.start.line)
              failures:
            \(failures)  ...

            """
    }

    private static func coverage(_ report: FlowTestReport) -> String {
        let coverage = report.coverage
        var text = "# \(report.flow.program.name): \(coverage.covered) of \(coverage.total) outcomes tested\n"
        for gap in coverage.gaps { text += "#   \(gap.step): \(gap.outcomes.joined(separator: ", "))\n" }
        return text
    }

    /// A number sign would begin a directive.
    private static func description(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("#", with: "\\#").replacing("\n", with: " ")
    }
}
