import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Requests that are pushed (RFC 9126) or signed (RFC 9101), and answers that are a JWT (JARM).
@Suite("Secured authorization")
struct SecuredAuthorizationTests {
    private static func provider(client: String = "", authorization: String = "", extra: String = "")
        -> String
    {
        ProviderText.make(extra: extra)
            .replacing("client: {", with: "client: { \(client)")
            .replacing("authorization: {", with: "authorization: { \(authorization)")
    }

    private static let pushing = provider(
        extra: "pushed_authorization_request_endpoint: https://p.example/par\n")

    private static let pushed = ScriptedEffect(
        "http pushed_authorization",
        Answers.json(201, ["request_uri": "urn:example:marker-request", "expires_in": 60]))

    private func presented(_ run: Conversation) throws -> Presentation {
        for request in run.performed {
            if case .present(let presentation) = request.effect { return presentation }
        }
        throw FixtureError(description: "nothing was presented")
    }

    private func body(_ run: Conversation, at index: Int) throws -> [String: String] {
        guard case .http(let exchange) = run.performed[index].effect else {
            throw FixtureError(description: "no request")
        }
        let items = try #require(exchange.request.body.flatMap { FormBody.parse($0) })
        return Dictionary(items.map { ($0.name, $0.value) }) { first, _ in first }
    }

    // MARK: Pushed requests

    @Test("a pushed request leaves the browser only its name [rule 40]")
    func push() async throws {
        let script =
            [Scripts.authorize[0], Scripts.authorize[1], Self.pushed, Scripts.authorize[2]]
            + (try Scripts.signIn()).dropFirst(3)
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: Self.pushing), script)
        #expect(run.end == "done")
        let url = try presented(run).url
        #expect(
            url == "https://p.example/authorize?client_id=client-1&request_uri=urn%3Aexample%3Amarker-request"
        )
        let sent = try body(run, at: 2)
        #expect(sent["state"] == Markers.state)
        #expect(sent["code_challenge_method"] == "S256")
        #expect(sent["redirect_uri"] == "http://127.0.0.1:5000/callback")
        #expect(sent["request_uri"] == nil)
    }

    @Test(
        "what the server says to a pushed request decides, and no browser is opened",
        arguments: [
            (Answers.json(400, ["error": "invalid_request"]), "rejected"),
            (Answers.json(401, ["error": "invalid_client"]), "invalid_client"),
            (Answers.json(201, ["expires_in": 60]), "malformed"),
            (Answers.json(201, ["request_uri": "urn:x", "expires_in": 0]), "malformed"),
            (Answers.json(200, ["request_uri": "urn:x", "expires_in": 60]), "malformed"),
            (Answers.text(503, ""), "server_error"),
        ])
    func refused(_ answer: InputEvent, _ outcome: String) async throws {
        let script = [
            Scripts.authorize[0], Scripts.authorize[1], ScriptedEffect("http pushed_authorization", answer),
            Scripts.badEnd,
        ]
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: Self.pushing), script)
        #expect(run.outcomes(of: "authorize") == [outcome])
    }

    @Test("a client that must push does not fall back to the browser [rule 39]")
    func demanded() async throws {
        let provider = Self.provider(client: "require_pushed_authorization_requests: true,")
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: provider),
            [Scripts.authorize[0], Scripts.authorize[1], Scripts.badEnd])
        #expect(run.outcomes(of: "authorize") == ["unsupported"])
    }

    @Test("a flow that requires pushing does not fall back to the browser either")
    func required() async throws {
        let flow = FlowTexts.signIn(["authorize": "{ with: { push: require }, next: callback }"])
        let run = await Conversation.run(
            try Compiled.plan(flow), [Scripts.authorize[0], Scripts.authorize[1], Scripts.badEnd])
        #expect(run.outcomes(of: "authorize") == ["unsupported"])
    }

    @Test("a flow that says never is refused where pushing is demanded, and heard elsewhere")
    func never() async throws {
        let flow = FlowTexts.signIn(["authorize": "{ with: { push: never }, next: callback }"])
        let heard = await Conversation.run(
            try Compiled.plan(flow, provider: Self.pushing), try Scripts.signIn())
        #expect(try presented(heard).url.contains("code_challenge="))
        let provider = Self.provider(
            client: "require_pushed_authorization_requests: true,",
            extra: "pushed_authorization_request_endpoint: https://p.example/par\n")
        let refused = await Conversation.run(
            try Compiled.plan(flow, provider: provider),
            [Scripts.authorize[0], Scripts.authorize[1], Scripts.badEnd])
        #expect(refused.outcomes(of: "authorize") == ["unsupported"])
    }

    // MARK: Details and claims

    @Test("claims and authorization details go out as JSON, the flow's before the descriptor's")
    func demands() async throws {
        let provider = Self.provider(
            authorization:
                "claims: { id_token: { acr: { essential: true } } }, authorization_details: [{ type: account }],"
        )
        let flow = FlowTexts.signIn([
            "authorize": "{ with: { authorization_details: [{ type: payment, amount: 5 }] }, next: callback }"
        ])
        let run = await Conversation.run(try Compiled.plan(flow, provider: provider), try Scripts.signIn())
        let query = try presented(run).plan.query
        #expect(
            query.first { $0.name == "claims" }?.value == .text(#"{"id_token":{"acr":{"essential":true}}}"#))
        #expect(
            query.first { $0.name == "authorization_details" }?.value
                == .text(#"[{"type":"payment","amount":5}]"#))
    }

    // MARK: Signed answers

    private static let signing = provider(
        client: "authorization_signed_response_alg: ES256,", authorization: "response_mode: jwt,")

    private static func response(_ changes: JSONObject = [:], kid: String = TestKey.kid) throws -> InputEvent
    {
        var claims: JSONObject = [
            "iss": "https://p.example", "aud": .string(Markers.clientID),
            "exp": .int(ManualClock.start / 1000 + 600), "code": .string(Markers.code),
            "state": .string(Markers.state),
        ]
        // A conditional expression would make `nil` the JSON null.
        for (name, value) in changes { claims[name] = value.present }
        let token = try JWS.sign(
            header: ["kid": .string(kid)], payload: Array(JSONValue.object(claims).serialize().utf8),
            key: PrivateKey(pem: TestKey.pem), algorithm: .es256)
        return .callback([("response", token)], channel: "loopback")
    }

    private func run(
        _ answer: InputEvent, good: Bool = false, keys: [ScriptedEffect]? = nil
    ) async throws -> Conversation {
        let opening = Scripts.authorize + [ScriptedEffect("await callback", answer)]
        let rest =
            good
            ? [try Scripts.exchange(), try Scripts.keys(), Scripts.userinfo, Scripts.save, Scripts.goodEnd]
            : [Scripts.badEnd]
        return await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: Self.signing),
            opening + (try keys ?? [Scripts.keys()]) + rest)
    }

    @Test("an answer that the provider signed is taken like any other")
    func signed() async throws {
        let run = try await run(try Self.response(), good: true)
        #expect(run.end == "done")
        #expect(try presented(run).url.contains("response_mode=jwt"))
    }

    @Test(
        "an answer of another issuer or audience, too old or without state is refused",
        arguments: [
            (["iss": "https://x.example"], "issuer_mismatch"), (["iss": .null], "issuer_mismatch"),
            (["aud": "client-2"], "signature_invalid"), (["exp": 1], "signature_invalid"),
            (["exp": .null], "signature_invalid"),
            (["state": "other"], "state_mismatch"),
        ] as [(JSONObject, String)])
    func foreign(_ changes: JSONObject, _ outcome: String) async throws {
        #expect(try await run(try Self.response(changes)).outcomes(of: "callback") == [outcome])
    }

    @Test("a key that is not among the kept ones is asked for once, one that was just fetched not again")
    func newKey() async throws {
        let fetched: [ScriptedEffect] = [
            ScriptedEffect("http jwks", Answers.json(200, try TestKey.set().objectValue ?? [:])),
            ScriptedEffect("keep keys"),
        ]
        let old = try Scripts.keys(kid: "old")
        let nothing = ScriptedEffect("recall keys", .nothingKept)
        #expect(try await run(try Self.response(), good: true, keys: [old] + fetched).end == "done")
        for first in [old, nothing] {
            let run = try await run(try Self.response(kid: "none"), keys: [first] + fetched)
            #expect(run.outcomes(of: "callback") == ["signature_invalid"])
            #expect(run.lastEnd(of: "callback")?.error == "kid")
        }
    }

    @Test("parameters without the signature that was asked for are refused, whatever they say")
    func plain() async throws {
        #expect(try await run(Scripts.answer()).outcomes(of: "callback") == ["signature_invalid"])
    }

    // MARK: Rehearsed

    @Test("a dry run goes through everything that a client can register")
    func rehearsal() async throws {
        let client =
            "require_pushed_authorization_requests: true, request_object_signing_alg: ES256, "
            + "authorization_signed_response_alg: ES256, dpop_bound_access_tokens: true,"
        let provider = Self.provider(
            client: client, authorization: "response_mode: jwt,",
            extra: "pushed_authorization_request_endpoint: https://p.example/par\n")
        let bound = try Compiled.provider(provider, isRehearsal: true)
        let plan = try Compiled.rehearsal(Compiled.program(FlowTexts.signIn()), bound)
        let effects = PlannedEffects(assumptions: [])
        let outcome = await FlowRun(plan: plan, handler: effects, sinks: []).run()
        #expect(outcome.end.name == "done")
        let requests = effects.requests.map { $0.plan }
        #expect(requests.first?.body.contains { $0.name == "request" } == true)
        #expect(requests.filter { $0.fields.contains { $0.name == "DPoP" } }.count == 2)
    }
}
