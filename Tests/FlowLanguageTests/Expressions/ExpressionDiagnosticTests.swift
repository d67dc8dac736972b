import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

@Suite("Mistakes in expressions are reported with code and place")
struct ExpressionDiagnosticTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let text: String
        /// `code column: message`, one a line.
        let report: String

        init(_ text: String, _ report: String) {
            self.text = text
            self.report = report
        }

        var testDescription: String { text }
    }

    static let syntax: [Mistake] = [
        Mistake("", "FL008 1: an expression is missing here"),
        Mistake("age * 2", "FL008 5: unexpected character '*' in expression (no multiplication or division)"),
        Mistake("name == \"x\"", "FL008 9: texts in expressions are written in single quotes"),
        Mistake("age = 3", "FL008 5: a single '=' is no comparison; write =="),
        Mistake("on ? age : 1", "FL008 4: unexpected character '?' in expression"),
        Mistake("on & on", "FL008 4: unexpected character '&' in expression"),
        Mistake("steps.sign-in.ok", "FL008 7: '-' is minus, so \"sign-in\" is no name"),
        Mistake("name == 'x", "FL008 9: this text is never closed; add a '"),
        Mistake("age < 3 < 4", "FL008 9: comparisons cannot be chained"),
        Mistake("wait > 3w", "FL008 8: unknown unit \"w\" in \"3w\""),
        Mistake("9223372036854775808 == age", "FL008 1: this number does not fit 64 bits"),
        Mistake("age == -9223372036854775809", "FL008 8: this number does not fit 64 bits"),
        Mistake("99999999999999999999 == age", "FL008 1: this number does not fit 64 bits"),
        Mistake("(on", "FL008 4: expected ')', found the end"),
        Mistake("on on", "FL008 4: expected an operator or the end, found \"on\""),
        Mistake("body. == 1", "FL008 7: expected a name after the dot, found '=='"),
        Mistake("body[on]", "FL008 6: expected a position or a name in single quotes, found \"on\""),
        Mistake("${on}", "FL007 1: conditions are expressions already; drop the ${ }"),
        Mistake(
            String(repeating: "!", count: 13) + "on", "FL056 13: the expression is nested more than 12 deep"),
        Mistake(
            "on" + String(repeating: " || on", count: 32), "FL056 1: the expression has more than 64 parts"),
        Mistake(
            "'" + String(repeating: "x", count: 1_030) + "' == name",
            "FL056 1: the expression has 1040 characters, more than 1024"),
        Mistake(
            "age in [" + String(repeating: "1,", count: 64) + "1]",
            "FL056 8: a list has at most 64 elements, not 65"),
    ]

    static let types: [Mistake] = [
        Mistake("age", "FL054 1: \"age\" is int, but bool is expected here"),
        Mistake("'a' < 'b'", "FL054 1: '<' does not fit string and string"),
        Mistake("age == 'x'", "FL054 1: '==' does not fit int and string"),
        Mistake("name + name == name", "FL054 1: '+' does not fit string and string"),
        Mistake("run.now + run.now > run.now", "FL054 1: '+' does not fit time and time"),
        Mistake("token < token", "FL054 1: '<' does not fit secret and secret"),
        Mistake("token == age", "FL054 1: '==' does not fit secret and int"),
        Mistake("'a' in name", "FL054 1: 'in' does not fit string and string"),
        Mistake("['a', 1] == scopes", "FL054 7: a list of string cannot hold int"),
        Mistake("if(on, 1, 'x') == 1", "FL054 1: both sides of if must have one type, not int and string"),
        Mistake(
            "on && age || !name",
            "FL054 7: \"age\" is int, but bool is expected here\nFL054 15: \"name\" is string, but bool is expected here"
        ),
        Mistake("count < 3", "FL055 1: \"count\" is optional int and may be unset"),
        Mistake("body.ok", "FL055 1: \"body.ok\" is optional json and may be unset"),
        Mistake("!has(count) && count < 3", "FL055 16: \"count\" is optional int and may be unset"),
        Mistake("starts_with(maybe, 'x')", "FL055 13: \"maybe\" is optional string and may be unset"),
        Mistake("lenght(scopes) > 1", "FL009 1: unknown function \"lenght\"; did you mean \"length\"?"),
        Mistake("lower(name, name) == name", "FL009 1: lower takes 1 argument, not 2"),
        Mistake("has() && on", "FL009 1: has takes 1 argument, not 0"),
        Mistake("lower(age) == name", "FL009 7: argument 1 of lower must be string, not int"),
        Mistake("token in body", "FL054 1: 'in' does not fit secret and json"),
        Mistake("token in [token]", "FL054 1: 'in' does not fit secret and list<secret>"),
        Mistake("token in ['a']", "FL054 1: 'in' does not fit secret and list<string>"),
        Mistake("has(get(body, name))", "FL009 15: argument 2 of get must be a literal JSON pointer"),
        Mistake("has(get(body, 'user'))", "FL009 15: argument 2 of get must be a literal JSON pointer"),
        Mistake("has(get(body, '/a~2'))", "FL009 15: argument 2 of get must be a literal JSON pointer"),
        Mistake("matches(name, name)", "FL057 15: the pattern of matches must be a text in single quotes"),
        Mistake("matches(age, 'a')", "FL009 9: argument 1 of matches must be string, not int"),
        Mistake("matches(maybe, 'a')", "FL055 9: \"maybe\" is optional string and may be unset"),
        Mistake("matches(name)", "FL009 1: matches takes 2 arguments, not 1"),
        Mistake("matches(name, 'a''(b')", "FL057 19: this '(' is never closed; add ')'"),
        Mistake("matches(name, 'a{2,1}')", "FL057 17: the counts are the wrong way round"),
        Mistake("matches(name, '^a')", "FL057 16: '^' is no anchor: a pattern is about the whole text"),
        Mistake("matches(name, 'a''''*+b')", "FL057 22: '+' has nothing to repeat"),
        Mistake("to_json(token) == name", "FL009 9: argument 1 of to_json cannot be a secret"),
        Mistake("join(name, ' ') == name", "FL009 6: argument 1 of join must be list<string>, not string"),
        Mistake(
            "join(body.tags ?? [], ' ') == name",
            "FL009 6: argument 1 of join must be list<string>, not list<json>"),
        Mistake("nmae == name", "FL046 1: nothing is named \"nmae\""),
        Mistake("run.today == run.now", "FL046 5: nothing is named \"run.today\""),
        Mistake("name.first == name", "FL049 6: string has no member \"first\""),
        Mistake("scopes.openid == name", "FL049 8: list<string> has no member \"openid\""),
        Mistake("body == token", "FL054 1: '==' does not fit json and secret"),
        Mistake("token == body", "FL054 1: '==' does not fit secret and json"),
        Mistake(
            "if(on, body, token) == body", "FL054 1: both sides of if must have one type, not json and secret"
        ),
        Mistake(
            "if(on, token, body) == body", "FL054 1: both sides of if must have one type, not secret and json"
        ),
        Mistake("token in body", "FL054 1: 'in' does not fit secret and json"),
        Mistake("1 in scopes", "FL054 1: 'in' does not fit int and list<string>"),
        Mistake("name in [token]", "FL054 1: 'in' does not fit string and list<secret>"),
        Mistake(
            "nmae ?? nmea", "FL046 1: nothing is named \"nmae\"\nFL046 9: nothing is named \"nmea\""),
        Mistake(
            "name || 'x'",
            "FL054 1: || joins conditions, and 'x' is none"
        ),
        Mistake("name && on", "FL054 1: \"name\" is string, but bool is expected here"),
        Mistake("if(on, 1) == 1", "FL009 1: if takes 3 arguments, not 2"),
        Mistake("default(count) == 1", "FL009 1: default takes 2 arguments, not 1"),
        Mistake("lower(null) == name", "FL055 7: null stands where a value is needed"),
        Mistake(
            "length(age) == 1",
            "FL009 8: argument 1 of length must be string or list or map or json or secret, not int"),
        Mistake("['a', 1, 2] == scopes", "FL054 7: a list of string cannot hold int"),
        Mistake("join(['a', age], ' ') == name", "FL054 12: a list of string cannot hold int"),
        Mistake("matches(age, 'a') && on", "FL009 9: argument 1 of matches must be string, not int"),
        Mistake("if(age, on, on)", "FL054 4: \"age\" is int, but bool is expected here"),
        Mistake(
            "if(!has(count) && on, on, count < 60)", "FL055 27: \"count\" is optional int and may be unset"),
        Mistake(
            "!(!has(count) && on) && count < 60", "FL055 25: \"count\" is optional int and may be unset"),
        Mistake("(has(count) || on) && count < 60", "FL055 23: \"count\" is optional int and may be unset"),
        Mistake(
            "has(extra.user) && lower(extra.name) == 'x'",
            "FL055 26: \"extra.name\" is optional json and may be unset"),
    ]

    @Test("syntax and size", arguments: syntax)
    func syntaxMistakes(_ mistake: Mistake) {
        #expect(ExpressionFixture.condition(mistake.text).description == mistake.report)
    }

    @Test("types, functions and names", arguments: types)
    func typeMistakes(_ mistake: Mistake) {
        #expect(ExpressionFixture.condition(mistake.text).description == mistake.report)
    }

    @Test(
        "has narrows what it guards",
        arguments: [
            "has(count) && count < 60", "!has(count) || count < 60", "if(has(count), count < 60, on)",
            "!(!has(count) || !on) && count < 60", "has(count) && (on || count > 1)",
            "has(count) && has(extra.user) && length(extra.user) > 1",
        ])
    func narrowing(_ text: String) {
        let outcome = ExpressionFixture.condition(text)
        #expect(outcome.description == "")
        #expect(outcome.value == .bool(true))
        #expect(outcome.compiled?.demands.contains { $0.slot == TestScope.slot("count") } == false)
        #expect(outcome.compiled?.references.contains { $0.slot == TestScope.slot("count") } == true)
    }

    @Test("slots narrowed by the caller need no test")
    func callerNarrowing() {
        let slot = TestScope.slot("count")
        #expect(ExpressionFixture.condition("count < 60", narrowed: [slot]).description == "")
    }

    @Test(
        "a condition tells which slots are set when it is true",
        arguments: [
            ("has(count) && has(maybe)", ["count", "maybe"]), ("has(count) || has(maybe)", []),
            ("!(!has(count) || !has(maybe))", ["count", "maybe"]), ("has(body.user.name)", ["body"]),
        ])
    func slotsWhenTrue(_ text: String, _ names: [String]) throws {
        let compiled = try #require(ExpressionFixture.condition(text).compiled)
        #expect(compiled.slotsWhenTrue == Set(names.map(TestScope.slot)))
    }

    struct Folded: Sendable, CustomTestStringConvertible {
        let text: String
        let report: String
        var testDescription: String { text }
    }

    @Test(
        "an identifier that is compared after folding gets a warning, and compiles",
        arguments: [
            Folded(
                text: "lower(body.sub ?? '') == name", report: "FL069 1: \"sub\" is compared after lower"),
            Folded(
                text: "name != trim(upper(body.iss ?? ''))", report: "FL069 9: \"iss\" is compared after trim"
            ),
            Folded(
                text: "upper(string(body.nonce) ?? '') in scopes",
                report: "FL069 1: \"nonce\" is compared after upper"),
            Folded(text: "lower(body.email ?? '') == name", report: ""),
            Folded(text: "(body.sub ?? '') == name", report: ""),
        ])
    func foldedIdentifiers(_ example: Folded) {
        let outcome = ExpressionFixture.condition(example.text)
        #expect(outcome.description == example.report)
        #expect(outcome.diagnostics.allSatisfy { $0.severity == .warning })
        #expect(outcome.compiled?.type == .bool)
    }

    @Test("what stands left of ?? or in has is referred to but not demanded")
    func demands() throws {
        let compiled = try #require(ExpressionFixture.condition("has(maybe) && (count ?? age) > 1").compiled)
        #expect(compiled.references.map(\.slot) == ["maybe", "count", "age"].map(TestScope.slot))
        #expect(compiled.demands.map(\.slot) == [TestScope.slot("age")])
        #expect(compiled.demands.map(\.span.start.column) == [25])
    }
}
