import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Answers about tokens that the provider signs (RFC 9701).
@Suite("introspect, signed")
struct SignedIntrospectTests {
    private static let flow = FlowTexts.stored("{ do: introspect, with: { signed: true }, next: done }")
    private static let provider = ProviderText.complete.replacing(
        "client: {", with: "client: { introspection_signed_response_alg: ES256,")

    /// An answer as the provider signs it; a claim that is null is left out.
    private static func answer(
        _ changes: JSONObject = [:], typ: String = "token-introspection+jwt", kid: String = TestKey.kid,
        type: String = "application/token-introspection+jwt", spoil: Bool = false
    ) throws -> InputEvent {
        var claims: JSONObject = [
            "iss": "https://p.example", "aud": .string(Markers.clientID),
            "iat": .int(ManualClock.start / 1000),
            "token_introspection": ["active": true, "scope": "a b", "sub": "person-1"],
        ]
        for (name, value) in changes { claims[name] = value.present }
        var token = try TestKey.sign(claims, ["kid": .string(kid), "typ": .string(typ)])
        if spoil { token = String(token.dropLast(8)) + "AAAAAAAA" }
        return .answered(
            HTTPResponse(
                status: 200, fields: [HTTPField("Content-Type", type)], body: Array(token.utf8)),
            ExchangeTiming(total: 12))
    }

    private static func run(_ event: InputEvent, _ flow: String = flow) async throws -> Conversation {
        await Conversation.run(
            try Compiled.plan(flow, provider: provider),
            [Scripts.load(), ScriptedEffect("http introspection", event), try Scripts.keys(isForced: true)])
    }

    static func cases() throws -> [Case] {
        [
            Case("a good token", try answer(), "ok"),
            Case("a dead token", try answer(["token_introspection": ["active": false]]), "inactive"),
            Case("another signature", try answer(spoil: true), "signature_invalid", error: "signature"),
            Case(
                "another kind of token", try answer(typ: "JWT"), "signature_invalid",
                error: "introspection-typ"),
            Case(
                "another issuer", try answer(["iss": "https://evil.example"]), "issuer_mismatch",
                error: "introspection-iss"),
            Case(
                "another client", try answer(["aud": "other"]), "audience_mismatch",
                error: "introspection-aud"),
            Case(
                "an old answer", try answer(["iat": .int(ManualClock.start / 1000 - 3600)]),
                "claims_invalid",
                error: "introspection-iat"),
            Case(
                "an answer that expired", try answer(["exp": 5]), "claims_invalid", error: "introspection-iat"
            ),
            Case(
                "an answer for later", try answer(["nbf": .int(ManualClock.start / 1000 + 900)]),
                "claims_invalid", error: "introspection-iat"),
            Case(
                "no answer in it", try answer(["token_introspection": .null]), "claims_invalid",
                error: "token_introspection"),
            Case(
                "an answer without a signature", Answers.json(200, ["active": true]), "signature_invalid",
                error: "introspection-signed"),
            Case("something else", Answers.text(200, "<html>"), "malformed"),
            Case(
                "active as text", try answer(["token_introspection": ["active": "true"]]), "malformed",
                error: "active"),
        ]
    }

    @Test("takes nothing that the provider has not signed for this client [rule 158]", arguments: try cases())
    func outcomes(_ given: Case) async throws {
        let run = try await Self.run(given.event)
        #expect(run.outcomes(of: "work") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "work")?.error == error) }
    }

    @Test("a client that registered for it asks so by itself, and every check is in the trace")
    func registered() async throws {
        let flow = FlowTexts.stored(
            "{ do: introspect, next: done }", extra: "outputs: { claims: json, scopes: list<string> }",
            ends: """
                  done: { result: success, outputs: { claims: "${steps.work.claims}", scopes: "${steps.work.scopes}" } }
                  failed: { result: failure }
                """)
        let run = try await Self.run(try Self.answer(), flow)
        guard case .http(let exchange)? = run.performed.first(where: { $0.name.hasPrefix("http") })?.effect
        else { throw FixtureError(description: "nothing was sent") }
        #expect(exchange.request.value("Accept") == "application/token-introspection+jwt")
        #expect(run.output("scopes") == .list([.string("a"), .string("b")]))
        #expect(run.output("claims") == .json(["active": true, "scope": "a b", "sub": "person-1"]))
        let checks = run.events.checks.map(\.name)
        for name in [
            "signature", "introspection-typ", "introspection-iss", "introspection-aud", "introspection-iat",
            "token_introspection", "active",
        ] {
            #expect(checks.contains(name), "\(name) is not in the trace")
        }
    }

    @Test("a step may do without although the client registered for it")
    func unsigned() async throws {
        let flow = FlowTexts.stored("{ do: introspect, with: { signed: false }, next: done }")
        let run = await Conversation.run(
            try Compiled.plan(flow, provider: Self.provider),
            [Scripts.load(), ScriptedEffect("http introspection", Answers.json(200, ["active": true]))])
        #expect(run.outcomes(of: "work") == ["ok"])
    }

    @Test("a key that is not among the kept ones is asked for once")
    func rotated() async throws {
        let run = await Conversation.run(
            try Compiled.plan(Self.flow, provider: Self.provider),
            [
                Scripts.load(), ScriptedEffect("http introspection", try Self.answer(kid: "key-2")),
                try Scripts.keys(age: 60_000),
                ScriptedEffect(
                    "http jwks", Answers.json(200, try TestKey.set(kid: "key-2").objectValue ?? [:])),
                ScriptedEffect("keep keys"),
            ])
        #expect(run.outcomes(of: "work") == ["ok"])
    }

    @Test("without the provider's keys nothing is believed")
    func noKeys() async throws {
        let run = await Conversation.run(
            try Compiled.plan(Self.flow, provider: Self.provider),
            [
                Scripts.load(), ScriptedEffect("http introspection", try Self.answer()),
                ScriptedEffect("recall keys", .nothingKept),
                ScriptedEffect("http jwks", Answers.text(500, "")),
            ])
        #expect(run.outcomes(of: "work") == ["keys_unavailable"])
    }
}
