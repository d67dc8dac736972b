import JOSE
import OAuthProtocol
import Testing

@Suite("Token responses (RFC 6749 §5)")
struct TokenResponseTests {
    private func body(_ changes: [(String, JSONValue?)] = []) -> String {
        var object: JSONObject = [
            "access_token": "at", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "rt",
            "scope": "openid email",
        ]
        for (name, value) in changes { object[name] = value }
        return JSONValue.object(object).serialize()
    }

    private func read(_ response: HTTPResponse, dialect: ResponseDialect = .standard) throws -> TokenResponse
    {
        var log = CheckLog()
        return try TokenResponse.read(response, dialect: dialect, log: &log)
    }

    private func refused(
        _ response: HTTPResponse, dialect: ResponseDialect = .standard
    ) -> ProtocolError? {
        failure { log throws(ProtocolError) in
            try TokenResponse.read(response, dialect: dialect, log: &log)
        }.error
    }

    private func path(_ text: String) throws -> ValuePath { try #require(ValuePath(text)) }

    @Test("a member that is not written as its type says does not cost the refresh token of the answer")
    func refusedWithToken() {
        let dialect = ResponseDialect(types: ["created": .epoch])
        let response = Fixture.response(body([("created", "soon")]))
        #expect(refused(response, dialect: dialect) != nil)
        #expect(
            TokenResponse.refreshToken(in: response, dialect: dialect) == Secret("rt", kind: .refreshToken))
        #expect(TokenResponse.tellsFate(response, dialect: dialect))
    }

    @Test("every member is read, the tokens as secrets, unknown ones kept [rule 96]")
    func success() throws {
        var log = CheckLog()
        let response = try TokenResponse.read(
            Fixture.response(body([("id_token", "idt"), ("account", 7)])), dialect: .standard, log: &log)
        #expect(response.accessToken == Secret("at", kind: .accessToken))
        #expect(response.refreshToken == Secret("rt", kind: .refreshToken))
        #expect(response.idToken == Secret("idt", kind: .idToken))
        #expect(response.tokenType == "Bearer")
        #expect(response.expiresIn == 3600)
        #expect(response.expiresAt == nil)
        #expect(response.scopes == ["openid", "email"])
        #expect(response.members["account"] == 7)
        #expect(response.members["access_token"] == nil)
        #expect(
            log.passedNames == [
                "token-status", "token-content-type", "token-error", "token-body", "access_token",
                "token_type",
                "expires_in", "scope", "token-member",
            ])
    }

    @Test("a failure with an OAuth error is a refusal", arguments: [400, 401, 403, 500, 503])
    func rejected(status: Int) {
        let body =
            #"{"error":"invalid_grant","error_description":"too\nlate","error_uri":"https://op.example"}"#
        #expect(
            refused(Fixture.response(body, status: status))
                == .rejected(
                    OAuthError(code: "invalid_grant", description: "too late", uri: "https://op.example"),
                    status: status))
    }

    @Test("a failure without one is a status", arguments: [301, 302, 307, 400, 401, 429, 502])
    func status(status: Int) {
        for body in ["", "<html>", "[]", #"{"error":""}"#, #"{"error":{"a":1}}"#, #"{"access_token":"at"}"#] {
            #expect(refused(Fixture.response(body, status: status)) == .status(status))
        }
    }

    @Test("a redirect is never a refusal or a success, whatever its body [rule 83]")
    func redirect() {
        #expect(refused(Fixture.response(#"{"error":"x"}"#, status: 302)) == .status(302))
        #expect(refused(Fixture.response(body(), status: 308)) == .status(308))
    }

    @Test("another success than 200 is refused, unless the descriptor says so [rule 86]")
    func created() throws {
        #expect(refused(Fixture.response(body(), status: 201)) == .status(201))
        let response = try read(
            Fixture.response(body(), status: 201), dialect: ResponseDialect(successStatus: 200...299))
        #expect(response.expiresIn == 3600)
    }

    @Test("an error inside a 200 is a refusal, also beside a token [rule 88]")
    func errorInSuccess() {
        #expect(
            refused(Fixture.response(body([("error", "bad_verification_code")])))
                == .rejected(OAuthError(code: "bad_verification_code"), status: 200))
        #expect(refused(Fixture.response(body([("error", "")]))) == nil)
    }

    @Test("an access token is a text of printable ASCII [rule 89]")
    func accessToken() {
        for (value, actual) in [
            (nil, "no access_token, but token_type, expires_in, refresh_token, scope"),
            (.null, "empty or another type"), ("", "empty or another type"),
            (1, "empty or another type"), (["at"], "empty or another type"),
        ] as [(JSONValue?, String)] {
            #expect(
                refused(Fixture.response(body([("access_token", value)])))
                    == .failed(Checks.accessToken, expected: "a text that is not empty", actual: actual))
        }
        for value in ["a\r\nX: y", "a\u{0}", "ä", "\u{7F}"] {
            #expect(
                refused(Fixture.response(body([("access_token", .string(value))])))
                    == .failed(Checks.accessToken, expected: "printable ASCII", actual: "another character"))
        }
    }

    @Test(
        "the token type is Bearer in any case [rule 90]", arguments: ["Bearer", "bearer", "BEARER", "bEaReR"])
    func bearer(type: String) throws {
        #expect(try read(Fixture.response(body([("token_type", .string(type))]))).tokenType == type)
    }

    @Test("any other token type is refused [rule 90]")
    func tokenType() {
        for (value, actual) in [
            (nil, "no token_type"), (1, "another type of value"), (.null, "another type of value"),
            ("", #""""#),
            ("mac", #""mac""#), ("N_A", #""N_A""#), ("Bearer ", #""Bearer ""#), ("DPoP", #""DPoP""#),
        ] as [(JSONValue?, String)] {
            #expect(
                refused(Fixture.response(body([("token_type", value)])))
                    == .failed(Checks.tokenType, expected: "Bearer", actual: actual))
        }
    }

    @Test("a lifetime may be an integer, a fraction or a text, and of any size [rule 91]")
    func expiresIn() throws {
        let limit = 100 * 366 * 86_400
        for (value, seconds) in [
            (3600, 3600), (3599.9, 3599), ("3600", 3600), ("3600.5", 3600), (0, 0), (-5, 0), ("-5", 0),
            (.int(.max), limit), (.int(.min), 0), (1e308, limit), (-1e308, 0),
            ("99999999999999999999", limit), (nil, nil), (.null, nil), ("", nil),
        ] as [(JSONValue?, Int?)] {
            #expect(try read(Fixture.response(body([("expires_in", value)]))).expiresIn == seconds)
        }
    }

    @Test("anything else as a lifetime is refused [rule 91]")
    func expiresInType() {
        for value in [true, [], [:], "soon", "1e999", "nan", "inf", "0x10", " 5"] as [JSONValue] {
            #expect(
                refused(Fixture.response(body([("expires_in", value)])))
                    == .failed(
                        Checks.expiresIn, expected: "expires_in is a number (seconds)", actual: "another type"
                    ))
        }
    }

    @Test("a number that no double holds makes the body unreadable")
    func numberOutOfRange() {
        let body = #"{"access_token":"at","token_type":"Bearer","expires_in":1e999}"#
        #expect(
            refused(Fixture.response(body))
                == .malformed(
                    "token response", detail: "application/json, not JSON: a number out of range at byte 56"))
    }

    @Test("the descriptor gives a lifetime another unit, or a point in time")
    func lifetimeTypes() throws {
        typealias Row = (ResponseDialect.MemberType, JSONValue, Int?, Int64?)
        for (type, value, seconds, end) in [
            (.milliseconds, 1500, 1, nil), (.epoch, 1_767_225_600, nil, Fixture.now),
            (.epochMilliseconds, "1767225600000", nil, Fixture.now), (.epoch, 1e300, nil, 3_162_240_000_000),
            (.iso8601, "2026-01-01T00:00:00Z", nil, Fixture.now),
            (.iso8601, "2026-01-01T01:30:00.25+01:30", nil, Fixture.now),
            (.iso8601, "2025-12-31T23:00:00-01:00", nil, Fixture.now),
            (.iso8601, "2026-01-01T00:00:00+0000", nil, Fixture.now),
            (.iso8601, "2026-01-01T01:30:00.5+0130", nil, Fixture.now),
            (.iso8601, "2026-01-01T00:00:00+00", nil, Fixture.now),
            (.iso8601, "2025-12-31T23:00:00-01", nil, Fixture.now),
            (.iso8601, "2026-01-01 00:00:00", nil, Fixture.now), (.iso8601, "0937-01-01T00:00:00Z", nil, 0),
            (.iso8601, "9999-12-31T00:00:00Z", nil, 3_162_240_000_000),
        ] as [Row] {
            let response = try read(
                Fixture.response(body([("expires_in", value)])),
                dialect: ResponseDialect(types: ["expires_in": type]))
            #expect(response.expiresIn == seconds)
            #expect(response.expiresAt == end)
        }
    }

    @Test("a default is in the words of the RFC, whatever the answer's would be")
    func typedDefaults() throws {
        let dialect = ResponseDialect(
            types: ["expires_in": .milliseconds, "scope": .comma],
            defaults: ["expires_in": 3600, "scope": "a b"])
        let plain = try read(Fixture.response(body([("scope", nil), ("expires_in", nil)])), dialect: dialect)
        #expect(plain.expiresIn == 3600)
        #expect(plain.scopes == ["a", "b"])
        let own = try read(
            Fixture.response(body([("scope", "a,b"), ("expires_in", 5000)])), dialect: dialect)
        #expect(own.expiresIn == 5)
        #expect(own.scopes == ["a", "b"])
    }

    @Test("a lifetime by which the provider means none is none, and a default then counts")
    func absentLifetime() throws {
        var dialect = ResponseDialect()
        dialect.absent = ["expires_in": [0, -1], "scope": ["none"]]
        for value in [0, -1, 0.0, "0", "-1"] as [JSONValue] {
            let response = try read(
                Fixture.response(body([("expires_in", value), ("scope", "none")])), dialect: dialect)
            #expect(response.expiresIn == nil)
            #expect(response.expiresAt == nil)
            #expect(response.scopes == nil)
        }
        #expect(try read(Fixture.response(body([("expires_in", 1)])), dialect: dialect).expiresIn == 1)
        dialect.defaults = ["expires_in": 60]
        #expect(try read(Fixture.response(body([("expires_in", 0)])), dialect: dialect).expiresIn == 60)
    }

    @Test("none is looked for under the member's standard name, before its type is")
    func absentTyped() throws {
        var dialect = ResponseDialect(
            map: ["expires_at": [try path("ends")]], types: ["expires_at": .iso8601, "expires_in": .duration])
        dialect.absent = ["expires_at": ["never"], "expires_in": [0]]
        let response = try read(
            Fixture.response(body([("ends", "never"), ("expires_in", 0)])), dialect: dialect)
        #expect(response.expiresIn == nil)
        #expect(response.expiresAt == nil)
        #expect(
            refused(Fixture.response(body([("ends", "soon"), ("expires_in", 0)])), dialect: dialect) != nil)
    }

    @Test("without a word of the descriptor a lifetime of nothing is over")
    func zeroLifetime() throws {
        #expect(try read(Fixture.response(body([("expires_in", 0)]))).expiresIn == 0)
        #expect(try read(Fixture.response(body([("expires_in", -1)]))).expiresIn == 0)
    }

    @Test("a text that is no date is refused where a date is expected")
    func badDate() {
        for text in [
            "", "2026", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00+1", "2026-01-01T00:00:00.Z", "x",
            "2026-01-01T00:00:00+000", "2026-01-01T00:00:00+00:", "2026-01-01T00:00:00+00000",
            "2026-01-01T00:00:00+:00", "2026-01-01T00:00:00+0060", "2026-01-01T00:00:00+24",
            "2026-01-01T00:00:00+",
        ] {
            let dialect = ResponseDialect(types: ["expires_at": .iso8601])
            let error = refused(Fixture.response(body([("expires_at", .string(text))])), dialect: dialect)
            #expect(
                error
                    == (text.isEmpty
                        ? nil
                        : .failed(
                            Checks.expiresIn, expected: "expires_at is a date and time (iso8601)",
                            actual: "a text that is not written as 2031-01-02T03:04:05Z")))
        }
    }

    @Test("a scope may be a text or a list, with commas where the descriptor says so")
    func scope() throws {
        for (value, type, scopes) in [
            ("a b", nil, ["a", "b"]), (" a  b ", nil, ["a", "b"]), (["a", "b c"], nil, ["a", "b c"]),
            ("a, b,c", .comma, ["a", "b", "c"]), ("a,b", nil, ["a,b"]), ("", nil, nil), (.null, nil, nil),
            (nil, nil, nil), ([], .list, []), (["a", 1, 2], .list, ["a", "1", "2"]),
        ] as [(JSONValue?, ResponseDialect.MemberType?, [String]?)] {
            let dialect = ResponseDialect(types: type.map { ["scope": $0] } ?? [:])
            #expect(try read(Fixture.response(body([("scope", value)])), dialect: dialect).scopes == scopes)
        }
        for value in [1, ["a", 1.5], [true], [["a"]], [:]] as [JSONValue] {
            #expect(
                refused(Fixture.response(body([("scope", value)])))
                    == .failed(Checks.scope, expected: "a text or a list of texts", actual: "another type"))
        }
    }

    @Test("an empty refresh token is no token; one of another type is refused [rule 95]")
    func refreshToken() throws {
        for value in [nil, "", .null, false] as [JSONValue?] {
            #expect(try read(Fixture.response(body([("refresh_token", value)]))).refreshToken == nil)
            #expect(try read(Fixture.response(body([("id_token", value)]))).idToken == nil)
        }
        #expect(
            refused(Fixture.response(body([("refresh_token", 1)])))
                == .failed(Checks.tokenMember, expected: "refresh_token is a text", actual: "another type"))
        #expect(
            refused(Fixture.response(body([("id_token", [:])])))
                == .failed(Checks.tokenMember, expected: "id_token is a text", actual: "another type"))
    }

    @Test("a page is named by its type and title")
    func page() {
        let html = "<!doctype html><TITLE lang=en>\u{202E}Log\u{1B}in &amp;\n more</TITLE>"
        let detail = "text/html, not JSON: a page with the title 'Login &amp; more'"
        let result = failure { log throws(ProtocolError) in
            try TokenResponse.read(
                Fixture.response(html, type: "Text/HTML; charset=utf-8"), dialect: .standard, log: &log)
        }
        #expect(result.error == .malformed("token response", detail: detail))
        #expect(
            result.log.verdict(Checks.tokenContentType) == .failed(expected: "token response", actual: detail)
        )
    }

    @Test("JSON under another type is read, and the trace says so [rule 87]")
    func otherType() {
        for (type, shown) in [
            ("text/plain", "text/plain"), ("text/html", "text/html"), (nil, "no content type"),
        ] {
            let result = failure { log throws(ProtocolError) in
                try TokenResponse.read(Fixture.response(body(), type: type), dialect: .standard, log: &log)
            }
            #expect(result.error == nil)
            #expect(
                result.log.verdict(Checks.tokenContentType)
                    == .notApplicable("sent as \(shown), but the body can be read"))
        }
    }

    @Test("a form is read where the type or the body says so")
    func form() throws {
        let text = "access_token=a%2Bt&token_type=bearer&expires_in=60&scope=a+b"
        for (type, format) in [
            ("application/x-www-form-urlencoded", .auto), ("text/plain", .auto), (nil, .auto),
            ("text/html", .form),
        ] as [(String?, ResponseDialect.Format)] {
            let response = try read(
                Fixture.response(text, type: type), dialect: ResponseDialect(format: format))
            #expect(response.accessToken.reveal() == "a+t")
            #expect(response.expiresIn == 60)
            #expect(response.scopes == ["a", "b"])
        }
        #expect(
            refused(Fixture.response("access_token=a&access_token=b", type: FormBody.contentType))
                == .malformed(
                    "token response",
                    detail: "application/x-www-form-urlencoded, not a form with every name once"))
        #expect(
            refused(
                Fixture.response(
                    "error=access_denied&error_description=no+way", status: 400, type: "text/plain"))
                == .rejected(OAuthError(code: "access_denied", description: "no way"), status: 400))
    }

    @Test("duplicate members, trailing data, excess depth and wrong UTF-8 are refused [rule 97]")
    func json() {
        for (text, words) in [
            (#"{"access_token":"a","access_token":"b"}"#, "member access_token is there twice at byte 20"),
            (#"{} {}"#, "something follows the value at byte 3"),
            (#"{"a":"#, "the text ends early at byte 5"),
        ] {
            #expect(
                refused(Fixture.response(text))
                    == .malformed("token response", detail: "application/json, not JSON: \(words)"))
        }
        #expect(
            refused(Fixture.response("\u{FEFF}{}"), dialect: ResponseDialect(format: .json))
                == .malformed(
                    "token response",
                    detail: "application/json, not JSON: begins with a byte order mark at byte 0"))
        #expect(
            refused(Fixture.response("[]"))
                == .malformed("token response", detail: "the body is not a JSON object"))
    }

    @Test("the dialect: conditions, then unwrap, then map, then defaults")
    func dialectOrder() throws {
        let dialect = ResponseDialect(
            errorWhen: [.init(path: try path("status"), test: .notEquals(0))],
            errorCode: [try path("status")],
            errorDescription: [try path("message")], unwrap: [try path("body")],
            map: [
                "access_token": [try path("tokens[0].value")],
                "refresh_token": [try path("none"), try path("renew")],
                "expires_in": [try path("none")],
            ],
            defaults: ["token_type": "bearer", "expires_in": 60, "scope": "x"])
        let success =
            #"{"status":0.0,"body":{"tokens":[{"value":"at"}],"renew":"rt","expires_in":9,"scope":""}}"#
        let response = try read(Fixture.response(success), dialect: dialect)
        #expect(response.accessToken.reveal() == "at")
        #expect(response.refreshToken?.reveal() == "rt")
        #expect(response.expiresIn == 60)
        #expect(response.scopes == ["x"])
        #expect(response.members["renew"] == nil)
        #expect(!response.members.keys.contains("access_token"))
        #expect(
            refused(Fixture.response(#"{"status":7,"message":"no"}"#), dialect: dialect)
                == .rejected(OAuthError(code: "7", description: "no"), status: 200))
        #expect(
            refused(Fixture.response(#"{"status":0,"body":1}"#), dialect: dialect)
                == .malformed("token response", detail: "body is not a JSON object"))
    }

    @Test("of several places of an error and of the members the first that is not empty counts")
    func places() throws {
        let dialect = ResponseDialect(
            errorWhen: [.init(path: try path("ok"), test: .equals(false))],
            errorCode: [try path("fault.code"), try path("code")],
            errorDescription: [try path("fault"), try path("fault.text"), try path("message")],
            unwrap: [try path("data"), try path("result.tokens")])
        for text in [
            #"{"data":{"access_token":"at","token_type":"Bearer"}}"#,
            #"{"data":null,"result":{"tokens":{"access_token":"at","token_type":"Bearer"}}}"#,
            #"{"data":"","result":{"tokens":{"access_token":"at","token_type":"Bearer"}}}"#,
        ] {
            #expect(try read(Fixture.response(text), dialect: dialect).accessToken.reveal() == "at")
        }
        #expect(
            refused(Fixture.response("{}"), dialect: dialect)
                == .malformed("token response", detail: "data or result.tokens is not a JSON object"))
        for (text, code, description) in [
            (#"{"ok":false,"fault":{"code":7,"text":"no"},"code":"x","message":"y"}"#, "7", "no"),
            (#"{"ok":false,"fault":{"code":""},"code":"x","message":"y"}"#, "x", "y"),
        ] {
            #expect(
                refused(Fixture.response(text), dialect: dialect)
                    == .rejected(OAuthError(code: code, description: description), status: 200))
        }
    }

    @Test(
        "what is no answer of OAuth is told of by its sentence and the names of its members",
        arguments: [
            (#"{"message":"Version is required"}"#, "Version is required", "message"),
            (#"{"error":{"code":3,"message":"used"},"b":1}"#, "used", "error, b"),
            (#"{"errors":[{"detail":"a\u0007b"}]}"#, "ab", "errors"),
            (#"{"title":"","detail":"d"}"#, "d", "title, detail"),
            (#"{"message":{"a":1}}"#, nil, "message"), (#"["message"]"#, nil, nil), ("{}", nil, nil),
            ("at-1234567890", nil, nil), ("message=secret", nil, nil), ("", nil, nil),
        ] as [(String, String?, String?)])
    func foreign(body: String, words: String?, members: String?) {
        let response = Fixture.response(body)
        #expect(ForeignAnswer.words(in: response) == words)
        #expect(ForeignAnswer.members(of: response) == members)
    }

    @Test("a condition without a code is still a refusal")
    func conditions() throws {
        let rows: [(ResponseDialect.ErrorCondition.Test, String, Bool)] = [
            (.equals(false), #"{"ok":false}"#, true), (.equals(false), #"{"ok":true}"#, false),
            (.exists(true), #"{"ok":1}"#, true), (.exists(true), #"{"ok":null}"#, false),
            (.exists(false), "{}", true), (.notEquals("0"), #"{"ok":"1"}"#, true),
            (.notEquals("0"), "{}", false),
        ]
        for (test, text, isError) in rows {
            let dialect = ResponseDialect(errorWhen: [.init(path: try path("ok"), test: test)])
            let found = text == "{}" ? "" : ", but ok"
            let missing = ProtocolError.failed(
                Checks.accessToken, expected: "a text that is not empty", actual: "no access_token\(found)")
            #expect(
                refused(Fixture.response(text), dialect: dialect)
                    == (isError ? .rejected(OAuthError(code: "unspecified"), status: 200) : missing))
        }
    }

    @Test(
        "the check says which condition held where the answer does not explain itself, or only its types differ",
        arguments: [
            (#"{"code":7,"msg":"no"}"#, [], "no error by error_when: code is not 0", "a number"),
            (
                #"{"code":"0","access_token":"at"}"#, ["code"], "no error by error_when: code is not 0",
                #"a text, "0": write not_equals: "0" for that"#
            ),
            (#"{"code":7}"#, ["code"], "no error", "7"),
        ] as [(String, [String], String, String)])
    func heldCondition(text: String, codes: [String], expected: String, actual: String) throws {
        let dialect = ResponseDialect(
            errorWhen: [.init(path: try path("code"), test: .notEquals(0))],
            errorCode: try codes.map { try path($0) })
        var log = CheckLog()
        _ = try? TokenResponse.read(Fixture.response(text), dialect: dialect, log: &log)
        let failed = log.results.last { if case .failed = $0.verdict { true } else { false } }
        #expect(failed?.check == Checks.tokenError)
        #expect(failed?.verdict == .failed(expected: expected, actual: actual))
    }

    @Test("of several places of a condition the first that there is counts")
    func placesOfCondition() throws {
        let places = [try path("meta.code"), try path("code")]
        let dialect = ResponseDialect(
            errorWhen: [.init(paths: places, test: .notEquals(0))], errorCode: places)
        let tokens = #""access_token":"at","token_type":"Bearer""#
        for text in [#"{"meta":{"code":0},"code":7,\#(tokens)}"#, #"{"code":0,\#(tokens)}"#, "{\(tokens)}"] {
            #expect(try read(Fixture.response(text), dialect: dialect).accessToken.reveal() == "at")
        }
        for text in [#"{"meta":{"code":7},"code":0,\#(tokens)}"#, #"{"code":7,\#(tokens)}"#] {
            #expect(
                refused(Fixture.response(text), dialect: dialect)
                    == .rejected(OAuthError(code: "7"), status: 200))
        }
    }

    @Test("further token sets and what is kept may be at one of several places")
    func placesOfTokens() throws {
        var dialect = ResponseDialect()
        dialect.tokens = ["user": [try path("authed_user"), try path("data.user")]]
        dialect.keep = [[try path("instance_url"), try path("data.api")], [try path("team.id")]]
        for text in [
            #"{"access_token":"at","token_type":"Bearer","data":{"user":{"access_token":"u"},"api":"https://a"}}"#,
            #"{"access_token":"at","token_type":"Bearer","authed_user":{"access_token":"u"},"instance_url":"https://a"}"#,
        ] {
            let response = try read(Fixture.response(text), dialect: dialect)
            #expect(response.others["user"]?.reveal() == #"{"access_token":"u"}"#)
            #expect(response.kept == ["instance_url": "https://a"])
        }
    }

    @Test(
        "a value of a form is compared by its text, and one of JSON as what it is",
        arguments: [
            (FormBody.contentType, "errcode=0", false), (FormBody.contentType, "errcode=7", true),
            (FormBody.contentType, "errcode=0.0", true),
            ("application/json", #"{"errcode":0}"#, false), ("application/json", #"{"errcode":"0"}"#, true),
        ])
    func formConditions(type: String, text: String, isError: Bool) throws {
        let response = HTTPResponse(
            status: 200, fields: [HTTPField("Content-Type", type)], body: Array(text.utf8))
        let dialect = ResponseDialect(errorWhen: [.init(path: try path("errcode"), test: .notEquals(0))])
        let error = refused(response, dialect: dialect)
        #expect(error.map { if case .rejected = $0 { true } else { false } } == isError)
        let flag = ResponseDialect(errorWhen: [.init(path: try path("ok"), test: .equals(false))])
        let refusal = refused(
            HTTPResponse(
                status: 200, fields: [HTTPField("Content-Type", FormBody.contentType)],
                body: Array("ok=false".utf8)), dialect: flag)
        #expect(refusal == .rejected(OAuthError(code: "unspecified"), status: 200))
    }

    @Test("tokens are removed from the members at any depth")
    func nestedTokens() throws {
        let text = body([
            ("authed_user", ["access_token": "x", "id": "u"]), ("list", [["refresh_token": "y"]]),
        ])
        let members = try read(Fixture.response(text)).members
        #expect(members["authed_user"] == ["id": "u"])
        #expect(members["list"] == [[:]])
    }

    @Test("a form with more members than any token response has is refused")
    func longForm() {
        let text = (0...1000).map { "a\($0)=1" }.joined(separator: "&")
        #expect(
            refused(Fixture.response(text, type: FormBody.contentType))
                == .malformed(
                    "token response",
                    detail: "application/x-www-form-urlencoded, not a form with every name once"))
    }

    @Test("no prefix and no changed byte of an answer traps")
    func truncations() {
        let bytes = Array(body([("id_token", "idt"), ("nested", ["a": [1, 2.5, nil]])]).utf8)
        for end in 0..<bytes.count {
            let response = HTTPResponse(status: 200, body: Array(bytes[..<end]))
            #expect(refused(response) != nil)
            var changed = bytes
            changed[end] = changed[end] ^ 0x15
            let types = ["application/json", "text/plain", FormBody.contentType]
            for type in types {
                let fields = [HTTPField("Content-Type", type)]
                _ = refused(HTTPResponse(status: 200, fields: fields, body: changed))
                _ = refused(HTTPResponse(status: 400, fields: fields, body: changed))
            }
        }
    }
}
