import FlowEngine
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// How sessions are renewed where it is not the refresh token grant as the RFC has it.
@Suite("Renewals of the catalogue")
struct RefreshAnswerTests {
    typealias Answers = CatalogueWorld.Answers

    private func renew(
        _ provider: String, _ answer: JSONObject, session: JSONObject = [:]
    ) async throws -> CatalogueRun {
        var answers = Answers()
        answers.refresh = CatalogueWorld.json(answer)
        let run = try await CatalogueRun.renew(provider, session: session, answers: answers)
        #expect(run.outcomes(of: "refresh") == ["ok"])
        return run
    }

    @Test(
        "a provider without refresh tokens is not asked",
        arguments: ["bitly", "mastodon", "github", "intercom"])
    func none(_ provider: String) async throws {
        let run = try await CatalogueRun.renew(
            provider, session: ["refresh_token": .null], answers: Answers())
        #expect(run.outcomes(of: "restore") == ["unrefreshable"])
        #expect(run.sent.isEmpty)
    }

    @Test(
        "a refresh token that works once is replaced", arguments: ["zendesk", "x", "zoom", "discord", "box"])
    func rotated(_ provider: String) async throws {
        let run = try await renew(provider, Answers.tokens(["refresh_token": "RT-2"]))
        try run.expectSaved(["access_token": "AT-1", "refresh_token": "RT-2"])
    }

    @Test("Instagram's long-lived token renews itself")
    func instagram() async throws {
        let run = try await renew(
            "instagram", ["access_token": "AT-1", "token_type": "bearer", "expires_in": 5_183_944],
            session: ["refresh_token": .null])
        let request = try run.sent(.refresh)
        #expect(request.method == "GET")
        #expect(request.endpoint == "https://graph.instagram.com/refresh_access_token")
        #expect(request.query.map(\.description) == ["access_token=AT-0", "grant_type=ig_refresh_token"])
        try run.expectSaved(["access_token": "AT-1"])
    }

    @Test("COROS answers with a code alone, and the token lives on")
    func coros() async throws {
        let run = try await renew("coros", ["result": "0000", "message": "OK"])
        try run.expectSaved([
            "access_token": "AT-0", "refresh_token": "RT-0",
            "expires_at": .int(ManualClock.start + 2_592_000_000),
        ])
    }

    @Test("Shopline renews without any token, by a signature")
    func shopline() async throws {
        let run = try await renew(
            "shopline",
            ["code": 200, "data": ["accessToken": "AT-1", "expireTime": "2026-01-01T10:00:00+00:00"]],
            session: ["refresh_token": .null])
        let request = try run.sent(.refresh)
        #expect(request.body == [])
        #expect(request.headers["appkey"] == "CLIENT-ID-1")
        #expect(request.headers["sign"]?.count == 64)
        try run.expectSaved(["access_token": "AT-1"])
    }

    @Test("Basecamp calls a renewal by another name")
    func basecamp() async throws {
        let run = try await renew("basecamp", Answers.tokens(["refresh_token": .null]))
        let request = try run.sent(.refresh)
        #expect(request[body: "type"] == "refresh")
        #expect(request[body: "grant_type"] == nil)
        try run.expectSaved(["refresh_token": "RT-0"])
    }

    @Test("Figma and WeChat have another endpoint for it")
    func endpoint() async throws {
        let figma = try await renew("figma", Answers.tokens(["refresh_token": .null]))
        #expect(try figma.sent(.refresh).endpoint == "https://api.figma.com/v1/oauth/refresh")
        #expect(try figma.sent(.refresh).headers["authorization"]?.hasPrefix("Basic ") == true)
        let weChat = try await renew("wechat", Answers.tokens(["openid": "O"]))
        let request = try weChat.sent(.refresh)
        #expect(request.method == "GET")
        #expect(request.endpoint == "https://api.weixin.qq.com/sns/oauth2/refresh_token")
        #expect(
            request.query.map(\.description) == [
                "appid=CLIENT-ID-1", "grant_type=refresh_token", "refresh_token=RT-0",
            ])
    }

    @Test("a token response's names hold for the renewal too")
    func inherited() async throws {
        let run = try await renew(
            "dingtalk", ["accessToken": "AT-1", "refreshToken": "RT-1", "expireIn": 7200])
        let request = try run.sent(.refresh)
        #expect(request.headers["content-type"] == "application/json")
        #expect(
            request.body.map(\.description) == [
                "clientId=CLIENT-ID-1", "clientSecret=CLIENT-SECRET-1", "grantType=refresh_token",
                "refreshToken=RT-0",
            ])
        try run.expectSaved(["access_token": "AT-1", "refresh_token": "RT-1"])
    }

    @Test("Azure DevOps presents the refresh token as an assertion")
    func azureDevOps() async throws {
        var answers = Answers()
        answers.refresh = CatalogueWorld.json(Answers.tokens())
        let run = try await CatalogueRun.renew(
            "azure-devops", redirectURI: "https://a.example/back", answers: answers)
        let request = try run.sent(.refresh)
        #expect(request[body: "redirect_uri"] == "https://a.example/back")
        #expect(request[body: "assertion"] == "RT-0")
        #expect(request[body: "client_assertion"] == "CLIENT-SECRET-1")
        #expect(request[body: "grant_type"] == "refresh_token")
    }

    @Test("Geocaching's renewal repeats the redirect URI")
    func geocaching() async throws {
        var answers = Answers()
        answers.refresh = CatalogueWorld.json(Answers.tokens())
        let run = try await CatalogueRun.renew(
            "geocaching", redirectURI: "https://a.example/back", answers: answers)
        #expect(try run.sent(.refresh)[body: "redirect_uri"] == "https://a.example/back")
        #expect(try run.sent(.refresh)[body: "x"] == nil)
    }

    @Test("Smartsheet's secret goes into a hash with the refresh token")
    func smartsheet() async throws {
        let run = try await renew("smartsheet", Answers.tokens())
        let request = try run.sent(.refresh)
        #expect(
            request[body: "hash"] == Hexadecimal.encode(Digest.sha256(Array("CLIENT-SECRET-1|RT-0".utf8))))
        #expect(request[body: "client_secret"] == nil)
    }

    @Test("what a revocation names and presents is the provider's own")
    func revocation() async throws {
        let flow = FlowTexts.stored("{ do: revoke, next: done }")
        let weibo = try await CatalogueRun.renew(
            "weibo", session: ["expires_at": .int(ManualClock.start + 3_600_000)], flow: flow,
            answers: Answers())
        #expect(weibo.sent.map(\.endpoint) == ["https://api.weibo.com/oauth2/revokeoauth2"])
        #expect(weibo.sent.first?[body: "access_token"] == "AT-0")
        #expect(weibo.sent.first?[body: "token"] == nil)
        let reddit = try await CatalogueRun.renew(
            "reddit", session: ["expires_at": .int(ManualClock.start + 3_600_000)], flow: flow,
            answers: Answers())
        #expect(reddit.sent.map { $0[body: "token"] } == ["RT-0", "AT-0"])
        #expect(reddit.sent.allSatisfy { $0.headers["authorization"]?.hasPrefix("Basic ") == true })
    }

    @Test(
        "only the tokens that can be revoked are, and as the provider wants it",
        arguments: [
            ("auth0", ["RT-0"], "application/x-www-form-urlencoded"),
            ("cognito", ["RT-0"], "application/x-www-form-urlencoded"),
            ("quickbooks", ["RT-0", "AT-0"], "application/json"),
        ])
    func revoked(_ provider: String, _ tokens: [String], _ contentType: String) async throws {
        let issuer = try CatalogueRun.bind(provider).declared.issuer ?? ""
        var answers = Answers.openID(issuer)
        answers.metadata["revocation_endpoint"] = "https://op.example/revoke"
        let run = try await CatalogueRun.renew(
            provider, session: ["expires_at": .int(ManualClock.start + 3_600_000)],
            flow: FlowTexts.stored("{ do: revoke, next: done }"), answers: answers)
        #expect(run.sent.map { $0[body: "token"] } == tokens)
        #expect(run.sent.allSatisfy { $0.headers["content-type"] == contentType })
    }
}
