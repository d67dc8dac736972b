import Testing

@testable import FlowLanguage

@Suite("Patterns of RFC 9485")
struct PatternTests {
    @Test(
        "a pattern matches the whole text or nothing",
        arguments: [
            ("", "", true), ("", "a", false), ("abc", "abc", true), ("abc", "abcd", false),
            ("abc", "zabc", false), ("a|b", "a", true), ("a|b", "b", true), ("a|b", "ab", false),
            ("a|", "", true), ("|a", "a", true), ("(ab|c)d", "abd", true), ("(ab|c)d", "cd", true),
            ("(ab|c)d", "abcd", false), ("()", "", true), ("a*", "", true), ("a*", "aaaa", true),
            ("a+", "", false), ("a+", "aa", true), ("a?b", "b", true), ("a?b", "aab", false),
            ("[0-9]{2}", "12", true), ("[0-9]{2}", "123", false), ("a{2,}", "aaaa", true),
            ("a{2,}", "a", false), ("[0-9]{1,3}x", "123x", true), ("[0-9]{1,3}x", "1234x", false),
            ("a{0}", "", true), ("a{0}", "a", false), ("a{0,0}b", "b", true), ("(a|b){2}c", "bac", true),
            ("(a*)*", "aaa", true), ("(a*)*", "b", false), ("(a?|b*){3}", "abb", true),
            ("((a|b)*c)+", "abcc", true),
        ])
    func structure(_ pattern: String, _ text: String, _ expected: Bool) throws {
        #expect(try Pattern(pattern).matches(text) == expected)
    }

    @Test(
        "classes of characters",
        arguments: [
            (".", "\u{1F600}", true), (".", "\n", false), (".", "\r", false), (".", "\u{2028}", true),
            ("[a-c]", "b", true), ("[a-c]", "d", false), ("[^a-c]", "d", true), ("[^a-c]", "b", false),
            ("[^a]", "\n", true), ("[-a]", "-", true), ("[a-]", "-", true), ("[^-a]", "-", false),
            ("[a-]", "b", false), ("[.*+?(){}|^$]", "$", true), ("[a^]", "^", true),
            (#"[\]\\]+"#, #"]\"#, true), (#"[\[-\]]"#, #"\"#, true), (#"\."#, ".", true),
            (#"\."#, "x", false), (#"\n\r\t"#, "\n\r\t", true), (#"[+\--]"#, "-", true),
            (#"\p{Lu}"#, "\u{C4}", true), (#"\p{Lu}"#, "\u{E4}", false),
            (#"\p{L}+"#, "a\u{E4}\u{4E2D}", true), (#"\P{L}"#, "1", true), (#"\P{L}"#, "a", false),
            (#"[\p{Nd}_]+"#, "1_\u{663}", true), (#"[^\p{Nd}]"#, "1", false), (#"[\P{Nd}]"#, "1", false),
            (#"\p{Sc}"#, "\u{20AC}", true), (#"\p{Cn}"#, "\u{378}", true), (#"\p{C}"#, "\u{0}", true),
            (#"\p{Zs}"#, "\u{A0}", true), ("-,/:;<=>@_`~!\"#%&'", "-,/:;<=>@_`~!\"#%&'", true),
            ("\u{E9}", "e\u{301}", false), ("[\u{E4}-\u{FC}]", "\u{F6}", true),
        ])
    func classes(_ pattern: String, _ text: String, _ expected: Bool) throws {
        #expect(try Pattern(pattern).matches(text) == expected)
    }

    @Test(
        "what is outside of the grammar is refused at its place",
        arguments: [
            ("a)", "1..<2 this ')' closes no group"), ("(a", "0..<1 this '(' is never closed; add ')'"),
            ("a**", "2..<3 '*' has nothing to repeat"), ("|+", "1..<2 '+' has nothing to repeat"),
            ("{2}", "0..<1 '{' has nothing to repeat"), ("a{2}{3}", "4..<5 '{' has nothing to repeat"),
            ("a{x}", "2..<3 a count is missing here"), ("a{,3}", "2..<3 a count is missing here"),
            ("a{3,1}", "1..<6 the counts are the wrong way round"),
            ("a{3", "1..<2 this '{' is never closed; add '}'"), ("a{3;}", "3..<4 expected '}', found ';'"),
            ("a}", "1..<2 '}' opens nowhere"), ("a]", "1..<2 ']' opens nowhere"),
            ("[", "0..<1 this '[' is never closed; add ']'"), ("[]", "0..<2 this class holds no character"),
            ("[z-a]", "1..<4 this range ends before it begins"),
            ("[a-c-e]", "4..<5 '-' stands first or last in a class"),
            ("[[a]]", "1..<2 '[' does not stand in a class"),
            (#"[a-\p{L}]"#, "2..<8 a range ends with one character"),
            (#"\"#, #"0..<1 a character is missing after '\'"#), (#"\d"#, #"0..<2 I-Regexp knows no "\d""#),
            (#"(a)\1"#, #"3..<5 I-Regexp knows no "\1""#), (#"\$"#, #"0..<2 I-Regexp knows no "\$""#),
            (#"\p{Latin}"#, #"3..<8 "Latin" is no general category of Unicode"#),
            (#"\p{Cs}"#, #"3..<5 "Cs" is no general category of Unicode"#),
            (#"\p{}"#, #"3..<4 "" is no general category of Unicode"#),
            (#"\pL"#, "2..<3 '{' is missing here"), ("(?:a)", "1..<2 only plain groups are known"),
            ("^a", "0..<1 '^' is no anchor: a pattern is about the whole text"),
            ("a$", "1..<2 '$' is no anchor: a pattern is about the whole text"),
        ])
    func refused(_ pattern: String, _ report: String) {
        let error = #expect(throws: PatternError.self) { try Pattern(pattern) }
        #expect(error.map { "\($0.range) \($0.message)" } == report)
    }

    @Test(
        "counts cannot make a pattern large",
        arguments: [
            ("a{1001}", "2..<6 a count is at most 1000"),
            ("a{99999999999999999999}", "2..<22 a count is at most 1000"),
            ("(a{500}){3}", "0..<11 the pattern comes to more than 1000 places"),
            ("((((){1000}){1000}){1000}){1000}", "2..<18 the pattern comes to more than 1000 places"),
            ("a{600}b{600}", "6..<12 the pattern comes to more than 1000 places"),
            ("a{900}|b{900}", "7..<13 the pattern comes to more than 1000 places"),
        ])
    func sizes(_ pattern: String, _ report: String) {
        let error = #expect(throws: PatternError.self) { try Pattern(pattern) }
        #expect(error.map { "\($0.range) \($0.message)" } == report)
    }

    @Test("groups nest to a bound")
    func depth() throws {
        let nested = { (count: Int) in
            String(repeating: "(", count: count) + "a" + String(repeating: ")", count: count)
        }
        #expect(try Pattern(nested(32)).matches("a"))
        let error = #expect(throws: PatternError.self) { try Pattern(nested(33)) }
        #expect(error?.message == "groups are nested more than 32 deep")
    }

    @Test(
        "a program holds no more than the parser counted",
        arguments: ["a{998,999}", "(a|b){199}", "a{0,499}", "(a+b?){100}", "(a{30}|b*){20}"])
    func programSize(_ pattern: String) throws {
        #expect(try Pattern(pattern).code.count <= PatternLimits.instructions + 1)
    }

    @Test(
        "hostile patterns cost time in proportion to the text",
        arguments: ["(a+)+b", "(a|a)*b", "(a*)*b", "(a|a?)+b", "(.*){10}b", "([a-z]+)*[a-z]+b"])
    func linear(_ pattern: String) throws {
        // Backtracking would take longer than the universe.
        let text = String(repeating: "a", count: 5_000)
        #expect(try !Pattern(pattern).matches(text + "c"))
        #expect(try Pattern(pattern).matches(text + (pattern.hasPrefix("([a-z]") ? "xb" : "b")))
    }
}
