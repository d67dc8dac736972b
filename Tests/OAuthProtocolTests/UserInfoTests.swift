import JOSE
import OAuthProtocol
import Testing

@Suite("Userinfo (OIDC Core §5.3, RFC 6750)")
struct UserInfoTests {
    private func refused(
        _ response: HTTPResponse, expectedSubject: String? = "user-1", member: String? = "sub",
        dialect: ResponseDialect = .standard
    ) -> (error: ProtocolError?, log: CheckLog) {
        failure { log throws(ProtocolError) in
            try UserInfoResponse.read(
                response, expectedSubject: expectedSubject, subjectMember: member, dialect: dialect, log: &log
            )
        }
    }

    private func plan(
        _ placement: TokenPlacement = .authorization(scheme: "Bearer"), dialect: RequestDialect = .standard
    ) -> RequestPlan {
        UserInfoRequest.plan(
            endpoint: "https://op.example/me", accessToken: Secret("at", kind: .accessToken),
            dialect: dialect,
            placement: placement, step: "userinfo")
    }

    @Test("the token is in the Authorization field, not in the URL [rule 135]")
    func request() throws {
        let request = try plan().encoded()
        #expect(request.method == .get)
        #expect(request.url == "https://op.example/me")
        #expect(request.field("Authorization") == "Bearer at")
        #expect(request.field("Accept") == "application/json")
        #expect(request.body == nil)
    }

    @Test("a descriptor may place the token elsewhere")
    func placement() throws {
        #expect(try plan(.authorization(scheme: "OAuth")).encoded().field("Authorization") == "OAuth at")
        #expect(try plan(.field("X-Token")).encoded().field("X-Token") == "at")
        #expect(plan(.query("oauth_token")).url == "https://op.example/me?oauth_token=at")
        #expect(try plan(.query("oauth_token")).encoded().field("Cache-Control") == "no-store")
        #expect(try plan().encoded().field("Cache-Control") == nil)
        let body = try plan(.body("access_token")).encoded()
        #expect(body.method == .post)
        #expect(body.text == "access_token=at")
        for placement in [.field("X-Token"), .query("t"), .body("t")] as [TokenPlacement] {
            #expect(try plan(placement).encoded().field("Authorization") == nil)
        }
    }

    @Test("a descriptor may add query and header fields")
    func dialect() throws {
        let dialect = RequestDialect(
            query: [RequestParameter("fields", .text("id,name"), .descriptor("p.yaml:1"))],
            fields: [RequestParameter("User-Agent", .text("flowrun"), .descriptor("p.yaml:2"))])
        let request = try plan(dialect: dialect).encoded()
        #expect(request.url == "https://op.example/me?fields=id%2Cname")
        #expect(request.field("User-Agent") == "flowrun")
    }

    @Test("a client that proves itself does so in the body, or in the query of a request that has none")
    func client() throws {
        func request(_ method: HTTPMethod?, _ registration: ClientRegistration) throws -> HTTPRequest {
            var dialect = RequestDialect()
            dialect.method = method
            return try UserInfoRequest.plan(
                endpoint: "https://op.example/me", accessToken: Secret("at", kind: .accessToken),
                dialect: dialect, client: registration, isSigned: true, step: "userinfo"
            ).encoded()
        }
        let asked = try request(nil, Fixture.registration())
        #expect(asked.field("Accept") == "application/jwt")
        #expect(asked.url == "https://op.example/me?client_id=client-1&client_secret=s3cret")
        #expect(asked.body == nil)
        let posted = try request(.post, Fixture.registration())
        #expect(posted.url == "https://op.example/me")
        #expect(posted.text == "client_id=client-1&client_secret=s3cret")
        let basic = try request(.post, Fixture.registration(.clientSecretBasic))
        #expect(basic.text == "")
        #expect(basic.field("Content-Type") == nil)
    }

    @Test("a redirect is no refusal, whatever its body, and no further answer")
    func redirect() {
        let response = Fixture.response(#"{"error":"invalid_token","id":1}"#, status: 302)
        #expect(refused(response).error == .status(302))
        #expect(UserInfoResponse.additional(response, dialect: .standard) == nil)
    }

    @Test("the subject must be that of the ID token [rule 137]")
    func subject() {
        #expect(refused(Fixture.response(#"{"sub":"user-1"}"#)).error == nil)
        #expect(
            refused(Fixture.response(#"{"sub":"user-2"}"#)).error
                == .failed(
                    Checks.userInfoSubject, expected: "the subject of the ID token", actual: "another subject"
                ))
        for body in ["{}", #"{"sub":""}"#, #"{"sub":1}"#, #"{"sub":null}"#] {
            #expect(
                refused(Fixture.response(body)).error
                    == .failed(
                        Checks.userInfoSubject, expected: "sub, a text", actual: "absent or another type"))
        }
    }

    private static let signed: [(changes: [(String, JSONValue?)], error: ProtocolError?)] = [
        ([], nil), ([("exp", nil)], nil), ([("iss", nil), ("aud", nil)], nil),
        ([("exp", .int(now - 59)), ("nbf", .int(now + 60))], nil),
        ([("exp", .int(now - 60))], untimely("exp", "\(now - 60)")),
        ([("nbf", .int(now + 61))], untimely("nbf", "\(now + 61)")),
        ([("exp", nil), ("nbf", .int(now + 61))], untimely("nbf", "\(now + 61)")),
        ([("exp", "later")], untimely("exp", "\"later\"")),
        (
            [("iss", "https://evil.example")],
            .failed(Checks.userInfoIssuer, expected: Fixture.issuer, actual: "https://evil.example")
        ),
        (
            [("iss", 5)],
            .failed(Checks.userInfoIssuer, expected: Fixture.issuer, actual: "another type")
        ),
        ([("aud", ["other", .string(Fixture.clientID)])], nil),
        ([("aud", ["other", "third"])], stranger("other third")), ([("aud", "other")], stranger("other")),
        ([("aud", 5)], stranger("")), ([("aud", [])], stranger("")),
    ]

    private static let now = Fixture.now / 1000

    private static func untimely(_ name: String, _ actual: String) -> ProtocolError {
        .failed(Checks.userInfoLifetime, expected: "\(name), a time that fits \(now)", actual: actual)
    }

    private static func stranger(_ actual: String) -> ProtocolError {
        .failed(Checks.userInfoAudience, expected: Fixture.clientID, actual: actual)
    }

    @Test("what a signed answer says of itself must fit; what it leaves out need not [rule 138]")
    func signature() throws {
        for (changes, error) in Self.signed {
            let jws = try Fixture.verified(Fixture.claims(changes))
            let found = failure { log throws(ProtocolError) in
                try SignedUserInfo.check(
                    jws, issuers: [Fixture.issuer], clientID: Fixture.clientID, now: Fixture.now, log: &log)
            }
            #expect(found.error == error, "\(changes)")
        }
    }

    @Test("canonically equivalent subjects are different subjects")
    func normalForms() {
        #expect(
            refused(Fixture.response("{\"sub\":\"e\u{301}\"}"), expectedSubject: "\u{E9}").error
                == .failed(
                    Checks.userInfoSubject, expected: "the subject of the ID token", actual: "another subject"
                ))
    }

    @Test("plain OAuth 2.0 has no subject, and without an ID token nothing is compared")
    func noSubject() {
        let plain = refused(Fixture.response(#"{"id":1}"#), member: nil)
        #expect(plain.error == nil)
        #expect(
            plain.log.verdict(Checks.userInfoSubject) == .notApplicable("plain OAuth 2.0 has no subject"))
        let alone = refused(Fixture.response(#"{"sub":"x"}"#), expectedSubject: nil)
        #expect(alone.error == nil)
        #expect(
            alone.log.verdict(Checks.userInfoSubject)
                == .notApplicable("there is no ID token to compare with"))
    }

    @Test("a challenge is a refusal in its own words [rule 140]")
    func challenge() {
        let field = HTTPField(
            "www-authenticate",
            "Bearer error=\"insufficient_user_authentication\", error_description=\"sign in\u{1B} again\"")
        #expect(
            refused(Fixture.response("", status: 401, fields: [field])).error
                == .rejected(
                    OAuthError(code: "insufficient_user_authentication", description: "sign in again"),
                    status: 401))
    }

    @Test("the challenge with an error counts, also in a later field")
    func laterChallenge() {
        let fields = [
            HTTPField("WWW-Authenticate", "Basic realm=\"x\""),
            HTTPField("WWW-Authenticate", "DPoP error=\"use_dpop_nonce\""),
        ]
        #expect(
            refused(Fixture.response("", status: 401, fields: fields)).error
                == .rejected(OAuthError(code: "use_dpop_nonce"), status: 401))
    }

    @Test(
        "what a challenge leaves unsaid is taken out of the body",
        arguments: [
            (
                "Bearer error=\"invalid_token\"", #"{"message":"expired at noon"}"#, "invalid_token",
                "expired at noon"
            ),
            ("Bearer error=\"invalid_token\"", #"{"error":"revoked"}"#, "invalid_token", "revoked"),
            ("Bearer error=\"invalid_token\"", #"{"error":"invalid_token"}"#, "invalid_token", nil),
            ("Bearer", #"{"error":"token_revoked"}"#, "invalid_token", "token_revoked"),
            ("Bearer", #"{"error":{"message":"expired at noon"}}"#, "invalid_token", "expired at noon"),
        ] as [(String, String, String, String?)])
    func bodyBesideChallenge(challenge: String, body: String, code: String, description: String?) {
        let field = HTTPField("WWW-Authenticate", challenge)
        #expect(
            refused(Fixture.response(body, status: 401, fields: [field])).error
                == .rejected(OAuthError(code: code, description: description), status: 401))
    }

    @Test("401 and 403 without words have their meaning")
    func wordless() {
        for fields in [[], [HTTPField("WWW-Authenticate", "Bearer realm=\"x\"")]] {
            #expect(
                refused(Fixture.response("", status: 401, fields: fields)).error
                    == .rejected(OAuthError(code: "invalid_token"), status: 401))
            #expect(
                refused(Fixture.response("", status: 403, fields: fields)).error
                    == .rejected(OAuthError(code: "insufficient_scope"), status: 403))
        }
    }

    @Test("another failure is a refusal when its body says so, else a status")
    func otherFailures() {
        #expect(
            refused(Fixture.response(#"{"error":"invalid_request"}"#, status: 400)).error
                == .rejected(OAuthError(code: "invalid_request"), status: 400))
        for status in [302, 404, 429, 500] {
            #expect(
                refused(Fixture.response("<html>", status: status, type: "text/html")).error
                    == .status(status))
        }
    }

    @Test("a signed answer was not asked for [rule 139]")
    func signed() {
        #expect(
            refused(Fixture.response("e30.e30.c2ln", type: "application/jwt")).error
                == .failed(
                    Checks.userInfoContentType, expected: "application/json", actual: "application/jwt"))
    }

    @Test("the dialect unwraps and finds errors inside a 200")
    func responseDialect() throws {
        let dialect = ResponseDialect(
            errorWhen: [.init(path: try #require(ValuePath("error.code")), test: .notEquals("ok"))],
            errorCode: [ValuePath("error.code")!], errorDescription: [ValuePath("error.message")!],
            unwrap: [ValuePath("data.user")!])
        var log = CheckLog()
        let response = try UserInfoResponse.read(
            Fixture.response(#"{"data":{"user":{"open_id":"o"}},"error":{"code":"ok","message":""}}"#),
            expectedSubject: nil, subjectMember: nil, dialect: dialect, log: &log)
        #expect(response.claims == ["open_id": "o"])
        #expect(
            refused(
                Fixture.response(#"{"error":{"code":"access_token_invalid","message":"no"}}"#), member: nil,
                dialect: dialect
            ).error == .rejected(OAuthError(code: "access_token_invalid", description: "no"), status: 200))
    }

    @Test("no prefix of an answer traps")
    func truncations() {
        let bytes = Array(#"{"sub":"user-1","address":{"a":[1,2.5e3,"\u00e9"]}}"#.utf8)
        for end in 0..<bytes.count {
            #expect(refused(HTTPResponse(status: 200, body: Array(bytes[..<end]))).error != nil)
        }
    }
}
