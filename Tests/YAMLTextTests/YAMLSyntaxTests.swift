import Testing
@testable import YAMLText

@Suite("Syntax errors say where and what was open")
struct YAMLSyntaxTests {
    @Test(
        "a value that a comment without a space and a word cuts off is asked about",
        arguments: [
            ("client_id: abc #1\n", ["1:12 FL001 the value ends here: \" #\" begins a comment"]),
            ("a:\n  - \u{e9}x   #/b\n", ["2:5 FL001 the value ends here: \" #\" begins a comment"]),
            ("a: { b: c, d: e #1\n  }\n", ["1:15 FL001 the value ends here: \" #\" begins a comment"]),
            ("a: b # 1\n", []), ("a: b #c\n", []), ("a: \"b #1\"\n", []), ("a: b#1\n", []),
            ("#1\na: b\n", []),
            ("a: |\n  b #1\n", []), ("a: {b: c, d: \"c #1\"}\n", []), ("a: #1\n", []),
        ] as [(String, [String])])
    func cutValue(text: String, expected: [String]) {
        #expect(complaints(text) == expected)
    }

    @Test(
        "each kind of syntax error is put in our words",
        arguments: [
            ("a: { b: 1\n", "1:4 FL001 the file ends before this \"{\" does [2:1 the file ends here]"),
            ("a: [1, 2", "1:4 FL001 the file ends before this \"[\" does [2:1 the file ends here]"),
            (
                "a: \"x\nb: 1\n",
                "1:4 FL001 the file ends before this quoted text does [3:1 the file ends here]"
            ),
            ("a: 'x", "1:4 FL001 the file ends before this quoted text does [1:6 the file ends here]"),
            (
                "a: [1 2: 3}\n",
                "1:11 FL001 expected \",\" or \"]\", found \"}\" [1:4 in the \"[\" that starts here]"
            ),
            (
                "a: { b: 1\nc: 2 }\n",
                "2:2 FL001 expected \",\" or \"}\", found \":\" [1:4 in the \"{\" that starts here]"
            ),
            ("a: b: c\n", "1:5 FL001 \":\" is not allowed here [1:1 in the mapping that starts here]"),
            ("a: - b\n", "1:4 FL001 \"-\" is not allowed here [1:1 in the mapping that starts here]"),
            ("a: 1\n  b: 2\n", "2:4 FL001 \":\" is not allowed here [1:1 in the mapping that starts here]"),
            (
                "a:\n    b: 1\n  c: 2\n",
                "3:3 FL001 expected a key, found \"c\" [1:1 in the mapping that starts here]"
            ),
            ("- a\nb: 1\n", "2:1 FL001 expected \"-\", found \"b\" [1:1 in the list that starts here]"),
            (
                "a: @b\n",
                "1:4 FL001 a plain value cannot start with \"@\" [1:1 in the mapping that starts here]"
            ),
            (
                "a: *\n",
                "1:5 FL001 a plain value cannot start with \"*\" or \"&\" [1:1 in the mapping that starts here]"
            ),
            ("a: 1\nb\nc: 2\n", "2:1 FL001 expected \":\" after this key"),
            (
                "a: \"\\q\"\n",
                "1:5 FL001 unknown escape in double-quoted text [1:4 in the quoted text that starts here]"
            ),
            (
                "a: |x\n",
                "1:5 FL001 expected the end of the line, found \"x\" [1:4 in the block of text that starts here]"
            ),
            ("[a]\nb: 1\n", "2:1 FL001 expected the end of the file, found \"b\""),
        ])
    func words(text: String, complaint: String) {
        let result = YAMLDocument.parse(SourceFile(path: "f", text: text))
        #expect(lines(result.diagnostics) == [complaint])
        #expect(result.root == nil)
    }

    @Test(
        "what only looks like a space or a hyphen is named where it stands",
        arguments: [
            (
                "a:\n  – { b: 1, c: 2 }\n", "2:14 \":\" is not allowed here",
                "an element of a list begins with \"-\", not with \"–\""
            ),
            (
                "a:\n  - b\n  — c\nd: 1\n", "3:3 expected \":\" after this key",
                "an element of a list begins with \"-\", not with \"—\""
            ),
            (
                "a:\n\u{A0}\u{A0}b: 1\n  c: 2\n", "3:4 \":\" is not allowed here",
                "line 2 begins with U+00A0, which only looks like a space: indent with spaces"
            ),
            (
                "a: 1\nb:2\nc: 3\n", "2:1 expected \":\" after this key",
                "a key is followed by \":\" and a space, on the same line"
            ),
            (
                "a: 1\nb:2\n", "2:1 expected \":\" after this key",
                "a key is followed by \":\" and a space, on the same line"
            ),
        ])
    func lookAlikes(text: String, complaint: String, hint: String) {
        let found = YAMLDocument.parse(SourceFile(path: "f", text: text)).diagnostics
        #expect(found.map { "\($0.span.start) \($0.message)" } == [complaint])
        #expect(found.map(\.hint) == [hint])
    }

    @Test("mistakes before a syntax error are reported with it")
    func mistakesBefore() {
        #expect(
            complaints("a: 1\na: 2\nb: ]\n") == [
                "2:1 FL004 duplicate key \"a\" [1:1 first written here]",
                "3:4 FL001 expected a value, found \"]\" [1:1 in the mapping that starts here]",
            ])
    }
}
