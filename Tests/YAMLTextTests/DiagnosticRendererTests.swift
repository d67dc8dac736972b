import Testing
@testable import YAMLText

@Suite("Diagnostics as text")
struct TextDiagnosticRendererTests {
    private let file = SourceFile(
        path: "broken.flow.yaml",
        text: String(repeating: "\n", count: 43) + "      state_mismatch: userinfo\n")

    private func diagnostic(
        _ severity: Diagnostic.Severity = .error, at span: SourceSpan = span(44, 23, 44, 31),
        file: String? = nil,
        hint: String? = nil
    ) -> Diagnostic {
        Diagnostic(
            code: "FL064", severity: severity, file: file ?? "broken.flow.yaml", span: span,
            message: "security outcome \"state_mismatch\" reaches success", hint: hint,
            related: hint == nil
                ? [] : [.init(span: YAMLTextTests.span(1, 2, 1, 3), message: "because of this")])
    }

    @Test("the full form has the line, the source, the caret and the summary")
    func fullForm() {
        let output = TextDiagnosticRenderer().render([diagnostic()], sources: [file])
        #expect(
            output == """
                broken.flow.yaml:44:23: error[FL064]: security outcome "state_mismatch" reaches success
                     |
                  44 |       state_mismatch: userinfo
                     |                       ^~~~~~~~
                broken.flow.yaml: 1 error(s), 0 warning(s)

                """)
    }

    @Test("a credential is not shown, whatever is wrong with its lines")
    func credentials() {
        let text = "a: canary-1, b: x\nc: |\n  canary-2\n  canary-3\n"
        func found(_ code: String, _ span: SourceSpan) -> Diagnostic {
            Diagnostic(
                code: code, file: "f.yaml", span: span, message: "wrong", isCredential: code == "FL066")
        }
        let output = TextDiagnosticRenderer().render(
            [
                found("FL066", span(1, 4, 1, 12)), found("FL016", span(1, 14, 1, 15)),
                found("FL066", span(2, 4, 4, 11)), found("FL016", span(3, 3, 3, 9)),
            ], sources: [SourceFile(path: "f.yaml", text: text)])
        #expect(!output.contains("canary"))
        #expect(output.contains("   1 | a: ********, b: x"))
    }

    @Test("a long hint is given once a file, and each of its places told")
    func repeatedHints() {
        let long = "keys here: " + String(repeating: "k", count: 89)
        func found(_ line: Int, _ hint: String, _ file: String = "broken.flow.yaml") -> Diagnostic {
            diagnostic(at: span(line, 1, line, 2), file: file, hint: hint)
        }
        let output = TextDiagnosticRenderer().render(
            [
                found(1, long), found(2, long), found(3, "short"), found(4, "short"), found(5, long),
                found(6, long + "k"), found(7, long, "other.flow.yaml"),
            ], sources: [])
        #expect(
            output.split(separator: "\n").filter { $0.hasPrefix("  hint: ") } == [
                "  hint: \(long)", "  hint: the same as at 1:1", "  hint: short", "  hint: short",
                "  hint: the same as at 1:1", "  hint: \(long)k", "  hint: \(long)",
            ])
    }

    @Test("notes and the hint follow the excerpt")
    func notes() {
        let output = TextDiagnosticRenderer().render([diagnostic(.warning, hint: "do that")], sources: [file])
        #expect(
            output == """
                broken.flow.yaml:44:23: warning[FL064]: security outcome "state_mismatch" reaches success
                     |
                  44 |       state_mismatch: userinfo
                     |                       ^~~~~~~~
                  note: broken.flow.yaml:1:2: because of this
                  hint: do that
                broken.flow.yaml: 0 error(s), 1 warning(s)

                """)
    }

    @Test("files are sorted, each with its own summary; a file without source has no excerpt")
    func severalFiles() {
        let output = TextDiagnosticRenderer(detail: .oneLine).render(
            [
                diagnostic(.info), diagnostic(), diagnostic(file: "a"), diagnostic(at: span(3, 1, 3, 2)),
                diagnostic(.warning),
            ], sources: [])
        let message = "security outcome \"state_mismatch\" reaches success"
        #expect(
            output.contains(
                "a:44:23: error[FL064]: \(message)\na: 1 error(s), 0 warning(s)\nbroken.flow.yaml:3:1: "))
        #expect(output.hasSuffix("\nbroken.flow.yaml: 2 error(s), 1 warning(s)\n"))
        #expect(TextDiagnosticRenderer().summary(of: [], in: "f") == "f: 0 error(s), 0 warning(s)")
    }

    @Test("colour is used only when asked for")
    func colour() {
        let output = TextDiagnosticRenderer(colour: true).render([diagnostic()], sources: [file])
        #expect(output.contains("44:23: \u{1B}[1;31merror[FL064]\u{1B}[0m: security"))
        #expect(output.contains("|                       \u{1B}[1;31m^~~~~~~~\u{1B}[0m\n"))
        #expect(!TextDiagnosticRenderer().render([diagnostic()], sources: [file]).contains("\u{1B}"))
    }

    @Test("the caret stands under its character after wide letters, combining marks and tabs")
    func caretColumns() {
        #expect(
            rendered("é: {日本👍e\u{301}: 1,\t&x b: 2}\n") == """
                f:1:15: error[FL006]: anchors are not allowed; write the value where it is used
                     |
                   1 | é: {日本👍e\u{301}: 1,    &x b: 2}
                     |                    ^
                """)
    }

    @Test("a duplicate key shows both places")
    func duplicate() {
        #expect(
            rendered("a: 1\nb: 2\na: 3\n") == """
                f:3:1: error[FL004]: duplicate key "a"
                     |
                   3 | a: 3
                     | ^
                  note: f:1:1: first written here
                """)
    }

    @Test("a file cannot drive the terminal, by its text, its names or its path")
    func invisible() {
        #expect(
            rendered("a\u{202E}b: \"\u{2066}\u{200B}\"\na\u{202E}b: 2\n") == """
                f:2:1: error[FL004]: duplicate key "a\\u{202E}b"
                     |
                   2 | a\\u{202E}b: 2
                     | ^~~~~~~~~~
                  note: f:1:1: first written here
                """)
        let file = SourceFile(path: "\u{1B}]0;x\u{7}\nf", text: "\u{1B}[2J\r\n")
        let output = TextDiagnosticRenderer().render(YAMLDocument.parse(file).diagnostics, sources: [file])
        #expect(
            output == """
                \\u{1B}]0;x\\u{7}\\u{A}f:1:1: error[FL002]: character U+001B is not allowed in the file
                     |
                   1 | \\u{1B}[2J
                     | ^~~~~~
                  hint: write "\\u001B" in double quotes
                \\u{1B}]0;x\\u{7}\\u{A}f: 1 error(s), 0 warning(s)

                """)
    }

    @Test("a long line is cut on both sides of the caret")
    func longLine() {
        let long = String(repeating: "x", count: 500)
        let lines = rendered("{ p: \(long), on: \(long) }\n").split(separator: "\n")
        #expect(
            lines[2] == "   1 | …" + String(repeating: "x", count: 28) + ", on: "
                + String(repeating: "x", count: 66) + "…")
        #expect(lines[3] == "     |  " + String(repeating: " ", count: 30) + "^~")
    }

    @Test("a span over several lines is underlined to the end of its first")
    func severalLines() {
        let file = SourceFile(path: "f", text: "a: [1,\n  2]\n")
        let diagnostic = Diagnostic(code: "FL016", file: "f", span: span(1, 4, 2, 5), message: "m")
        let output = TextDiagnosticRenderer().render([diagnostic], sources: [file])
        #expect(output.contains("   1 | a: [1,\n     |    ^~~\n"))
    }

    @Test("a span at the end of a line, or outside the file, does no harm")
    func outside() {
        let file = SourceFile(path: "f", text: "a:\n")
        let places = [span(1, 3, 1, 3), span(1, 9, 1, 12), span(9, 9, 9, 9)]
        let diagnostics = places.map { Diagnostic(code: "FL011", file: "f", span: $0, message: "m") }
        #expect(
            TextDiagnosticRenderer().render(diagnostics, sources: [file]) == """
                f:1:3: error[FL011]: m
                     |
                   1 | a:
                     |   ^
                f:1:9: error[FL011]: m
                     |
                   1 | a:
                     |   ^
                f:9:9: error[FL011]: m
                f: 3 error(s), 0 warning(s)

                """)
    }
}

@Suite("Diagnostics as JSON")
struct JSONDiagnosticRendererTests {
    @Test("every member is there, and nothing is an empty array")
    func json() {
        let renderer = JSONDiagnosticRenderer()
        #expect(renderer.render([], sources: []) == "[]\n")
        let diagnostics = [
            Diagnostic(
                code: "FL004", file: "f", span: span(3, 1, 3, 2), message: "duplicate key \"a\"",
                related: [.init(span: span(1, 1, 1, 2), message: "first")]),
            Diagnostic(
                code: "FL031", severity: .warning, file: "f", span: span(2, 1, 2, 2), message: "m", hint: "h",
                fix: .init("f")),
        ]
        #expect(
            renderer.render(diagnostics, sources: []) == #"""
                [
                  {"code":"FL031","severity":"warning","file":"f","line":2,"column":1,"endLine":2,"endColumn":2,"message":"m","hint":"h","fix":"f","related":[]},
                  {"code":"FL004","severity":"error","file":"f","line":3,"column":1,"endLine":3,"endColumn":2,"message":"duplicate key \"a\"","hint":null,"fix":null,"related":[{"line":1,"column":1,"endLine":1,"endColumn":2,"message":"first"}]}
                ]

                """#)
    }

    @Test("strings are escaped, invisible characters too")
    func strings() {
        #expect(
            JSONText.quoted("a\"\\\n\r\t\u{0}\u{1B}\u{202E}é👍\u{E0041}")
                == #""a\"\\\n\r\t\u0000\u001b\u202eé👍\udb40\udc41""#)
    }
}
