import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Services of the public and of its states, as their documentation and their public source describe them.
@Suite("Providers of the public")
struct PublicProviderTests {
    typealias Answers = CatalogueWorld.Answers

    @Test("pCloud's host comes with the callback, and only the known ones are believed")
    func pCloud() async throws {
        let person: JSONObject = ["result": 0, "userid": 34535, "email": "ada@example.com"]
        let run = try await CatalogueRun.signIn(
            "pcloud",
            answers: .plain(
                token: ["result": 0], userinfo: person, callback: [("hostname", "eapi.pcloud.com")]))
        #expect(try run.sent(.token).endpoint == "https://eapi.pcloud.com/oauth2_token")
        #expect(try run.sent(.userinfo).endpoint == "https://eapi.pcloud.com/userinfo")
        #expect(run.profile == ["sub": "34535", "email": "ada@example.com"])
        let elsewhere = try await CatalogueRun.signIn(
            "pcloud", answers: .plain(userinfo: person, callback: [("hostname", "evil.example")]))
        #expect(!elsewhere.outcome.isSuccess)
        #expect(elsewhere.sent.isEmpty)
    }

    @Test("Misskey's client is an address without a secret, and who signed in is asked for with JSON")
    func misskey() async throws {
        var answers = Answers.openID(
            "https://misskey.io",
            userinfo: ["id": "9x1f", "username": "ada", "name": .null],
            callback: [("iss", "https://misskey.io")])
        answers.token = { _ in
            CatalogueWorld.json(["access_token": "AT-1", "token_type": "Bearer", "scope": "read:account"])
        }
        let client = CatalogueRun.Client(secret: nil)
        let run = try await CatalogueRun.signIn("misskey", client, answers: answers)
        #expect(run.outcome.isSuccess)
        #expect(try run.sent(.token)[body: "scope"] == "read:account")
        let userinfo = try run.sent(.userinfo)
        #expect(userinfo.method == "POST")
        #expect(userinfo.endpoint == "https://misskey.io/api/i")
        #expect(userinfo.headers["content-type"] == "application/json")
        #expect(run.profile == ["sub": "9x1f", "name": "ada", "preferred_username": "ada"])
        answers.callback.removeAll { $0.name == "iss" }
        let unnamed = try await CatalogueRun.signIn("misskey", client, answers: answers)
        #expect(unnamed.outcomes(of: "callback") == ["issuer_mismatch"])
    }

    @Test("gov.br writes truth values as texts, and how sure an account is stands in the ID token alone")
    func govBr() async throws {
        let run = try await CatalogueRun.signIn(
            "gov-br",
            CatalogueRun.Client(changes: "client: { id_token_signed_response_alg: ES256 }\n"),
            answers: .openID(
                "https://sso.acesso.gov.br/",
                claims: ["email_verified": "true", "reliability_info": ["level": "gold"]],
                userinfo: ["sub": "person-1", "name": "Ada", "email": "ada@example.com"]))
        #expect(run.outcome.isSuccess)
        #expect(try run.sent(.token).endpoint == "https://sso.acesso.gov.br/token")
        #expect(
            run.profile == [
                "sub": "person-1", "name": "Ada", "email": "ada@example.com", "email_verified": true,
                "reliability": "gold",
            ])
    }
}
