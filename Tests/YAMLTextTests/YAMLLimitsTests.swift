import Testing
@testable import YAMLText

@Suite("Size, nesting and encoding")
struct YAMLLimitsTests {
    @Test("a file of 256 KiB is read, one more byte is not")
    func size() throws {
        let text = "a: 1\n#" + String(repeating: "x", count: 256 * 1024 - 6)
        #expect(shape(try root(text)) == "{a=1}")
        #expect(complaints(text + "x") == ["1:1 FL002 the file has 262145 bytes, more than 262144; split it"])
    }

    @Test("sixteen levels are read, seventeen are not [rule 5]")
    func depth() throws {
        let deepest = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
        #expect(shape(try root(deepest)) == deepest)
        #expect(complaints("[\(deepest)]") == ["1:17 FL002 nested deeper than 16 levels"])
    }

    @Test(
        "hostile nesting ends at the seventeenth level",
        arguments: ["[", "{a: ", "- ", "? ", "[{a: "])
    func hostileNesting(opening: String) {
        let text = String(repeating: opening, count: 250_000 / opening.utf8.count)
        let result = YAMLDocument.parse(SourceFile(path: "f", text: text))
        #expect(result.diagnostics.map(\.message).last == "nested deeper than 16 levels")
        #expect(result.root == nil)
    }

    @Test("10 000 nodes are read, 10 001 are not")
    func nodes() throws {
        let most = "[" + Array(repeating: "1", count: 9_999).joined(separator: ",") + "]"
        #expect(try root(most).sequence?.count == 9_999)
        let more = "[" + Array(repeating: "1", count: 10_000).joined(separator: ",\n") + "]"
        #expect(complaints(more) == ["10000:1 FL002 the file has more than 10000 values and keys; split it"])
    }

    @Test("keys are nodes too")
    func keysCount() {
        let file = SourceFile(path: "f", text: "a: 1\nb: 2\n")
        let limits = YAMLLimits(bytes: 100, depth: 2, nodes: 4)
        #expect(
            lines(YAMLDocument.parse(file, limits: limits).diagnostics) == [
                "2:4 FL002 the file has more than 4 values and keys; split it"
            ])
    }

    @Test("an alias bomb is refused without being expanded [rule 5]")
    func aliasBomb() {
        var text = "a0: &a0 [x, x]\n"
        for level in 1...30 { text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
        let complaints = complaints(text)
        #expect(complaints.count == 31 + 60)
        #expect(complaints[2] == "2:10 FL006 alias \"*a0\" is not allowed; write the value out")
    }

    @Test(
        "control characters, and line breaks that not all tools know, are named with their place",
        arguments: [
            ("a: \u{0}\n", "1:4", "U+0000"), ("# é\u{2028}b: 1\n", "1:4", "U+2028"),
            ("a: 1\nb:\r c\n", "2:3", "U+000D"),
            ("a: \u{85}\n", "1:4", "U+0085"), ("a: \u{1B}[31m\n", "1:4", "U+001B"),
            ("a\u{FEFF}: 1\n", "1:2", "U+FEFF"),
            ("\u{7F}\n", "1:1", "U+007F"), ("a: \u{FFFE}\n", "1:4", "U+FFFE"),
            ("a: \u{2029}\n", "1:4", "U+2029"),
        ])
    func characters(text: String, place: String, name: String) {
        #expect(complaints(text) == ["\(place) FL002 character \(name) is not allowed in the file"])
    }

    @Test("bytes that are not UTF-8 are reported with their place")
    func notUTF8() {
        let file = SourceFile(path: "f", bytes: Array("a: 1\né: ".utf8) + [0xC3, 0x28, 0x0A])
        #expect(complaints(file) == ["2:4 FL002 the file is not UTF-8 from here on; save it as UTF-8"])
        let cutShort = SourceFile(path: "f", bytes: Array("a: ".utf8) + [0xE2, 0x82])
        #expect(complaints(cutShort) == ["1:4 FL002 the file is not UTF-8 from here on; save it as UTF-8"])
    }

    @Test("UTF-16 is named", arguments: [[0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61]] as [[UInt8]])
    func utf16(bytes: [UInt8]) {
        #expect(
            complaints(SourceFile(path: "f", bytes: bytes)) == [
                "1:1 FL002 the file is UTF-16; save it as UTF-8"
            ])
    }
}
