import FlowEngine
import FlowLanguage
import FlowTesting
import Testing

@Suite("Hooks that lead elsewhere when they fail")
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
}
