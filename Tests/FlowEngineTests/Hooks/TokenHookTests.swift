import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("Hooks and tokens")
struct TokenHookTests {
    private static func signIn(_ hook: String, outputs: String = "") -> String {
        FlowTexts.signIn(
            extra: "hooks:\n  - { id: h, \(hook) native: { name: h } }\n\(outputs)")
    }

    private static func script(_ reply: HookReply, _ rest: [ScriptedEffect]) throws -> [ScriptedEffect] {
        try Scripts.untilTokens() + [ScriptedEffect("hook h", .hook(reply))] + rest
    }

    @Test("tokens.received lets new tokens pass, and nothing else happens before it")
    func passes() async throws {
        let run = await Conversation.run(
            try Compiled.plan(Self.signIn("at: tokens.received,")),
            try Self.script(HookReply(), [Scripts.keys(), Scripts.userinfo, Scripts.save, Scripts.goodEnd]))
        #expect(run.end == "done")
        #expect(run.hookCalls.map(\.point) == [.tokensReceived])
        #expect(run.hookCalls.map(\.step?.outcome) == ["ok"])
    }

    @Test("a grant hands over the new secrets by value, and only those it names")
    func grants() async throws {
        let hook = "at: tokens.received, reads: [tokens.main.scopes], grants: [tokens.main.access_token],"
        let run = await Conversation.run(
            try Compiled.plan(Self.signIn(hook)),
            try Self.script(HookReply(), [Scripts.keys(), Scripts.userinfo, Scripts.save, Scripts.goodEnd]))
        let call = try #require(run.hookCalls.first)
        #expect(call.secrets.keys.sorted() == ["tokens.main.access_token"])
        #expect(call.secrets["tokens.main.access_token"]?.reveal() == Markers.accessToken)
        #expect(call.values == ["tokens.main.scopes": ["openid", "email"]])
        #expect(run.events.hooks.map(\.grants) == [["tokens.main.access_token"]])
    }

    @Test("a secret that is only read is never handed over")
    func reads() throws {
        let hook = "at: tokens.received, reads: [tokens.main.access_token],"
        #expect(throws: FixtureError.self) { try Compiled.plan(Self.signIn(hook)) }
    }

    @Test("a secret that a server repeats reaches a hook as little as any other")
    func echo() async throws {
        let flow = FlowTexts.ask(
            extra: """
                hooks:
                  - { id: h, at: step.after, steps: [userinfo], reads: [steps.userinfo.claims], native: { name: h } }
                """)
        let person = Answers.json(200, ["sub": "person-1", "echo": ["Bearer \(Markers.accessToken)"]])
        let run = await Conversation.run(
            try Compiled.plan(flow),
            [
                Scripts.load(), ScriptedEffect("http userinfo", person),
                ScriptedEffect("hook h", .hook(HookReply())),
            ])
        let call = try #require(run.hookCalls.first)
        #expect(call.values["steps.userinfo.claims"]?.objectValue?["echo"] == ["Bearer ‹access_token›"])
        #expect(Markers.found(in: HookWire.encode(call)) == [])
        #expect(run.outcome.secrets.map { $0.reveal() }.contains(Markers.accessToken))
    }

    @Test("tokens that a hook refuses are nobody's: not the flow's, not the outcome's, not a later hook's")
    func refused() async throws {
        let flow = FlowTexts.signIn(
            extra: """
                outputs: { subject: optional string, scopes: "optional list<string>" }
                hooks:
                  - { id: h, at: tokens.received, native: { name: h } }
                  - { id: last, at: flow.end, reads: [steps.exchange.scopes], native: { name: last } }
                """,
            ends: """
                  done: { result: success }
                  failed: { result: failure, outputs: { scopes: "${steps.exchange.scopes ?? null}" } }
                """)
        let script = try Self.script(
            HookReply(.abort(message: "not these")),
            [ScriptedEffect("hook last", .hook(HookReply())), Scripts.badEnd])
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.outcome.end.error == RunFailure(.hookRefused, "hook \"h\": not these"))
        #expect(run.outcome.tokens.count == 1)
        #expect(run.outcome.tokens[0] == nil)
        #expect(run.output("scopes") == .null)
        #expect(run.hookCalls.last?.values == ["steps.exchange.scopes": .null])
        #expect(run.outcomes(of: "exchange").isEmpty)
    }

    @Test("a refused refresh leaves the tokens that were there, and the rotated token stored")
    func refusedRefresh() async throws {
        let flow = FlowTexts.renew(extra: "hooks: [ { id: h, at: tokens.received, native: { name: h } } ]")
        let script = [
            Scripts.load(.expired), ScriptedEffect("lock", .locked), Scripts.load(.expired),
            ScriptedEffect("http refresh", Answers.renewed()),
            ScriptedEffect("save session", .saved(generation: 8)),
            ScriptedEffect("hook h", .hook(HookReply(.abort(message: "no")))), ScriptedEffect("unlock"),
        ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.outcome.tokens[0]?.accessToken.reveal() == Markers.accessToken)
        #expect(run.saved.count == 1)
    }

    @Test("a run that is cancelled while a hook looks at the tokens has none")
    func cancelled() async throws {
        let script = try Scripts.untilTokens() + [ScriptedEffect("hook h", .cancelled()), Scripts.badEnd]
        let run = await Conversation.run(try Compiled.plan(Self.signIn("at: tokens.received,")), script)
        #expect(run.end == "cancelled")
        #expect(run.outcome.tokens[0] == nil)
    }

    /// Kinds that bring a token set, each with what comes before its hook.
    static let kinds: [(step: String, script: [ScriptedEffect])] = {
        let body: JSONObject = [
            "access_token": .string(Markers.accessToken), "token_type": "Bearer",
            "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
        ]
        let answer = Answers.json(200, body)
        let device = Answers.json(
            200,
            [
                "device_code": "marker-device-code", "user_code": "WDJB-MJHT",
                "verification_uri": "https://p.example/go", "expires_in": 600, "interval": 5,
            ])
        return [
            (
                "work: { do: client_credentials, next: done }",
                [ScriptedEffect("http client_credentials", answer)]
            ),
            (
                "work: { do: jwt_bearer, with: { subject: person-1 }, next: done }",
                [ScriptedEffect("http jwt_bearer", answer)]
            ),
            (
                """
                work: { do: restore, next: { ok: swap, expired: swap } }
                  swap: { do: token_exchange, with: { into: other, audience: [api] }, next: done }
                """, [Scripts.load(), ScriptedEffect("http token_exchange", answer)]
            ),
            (
                """
                work: { do: device_authorize, next: poll }
                  poll: { do: device_poll, next: done }
                """,
                [
                    ScriptedEffect("http device_authorization", device),
                    ScriptedEffect("present code", .presented(how: "")),
                    ScriptedEffect("await decision", .woke), ScriptedEffect("http device_token", answer),
                ]
            ),
            (
                """
                work: { do: http, with: { url: "${provider.endpoints.report}", method: POST, into: other,
                    out: { access_token: { at: /access_token, type: secret } } }, next: done }
                """, [ScriptedEffect("http http", answer)]
            ),
        ]
    }()

    @Test("tokens.received fires for every kind that brings tokens", arguments: kinds.indices)
    func everyKind(index: Int) async throws {
        let (steps, script) = Self.kinds[index]
        let flow = FlowTexts.flow(
            "  \(steps)", start: "work",
            extra: """
                providers: { main: { oidc: false } }
                hooks: [ { id: h, at: tokens.received, native: { name: h } } ]
                """)
        let plan = try Compiled.plan(flow, provider: ProviderText.complete, privateKey: TestKey.pem)
        let refusal = ScriptedEffect("hook h", .hook(HookReply(.abort(message: "not these"))))
        let run = await Conversation.run(plan, script + [refusal])
        #expect(run.outcome.end.error == RunFailure(.hookRefused, "hook \"h\": not these"))
        let handles = run.hookCalls.first?.facts["tokens"]?.objectValue?["handles"]?.objectValue
        #expect(handles?["access_token"] == "‹access_token›")
        let obtained = run.outcome.tokens.compactMap(\.self).filter { $0.origin != .store }
        #expect(obtained.isEmpty)
    }

    @Test("tokens that another process has renewed meanwhile are new to the run as well")
    func adopted() async throws {
        let flow = FlowTexts.renew(extra: "hooks: [ { id: h, at: tokens.received, native: { name: h } } ]")
        let peer = StoredTokens().with { $0.accessToken = Markers.renewedToken }
        let run = await Conversation.run(
            try Compiled.plan(flow),
            [
                Scripts.load(.expired), ScriptedEffect("lock", .locked), Scripts.load(peer, generation: 8),
                ScriptedEffect("unlock"), ScriptedEffect("hook h", .hook(HookReply(.abort(message: "no")))),
            ])
        #expect(run.outcome.end.error?.code == .hookRefused)
        #expect(run.outcome.tokens[0]?.accessToken.reveal() == Markers.accessToken)
    }

    @Test("tokens.received does not fire for stored tokens, nor for an exchange that failed")
    func notFired() async throws {
        let hooks = "hooks: [ { id: h, at: tokens.received, native: { name: h } } ]"
        let steps =
            "  restore: { next: { ok: done, expired: refresh } }\n  refresh: { next: verify }\n"
            + "  verify: { do: verify_id_token, next: { ok: done, absent: done } }"
        let flow = FlowTexts.flow(steps, start: "restore", extra: hooks)
        let restored = await Conversation.run(try Compiled.plan(flow), [Scripts.load()])
        #expect(restored.end == "done")
        let failed = await Conversation.run(
            try Compiled.plan(Self.signIn("at: tokens.received,")),
            Scripts.untilCode + [ScriptedEffect("http token", Answers.text(400, "")), Scripts.badEnd])
        #expect(failed.outcomes(of: "exchange") == ["rejected"])
    }
}
