import Testing
import YAMLText

@Suite("Nodes and their places")
struct YAMLNodeTests {
    @Test("keys keep their order and every key and value knows its place")
    func positions() throws {
        let root = try root("b: 1\na:\n  - x\n  - { c: \"y\" }\n")
        #expect(shape(root) == "{b=1,a=[x,{c=y}]}")
        #expect(root.span == span(1, 1, 4, 15))
        let entry = try #require(root.mapping?["a"])
        #expect(entry.keySpan == span(2, 1, 2, 2))
        #expect(entry.value.span == span(3, 3, 4, 15))
        #expect(entry.value.sequence?[1]["c"]?.span == span(4, 10, 4, 13))
        #expect(root["missing"] == nil)
    }

    @Test("columns count Unicode scalars")
    func scalarColumns() throws {
        let root = try root("\"né👍e\u{301}\": {k: v}\n")
        #expect(root.mapping?.entries[0].value.mapping?["k"]?.keySpan == span(1, 11, 1, 12))
    }

    @Test(
        "only the agreed forms of a plain scalar are not strings",
        arguments: [
            ("true", YAMLScalar.Value.bool(true)), ("false", .bool(false)), ("null", .null), ("", .null),
            ("0", .int(0)), ("-0", .int(0)), ("42", .int(42)), ("-7", .int(-7)), ("0.5", .number(0.5)),
            ("-1.25", .number(-1.25)), ("9223372036854775807", .int(.max)),
        ])
    func resolved(text: String, value: YAMLScalar.Value) throws {
        #expect(try root("k: \(text)\n")["k"]?.value == value)
    }

    @Test(
        "what other YAML tools read in different ways stays a string [rule 5]",
        arguments: [
            "1:30", "0777", "012", "1e3", "+1", ".5", "1.", "~", "True", "TRUE", "Null", "yes", "no", "on",
            "off",
            "0x1F", "0o17", ".inf", ".nan", "2024-05-01", "1_000", "9223372036854775808",
            "1.5e3", "--1", "1-", "-",
        ])
    func unresolved(text: String) {
        #expect(YAMLScalar(text: text, style: .plain).value == .string(text))
    }

    @Test("quoted and block scalars are strings whatever they say")
    func quotedAreStrings() throws {
        let root = try root("a: '1'\nb: \"true\"\nc: |\n  null\nd: >-\n  2\n")
        #expect(
            root.mapping?.entries.map(\.value.value) == [
                .string("1"), .string("true"), .string("null\n"), .string("2"),
            ])
        #expect(
            root.mapping?.entries.compactMap(\.value.scalar?.style) == [
                .singleQuoted, .doubleQuoted, .literal, .folded,
            ])
    }

    @Test("CRLF files read like LF files")
    func carriageReturns() throws {
        let root = try root("a: 1\r\nb: |\r\n  x\r\n  y\r\nc: 2\r\n")
        #expect(shape(root) == "{a=1,b=x\ny\n,c=2}")
        #expect(root.mapping?["c"]?.keySpan == span(5, 1, 5, 2))
    }

    @Test(
        "a file with nothing in it is a null",
        arguments: ["", "\n", "# only a comment\n", "---\n", "--- \n...\n"])
    func empty(text: String) throws {
        #expect(try root(text).value == .null)
    }

    @Test("a byte order mark of UTF-8 does not shift columns")
    func byteOrderMark() throws {
        let file = SourceFile(path: "f", bytes: [0xEF, 0xBB, 0xBF] + Array("a: 1\n".utf8))
        #expect(YAMLDocument.parse(file).root?.mapping?["a"]?.keySpan == span(1, 1, 1, 2))
    }
}

@Suite("Places inside scalars")
struct ScalarOffsetTests {
    private func place(_ text: String, _ offset: Int) throws -> SourceMark? {
        try root(text)["k"]?.span(ofScalars: offset..<offset).start
    }

    @Test(
        "a character of a one-line scalar is found under quotes and after escapes",
        arguments: [
            ("k: abc\n", 2, 6), ("k: é👍c\n", 2, 6), ("k: 'abc'\n", 2, 7), ("k: 'a''b'\n", 2, 8),
            ("k: \"abc\"\n", 2, 7), ("k: \"a\\tc\"\n", 2, 4), ("k: abc\n", 3, 7), ("k: abc\n", -1, 4),
        ])
    func oneLine(text: String, offset: Int, column: Int) throws {
        #expect(try place(text, offset) == SourceMark(line: 1, column: column))
    }

    @Test(
        "a character of a literal block is found on its line",
        arguments: [
            ("k: |\n  ab\n  cd\n", 0, 2, 3), ("k: |\n  ab\n  cd\n", 4, 3, 4), ("k: |\n\n\n    ab\n", 3, 4, 6),
            ("k: |2\n    ab\n", 2, 2, 5), ("k: |-  # note\n  a\n\n  b\n", 3, 4, 3),
            ("k: |\r\n  a\r\n  b\r\n", 2, 3, 3),
        ])
    func literal(text: String, offset: Int, line: Int, column: Int) throws {
        #expect(try place(text, offset) == SourceMark(line: line, column: column))
    }

    @Test(
        "a character of a scalar that was folded is found on its line",
        arguments: [
            ("k: >\n  ab\n  cd\n", 3, 3, 3), ("k: ab\n  cd\n", 4, 2, 4), ("k: \"ab\n  cd\"\n", 3, 2, 3),
            ("k: 'ab\n  cd'\n", 3, 2, 3), ("k: ab\n  cd\n", 1, 1, 5),
            ("k: >-\n\n  ab\n\n\n    cd\nl: x\n", 1, 3, 3),
            ("k: >-\n  ab\n    cd\n  ef\n\n# no\nl: x\n", 9, 4, 4), ("k: 'a''b\n  c''''d'\n", 6, 2, 6),
            ("k: >\r\n  ab\r\n  cd\r\n", 3, 3, 3), ("k: é\n  👍c\n", 3, 2, 4), ("k: ab\n  cd\n", 5, 2, 5),
        ])
    func folded(text: String, offset: Int, line: Int, column: Int) throws {
        #expect(try place(text, offset) == SourceMark(line: line, column: column))
    }

    @Test(
        "an escape makes the places of a folded scalar uncertain: its start",
        arguments: ["k: \"a\\tb\n  cd\"\n", "k: \"ab\\\n  cd\"\n", "k: [ab]\n"])
    func uncertain(text: String) throws {
        #expect(try place(text, 3) == SourceMark(line: 1, column: 4))
    }

    @Test("several literal blocks are each found")
    func manyLiterals() throws {
        let root = try root("a: |\n  x\nb:\n  c: |\n      y\n")
        #expect(root["a"]?.span(ofScalars: 0..<0).start == SourceMark(line: 2, column: 3))
        #expect(root["b"]?["c"]?.span(ofScalars: 0..<0).start == SourceMark(line: 5, column: 7))
    }

    @Test("a stretch of a scalar has a span, or the scalar's where it is uncertain")
    func stretch() throws {
        let root = try root("a: x ${y}\nb: >\n  z\nc: \"\\tz\"\n")
        #expect(root["a"]?.span(ofScalars: 4..<5) == span(1, 8, 1, 9))
        #expect(root["b"]?.span(ofScalars: 0..<1) == span(3, 3, 3, 4))
        #expect(root["c"]?.span(ofScalars: 0..<1) == root["c"]?.span)
    }
}
