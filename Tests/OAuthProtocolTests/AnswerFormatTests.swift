import JOSE
import Testing

@testable import OAuthProtocol

@Suite("Formats of answers")
struct AnswerFormatTests {
    private static func read(
        _ body: String, _ format: ResponseDialect.Format, type: String
    ) throws(ProtocolError) -> JSONObject {
        var log = CheckLog()
        let response = HTTPResponse(
            status: 200, fields: [HTTPField("Content-Type", type)], body: Array(body.utf8))
        return try ResponseDialect(format: format).members(of: response, .token, log: &log)
    }

    @Test("XML becomes objects of children, texts and lists; names lose their prefix")
    func xml() throws {
        let text = """
            <?xml version="1.0"?>
            <!-- a note -->
            <n:Access xmlns:n="urn:x">
              <Token> AT &amp; more </Token>
              <Scope>a</Scope><Scope>b</Scope><Scope>c</Scope>
              <Empty/>
              <Person><Name>Ada</Name></Person>
            </n:Access>
            """
        #expect(
            try Self.read(text, .xml, type: "application/xml") == [
                "Access": [
                    "Token": "AT & more", "Scope": ["a", "b", "c"], "Empty": "", "Person": ["Name": "Ada"],
                ]
            ])
    }

    @Test("an attribute is a member beside its element, which is read as without it")
    func attributes() throws {
        let text = """
            <rsp stat="ok" xmlns="urn:y" xmlns:x="urn:z">
              <auth><token x:type="string" n="&quot;1&quot;">AT</token></auth>
              <user id="5" name="Ada"/>
              <mail primary="true">a@b</mail><mail>c@d</mail>
            </rsp>
            """
        #expect(
            try Self.read(text, .xml, type: "application/xml") == [
                "rsp": [
                    "auth": ["token": "AT", "token@type": "string", "token@n": "\"1\""],
                    "user": "", "user@id": "5", "user@name": "Ada",
                    "mail": ["a@b", "c@d"], "mail@primary": ["true", .null],
                ],
                "rsp@stat": "ok",
            ])
    }

    @Test("attributes are found by paths, before and after unwrap")
    func attributePaths() throws {
        var dialect = ResponseDialect(
            format: .xml,
            errorWhen: [.init(path: try #require(ValuePath("rsp@stat")), test: .notEquals("ok"))],
            errorCode: [try #require(ValuePath("rsp.err@code"))],
            unwrap: [try #require(ValuePath("rsp.auth"))],
            map: ["access_token": [try #require(ValuePath("token@value"))]])
        var log = CheckLog()
        let good = Fixture.response(
            "<rsp stat=\"ok\"><auth><token value=\"AT\"/></auth></rsp>", type: "text/xml")
        #expect(try dialect.members(of: good, .token, log: &log)["access_token"] == "AT")
        let bad = Fixture.response(
            "<rsp stat=\"fail\"><err code=\"98\" msg=\"Login failed\"/></rsp>", type: "text/xml")
        #expect(
            throws: ProtocolError.rejected(
                OAuthError(code: "98", description: nil, uri: nil), status: 200)
        ) { try dialect.members(of: bad, .token, log: &log) }
        dialect.errorDescription = [try #require(ValuePath("rsp.err@msg"))]
        #expect(dialect.error(inFailure: bad)?.description == "Login failed")
    }

    @Test("attributes count too where a document is as large as it may be")
    func manyAttributes() {
        let attributes = (0..<1001).map { " a\($0)=\"\"" }.joined()
        #expect(throws: ProtocolError.self) {
            try Self.read("<a\(attributes)/>", .xml, type: "application/xml")
        }
    }

    /// A body with one byte of each half of the table, and what it means.
    static let charsets: [(type: String, body: [UInt8], name: String?)] = [
        ("text/xml; charset=ISO-8859-1", Array("<a>M".utf8) + [0xFC] + Array("ller</a>".utf8), "Müller"),
        ("text/xml;charset=\"Windows-1252\"", Array("<a>5 ".utf8) + [0x80] + Array("</a>".utf8), "5 €"),
        (
            "text/xml",
            Array("<?xml version=\"1.0\" encoding='iso-8859-1'?><a>".utf8) + [0xFC]
                + Array("</a>".utf8), "ü"
        ),
        (
            "text/xml",
            Array("<?xml version='1.0' encoding\t= \"latin1\" ?><a>".utf8) + [0xFC] + Array("</a>".utf8), "ü"
        ),
        ("text/xml", Array("<a>encoding='latin1' ".utf8) + [0xFC] + Array("</a>".utf8), nil),
        (
            "text/xml", Array("<?xml version='1.0'?><a>encoding='latin1'".utf8) + [0xFC] + Array("</a>".utf8),
            nil
        ),
        // What came with it holds over what is in it, and a mark over both (RFC 7303 §3).
        (
            "text/xml; charset=utf-8",
            Array("<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><a>ü</a>".utf8), "ü"
        ),
        ("text/xml; charset=iso-8859-1", [0xEF, 0xBB, 0xBF] + Array("<a>ü</a>".utf8), "ü"),
        ("text/xml", Array("<a>ü</a>".utf8), "ü"),
        ("text/xml", Array("<a>".utf8) + [0xFC] + Array("</a>".utf8), nil),
        ("text/xml; charset=shift_jis", Array("<a>".utf8) + [0x83, 0x65] + Array("</a>".utf8), nil),
        (FormBody.contentType + "; charset=iso-8859-1", Array("a=M".utf8) + [0xFC], "Mü"),
        (FormBody.contentType + "; charset=iso-8859-1", Array("a=M%FC%41+%3d".utf8), "MüA ="),
        (FormBody.contentType + "; charset=windows-1252", Array("a=%80%9f".utf8), "€Ÿ"),
        // Escapes that are UTF-8 stay so.
        (FormBody.contentType + "; charset=iso-8859-1", Array("a=M%C3%BC".utf8), "Mü"),
        (FormBody.contentType + "; charset=iso-8859-1", Array("a=FC%41FC".utf8), "FCAFC"),
        (FormBody.contentType, Array("a=M%FC".utf8), nil),
        ("text/plain; charset=latin1", Array("a=".utf8) + [0xE9], "é"),
        // RFC 8259 §8.1
        ("application/json; charset=iso-8859-1", Array("{\"a\":\"ü\"}".utf8), "ü"),
        (
            "application/json; charset=iso-8859-1", Array("{\"a\":\"".utf8) + [0xFC] + Array("\"}".utf8),
            nil
        ),
    ]

    @Test("a form or XML is read in the character set that it names, JSON in UTF-8", arguments: charsets)
    func charset(type: String, body: [UInt8], name: String?) {
        var log = CheckLog()
        let response = HTTPResponse(
            status: 200, fields: [HTTPField("Content-Type", type)], body: body)
        let read = try? ResponseDialect.standard.members(of: response, .token, log: &log)
        #expect(read?["a"]?.stringValue == name)
    }

    @Test(
        "the error of a failure is read in its character set too",
        arguments: [
            ("text/xml; charset=iso-8859-1", Array("<error>".utf8) + [0xE9] + Array("</error>".utf8)),
            (FormBody.contentType + "; charset=iso-8859-1", Array("error=%E9".utf8)),
        ])
    func charsetOfFailure(type: String, body: [UInt8]) {
        let response = HTTPResponse(
            status: 400, fields: [HTTPField("Content-Type", type)], body: body)
        #expect(ResponseDialect.standard.error(inFailure: response) != nil)
    }

    @Test(
        "XML that could grow, is broken, or nests too deep is refused",
        arguments: [
            ("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "it declares a document type"),
            ("<a><b></a>", "mismatched tag in line 1"),
            ("", "no element found in line 1"),
            (String(repeating: "<a>", count: 40), "it has more than 1000 elements or 32 levels"),
        ])
    func hostile(text: String, reason: String) {
        #expect(
            throws: ProtocolError.malformed(
                "token response", detail: "application/xml, not XML: \(reason)")
        ) { try Self.read(text, .xml, type: "application/xml") }
    }

    @Test(
        "JSON is found in the call of a function, and without one",
        arguments: ["callback( {\"a\": 1} );", "cb({\"a\": 1})", " {\"a\": 1}", "_x.y({\"a\": 1});\n"])
    func padded(text: String) throws {
        #expect(try Self.read(text, .jsonp, type: "text/javascript") == ["a": 1])
    }

    @Test(
        "what keeps a page from running an answer is taken off, where it is there",
        arguments: [
            ("text/html", "&&&START&&&{\"a\":\"b\"}"), ("application/json", "&&&START&&&{\"a\":\"b\"}"),
            ("application/json", "{\"a\":\"b\"}"), ("text/plain", "\u{FEFF}&&&START&&&{\"a\":\"b\"}"),
        ])
    func prefix(type: String, body: String) throws {
        var dialect = ResponseDialect.standard
        dialect.prefix = "&&&START&&&"
        var log = CheckLog()
        let response = Fixture.response(body, type: type)
        #expect(try dialect.members(of: response, .token, log: &log) == ["a": "b"])
        let failure = Fixture.response(body.replacing("\"a\"", with: "\"error\""), status: 400, type: type)
        #expect(dialect.error(inFailure: failure)?.code == "b")
    }

    static let sniffed: [(type: String?, body: String)] = [
        ("application/xml", "<a>b</a>"), ("text/xml", "\n<a>b</a>"), ("application/x+xml", "<a>b</a>"),
        ("text/xml", "{\"a\":\"b\"}"), ("text/html", "callback({\"a\":\"b\"})"),
        ("text/javascript", "cb( {\"a\":\"b\"} );"), ("application/javascript", "cb({\"a\":\"b\"})"),
        ("text/javascript", "a=b"), ("application/octet-stream", "a=b"), ("text/plain", "a=b"),
        ("text/html", "a=b"), (nil, "a=b"), ("application/octet-stream", "{\"a\":\"b\"}"),
        (FormBody.contentType, "{\"a\":\"b\"}"), (FormBody.contentType, "a=b"),
        ("application/json", "\u{FEFF}{\"a\":\"b\"}"), ("text/html", "\u{FEFF}{\"a\":\"b\"}"),
    ]

    @Test("where nothing says how an answer is written, its first bytes do", arguments: sniffed)
    func sniffing(type: String?, body: String) throws {
        var log = CheckLog()
        let response = Fixture.response(body, type: type)
        #expect(try ResponseDialect.standard.members(of: response, .token, log: &log) == ["a": "b"])
    }

    @Test(
        "the error of a failure is found out too",
        arguments: [
            ("text/xml", "<error>b</error>"), ("text/html", "error=b"),
            ("text/html", "cb({\"error\":\"b\"})"),
            (FormBody.contentType, "{\"error\":\"b\"}"), ("text/plain", "\u{FEFF}{\"error\":\"b\"}"),
        ])
    func sniffedError(type: String, body: String) {
        let failure = Fixture.response(body, status: 400, type: type)
        #expect(ResponseDialect.standard.error(inFailure: failure)?.code == "b")
    }

    @Test("a page is no XML, and JSON's own type leaves nothing to be found out")
    func notSniffed() {
        for (type, body) in [
            ("text/html", "<a>b</a>"), ("application/json", "a=b"), ("application/json", "<a>b</a>"),
            ("application/json", "cb({\"a\":\"b\"})"), ("image/png", "a=b"),
        ] {
            #expect(throws: ProtocolError.self, "\(type) \(body)") {
                try Self.read(body, .auto, type: type)
            }
        }
    }

    @Test("a format that is named is the only one that is read")
    func strict() {
        for (format, body) in [
            (.json, "a=b"), (.json, "cb({\"a\":\"b\"})"), (.json, "<a>b</a>"),
            (.json, "\u{FEFF}{\"a\":\"b\"}"), (.xml, "{\"a\":\"b\"}"), (.form, "{\"a\":\"b\"}"),
            (.jsonp, "a=b"), (.jwt, "{\"a\":\"b\"}"),
        ] as [(ResponseDialect.Format, String)] {
            for type in ["text/html", "application/xml", FormBody.contentType] {
                let read = try? Self.read(body, format, type: type)
                #expect(read?["a"] == nil, "\(format) \(type) \(body)")
            }
        }
    }

    @Test("XML that is found out is as closely watched")
    func sniffedDocumentType() {
        #expect(throws: ProtocolError.self) {
            try Self.read("<!DOCTYPE a><a>b</a>", .auto, type: "text/xml")
        }
    }

    @Test(
        "lifetimes are read as they are written",
        arguments: [
            ("0:01:30:05", 5405), ("1:02:00", 93_600), ("14:00", 1_209_600),
            ("1000000:00", 3_162_240_000),
        ])
    func clockTimes(text: String, seconds: Int) throws {
        var log = CheckLog()
        let lifetime = try TokenLifetime.read(
            ["expires_in": .string(text)], ["expires_in": .duration], log: &log)
        #expect(lifetime.seconds == seconds)
    }

    @Test(
        "a lifetime of another form is refused",
        arguments: ["90", "1:2:3:4:5", "1:-2:00", "1:+2:00", "a:b", "1:", "1:5000000000"])
    func wrongClockTimes(text: String) {
        var log = CheckLog()
        #expect(throws: ProtocolError.self) {
            try TokenLifetime.read(["expires_in": .string(text)], ["expires_in": .duration], log: &log)
        }
    }
}

@Suite("Types of members")
struct MemberTypeTests {
    private static func mapped(
        _ body: JSONObject, _ dialect: ResponseDialect
    ) throws(ProtocolError) -> JSONValue? {
        var log = CheckLog()
        return try dialect.mapped(Fixture.response(JSONValue.object(body).serialize()), log: &log)
    }

    typealias Row = (type: ResponseDialect.MemberType, written: JSONValue, meaning: JSONValue)
    static let rows: [Row] = [
        (.seconds, "3600", 3600), (.minutes, 9, 540), (.milliseconds, 1500, 1),
        (.duration, "0:01:00:00", 3600),
        (.epoch, "1767225600", 1_767_225_600), (.epochMilliseconds, 1_767_225_600_999, 1_767_225_600),
        (.iso8601, "2026-01-01T00:00:00Z", 1_767_225_600), (.list, ["a", "b"], ["a", "b"]),
        (.comma, "a, b", ["a", "b"]), (.space, "a b", ["a", "b"]), (.epoch, .null, .null), (.list, "", ""),
    ]

    @Test("a mapped member of an operation means what its type says", arguments: rows)
    func meaning(row: Row) throws {
        let dialect = ResponseDialect(map: ["x": [ValuePath("a.b")!]], types: ["x": row.type])
        let answer = try Self.mapped(["a": ["b": row.written]], dialect)
        // Null and the empty text are no value, and so no member of a map.
        #expect(answer?["x"] ?? row.written == row.meaning)
    }

    @Test("a default is in its last form already")
    func defaults() throws {
        let dialect = ResponseDialect(types: ["x": .milliseconds], defaults: ["x": 3600])
        #expect(try Self.mapped(["y": 1], dialect) == ["y": 1, "x": 3600])
        #expect(try Self.mapped(["x": 5000], dialect) == ["x": 5])
    }

    @Test("a member that is written otherwise makes the answer unreadable, and is not shown")
    func mismatch() {
        for (type, written, wanted, found) in [
            (.iso8601, "secret", "a date and time", "a text that is not written as 2031-01-02T03:04:05Z"),
            (.iso8601, 1, "a date and time", "another type"), (.epoch, "soon", "a number", "another type"),
            (.duration, "1", "a text such as 0:01:30:00", "a text that is not written as 0:01:30:00"),
            (.list, 1, "a text or a list of texts", "another type"),
        ] as [(ResponseDialect.MemberType, JSONValue, String, String)] {
            let detail = "x is to be \(wanted) (\(type.rawValue)), and is \(found)"
            #expect(throws: ProtocolError.malformed("answer", detail: detail)) {
                try Self.mapped(["x": written], ResponseDialect(types: ["x": type]))
            }
        }
    }

    @Test("claims of userinfo and of further requests are converted too")
    func userInfo() throws {
        var log = CheckLog()
        let dialect = ResponseDialect(types: ["updated_at": .iso8601])
        let response = Fixture.response(#"{"sub":"1","updated_at":"2026-01-01T00:00:00Z"}"#)
        let read = try UserInfoResponse.read(response, expectedSubject: "1", dialect: dialect, log: &log)
        #expect(read.claims["updated_at"] == 1_767_225_600)
        #expect(
            UserInfoResponse.additional(response, dialect: dialect)?["updated_at"] == 1_767_225_600)
    }
}

@Suite("Callbacks in other words")
struct CallbackDialectTests {
    private func standard(
        _ dialect: CallbackDialect, _ parameters: [(name: String, value: String)]
    ) -> [String] {
        dialect.standard(parameters).map { "\($0.name)=\($0.value)" }
    }

    @Test("parameters come under their standard names, decoded where they are encoded twice")
    func renamed() {
        var dialect = CallbackDialect()
        dialect.rename = ["auth_code": "code"]
        dialect.decoded = ["code"]
        #expect(
            standard(dialect, [("auth_code", "a%2Fb"), ("state", "s%20")]) == ["code=a/b", "state=s%20"])
    }

    @Test("a parameter cannot come both under the provider's name and under the standard one")
    func doubled() {
        var dialect = CallbackDialect()
        dialect.rename = ["auth_code": "code"]
        #expect(standard(dialect, [("code", "forged"), ("auth_code", "real")]) == ["code=real"])
        #expect(standard(dialect, [("code", "plain")]) == ["code=plain"])
    }

    @Test("errors under other names are errors")
    func errors() {
        var dialect = CallbackDialect()
        dialect.errorCode = ["error_reason", "reason"]
        #expect(standard(dialect, [("error_reason", "user_denied")]) == ["error=user_denied"])
        #expect(standard(dialect, [("error", "access_denied")]) == ["error=access_denied"])
    }

    @Test(
        "state is demanded as the descriptor says",
        arguments: [
            (StateDemand.always, true, true), (.always, false, true), (.unlessError, true, false),
            (.unlessError, false, true), (.never, false, false),
        ])
    func demand(demand: StateDemand, isError: Bool, isNeeded: Bool) {
        #expect(demand.holds(isError: isError) == isNeeded)
    }
}
