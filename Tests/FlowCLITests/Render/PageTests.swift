import FlowReport
@testable import FlowCLI
import Testing

@Suite("Pages")
struct PageTests {
    private func page(width: Int = 40, ascii: Bool = false, color: Bool = false) -> Page {
        Page(RenderOptions(color: color, ascii: ascii, width: width))
    }

    @Test("columns align by display width, not by characters")
    func wideCharacters() {
        var page = page()
        page.table([["名前", "a"], ["e\u{301}te", "b"], ["name", "c"]], indent: 1)
        #expect(page.text == " 名前  a\n e\u{301}te   b\n name  c\n")
    }

    @Test("a line is broken at spaces and goes on at its hanging indent")
    func wrapping() {
        var page = page()
        page.line("one two three four five six seven eight nine", indent: 2, hanging: 4)
        #expect(page.text == "  one two three four five six seven\n    eight nine\n")
    }

    @Test("a word that is longer than the line is broken where the room ends")
    func longWord() {
        var page = page()
        page.line(Styled(String(repeating: "x", count: 45)))
        #expect(page.text == String(repeating: "x", count: 40) + "\nxxxxx\n")
    }

    @Test("a narrow table wraps its longest texts and keeps words whole")
    func narrowTable() {
        var page = page()
        page.table([["redirect_uri", "http://l/cb", "step authorize"]], indent: 0)
        #expect(
            page.text
                == "redirect_uri  http://l/cb  step\n                           authorize\n")
    }

    @Test("in ASCII, signs become letters and other characters are written out")
    func ascii() {
        var page = page(ascii: true)
        page.line("✓ §3.1 → ‹code› é")
        #expect(page.text == "ok s.3.1 -> <code> \\u{E9}\n")
    }

    @Test("neighbours of one style share an escape sequence, and plain text has none")
    func colours() {
        var page = page(color: true)
        page.line(Styled("a", .good) + Styled("b", .good) + "c")
        #expect(page.text == "\u{1B}[32mab\u{1B}[0mc\n")
    }

    @Test(
        "what moves the cursor, hides or reorders text is written out",
        arguments: [
            "\u{1B}", "\u{7}", "\r", "\n", "\u{9B}", "\u{202E}", "\u{2066}", "\u{200B}", "\u{FEFF}",
            "\u{2028}",
        ])
    func hostile(character: String) {
        var page = page(color: true)
        page.line(Styled("a\(character)b"))
        let code = character.unicodeScalars.map { String($0.value, radix: 16, uppercase: true) }.joined()
        #expect(page.text == "a\\u{\(code)}b\n")
    }

    @Test(
        "lengths of time read as people say them",
        arguments: [
            (0, "0 ms"), (214, "214 ms"), (1000, "1 s"), (18_420, "18.4 s"), (59_990, "60 s"),
            (300_000, "5 min"),
            (303_000, "5 min 3 s"), (4_800_000, "1 h 20 min"),
        ] as [(Int64, String)])
    func spans(milliseconds: Int64, text: String) {
        #expect(SpanText.of(milliseconds) == text)
    }

    @Test(
        "what is left of a second is one, for what may still take time",
        arguments: [
            (-5, "1 s"), (0, "1 s"), (1, "1 s"), (1000, "1 s"), (1001, "2 s"), (60_000, "1 min"),
        ] as [(Int64, String)])
    func limits(milliseconds: Int64, text: String) {
        #expect(SpanText.limit(milliseconds) == text)
    }
}
