internal import FlowEngine
internal import FlowLanguage
internal import Synchronization
internal import YAMLText

/// What one transition costs: in a ring of pure steps, and in the login flow with answers from memory.
enum TransitionBenchmark {
    static func run(count: Int) async throws {
        let text = try readFile("Benchmarks/ring.flow.yaml")
        let compilation = FlowCompiler.compile(SourceFile(path: "ring.flow.yaml", bytes: text))
        guard let program = compilation.program else {
            throw BenchmarkFailure("ring: \(compilation.diagnostics)")
        }
        let provider = try BenchmarkSetting().provider
        for isTraced in [false, true] {
            let plan = RunPlan(
                program: program, providers: [provider], inputs: try program.inputValues([:]))
            let begin = processorSeconds()
            var done = 0
            while done < count {
                var machine = FlowMachine(plan: plan, seed: 1, runID: "bench", takesNotes: isTraced)
                guard case .finish(let end) = machine.advance(on: Input(.start, now: 0)), end.name == "done"
                else {
                    throw BenchmarkFailure("the ring did not end")
                }
                _ = machine.drainNotes()
                done += end.transitions
            }
            let nanoseconds = (processorSeconds() - begin) * 1e9 / Double(done)
            print(
                "  ring, \(isTraced ? "with notes" : "without  "): \(Int(nanoseconds)) ns a transition (\(done))"
            )
        }
        try await login(count / 200, provider)
    }

    /// Whole rehearsed sign-ins, divided by their transitions: everything but the network.
    private static func login(_ count: Int, _ provider: BoundProvider) async throws {
        let compilation = FlowCompiler.compile(
            SourceFile(path: "login.flow.yaml", bytes: try readFile("flows/login.flow.yaml")))
        guard let program = compilation.program else {
            throw BenchmarkFailure("login: \(compilation.diagnostics)")
        }
        let plan = RunPlan(
            program: program, providers: [provider], inputs: try program.inputValues([:]),
            assumptions: [Assumption(step: "restore", visit: nil, answer: .outcome("ok"))])
        let begin = processorSeconds()
        var transitions = 0
        for _ in 0..<count {
            let outcome = await FlowRun(
                plan: plan, handler: PlannedEffects(assumptions: plan.assumptions), sinks: []
            ).run()
            guard outcome.isSuccess else { throw BenchmarkFailure("login ended \(outcome.end.name)") }
            transitions += outcome.end.transitions
        }
        let nanoseconds = (processorSeconds() - begin) * 1e9 / Double(max(1, transitions))
        print(
            "  login of a stored session, rehearsed: \(Int(nanoseconds)) ns a transition with its effects (\(transitions))"
        )
    }
}
