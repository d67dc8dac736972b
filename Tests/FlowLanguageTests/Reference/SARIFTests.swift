import FlowLanguage
import FlowTesting
import Testing
import YAMLText

@Suite("Diagnostics as SARIF")
struct SARIFTests {
    private static func render(_ diagnostics: [Diagnostic]) -> String {
        SARIFRenderer(version: "1.2.3").render(diagnostics, sources: [])
    }

    private static func span(_ line: Int, _ start: Int, _ end: Int) -> SourceSpan {
        SourceSpan(start: SourceMark(line: line, column: start), end: SourceMark(line: line, column: end))
    }

    @Test("a log has the rules of its results, their places and what to do")
    func golden() throws {
        let file = "flows/my login.flow.yaml"
        let log = Self.render([
            Diagnostic(
                code: "FL027", severity: .warning, file: file, span: Self.span(9, 3, 7),
                message: "never tried"),
            Diagnostic(
                code: "FL004", file: file, span: Self.span(4, 1, 6), message: "duplicate key \"start\"",
                hint: "rename one", fix: .init("strat"),
                related: [.init(span: Self.span(2, 1, 6), message: "first written here")]),
            Diagnostic(
                code: "FL004", file: "/tmp/a.yaml", span: Self.span(1, 1, 2), message: "duplicate key"),
            Diagnostic(
                code: "FL029", severity: .info, file: "x:y.yaml", span: Self.span(1, 1, 2), message: "no"),
        ])
        try expectGolden(log, named: "reports/lint.sarif")
    }

    @Test("a log without results is a log")
    func empty() {
        let log = Self.render([])
        #expect(log.contains("\"results\": []"))
        #expect(log.contains("\"rules\": []"))
    }
}
