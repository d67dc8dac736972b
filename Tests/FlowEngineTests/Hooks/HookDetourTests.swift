import FlowEngine
import FlowLanguage
import FlowTesting
import Testing

@Suite("Hooks that lead elsewhere, by their word or when they fail")
struct HookDetourTests {
    private static func flow(_ point: String) -> String {
        FlowTexts.flow(
            """
              restore: { next: { ok: done, absent: sad } }
              apology: { do: set, save: { vars.log: sorry }, next: sad }
            """, start: "restore",
            extra: """
                vars: { log: { type: string, init: '' } }
                outputs: { log: string }
                hooks:
                  - { id: h, at: \(point), steps: [restore], native: { name: h }, on_failure: { goto: apology } }
                """,
            ends: """
                  done: { result: success, outputs: { log: "${vars.log}" } }
                  sad: { result: failure, outputs: { log: "${vars.log}" } }
                  failed: { result: failure, outputs: { log: "${vars.log}" } }
                """)
    }

    private static func native(_ keys: String) -> String {
        "hooks:\n  - { id: h, \(keys), native: { name: h } }"
    }

    private static func answer(_ reply: HookReply) -> ScriptedEffect {
        ScriptedEffect("hook h", .hook(reply))
    }

    private static let failure = ScriptedEffect("hook h", .hook(.failed("down")))

    @Test("before its step the step is left out")
    func before() async throws {
        let run = await Conversation.run(try Compiled.plan(Self.flow("step.before")), [Self.failure])
        #expect(run.end == "sad")
        #expect(run.output("log") == .string("sorry"))
    }

    @Test("after its step the step's own route is not taken")
    func after() async throws {
        let script = [Scripts.load(), Self.failure]
        let run = await Conversation.run(try Compiled.plan(Self.flow("step.after")), script)
        #expect(run.end == "sad")
        #expect(run.output("log") == .string("sorry"))
        #expect(run.events.warnings == ["hook \"h\" failed: down"])
    }

    @Test("one that works leads nowhere")
    func works() async throws {
        let script = [Scripts.load(), ScriptedEffect("hook h", .hook(HookReply()))]
        let run = await Conversation.run(try Compiled.plan(Self.flow("step.after")), script)
        #expect(run.end == "done")
    }

    // MARK: By their word

    @Test("a hook leads only where it says that it may", arguments: ["step.before", "step.after"])
    func goto(point: String) async throws {
        let flow = FlowTexts.flow(
            "  restore: { next: { ok: done, absent: failed } }\n  apology: { do: set, next: sad }",
            start: "restore",
            extra: Self.native("at: \(point), steps: [restore], may: [{ goto: [apology, sad] }]"),
            ends: "  done: { result: success }\n  sad: { result: failure }\n  failed: { result: failure }")
        let plan = try Compiled.plan(flow)
        let first = point == "step.after" ? [Scripts.load()] : []
        let step = await Conversation.run(plan, first + [Self.answer(HookReply(.goto("apology")))])
        #expect(step.path == ["restore", "apology"])
        #expect(step.end == "sad")
        let end = await Conversation.run(plan, first + [Self.answer(HookReply(.goto("sad")))])
        #expect(end.path == ["restore"])
        #expect(end.end == "sad")
        let other = await Conversation.run(plan, first + [Self.answer(HookReply(.goto("done")))])
        #expect(
            other.outcome.end.error
                == RunFailure(
                    .hookFailed, "hook \"h\" failed: it led to \"done\"; it may lead to apology, sad"))
    }

    @Test("hooks that lead on and on come to an end, as the edges of a flow do")
    func detours() async throws {
        let flow = FlowTexts.single(
            "{ do: choose, visits: 9, next: { ok: done, exhausted: failed } }",
            extra: Self.native("at: step.before, may: [{ goto: [work] }]")
                + "\nlimits: { transitions: 3 }")
        let run = await Conversation.run(
            try Compiled.plan(flow), Array(repeating: Self.answer(HookReply(.goto("work"))), count: 3))
        #expect(
            run.outcome.end.error == RunFailure(.transitions, "the run made more than 3 transitions"))
        let last = FlowTexts.single(
            "{ do: choose, next: done }",
            extra: Self.native("at: step.before, may: [{ goto: [failed] }]")
                + "\nlimits: { transitions: 1 }")
        let end = await Conversation.run(
            try Compiled.plan(last), [Self.answer(HookReply(.goto("failed")))])
        #expect(end.end == "failed" && end.outcome.end.error == nil, "an end is no step further")
    }
}
