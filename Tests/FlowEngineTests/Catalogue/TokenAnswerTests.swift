import FlowEngine
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Token responses in every form that providers give them.
@Suite("Token responses of the catalogue")
struct TokenAnswerTests {
    struct Given: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let provider: String
        let answer: HTTPResponse
        /// Members of the stored session; null for what must not be there.
        let saved: JSONObject

        init(_ quirk: String, _ provider: String, _ answer: HTTPResponse, _ saved: JSONObject) {
            testDescription = "\(provider): \(quirk)"
            self.provider = provider
            self.answer = answer
            self.saved = saved
        }
    }

    private static func expiry(_ seconds: Int64) -> JSONValue { .int(ManualClock.start + seconds * 1000) }

    private static func json(_ members: JSONObject, status: Int = 200) -> HTTPResponse {
        CatalogueWorld.json(members, status: status)
    }

    private static let usual = CatalogueWorld.Answers.tokens()

    static let cases: [Given] = [
        Given(
            "a form, with \"expires\"", "deezer",
            CatalogueWorld.text("access_token=AT-1&expires=3600", "text/plain"),
            ["access_token": "AT-1", "expires_at": expiry(3600)]),
        Given(
            "a form under text/plain", "qq",
            CatalogueWorld.text("access_token=AT-1&expires_in=7776000&refresh_token=RT-1", "text/plain"),
            ["access_token": "AT-1", "refresh_token": "RT-1", "expires_at": expiry(7_776_000)]),
        Given(
            "JSON under text/javascript", "mixcloud",
            CatalogueWorld.text(#"{"access_token": "AT-1"}"#, "text/javascript"), ["access_token": "AT-1"]),
        Given(
            "JSON under text/plain", "stackexchange",
            CatalogueWorld.text(#"{"access_token": "AT-1", "expires": 86400}"#, "text/plain"),
            ["access_token": "AT-1", "expires_at": expiry(86_400)]),
        Given(
            "wrapped in body", "withings",
            json([
                "status": 0,
                "body": .object(usual.with(["userid": "363", "scope": "user.info,user.metrics"])),
            ]),
            [
                "access_token": "AT-1", "scopes": ["user.info", "user.metrics"], "kept": ["userid": "363"],
            ]),
        Given(
            "wrapped in response", "untappd",
            json(["meta": ["http_code": 200], "response": ["access_token": "AT-1"]]),
            ["access_token": "AT-1"]),
        Given(
            "wrapped in data, under other names and with an absolute end", "shopline",
            json([
                "code": 200,
                "data": [
                    "accessToken": "AT-1", "expireTime": "2026-01-01T10:00:00+00:00",
                    "scope": "read_products",
                ],
            ]),
            ["access_token": "AT-1", "expires_at": expiry(36_000)]),
        Given(
            "the token is an object", "yammer",
            json(["user": ["id": 1], "access_token": ["token": "AT-1", "user_id": 1]]),
            ["access_token": "AT-1"]),
        Given(
            "camel case", "dingtalk",
            json(["accessToken": "AT-1", "refreshToken": "RT-1", "expireIn": 7200, "corpId": "c"]),
            ["access_token": "AT-1", "refresh_token": "RT-1", "expires_at": expiry(7200)]),
        Given(
            "status 201, other names, an absolute end", "sentry",
            json(
                [
                    "token": "AT-1", "refreshToken": "RT-1", "expiresAt": "2026-01-01T08:00:00.000000Z",
                    "scopes": ["org:read"],
                ], status: 201),
            ["access_token": "AT-1", "refresh_token": "RT-1", "expires_at": expiry(28_800)]),
        Given(
            "an absolute end", "square",
            json([
                "access_token": "AT-1", "token_type": "bearer", "expires_at": "2026-01-31T00:00:00Z",
                "merchant_id": "M",
            ]),
            ["expires_at": expiry(2_592_000), "kept": ["merchant_id": "M"]]),
        Given(
            "no token_type", "wechat",
            json([
                "access_token": "AT-1", "expires_in": 7200, "openid": "O",
                "scope": "snsapi_base,snsapi_userinfo",
            ]),
            ["token_type": "Bearer", "scopes": ["snsapi_base", "snsapi_userinfo"], "kept": ["openid": "O"]]),
        Given(
            "no token_type", "weibo", json(["access_token": "AT-1", "expires_in": 7200, "uid": "1"]),
            ["token_type": "Bearer"]),
        Given(
            "a token_type of its own", "ebay", json(usual.with(["token_type": "User Access Token"])),
            ["access_token": "AT-1", "token_type": "Bearer"]),
        Given(
            "scope is null and expires_in 0 where nothing is said", "mailchimp",
            json(["access_token": "AT-1", "expires_in": 0, "scope": .null]),
            ["access_token": "AT-1", "expires_at": .null]),
        Given(
            "expires_in is a text", "naver", json(usual.with(["expires_in": "3600"])),
            ["expires_at": expiry(3600)]),
        Given(
            "expires_in is a text, and where the API is", "concur",
            json(usual.with(["expires_in": "3600", "geolocation": "https://us.api.concursolutions.com"])),
            [
                "expires_at": expiry(3600), "kept": ["geolocation": "https://us.api.concursolutions.com"],
            ]),
        Given(
            "expires_in is a text", "azure-devops", json(usual.with(["expires_in": "3600"])),
            ["expires_at": expiry(3600)]),
        Given(
            "no expires_in although the token ends", "stripe-app",
            json([
                "access_token": "AT-1", "refresh_token": "RT-1", "token_type": "bearer",
                "stripe_user_id": "acct_1",
            ]),
            ["expires_at": expiry(3600), "kept": ["stripe_user_id": "acct_1"]]),
        Given(
            "an account by the name of a renewal", "stripe-app",
            json(["access_token": "AT-1", "token_type": "bearer", "account_id": "acct_1"]),
            ["kept": ["stripe_user_id": "acct_1"]]),
        Given(
            "the refresh token is null", "dailymotion",
            json(usual.with(["refresh_token": .null])),
            ["access_token": "AT-1", "refresh_token": .null]),
        Given(
            "the ID token is false", "tumblr", json(usual.with(["id_token": false])),
            ["access_token": "AT-1", "id_token": .null]),
        Given(
            "how long the refresh token lives", "tiktok",
            json(usual.with(["refresh_expires_in": 31_536_000, "open_id": "O"])),
            ["kept": ["open_id": "O", "refresh_expires_in": 31_536_000]]),
        Given(
            "where the API is", "pipedrive", json(usual.with(["api_domain": "https://acme.pipedrive.com"])),
            ["kept": ["api_domain": "https://acme.pipedrive.com"]]),
        Given(
            "the person", "strava", json(usual.with(["athlete": ["id": 1]])), ["kept": ["athlete": ["id": 1]]]
        ),
        Given(
            "the person", "canvas-lms", json(usual.with(["user": ["id": 42, "name": "Ada"]])),
            ["kept": ["user": ["id": 42, "name": "Ada"]]]),
        Given(
            "no lifetime, and the person", "pcloud",
            json(["result": 0, "access_token": "AT-1", "token_type": "bearer", "uid": 34535]),
            ["access_token": "AT-1", "expires_at": .null, "kept": ["uid": 34535]]),
        Given(
            "two lifetimes, one of them in milliseconds", "raindrop",
            json(usual.with(["expires": 1_209_599_768, "expires_in": 1_209_599])),
            ["expires_at": expiry(1_209_599)]),
        Given(
            "no token_type", "zettle",
            json(["access_token": "AT-1", "expires_in": 7200, "refresh_token": "RT-1"]),
            ["token_type": "Bearer", "expires_at": expiry(7200)]),
    ]

    @Test("what a provider answers becomes a session", arguments: cases)
    func saved(_ given: Given) async throws {
        var answers = CatalogueWorld.Answers()
        let response = given.answer
        answers.token = { _ in response }
        answers.callback += Self.furtherParameters[given.provider] ?? []
        answers.userinfo = Self.json(["id": 1, "sub": "1"])
        // Who is asked for a person afterwards is beside the point: the tokens go to the store at once.
        let flow = FlowTexts.signIn([
            "verify": "{ do: verify_id_token, next: { ok: store, absent: store } }", "userinfo": "",
        ])
        let client = CatalogueRun.Client(changes: "id_token: { required: false }\n")
        let run = try await CatalogueRun.signIn(given.provider, client, flow: flow, answers: answers)
        #expect(run.outcomes(of: "exchange") == ["ok"])
        try run.expectSaved(given.saved)
    }

    private static let furtherParameters: [String: [(name: String, value: String)]] = [
        "sentry": [("installationId", "I-1")],
        "pcloud": [("locationid", "2"), ("hostname", "eapi.pcloud.com")],
    ]

    // MARK: Errors

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let provider: String
        let answer: HTTPResponse
        let error: String

        init(_ quirk: String, _ provider: String, _ answer: HTTPResponse, _ error: String) {
            testDescription = "\(provider): \(quirk)"
            self.provider = provider
            self.answer = answer
            self.error = error
        }
    }

    static let refusals: [Refusal] = [
        Refusal(
            "error with status 200", "github", json(["error": "bad_verification_code"]),
            "bad_verification_code"),
        Refusal("ok is false", "slack", json(["ok": false, "error": "invalid_code"]), "invalid_code"),
        Refusal(
            "a status that is not 0", "withings",
            json(["status": 503, "body": [:], "error": "Invalid Params"]), "503"),
        Refusal("errcode", "wechat", json(["errcode": 40029, "errmsg": "invalid code"]), "40029"),
        Refusal("error with status 200", "naver", json(["error": "invalid_request"]), "invalid_request"),
        Refusal("a code that is not 200", "shopline", json(["code": 500, "message": "no"]), "500"),
        Refusal(
            "a list of errors", "fitbit",
            json(
                [
                    "errors": [["errorType": "invalid_grant", "message": "Authorization code invalid"]],
                    "success": false,
                ], status: 400),
            "invalid_grant"),
        Refusal(
            "a message without a code", "twitch",
            json(["status": 400, "message": "Invalid authorization code"], status: 400), "http_400"),
        Refusal("an error with status 200", "zoho", json(["error": "invalid_code"]), "invalid_code"),
        Refusal(
            "a number as error, with status 200", "qq",
            json(["error": 100019, "error_description": "code to access token error"]), "100019"),
        Refusal(
            "an object as error", "facebook",
            json(["error": ["type": "OAuthException", "message": "expired", "code": 100]], status: 400),
            "OAuthException"),
        Refusal(
            "a result that is not 0", "pcloud", json(["result": 2012, "error": "Invalid 'code' provided."]),
            "2012"),
    ]

    @Test("an error is one in whatever form it comes", arguments: refusals)
    func refused(_ given: Refusal) async throws {
        var answers = CatalogueWorld.Answers()
        let response = given.answer
        answers.token = { _ in response }
        answers.callback += Self.furtherParameters[given.provider] ?? []
        answers.metadata = ["issuer": "https://id.twitch.tv/oauth2"]
        for name in ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"] {
            answers.metadata[name] = .string("https://op.example/\(name)")
        }
        let run = try await CatalogueRun.signIn(given.provider, answers: answers)
        #expect(!run.outcome.isSuccess)
        #expect(run.error(of: "exchange") == given.error)
        #expect(run.world.saved == nil)
    }
}

extension JSONObject {
    /// These members and others.
    fileprivate func with(_ members: JSONObject) -> JSONObject {
        var result = self
        for (name, value) in members { result[name] = value }
        return result
    }
}
