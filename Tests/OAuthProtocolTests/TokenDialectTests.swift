import JOSE
import OAuthProtocol
import Testing

@Suite("Token responses in the words of a provider")
struct TokenDialectTests {
    @Test("the dialect: conditions, then unwrap, then map, then defaults")
    func dialectOrder() throws {
        let dialect = ResponseDialect(
            errorWhen: [.init(path: try TokenAnswer.path("status"), test: .notEquals(0))],
            errorCode: [try TokenAnswer.path("status")],
            errorDescription: [try TokenAnswer.path("message")], unwrap: [try TokenAnswer.path("body")],
            map: [
                "access_token": [try TokenAnswer.path("tokens[0].value")],
                "refresh_token": [try TokenAnswer.path("none"), try TokenAnswer.path("renew")],
                "expires_in": [try TokenAnswer.path("none")],
            ],
            defaults: ["token_type": "bearer", "expires_in": 60, "scope": "x"])
        let success =
            #"{"status":0.0,"body":{"tokens":[{"value":"at"}],"renew":"rt","expires_in":9,"scope":""}}"#
        let response = try TokenAnswer.read(Fixture.response(success), dialect: dialect)
        #expect(response.accessToken.reveal() == "at")
        #expect(response.refreshToken?.reveal() == "rt")
        #expect(response.expiresIn == 60)
        #expect(response.scopes == ["x"])
        #expect(response.members["renew"] == nil)
        #expect(!response.members.keys.contains("access_token"))
        #expect(
            TokenAnswer.refused(Fixture.response(#"{"status":7,"message":"no"}"#), dialect: dialect)
                == .rejected(OAuthError(code: "7", description: "no"), status: 200))
        #expect(
            TokenAnswer.refused(Fixture.response(#"{"status":0,"body":1}"#), dialect: dialect)
                == .malformed("token response", detail: "body is not a JSON object"))
    }

    @Test("of several places of an error and of the members the first that is not empty counts")
    func places() throws {
        let dialect = ResponseDialect(
            errorWhen: [.init(path: try TokenAnswer.path("ok"), test: .equals(false))],
            errorCode: [try TokenAnswer.path("fault.code"), try TokenAnswer.path("code")],
            errorDescription: [
                try TokenAnswer.path("fault"), try TokenAnswer.path("fault.text"),
                try TokenAnswer.path("message"),
            ],
            unwrap: [try TokenAnswer.path("data"), try TokenAnswer.path("result.tokens")])
        for text in [
            #"{"data":{"access_token":"at","token_type":"Bearer"}}"#,
            #"{"data":null,"result":{"tokens":{"access_token":"at","token_type":"Bearer"}}}"#,
            #"{"data":"","result":{"tokens":{"access_token":"at","token_type":"Bearer"}}}"#,
        ] {
            #expect(
                try TokenAnswer.read(Fixture.response(text), dialect: dialect).accessToken.reveal() == "at")
        }
        #expect(
            TokenAnswer.refused(Fixture.response("{}"), dialect: dialect)
                == .malformed("token response", detail: "data or result.tokens is not a JSON object"))
        for (text, code, description) in [
            (#"{"ok":false,"fault":{"code":7,"text":"no"},"code":"x","message":"y"}"#, "7", "no"),
            (#"{"ok":false,"fault":{"code":""},"code":"x","message":"y"}"#, "x", "y"),
        ] {
            #expect(
                TokenAnswer.refused(Fixture.response(text), dialect: dialect)
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
            (
                #"{"detail":[{"loc":["body","client_name",0],"msg":"Field required","input":{"a":1}}]}"#,
                "body.client_name: Field required", "detail"
            ), (#"{"detail":[{"loc":[],"msg":"no"}]}"#, "no", "detail"),
            (#"{"detail":["x"]}"#, nil, "detail"),
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
            let dialect = ResponseDialect(errorWhen: [.init(path: try TokenAnswer.path("ok"), test: test)])
            let found = text == "{}" ? "" : ", but ok"
            let missing = ProtocolError.failed(
                Checks.accessToken, expected: "a text that is not empty", actual: "no access_token\(found)")
            #expect(
                TokenAnswer.refused(Fixture.response(text), dialect: dialect)
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
            errorWhen: [.init(path: try TokenAnswer.path("code"), test: .notEquals(0))],
            errorCode: try codes.map { try TokenAnswer.path($0) })
        var log = CheckLog()
        _ = try? TokenResponse.read(Fixture.response(text), dialect: dialect, log: &log)
        let failed = log.results.last { if case .failed = $0.verdict { true } else { false } }
        #expect(failed?.check == Checks.tokenError)
        #expect(failed?.verdict == .failed(expected: expected, actual: actual))
    }

    @Test("of several places of a condition the first that there is counts")
    func placesOfCondition() throws {
        let places = [try TokenAnswer.path("meta.code"), try TokenAnswer.path("code")]
        let dialect = ResponseDialect(
            errorWhen: [.init(paths: places, test: .notEquals(0))], errorCode: places)
        let tokens = #""access_token":"at","token_type":"Bearer""#
        for text in [#"{"meta":{"code":0},"code":7,\#(tokens)}"#, #"{"code":0,\#(tokens)}"#, "{\(tokens)}"] {
            #expect(
                try TokenAnswer.read(Fixture.response(text), dialect: dialect).accessToken.reveal() == "at")
        }
        for text in [#"{"meta":{"code":7},"code":0,\#(tokens)}"#, #"{"code":7,\#(tokens)}"#] {
            #expect(
                TokenAnswer.refused(Fixture.response(text), dialect: dialect)
                    == .rejected(OAuthError(code: "7"), status: 200))
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
        let dialect = ResponseDialect(errorWhen: [
            .init(path: try TokenAnswer.path("errcode"), test: .notEquals(0))
        ])
        let error = TokenAnswer.refused(response, dialect: dialect)
        #expect(error.map { if case .rejected = $0 { true } else { false } } == isError)
        let flag = ResponseDialect(errorWhen: [.init(path: try TokenAnswer.path("ok"), test: .equals(false))])
        let refusal = TokenAnswer.refused(
            HTTPResponse(
                status: 200, fields: [HTTPField("Content-Type", FormBody.contentType)],
                body: Array("ok=false".utf8)), dialect: flag)
        #expect(refusal == .rejected(OAuthError(code: "unspecified"), status: 200))
    }

    @Test("further token sets and what is kept may be at one of several places")
    func placesOfTokens() throws {
        var dialect = ResponseDialect()
        dialect.tokens = ["user": [try TokenAnswer.path("authed_user"), try TokenAnswer.path("data.user")]]
        dialect.keep = [
            [try TokenAnswer.path("instance_url"), try TokenAnswer.path("data.api")],
            [try TokenAnswer.path("team.id")],
        ]
        for text in [
            #"{"access_token":"at","token_type":"Bearer","data":{"user":{"access_token":"u"},"api":"https://a"}}"#,
            #"{"access_token":"at","token_type":"Bearer","authed_user":{"access_token":"u"},"instance_url":"https://a"}"#,
        ] {
            let response = try TokenAnswer.read(Fixture.response(text), dialect: dialect)
            #expect(response.others["user"]?.reveal() == #"{"access_token":"u"}"#)
            #expect(response.kept == ["instance_url": "https://a"])
        }
        for other in [["access_token": ""], ["id": "u"], "u"] as [JSONValue] {
            let response = Fixture.response(TokenAnswer.body([("authed_user", other)]))
            #expect(try TokenAnswer.read(response, dialect: dialect).others == [:])
        }
    }

    @Test("tokens are removed from the members at any depth")
    func nestedTokens() throws {
        let text = TokenAnswer.body([
            ("authed_user", ["access_token": "x", "id": "u"]), ("list", [["refresh_token": "y"]]),
        ])
        let members = try TokenAnswer.read(Fixture.response(text)).members
        #expect(members["authed_user"] == ["id": "u"])
        #expect(members["list"] == [[:]])
    }
}
