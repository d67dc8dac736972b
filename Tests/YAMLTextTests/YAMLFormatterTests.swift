import Testing

@testable import YAMLText

@Suite("Canonical form")
struct YAMLFormatterTests {
    private static let order = KeyOrder.keys([
        ("flow", .asWritten),
        (
            "steps",
            .names { _, _ in .keys([("do", .asWritten), ("next", .either([.asWritten, .list(edge)]))]) }
        ),
        ("ends", .asWritten),
    ])

    private static let edge = KeyOrder.either([
        .asWritten, .keys([("to", .asWritten), ("if", .asWritten), ("max", .asWritten)]),
    ])

    /// The canonical form, which must be its own canonical form.
    private func format(_ text: String) throws -> String {
        let result = try YAMLFormatter.format(SourceFile(path: "f", text: text), Self.order)
        let again = try YAMLFormatter.format(SourceFile(path: "f", text: result), Self.order)
        #expect(again == result)
        return result
    }

    // MARK: Layout

    @Test("keys stand in the order of the language, those of other tools behind them")
    func order() throws {
        let text = """
            x-team: a
            ends: {}
            steps:
                b: {next: c, do: set}
                a: { next: b }
            flow:   f
            """
        #expect(
            try format(text) == """
                flow: f
                steps:
                  b: { do: set, next: c }
                  a: { next: b }
                ends: {}
                x-team: a

                """)
    }

    @Test("a comment goes with the key that it stands before or behind")
    func movedComments() throws {
        let text = """
            # of the file
            steps: # all of them
              # of a
              a:
                # of next
                next: b # behind next
                do: set
            # of flow
            flow: f # behind flow
            """
        #expect(
            try format(text) == """
                # of the file
                # of flow
                flow: f  # behind flow
                steps:  # all of them
                  # of a
                  a:
                    do: set
                    # of next
                    next: b  # behind next

                """)
    }

    @Test("a comment behind the last entry belongs to what it is indented like")
    func footComments() throws {
        let text = """
            steps:
              a:
                next: b
                # of a
              # of steps
              # still of steps
            # of ends
            ends: {}
            # of the file
            """
        #expect(try format(text) == text + "\n")
    }

    @Test("blank lines stay, one at a time, and none at the beginning and the end")
    func blankLines() throws {
        let text = "\n\nflow: f\n\n\n\nsteps:\n\n\n  # a\n\n  a: {}\n\n\n  b: {}\nends: {}\n\n\n"
        #expect(try format(text) == "flow: f\n\nsteps:\n  # a\n\n  a: {}\n\n  b: {}\nends: {}\n")
    }

    @Test("lists are indented, and lists and mappings in lists begin behind the dash")
    func lists() throws {
        let text = """
            tests:
            -   name: a
                path: [ x,y ]
            # before b
            - # b
              name: b
            - - 1
              - 2
            -
            - {}
            """
        #expect(
            try format(text) == """
                tests:
                  - name: a
                    path: [x, y]
                  # before b
                  # b
                  - name: b
                  - - 1
                    - 2
                  -
                  - {}

                """)
    }

    @Test("a comment that stood in a column stays there while there is room")
    func columns() throws {
        #expect(
            try format("a: 1      # one\nbb: 2     # two\nccccccccccc: 3 # three\n") == """
                a: 1      # one
                bb: 2     # two
                ccccccccccc: 3  # three

                """)
    }

    // MARK: Brackets

    @Test("what stood in brackets in one line stays so where it fits 110 columns")
    func shortBrackets() throws {
        #expect(try format("a: {b: [1,2],c: {}  , d: []}") == "a: { b: [1, 2], c: {}, d: [] }\n")
        let joined = try format("a: [\n  one,\n  two\n]\n")
        #expect(joined == "a: [one, two]\n")
    }

    @Test("brackets that are too long or hold comments become lines")
    func longBrackets() throws {
        let word = String(repeating: "w", count: 60)
        let text = "steps: { a: { next: [ { max: 1, to: \(word), if: \"\(word)\" }, c ] } }"
        #expect(
            try format(text) == """
                steps:
                  a:
                    next:
                      - to: \(word)
                        if: "\(word)"
                        max: 1
                      - c

                """)
        let commented = "a: [ # open\n  # one\n  1, # first\n  2 # second\n  # end\n] # closed\n"
        #expect(
            try format(commented)
                == "a:  # closed\n  # open\n  # one\n  - 1  # first\n  - 2  # second\n  # end\n")
    }

    @Test("a file in the form of JSON becomes lines")
    func json() throws {
        #expect(
            try format("{\"flow\": \"f\",\n \"ends\": {\"a\": {\"b\": null}}}") == """
                "flow": "f"
                "ends": { "a": { "b": null } }

                """)
    }

    // MARK: Scalars

    @Test("double quotes, unless the text holds some or backslashes; awkward escapes as they are")
    func quotes() throws {
        let cases = [
            "'a'": "\"a\"", "'it''s'": "\"it's\"", "\"say \\\"x\\\"\"": "'say \"x\"'",
            "\"it's \\\"x\\\"\"": "'it''s \"x\"'", "'C:\\d'": "'C:\\d'", "\"a\\\\b\"": "'a\\b'",
            "\"a\\tb\"": "\"a\\tb\"", "\"\\u200b\"": "\"\\u200b\"", "''": "\"\"", "'1'": "\"1\"",
            "plain text": "plain text", "'# no comment'": "\"# no comment\"", "a#b": "a#b",
        ]
        for (written, canonical) in cases { #expect(try format("k: \(written)") == "k: \(canonical)\n") }
        #expect(try format("'my key': 1") == "\"my key\": 1\n")
    }

    @Test("texts of several lines keep their lines at the new indentation")
    func multiLine() throws {
        let text = """
            a:
                b: |  # kept
                        one
                          two # no comment

                        three
                c: >-
                  folded

                   more
                d: "first
                         second \\
                      third"  # behind
                e: plain
                    words
            """
        #expect(
            try format(text) == """
                a:
                  b: |    # kept
                    one
                      two # no comment

                    three
                  c: >-
                    folded

                     more
                  d: "first
                    second \\
                    third"        # behind
                  e: plain
                    words

                """)
    }

    @Test("blocks that begin with spaces, keep their end, or are empty")
    func blocks() throws {
        #expect(try format("a: |2\n    x\n  y\n") == "a: |2\n    x\n  y\n")
        #expect(try format("a: |4\n      x\n    y\n") == "a: |2\n    x\n  y\n")
        #expect(try format("a: |+\n  x\n\n\nb: 1\n") == "a: |+\n  x\n\n\nb: 1\n")
        #expect(try format("a: |\n\n  x\n\n\nb: 1\n") == "a: |\n\n  x\n\nb: 1\n")
        #expect(try format("a: |\nb: >+\n\n\nc: 1\n") == "a: \"\"\nb: \"\\n\\n\"\nc: 1\n")
        #expect(try format("- |\n  x\n-  >-\n    y\n") == "- |\n  x\n- >-\n  y\n")
    }

    @Test("Windows line ends, a byte order mark and document marks go")
    func otherForms() throws {
        #expect(
            try format("\u{FEFF}---\r\na: 1 # x\r\nb:   |\r\n   t\r\n...\r\n") == "a: 1  # x\nb: |\n  t\n")
        #expect(try format("") == "")
        #expect(try format("# only\n") == "# only\n")
        #expect(try format("a:\n  # why\n  text\n") == "# why\na: text\n")
        #expect(try format("a:  # one\n  text  # two\n") == "# one\na: text  # two\n")
    }

    // MARK: Refusals

    @Test("a file that is no YAML of the language is not formatted")
    func unreadable() throws {
        let text = "a: &x 1\nb: [\n"
        #expect {
            try YAMLFormatter.format(SourceFile(path: "f", text: text))
        } throws: { error in
            guard case YAMLFormatter.Problem.unreadable(let found) = error else { return false }
            return found.map(\.code) == ["FL006", "FL001"]
        }
    }

    @Test("two trees say the same whatever the order of their keys, and not when a type differs")
    func same() throws {
        let one = try #require(YAMLDocument.parse(SourceFile(path: "f", text: "{a: 1, b: [x, 'y']}")).root)
        for (text, isSame) in [
            ("b: [x, y]\na: 1", true), ("a: '1'\nb: [x, y]", false), ("a: 1\nb: [y, x]", false),
            ("a: 1", false), ("a: 1\nb: [x, y]\nc: 2", false),
        ] {
            let other = try #require(YAMLDocument.parse(SourceFile(path: "f", text: text)).root)
            #expect(one.says(other) == isSame)
        }
    }
}
