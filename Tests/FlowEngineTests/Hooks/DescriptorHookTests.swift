import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import Testing
import YAMLText

/// Closures that a descriptor calls for, where its vocabulary says too little of a provider.
@Suite("Hooks of descriptors")
struct DescriptorHookTests {
    private static let provider =
        ProviderText.plain + """
            hooks: { before_discover: enter, after_discover: leave }

            """

    private static let flow = FlowTexts.flow(
        """
          discover: { next: { ok: done } }
        """, start: "discover",
        extra: """
            hooks:
              - { id: flow-enter, at: step.before, native: { name: own } }
              - { id: flow-leave, at: step.after, native: { name: own } }
            """)

    private static func answer(_ id: String, _ reply: HookReply = HookReply()) -> ScriptedEffect {
        ScriptedEffect("hook \(id)", .hook(reply))
    }

    @Test("they lie around the flow's own: first before a step, last after it")
    func order() async throws {
        let script = ["q.enter", "flow-enter", "flow-leave", "q.leave"].map { Self.answer($0) }
        let run = await Conversation.run(try Compiled.plan(Self.flow, provider: Self.provider), script)
        #expect(run.end == "done")
    }

    @Test("the one behind a step is told what the step has brought, the one before it nothing")
    func told() async throws {
        let script = ["q.enter", "flow-enter", "flow-leave", "q.leave"].map { Self.answer($0) }
        let run = await Conversation.run(try Compiled.plan(Self.flow, provider: Self.provider), script)
        let calls = run.hookCalls.filter { $0.hook.hasPrefix("q.") }
        #expect(calls.map(\.values.count) == [0, 2])
        #expect(calls.last?.values["steps.discover.source"] == "descriptor")
        #expect(calls.last?.secrets.isEmpty == true)
    }

    @Test("one that refuses ends the run; one that sets a value fails, for it may write nothing")
    func refusal() async throws {
        let plan = try Compiled.plan(Self.flow, provider: Self.provider)
        let refused = await Conversation.run(plan, [Self.answer("q.enter", HookReply(.abort(message: "no")))])
        #expect(refused.outcome.end.error?.code == .hookRefused)
        let writing = await Conversation.run(plan, [Self.answer("q.enter", HookReply(set: ["vars.x": 1]))])
        #expect(writing.outcome.end.error?.code == .hookFailed)
    }

    @Test("a step that there is not is a mistake with a place and the nearest known name")
    func unknown() {
        let text = ProviderText.plain + "hooks: { after_userinf: leave }\n"
        let diagnostics = ProviderReader.read(SourceFile(path: "q.yaml", text: text)).diagnostics
        #expect(diagnostics.map(\.code) == ["FL010"])
        #expect(diagnostics.first?.message.contains("did you mean \"after_userinfo\"?") == true)
    }
}
