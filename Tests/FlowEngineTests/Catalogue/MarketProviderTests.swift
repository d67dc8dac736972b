import FlowEngine
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Shops, markets and what they are kept with: requests that are signed, and addresses that answers choose.
@Suite("Markets of the catalogue")
struct MarketProviderTests {
    typealias Answers = CatalogueWorld.Answers

    @Test("Etsy's person is the beginning of the token, and the key of the application stands beside it")
    func etsy() async throws {
        let run = try await CatalogueRun.signIn(
            "etsy", answers: .plain(token: ["access_token": "12345678.t"], userinfo: ["user_id": 12_345_678]))
        let request = try run.sent(.userinfo)
        #expect(request.endpoint == "https://api.etsy.com/v3/application/users/12345678")
        #expect(request.headers["x-api-key"] == "CLIENT-ID-1:CLIENT-SECRET-1")
        #expect(try run.sent(.token)[body: "client_secret"] == nil)
        #expect(run.profile?["sub"] == "12345678")
    }

    @Test("Razorpay's scopes are a parameter each")
    func razorpay() async throws {
        let client = CatalogueRun.Client(changes: "authorization: { scope: [read_only, rx_read_only] }\n")
        let run = try await CatalogueRun.signIn("razorpay", client, answers: .plain())
        let shown = try #require(run.world.shown)
        #expect(shown.hasSuffix("&scope%5B%5D=read_only&scope%5B%5D=rx_read_only"))
        #expect(!shown.contains("scope="))
    }

    @Test("Lazada's request is signed over path and sorted parameters")
    func lazada() async throws {
        let run = try await CatalogueRun.signIn(
            "lazada", answers: .plain(token: ["code": "0", "account_id": "7"]))
        let request = try run.sent(.token)
        let pairs = request.body.filter { $0.name != "sign" }.sorted { $0.name < $1.name }
        let text = "/auth/token/create" + pairs.map { $0.name + $0.value }.joined()
        let signature = HMAC.sha256(key: Array("CLIENT-SECRET-1".utf8), message: Array(text.utf8))
        #expect(request[body: "sign"] == Hexadecimal.encode(signature).uppercased())
        #expect(run.profile?["sub"] == "7")
    }

    @Test("Kommo's callback names the server, among those of Kommo, and a renewal repeats the redirect URI")
    func kommo() async throws {
        var answers = Answers.plain(
            userinfo: ["current_user_id": 5], callback: [("referer", "acme.kommo.com")])
        let run = try await CatalogueRun.signIn("kommo", answers: answers)
        #expect(try run.sent(.token).endpoint == "https://acme.kommo.com/oauth2/access_token")
        answers = Answers.plain(callback: [("referer", "kommo.com.attacker.example")])
        let stranger = try await CatalogueRun.signIn("kommo", answers: answers)
        #expect(!stranger.outcome.isSuccess)
        #expect(stranger.sent.isEmpty)
        answers.refresh = CatalogueWorld.json(Answers.tokens())
        let renewal = try await CatalogueRun.renew(
            "kommo", session: ["captured": ["account": "acme.kommo.com"]],
            redirectURI: "https://a.example/back", answers: answers)
        #expect(try renewal.sent(.refresh)[body: "redirect_uri"] == "https://a.example/back")
    }

    @Test("an error that an interface answers with status 200 is the provider's, and its words are its own")
    func answeredError() async throws {
        let answers = Answers.plain(userinfo: ["errcode": 40029, "errmsg": "invalid code"])
        let run = try await CatalogueRun.signIn("wecom", answers: answers)
        let end = try #require(run.events.stepEnds.last { $0.step == "userinfo" }?.end)
        #expect(end.error == "40029")
        #expect(end.description == "invalid code")
        #expect(end.rule?.hasSuffix("error_when: errcode is not 0") == true)
        let failure = try #require(run.outcome.failure(.english))
        #expect(failure.text.headline == "the provider answered with an error")
        #expect(failure.text.causes.first == "the code was used before, or is older than five minutes")
    }
}
