import FlowReport
import FlowCLI
import FlowEngine
import FlowLanguage
import FlowTesting
import Synchronization
import Testing

/// What a dry run prints for every shipped flow with a few providers, and for the sign-in with all of them.
@Suite("Golden plans")
struct PlanGoldenTests {
    /// Without a session `refresh` has nothing to do, so its plan is that of an expired one.
    private static let assumptions = ["refresh": ["restore=expired"]]

    private final class Text: Sendable {
        private let text = Mutex("")

        var value: String { text.withLock { $0 } }

        func append(_ more: String) { text.withLock { $0 += more } }
    }

    private func plan(_ pair: Shipped.Pair) async throws -> String {
        let assumptions = (Self.assumptions[pair.flow] ?? []).compactMap(Assumption.init)
        let plan = try Compiled.rehearsal(
            Shipped.program(pair.flow), Shipped.provider(pair.provider), assumptions)
        let text = Text()
        let sink = RenderSink(PlanRenderer(RenderOptions(verbosity: .verbose))) { text.append($0) }
        _ = await FlowRun(plan: plan, handler: PlannedEffects(assumptions: assumptions), sinks: [sink]).run()
        return text.value
    }

    @Test("each pair's plan is its golden file, byte for byte", arguments: try Shipped.pairs())
    func golden(_ pair: Shipped.Pair) async throws {
        let found = try await plan(pair)
        if Shipped.examples.contains(pair.provider) { #expect(try await plan(pair) == found) }
        try expectGolden(found, named: "traces/\(pair.flow).\(pair.provider).trace")
    }

    @Test("every file among the golden plans belongs to a pair")
    func unused() throws {
        let used = try Shipped.pairs().map { "\($0.flow).\($0.provider)" }
        #expect(try Golden.unused(in: "traces", suffix: ".trace", used: used) == [])
    }
}
