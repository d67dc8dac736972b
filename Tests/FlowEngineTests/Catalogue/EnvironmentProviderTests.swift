import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Clients of another kind, which have an environment in the provider's file.
@Suite("Environments of the catalogue")
struct EnvironmentProviderTests {
    private typealias Answers = CatalogueWorld.Answers

    @Test("Slack's public clients have no secret, and the person's own token")
    func slack() async throws {
        let client = CatalogueRun.Client(secret: nil, environment: "public")
        let person: JSONObject = [
            "id": "U1", "access_token": "xoxp-1", "token_type": "user", "scope": "chat:write,im:read",
            "refresh_token": "xoxe-1", "expires_in": 43_200,
        ]
        var answers = Answers.plain()
        answers.token = { _ in
            CatalogueWorld.json(["ok": true, "authed_user": .object(person), "team": ["id": "T1"]])
        }
        answers.redirectURI = "http://localhost:8123/callback"
        let run = try await CatalogueRun.signIn("slack", client, answers: answers)
        #expect(run.outcome.end.name == "done")
        #expect(run.authorization[query: "user_scope"] == "users:read")
        #expect(run.authorization[query: "scope"] == nil)
        #expect(run.authorization[query: "code_challenge_method"] == "S256")
        #expect(try run.sent(.token)[body: "client_secret"] == nil)
        #expect(run.world.saved?["access_token"] == "xoxp-1")
        #expect(run.world.saved?["refresh_token"] == "xoxe-1")

        answers.refresh = CatalogueWorld.json([
            "ok": true, "access_token": "xoxp-2", "token_type": "user", "refresh_token": "xoxe-2",
            "expires_in": 43_200, "authed_user": ["id": "U1"],
        ])
        let renewed = try await CatalogueRun.renew("slack", client, answers: answers)
        #expect(renewed.world.saved?["access_token"] == "xoxp-2")
        #expect(renewed.world.saved?["refresh_token"] == "xoxe-2")
    }

    @Test("VK ID wants the device of the callback with the code and with every refresh")
    func vk() async throws {
        let client = CatalogueRun.Client(environment: "vkid")
        var answers = Answers.plain(
            userinfo: [
                "user": [
                    "user_id": "1", "first_name": "Ada", "last_name": "Lovelace", "email": "a@example.com",
                    "avatar": "https://images.example/a.png",
                ]
            ],
            callback: [("device_id", "D-1")])
        let run = try await CatalogueRun.signIn("vk", client, answers: answers)
        let token = try run.sent(.token)
        #expect(token.endpoint == "https://id.vk.com/oauth2/auth")
        #expect(token[body: "device_id"] == "D-1")
        #expect(token[body: "state"] == run.authorization[query: "state"])
        #expect(token[query: "v"] == nil)
        let person = try run.sent(.userinfo)
        #expect(person[body: "access_token"] == "AT-1")
        #expect(person[body: "client_id"] == "CLIENT-ID-1")
        #expect(run.profile?["email"] == "a@example.com")
        #expect(run.profile?["sub"] == "1")

        answers.refresh = CatalogueWorld.json(Answers.tokens(["refresh_token": "RT-2"]))
        let renewed = try await CatalogueRun.renew(
            "vk", client, session: ["captured": ["device": "D-1"]], answers: answers)
        #expect(try renewed.sent(.refresh)[body: "device_id"] == "D-1")
    }

    @Test("X is asked for the e-mail address only by who may have it", arguments: [true, false])
    func x(mayAsk: Bool) async throws {
        let fields = mayAsk ? "profile_image_url,verified,confirmed_email" : "profile_image_url,verified"
        let changes =
            mayAsk ? "authorization: { scope: [users.read, tweet.read, users.email] }" : "display_name: X"
        let run = try await CatalogueRun.signIn(
            "x", .init(changes: changes),
            answers: .plain(userinfo: ["data": ["id": "1", "name": "Ada", "username": "ada"]]))
        #expect(try run.sent(.userinfo)[query: "user.fields"] == fields)
    }
}
