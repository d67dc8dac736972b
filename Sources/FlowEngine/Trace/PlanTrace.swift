internal import FlowLanguage
internal import OAuthProtocol
internal import YAMLText

/// What the trace of every run of one plan says alike: made with the first trace, for all that follow.
final class PlanTrace: Sendable {
    let flow: TracedFlow
    /// The secrets that the host brought along.
    let secrets: TraceSecrets
    private let starts: [StepStart]
    private let routes: [[StepEnd.Route]]

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
        routes = flow.steps.map { step in
            step.routes.map {
                StepEnd.Route(outcome: $0.outcome, target: $0.targets.joined(separator: " | "))
            }
        }
    }

    func start(of step: Int, visit: Int) -> StepStart {
        let start = starts[step]
        return StepStart(kind: start.kind, visit: visit, place: start.place, summary: start.summary)
    }

    /// The routes of a step but the one of `outcome`.
    func routes(of step: Int, without outcome: String) -> [StepEnd.Route] {
        routes[step].filter { $0.outcome != outcome }
    }
}
