import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

@Suite("Templates")
struct TemplateTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let yaml: String
        let expected: FlowType?
        let type: FlowType
        let value: Value

        init(_ yaml: String, as expected: FlowType? = nil, _ type: FlowType, _ value: Value) {
            self.yaml = yaml
            self.expected = expected
            self.type = type
            self.value = value
        }

        var testDescription: String { yaml }
    }

    static let cases: [Case] = [
        Case("${age}", .int, .int(42)),
        Case("${ age }", as: .number, .number, .int(42)),
        Case(
            "n=${age}, ${on}, ${wait}, ${run.now}", .string, .string("n=42, true, 90s, 2026-01-01T00:00:00Z")),
        Case("code ${user_code}", .sensitive, .string("code WDJB-MJHT")),
        Case("$${age}", .string, .string("${age}")),
        Case("a $${ ${name}", .string, .string("a ${ Ada")),
        Case("'${replace(name, ''A'', ''}'')}'", .string, .string("}da")),
        Case("plain", .string, .string("plain")),
        Case("20s", as: .duration, .duration, .duration(20_000)),
        Case("[a, b]", as: .list(.string), .list(.string), .list([.string("a"), .string("b")])),
        Case("['${name}', b]", as: .list(.string), .list(.string), .list([.string("Ada"), .string("b")])),
        Case("${scopes}", as: .list(.string), .list(.string), .list([.string("openid"), .string("email")])),
        Case(
            "${body.tags}", as: .optional(.list(.string)), .optional(.list(.string)),
            .list([.string("a"), .string("b")])),
        Case("${body.user.name}", as: .optional(.string), .optional(.string), .string("Bo")),
        Case("${body.id}", as: .optional(.string), .optional(.string), .null),
        Case("${maybe}", as: .optional(.string), .optional(.string), .null),
        Case("${maybe}", as: .json, .json, .json(.null)),
        Case("null", as: .optional(.int), .null, .null),
        Case("{a: 1, b: '${name}'}", as: .json, .json, .json(["a": 1, "b": "Ada"])),
        Case("{a: ['${age}', x]}", as: .json, .json, .json(["a": [42, "x"]])),
        Case("{a: 1, b: '${name}'}", as: .map, .map, .map(["a": .int(1), "b": .string("Ada")])),
        Case("{who: '${maybe}'}", as: .optional(.map), .map, .map(["who": .null])),
        Case("${home}", as: .string, .string, .string("https://a.example/x?y=1")),
        Case("${token}", as: .secret, .secret, .secret(Secret("s3cret", kind: .accessToken))),
    ]

    @Test("a template has the value of its parts and the type that is expected", arguments: cases)
    func values(_ example: Case) throws {
        let outcome = try ExpressionFixture.template(example.yaml, as: example.expected)
        #expect(outcome.description == "")
        #expect(outcome.compiled?.type == example.type)
        #expect(outcome.value == example.value)
    }

    @Test("a text with a secret in it is a secret")
    func secret() throws {
        let outcome = try ExpressionFixture.template(
            "Bearer ${token} of ${name}", takesSecrets: true)
        #expect(outcome.description == "")
        #expect(outcome.compiled?.type == .secret)
        guard case .secret(let secret)? = outcome.value else {
            Issue.record("the text is no secret")
            return
        }
        #expect(secret.reveal() == "Bearer s3cret of Ada")
    }

    static let mistakes: [(yaml: String, type: FlowType?, report: String)] = [
        ("x ${age", nil, "FL008 3: this \"${\" is never closed; add a } or write $${ for the text"),
        ("${}", nil, "FL008 3: an expression is missing here"),
        (
            "n ${age} ${agee + 1} ${nam}", nil,
            "FL046 12: nothing is named \"agee\"\nFL046 24: nothing is named \"nam\""
        ),
        ("'it''s ${nam}'", nil, "FL046 10: nothing is named \"nam\""),
        ("\"a ${nam}\"", nil, "FL046 6: nothing is named \"nam\""),
        ("a ${scopes}", nil, "FL054 5: \"scopes\" is list<string> and cannot stand in a text"),
        ("a ${maybe}", nil, "FL055 5: \"maybe\" is optional string and may be unset"),
        ("Hello ${token}", nil, "FL062 9: secret \"token\" flows into text"),
        ("${token}", .string, "FL062 3: secret \"token\" flows into text"),
        ("${age}", .string, "FL054 3: \"age\" is int, but string is expected here"),
        ("${maybe}", .string, "FL055 3: \"maybe\" is optional string and may be unset"),
        ("${body.id}", .int, "FL055 3: \"body.id\" is optional json and may be unset"),
        ("a ${age}", .int, "FL054 1: this text is string, but int is expected here"),
        ("42", .string, "FL054 1: expected string, found the number 42"),
        ("soon", .time, "FL054 1: expected time, found \"soon\""),
        (
            "http://a.example", .url,
            "FL067 1: http:// is only for this machine; anybody on the way can read and change it"
        ),
        ("hunter2", .secret, "FL066 1: a secret cannot be written in a file"),
        (
            "${allowed_url(home, scopes) ?? 'http://b.example/'}", .url,
            "FL054 3: \"allowed_url(home, scopes) ?? 'http://b.example/'\" is string, but url is expected here"
        ),
        (
            "${body.tags ?? []}", .list(.string),
            "FL054 3: \"body.tags ?? []\" is list<json>, but list<string> is expected here"
        ),
        ("openid", .list(.string), "FL054 1: expected list<string>, found \"openid\""),
        ("[a, 1]", .list(.string), "FL054 5: expected string, found the number 1"),
        ("{a: '${token}'}", .json, "FL054 8: \"token\" is secret, but json is expected here"),
        ("{a: '${name}'}", .list(.string), "FL054 1: expected list<string>, found a mapping"),
    ]

    @Test("what does not fit is reported at its place", arguments: mistakes)
    func reports(_ yaml: String, _ type: FlowType?, _ report: String) throws {
        #expect(try ExpressionFixture.template(yaml, as: type).description == report)
    }

    @Test("a caret points into a literal block")
    func literalBlock() throws {
        let node = try #require(try ExpressionFixture.node("text: |\n  one\n  two ${nam}\n")["text"])
        var code = CodeTable()
        var diagnostics: [Diagnostic] = []
        _ = ExpressionCompiler.template(
            node, expecting: .string, ExpressionFixture.context(), into: &code, &diagnostics)
        #expect(diagnostics.map(\.span.start) == [SourceMark(line: 3, column: 9)])
    }

    @Test("a literal takes no template")
    func literal() throws {
        var diagnostics: [Diagnostic] = []
        let value = ExpressionCompiler.literal(
            try ExpressionFixture.node("${age}"), as: .int, file: "t.yaml", &diagnostics)
        #expect(value == nil)
        #expect(diagnostics.map(\.message) == ["this value must be literal; ${ } is not evaluated here"])
    }

    @Test(
        "durations are digits and a unit",
        arguments: [
            ("250ms", 250), ("20s", 20_000), ("90s", 90_000), ("5m", 300_000), ("24h", 86_400_000),
            ("x", nil), ("5", nil),
            ("5 s", nil), ("-5s", nil), ("99999999999999999d", nil),
        ] as [(String, Int64?)])
    func durations(_ text: String, _ milliseconds: Int64?) {
        #expect(DurationText.parse(text) == milliseconds)
    }

    @Test("a duration is written with the longest unit that is exact")
    func durationFormat() {
        #expect(
            [0, 250, 90_000, 86_400_000, 86_401_000].map(DurationText.format) == [
                "0s", "250ms", "90s", "1d", "86401s",
            ])
    }

    @Test("types are read as they are written")
    func types() {
        for text in ["string", "optional list<string>", "list<list<int>>", "optional secret"] {
            #expect(FlowType.parse(text)?.description == text)
        }
        for text in ["strng", "list<>", "optional optional int", "list<optional int>", "object"] {
            #expect(FlowType.parse(text) == nil)
        }
    }

    @Test(
        "times are written and read in UTC across leap years",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (951_782_400_000, "2000-02-29T00:00:00Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (4_107_542_399_000, "2100-02-28T23:59:59Z"),
        ] as [(Int64, String)])
    func times(_ milliseconds: Int64, _ text: String) {
        #expect(TimeText.format(milliseconds) == text)
        #expect(TimeText.parse(text) == milliseconds)
    }

    @Test(
        "a time may have a fraction and a zone, and a minute of 61 seconds",
        arguments: [
            ("2026-01-01t00:00:00.5z", 500), ("2026-01-01T00:00:00.1239Z", 123),
            ("2026-01-01T01:00:00+01:00", 0), ("2025-12-31T22:30:00-01:30", 0),
            ("2026-01-01T23:59:00+23:59", 0), ("2025-12-31T23:59:60Z", 0),
        ] as [(String, Int64)])
    func zones(text: String, milliseconds: Int64) {
        #expect(TimeText.parse(text) == 1_767_225_600_000 + milliseconds)
    }

    @Test(
        "what is written in another way is no time, and neither is a day that no month has",
        arguments: [
            "", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z", "2026/01-01T00:00:00Z", "2026-01/01T00:00:00Z",
            "2026-01-01T00-00:00Z", "2026-01-01T00:00-00Z", "2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z", "2026-02-29T00:00:00Z", "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T00:00:0aZ", "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00Z0", "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00+01-00",
            "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+01:60", "2026-01-01T00:00:00*01:00",
            "2026-01-01T00:00:00+01:000", "+026-01-01T00:00:00Z",
        ])
    func noTimes(text: String) {
        #expect(TimeText.parse(text) == nil)
    }
}
