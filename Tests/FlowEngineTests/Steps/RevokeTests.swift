import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("revoke")
struct RevokeTests {
    private static let flow = FlowTexts.stored("{ do: revoke, next: done }")

    private func run(
        _ answers: [InputEvent], flow: String = Self.flow, _ tokens: StoredTokens = StoredTokens()
    )
        async throws -> Conversation
    {
        let script = answers.map { ScriptedEffect("http revocation", $0) }
        return await Conversation.run(
            try Compiled.plan(flow, provider: ProviderText.complete),
            Self.reread(tokens) + script + [Self.unlock])
    }

    private static func reread(_ tokens: StoredTokens = StoredTokens()) -> [ScriptedEffect] {
        [Scripts.load(tokens), ScriptedEffect("lock", .locked), Scripts.load(tokens)]
    }

    private static let unlock = ScriptedEffect("unlock", .done)

    private static let good = Answers.text(200, "")

    @Test("revokes the refresh token first, then the access token, as the client [rules 156, 157]")
    func order() async throws {
        let run = try await run([Self.good, Answers.text(204, "")])
        #expect(run.outcomes(of: "work") == ["ok"])
        let bodies = run.performed.dropFirst().compactMap { request -> String? in
            guard case .http(let exchange) = request.effect else { return nil }
            #expect(exchange.request.url == "https://p.example/revoke")
            #expect(exchange.request.fields.contains { $0.name == "Authorization" })
            return exchange.request.body.map { String(decoding: $0, as: UTF8.self) }
        }
        let tokens = [Markers.refreshToken, Markers.accessToken].map(PercentEncoding.encodeForm)
        #expect(
            bodies == [
                "token=\(tokens[0])&token_type_hint=refresh_token",
                "token=\(tokens[1])&token_type_hint=access_token",
            ])
    }

    @Test("the access tokens for less go with the one for everything [rule 156]")
    func held() async throws {
        let session = StoredTokens().with { $0.held = [.api] }
        let run = try await run([Self.good, Self.good, Self.good], session)
        #expect(run.outcomes(of: "work") == ["ok"])
        let bodies = run.performed.compactMap { request -> String? in
            guard case .http(let exchange) = request.effect else { return nil }
            return exchange.request.body.map { String(decoding: $0, as: UTF8.self) }
        }
        let tokens = [Markers.refreshToken, Markers.accessToken, Markers.narrowToken].map(
            PercentEncoding.encodeForm)
        #expect(bodies.count == 3)
        #expect(zip(bodies, tokens).allSatisfy { $0.contains("token=\($1)&") })
    }

    @Test("without what proves the client nothing is revoked, and the flow goes on")
    func unproven() async throws {
        let provider = try Compiled.provider(
            ProviderText.complete, secret: nil, unreadSecret: "no such variable")
        let run = await Conversation.run(
            try Compiled.plan(Self.flow, bound: provider), Self.reread() + [Self.unlock])
        #expect(run.outcomes(of: "work") == ["invalid_client"])
        #expect(run.lastEnd(of: "work")?.description == "no such variable")
    }

    /// What is sent to revoke tokens, after the session was read.
    private func revoked(_ lock: [ScriptedEffect]) async throws -> (Conversation, [String]) {
        let answers = [ScriptedEffect](repeating: ScriptedEffect("http revocation", Self.good), count: 2)
        let run = await Conversation.run(
            try Compiled.plan(Self.flow, provider: ProviderText.complete),
            [Scripts.load()] + lock + answers + (lock.count > 1 ? [Self.unlock] : []))
        let tokens = run.performed.compactMap { request -> String? in
            guard case .http(let exchange) = request.effect else { return nil }
            return exchange.request.body.map { String(decoding: $0, as: UTF8.self) }
        }
        return (run, tokens)
    }

    @Test("what another process has received meanwhile is revoked, and not what it has used up [rule 156]")
    func renewed() async throws {
        let peer = StoredTokens().with { $0.refreshToken = "renewed" }
        let (run, tokens) = try await revoked([
            ScriptedEffect("lock", .locked), Scripts.load(peer, generation: 8),
        ])
        #expect(run.outcomes(of: "work") == ["ok"])
        #expect(tokens.first == "token=renewed&token_type_hint=refresh_token")
    }

    @Test(
        "a session that cannot be locked or read again is revoked as it was",
        arguments: [
            [ScriptedEffect("lock", .lockTimedOut(holder: "process 7"))],
            [ScriptedEffect("lock", .storeFailed(reason: "full"))],
            [ScriptedEffect("lock", .locked), ScriptedEffect("load session", .noSession)],
            [ScriptedEffect("lock", .locked), ScriptedEffect("load session", .sessionCorrupt(reason: "x"))],
            [ScriptedEffect("lock", .locked), ScriptedEffect("load session", .storeFailed(reason: "x"))],
            [ScriptedEffect("lock", .locked), ScriptedEffect("load session", .conflict)],
        ])
    func unlocked(_ lock: [ScriptedEffect]) async throws {
        let (run, tokens) = try await revoked(lock)
        #expect(run.outcomes(of: "work") == ["ok"])
        #expect(tokens.count == 2)
        #expect(tokens.first?.contains(PercentEncoding.encodeForm(Markers.refreshToken)) == true)
    }

    @Test(
        "one failure of two is partial, the other token is sent all the same, and it is told which is which [rule 157]",
        arguments: [
            ([Answers.text(503, ""), good], "access_token", "refresh_token"),
            ([good, Answers.text(503, "")], "refresh_token", "access_token"),
        ])
    func partial(answers: [InputEvent], revoked: String, kept: String) async throws {
        let flow = FlowTexts.stored(
            "{ do: revoke, next: { ok: done, partial: told, any: failed } }",
            extra: "outputs: { revoked: list<string>, kept: list<string> }",
            ends: """
                  done: { result: success, outputs: { revoked: [], kept: [] } }
                  told: { result: failure, outputs: { revoked: "${steps.work.revoked}", kept: "${steps.work.kept}" } }
                  failed: { result: failure }
                """)
        let run = try await run(answers, flow: flow)
        #expect(run.outcomes(of: "work") == ["partial"])
        #expect(run.lastEnd(of: "work")?.error == "http_503")
        #expect(run.output("revoked") == .list([.string(revoked)]))
        #expect(run.output("kept") == .list([.string(kept)]))
    }

    @Test(
        "an attack is told as one though the other token is revoked, and of two failures the first",
        arguments: [
            ([good, Answers.text(302, "")], "insecure", "redirect"),
            ([Answers.text(503, ""), Answers.text(429, "")], "server_error", "http_503"),
        ])
    func trouble(answers: [InputEvent], outcome: String, error: String) async throws {
        let run = try await run(answers)
        #expect(run.outcomes(of: "work") == [outcome])
        #expect(run.lastEnd(of: "work")?.error == error)
    }

    @Test("an interface may want the token as a member of JSON, or in the path of a DELETE")
    func deletion() async throws {
        let flow = FlowTexts.stored("{ do: revoke, next: done }")
        let dialects = [
            (
                """
                revocation:
                  method: DELETE
                  endpoint: https://p.example/applications/${client.id}/token
                  body_format: json
                  omit: [token_type_hint]
                  rename: { token: access_token }
                  token_type: access_token

                """, "https://p.example/applications/client-1/token",
                "{\"access_token\":\"\(Markers.accessToken)\"}"
            ),
            (
                """
                revocation:
                  method: DELETE
                  endpoint: https://p.example/refresh-tokens/${token.refresh_token}
                  body_format: none
                  auth: none
                  token_type: refresh_token

                """, "https://p.example/refresh-tokens/\(PercentEncoding.encodeQuery(Markers.refreshToken))",
                nil
            ),
        ]
        for (rules, url, body) in dialects {
            let run = await Conversation.run(
                try Compiled.plan(flow, provider: ProviderText.complete + rules),
                Self.reread() + [ScriptedEffect("http revocation", Answers.text(204, "")), Self.unlock])
            #expect(run.outcomes(of: "work") == ["ok"])
            let sent = run.performed.compactMap { request -> HTTPRequest? in
                if case .http(let exchange) = request.effect { exchange.request } else { nil }
            }
            #expect(sent.map(\.method) == [.delete])
            #expect(sent.map(\.url) == [url])
            #expect(sent.first?.body.map { String(decoding: $0, as: UTF8.self) } == body)
            #expect(sent.first?.fields.contains { $0.name == "Authorization" } == (body != nil))
        }
    }

    /// A provider that tells of refusals by a member of an answer with status 200, or by another status of success.
    static let ruled = [
        Case(
            "ok is false", Answers.json(200, ["ok": false, "error": "not_authed"]), "rejected",
            error: "not_authed"),
        Case(
            "ok is false, told under another status", Answers.json(202, ["ok": false]), "malformed",
            error: "http_202"),
        Case("ok is true", Answers.json(200, ["ok": true, "revoked": true]), "ok"),
        Case("nothing at all", Answers.text(200, ""), "ok"),
        Case(
            "a token that is unknown", Answers.json(200, ["ok": false, "error": "invalid_token"]), "ok"),
        Case(
            "a page where an object should be", Answers.text(200, "<p>sorry"), "malformed", error: "malformed"
        ),
    ]

    @Test("an answer is a refusal where the rules of the provider's file say so [rule 156]", arguments: ruled)
    func ruledOutcomes(_ given: Case) async throws {
        let flow = FlowTexts.stored("{ do: revoke, with: { tokens: [access_token] }, next: done }")
        let rules = """
            revocation:
              response:
                success_status: 200
                error_when: [{ path: ok, equals: false }]
                error: { code: error }

            """
        let run = await Conversation.run(
            try Compiled.plan(flow, provider: ProviderText.complete + rules),
            Self.reread() + [ScriptedEffect("http revocation", given.event), Self.unlock])
        #expect(run.outcomes(of: "work") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "work")?.error == error) }
    }

    @Test("without rules the body of a success counts for nothing [rule 156]")
    func unruled() async throws {
        let flow = FlowTexts.stored("{ do: revoke, with: { tokens: [access_token] }, next: done }")
        let run = try await run([Answers.json(200, ["ok": false, "error": "not_authed"])], flow: flow)
        #expect(run.outcomes(of: "work") == ["ok"])
    }

    static let failures = [
        Case("never sent", Answers.lost(.notDelivered), "network"),
        Case("perhaps sent, which burns nothing", Answers.lost(.perhapsDelivered), "network"),
        Case("503", Answers.text(503, ""), "server_error"),
        Case("429", Answers.text(429, ""), "rate_limited"),
        Case("401", Answers.text(401, ""), "invalid_client"),
        Case(
            "a wrong secret", Answers.json(401, ["error": "invalid_client"]), "invalid_client",
            error: "invalid_client"),
        Case("a redirect", Answers.text(302, ""), "insecure"),
        Case(
            "a token of another client", Answers.json(400, ["error": "invalid_grant"]), "rejected",
            error: "invalid_grant"),
        Case(
            "a type that is not revocable", Answers.json(400, ["error": "unsupported_token_type"]),
            "unsupported", error: "unsupported_token_type"),
        Case(
            "more than fits",
            .unanswered(TransportTrouble(delivery: .perhapsDelivered, cause: "too_large", message: "")),
            "malformed"),
        Case("a token that is unknown", Answers.json(400, ["error": "invalid_token"]), "ok"),
        Case("a refusal of who asks", Answers.json(401, ["error": "invalid_token"]), "rejected"),
    ]

    @Test("tells why the only token was not revoked [rule 156]", arguments: failures)
    func outcomes(_ given: Case) async throws {
        let flow = FlowTexts.stored("{ do: revoke, with: { tokens: [access_token] }, next: done }")
        let run = try await run([given.event], flow: flow)
        #expect(run.outcomes(of: "work") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "work")?.error == error) }
    }

    @Test("a set without the wanted token has nothing to revoke")
    func absent() async throws {
        let flow = FlowTexts.stored("{ do: revoke, with: { tokens: [refresh_token] }, next: done }")
        let run = try await run([], flow: flow, StoredTokens().with { $0.refreshToken = nil })
        #expect(run.outcomes(of: "work") == ["absent"])
    }

    @Test("a provider without the endpoint is unsupported")
    func unsupported() async throws {
        let run = await Conversation.run(try Compiled.plan(Self.flow), Self.reread() + [Self.unlock])
        #expect(run.outcomes(of: "work") == ["unsupported"])
    }

    @Test("metadata of another issuer is told apart")
    func untrusted() async throws {
        let script =
            Self.reread() + [
                ScriptedEffect("recall metadata", .nothingKept),
                ScriptedEffect("http discovery", Answers.metadata(["issuer": "https://other.example"])),
                Self.unlock,
            ]
        let run = await Conversation.run(
            try Compiled.plan(Self.flow, provider: ProviderText.discovered), script)
        #expect(run.outcomes(of: "work") == ["metadata_untrusted"])
    }
}
