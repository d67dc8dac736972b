import Testing

@testable import YAMLText

@Suite("Long values in messages")
struct LongTextTests {
    private let long = "<" + String(repeating: "x", count: 4_000) + ">"

    private func cut(_ side: String, _ other: String, _ count: Int) -> String {
        "\(side)\(String(repeating: "x", count: 100 - side.count))…(\(count) characters)…"
            + String(repeating: "x", count: 100 - other.count) + other
    }

    @Test("what is of a usual length stays")
    func short() {
        let text = "no flow is named \"\(String(repeating: "a b", count: 130))\"; see: flowrun flow list"
        #expect(LongText.shortened(text) == text)
        #expect(LongText.shortened("") == "")
        let words = String(repeating: "word \"quoted\" ", count: 200)
        #expect(LongText.shortened(words) == words)
        let prose = "\"a\" \(String(repeating: "prose ", count: 100))\"b\" and one \" more"
        #expect(LongText.shortened(prose) == prose)
    }

    @Test("a value is cut in its middle, with its length, and the message around it stays")
    func values() {
        let short = cut("<", ">", 4_002)
        #expect(
            LongText.shortened("no flow is named \"\(long)\"; see: x")
                == "no flow is named \"\(short)\"; see: x")
        #expect(
            LongText.shortened("\(long): File name too long")
                == "\(cut("<", ">:", 4_003)) File name too long")
        #expect(LongText.shortened("'\(long)' and \(long)").hasSuffix(" and \(short)"))
        let spaced = "<" + String(repeating: "x ", count: 2_000) + ">"
        let quoted = LongText.shortened("a \"\(spaced)\" b")
        #expect(quoted.hasPrefix("a \"<x x ") && quoted.hasSuffix("x >\" b"))
        #expect(quoted.contains("…(4002 characters)…"))
        #expect(quoted.unicodeScalars.count < 260)
    }

    @Test("a message is bounded whatever it consists of")
    func bounded() {
        let hostile = String(repeating: "a\" ", count: 5_000)
        let text = LongText.shortened(hostile)
        #expect(text.unicodeScalars.count < 2_100)
        #expect(text.contains("…(15000 characters)…"))
    }

    @Test("a diagnostic repeats no kilobytes")
    func diagnostic() {
        let found = Diagnostic(
            code: "FL010", file: "a", span: SourceSpan(at: .start), message: "unknown key \"\(long)\"",
            hint: "did you mean \(long)?")
        #expect(found.message == "unknown key \"\(cut("<", ">", 4_002))\"")
        #expect(found.hint?.contains("…(4003 characters)…") == true)
    }
}
