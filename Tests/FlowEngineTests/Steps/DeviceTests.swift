import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("device_authorize and device_poll")
struct DeviceTests {
    private static let flow = FlowTexts.flow(
        """
          begin: { do: device_authorize, next: poll }
          poll: { do: device_poll, next: verify }
          verify: { do: verify_id_token, next: { ok: done, absent: failed } }
        """, start: "begin")

    private static func code(_ changes: JSONObject = [:]) -> InputEvent {
        var body: JSONObject = [
            "device_code": "marker-device-code", "user_code": "WDJB-MJHT",
            "verification_uri": "https://p.example/go", "expires_in": 600, "interval": 5,
        ]
        for (name, value) in changes { body[name] = value.present }
        return Answers.json(200, body)
    }

    private static func begin(_ answer: InputEvent = code()) -> [ScriptedEffect] {
        [
            ScriptedEffect("http device_authorization", answer),
            ScriptedEffect("present code", .presented(how: "")),
        ]
    }

    private static let wait = ScriptedEffect("await decision", .woke)

    private static func answer(_ event: InputEvent) -> [ScriptedEffect] {
        [wait, ScriptedEffect("http device_token", event)]
    }

    private static func error(_ code: String) -> [ScriptedEffect] {
        answer(Answers.json(400, ["error": .string(code)]))
    }

    private func run(_ script: [ScriptedEffect], provider: String = ProviderText.complete) async throws
        -> Conversation
    {
        await Conversation.run(try Compiled.plan(Self.flow, provider: provider), script)
    }

    private static func bodies(_ run: Conversation) -> [String] {
        run.performed.compactMap { request in
            guard case .http(let exchange) = request.effect else { return nil }
            return String(decoding: exchange.request.body ?? [], as: UTF8.self)
        }
    }

    // MARK: Beginning

    static let beginnings = [
        Case("no code", code(["device_code": .null]), "malformed", error: "device_code"),
        Case("no user code", code(["user_code": ""]), "malformed", error: "user_code"),
        Case(
            "a user code that nobody sees", code(["user_code": "\u{1B}\u{07}"]), "malformed",
            error: "user_code"),
        Case(
            "an address that is not https", code(["verification_uri": "http://p.example"]), "malformed",
            error: "verification_uri"),
        Case(
            "an address of another scheme", code(["verification_uri_complete": "javascript:alert(1)"]),
            "malformed", error: "verification_uri"),
        Case("a code that is over", code(["expires_in": 0]), "malformed", error: "device-expires_in"),
        Case("a code without an end", code(["expires_in": .null]), "malformed", error: "device-expires_in"),
        Case("no JSON", Answers.text(200, "<html>"), "malformed"),
        Case("401", Answers.text(401, ""), "invalid_client"),
        Case("a refused scope", Answers.json(400, ["error": "invalid_scope"]), "rejected"),
        Case("a refused grant", Answers.json(400, ["error": "invalid_grant"]), "rejected"),
        Case("429", Answers.text(429, ""), "rate_limited"),
        Case("500", Answers.text(500, ""), "server_error"),
        Case("504, which may have worked", Answers.text(504, ""), "unanswered"),
        Case("never sent", Answers.lost(.notDelivered), "network"),
        Case("perhaps sent", Answers.lost(.perhapsDelivered), "unanswered"),
    ]

    @Test("tells why there is no code [rules 153, 154]", arguments: beginnings)
    func beginning(_ given: Case) async throws {
        let run = try await run([ScriptedEffect("http device_authorization", given.event)])
        #expect(run.outcomes(of: "begin") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "begin")?.error == error) }
    }

    @Test("a provider without the endpoint is unsupported")
    func unsupported() async throws {
        #expect(try await run([], provider: ProviderText.standard).outcomes(of: "begin") == ["unsupported"])
    }

    @Test("where nobody can be shown a code, none is waited for")
    func headless() async throws {
        let script = [
            ScriptedEffect("http device_authorization", Self.code()),
            ScriptedEffect("present code", .headless(reason: "no terminal")),
        ]
        #expect(try await run(script).outcomes(of: "begin") == ["unsupported"])
    }

    @Test("metadata of another issuer is told apart")
    func untrusted() async throws {
        let script = [
            ScriptedEffect("recall metadata", .nothingKept),
            ScriptedEffect("http discovery", Answers.metadata(["issuer": "https://other.example"])),
        ]
        let run = try await run(script, provider: ProviderText.discovered)
        #expect(run.outcomes(of: "begin") == ["metadata_untrusted"])
    }

    @Test("the person is shown the code and its address, without characters that a terminal obeys [rule 154]")
    func prompt() async throws {
        let answer = Self.code([
            "user_code": "WD\u{1B}[2JJB", "verification_uri_complete": "https://p.example/go?code=1",
        ])
        let run = try await run(Self.begin(answer) + Self.error("access_denied"))
        guard case .presentCode(let prompt) = run.performed[1].effect else {
            Issue.record("no code was shown")
            return
        }
        #expect(prompt.userCode == "WD[2JJB")
        #expect(prompt.verificationURI == "https://p.example/go")
        #expect(prompt.verificationURIComplete == "https://p.example/go?code=1")
        #expect(prompt.expiresAt == ManualClock.start + 600_000)
        #expect(!"\(run.events)".contains("marker-device-code"))
    }

    // MARK: Proof key

    private static let proven =
        ProviderText.complete + "device_authorization: { pkce: { mode: required } }\n"

    @Test("where the descriptor asks for PKCE every question proves who began (RFC 7636)")
    func proofKey() async throws {
        let bytes = Array(Markers.randomness.prefix(PKCE.randomByteCount))
        let run = try await run(
            [ScriptedEffect("randomness", .randomness(bytes))] + Self.begin()
                + Self.error("authorization_pending") + Self.error("access_denied"), provider: Self.proven)
        let pkce = PKCE(randomBytes: bytes)
        let bodies = Self.bodies(run)
        #expect(bodies.count == 3)
        guard case .text(let challenge) = pkce.challenge else { return }
        #expect(bodies.first?.contains("code_challenge=\(challenge)&code_challenge_method=S256") == true)
        for body in bodies.dropFirst() {
            #expect(body.contains("code_verifier=\(pkce.verifier.reveal())"))
        }
        #expect(!"\(run.events)".contains(pkce.verifier.reveal()))
        let unlucky = try await self.run(
            [ScriptedEffect("randomness", .randomness([1]))], provider: Self.proven)
        #expect(unlucky.outcome.end.error == RunFailure(.randomness, "the system gave no random bytes"))
    }

    @Test("a provider that lists other methods is not asked")
    func otherMethods() async throws {
        let provider = ProviderText.discovered + "device_authorization: { pkce: { mode: required } }\n"
        let script = Scripts.discovered([
            "code_challenge_methods_supported": ["plain"],
            "device_authorization_endpoint": "https://p.example/device",
        ])
        #expect(try await run(script, provider: provider).outcomes(of: "begin") == ["metadata_untrusted"])
    }

    // MARK: Polling

    @Test(
        "pending and slow_down are waited out in the one step, five seconds longer after slow_down [rules 151, 152]"
    )
    func patience() async throws {
        let run = try await run(
            Self.begin() + Self.error("authorization_pending") + Self.error("slow_down")
                + Self.answer(try Answers.signedIn(nonce: nil)) + [try Scripts.keys()])
        #expect(run.outcomes(of: "poll") == ["ok"])
        #expect(run.end == "done")
        let wakes = run.performed.compactMap { request -> Int64? in
            if case .awaitDecision(let until, _) = request.effect { until - ManualClock.start } else { nil }
        }
        #expect(wakes == [5_000, 10_000, 20_000])
        #expect(run.outcome.tokens.first??.origin == .device)
        #expect(run.events.checks.allSatisfy { if case .failed = $0.verdict { false } else { true } })
    }

    /// How a provider tells what RFC 8628 has words for: by the status alone, or by a number in an object.
    static let dialects = [
        (
            """
            classify:
              - { if: "status == 400", outcome: authorization_pending }
              - { if: "status == 429", outcome: slow_down }
              - { if: "status == 410", outcome: expired_token }
              - { if: "status == 418", outcome: access_denied }

            """,
            pending: Answers.text(400, ""), slow: Answers.text(429, ""),
            ends: [(Answers.text(418, ""), "access_denied"), (Answers.text(410, ""), "expired")]
        ),
        (
            """
            grants: { response: { error: { code: error.error_subcode } } }
            errors:
              - { match: "1349174", cause: nobody has entered the code, outcome: authorization_pending }
              - { match: "1349172", cause: asked too often, outcome: slow_down }
              - { match: "1349152", cause: the code is old, outcome: expired_token }

            """,
            pending: Answers.json(400, ["error": ["code": 31, "error_subcode": 1_349_174]]),
            slow: Answers.json(400, ["error": ["code": 17, "error_subcode": 1_349_172]]),
            ends: [(Answers.json(400, ["error": ["code": 463, "error_subcode": 1_349_152]]), "expired")]
        ),
    ]

    @Test(
        "a provider's file may say which of its answers mean to wait, and which that it is over [rules 151, 152]",
        arguments: dialects.indices)
    func dialect(_ index: Int) async throws {
        let given = Self.dialects[index]
        let provider = ProviderText.complete + given.0
        let start = Self.begin() + Self.answer(given.pending) + Self.answer(given.slow)
        let run = try await run(
            start + Self.answer(try Answers.signedIn(nonce: nil)) + [try Scripts.keys()], provider: provider)
        #expect(run.outcomes(of: "poll") == ["ok"])
        let wakes = run.performed.compactMap { request -> Int64? in
            if case .awaitDecision(let until, _) = request.effect { until - ManualClock.start } else { nil }
        }
        #expect(wakes == [5_000, 10_000, 20_000])
        #expect(run.events.checks.allSatisfy { if case .failed = $0.verdict { false } else { true } })
        for (answer, outcome) in given.ends {
            let run = try await self.run(start + Self.answer(answer), provider: provider)
            #expect(run.outcomes(of: "poll") == [outcome])
        }
    }

    @Test("every question may bear what the answer said that began it, which other grants leave out")
    func answer() async throws {
        let provider =
            ProviderText.complete
            + "grants: { params: { user_code: \"${device.user_code}\", place: \"${device.more.place}\" } }\n"
        let answer = Self.code(["user_code": "WD\u{1B}JB", "more": ["place": "eu"]])
        let run = try await run(
            Self.begin(answer) + Self.error("authorization_pending") + Self.error("access_denied"),
            provider: provider)
        let bodies = Self.bodies(run).dropFirst()
        #expect(bodies.count == 2)
        for body in bodies { #expect(body.hasSuffix("&user_code=WD%1BJB&place=eu"), "\(body)") }
        #expect(!"\(run.events)".contains("marker-device-code"))
        let other = await Conversation.run(
            try Compiled.plan(FlowTexts.single("{ do: client_credentials, next: done }"), provider: provider),
            [ScriptedEffect("http client_credentials", Answers.text(401, ""))])
        #expect(Self.bodies(other) == ["grant_type=client_credentials&scope=email"])
    }

    static let ends = [
        Case("a refusal", Answers.json(400, ["error": "access_denied"]), "access_denied"),
        Case("a code that is over", Answers.json(400, ["error": "expired_token"]), "expired"),
        Case("a code that is unknown", Answers.json(400, ["error": "invalid_grant"]), "invalid_grant"),
        Case("a client that is unknown", Answers.json(401, ["error": "invalid_client"]), "invalid_client"),
        Case("another error", Answers.json(400, ["error": "unsupported_grant_type"]), "rejected"),
        Case("no token", Answers.json(200, [:]), "malformed"),
    ]

    @Test("every other answer ends the step [rule 152]", arguments: ends)
    func ending(_ given: Case) async throws {
        let run = try await run(Self.begin() + Self.answer(given.event))
        #expect(run.outcomes(of: "poll") == [given.outcome])
    }

    static let troubles = [
        Case("never sent", Answers.lost(.notDelivered), "network"),
        Case("500", Answers.text(500, ""), "server_error"),
        Case("429", Answers.text(429, ""), "rate_limited"),
    ]

    @Test("trouble is waited out longer each time, and told when it stays", arguments: troubles)
    func backOff(_ given: Case) async throws {
        let answers = (0..<5).flatMap { _ in Self.answer(given.event) }
        let run = try await run(Self.begin(Self.code(["expires_in": 3600])) + answers)
        #expect(run.outcomes(of: "poll") == [given.outcome])
    }

    @Test("the code's end is the step's end, whatever the timeout [rule 152]")
    func expiry() async throws {
        let script =
            Self.begin(Self.code(["expires_in": 12]))
            + Self.error("authorization_pending") + Self.error("authorization_pending") + [Self.wait]
        let run = try await run(script)
        #expect(run.outcomes(of: "poll") == ["expired"])
        guard case .awaitDecision(let until, let expiresAt)? = run.performed.last?.effect else {
            Issue.record("\(run.performed)")
            return
        }
        #expect(until == ManualClock.start + 12_000)
        #expect(expiresAt == ManualClock.start + 12_000)
    }

    @Test("a person who gives up ends the wait")
    func cancelled() async throws {
        let run = try await run(Self.begin() + [ScriptedEffect("await decision", .callbackCancelled)])
        #expect(run.outcomes(of: "poll") == ["cancelled"])
    }

    @Test("a wait that the host ends is the end of the run, not of the code: no other code is asked for")
    func hostEndsWait() async throws {
        let run = try await run(
            Self.begin() + [ScriptedEffect("await decision", .callbackTimedOut(refused: 0))])
        #expect(run.outcome.end.error?.code == .deadline)
        #expect(run.outcome.exitStatus == 10)
    }

    @Test(
        "an interval that cannot be used is five seconds [rules 151, 153]",
        arguments: [0, -3, 1e12] as [Double])
    func interval(seconds: Double) async throws {
        let answer = Self.code(["interval": .number(seconds)])
        let run = try await run(Self.begin(answer) + Self.error("access_denied"))
        guard case .awaitDecision(let until, _) = run.performed[2].effect else {
            Issue.record("\(run.performed)")
            return
        }
        #expect(until == ManualClock.start + 5_000)
    }
}
