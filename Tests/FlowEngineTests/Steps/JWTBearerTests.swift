import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("jwt_bearer")
struct JWTBearerTests {
    private static let flow = FlowTexts.single(
        """
        { do: jwt_bearer, with: { subject: person-1, expires_in: 2m, scopes: [a, b], resource: [https://one.example],
            claims: { tenant: "${inputs.tenant}", level: 2, absent: "${null}", iss: "somebody else" } }, next: done }
        """, extra: "inputs: { tenant: string }")

    private static let token = Answers.json(
        200, ["access_token": .string(Markers.accessToken), "token_type": "Bearer", "expires_in": 60])

    private static func plan(
        _ flow: String = flow, provider: String = ProviderText.standard, privateKey: String? = TestKey.pem
    ) throws -> RunPlan {
        let program = try Compiled.program(flow)
        let inputs = program.inputs.isEmpty ? [:] : ["tenant": Value.string("t-1")]
        return try Compiled.plan(flow, provider: provider, inputs: inputs, privateKey: privateKey)
    }

    /// The assertion of the last request.
    private static func assertion(_ run: Conversation) throws -> String {
        guard case .http(let exchange)? = run.performed.last?.effect,
            case .secret(let secret)? = exchange.plan.body.first(where: { $0.name == "assertion" })?.value
        else { throw FixtureError(description: "no assertion was sent") }
        return secret.reveal()
    }

    static let cases = [
        Case("a token", token, "ok"),
        Case("a refused assertion", Answers.json(400, ["error": "invalid_grant"]), "invalid_grant"),
        Case("401", Answers.text(401, ""), "invalid_client"),
        Case(
            "a refused scope", Answers.json(400, ["error": "invalid_scope"]), "rejected",
            error: "invalid_scope"),
        Case("no token", Answers.json(200, ["token_type": "Bearer"]), "malformed", error: "access_token"),
        Case("429", Answers.text(429, ""), "rate_limited"),
        Case("503", Answers.text(503, ""), "server_error"),
        Case("502, since the next assertion is another one", Answers.text(502, ""), "server_error"),
        Case("never sent", Answers.lost(.notDelivered), "network"),
        Case("perhaps sent", Answers.lost(.perhapsDelivered), "network"),
    ]

    @Test("tells what the server says", arguments: cases)
    func outcomes(_ given: Case) async throws {
        let run = await Conversation.run(
            try Self.plan(), [ScriptedEffect("http jwt_bearer", given.event)])
        #expect(run.outcomes(of: "work") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "work")?.error == error) }
    }

    @Test("signs an assertion for the subject, with further claims, and none that it makes itself")
    func assertion() async throws {
        let run = await Conversation.run(
            try Self.plan(), [ScriptedEffect("http jwt_bearer", Self.token)])
        let jws = try JWS.verify(
            JWS.split(try Self.assertion(run)),
            keys: try JWKSet.parse(["keys": [try PrivateKey(pem: TestKey.pem).publicJWK()]]),
            allowed: [.es256])
        let claims = try #require(try JSON.parse(jws.payload).objectValue)
        let now = ManualClock.start / 1000
        #expect(jws.header.typ == "JWT")
        #expect(claims["iss"]?.stringValue == Markers.clientID)
        #expect(claims["sub"] == "person-1")
        #expect(claims["aud"] == "https://p.example")
        #expect(claims["iat"] == .int(now))
        #expect(claims["exp"] == .int(now + 120))
        #expect(claims["tenant"] == "t-1")
        #expect(claims["level"] == 2)
        #expect(claims["absent"] == nil)
        #expect((claims["jti"]?.stringValue ?? "").utf8.count == 22)
    }

    @Test("sends the assertion with scopes and resources, and keeps where the tokens are from")
    func request() async throws {
        let run = await Conversation.run(
            try Self.plan(), [ScriptedEffect("http jwt_bearer", Self.token)])
        guard case .http(let exchange)? = run.performed.last?.effect else { return notFound() }
        #expect(exchange.plan.body.map(\.name) == ["grant_type", "assertion", "scope", "resource"])
        #expect(
            exchange.plan.body.first?.value == .text("urn:ietf:params:oauth:grant-type:jwt-bearer"))
        #expect(run.outcome.tokens.first??.origin == .assertion)
    }

    @Test("an assertion that the flow brings along goes out as it is, whatever the provider's issuer")
    func given() async throws {
        let flow = FlowTexts.stored(
            "{ do: jwt_bearer, with: { assertion: \"${tokens.main.access_token}\", into: other }, next: done }"
        )
        let run = await Conversation.run(
            try Compiled.plan(flow), [Scripts.load(), ScriptedEffect("http jwt_bearer", Self.token)])
        #expect(run.outcomes(of: "work") == ["ok"])
        #expect(try Self.assertion(run) == Markers.accessToken)
    }

    @Test("is for another audience where the flow says so, and for the client itself where it names nobody")
    func audience() async throws {
        let flow = FlowTexts.single(
            "{ do: jwt_bearer, with: { audience: https://p.example/token }, next: done }")
        let run = await Conversation.run(
            try Self.plan(flow), [ScriptedEffect("http jwt_bearer", Self.token)])
        let claims = try JSON.parse(JWS.split(try Self.assertion(run)).payload)
        #expect(claims["aud"] == "https://p.example/token")
        #expect(claims["sub"]?.stringValue == Markers.clientID)
    }

    @Test("a client without a private key ends the run, and nothing is sent")
    func noKey() async throws {
        let run = await Conversation.run(try Self.plan(privateKey: nil), [])
        #expect(run.end == "failed")
        #expect(run.runEnd?.errorCode == "client_key")
    }

    @Test("a retry and a nonce that is asked for bring a new assertion each [rule 80]")
    func fresh() async throws {
        let flow = FlowTexts.single(
            """
            { do: jwt_bearer, next: done,
                retry: { outcomes: [server_error], attempts: 2, backoff: { initial: 1s, jitter: none } } }
            """)
        let provider = ProviderText.standard.replacing(
            "client: {", with: "client: { dpop_bound_access_tokens: true,")
        let demand = Answers.json(
            400, ["error": "use_dpop_nonce"], [HTTPField("DPoP-Nonce", "nonce-1")])
        let run = await Conversation.run(
            try Self.plan(flow, provider: provider),
            [
                ScriptedEffect("new key", .key(Secret(TestKey.pem, kind: .other))),
                ScriptedEffect("http jwt_bearer", demand),
                ScriptedEffect("http jwt_bearer", Answers.text(503, "")), ScriptedEffect("sleep", .woke),
                ScriptedEffect(
                    "http jwt_bearer",
                    Answers.json(
                        200, ["access_token": .string(Markers.accessToken), "token_type": "DPoP"])),
            ])
        #expect(run.outcomes(of: "work").last == "ok")
        let sent = run.performed.compactMap { request -> String? in
            guard case .http(let exchange) = request.effect,
                case .secret(let secret)? = exchange.plan.body.first(where: { $0.name == "assertion" })?.value
            else { return nil }
            return secret.reveal()
        }
        #expect(sent.count == 3)
        let serials = try sent.map { try JSON.parse(JWS.split($0).payload)["jti"]?.stringValue }
        #expect(Set(serials).count == 3)
    }
}
