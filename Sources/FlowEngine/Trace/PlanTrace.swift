internal import FlowLanguage
internal import OAuthProtocol
internal import YAMLText

/// What the trace of every run of one plan says alike: made with the first trace, for all that follow.
final class PlanTrace: Sendable {
    let flow: TracedFlow
    /// The secrets that the host brought along.
    let secrets: TraceSecrets
    private let starts: [StepStart]
    private let routes: [[(outcome: Int, route: StepEnd.Route)]]

    init(_ plan: RunPlan) {
        let program = plan.program
        var secrets = TraceSecrets()
        for provider in plan.providers {
            if let secret = provider.registration.secret { secrets.remember(secret) }
        }
        for case .secret(let secret) in plan.inputs { secrets.remember(secret) }
        self.secrets = secrets
        flow = TracedFlow(plan, secrets)
        starts = program.steps.map { step in
            let start = step.span.start
            return StepStart(
                kind: step.kind.rawValue, visit: 0,
                place: "\(plan.shownPath(of: step.file)):\(start.line):\(start.column)",
                summary: KindTable.spec(of: step.kind).summary)
        }
        routes = program.steps.indices.map { Self.routes(of: $0, in: program) }
    }

    func start(of step: Int, visit: Int) -> StepStart {
        let start = starts[step]
        return StepStart(kind: start.kind, visit: visit, place: start.place, summary: start.summary)
    }

    /// The routes of a step but the one of `outcome`.
    func routes(of step: Int, without outcome: Outcome) -> [StepEnd.Route] {
        var others: [StepEnd.Route] = []
        others.reserveCapacity(routes[step].count)
        for (other, route) in routes[step] where other != Int(outcome.rawValue) { others.append(route) }
        return others
    }

    private static func routes(of step: Int, in program: FlowProgram) -> [(Int, StepEnd.Route)] {
        let row = program.steps[step]
        return row.routes.indices.compactMap { raw in
            let index = row.routes[raw]
            guard index != RouteRow.none else { return nil }
            let targets = program.routes[Int(index)].edges.map { program.name(of: program.edges[$0].target) }
            let outcome = program.name(of: Outcome(rawValue: UInt8(raw)), at: step)
            return (raw, StepEnd.Route(outcome: outcome, target: targets.joined(separator: " | ")))
        }
    }
}
