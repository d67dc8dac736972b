import Testing

@testable import YAMLText

@Suite("Diagnostics as workflow commands")
struct GitHubDiagnosticRendererTests {
    private func command(
        _ message: String, _ severity: Diagnostic.Severity = .error, file: String = "a.flow.yaml",
        at span: SourceSpan = span(3, 5, 3, 9), hint: String? = nil
    ) -> String {
        let diagnostic = Diagnostic(
            code: "FL034", severity: severity, file: file, span: span, message: message, hint: hint)
        return GitHubDiagnosticRenderer().render([diagnostic], sources: [])
    }

    @Test("a finding on one line has its columns, and its code is the title")
    func oneLine() {
        #expect(
            command("unbounded loop a -> b")
                == "::error file=a.flow.yaml,line=3,col=5,endColumn=9,title=FL034::unbounded loop a -> b\n")
    }

    @Test("a finding over several lines has no columns, which GitHub would refuse")
    func severalLines() {
        #expect(
            command("x", .warning, at: span(3, 5, 7, 2))
                == "::warning file=a.flow.yaml,line=3,endLine=7,title=FL034::x\n")
    }

    @Test("a hint is a second line of the message")
    func hint() {
        #expect(command("x", .info, hint: "do y").hasSuffix("::x%0Ahint: do y\n"))
        #expect(command("x", .info).hasPrefix("::notice file="))
    }

    @Test("neither a message nor a name can begin a command of its own")
    func escaping() {
        let text = command("100%\r\n::set-output name=x::y", file: "a:b,c%d\n.yaml")
        #expect(
            text
                == "::error file=a%3Ab%2Cc%25d%0A.yaml,line=3,col=5,endColumn=9,title=FL034::"
                + "100%25%0D%0A::set-output name=x::y\n")
        #expect(command("a\u{1B}[2Jb").contains("a\\u{1B}[2Jb"))
    }

    @Test("findings come sorted by place, each on one line")
    func sorted() {
        let first = Diagnostic(code: "FL001", file: "b", span: span(9, 1, 9, 2), message: "z")
        let second = Diagnostic(code: "FL002", file: "a", span: span(1, 1, 1, 2), message: "y")
        let lines = GitHubDiagnosticRenderer().render([first, second], sources: []).split(separator: "\n")
        #expect(lines.map { $0.suffix(1) } == ["y", "z"])
        #expect(GitHubDiagnosticRenderer().render([], sources: []) == "")
    }
}
