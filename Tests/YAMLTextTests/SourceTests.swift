import Testing
import YAMLText

@Suite("Source text")
struct SourceTests {
    @Test("lines are found by number, without their line breaks")
    func lines() {
        let file = SourceFile(path: "f", text: "a\r\n\nb")
        #expect((0...4).map { file.line($0).map(String.init) } == [nil, "a", "", "b", nil])
    }

    @Test("marks are ordered by line, then column, and print as editors read them")
    func marks() {
        let marks = [
            SourceMark(line: 2, column: 1), SourceMark(line: 1, column: 9), SourceMark(line: 1, column: 10),
        ]
        #expect(marks.sorted().map(\.description) == ["1:9", "1:10", "2:1"])
    }

    @Test("diagnostics are ordered by file, place and code")
    func ordering() {
        func diagnostic(_ file: String, _ line: Int, _ code: String) -> Diagnostic {
            let mark = SourceMark(line: line, column: 1)
            return Diagnostic(code: code, file: file, span: SourceSpan(start: mark, end: mark), message: "m")
        }
        let diagnostics = [
            diagnostic("b", 1, "FL001"), diagnostic("a", 10, "FL001"), diagnostic("a", 2, "FL002"),
            diagnostic("a", 2, "FL001"),
        ]
        #expect(diagnostics.sorted() == [diagnostics[3], diagnostics[2], diagnostics[1], diagnostics[0]])
    }
}

@Suite("Spelling suggestions")
struct SpellingSuggestionTests {
    private let known = ["security", "success", "refresh", "outcomes", "id", "max", "who", "next", "text"]

    @Test(
        "a slip finds the name that was meant",
        arguments: [
            ("secutiry", "security"), ("refrsh", "refresh"), ("OutComes", "outcomes"), ("whoo", "who"),
            ("mxa", "max"), ("outcome", "outcomes"),
        ])
    func found(typed: String, meant: String) {
        #expect(SpellingSuggestion.nearest(to: typed, in: known) == meant)
    }

    @Test(
        "a name that is far or too short finds nothing",
        arguments: ["io", "xyz", "freshen", "", "secxxity_", String(repeating: "a", count: 10_000)])
    func notFound(typed: String) {
        #expect(SpellingSuggestion.nearest(to: typed, in: known) == nil)
    }

    @Test("among equally near names the first in code point order wins")
    func ties() {
        #expect(SpellingSuggestion.nearest(to: "nxxt", in: ["next", "nxat"]) == "next")
        #expect(SpellingSuggestion.nearest(to: "nxxt", in: ["nxat", "next"]) == "next")
    }
}
