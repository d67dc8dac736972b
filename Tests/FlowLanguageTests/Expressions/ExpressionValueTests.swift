import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

@Suite("Expressions have a type and a value")
struct ExpressionValueTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let type: FlowType
        let value: Value

        init(_ text: String, _ type: FlowType, _ value: Value) {
            self.text = text
            self.type = type
            self.value = value
        }

        var testDescription: String { text }
    }

    static let operators: [Case] = [
        Case("age", .int, .int(42)),
        Case("-3", .int, .int(-3)),
        Case("1.5", .number, .number(1.5)),
        Case("24h", .duration, .duration(86_400_000)),
        Case("'it''s'", .string, .string("it's")),
        Case("null", .null, .null),
        Case("age + 8 - 1", .int, .int(49)),
        Case("9223372036854775807 + 1", .int, .int(.max)),
        Case("0 - 9223372036854775807 - 2", .int, .int(.min)),
        Case("(0 - 9223372036854775807) + (0 - 3)", .int, .int(.min)),
        Case("9223372036854775807 - (0 - 3)", .int, .int(.max)),
        Case("age ==\n 42\t\r\n", .bool, .bool(true)),
        Case("1 in []", .bool, .bool(false)),
        Case("run.now - 1s", .time, .time(1_767_225_599_000)),
        Case("run.now - (run.now - wait)", .duration, .duration(90_000)),
        Case("wait + wait >= 3m", .bool, .bool(true)),
        Case("age < 43 && !on", .bool, .bool(false)),
        Case("!on || ratio < 1.0", .bool, .bool(true)),
        Case("age == 42", .bool, .bool(true)),
        Case("ratio <= 0.5", .bool, .bool(true)),
        Case("age > 42", .bool, .bool(false)),
        Case("age >= 43", .bool, .bool(false)),
        Case("9007199254740993 == 9007199254740992.0", .bool, .bool(false)),
        Case("9007199254740993 > 9007199254740992.0", .bool, .bool(true)),
        Case("9223372036854775807 < 9223372036854775808.0", .bool, .bool(true)),
        Case("body.user == body['user']", .bool, .bool(true)),
        Case("json('{\"a\":1,\"b\":[1]}') == json('{\"b\":[1],\"a\":1}')", .bool, .bool(true)),
        Case("json('[1]') == json('[\"1\"]')", .bool, .bool(false)),
        Case("json('[1]') == json('[true]')", .bool, .bool(false)),
        Case("json('12345678901234567890') == json('12345678901234567891')", .bool, .bool(false)),
        Case("string(json('12345678901234567890'))", .optional(.string), .string("12345678901234567890")),
        Case("number(json('12345678901234567890'))", .optional(.number), .number(12345678901234567168)),
        Case("int(json('12345678901234567890'))", .optional(.int), .null),
        Case("token != other", .bool, .bool(false)),
        Case("1h + 36525d > 36525d", .bool, .bool(true)),
        Case("!on == on", .bool, .bool(false)),
        Case("false && on || on", .bool, .bool(true)),
        Case("name == 'ada'", .bool, .bool(false)),
        Case("name != 'ada'", .bool, .bool(true)),
        Case("'e\u{301}' == '\u{E9}'", .bool, .bool(false)),
        Case("'email' in scopes", .bool, .bool(true)),
        Case("scopes == ['openid', 'email']", .bool, .bool(true)),
        Case("body.user == maybe", .bool, .bool(false)),
        Case("body.id == 7", .bool, .bool(true)),
        Case("body.id == '7'", .bool, .bool(false)),
        Case("body.nothing == null", .bool, .bool(true)),
        Case("token == other", .bool, .bool(true)),
        Case("token == 's3cre'", .bool, .bool(false)),
        Case("count ?? 1", .int, .int(3)),
        Case("maybe ?? body.user.name ?? 'none'", .string, .string("Bo")),
        Case("body.id ?? 'none'", .string, .string("none")),
        Case("body.ok ?? false", .bool, .bool(true)),
        Case("body.tags ?? []", .list(.json), .list([.json("a"), .json("b")])),
        Case("json('[1,\"a\",null]') ?? []", .list(.json), .list([.json(1), .json("a"), .json(.null)])),
        Case("body.nothing ?? []", .list(.json), .list([])),
        Case("body.user ?? []", .list(.json), .list([])),
        Case("length(json('[1,\"a\"]') ?? [])", .int, .int(2)),
        Case("'a' in (json('[1,\"a\"]') ?? [])", .bool, .bool(true)),
        Case("(json('[{\"id\":7}]') ?? [])[0].id", .optional(.json), .json(7)),
        Case("body.tags ?? ['none']", .list(.string), .list([.string("a"), .string("b")])),
        Case("maybe ?? null", .optional(.string), .null),
        Case("body.user['a b']", .optional(.json), .json(1)),
        Case("body.tags[1]", .optional(.json), .json("b")),
        Case("body.tags[2]", .optional(.json), .null),
        Case("scopes[0]", .optional(.string), .string("openid")),
        Case("(body.user).name", .optional(.json), .json("Bo")),
        Case("extra.user", .optional(.json), .string("{\"n\":1}")),
        Case("json(extra.user ?? '{}').n", .optional(.json), .json(1)),
        Case("[1, 2.5]", .list(.number), .list([.int(1), .number(2.5)])),
    ]

    static let functions: [Case] = [
        Case("has(maybe)", .bool, .bool(false)),
        Case("has(body.user.name)", .bool, .bool(true)),
        Case("if(has(count), count + 1, 0)", .int, .int(4)),
        Case("if(on, null, name)", .optional(.string), .null),
        Case("default(maybe, 'x')", .string, .string("x")),
        Case("length('a\u{1F600}')", .int, .int(2)),
        Case("length(scopes)", .int, .int(2)),
        Case("lower('A\u{C9}B')", .string, .string("a\u{C9}b")),
        Case("upper(name)", .string, .string("ADA")),
        Case("trim('  a b ')", .string, .string("a b")),
        Case("starts_with(name, 'Ad')", .bool, .bool(true)),
        Case("ends_with('a', 'aaaa')", .bool, .bool(false)),
        Case("contains(home, '.example')", .bool, .bool(true)),
        Case("before('a@b@c', '@')", .optional(.string), .string("a")),
        Case("after('a@b@c', '@')", .optional(.string), .string("b@c")),
        Case("after('abc', '@')", .optional(.string), .null),
        Case("split('a,b,', ',')", .list(.string), .list([.string("a"), .string("b"), .string("")])),
        Case("join(scopes, ' ')", .string, .string("openid email")),
        Case("replace('aXbX', 'X', '--')", .string, .string("a--b--")),
        Case("replace('a', '', 'b')", .string, .string("a")),
        Case("prefix('h\u{E9}llo', 2)", .string, .string("h\u{E9}")),
        Case("prefix('a', 0 - 4)", .string, .string("")),
        Case("mask_email('ada@a.example')", .string, .string("a***@a.example")),
        Case("int('12')", .optional(.int), .int(12)),
        Case("int('1x')", .optional(.int), .null),
        Case("int(1.5)", .optional(.int), .null),
        Case("number(body.id)", .optional(.number), .number(7)),
        Case("bool('true')", .optional(.bool), .bool(true)),
        Case("bool('yes')", .optional(.bool), .null),
        Case("string(body.id)", .optional(.string), .string("7")),
        Case("string(body.user)", .optional(.string), .null),
        Case("time(1767225600)", .optional(.time), .time(1_767_225_600_000)),
        Case("time('2026-01-01T01:00:00.5+01:00')", .optional(.time), .time(1_767_225_600_500)),
        Case("time('2026-02-30T00:00:00Z')", .optional(.time), .null),
        Case("time(9223372036854775807)", .optional(.time), .null),
        Case("duration('5m')", .optional(.duration), .duration(300_000)),
        Case("duration(60)", .optional(.duration), .duration(60_000)),
        Case("url('http://a.example')", .optional(.url), .null),
        Case("url('http://127.0.0.1:1/x')", .optional(.url), .string("http://127.0.0.1:1/x")),
        Case("json('{')", .optional(.json), .null),
        Case("to_json([1, 2])", .string, .string("[1,2]")),
        Case("get(body, '/user/a b')", .optional(.json), .json(1)),
        Case("keys(body)", .list(.string), .list(["id", "ok", "tags", "user"].map { .string($0) })),
        Case("first(scopes)", .optional(.string), .string("openid")),
        Case("includes_all(scopes, ['email'])", .bool, .bool(true)),
        Case("includes_any(scopes, ['x', 'y'])", .bool, .bool(false)),
        Case("includes_all(json('[1,\"a\",\"b\"]') ?? [], ['a', 'b'])", .bool, .bool(true)),
        Case("includes_all(json('[1,\"a\"]') ?? [], ['1'])", .bool, .bool(false)),
        Case("includes_any(json('[1,\"a\"]') ?? [], ['a', 'x'])", .bool, .bool(true)),
        Case("allowed_url(home, []) ?? 'https://b.example/'", .url, .string("https://b.example/")),
        Case("default(allowed_url(home, []), 'http://127.0.0.1/x')", .url, .string("http://127.0.0.1/x")),
        Case("if(on, 'https://b.example/', home)", .url, .string("https://b.example/")),
        Case("if(on, url(name), 'https://b.example/') ?? home", .url, .string("https://a.example/x?y=1")),
        Case("allowed_url(home, []) ?? 'http://b.example/'", .string, .string("http://b.example/")),
        Case("allowed_url(home, []) ?? name", .string, .string("Ada")),
        Case("minus(scopes, ['email'])", .list(.string), .list([.string("openid")])),
        Case(
            "union(scopes, ['x', 'email'])", .list(.string),
            .list(["openid", "email", "x"].map { .string($0) })),
        Case("origin('https://A.example:443/x')", .optional(.string), .string("https://a.example")),
        Case("host(home)", .optional(.string), .string("a.example")),
        Case("same_origin(home, 'https://a.example/z')", .bool, .bool(true)),
        Case(
            "form(body)", .string,
            .string(
                "id=7&ok=true&tags=%5B%22a%22%2C%22b%22%5D&user=%7B%22name%22%3A%22Bo%22%2C%22a+b%22%3A1%7D")),
        Case(
            "with_query(home, json('{\"a\":\"b c\"}') ?? body)", .url,
            .string("https://a.example/x?y=1&a=b%20c")),
        Case("urlencode('a b/c')", .string, .string("a%20b%2Fc")),
        Case("base64url('??>')", .string, .string("Pz8-")),
        Case("base64('??>')", .string, .string("Pz8+")),
        Case("hex('az')", .string, .string("617a")),
        Case(
            "hex(sha256('abc'))", .string,
            .string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")),
        // RFC 4231 §4.3
        Case(
            "hex(hmac_sha256('Jefe', 'what do ya want for nothing?'))", .string,
            .string("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")),
        Case("length(hex(sha256(token)))", .int, .int(64)),
        // Sorted by the bytes of the names, what is empty left out.
        Case(
            "pairs(json('{\"foo_bar\":3,\"Z\":\"\",\"foo\":1,\"foobar\":4,\"bar\":\"2\",\"B\":null}') ?? body, '', '')",
            .string, .string("bar2foo1foo_bar3foobar4")),
        Case(
            "pairs(json('{\"a\":\"x y\",\"B\":\"&\"}') ?? body, '=', '&')", .string, .string("B=&&a=x y")),
        Case("base64(rsa_sha256('no key', 'x'))", .string, .null),
        Case("length(token)", .int, .int(6)),
        Case("matches(name, 'A[a-z]+')", .bool, .bool(true)),
        Case("matches(name, 'A')", .bool, .bool(false)),
        Case("matches(before('x@y', '@') ?? '', '[^@]')", .bool, .bool(true)),
        Case(
            "allowed_url(home, ['https://a.example/*'])", .optional(.url), .string("https://a.example/x?y=1")),
        Case("allowed_url(body.user.name, ['https://a.example/*'])", .optional(.url), .null),
        Case("allowed_url(home, ['https://b.example/*'])", .optional(.url), .null),
        Case("fingerprint(token)", .string, .string("----")),
        Case("fingerprint('correct horse battery')", .string, .string("288f")),
        Case(
            "with_query('https://a.example/#f', json('{\"a\":1}') ?? body)", .string,
            .string("https://a.example/?a=1#f")),
        Case(
            "with_query('https://a.example/?', json('{\"a\":1}') ?? body)", .string,
            .string("https://a.example/?a=1")),
        Case("number('1e400')", .optional(.number), .null),
        Case("number('-1.5e3')", .optional(.number), .number(-1_500)),
        Case("number('0x1p3') ?? number('+1') ?? number('.5') ?? number(' 1')", .optional(.number), .null),
        Case("number('nan') ?? number('inf') ?? number('01') ?? number('')", .optional(.number), .null),
        Case("time('1700000000')", .optional(.time), .time(1_700_000_000_000)),
        Case("duration('3600')", .optional(.duration), .duration(3_600_000)),
        Case("time('99999999999999999')", .optional(.time), .null),
        Case("url('https://u@a.example/')", .optional(.url), .null),
        Case("trim('\u{A0}a ')", .string, .string("\u{A0}a")),
        Case("contains('aabaabaaa', 'aabaaa')", .bool, .bool(true)),
        Case("contains('abc', '') && contains('', '')", .bool, .bool(true)),
        Case("-9223372036854775808", .int, .int(.min)),
        Case("split('aXXbXXX', 'XX')", .list(.string), .list(["a", "b", "X"].map { .string($0) })),
        Case(
            "length(union(['e\u{301}'], ['\u{E9}', 'e\u{301}']))", .int, .int(2)),
        Case("length(minus(['e\u{301}'], ['\u{E9}']))", .int, .int(1)),
        Case("get(body, '/tags/1')", .optional(.json), .json("b")),
        Case("ends_with(name, 'da')", .bool, .bool(true)),
        Case("ends_with(name, 'd')", .bool, .bool(false)),
        Case("ends_with(name, 'xAda')", .bool, .bool(false)),
        Case("ends_with(name, 'Ada')", .bool, .bool(true)),
        Case("contains(name, 'd')", .bool, .bool(true)), Case("contains(name, 'x')", .bool, .bool(false)),
        Case("contains(name, '')", .bool, .bool(true)),
        Case("same_origin(home, 'https://a.example/z')", .bool, .bool(true)),
        Case("same_origin(home, 'https://b.example/x')", .bool, .bool(false)),
        Case("same_origin(home, 'https://a.example:444/x')", .bool, .bool(false)),
        Case("same_origin(name, name)", .bool, .bool(false)),
    ]

    @Test("operators and paths", arguments: operators)
    func operatorValues(_ example: Case) throws {
        let outcome = try ExpressionFixture.value(example.text)
        #expect(outcome.description == "")
        #expect(outcome.compiled?.type == example.type)
        #expect(outcome.value == example.value)
    }

    @Test(
        "conditions over truths and plain numbers, however deep",
        arguments: [
            ("age == 41", false), ("age == 42", true), ("age != 42", false), ("age != 43", true),
            ("age < 42", false), ("age < 43", true), ("age <= 41", false), ("age <= 42", true),
            ("age > 42", false), ("age > 41", true), ("age >= 43", false), ("age >= 42", true),
            ("wait == 90s", true), ("run.now > run.now", false), ("!on", false), ("!!on", true),
            ("has(count)", true), ("has(maybe)", false), ("!has(maybe) && has(count)", true),
            ("on && age > 42", false), ("!on && age == 42", false), ("on || age > 42", true),
            ("!on || age > 42", false), ("!on || age == 42", true), ("(on && !on) == (!on || !on)", true),
            ("if(on, age > 41, age > 42)", true), ("if(!on, age > 41, age > 42)", false),
            ("if(on, !on, on) == (age == 1)", true), ("has(count) && count == 3", true),
            ("on == (on == (on == (!on == (on == on))))", false),
            ("on == (on == (on == (on == (on == (on == on)))))", true),
        ])
    func plainConditions(text: String, isTrue: Bool) {
        let outcome = ExpressionFixture.condition(text)
        #expect(outcome.description == "")
        #expect(outcome.value == .bool(isTrue))
    }

    /// The first is the example of an interface that signs so.
    static let legacy = [
        (
            "upper(hex(md5('appid=d114c07a-24ed-41b2-9cc3-58ae5bb9ace1_2303065600000005&clientid=2C05476AA26C&nlast=0"
                + "&ts=1679539549647&version=V3.34&key=2303065600000006')))",
            "5344FA09D02DB7912093D01A356A1C5A"
        ),
        ("hex(md5(''))", "d41d8cd98f00b204e9800998ecf8427e"),
    ]

    @Test("a legacy digest has its value and a note", arguments: legacy)
    func legacyDigest(source: String, value: String) throws {
        let outcome = try ExpressionFixture.value(source)
        #expect(outcome.value == .string(value))
        #expect(outcome.description.hasPrefix("FL107 "))
    }

    @Test("functions", arguments: functions)
    func functionValues(_ example: Case) throws {
        let outcome = try ExpressionFixture.value(example.text)
        #expect(outcome.description == "")
        #expect(outcome.compiled?.type == example.type)
        #expect(outcome.value == example.value)
    }

    @Test("what is the same in every run is folded to one constant")
    func folding() throws {
        let outcome = try ExpressionFixture.value("if('a' in ['a', 'b'], 1 + 2, 9)")
        #expect(outcome.compiled?.constant == .int(3))
        #expect(outcome.compiled?.range.count == 1)
        #expect(try ExpressionFixture.value("age + 1").compiled?.constant == nil)
    }

    @Test("a text that would grow beyond its bound is unset instead")
    func textBounds() throws {
        let long = String(repeating: "a", count: 150)
        let grown = (0..<5).reduce("'a'") { text, _ in "replace(\(text), 'a', '\(long)')" }
        #expect(try ExpressionFixture.value("length(\(grown))").value == .int(0))
    }

    @Test("a list that would grow beyond its bounds is unset instead")
    func listBounds() {
        var wide = Value.list([.string("x")])
        for _ in 0..<20 { wide = ValueBounds.bounded(.list([wide, wide])) }
        #expect(wide != .null)
        #expect(ValueBounds.bounded(.list([wide, wide, wide])) == .null)
        var deep = Value.json("x")
        for _ in 0..<127 { deep = ValueBounds.bounded(.list([deep])) }
        #expect(deep != .null)
        #expect(ValueBounds.bounded(.list([deep])) == .null)
    }

    @Test("every shortened or misfitting expression has a value or a report, and never traps")
    func totality() throws {
        let misfits: ContiguousArray<Value> = ContiguousArray(
            [
                Value.null, .int(.min), .string("x"), .list([.null]), .json([1, "a"]), .json(["a": nil]),
                .map([:]),
            ]
            .flatMap { Array(repeating: $0, count: 15) })
        for example in Self.operators + Self.functions {
            for length in 0...example.text.count {
                let text = String(example.text.prefix(length)).replacing("'", with: "''")
                let node = try ExpressionFixture.node("'${" + text + "}'")
                var code = CodeTable()
                var diagnostics: [Diagnostic] = []
                let compiled = ExpressionCompiler.template(
                    node, expecting: nil, ExpressionFixture.context(), into: &code, &diagnostics)
                #expect((compiled == nil) == diagnostics.hasErrors)
                guard let compiled else { continue }
                for start in stride(from: 0, to: misfits.count, by: 15) {
                    var stack: ContiguousArray<Value> = []
                    let slots = ContiguousArray(misfits[start..<(start + 15)])
                    _ = ExpressionMachine.evaluate(compiled.range, code, slots, &stack)
                    _ = ExpressionMachine.evaluate(compiled.range, code, [], &stack)
                    #expect(stack.isEmpty)
                }
            }
        }
    }
}
