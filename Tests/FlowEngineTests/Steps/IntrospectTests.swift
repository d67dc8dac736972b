import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("introspect")
struct IntrospectTests {
    private static let flow = FlowTexts.stored("{ do: introspect, next: done }")

    static let cases = [
        Case("a good token", Answers.json(200, ["active": true, "scope": "a b"]), "ok"),
        Case("a dead token", Answers.json(200, ["active": false]), "inactive"),
        Case("active as text", Answers.json(200, ["active": "true"]), "malformed", error: "active"),
        Case("no active", Answers.json(200, [:]), "malformed", error: "active"),
        Case("no JSON", Answers.text(200, "<html>"), "malformed"),
        Case("401", Answers.text(401, ""), "invalid_client"),
        Case("400", Answers.json(400, ["error": "invalid_request"]), "rejected", error: "invalid_request"),
        Case("a refused grant", Answers.json(400, ["error": "invalid_grant"]), "rejected"),
        Case("429", Answers.text(429, ""), "rate_limited"),
        Case("500", Answers.text(500, ""), "server_error"),
        Case("never sent", Answers.lost(.notDelivered), "network"),
    ]

    @Test("tells what the server says [rule 158]", arguments: cases)
    func outcomes(_ given: Case) async throws {
        let run = await Conversation.run(
            try Compiled.plan(Self.flow, provider: ProviderText.complete),
            [Scripts.load(), ScriptedEffect("http introspection", given.event)])
        #expect(run.outcomes(of: "work") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "work")?.error == error) }
    }

    @Test("gives the claims and scopes of the token that the flow names")
    func fields() async throws {
        let flow = FlowTexts.stored(
            "{ do: introspect, with: { token: refresh_token }, next: done }",
            extra: "outputs: { scopes: list<string>, claims: json }",
            ends: """
                  done: { result: success, outputs: { scopes: "${steps.work.scopes}", claims: "${steps.work.claims}" } }
                  failed: { result: failure }
                """)
        let run = await Conversation.run(
            try Compiled.plan(flow, provider: ProviderText.complete),
            [
                Scripts.load(),
                ScriptedEffect("http introspection", Answers.json(200, ["active": true, "scope": "a b"])),
            ])
        #expect(run.output("scopes") == .list([.string("a"), .string("b")]))
        #expect(run.output("claims") == .json(["active": true, "scope": "a b"]))
        guard case .http(let exchange)? = run.performed.last?.effect else { return notFound() }
        #expect(
            exchange.plan.body.map(\.name) == ["token", "token_type_hint"]
                && exchange.plan.body[0].value
                    == .secret(Secret(Markers.refreshToken, kind: .refreshToken))
        )
    }

    @Test("a set without a refresh token has none that is good")
    func noToken() async throws {
        let flow = FlowTexts.stored("{ do: introspect, with: { token: refresh_token }, next: done }")
        let run = await Conversation.run(
            try Compiled.plan(flow, provider: ProviderText.complete),
            [Scripts.load(StoredTokens().with { $0.refreshToken = nil })])
        #expect(run.outcomes(of: "work") == ["inactive"])
    }

    @Test("a provider without the endpoint is unsupported")
    func unsupported() async throws {
        let run = await Conversation.run(try Compiled.plan(Self.flow), [Scripts.load()])
        #expect(run.outcomes(of: "work") == ["unsupported"])
    }

    @Test("metadata with an insecure endpoint is told apart")
    func untrusted() async throws {
        let metadata = Answers.metadata(["introspection_endpoint": "http://p.example/introspect"])
        let script = [
            Scripts.load(), ScriptedEffect("recall metadata", .nothingKept),
            ScriptedEffect("http discovery", metadata),
        ]
        let run = await Conversation.run(
            try Compiled.plan(Self.flow, provider: ProviderText.discovered), script)
        #expect(run.outcomes(of: "work") == ["metadata_untrusted"])
    }
}
