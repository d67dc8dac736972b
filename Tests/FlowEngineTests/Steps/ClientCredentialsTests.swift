import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("client_credentials")
struct ClientCredentialsTests {
    private static let flow = FlowTexts.single(
        """
        { do: client_credentials, with: { scopes: [a, b], resource: [https://one.example, https://two.example] },
            next: done }
        """)

    private static let token = Answers.json(
        200, ["access_token": .string(Markers.accessToken), "token_type": "Bearer", "expires_in": 60])

    static let cases = [
        Case("a token", token, "ok"),
        Case("401", Answers.text(401, ""), "invalid_client"),
        Case(
            "a refused scope", Answers.json(400, ["error": "invalid_scope"]), "rejected",
            error: "invalid_scope"),
        Case(
            "a refused grant", Answers.json(400, ["error": "invalid_grant"]), "rejected",
            error: "invalid_grant"),
        Case("a redirect", Answers.text(302, ""), "insecure"),
        Case("no token", Answers.json(200, ["token_type": "Bearer"]), "malformed", error: "access_token"),
        Case("429", Answers.text(429, ""), "rate_limited"),
        Case("503", Answers.text(503, ""), "server_error"),
        Case("502, which burns nothing", Answers.text(502, ""), "server_error"),
        Case("never sent", Answers.lost(.notDelivered), "network"),
        Case("perhaps sent, which burns nothing", Answers.lost(.perhapsDelivered), "network"),
    ]

    @Test("tells what the server says", arguments: cases)
    func outcomes(_ given: Case) async throws {
        let run = await Conversation.run(
            try Compiled.plan(Self.flow), [ScriptedEffect("http client_credentials", given.event)])
        #expect(run.outcomes(of: "work") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "work")?.error == error) }
    }

    @Test("asks for scopes and resources, and nothing of OpenID Connect")
    func request() async throws {
        let run = await Conversation.run(
            try Compiled.plan(Self.flow), [ScriptedEffect("http client_credentials", Self.token)])
        guard case .http(let exchange)? = run.performed.last?.effect else { return notFound() }
        #expect(
            String(decoding: exchange.request.body ?? [], as: UTF8.self)
                == "grant_type=client_credentials&scope=a+b&resource=https%3A%2F%2Fone.example"
                + "&resource=https%3A%2F%2Ftwo.example")
        #expect(run.outcome.tokens.first??.origin == .client)
    }

    @Test(
        "what the run was started for is asked for too, and what is registered where the flow names nothing",
        arguments: [
            ("[a]", ["mine"], "a mine"), ("[]", ["mine"], "registered mine"), ("[]", [], "registered"),
        ])
    func furtherScopes(_ given: String, _ demanded: [String], _ expected: String) async throws {
        let flow = FlowTexts.single("{ do: client_credentials, with: { scopes: \(given) }, next: done }")
        let provider = try Compiled.provider(registeredScopes: ["registered"], demandedScopes: demanded)
        let run = await Conversation.run(
            try Compiled.plan(flow, bound: provider), [ScriptedEffect("http client_credentials", Self.token)])
        guard case .http(let exchange)? = run.performed.last?.effect else { return notFound() }
        let scope = PercentEncoding.encodeForm(expected)
        #expect(
            String(decoding: exchange.request.body ?? [], as: UTF8.self)
                == "grant_type=client_credentials&scope=\(scope)")
    }

    @Test(
        "who wants commas between scopes answers so, unless the descriptor says otherwise",
        arguments: [
            ("", "a,b", ["a", "b"]), ("", "a", ["a"]), ("", "a b", ["a", "b"]),
            ("token: { response: { types: { scope: space } } }", "a,b", ["a,b"]),
        ])
    func commas(_ further: String, _ scope: String, _ names: [String]) async throws {
        let provider =
            ProviderText.standard.replacing(
                "authorization: { scope: [openid, email],", with: "authorization: { scope_delimiter: \",\","
            ) + further + "\n"
        let answer = Answers.json(
            200,
            ["access_token": .string(Markers.accessToken), "token_type": "Bearer", "scope": .string(scope)])
        let run = await Conversation.run(
            try Compiled.plan(Self.flow, provider: provider),
            [ScriptedEffect("http client_credentials", answer)])
        #expect(run.outcome.tokens.first??.scopes == names)
    }

    @Test("a secret that could not be read is missed by the request that needs it")
    func unread() async throws {
        let provider = try Compiled.provider(secret: nil, unreadSecret: "no such variable")
        let run = await Conversation.run(try Compiled.plan(Self.flow, bound: provider), [])
        #expect(run.outcome.end.error?.code == .clientKey)
        #expect(run.outcome.end.error?.message == "no such variable")
    }

    @Test("a provider that names no token endpoint refuses")
    func noEndpoint() async throws {
        let script = [
            ScriptedEffect("recall metadata", .nothingKept),
            ScriptedEffect("http discovery", Answers.metadata(["token_endpoint": .null])),
            ScriptedEffect("keep metadata"),
        ]
        let run = await Conversation.run(
            try Compiled.plan(Self.flow, provider: ProviderText.discovered), script)
        #expect(run.outcomes(of: "work") == ["rejected"])
    }

    @Test("metadata of another issuer is told apart")
    func untrusted() async throws {
        let script = [
            ScriptedEffect("recall metadata", .nothingKept),
            ScriptedEffect("http discovery", Answers.metadata(["issuer": "https://other.example"])),
        ]
        let run = await Conversation.run(
            try Compiled.plan(Self.flow, provider: ProviderText.discovered), script)
        #expect(run.outcomes(of: "work") == ["metadata_untrusted"])
    }
}
