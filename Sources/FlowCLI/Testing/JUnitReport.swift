internal import FlowLanguage
internal import FlowReport
internal import YAMLText

/// Results of tests as the XML that build servers read, without times: nothing but the files decides on the text.
///
/// - SeeAlso: <https://llg.cubic.org/docs/junit/>
enum JUnitReport {
    static func text(_ reports: [FlowTestReport], coverage: Bool) -> String {
        let count = reports.reduce(0) { $0 + $1.entries.count }
        let failed = reports.reduce(0) { $0 + $1.failed }
        let suites = reports.map { suite($0, coverage: coverage) }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="flowrun" tests="\(count)" failures="\(failed)" errors="0">
            \(suites)</testsuites>

            """
    }

    private static func suite(_ report: FlowTestReport, coverage: Bool) -> String {
        let flow = report.flow
        var text = "  <testsuite name=\(quoted(flow.program.name)) tests=\"\(report.entries.count)\" "
        text += "failures=\"\(report.failed)\" errors=\"0\" skipped=\"0\" file=\(quoted(flow.source.path))>\n"
        if coverage {
            let properties = [
                ("outcomes", "\(report.coverage.total)"), ("outcomes.tested", "\(report.coverage.covered)"),
            ]
            let lines = properties.map { "      <property name=\(quoted($0)) value=\(quoted($1))/>\n" }
            text += "    <properties>\n\(lines.joined())    </properties>\n"
        }
        return text + report.entries.map { test($0, flow) }.joined() + "  </testsuite>\n"
    }

    private static func test(_ entry: FlowTestReport.Entry, _ flow: LoadedFlow) -> String {
        let head =
            "    <testcase name=\(quoted(entry.test.name)) classname=\(quoted(flow.program.name)) "
            + "file=\(quoted(flow.source.path)) line=\"\(entry.test.span.start.line)\""
        guard let first = entry.failures.first else { return head + "/>\n" }
        let all = escaped(entry.failures.joined(separator: "\n"))
        return head
            + ">\n      <failure message=\(quoted(first)) type=\"expectation\">\(all)</failure>\n    </testcase>\n"
    }

    private static func quoted(_ text: String) -> String { XMLText.quoted(text) }

    private static func escaped(_ text: String) -> String { XMLText.escaped(text) }
}
