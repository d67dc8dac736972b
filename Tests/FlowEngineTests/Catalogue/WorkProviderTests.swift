import FlowEngine
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// The providers of teams and their tools.
@Suite("Providers of teams")
struct WorkProviderTests {
    typealias Answers = CatalogueWorld.Answers

    @Test("GitHub tells errors with status 200, scopes with commas, and e-mail addresses on request")
    func gitHub() async throws {
        var answers = Answers.plain(
            token: ["scope": "read:user,user:email", "refresh_token": .null, "expires_in": .null],
            userinfo: ["id": 583231, "login": "octocat", "name": .null, "email": .null],
            callback: [("iss", "https://github.com/login/oauth")])
        answers.others = [
            (
                "https://api.github.com/user/emails",
                CatalogueWorld.text(
                    #"[{"email": "old@example.com", "primary": false}, {"email": "o@example.com", "primary": true}]"#,
                    "application/json")
            )
        ]
        let run = try await CatalogueRun.signIn("github", answers: answers)
        #expect(run.outcome.isSuccess)
        #expect(
            run.profile == [
                "sub": "583231", "name": "octocat", "preferred_username": "octocat", "email": "o@example.com",
            ])
        try run.expectSaved(["scopes": ["read:user", "user:email"]])
        #expect(try run.sent(.token).headers["accept"] == "application/json")

        answers.token = { _ in CatalogueWorld.json(["error": "bad_verification_code"]) }
        let refused = try await CatalogueRun.signIn("github", answers: answers)
        #expect(refused.error(of: "exchange") == "bad_verification_code")
    }

    @Test("a callback that names another issuer than GitHub's is refused")
    func gitHubIssuer() async throws {
        let run = try await CatalogueRun.signIn(
            "github", answers: .plain(callback: [("iss", "https://evil.example")]))
        #expect(run.outcomes(of: "callback") == ["issuer_mismatch"])
    }

    @Test("a GitHub App asks for no scopes, and its refresh tokens work once")
    func gitHubApp() async throws {
        let run = try await CatalogueRun.signIn(
            "github-app",
            answers: .plain(
                token: ["expires_in": 28800, "refresh_token_expires_in": 15_897_600, "scope": ""],
                userinfo: ["id": 1, "login": "octocat", "email": "o@example.com"]))
        #expect(run.outcome.isSuccess)
        #expect(run.authorization[query: "scope"] == nil)
        try run.expectSaved(["refresh_token": "RT-1", "kept": ["refresh_token_expires_in": 15_897_600]])

        var answers = Answers.plain()
        answers.refresh = CatalogueWorld.json(
            Answers.tokens(["access_token": "AT-2", "refresh_token": "RT-2"]))
        let renewed = try await CatalogueRun.renew("github-app", answers: answers)
        #expect(renewed.outcome.isSuccess)
        #expect(try renewed.sent(.refresh).endpoint == "https://github.com/login/oauth/access_token")
        #expect(try renewed.sent(.refresh).headers["accept"] == "application/json")
        try renewed.expectSaved(["access_token": "AT-2", "refresh_token": "RT-2"])
    }

    @Test(
        "Microsoft: who asks for any tenant takes the token's, who asks for one takes that alone",
        arguments: [
            ("common", "T-1", ["ok"]), ("organizations", "T-1", ["ok"]), ("T-1", "T-1", ["ok"]),
            ("t-2", "T-1", ["issuer_mismatch"]),
        ])
    func microsoft(_ asked: String, _ tenant: String, _ outcomes: [String]) async throws {
        let issuer = "https://login.microsoftonline.com/\(tenant.lowercased())/v2.0"
        let declared = asked == "common" || asked == "organizations" ? "{tenantid}" : asked.lowercased()
        let run = try await CatalogueRun.signIn(
            "microsoft", CatalogueRun.Client(variables: ["tenant": asked.lowercased()]),
            answers: .openID(
                "https://login.microsoftonline.com/\(declared)/v2.0",
                claims: ["iss": .string(issuer), "tid": .string(tenant.lowercased())],
                userinfo: ["sub": "person-1"]))
        #expect(run.outcomes(of: "verify") == outcomes)
    }

    @Test("GitLab runs on servers of one's own, and numbers people")
    func gitLab() async throws {
        let run = try await CatalogueRun.signIn(
            "gitlab", CatalogueRun.Client(variables: ["host": "git.example.com"]),
            answers: .openID(
                "https://git.example.com", claims: ["sub": "583231"],
                userinfo: [
                    "sub": "583231", "name": "Ada Lovelace", "nickname": "ada", "email": "ada@example.com",
                ]
            ))
        #expect(run.outcome.isSuccess)
        #expect(
            run.profile == [
                "sub": "583231", "name": "Ada Lovelace", "preferred_username": "ada",
                "email": "ada@example.com",
            ])
    }

    @Test("Slack answers errors with status 200, and a person's token beside the bot's")
    func slack() async throws {
        var answers = Answers.plain()
        answers.token = { _ in
            CatalogueWorld.json([
                "ok": true, "access_token": "xoxb-1", "token_type": "bot", "scope": "users:read,chat:write",
                "bot_user_id": "B1", "team": ["id": "T1", "name": "Acme"],
                "authed_user": [
                    "id": "U1", "access_token": "xoxp-1", "token_type": "user", "scope": "chat:write",
                ],
            ])
        }
        let run = try await CatalogueRun.signIn("slack", answers: answers)
        #expect(run.outcome.isSuccess)
        #expect(run.authorization[query: "scope"] == "users:read")
        #expect(run.authorization[query: "code_challenge"] == nil)
        try run.expectSaved([
            "access_token": "xoxb-1", "scopes": ["users:read", "chat:write"], "subject": "U1",
        ])
        let other = try #require(run.world.saved?["others"]?["user"]?.stringValue)
        #expect(try JSON.parse(Array(other.utf8))["access_token"] == "xoxp-1")

        answers.token = { _ in CatalogueWorld.json(["ok": false, "error": "invalid_code"]) }
        let refused = try await CatalogueRun.signIn("slack", answers: answers)
        #expect(refused.error(of: "exchange") == "invalid_code")
    }

    @Test("Sign in with Slack is OpenID Connect whose errors come with status 200")
    func slackOpenID() async throws {
        var answers = Answers.openID(
            "https://slack.com", claims: ["sub": "U0R7JM"], token: ["ok": true, "refresh_token": .null],
            userinfo: ["ok": true, "sub": "U0R7JM", "name": "Ada Lovelace", "locale": "en-GB"])
        let run = try await CatalogueRun.signIn("slack-openid", answers: answers)
        #expect(run.outcome.isSuccess)
        #expect(run.authorization[query: "nonce"] != nil)
        #expect(run.profile == ["sub": "U0R7JM", "name": "Ada Lovelace", "locale": "en-GB"])
        answers.userinfo = CatalogueWorld.json(["ok": false, "error": "missing_scope"])
        let refused = try await CatalogueRun.signIn("slack-openid", answers: answers)
        #expect(refused.error(of: "userinfo") == "missing_scope")
    }

    @Test("Dropbox tells who it is for a POST without a body")
    func dropbox() async throws {
        let run = try await CatalogueRun.signIn(
            "dropbox",
            answers: .plain(userinfo: [
                "account_id": "dbid:1",
                "name": ["given_name": "Ada", "surname": "Lovelace", "display_name": "Ada L."],
                "email": "ada@example.com", "email_verified": true,
            ]))
        #expect(run.authorization[query: "token_access_type"] == "offline")
        let userinfo = try run.sent(.userinfo)
        #expect(userinfo.method == "POST")
        #expect(userinfo.body == [])
        #expect(userinfo.headers["content-type"] == nil)
        #expect(
            run.profile == [
                "sub": "dbid:1", "name": "Ada L.", "given_name": "Ada", "family_name": "Lovelace",
                "email": "ada@example.com", "email_verified": true,
            ])
    }

    @Test("Atlassian's tokens are for its API, and its refresh tokens work once")
    func atlassian() async throws {
        var answers = Answers.plain(userinfo: [
            "account_id": "A-1", "name": "Ada", "email": "ada@example.com",
        ])
        let run = try await CatalogueRun.signIn("atlassian", answers: answers)
        #expect(run.authorization[query: "audience"] == "api.atlassian.com")
        #expect(run.authorization[query: "scope"] == "read:me offline_access")
        #expect(run.profile == ["sub": "A-1", "name": "Ada", "email": "ada@example.com"])
        answers.refresh = CatalogueWorld.json(Answers.tokens(["refresh_token": "RT-1"]))
        try await CatalogueRun.renew("atlassian", answers: answers).expectSaved(["refresh_token": "RT-1"])
    }

    @Test("Salesforce has a sandbox, keeps where the API is, and describes people at userinfo alone")
    func salesforce() async throws {
        let userinfo: JSONObject = [
            "sub": "https://test.salesforce.com/id/O-1/U-1", "user_id": "U-1", "organization_id": "O-1",
            "name": "Ada Lovelace", "email": "ada@example.com", "email_verified": true,
            "updated_at": "2026-01-01T00:00:00Z",
        ]
        let run = try await CatalogueRun.signIn(
            "salesforce", CatalogueRun.Client(environment: "sandbox"),
            answers: .openID(
                "https://test.salesforce.com",
                claims: ["sub": "https://test.salesforce.com/id/O-1/U-1", "name": "of the ID token"],
                token: [
                    "expires_in": .null, "instance_url": "https://acme.my.salesforce.com", "issued_at": "1",
                ],
                userinfo: userinfo))
        #expect(run.outcome.isSuccess)
        #expect(
            run.profile == [
                "sub": "https://test.salesforce.com/id/O-1/U-1", "name": "Ada Lovelace",
                "email": "ada@example.com", "email_verified": true, "updated_at": 1_767_225_600,
                "user_id": "U-1", "organization_id": "O-1",
            ])
        try run.expectSaved([
            "kept": ["instance_url": "https://acme.my.salesforce.com", "issued_at": "1"], "expires_at": .null,
        ])
    }

    @Test("Zoom names people in two parts, and explains errors by a reason")
    func zoom() async throws {
        var answers = Answers.plain(userinfo: [
            "id": "K1", "first_name": "Ada", "last_name": "Lovelace", "email": "ada@example.com",
        ])
        let run = try await CatalogueRun.signIn("zoom", answers: answers)
        #expect(run.authorization[query: "scope"] == nil)
        #expect(
            run.profile == [
                "sub": "K1", "name": "Ada Lovelace", "given_name": "Ada", "family_name": "Lovelace",
                "email": "ada@example.com",
            ])
        answers.token = { _ in
            CatalogueWorld.json(
                ["error": "invalid_grant", "reason": "Invalid authorization code"], status: 400)
        }
        let refused = try await CatalogueRun.signIn("zoom", answers: answers)
        #expect(refused.outcomes(of: "exchange") == ["invalid_grant"])
    }

    @Test("Notion takes JSON with Basic, and the token response tells who it was")
    func notion() async throws {
        let run = try await CatalogueRun.signIn(
            "notion",
            answers: .plain(token: [
                "refresh_token": .null, "expires_in": .null, "workspace_id": "W-1", "bot_id": "B-1",
                "owner": [
                    "type": "user",
                    "user": ["id": "U-1", "name": "Ada", "person": ["email": "ada@example.com"]],
                ],
            ]))
        #expect(run.outcome.isSuccess)
        let token = try run.sent(.token)
        #expect(token.headers["content-type"] == "application/json")
        #expect(
            token.headers["authorization"] == "Basic \(Base64.encode("CLIENT-ID-1:CLIENT-SECRET-1".utf8))")
        #expect(token.headers["notion-version"] == "2022-06-28")
        #expect(token[body: "grant_type"] == "authorization_code")
        try run.expectSaved(["subject": "U-1"])
    }

    @Test("Shopify signs its callback, has one server for every shop, and a header of its own")
    func shopify() async throws {
        var answers = Answers.plain(
            token: [
                "token_type": .null, "expires_in": .null, "refresh_token": .null,
                "scope": "read_products,write_files",
            ],
            userinfo: ["shop": ["id": 548_380_009, "name": "Analytical Engines", "email": "ada@example.com"]])
        let client = CatalogueRun.Client(variables: ["shop": "acme"])
        answers.seal = { ShopSignature.seal($0, secret: "CLIENT-SECRET-1") }
        let run = try await CatalogueRun.signIn("shopify", client, answers: answers)
        #expect(run.outcome.isSuccess)
        #expect(run.authorization.endpoint == "https://acme.myshopify.com/admin/oauth/authorize")
        let userinfo = try run.sent(.userinfo)
        #expect(userinfo.headers["x-shopify-access-token"] == "AT-1")
        #expect(userinfo.headers["authorization"] == nil)
        #expect(
            run.profile == [
                "sub": "548380009", "name": "Analytical Engines", "email": "ada@example.com",
                "shop": "acme.myshopify.com",
            ])
        try run.expectSaved(["scopes": ["read_products", "write_files"]])
    }

    @Test(
        "a callback that Shopify did not sign, or signed long ago, is never redeemed",
        arguments: [
            ("another secret", ManualClock.start / 1000), ("CLIENT-SECRET-1", ManualClock.start / 1000 - 601),
        ])
    func shopifyForgery(_ secret: String, _ time: Int64) async throws {
        var answers = Answers.plain()
        answers.seal = { ShopSignature.seal($0, secret: secret, time: time) }
        let run = try await CatalogueRun.signIn("shopify", answers: answers)
        #expect(!run.outcome.isSuccess)
        #expect(run.sent.isEmpty)
    }
}
