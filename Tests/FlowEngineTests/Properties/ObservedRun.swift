import FlowLanguage
import FlowTesting

@testable import FlowEngine

/// What a rehearsal by the real machine did, in terms of flow/1.
struct ObservedRun {
    struct Leg: Equatable {
        let step: String
        let visit: Int
        let outcome: String
        /// Position among the edges of the route.
        let edge: Int
        let target: String
    }

    /// A leg with what the world brought.
    struct Report {
        let leg: Leg
        let fields: [String: NaiveValue]
    }

    var legs: [Leg] { reports.map(\.leg) }
    private(set) var reports: [Report] = []
    /// What hooks emitted and decided, in order.
    private(set) var hooks: [String] = []
    private(set) var end = ""
    private(set) var error: String?
    private(set) var outputs: [String: NaiveValue] = [:]
    private(set) var classes: [OutcomeClass] = []
    private(set) var transitions = 0

    /// More effects than the limits of any generated flow let happen.
    private static let effectLimit = 20_000

    /// - Throws: When the run does not end.
    static func rehearse(_ plan: RunPlan) async throws -> ObservedRun {
        try await run(plan, PlannedEffects(assumptions: plan.assumptions))
    }

    static func run(
        _ plan: RunPlan, _ handler: any EffectHandler, takesNotes: Bool = true
    ) async throws -> ObservedRun {
        var run = ObservedRun()
        let identity = handler.begin()
        var machine = FlowMachine(
            plan: plan, seed: identity.seed, runID: identity.runID, takesNotes: takesNotes)
        var event = InputEvent.start
        for _ in 0..<effectLimit {
            let decision = machine.advance(on: Input(event, now: handler.now()))
            for record in machine.drainNotes() { run.take(record, plan.program) }
            switch decision {
            case .perform(let request): event = await handler.perform(request, events: NobodyListens())
            case .finish(let end):
                run.finish(end)
                return run
            }
        }
        throw EndlessRun()
    }

    private mutating func take(_ record: TraceRecord, _ program: FlowProgram) {
        switch record {
        case .passed(let step, let route):
            take(.stepEnd(step: step, StepResult(.ok), route), program)
        case .stepEnd(let step, let result, let route):
            let row = program.routes[Int(program.steps[step].routes[Int(result.outcome.rawValue)])]
            let target =
                switch program.edges[route.edge].target {
                case .step(let step): program.steps[step].name
                case .end(let end): program.ends[end].name
                }
            let leg = Leg(
                step: program.steps[step].name, visit: route.visit,
                outcome: program.name(of: result.outcome, at: step),
                edge: route.edge - row.edges.lowerBound, target: target)
            reports.append(Report(leg: leg, fields: Self.fields(result, program.steps[step], program)))
            classes.append(row.outcomeClass)
        case .hook(let hook, let values):
            let said = values.emitted.map { "\($0.name)=\(TracedText.of($0.value))" }
            let message = ([hook.message ?? ""] + said).joined(separator: " ")
            hooks.append("\(hook.id) \(hook.decision) \(message)")
        default: break
        }
    }

    private static func fields(_ result: StepResult, _ row: StepRow, _ program: FlowProgram)
        -> [String: NaiveValue]
    {
        var fields: [String: NaiveValue] = [:]
        let prefix = row.name.lastIndex(of: "/").map { String(row.name[...$0]) } ?? ""
        let path = "\(prefix)steps.\(row.name.dropFirst(prefix.count))."
        for (offset, value) in result.fields.enumerated() {
            let name = program.slots[row.fieldBase + offset].path
            guard name.hasPrefix(path) else { continue }
            fields[String(name.dropFirst(path.count))] = NaiveValue(value)
        }
        fields["error"] = result.error.map { .string($0) } ?? .null
        fields["description"] = result.description.map { .string($0) } ?? .null
        fields["status"] = fields["status"] ?? result.status.map { .int($0) } ?? .null
        fields["retry_after"] = result.retryAfter.map { .duration(Int($0)) } ?? .null
        fields["acr_values"] = result.challenge?.levels.map { .list($0.map { .string($0) }) } ?? .null
        fields["max_age"] = result.challenge?.maxAge.map { .duration(Int($0)) } ?? .null
        return fields
    }

    private mutating func finish(_ end: FlowEnd) {
        self.end = end.name
        error = end.error?.code.rawValue
        transitions = end.transitions
        outputs = Dictionary(end.outputs.map { ($0.name, NaiveValue($0.value)) }) { $1 }
    }
}

/// More effects than the limits of any flow allow.
private struct EndlessRun: Error {}

private struct NobodyListens: EffectEvents {
    func report(_ notice: EffectNotice) {}
}
