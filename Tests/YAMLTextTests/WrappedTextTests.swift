import Testing

@testable import YAMLText

@Suite("Messages in a narrow terminal")
struct WrappedTextTests {
    private let found = [
        Diagnostic(
            code: "FL010", file: "a.yaml",
            span: SourceSpan(start: SourceMark(line: 1, column: 1), end: SourceMark(line: 1, column: 2)),
            message: "a message of some words that is longer than a line",
            hint: "and a hint that is one too, of words",
            related: [
                .init(
                    span: SourceSpan(at: SourceMark(line: 1, column: 2)),
                    message: "which is told because of this")
            ])
    ]

    @Test("message, note and hint are broken between words, below where they begin")
    func wrapped() {
        #expect(
            TextDiagnosticRenderer(width: 60).render(found, sources: []) == """
                a.yaml:1:1: error[FL010]: a message of some words that is
                                          longer than a line
                  note: a.yaml:1:2: which is told because of this
                  hint: and a hint that is one too, of words
                a.yaml: 1 error(s), 0 warning(s)

                """)
        #expect(
            TextDiagnosticRenderer(width: 40).render(found, sources: []) == """
                a.yaml:1:1: error[FL010]: a message of
                    some words that is longer than a
                    line
                  note: a.yaml:1:2: which is told
                        because of this
                  hint: and a hint that is one too, of
                        words
                a.yaml: 1 error(s), 0 warning(s)

                """)
    }

    @Test("without a terminal each is one line")
    func whole() {
        let lines = TextDiagnosticRenderer().render(found, sources: []).split(separator: "\n")
        #expect(lines.count == 4)
    }

    @Test("a word that is too long is not broken, and colours take no columns")
    func long() {
        let address = String(repeating: "x", count: 90)
        #expect(
            WrappedText.lines("see \(address) there", after: 8, width: 40)
                == "see\n        \(address)\n        there")
        #expect(WrappedText.lines(address, after: 8, width: 40) == address)
        let plain = TextDiagnosticRenderer(width: 60).render(found, sources: [])
        let coloured = TextDiagnosticRenderer(colour: true, width: 60).render(found, sources: [])
        #expect(coloured.replacing("\u{1B}[1;31m", with: "").replacing("\u{1B}[0m", with: "") == plain)
    }
}
