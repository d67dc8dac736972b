internal import FlowLanguage
internal import OAuthProtocol
internal import YAMLText

/// What the trace of every run of one plan says alike: made with the first trace, for all that follow.
final class PlanTrace: Sendable {
    let flow: TracedFlow
    /// The secrets that the host brought along.
    let secrets: TraceSecrets
    private let starts: [Shared<StepStart.Facts>]
    /// By step and outcome.
    private let ends: [[Shared<StepEnd.Facts>?]]
    private let edges: [Edge]
    private let resolutions: ResolutionFacts
    /// By step, the `subflow` step that it lies inside of; `nil` for a step of the flow itself.
    let enclosing: [String?]

    private struct Edge: Sendable {
        var target = ""
        var targetIsEnd = false
        /// Which of how many; `nil` for the only one.
        var place: String?
        var maximum: Int?
    }

    init(_ plan: RunPlan) {
        let program = plan.program
        var secrets = TraceSecrets()
        for provider in plan.providers {
            for secret in provider.registration.credentials { secrets.remember(secret) }
        }
        for secret in plan.inputs.flatMap(PortValue.secrets) { secrets.remember(secret) }
        self.secrets = secrets
        let flow = TracedFlow(plan, secrets)
        self.flow = flow
        starts = program.steps.map { step in
            Shared(
                StepStart.Facts(
                    kind: step.kind.rawValue, place: plan.shownPlace(step.span, in: step.file),
                    summary: KindTable.spec(of: step.kind).summary))
        }
        ends = program.steps.indices.map { Self.ends(of: $0, flow.steps[$0].routes, program) }
        enclosing = program.steps.map { step in
            step.name.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(step.name[..<$0]) }
        }
        var edges = program.edges.map { edge in
            switch edge.target {
            case .step(let index): Edge(target: program.steps[index].name)
            case .end(let index): Edge(target: program.ends[index].name, targetIsEnd: true)
            }
        }
        for route in program.routes where route.edges.count > 1 {
            for edge in route.edges {
                edges[edge].place = "edge \(edge - route.edges.lowerBound + 1) of \(route.edges.count)"
                edges[edge].maximum = program.edges[edge].maximum
            }
        }
        self.edges = edges
        resolutions = ResolutionFacts(plan, secrets)
    }

    private static func ends(
        of step: Int, _ routes: [TracedFlow.Route], _ program: FlowProgram
    ) -> [Shared<StepEnd.Facts>?] {
        let all = routes.map {
            StepEnd.Route(outcome: $0.outcome, target: $0.targets.joined(separator: " | "))
        }
        let row = program.steps[step]
        return row.routes.indices.map { raw in
            guard row.routes[raw] != RouteRow.none else { return nil }
            let route = program.routes[Int(row.routes[raw])]
            let outcome = program.name(of: Outcome(rawValue: UInt8(raw)), at: step)
            return Shared(
                StepEnd.Facts(
                    outcome: outcome, outcomeClass: route.outcomeClass.rawValue,
                    reason: route.reason.rawValue, otherRoutes: all.filter { $0.outcome != outcome }))
        }
    }

    func start(of step: Int, visit: Int) -> StepStart { StepStart(starts[step], visit: visit) }

    /// - Parameter values: What the guards read that were looked at, without secrets.
    func end(
        of step: Int, _ outcome: Outcome, _ route: RouteTaken, _ values: [[TracedParameter]]
    ) -> StepEnd {
        guard let facts = ends[step][Int(outcome.rawValue)] else {
            preconditionFailure("an outcome without a route")
        }
        let edge = edges[route.edge]
        var place = edge.place
        if let maximum = edge.maximum { place? += ", \(route.used) of \(maximum) used" }
        var end = StepEnd(
            facts, visit: route.visit, target: edge.target, targetIsEnd: edge.targetIsEnd, edge: place)
        if !route.looks.isEmpty { end.search = resolutions.resolution(of: step, outcome, route, values) }
        return end
    }
}
