import FlowEngine
import FlowLanguage
import FlowTesting
import OAuthProtocol
import Testing
import YAMLText

@Suite("Runs that share a plan")
struct SharedPlanTests {
    /// Somebody's password stands in the file too, as an example.
    private let text = """
        language: flow/1
        flow: shared
        version: 1
        inputs:
          pin: optional secret
          name: optional string
        outputs:
          name: optional string
        start: welcome
        steps:
          welcome:
            do: choose
            next: done  # not correct-horse-battery
        ends:
          done:
            result: success
            outputs:
              name: ${inputs.name}
        """

    private func common() throws -> RunPlan {
        let file = SourceFile(path: "shared.flow.yaml", text: text)
        return RunPlan(program: try Compiled.program(text), providers: [], inputs: [], source: file)
    }

    private func run(_ plan: RunPlan) async -> (outcome: RunOutcome, lines: [String]) {
        let recorder = EventRecorder()
        let effects = ScriptedEffects([], clock: ManualClock(), seed: 1, sourceLocation: #_sourceLocation)
        let outcome = await FlowRun(plan: plan, handler: effects, sinks: [recorder]).run()
        let lines = recorder.events.compactMap { event -> [String]? in
            if case .flow(let flow) = event.body { flow.lines } else { nil }
        }
        return (outcome, lines.flatMap(\.self))
    }

    @Test("each has its own inputs and profile")
    func inputs() async throws {
        let common = try common()
        for name in ["Ada", "Grace"] {
            let inputs = try common.program.inputValues(["name": .string(name)])
            let plan = RunPlan(common, inputs: inputs, profile: name)
            #expect(plan.profile == name)
            #expect(await run(plan).outcome.end.outputs.map(\.value) == [.string(name)])
        }
    }

    @Test(
        "what one is given as a secret is hidden in its flow's text, before and after others",
        arguments: [true, false])
    func secrets(isFirst: Bool) async throws {
        let common = try common()
        let pin = try common.program.inputValues([
            "pin": .secret(Secret("correct-horse-battery", kind: .other))
        ])
        let hidden = RunPlan(common, inputs: pin, profile: "a")
        let open = RunPlan(common, inputs: try common.program.inputValues([:]), profile: "b")
        let plans = isFirst ? [hidden, open] : [open, hidden]
        for plan in plans {
            let shown = await run(plan).lines.joined(separator: "\n")
            #expect(shown.contains("correct-horse-battery") == (plan === open))
        }
    }
}
