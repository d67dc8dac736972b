import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Token requests that differ from the RFC's where no recording shows it.
@Suite("Token requests of the catalogue")
struct TokenRequestQuirkTests {
    typealias Answers = CatalogueWorld.Answers

    private func tokenRequest(
        _ provider: String, _ client: CatalogueRun.Client = CatalogueRun.Client(),
        callback: [(name: String, value: String)] = []
    ) async throws -> Wire {
        var answers = Answers.plain(callback: callback)
        answers.metadata = ["issuer": .string(try CatalogueRun.bind(provider, client).declared.issuer ?? "")]
        for name in ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"] {
            answers.metadata[name] = .string("https://op.example/\(name)")
        }
        return try await CatalogueRun.signIn(provider, client, answers: answers).sent(.token)
    }

    @Test("World ID fails when it sees the redirect URI")
    func worldID() async throws {
        let request = try await tokenRequest("world-id")
        #expect(request[body: "redirect_uri"] == nil)
        #expect(request[body: "code"] == "CODE-1")
    }

    @Test("Smartsheet gets a hash of secret and code in place of the secret")
    func smartsheet() async throws {
        let request = try await tokenRequest("smartsheet")
        #expect(
            request[body: "hash"] == Hexadecimal.encode(Digest.sha256(Array("CLIENT-SECRET-1|CODE-1".utf8))))
        #expect(request[body: "client_secret"] == nil)
        #expect(request[body: "client_id"] == "CLIENT-ID-1")
    }

    @Test("Modrinth's secret is the whole Authorization, beside the client's identifier in the body")
    func modrinth() async throws {
        let request = try await tokenRequest("modrinth")
        #expect(request.headers["authorization"] == "CLIENT-SECRET-1")
        #expect(request[body: "client_secret"] == nil)
        #expect(request[body: "client_id"] == "CLIENT-ID-1")
    }

    @Test(
        "who proves itself in a way of the provider's own is not told to be a public client",
        arguments: ["smartsheet", "dingtalk", "modrinth", "wechat"])
    func ownProof(_ provider: String) async throws {
        var answers = Answers.plain()
        answers.token = { _ in CatalogueWorld.json(["error": "invalid_client"], status: 401) }
        let run = try await CatalogueRun.signIn(provider, answers: answers)
        let failure = try #require(run.outcome.failure(.english))
        #expect(failure.failureReason?.contains("has sent none") == false, "\(failure)")
    }

    @Test("DingTalk speaks camel case, in JSON")
    func dingTalk() async throws {
        let request = try await tokenRequest("dingtalk")
        #expect(request.headers["content-type"] == "application/json")
        #expect(
            request.body.map(\.description) == [
                "clientId=CLIENT-ID-1", "clientSecret=CLIENT-SECRET-1", "code=CODE-1",
                "grantType=authorization_code",
            ])
    }

    @Test("Trovo's client goes into a header, the rest into JSON")
    func trovo() async throws {
        let request = try await tokenRequest("trovo")
        #expect(request.headers["client-id"] == "CLIENT-ID-1")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request[body: "client_id"] == nil)
        #expect(request[body: "client_secret"] == "CLIENT-SECRET-1")
    }

    @Test("Sentry's endpoint is that of the installation, which the callback names")
    func sentry() async throws {
        let request = try await tokenRequest("sentry", callback: [("installationId", "I-1")])
        #expect(request.endpoint == "https://sentry.io/api/0/sentry-app-installations/I-1/authorizations/")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request[body: "redirect_uri"] == nil)
    }

    @Test("Stripe Apps take the secret as the user of Basic")
    func stripeApp() async throws {
        let request = try await tokenRequest("stripe-app")
        #expect(request.headers["authorization"] == "Basic \(Base64.encode("CLIENT-SECRET-1:".utf8))")
        #expect(request[body: "code_verifier"] == nil)
    }

    @Test("Epic Games takes Basic credentials as they are")
    func epicGames() async throws {
        let request = try await tokenRequest("epic-games", CatalogueRun.Client(secret: "a+b/c="))
        #expect(request.headers["authorization"] == "Basic \(Base64.encode("CLIENT-ID-1:a+b/c=".utf8))")
    }

    @Test("Untappd's token comes for a GET without a grant type")
    func untappd() async throws {
        let request = try await tokenRequest("untappd")
        #expect(request.method == "GET")
        #expect(request.body == [])
        #expect(request[query: "grant_type"] == nil)
        #expect(request[query: "response_type"] == "code")
        #expect(request[query: "redirect_url"] == "https://client.example/callback")
        #expect(request[query: "client_secret"] == "CLIENT-SECRET-1")
    }

    @Test("QQ's token comes for a GET with everything in the query")
    func qq() async throws {
        let request = try await tokenRequest("qq")
        #expect(request.method == "GET")
        #expect(request[query: "client_secret"] == "CLIENT-SECRET-1")
        #expect(request[query: "code"] == "CODE-1")
    }

    @Test("Shopline's request is signed in place of bearing the secret")
    func shopline() async throws {
        let request = try await tokenRequest("shopline")
        let time = String(ManualClock.start)
        let signed = Array((#"{"code":"CODE-1"}"# + time).utf8)
        let mac = HMAC.authenticate(signed, key: Array("CLIENT-SECRET-1".utf8), .sha256)
        #expect(request.body.map(\.description) == ["code=CODE-1"])
        #expect(request.headers["appkey"] == "CLIENT-ID-1")
        #expect(request.headers["timestamp"] == time)
        #expect(request.headers["sign"] == Hexadecimal.encode(mac))
    }

    @Test(
        "a provider in another environment has other endpoints",
        arguments: [
            ("square", "sandbox", "https://connect.squareupsandbox.com/oauth2/token"),
            ("paypal", "sandbox", "https://api-m.sandbox.paypal.com/v1/oauth2/token"),
            ("ebay", "sandbox", "https://api.sandbox.ebay.com/identity/v1/oauth2/token"),
            ("lark", "china", "https://open.feishu.cn/open-apis/authen/v2/oauth/token"),
            ("kroger", "certification", "https://api-ce.kroger.com/v1/connect/oauth2/token"),
        ])
    func environment(_ provider: String, _ name: String, _ endpoint: String) async throws {
        let request = try await tokenRequest(provider, CatalogueRun.Client(environment: name))
        #expect(request.endpoint == endpoint)
    }
}
