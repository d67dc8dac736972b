import FlowEngine
import FlowTesting
import Testing

@Suite("What a run says that it waits for")
struct LongestWaitTests {
    @Test("no wait is told to last longer than the run may", arguments: [nil, 2_000, 900_000] as [Int64?])
    func bound(_ limit: Int64?) async throws {
        let recorder = EventRecorder()
        _ = await FlowRun(
            plan: try Compiled.plan(FlowTexts.signIn()), handler: SlowWorld(), sinks: [recorder],
            stopsAt: limit.map { ManualClock.start + $0 }
        ).run()
        let told = recorder.events.compactMap {
            if case .waiting(_, let until) = $0.body { until } else { nil }
        }
        #expect(told == [ManualClock.start + min(300_000, limit ?? .max)])
    }
}

/// A world that says that it needs five minutes, and then does nothing.
private struct SlowWorld: EffectHandler {
    func now() -> Int64 { ManualClock.start }
    func begin() -> RunIdentity { RunIdentity(runID: "r_1", seed: 1, traceKey: nil) }

    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        guard case .openRedirect = request.effect else { return .done }
        events.report(.waiting(forWhat: "somebody", until: ManualClock.start + 300_000))
        return .cancelled()
    }
}
