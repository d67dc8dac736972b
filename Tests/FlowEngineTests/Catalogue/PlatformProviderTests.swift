import FlowEngine
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Identity services: OpenID Connect servers that belong to whoever runs them.
@Suite("Identity services")
struct PlatformProviderTests {
    typealias Answers = CatalogueWorld.Answers

    @Test(
        "the issuer follows from what the registration says",
        arguments: [
            ("auth0", ["domain": "acme.eu.auth0.com"], "https://acme.eu.auth0.com/"),
            ("okta", ["domain": "acme.okta.com"], "https://acme.okta.com"),
            (
                "okta", ["domain": "acme.okta.com", "server": "/oauth2/default"],
                "https://acme.okta.com/oauth2/default"
            ),
            (
                "keycloak", ["host": "sso.example.com", "realm": "staff"],
                "https://sso.example.com/realms/staff"
            ),
            ("keycloak", ["host": "sso.example.com/auth"], "https://sso.example.com/auth/realms/master"),
            (
                "better-auth",
                ["base_url": "https://app.example.com/api/auth", "issuer": "https://app.example.com"],
                "https://app.example.com"
            ),
        ])
    func issuer(_ provider: String, _ variables: [String: String], _ issuer: String) async throws {
        let run = try await CatalogueRun.signIn(
            provider, CatalogueRun.Client(variables: variables),
            answers: .openID(
                issuer, claims: ["email": "ada@example.com", "email_verified": true],
                userinfo: ["sub": "person-1", "name": "Ada"]))
        #expect(run.outcome.isSuccess)
        #expect(run.authorization[query: "code_challenge_method"] == "S256")
        #expect(
            run.profile == [
                "sub": "person-1", "name": "Ada", "email": "ada@example.com", "email_verified": true,
            ])
        try run.expectSaved(["issuer": .string(issuer)])
    }

    @Test(
        "a variable that would lead elsewhere is refused",
        arguments: [
            ("auth0", ["domain": "acme.auth0.com/evil"]),
            ("okta", ["domain": "a", "server": "/oauth2/../x"]),
            ("keycloak", ["host": "sso.example.com", "realm": "a/b"]),
            ("shopify", ["shop": "a.evil.example#"]),
        ])
    func refused(_ provider: String, _ variables: [String: String]) {
        #expect(throws: BindingError.self) {
            try CatalogueRun.bind(provider, CatalogueRun.Client(variables: variables))
        }
    }

    @Test("Better Auth's metadata is below the address of its own routes")
    func betterAuth() throws {
        let bound = try CatalogueRun.bind("better-auth")
        #expect(
            bound.bound.metadataURL == "https://app.example.com/api/auth/.well-known/openid-configuration")
    }

    @Test("Firebase renews with the key of the project and without a client")
    func firebase() async throws {
        var answers = Answers()
        let idToken = try TestKey.idToken(
            [
                "iss": "https://securetoken.google.com/example-project", "aud": "CLIENT-ID-1",
            ], nonce: nil)
        answers.refresh = CatalogueWorld.json(
            Answers.tokens(["id_token": .string(idToken), "expires_in": "3600"]))
        let run = try await CatalogueRun.renew(
            "firebase",
            CatalogueRun.Client(secret: nil, changes: "client: { id_token_signed_response_alg: ES256 }\n"),
            answers: answers)
        let request = try run.sent(.refresh)
        #expect(request[query: "key"] == "AIzaExampleExampleExample")
        #expect(request.body.map(\.description) == ["grant_type=refresh_token", "refresh_token=RT-0"])
        #expect(run.outcome.isSuccess)
    }
}
