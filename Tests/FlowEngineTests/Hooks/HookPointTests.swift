import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// What hooks at each point are told, and what of their answers comes to pass.
@Suite("Points of hooks")
struct HookPointTests: HookWriting {
    // MARK: flow.start

    @Test("flow.start fires once, before the first step, and what it sets is there from then on")
    func start() async throws {
        let flow = FlowTexts.flow(
            "  choose: { next: again }\n  again: { do: choose, next: done }", start: "choose",
            extra: Self.extra(
                Self.hook("at: flow.start, writes: [vars.tenant]"), vars: "tenant: string")
                + "\noutputs: { tenant: string }",
            ends:
                "  done: { result: success, outputs: { tenant: \"${vars.tenant}\" } }\n  failed: { result: failure }"
        )
        let script = [Self.answer(HookReply(set: ["vars.tenant": "acme"]))]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.output("tenant") == .string("acme"))
        #expect(run.hookCalls.map(\.step) == [nil])
        let none = await Conversation.run(try Compiled.plan(flow), [Self.answer()])
        #expect(
            none.outcome.end.error
                == RunFailure(
                    .hookFailed, "hook \"h\" failed: it did not set \"vars.tenant\", which has no value yet"))
    }

    static let unpromised: [(keys: String, type: String, reply: HookReply)] = [
        ("at: step.before, on_failure: continue", "string", HookReply()),
        ("at: step.before, may: [set, skip]", "string", HookReply(.skip)),
        ("at: step.before", "optional string", HookReply()), ("at: step.before", "json", HookReply()),
        ("at: step.before", "{ type: string, init: a }", HookReply()),
    ]

    @Test(
        "a hook need not set what nobody counts on, or what has a value already", arguments: unpromised)
    func unset(keys: String, type: String, reply: HookReply) async throws {
        let flow = FlowTexts.single(
            "{ do: choose, next: done }",
            extra: Self.extra(Self.hook("\(keys), writes: [vars.tenant]"), vars: "tenant: \(type)"))
        let run = await Conversation.run(try Compiled.plan(flow), [Self.answer(reply)])
        #expect(run.outcome.end.error == nil)
        #expect(run.events.hooks.map(\.decision).contains("failed") == false)
    }

    @Test("flow.start can read when the run began")
    func startTime() async throws {
        let flow = FlowTexts.single(
            "{ do: choose, next: done }",
            extra: Self.extra(Self.hook("at: flow.start, reads: [run.now]")))
        let run = await Conversation.run(try Compiled.plan(flow), [Self.answer()])
        let call = try #require(run.hookCalls.first)
        #expect(call.values["run.now"] == .string("2026-01-01T00:00:00Z"))
    }

    @Test("a refusal at flow.start keeps every step from running")
    func refusedStart() async throws {
        let flow = FlowTexts.single(
            "{ do: choose, next: done }", extra: Self.extra(Self.hook("at: flow.start")))
        let run = await Conversation.run(
            try Compiled.plan(flow), [Self.answer(HookReply(.abort(message: "closed")))])
        #expect(run.outcome.end.error == RunFailure(.hookRefused, "hook \"h\": closed"))
        #expect(run.path == [])
    }

    @Test("the words of a closure lose their control characters, and a reply does not show what it sets")
    func words() async throws {
        let flow = FlowTexts.single(
            "{ do: choose, next: done }", extra: Self.extra(Self.hook("at: flow.start")))
        let run = await Conversation.run(
            try Compiled.plan(flow), [Self.answer(HookReply(.abort(message: "bye\n\u{1b}[31m")))])
        #expect(run.outcome.end.error == RunFailure(.hookRefused, "hook \"h\": bye [31m"))
        var reply = HookReply(.abort(message: "secret-of-mine"), set: ["vars.a": "secret-of-mine"])
        reply.headers = ["X-Key": "secret-of-mine"]
        var text = "\(reply)"
        dump(reply, to: &text)
        #expect(text.contains("vars.a, X-Key") && !text.contains("secret-of-mine"))
    }

    // MARK: step.before

    @Test("a hook may change the arguments that the kind leaves to it, for this step alone")
    func arguments() async throws {
        let flow = FlowTexts.signIn(
            ["authorize": "{ with: { prompt: login }, next: callback }"],
            extra: Self.extra(Self.hook("at: step.before, steps: [authorize], may: [args]")))
        let reply = Self.reply { $0.arguments = ["login_hint": "ada@example.com", "prompt": .null] }
        let script = [Self.answer(reply)] + (try Scripts.signIn())
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.end == "done")
        let call = try #require(run.hookCalls.first)
        #expect(call.facts["args"] == ["prompt": "login", "login_hint": .null, "ui_locales": .null])
        let query = try #require(run.events.requests.first).query
        #expect(query.contains { $0.name == "login_hint" && $0.value == .text("ada@example.com") })
        #expect(!query.contains { $0.name == "prompt" })
        #expect(run.events.hooks.first?.wrote == ["args.login_hint", "args.prompt"])
    }

    private static let skipping = FlowTexts.flow(
        "  restore: { next: { ok: done, absent: failed, skipped: passed } }", start: "restore",
        extra: extra(
            hook("at: step.before, may: [skip]"), hook("at: step.before", id: "later"),
            hook("at: step.after", id: "after")),
        ends: "  done: { result: success }\n  passed: { result: success }\n  failed: { result: failure }")

    @Test("a step that a hook skips does nothing, and no further hook of it fires")
    func skip() async throws {
        let run = await Conversation.run(try Compiled.plan(Self.skipping), [Self.answer(HookReply(.skip))])
        #expect(run.end == "passed")
        #expect(run.outcomes(of: "restore") == ["skipped"])
        #expect(run.events.hooks.map(\.decision) == ["skip"])
    }

    // MARK: step.after

    @Test("map sets fields of the profile that the descriptor declares, and leaves whose profile it is")
    func map() async throws {
        let flow = FlowTexts.ask(
            [
                "userinfo": "{ next: done }"
            ],
            extra: """
                outputs: { profile: json }
                hooks:
                  - { id: m, at: step.after, kinds: [userinfo], outcomes: [ok], map: { nickname: "${out.claims.name}", email: "${null}" } }
                """
        ).replacing(
            "done: { result: success }",
            with: "done: { result: success, outputs: { profile: \"${steps.userinfo.profile}\" } }")
        let run = await Conversation.run(
            try Compiled.plan(flow), [Scripts.load(), ScriptedEffect("http userinfo", Answers.person)])
        #expect(run.output("profile") == .json(["sub": "person-1", "name": "Ada", "nickname": "Ada"]))
        #expect(run.events.hooks.map(\.wrote) == [["profile.nickname", "profile.email"]])
    }

    @Test("a field that the descriptor does not declare fails the hook")
    func unknownField() async throws {
        let flow = FlowTexts.ask(
            extra: "hooks:\n  - { id: m, at: step.after, kinds: [userinfo], map: { shoe_size: \"44\" } }")
        let run = await Conversation.run(
            try Compiled.plan(flow), [Scripts.load(), ScriptedEffect("http userinfo", Answers.person)])
        #expect(run.outcome.end.error?.code == .hookFailed)
    }

    // MARK: step.retry

    @Test("a veto delivers the outcome without another attempt; a hook without one changes nothing")
    func veto() async throws {
        let flow = FlowTexts.stored(
            "{ do: http, retry: { outcomes: [server_error], attempts: 2, backoff: { initial: 1s, jitter: none } }, with: { url: \"https://p.example/api\" }, next: done }",
            extra: Self.extra(Self.hook("at: step.retry, outcomes: [server_error]")))
        let plan = try Compiled.plan(flow)
        let failed = ScriptedEffect("http http", Answers.json(503))
        let vetoed = await Conversation.run(plan, [Scripts.load(), failed, Self.answer(HookReply(.veto))])
        #expect(vetoed.outcomes(of: "work") == ["server_error"])
        #expect(vetoed.events.retries.isEmpty)
        #expect(
            vetoed.hookCalls.first?.facts["retry"] == [
                "attempt": 2, "delay": "1s", "outcome": "server_error",
            ])
        let again = await Conversation.run(
            plan,
            [
                Scripts.load(), failed, Self.answer(), ScriptedEffect("sleep", .woke),
                ScriptedEffect("http http", Answers.json(200)),
            ])
        #expect(again.end == "done")
        #expect(again.events.retries.map(\.delay) == [1000])
    }

    @Test("a hook that takes the time of another attempt leaves none")
    func slowHook() async throws {
        let flow = FlowTexts.stored(
            "{ do: http, deadline: 5s, retry: { outcomes: [server_error], attempts: 2, backoff: { initial: 1s, jitter: none } }, with: { url: \"https://p.example/api\" }, next: done }",
            extra: Self.extra(Self.hook("at: step.retry, outcomes: [server_error]")))
        let run = await Conversation.run(
            try Compiled.plan(flow),
            [
                Scripts.load(), ScriptedEffect("http http", Answers.json(503)),
                ScriptedEffect("hook h", after: 4_000, .hook(HookReply())),
            ])
        #expect(run.outcomes(of: "work") == ["server_error"])
        #expect(run.events.retries.isEmpty)
        #expect(run.events.notes.contains("no time is left for another attempt"))
    }

    // MARK: step.prompt

    @Test("what a hook has shown is not shown again, and what it has not shown is", arguments: [true, false])
    func prompt(isPresented: Bool) async throws {
        let flow = FlowTexts.signIn(extra: Self.extra(Self.hook("at: step.prompt")))
        let reply = Self.reply { $0.isPresented = isPresented }
        var script = try Scripts.signIn()
        script.insert(Self.answer(reply), at: 2)
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.end == "done")
        let shown = run.performed.compactMap { request in
            if case .present(let presentation) = request.effect { presentation } else { nil }
        }
        #expect(shown.map(\.isPresented) == [isPresented])
        #expect(shown.map(\.isTold) == [true])
        #expect(run.events.hooks.map(\.wrote) == [isPresented ? ["presented"] : []])
        let prompt = try #require(run.hookCalls.first?.facts["prompt"]?.objectValue)
        #expect(prompt["url"] == shown.first.map { .string($0.url) })
        #expect(prompt["errand"] == "sign_in")
        #expect(prompt["expires_at"] == shown.first.map { .string(TimeText.format($0.expiresAt)) })
    }

    @Test("so it is with a code", arguments: [true, false])
    func codePrompt(isPresented: Bool) async throws {
        let flow = FlowTexts.flow(
            "  begin: { do: device_authorize, next: poll }\n  poll: { do: device_poll, next: done }",
            start: "begin",
            extra: Self.extra(Self.hook("at: step.prompt")) + "\nproviders: { main: { oidc: false } }")
        let code = Answers.json(
            200,
            [
                "device_code": "marker-device-code", "user_code": "WDJB-MJHT",
                "verification_uri": "https://p.example/go", "expires_in": 600,
            ])
        let run = await Conversation.run(
            try Compiled.plan(flow, provider: ProviderText.complete),
            [
                ScriptedEffect("http device_authorization", code),
                Self.answer(Self.reply { $0.isPresented = isPresented }),
                ScriptedEffect("present code", .presented(how: "")), ScriptedEffect("await decision", .woke),
                ScriptedEffect("http device_token", Answers.tokens()),
            ])
        #expect(run.end == "done")
        let shown = run.performed.compactMap { request in
            if case .presentCode(let prompt) = request.effect { prompt } else { nil }
        }
        #expect(shown.map(\.isPresented) == [isPresented])
        #expect(shown.map(\.isTold) == [true])
        #expect(run.hookCalls.first?.facts["prompt"]?["user_code"] == "WDJB-MJHT")
    }

    // MARK: tokens.received and session.store

    @Test("tokens.received tells handles, scopes and the end of the tokens, no value")
    func tokens() async throws {
        let flow = FlowTexts.signIn(extra: Self.extra(Self.hook("at: tokens.received")))
        let script =
            try Scripts.untilTokens() + [
                Self.answer(), Scripts.keys(), Scripts.userinfo, Scripts.save, Scripts.goodEnd,
            ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        let facts = try #require(run.hookCalls.first?.facts["tokens"]?.objectValue)
        #expect(facts["set"] == "main")
        #expect(facts["expires_at"] == .string(TimeText.format(ManualClock.start + 3_600_000)))
        #expect(facts["scopes"] == ["openid", "email"])
        #expect(facts["handles"]?.objectValue?["access_token"] == "‹access_token›")
        #expect(Markers.found(in: HookWire.encode(try #require(run.hookCalls.first))) == [])
    }

    @Test("session.store adds to what is kept beside the session, or keeps it from being stored")
    func store() async throws {
        let flow = FlowTexts.stored(
            "{ do: store, with: { meta: { from: flow } }, next: done }",
            extra: Self.extra(Self.hook("at: session.store, may: [meta, abort]")))
        let plan = try Compiled.plan(flow)
        let reply = Self.reply { $0.meta = ["label": "laptop"] }
        let kept = await Conversation.run(plan, [Scripts.load(), Self.answer(reply)] + Scripts.replace)
        #expect(kept.end == "done")
        #expect(kept.saved.first?.contains("\"label\":\"laptop\"") == true)
        #expect(kept.saved.first?.contains("\"from\":\"flow\"") == true)
        #expect(
            kept.hookCalls.first?.facts["session"] == [
                "provider": "p", "profile": "default", "key": .null, "meta": ["from": "flow"],
            ])
        let refused = await Conversation.run(
            plan, [Scripts.load(), Self.answer(HookReply(.abort(message: "not here")))])
        #expect(refused.outcome.end.error?.code == .hookRefused)
        #expect(refused.saved == [])
    }

    @Test("a secret that the run has sent is told nobody who looks at what is kept")
    func echoed() async throws {
        let flow = FlowTexts.signIn(
            ["store": "{ with: { meta: { m: \"${steps.userinfo.claims}\" } }, next: done }"],
            extra: Self.extra(Self.hook("at: session.store")))
        let person = Answers.json(200, ["sub": "person-1", "echo": .string("of \(Markers.code)")])
        let script =
            try Scripts.untilTokens() + [
                Scripts.keys(), ScriptedEffect("http userinfo", person), Self.answer(), Scripts.save,
                Scripts.goodEnd,
            ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.hookCalls.first?.facts["session"]?["meta"]?["m"]?["echo"] == "of ‹code›")
    }

    // MARK: Ends

    @Test("flow.error is told the error, flow.end also the end with its outputs")
    func ends() async throws {
        let flow = FlowTexts.flow(
            "  restore: { next: { ok: done, absent: sad } }", start: "restore",
            extra: """
                vars: { why: { type: string, init: nothing } }
                outputs: { why: string }
                hooks:
                  - { id: e, at: flow.error, writes: [vars.why], native: { name: e } }
                  - { id: h, at: flow.end, native: { name: h } }
                """,
            ends: """
                  done: { result: success, outputs: { why: "${vars.why}" } }
                  sad: { result: failure, error: nobody, outputs: { why: "${vars.why}" } }
                  failed: { result: failure }
                """)
        let script = [
            ScriptedEffect("load session", .noSession),
            Self.answer(HookReply(set: ["vars.why": "absent"]), id: "e"), Self.answer(),
        ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.end == "sad")
        #expect(run.output("why") == .string("absent"))
        let error = try #require(run.hookCalls.first?.facts["error"]?.objectValue)
        #expect(error["code"] == "nobody")
        #expect(error["step"] == "restore")
        #expect(
            run.hookCalls.last?.facts["end"] == [
                "id": "sad", "result": "failure", "outputs": ["why": "absent"],
            ])
    }
}
