import JOSE
import OAuthProtocol
import Testing

@Suite("Token responses (RFC 6749 §5)")
struct TokenResponseTests {
    @Test("every member is read, the tokens as secrets, unknown ones kept [rule 96]")
    func success() throws {
        var log = CheckLog()
        let response = try TokenResponse.read(
            Fixture.response(TokenAnswer.body([("id_token", "idt"), ("account", 7)])), dialect: .standard,
            log: &log)
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
            TokenAnswer.refused(Fixture.response(body, status: status))
                == .rejected(
                    OAuthError(code: "invalid_grant", description: "too late", uri: "https://op.example"),
                    status: status))
    }

    @Test("a failure without one is a status", arguments: [301, 302, 307, 400, 401, 429, 502])
    func status(status: Int) {
        for body in ["", "<html>", "[]", #"{"error":""}"#, #"{"error":{"a":1}}"#, #"{"access_token":"at"}"#] {
            #expect(TokenAnswer.refused(Fixture.response(body, status: status)) == .status(status))
        }
    }

    @Test("a redirect is never a refusal or a success, whatever its body [rule 83]")
    func redirect() {
        #expect(TokenAnswer.refused(Fixture.response(#"{"error":"x"}"#, status: 302)) == .status(302))
        #expect(TokenAnswer.refused(Fixture.response(TokenAnswer.body(), status: 308)) == .status(308))
    }

    @Test("another success than 200 is refused, unless the descriptor says so [rule 86]")
    func created() throws {
        #expect(TokenAnswer.refused(Fixture.response(TokenAnswer.body(), status: 201)) == .status(201))
        let response = try TokenAnswer.read(
            Fixture.response(TokenAnswer.body(), status: 201),
            dialect: ResponseDialect(successStatus: 200...299))
        #expect(response.expiresIn == 3600)
    }

    @Test("an error inside a 200 is a refusal, also beside a token [rule 88]")
    func errorInSuccess() {
        #expect(
            TokenAnswer.refused(Fixture.response(TokenAnswer.body([("error", "bad_verification_code")])))
                == .rejected(OAuthError(code: "bad_verification_code"), status: 200))
        #expect(TokenAnswer.refused(Fixture.response(TokenAnswer.body([("error", "")]))) == nil)
    }

    @Test("an access token is a text of printable ASCII [rule 89]")
    func accessToken() {
        for (value, actual) in [
            (nil, "no access_token, but token_type, expires_in, refresh_token, scope"),
            (.null, "empty or another type"), ("", "empty or another type"),
            (1, "empty or another type"), (["at"], "empty or another type"),
        ] as [(JSONValue?, String)] {
            #expect(
                TokenAnswer.refused(Fixture.response(TokenAnswer.body([("access_token", value)])))
                    == .failed(Checks.accessToken, expected: "a text that is not empty", actual: actual))
        }
        for value in ["a\r\nX: y", "a\u{0}", "ä", "\u{7F}"] {
            #expect(
                TokenAnswer.refused(Fixture.response(TokenAnswer.body([("access_token", .string(value))])))
                    == .failed(Checks.accessToken, expected: "printable ASCII", actual: "another character"))
        }
    }

    @Test(
        "the token type is Bearer in any case [rule 90]", arguments: ["Bearer", "bearer", "BEARER", "bEaReR"])
    func bearer(type: String) throws {
        #expect(
            try TokenAnswer.read(Fixture.response(TokenAnswer.body([("token_type", .string(type))])))
                .tokenType == type)
    }

    @Test(
        "a word that a provider has for Bearer is taken as that, and not where a proof is demanded [rule 90]")
    func bearerWord() throws {
        let response = Fixture.response(TokenAnswer.body([("token_type", "JWT")]))
        var dialect = ResponseDialect()
        dialect.bearerTypes = ["jwt"]
        for (demand, type) in [(.bearer, "Bearer"), (.dpopOrBearer, "Bearer"), (.dpop, nil)]
            as [(TokenTypeDemand, String?)]
        {
            var found: TokenResponse?
            let refusal = failure { log throws(ProtocolError) in
                found = try TokenResponse.read(response, dialect: dialect, demand: demand, log: &log)
            }.error
            #expect(found?.tokenType == type)
            if type == nil {
                #expect(refusal == .failed(Checks.tokenType, expected: "DPoP", actual: #""JWT""#))
            }
        }
    }

    @Test("any other token type is refused [rule 90]")
    func tokenType() {
        for (value, actual) in [
            (nil, "no token_type"), (1, "another type of value"), (.null, "another type of value"),
            ("", #""""#),
            ("mac", #""mac""#), ("N_A", #""N_A""#), ("Bearer ", #""Bearer ""#), ("DPoP", #""DPoP""#),
        ] as [(JSONValue?, String)] {
            #expect(
                TokenAnswer.refused(Fixture.response(TokenAnswer.body([("token_type", value)])))
                    == .failed(Checks.tokenType, expected: "Bearer", actual: actual))
        }
    }

    @Test("a scope may be a text or a list, with commas where the descriptor says so")
    func scope() throws {
        for (value, type, scopes) in [
            ("a b", nil, ["a", "b"]), (" a  b ", nil, ["a", "b"]), (["a", "b c"], nil, ["a", "b c"]),
            ("a, b,c", .comma, ["a", "b", "c"]), (", a, ,b", .comma, ["a", "b"]), ("a,b", nil, ["a,b"]),
            ("", nil, nil), (.null, nil, nil),
            (nil, nil, nil), ([], .list, []), (["a", 1, 2], .list, ["a", "1", "2"]),
        ] as [(JSONValue?, ResponseDialect.MemberType?, [String]?)] {
            let dialect = ResponseDialect(types: type.map { ["scope": $0] } ?? [:])
            #expect(
                try TokenAnswer.read(Fixture.response(TokenAnswer.body([("scope", value)])), dialect: dialect)
                    .scopes == scopes)
        }
        for value in [1, ["a", 1.5], [true], [["a"]], [:]] as [JSONValue] {
            #expect(
                TokenAnswer.refused(Fixture.response(TokenAnswer.body([("scope", value)])))
                    == .failed(Checks.scope, expected: "a text or a list of texts", actual: "another type"))
        }
    }

    @Test("an empty refresh token is no token; one of another type is refused [rule 95]")
    func refreshToken() throws {
        for value in [nil, "", .null, false] as [JSONValue?] {
            #expect(
                try TokenAnswer.read(Fixture.response(TokenAnswer.body([("refresh_token", value)])))
                    .refreshToken == nil)
            #expect(
                try TokenAnswer.read(Fixture.response(TokenAnswer.body([("id_token", value)]))).idToken == nil
            )
        }
        #expect(
            TokenAnswer.refused(Fixture.response(TokenAnswer.body([("refresh_token", 1)])))
                == .failed(Checks.tokenMember, expected: "refresh_token is a text", actual: "another type"))
        #expect(
            TokenAnswer.refused(Fixture.response(TokenAnswer.body([("id_token", [:])])))
                == .failed(Checks.tokenMember, expected: "id_token is a text", actual: "another type"))
    }

    @Test("a member that is not written as its type says does not cost the refresh token of the answer")
    func refusedWithToken() {
        let dialect = ResponseDialect(types: ["created": .epoch])
        let response = Fixture.response(TokenAnswer.body([("created", "soon")]))
        #expect(TokenAnswer.refused(response, dialect: dialect) != nil)
        #expect(
            TokenResponse.refreshToken(in: response, dialect: dialect) == Secret("rt", kind: .refreshToken))
        #expect(TokenResponse.tellsFate(response, dialect: dialect))
    }

    @Test("tokens are among the other members nowhere, however deep [rule 96]")
    func nestedTokens() throws {
        let inner: JSONObject = ["access_token": "deep", "name": "n"]
        let outer: JSONObject = ["list": .array([.array([.object(inner)])]), "inner": .object(inner)]
        let response = try TokenAnswer.read(
            Fixture.response(TokenAnswer.body([("data", .object(["outer": .object(outer)]))])))
        let text = JSONValue.object(response.members).serialize()
        #expect(!text.contains("deep"))
        #expect(text.contains(#"{"outer":{"list":[[{"name":"n"}]],"inner":{"name":"n"}}}"#))
    }

    @Test("the refresh token of an answer that is no success is none")
    func refreshTokenOfFailure() {
        for (status, token) in [(200, Secret("rt", kind: .refreshToken)), (201, nil), (400, nil)] {
            let response = Fixture.response(TokenAnswer.body(), status: status)
            #expect(TokenResponse.refreshToken(in: response, dialect: .standard) == token)
        }
    }

    static let fates: [(status: Int, body: String, isTold: Bool)] = [
        (200, TokenAnswer.body(), true), (200, #"{"error":"x"}"#, true), (200, "", false),
        (200, "<html></html>", false), (200, "[]", false), (201, TokenAnswer.body(), false),
        (302, TokenAnswer.body(), false), (399, #"{"error":"x"}"#, false), (400, "", true), (500, "", true),
    ]

    @Test(
        "what became of a request is told by tokens, an error or a failure, and by nothing else",
        arguments: fates)
    func fate(status: Int, body: String, isTold: Bool) {
        let response = Fixture.response(body, status: status)
        #expect(TokenResponse.tellsFate(response, dialect: .standard) == isTold)
    }

    @Test(
        "N_A is a token type of a token exchange alone, and no other comes with it [rule 90]",
        arguments: [("N_A", true, true), ("n_a", true, true), ("N_A", false, false), ("mac", true, false)])
    func notApplicable(type: String, acceptsOtherTokens: Bool, isTaken: Bool) {
        let response = Fixture.response(TokenAnswer.body([("token_type", .string(type))]))
        let found = failure { log throws(ProtocolError) in
            try TokenResponse.read(
                response, dialect: .standard, acceptsOtherTokens: acceptsOtherTokens, log: &log)
        }
        let error = ProtocolError.failed(Checks.tokenType, expected: "Bearer", actual: "\"\(type)\"")
        #expect(found.error == (isTaken ? nil : error))
    }

    @Test("a token that is kept stands in for one that is not there, and for no other")
    func keptToken() throws {
        for (changes, token) in [([("access_token", nil)], "old"), ([], "at")]
            as [([(String, JSONValue?)], String)]
        {
            var log = CheckLog()
            let response = try TokenResponse.read(
                Fixture.response(TokenAnswer.body(changes)), dialect: .standard,
                keeping: (Secret("old", kind: .accessToken), "Bearer"), log: &log)
            #expect(response.accessToken == Secret(token, kind: .accessToken))
        }
    }
}
