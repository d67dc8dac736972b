internal import FlowEngine
internal import FlowLanguage
internal import FlowReport
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
        try await traced(count, program, provider)
        try await login(count / 200, provider)
    }

    /// The ring with all that a trace of everything is made of: notes, events without secrets, lines of JSON in a buffer.
    private static func traced(
        _ count: Int, _ program: FlowProgram, _ provider: BoundProvider
    ) async throws {
        let plan = RunPlan(
            program: program, providers: [provider], inputs: try program.inputValues([:]))
        let sink = LineBuffer()
        let begin = processorSeconds()
        var done = 0
        while done < count {
            let outcome = await FlowRun(
                plan: plan, handler: PlannedEffects(assumptions: []), sinks: [sink]
            ).run()
            guard outcome.end.name == "done" else { throw BenchmarkFailure("the ring did not end") }
            done += outcome.end.transitions
        }
        let nanoseconds = (processorSeconds() - begin) * 1e9 / Double(done)
        let size = sink.bytes / done
        print("  ring, its trace written: \(Int(nanoseconds)) ns a transition (\(size) bytes each)")
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

/// Writes lines as a file's sink does, and throws them away.
private final class LineBuffer: TraceSink {
    private let state = Mutex((trace: JSONLinesTrace(revealsActionURL: false), bytes: 0))

    var bytes: Int { state.withLock { $0.bytes } }

    func receive(_ event: TraceEvent) { receive([event]) }

    func receive(_ events: [TraceEvent]) {
        state.withLock { state in
            let lines = state.trace.lines(events)
            state.bytes += lines.count
        }
    }
}
