import JOSE
import OAuthProtocol
import Testing

@Suite("Paths into parsed JSON")
struct ValuePathTests {
    private let root: JSONValue = [
        "a": ["b": 1, "n": nil], "l": [["x": 1], ["x": 2, "primary": true], 3],
    ]

    @Test(
        "a path leads to a value",
        arguments: [
            ("a.b", 1), ("l[0].x", 1), ("l[?primary].x", 2), ("l[*].x", [1, 2]), ("l[2]", 3),
        ] as [(String, JSONValue)])
    func found(text: String, value: JSONValue) throws {
        #expect(try #require(ValuePath(text)).value(in: root) == value)
    }

    @Test(
        "a missing member, a null and an index outside lead nowhere",
        arguments: ["z", "a.n", "a.b.c", "l[9]", "a[0]", "l[?no]"])
    func missing(text: String) throws {
        #expect(try #require(ValuePath(text)).value(in: root) == nil)
    }

    @Test(
        "other texts are no paths",
        arguments: [
            "", ".", "a.", ".a", "a..b", "a[", "a[]", "a[-1]", "a[x]", "a[?]", "a]b", "a[0]b", "]", "a.[0]",
            "a.]",
        ])
    func malformed(text: String) {
        #expect(ValuePath(text) == nil)
    }
}

@Suite("Quoted names in paths")
struct QuotedPathTests {
    private let root: JSONValue = [
        "https://a.example/b": ["c.d": [["x]y": 1]]], "plain": ["e": 2], "say \"so\"": 3,
    ]

    @Test(
        "a quoted name may have dots and brackets in it",
        arguments: [
            (#"["https://a.example/b"]["c.d"][0]["x]y"]"#, 1), (#"["plain"].e"#, 2), (#"plain["e"]"#, 2),
        ] as [(String, JSONValue)])
    func found(text: String, value: JSONValue) throws {
        #expect(try #require(ValuePath(text)).value(in: root) == value)
    }

    @Test(
        "a quote that is not closed, an empty name and what follows a quote are no paths",
        arguments: [#"["a"#, #"["a]"#, #"["a"x]"#, #"[""]"#, #"["a"]b"#, #"."a""#])
    func malformed(text: String) {
        #expect(ValuePath(text) == nil)
    }
}
