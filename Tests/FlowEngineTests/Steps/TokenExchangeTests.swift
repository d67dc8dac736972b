import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("token_exchange")
struct TokenExchangeTests {
    private static let flow = FlowTexts.stored(
        "{ do: token_exchange, with: { into: other, audience: [api] }, next: done }")

    private static func token(_ changes: JSONObject = [:]) -> InputEvent {
        var body: JSONObject = [
            "access_token": .string(Markers.renewedToken), "token_type": "Bearer",
            "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
        ]
        for (name, value) in changes { body[name] = value.present }
        return Answers.json(200, body)
    }

    static let cases = [
        Case("a token", token(), "ok"),
        Case("a token that is no bearer token", token(["token_type": "N_A"]), "ok"),
        Case("a token of an unknown kind", token(["token_type": "mac"]), "insecure", error: "token_type"),
        Case(
            "no issued_token_type", token(["issued_token_type": .null]), "malformed",
            error: "issued_token_type"),
        Case("a dead subject token", Answers.json(400, ["error": "invalid_grant"]), "invalid_grant"),
        Case("a refused audience", Answers.json(400, ["error": "invalid_target"]), "invalid_target"),
        Case("another error", Answers.json(400, ["error": "invalid_request"]), "rejected"),
        Case("401", Answers.text(401, ""), "invalid_client"),
        Case("429", Answers.text(429, ""), "rate_limited"),
        Case("500", Answers.text(500, ""), "server_error"),
        Case("504, which may have worked", Answers.text(504, ""), "unanswered"),
        Case("never sent", Answers.lost(.notDelivered), "network"),
        Case("perhaps sent", Answers.lost(.perhapsDelivered), "unanswered"),
    ]

    @Test("tells what the server says", arguments: cases)
    func outcomes(_ given: Case) async throws {
        let run = await Conversation.run(
            try Compiled.plan(Self.flow),
            [Scripts.load(), ScriptedEffect("http token_exchange", given.event)])
        #expect(run.outcomes(of: "work") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "work")?.error == error) }
    }

    @Test("a token of the type N_A is shown to no resource [rule 159]")
    func notApplicable() async throws {
        let flow = FlowTexts.flow(
            """
              restore: { next: work }
              work: { do: token_exchange, with: { into: other }, next: call }
              call: { do: http, with: { url: "${provider.endpoints.report}", auth: bearer, use: other }, next: done }
            """, start: "restore")
        let run = await Conversation.run(
            try Compiled.plan(flow, provider: ProviderText.complete),
            [Scripts.load(), ScriptedEffect("http token_exchange", Self.token(["token_type": "N_A"]))])
        #expect(run.outcomes(of: "call") == ["rejected"])
        #expect(run.lastEnd(of: "call")?.error == "no_bearer")
    }

    @Test("where tokens are bound to a key, one that is bound is taken, and no bearer token [rule 84]")
    func bound() async throws {
        let flow = FlowTexts.flow(
            """
              restore: { next: work }
              work: { do: token_exchange, with: { into: other, scopes: [s, t] }, next: call }
              call: { do: http, with: { url: "${provider.endpoints.report}", auth: bearer, use: other }, next: done }
            """, start: "restore")
        let provider = ProviderText.complete.replacing(
            "client: {", with: "client: { dpop_bound_access_tokens: true,")
        func run(_ type: String, _ rest: [ScriptedEffect]) async throws -> Conversation {
            let answer = Self.token(["token_type": .string(type), "scope": "s"])
            return await Conversation.run(
                try Compiled.plan(flow, provider: provider),
                [
                    Scripts.load(), ScriptedEffect("new key", .key(Secret(TestKey.pem, kind: .other))),
                    ScriptedEffect("http token_exchange", answer),
                ] + rest)
        }
        let bound = try await run("DPoP", [ScriptedEffect("http http", Answers.json(200, [:]))])
        #expect(bound.outcomes(of: "call") == ["ok"])
        guard case .http(let exchange)? = bound.performed.last?.effect else { return notFound() }
        #expect(exchange.request.value("Authorization") == "DPoP \(Markers.renewedToken)")
        #expect(exchange.request.value("DPoP") != nil)
        #expect(bound.events.checks.contains { "\($0)".contains("not granted: t") })
        let bearer = try await run("Bearer", [])
        #expect(bearer.outcomes(of: "work") == ["insecure"])
        #expect(bearer.lastEnd(of: "work")?.error == "token_type")
        let other = try await run("N_A", [])
        #expect(other.outcomes(of: "work") == ["ok"])
    }

    @Test("sends the subject token with its type, and the actor's")
    func request() async throws {
        let flow = FlowTexts.stored(
            """
            { do: token_exchange, with: { into: other, actor: main, audience: [api, web], scopes: [s],
                requested_type: "urn:ietf:params:oauth:token-type:access_token" }, next: done }
            """)
        let run = await Conversation.run(
            try Compiled.plan(flow), [Scripts.load(), ScriptedEffect("http token_exchange", Self.token())])
        guard case .http(let exchange)? = run.performed.last?.effect else { return notFound() }
        #expect(
            exchange.plan.body.map(\.name) == [
                "grant_type", "subject_token", "subject_token_type", "actor_token", "actor_token_type",
                "requested_token_type", "audience", "audience", "scope",
            ])
        #expect(
            exchange.plan.body[2].value == .text("urn:ietf:params:oauth:token-type:access_token"))
    }

    @Test(
        "sends a token that the step is given, with the type that it is said to have",
        arguments: [nil, "urn:ietf:params:oauth:token-type:jwt"])
    func givenToken(type: String?) async throws {
        let named = type.map { ", subject_token_type: '\($0)'" } ?? ""
        let flow = FlowTexts.flow(
            """
              work: { do: token_exchange, with: { subject_token: "${inputs.theirs}"\(named) }, next: done }
            """, start: "work", extra: "inputs: { theirs: secret }")
        let plan = try Compiled.plan(
            flow, inputs: ["theirs": .secret(Secret(Markers.accessToken, kind: .other))])
        let run = await Conversation.run(plan, [ScriptedEffect("http token_exchange", Self.token())])
        #expect(run.outcomes(of: "work") == ["ok"])
        guard case .http(let exchange)? = run.performed.last?.effect else { return notFound() }
        #expect(exchange.plan.body[1].value == .secret(Secret(Markers.accessToken, kind: .other)))
        #expect(
            exchange.plan.body[2].value
                == .text(type ?? "urn:ietf:params:oauth:token-type:access_token"))
    }

    @Test("another type than the one asked for is refused [rule 159]")
    func otherType() async throws {
        let flow = FlowTexts.stored(
            """
            { do: token_exchange, with: { into: other, requested_type: "urn:ietf:params:oauth:token-type:id_token" },
                next: done }
            """)
        let run = await Conversation.run(
            try Compiled.plan(flow), [Scripts.load(), ScriptedEffect("http token_exchange", Self.token())])
        #expect(run.outcomes(of: "work") == ["malformed"])
        #expect(run.lastEnd(of: "work")?.error == "issued_token_type")
    }

    @Test("a set without the subject token cannot be exchanged")
    func noSubject() async throws {
        let flow = FlowTexts.stored(
            "{ do: token_exchange, with: { into: other, subject: id_token }, next: done }")
        let run = await Conversation.run(try Compiled.plan(flow), [Scripts.load()])
        #expect(run.outcomes(of: "work") == ["invalid_grant"])
    }

    @Test("a token that is no bearer token is shown to no resource")
    func notBearer() async throws {
        let flow = FlowTexts.flow(
            """
              restore: { next: work }
              work: { do: token_exchange, with: { into: other }, next: userinfo }
              userinfo: { with: { use: other }, next: done }
            """, start: "restore")
        let answer = Self.token(["token_type": "N_A"])
        let run = await Conversation.run(
            try Compiled.plan(flow), [Scripts.load(), ScriptedEffect("http token_exchange", answer)])
        #expect(run.outcomes(of: "userinfo") == ["unsupported"])
    }

    @Test("metadata of another issuer is told apart")
    func untrusted() async throws {
        let script = [
            Scripts.load(), ScriptedEffect("recall metadata", .nothingKept),
            ScriptedEffect("http discovery", Answers.metadata(["issuer": "https://other.example"])),
        ]
        let run = await Conversation.run(
            try Compiled.plan(Self.flow, provider: ProviderText.discovered), script)
        #expect(run.outcomes(of: "work") == ["metadata_untrusted"])
    }
}
