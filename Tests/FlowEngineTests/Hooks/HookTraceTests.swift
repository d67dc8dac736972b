import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// What a trace tells of the values that hooks read and wrote.
@Suite("Values of hooks in a trace")
struct HookTraceTests {
    private static func values(_ parameters: [TracedParameter]) -> [String: TracedValue] {
        Dictionary(parameters.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }

    private static func plainFlow(_ hooks: String, vars: String) -> String {
        FlowTexts.single("{ do: choose, next: done }", extra: "vars: { \(vars) }\nhooks:\n\(hooks)")
    }

    private static func answer(_ reply: HookReply, id: String = "h") -> ScriptedEffect {
        ScriptedEffect("hook \(id)", .hook(reply))
    }

    @Test("what a called hook reads and writes is there with its values, each as its type writes it")
    func called() async throws {
        let flow = Self.plainFlow(
            "  - { id: h, at: step.before, reads: [run.id, vars.count, vars.plan], "
                + "writes: [vars.plan, vars.count, vars.until, vars.extra], native: { name: h } }",
            vars: "plan: { type: string, init: free }, count: { type: int, init: 1 }, "
                + "until: { type: time, init: '2020-01-01T00:00:00Z' }, extra: { type: json, init: 0 }")
        let reply = HookReply(set: [
            "vars.plan": "pro", "vars.count": 2, "vars.until": "2026-01-31T12:00:00Z",
            "vars.extra": ["seats": 3, "name": "Acme", "api_key": "k-1"],
        ])
        let run = await Conversation.run(try Compiled.plan(flow), [Self.answer(reply)])
        let hook = try #require(run.events.hooks.first)
        let read = Self.values(hook.readValues)
        #expect(Set(read.keys) == ["run.id", "vars.count", "vars.plan"])
        #expect(read["vars.plan"] == .text("free"))
        #expect(read["vars.count"] == .text("1"))
        #expect(hook.wrote == ["vars.count", "vars.extra", "vars.plan", "vars.until"])
        let written = Self.values(hook.writtenValues)
        #expect(written["vars.plan"] == .text("pro"))
        #expect(written["vars.count"] == .text("2"))
        #expect(written["vars.until"] == .text("2026-01-31T12:00:00Z"))
        #expect(
            written["vars.extra"] == .text(#"{"seats":3,"name":"(personal)","api_key":"‹secret›"}"#),
            "\(written)")
    }

    @Test("what the actions of the engine read and set is there too")
    func actions() async throws {
        let flow = Self.plainFlow(
            """
              - { id: s, at: step.before, set: { vars.plan: "${vars.tier}!" } }
              - { id: a, at: step.before, assert: { that: "vars.plan == 'free!'", message: no } }
              - { id: e, at: step.before, emit: { event: seen, data: { plan: "${vars.plan}" } } }
            """, vars: "tier: { type: string, init: free }, plan: { type: string, init: '' }")
        let run = await Conversation.run(try Compiled.plan(flow), [])
        let hooks = run.events.hooks
        #expect(
            hooks.map { Self.values($0.readValues) } == [
                ["vars.tier": .text("free")], ["vars.plan": .text("free!")], ["vars.plan": .text("free!")],
            ])
        #expect(hooks.map { Self.values($0.writtenValues) } == [["vars.plan": .text("free!")], [:], [:]])
    }

    @Test("headers and query have their values; those whose names say so are secrets, in the request too")
    func additions() async throws {
        let flow = FlowTexts.single(
            "{ do: http, with: { url: \"https://p.example/api\" }, next: done }",
            extra: "hooks: [ { id: h, at: step.request, may: [headers, query], native: { name: h } } ]")
        var reply = HookReply()
        reply.headers = [
            "x-tenant": "acme", "x-api-key": "not-to-be-shown", "x-functions-key": "not-to-be-shown, too",
        ]
        reply.query = ["x-page": "2"]
        let refusal = Answers.json(400, ["error": "no", "error_description": "not-to-be-shown, too: no key"])
        let script = [Self.answer(reply), ScriptedEffect("http http", refusal)]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.lastEnd(of: "work")?.description == "‹secret›: no key")
        let written = Self.values(try #require(run.events.hooks.first).writtenValues)
        #expect(written["headers.x-tenant"] == .text("acme"))
        #expect(written["query.x-page"] == .text("2"))
        guard case .secret? = written["headers.x-api-key"] else {
            Issue.record("\(written)")
            return
        }
        #expect(!run.events.contains { "\($0)".contains("not-to-be-shown") })
    }

    @Test(
        "a secret that a hook writes is shown neither by name nor by looks nor as one that is known [rule 99]"
    )
    func secrets() async throws {
        let flow = FlowTexts.stored(
            "{ do: choose, next: done }",
            extra: """
                vars: { api_token: { type: string, init: '' }, word: { type: string, init: '' }, echo: { type: string, init: '' }, code: { type: string, init: '' } }
                hooks:
                  - id: h
                    at: step.after
                    steps: [work]
                    reads: [tokens.main.token_type]
                    grants: [tokens.main.access_token]
                    writes: [vars.api_token, vars.word, vars.echo, vars.code]
                    native: { name: h }
                """)
        let jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJwZXJzb24tMSIsImV4cCI6MX0.c2lnbmF0dXJlLW9mLW5vdGhpbmc"
        let reply = HookReply(set: [
            "vars.api_token": "tok-93f1aa", "vars.word": .string("it is \(jwt)"),
            "vars.echo": .string("got \(Markers.accessToken)"), "vars.code": "c0de",
        ])
        let run = await Conversation.run(try Compiled.plan(flow), [Scripts.load(), Self.answer(reply)])
        let hook = try #require(run.events.hooks.first)
        let read = Self.values(hook.readValues)
        #expect(read["tokens.main.token_type"] == .text("Bearer"))
        guard case .secret(kind: "access_token", _, _)? = read["tokens.main.access_token"] else {
            Issue.record("\(read)")
            return
        }
        let written = Self.values(hook.writtenValues)
        for name in ["vars.api_token", "vars.code"] {
            guard case .secret? = written[name] else {
                Issue.record("\(name): \(written)")
                continue
            }
        }
        #expect(written["vars.word"] == .text("it is ‹jwt›"))
        #expect(written["vars.echo"] == .text("got ‹access_token›"))
        let all = run.events.map { "\($0)" }.joined()
        #expect(!all.contains("tok-93f1aa") && !all.contains("c0de"))
    }

    @Test("what says who somebody is is not shown, under whatever name a hook writes it")
    func personal() async throws {
        let flow = FlowTexts.signIn(
            extra: """
                vars: { tenant: { type: string, init: '' }, copy: { type: string, init: '' }, mail: { type: string, init: '' } }
                hooks:
                  - id: h
                    at: step.after
                    steps: [verify]
                    outcomes: [ok]
                    reads: [steps.verify.subject]
                    writes: [vars.tenant, vars.copy, vars.mail]
                    native: { name: h }
                  - { id: m, at: step.after, steps: [userinfo], outcomes: [ok], map: { nickname: "${out.claims.name}" } }
                """)
        let reply = HookReply(set: [
            "vars.tenant": "acme", "vars.copy": "person-1", "vars.mail": "ada@example.com",
        ])
        var script = try Scripts.signIn()
        let keys = try #require(script.firstIndex { $0.name == "http userinfo" })
        script.insert(Self.answer(reply), at: keys)
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.end == "done")
        let called = try #require(run.events.hooks.first)
        #expect(Self.values(called.readValues) == ["steps.verify.subject": .text("(personal)")])
        let written = Self.values(called.writtenValues)
        #expect(written["vars.tenant"] == .text("acme"))
        #expect(written["vars.copy"] == .text("(personal)"))
        #expect(written["vars.mail"] == .text("a…@example.com"))
        let mapped = try #require(run.events.hooks.last)
        #expect(mapped.wrote == ["profile.nickname"])
        #expect(mapped.writtenValues.map(\.value) == [.text("(personal)")])
    }

    /// By label, by name, in the text around it, as a number, in a list, by what a hook was told before.
    private static let emitting = """
        vars:
          login: { type: string, init: countess }
          told: { type: string, init: '' }
          count: { type: int, init: 3 }
        hooks:
          - { id: h, at: step.after, steps: [verify], outcomes: [ok], reads: [steps.verify.subject], writes: [vars.told], native: { name: h } }
          - id: e
            at: step.after
            steps: [userinfo]
            outcomes: [ok]
            emit:
              event: seen
              data:
                who: "${steps.verify.subject ?? ''}"
                greeting: "hello ${out.claims.name ?? 'you'}"
                mail: "${out.claims.email}"
                mask: "${mask_email(string(out.claims.email) ?? '')}"
                alias: "${vars.login}"
                again: "${vars.told}"
                print: "${fingerprint(steps.verify.subject ?? '')}"
                size: "${length(steps.verify.subject ?? '')}"
                id: "${run.id}"
                count: "${vars.count}"
                note: "count is ${vars.count}"
                word: plain

        """

    @Test("an event that a hook writes says nothing of who somebody is, and all else as the flow has it")
    func emitted() async throws {
        var script = try Scripts.signIn()
        let userinfo = try #require(script.firstIndex { $0.name == "http userinfo" })
        script[userinfo] = ScriptedEffect(
            "http userinfo",
            Answers.json(200, ["sub": "person-1", "name": "Ada Example", "email": "ada@example.com"]))
        let reply = HookReply(set: ["vars.told": "it was person-1"])
        script.insert(Self.answer(reply), at: userinfo)
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn(extra: Self.emitting)), script)
        #expect(run.end == "done")
        let message = try #require(run.events.hooks.last?.message)
        let print = try #require(message.firstMatch(of: #/print=("[^"]*")/#)).1
        #expect(
            message == "seen who=\"(personal)\" greeting=\"(personal)\" mail=\"a…@example.com\" "
                + "mask=\"a***@example.com\" alias=\"(personal)\" again=\"it was (personal)\" "
                + "print=\(print) size=8 id=\"run-1\" count=3 note=\"count is 3\" word=\"plain\"")
        #expect(!print.contains("personal"))
        for text in ["person-1", "Ada Example", "ada@example.com", "countess"] {
            #expect(!run.events.contains { "\($0)".contains(text) }, "\(text)")
        }
    }

    @Test("a rehearsal shows what an event would say")
    func rehearsedEvent() async throws {
        let plan = try Compiled.rehearsal(
            Self.plainFlow(
                "  - { id: e, at: step.before, emit: { event: seen, data: { name: \"${vars.name}\" } } }",
                vars: "name: { type: string, init: Ada, label: pii }"))
        let recorder = EventRecorder()
        _ = await FlowRun(plan: plan, handler: PlannedEffects(plan), sinks: [recorder]).run()
        #expect(recorder.events.hooks.map(\.message) == ["seen name=\"Ada\""])
    }

    @Test("a rehearsal has nobody to protect and shows what a hook would write")
    func rehearsed() async throws {
        let flow = Self.plainFlow(
            "  - { id: h, at: step.before, writes: [vars.mail], native: { name: h }, "
                + "simulate: { set: { vars.mail: ada@example.com } } }",
            vars: "mail: { type: string, init: '' }")
        let plan = try Compiled.rehearsal(flow)
        let recorder = EventRecorder()
        _ = await FlowRun(plan: plan, handler: PlannedEffects(plan), sinks: [recorder]).run()
        let hook = try #require(recorder.events.hooks.first)
        #expect(hook.decision == "simulated")
        #expect(Self.values(hook.writtenValues) == ["vars.mail": .text("ada@example.com")])
    }

    @Test("what a hook read is what it was told, not what it made of it")
    func before() async throws {
        let flow = Self.plainFlow(
            "  - { id: h, at: step.before, reads: [vars.count], writes: [vars.count], native: { name: h } }",
            vars: "count: { type: int, init: 1 }")
        let run = await Conversation.run(
            try Compiled.plan(flow), [Self.answer(HookReply(set: ["vars.count": 7]))])
        let hook = try #require(run.events.hooks.first)
        #expect(Self.values(hook.readValues) == ["vars.count": .text("1")])
        #expect(Self.values(hook.writtenValues) == ["vars.count": .text("7")])
    }
}
