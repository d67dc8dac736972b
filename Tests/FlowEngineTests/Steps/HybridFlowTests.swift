import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// An ID token that comes through the browser beside the code (OIDC Core §3.3).
@Suite("Hybrid flow")
struct HybridFlowTests {
    private static let provider = ProviderText.make()
        .replacing(
            "authorization: {",
            with: "authorization: { response_type: code id_token, response_mode: form_post,")

    /// The token that a provider makes, unless something is changed of it.
    private static func token(_ changes: JSONObject = [:], kid: String = TestKey.kid) throws -> String {
        let hash = Base64URL.encode(Digest.sha256(Markers.code.utf8).prefix(16))
        var claims: JSONObject = ["c_hash": .string(hash)]
        // Merged by name, so that null stays null: it leaves a claim out.
        for (name, value) in changes { claims[name] = value }
        return try TestKey.idToken(claims, kid: kid)
    }

    /// - Parameter token: In place of the one of the answer; `nil` for an answer without.
    private func run(
        _ token: String?, _ rest: [ScriptedEffect], keys: [ScriptedEffect]? = nil,
        provider: String = Self.provider, privateKey: String? = nil
    ) async throws -> Conversation {
        let answer = Scripts.answer([("id_token", token)])
        let keys = try keys ?? [Scripts.keys(isForced: true)]
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: provider, privateKey: privateKey),
            Scripts.authorize + [ScriptedEffect("await callback", answer)] + keys + rest)
        if let token {
            let signature = token.split(separator: ".").last ?? ""
            #expect(!run.events.contains { "\($0)".contains(signature) }, "the trace shows the ID token")
        }
        return run
    }

    private func goodEnd() throws -> [ScriptedEffect] {
        [try Scripts.exchange(), try Scripts.keys(), Scripts.userinfo, Scripts.save, Scripts.goodEnd]
    }

    private func checks(_ run: Conversation, of step: String) -> [String] {
        run.events.compactMap { event in
            if case .check(let result) = event.body, event.step == step { result.name } else { nil }
        }
    }

    @Test("both ID tokens are verified, the first one before the code is sent [rule 6]")
    func good() async throws {
        let run = try await run(try Self.token(), try goodEnd())
        #expect(run.end == "done")
        let presented = run.performed.lazy.compactMap {
            if case .present(let presentation) = $0.effect { presentation.url } else { nil }
        }.first
        let url = try #require(presented)
        #expect(url.contains("response_type=code%20id_token"))
        #expect(url.contains("response_mode=form_post"))
        #expect(url.contains("nonce="))
        let names = run.names
        let keys = try #require(names.firstIndex(of: "recall keys"))
        #expect(keys < (try #require(names.firstIndex(of: "http token"))))
        #expect(checks(run, of: "callback").contains("c_hash"))
        #expect(checks(run, of: "verify").contains("answer-sub"))
    }

    @Test("one that is encrypted is opened with the client's key, and the trace says that it was")
    func encrypted() async throws {
        let key = try PrivateKey.generate(.ec(.p256))
        func encrypted(_ token: String) throws -> String {
            try JWE.encrypt(
                Array(token.utf8), header: ["cty": "JWT"], to: key.publicKey, algorithm: .ecdhES,
                encryption: .a128CBCHS256)
        }
        let provider = Self.provider.replacing(
            "client: {", with: "client: { id_token_encrypted_response_alg: ECDH-ES,")
        let tokens = Answers.tokens(["id_token": .string(try encrypted(try TestKey.idToken()))])
        let rest = [
            try Scripts.exchange(tokens), try Scripts.keys(), Scripts.userinfo, Scripts.save, Scripts.goodEnd,
        ]
        let run = try await run(
            try encrypted(try Self.token()), rest, provider: provider, privateKey: key.privatePEM())
        #expect(run.end == "done")
        let verdicts = run.events.checks.filter { $0.name == "encryption" }.map(\.verdict)
        #expect(!verdicts.isEmpty && verdicts.allSatisfy { $0 == .passed }, "\(verdicts)")
    }

    @Test("the answer is taken as a form alone")
    func form() async throws {
        let run = try await run(try Self.token(), try goodEnd())
        let methods = run.performed.lazy.compactMap {
            if case .openRedirect(let plan) = $0.effect { plan.methods } else { nil }
        }.first
        #expect(methods == [.post])
    }

    static let refused: [(what: String, changes: JSONObject, outcome: String, error: String)] = [
        ("another code", ["c_hash": "AAAAAAAAAAAAAAAAAAAAAA"], "signature_invalid", "c_hash"),
        ("no code", ["c_hash": .null], "signature_invalid", "c_hash"),
        ("another nonce", ["nonce": "other"], "signature_invalid", "nonce"),
        ("no nonce", ["nonce": .null], "signature_invalid", "nonce"),
        ("another issuer", ["iss": "https://x.example"], "issuer_mismatch", "id_token-iss"),
        ("another audience", ["aud": "client-2"], "signature_invalid", "aud"),
        ("the past", ["exp": 1], "signature_invalid", "exp"),
        ("another state", ["s_hash": "AAAAAAAAAAAAAAAAAAAAAA"], "signature_invalid", "s_hash"),
        ("nobody", ["sub": .null], "signature_invalid", "sub"),
    ]

    @Test("with a token about something else the code is never sent [rules 6, 62]", arguments: refused)
    func refuse(row: (what: String, changes: JSONObject, outcome: String, error: String)) async throws {
        let run = try await run(try Self.token(row.changes), [Scripts.badEnd])
        let end = try #require(run.lastEnd(of: "callback"))
        #expect(end.outcome == row.outcome, "\(row.what)")
        #expect(end.error == row.error, "\(row.what)")
        #expect(!run.names.contains("http token"))
    }

    @Test("a changed signature, and a token that is none, are refused before the code is sent")
    func forged() async throws {
        let good = try Self.token()
        let other = good.split(separator: ".").dropLast().joined(separator: ".") + ".AAAA"
        let run = try await run(other, [Scripts.badEnd])
        #expect(run.outcomes(of: "callback") == ["signature_invalid"])
        let text = try await self.run("no-token", [Scripts.badEnd])
        #expect(text.outcomes(of: "callback") == ["malformed"])
    }

    @Test("an answer without the token that was asked for is refused")
    func absent() async throws {
        let run = try await run(nil, [Scripts.badEnd], keys: [])
        #expect(run.outcomes(of: "callback") == ["signature_invalid"])
        #expect(run.lastEnd(of: "callback")?.error == "answer-id_token")
    }

    @Test("a key that is not among the kept ones is asked for once")
    func newKey() async throws {
        let fetched: [ScriptedEffect] = [
            try Scripts.keys(kid: "old"),
            ScriptedEffect("http jwks", Answers.json(200, try TestKey.set().objectValue ?? [:])),
            ScriptedEffect("keep keys"),
        ]
        let run = try await run(try Self.token(), try goodEnd(), keys: fetched)
        #expect(run.end == "done")
    }

    @Test("a key that was just fetched and is not there is not asked for again", arguments: [true, false])
    func unknownKey(isKept: Bool) async throws {
        let fetched: [ScriptedEffect] = [
            isKept ? try Scripts.keys(kid: "old") : ScriptedEffect("recall keys", .nothingKept),
            ScriptedEffect("http jwks", Answers.json(200, try TestKey.set().objectValue ?? [:])),
            ScriptedEffect("keep keys"),
        ]
        let run = try await run(try Self.token(kid: "none"), [Scripts.badEnd], keys: fetched)
        #expect(run.outcomes(of: "callback") == ["signature_invalid"])
        #expect(run.lastEnd(of: "callback")?.error == "kid")
    }

    @Test("the token response must be about the same person [rule 6]")
    func person() async throws {
        let answer = try Answers.signedIn(["sub": "person-2"])
        let run = try await run(
            try Self.token(), [try Scripts.exchange(answer), try Scripts.keys(), Scripts.badEnd])
        #expect(run.outcomes(of: "verify") == ["subject_mismatch"])
        #expect(run.lastEnd(of: "verify")?.error == "answer-sub")
    }

    @Test("a dry run goes through the hybrid flow as it is", arguments: ["form_post", "form_post.jwt"])
    func rehearsal(mode: String) async throws {
        let text = Self.provider.replacing("response_mode: form_post", with: "response_mode: \(mode)")
        let bound = try Compiled.provider(text, isRehearsal: true)
        let plan = try Compiled.rehearsal(Compiled.program(FlowTexts.signIn()), bound)
        let recorder = EventRecorder()
        let outcome = await FlowRun(
            plan: plan, handler: PlannedEffects(assumptions: []), sinks: [recorder]
        ).run()
        #expect(outcome.end.name == "done")
        let passed = recorder.events.contains { event in
            guard case .check(let result) = event.body, event.step == "callback" else { return false }
            return result.name == "c_hash" && result.verdict == .passed
        }
        #expect(passed)
    }
}
