import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Who signed in, in every form that providers tell it.
@Suite("Profiles of the catalogue")
struct PersonAnswerTests {
    typealias Answers = CatalogueWorld.Answers

    struct Given: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let provider: String
        let answer: HTTPResponse
        let profile: JSONObject
        let others: [(start: String, answer: HTTPResponse)]
        let token: JSONObject

        init(
            _ quirk: String, _ provider: String, _ answer: HTTPResponse, _ profile: JSONObject,
            others: [(start: String, answer: HTTPResponse)] = [], token: JSONObject = [:]
        ) {
            testDescription = "\(provider): \(quirk)"
            self.provider = provider
            self.answer = answer
            self.profile = profile
            self.others = others
            self.token = token
        }
    }

    private static func json(_ members: JSONObject) -> HTTPResponse { CatalogueWorld.json(members) }

    static let cases: [Given] = [
        Given(
            "GraphQL", "linear",
            json(["data": ["viewer": ["id": "L-1", "name": "Ada Lovelace", "displayName": "ada"]]]),
            ["sub": "L-1", "name": "Ada Lovelace", "nickname": "ada"]),
        Given(
            "wrapped in resource", "calendly",
            json(["resource": ["uri": "https://api.calendly.com/users/A", "name": "Ada"]]),
            ["sub": "https://api.calendly.com/users/A", "name": "Ada"]),
        Given(
            "the first of a list", "stackexchange",
            json(["items": [["account_id": 9, "user_id": 1, "display_name": "Ada"]], "has_more": false]),
            ["sub": "9", "name": "Ada"]),
        Given(
            "deep in OData", "exact-online",
            json(["d": ["results": [["UserID": "E-1", "FullName": "Ada", "Email": "ada@example.com"]]]]),
            ["sub": "E-1", "name": "Ada", "email": "ada@example.com"]),
        Given(
            "deep in OCS", "nextcloud",
            json(["ocs": ["meta": ["status": "ok"], "data": ["id": "ada", "displayname": "Ada"]]]),
            ["sub": "ada", "name": "Ada", "picture": "https://cloud.example.com/avatar/ada/512"]),
        Given(
            "deep in OCS, with a hyphen", "owncloud",
            json(["ocs": ["meta": ["status": "ok"], "data": ["id": "ada", "display-name": "Ada"]]]),
            ["sub": "ada", "name": "Ada"]),
        Given(
            "deep in data", "vatsim",
            json(["data": ["cid": "1", "personal": ["name_full": "Ada", "email": "ada@example.com"]]]),
            ["sub": "1", "name": "Ada", "email": "ada@example.com"]),
        Given(
            "by name, and then by that name", "open-edx", json(["username": "ada"]),
            ["sub": "ada", "name": "Ada", "preferred_username": "ada", "email": "ada@example.com"],
            others: [
                (
                    "https://learn.example.com/api/user/v1/accounts/ada",
                    CatalogueWorld.json(["username": "ada", "name": "Ada", "email": "ada@example.com"])
                )
            ]),
        Given(
            "JSONP, and a second call", "qq",
            CatalogueWorld.text(#"callback( {"client_id":"1","openid":"O-1"} );"#, "text/html"),
            ["sub": "O-1", "name": "Ada", "picture": "https://images.example/ada.png"],
            others: [
                (
                    "https://graph.qq.com/user/get_user_info",
                    CatalogueWorld.json([
                        "ret": 0, "nickname": "Ada", "figureurl_qq_2": "https://images.example/ada.png",
                    ])
                )
            ]),
        Given(
            "JSON under another content type", "wikimedia",
            CatalogueWorld.text(#"{"sub": 583231, "username": "Ada", "confirmed_email": true}"#, "text/html"),
            ["sub": "583231", "name": "Ada", "preferred_username": "Ada", "email_verified": true]),
        Given(
            "the chosen of several addresses, in a second call", "bitbucket",
            json(["account_id": "B-1", "display_name": "Ada"]),
            ["sub": "B-1", "name": "Ada", "email": "ada@example.com"],
            others: [
                (
                    "https://api.bitbucket.org/2.0/user/emails",
                    CatalogueWorld.json([
                        "values": [
                            ["email": "old@example.com", "is_primary": false],
                            ["email": "ada@example.com", "is_primary": true],
                        ]
                    ])
                )
            ]),
        Given(
            "the address came with the tokens", "vk",
            json(["response": [["id": 1, "first_name": "Ada", "last_name": "Lovelace"]]]),
            [
                "sub": "1", "name": "Ada Lovelace", "given_name": "Ada", "family_name": "Lovelace",
                "email": "ada@example.com",
            ], token: ["email": "ada@example.com", "user_id": 1]),
        Given(
            "deep and as numbers", "kakao",
            json([
                "id": 1,
                "kakao_account": [
                    "email": "ada@example.com", "is_email_verified": true, "profile": ["nickname": "Ada"],
                ],
            ]),
            ["sub": "1", "name": "Ada", "email": "ada@example.com", "email_verified": true]),
        Given(
            "JSON:API", "patreon",
            json(["data": ["id": "1", "type": "user", "attributes": ["full_name": "Ada", "vanity": .null]]]),
            ["sub": "1", "name": "Ada"]),
    ]

    @Test("what a provider answers becomes a profile", arguments: cases)
    func profile(_ given: Given) async throws {
        var answers = Answers.plain(token: given.token)
        answers.userinfo = given.answer
        answers.others = given.others
        let run = try await CatalogueRun.signIn(given.provider, answers: answers)
        #expect(run.outcome.isSuccess)
        #expect(run.profile == given.profile)
    }

    // MARK: How it is asked

    struct Asked: Sendable, CustomTestStringConvertible {
        let provider: String
        let method: String
        let url: String
        let headers: [String: String]
        let body: String?
        let token: JSONObject

        var testDescription: String { provider }

        init(
            _ provider: String, _ url: String, _ headers: [String: String] = bearer, method: String = "GET",
            body: String? = nil, token: JSONObject = [:]
        ) {
            self.provider = provider
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
            self.token = token
        }
    }

    private static let bearer = ["authorization": "Bearer AT-1"]
    /// Of a request whose URL bears the token (RFC 6750 §2.3).
    private static let inURL = ["cache-control": "no-store"]

    static let requests: [Asked] = [
        Asked(
            "baidu", "https://openapi.baidu.com/rest/2.0/passport/users/getLoggedInUser?access_token=AT-1",
            inURL),
        Asked("foursquare", "https://api.foursquare.com/v2/users/self?v=20230131&oauth_token=AT-1", inURL),
        Asked(
            "dingtalk", "https://api.dingtalk.com/v1.0/contact/users/me",
            ["x-acs-dingtalk-access-token": "AT-1"], token: ["accessToken": "AT-1", "expireIn": 7200]),
        Asked(
            "trovo", "https://open-api.trovo.live/openplatform/getuserinfo",
            ["authorization": "OAuth AT-1", "client-id": "CLIENT-ID-1"]),
        Asked("mailchimp", "https://login.mailchimp.com/oauth2/metadata", ["authorization": "OAuth AT-1"]),
        Asked(
            "hubspot", "https://api.hubapi.com/oauth/2026-03/token/introspect",
            ["content-type": "application/x-www-form-urlencoded"], method: "POST",
            body: "token=AT-1&client_id=CLIENT-ID-1&client_secret=CLIENT-SECRET-1"
                + "&token_type_hint=access_token"),
        Asked(
            "bungie", "https://www.bungie.net/platform/User/GetBungieAccount/M-1/254/",
            ["authorization": "Bearer AT-1", "x-api-key": "example-api-key"], token: ["membership_id": "M-1"]),
        Asked(
            "wechat", "https://api.weixin.qq.com/sns/userinfo?openid=O-1&lang=zh_CN&access_token=AT-1", inURL,
            token: ["openid": "O-1"]),
        Asked(
            "linear", "https://api.linear.app/graphql",
            ["authorization": "Bearer AT-1", "content-type": "application/json"],
            method: "POST", body: #"{"query": "{ viewer { id name displayName email avatarUrl } }"}"#),
        Asked(
            "patreon",
            "https://www.patreon.com/api/oauth2/v2/identity?fields%5Buser%5D=email%2Cfull_name%2Cimage_url%2Cis_email_verified%2Cvanity"
        ),
        Asked("arcgis", "https://www.arcgis.com/sharing/rest/community/self?f=json"),
        Asked(
            "blackboard", "https://learn.example.edu/learn/api/public/v1/users/uuid:5b1b",
            token: ["user_id": "5b1b"]),
    ]

    @Test("a provider is asked who it is as it wants to be", arguments: requests)
    func asked(_ given: Asked) async throws {
        let run = try await CatalogueRun.signIn(given.provider, answers: .plain(token: given.token))
        var request = try run.sent(.userinfo)
        request.headers["accept"] = nil
        #expect(
            request == Wire(method: given.method, url: given.url, headers: given.headers, body: given.body))
    }

    @Test("a provider whose tokens say it all is not asked", arguments: ["slack", "withings", "notion"])
    func notAsked(_ provider: String) async throws {
        var answers = Answers.plain(token: ["ok": true, "status": 0, "body": .object(Answers.tokens())])
        answers.userinfo = CatalogueWorld.json(["unexpected": true])
        let run = try await CatalogueRun.signIn(provider, answers: answers)
        #expect(run.outcomes(of: "userinfo") == ["ok"])
        #expect(run.world.sent.map(\.purpose) == [.token])
    }

    @Test("an ID token that cannot be trusted is not looked at")
    func payPal() async throws {
        let person: JSONObject = [
            "user_id": "https://www.paypal.com/webapps/auth/identity/user/1",
            "sub": "https://www.paypal.com/webapps/auth/identity/user/1",
            "name": "Ada", "email_verified": "true",
        ]
        let run = try await CatalogueRun.signIn(
            "paypal",
            answers: .plain(token: ["id_token": "not.a.token", "expires_in": "28800"], userinfo: person))
        #expect(run.outcome.isSuccess)
        #expect(
            run.profile == [
                "sub": "https://www.paypal.com/webapps/auth/identity/user/1", "name": "Ada",
                "email_verified": true,
            ])
    }

    @Test("Zoho's data centre comes with the callback, and only the known ones are believed")
    func zoho() async throws {
        let person: JSONObject = [
            "ZUID": 1, "First_Name": "Ada", "Last_Name": "Lovelace", "Email": "ada@example.com",
        ]
        let run = try await CatalogueRun.signIn(
            "zoho",
            answers: .plain(
                userinfo: person,
                callback: [("location", "eu"), ("accounts-server", "https://accounts.zoho.eu")]))
        #expect(run.outcome.isSuccess)
        #expect(try run.sent(.token).endpoint == "https://accounts.zoho.eu/oauth/v2/token")
        #expect(try run.sent(.userinfo).endpoint == "https://accounts.zoho.eu/oauth/user/info")
        #expect(try run.sent(.userinfo).headers["authorization"] == "Zoho-oauthtoken AT-1")
        let elsewhere = try await CatalogueRun.signIn(
            "zoho",
            answers: .plain(
                userinfo: person, callback: [("accounts-server", "https://accounts.evil.example")]))
        #expect(!elsewhere.outcome.isSuccess)
        #expect(elsewhere.sent.isEmpty)
        let usual = try await CatalogueRun.signIn("zoho", answers: .plain(userinfo: person))
        #expect(try usual.sent(.token).endpoint == "https://accounts.zoho.com/oauth/v2/token")
    }

    @Test("codes come under another name, encoded twice, or with an error of another name")
    func callbacks() async throws {
        var answers = Answers.plain()
        answers.callback = [("spapi_oauth_code", "CODE-2"), ("selling_partner_id", "S-1")]
        let amazon = try await CatalogueRun.signIn("amazon-selling-partner", answers: answers)
        #expect(try amazon.sent(.token)[body: "code"] == "CODE-2")
        answers.callback = [("code", "a%2Fb")]
        let square = try await CatalogueRun.signIn("square", answers: answers)
        #expect(try square.sent(.token)[body: "code"] == "a/b")
        answers.callback = [("error_reason", "user_denied")]
        let deezer = try await CatalogueRun.signIn("deezer", answers: answers)
        #expect(deezer.error(of: "callback") == "user_denied")
        #expect(deezer.sent.isEmpty)
    }

    @Test("claims that the endpoint signed are checked, and win over the ID token's")
    func signed() async throws {
        let issuer = "https://auth.bankid.no/auth/realms/prod"
        var answers = Answers.openID(issuer)
        let person = try TestKey.idToken(
            ["iss": .string(issuer), "aud": "CLIENT-ID-1", "name": "Ada", "email": "ada@example.com"],
            nonce: nil)
        answers.userinfo = CatalogueWorld.text(person, "application/jwt")
        let client = CatalogueRun.Client(changes: "client: { userinfo_signed_response_alg: ES256 }\n")
        let run = try await CatalogueRun.signIn("bankid-no", client, answers: answers)
        #expect(run.outcome.isSuccess)
        #expect(run.profile == ["sub": "person-1", "name": "Ada", "email": "ada@example.com"])
        answers.userinfo = CatalogueWorld.text(String(person.dropLast(4)) + "AAAA", "application/jwt")
        let forged = try await CatalogueRun.signIn("bankid-no", client, answers: answers)
        #expect(!forged.outcome.isSuccess)
    }

    @Test("whatever status counts as success, what is to be signed is signed")
    func signedForEveryStatus() async throws {
        var answers = Answers.openID("https://auth.bankid.no/auth/realms/prod")
        answers.userinfo = CatalogueWorld.text(#"{"sub":"person-1"}"#, "application/json", status: 201)
        let client = CatalogueRun.Client(
            changes: """
                client: { userinfo_signed_response_alg: ES256 }
                userinfo: { response: { success_status: 2xx } }

                """)
        let run = try await CatalogueRun.signIn("bankid-no", client, answers: answers)
        #expect(!run.outcome.isSuccess)
    }
}
