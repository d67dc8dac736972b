import JOSE
import OAuthProtocol
import Testing

@Suite("Paths into parsed JSON")
struct ValuePathTests {
    private let root: JSONValue = [
        "a": ["b": 1, "n": nil], "l": [["x": 1], ["x": 2, "primary": true], 3],
        "m": [
            ["x": 4, "meta": ["of": "a=b", "main": "true"], "at": "https://a.example/b.c"],
            ["x": 5, "meta": ["main": true, "n": 7]],
        ],
    ]

    @Test(
        "a path leads to a value",
        arguments: [
            ("a.b", 1), ("l[0].x", 1), ("l[?primary].x", 2), ("l[*].x", [1, 2]), ("l[2]", 3),
            ("m[?meta.main].x", 5), ("m[?meta.main=true].x", 4), ("m[?meta.of=a=b].x", 4),
            ("m[?meta.n=7].x", 5), ("m[?at=https://a.example/b.c].x", 4),
        ] as [(String, JSONValue)])
    func found(text: String, value: JSONValue) throws {
        #expect(try #require(ValuePath(text)).value(in: root) == value)
    }

    @Test(
        "a missing member, a null and an index outside lead nowhere",
        arguments: [
            "z", "a.n", "a.b.c", "l[9]", "a[0]", "l[?no]", "m[?meta.of]", "m[?meta.of=a]", "m[?x.main]",
            "m[?meta.of=]",
        ])
    func missing(text: String) throws {
        #expect(try #require(ValuePath(text)).value(in: root) == nil)
    }

    @Test(
        "other texts are no paths",
        arguments: [
            "", ".", "a.", ".a", "a..b", "a[", "a[]", "a[-1]", "a[x]", "a[?]", "a]b", "a[0]b", "]", "a.[0]",
            "a.]", "a[?.b]", "a[?b.]", "a[?=b]",
        ])
    func malformed(text: String) {
        #expect(ValuePath(text) == nil)
    }

    @Test(
        "what is put where a path leads is found there",
        arguments: ["a.b", "l[0].x", "l[*].x", "l[?main].x", "l[?meta.main].x", "l[?meta.of=work].x"])
    func placed(text: String) throws {
        let path = try #require(ValuePath(text))
        var object: JSONObject = [:]
        path.place("here", in: &object)
        let found = path.value(in: .object(object))
        #expect(found == "here" || found == ["here"])
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
