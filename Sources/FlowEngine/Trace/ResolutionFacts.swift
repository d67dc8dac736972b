internal import FlowLanguage

/// What the flow says of its routes, alternatives and retry policies: the part of a resolution that is the same in every
/// run of one plan.
struct ResolutionFacts: Sendable {
    /// By index of the program's route.
    private var lines: [[TracedResolution.Line]]
    /// By index of the program's route, its edges.
    private let ranges: [Range<Int>]
    private var edges: [Edge]
    /// By step.
    private let retries: [Retry?]
    /// By index of the program's route, what is found where there is one way only: the same in every visit.
    private var only: [Shared<TracedResolution>?] = []
    /// By step, the route of each outcome.
    private let routes: [[UInt16]]

    private struct Edge: Sendable {
        let target: String
        var place = ""
        let condition: String?
        let maximum: Int?
    }

    private struct Retry: Sendable {
        let place: String
        let isDefault: Bool
        let outcomes: [String]
        let allowed: Int
    }

    init(_ plan: RunPlan, _ secrets: TraceSecrets) {
        let program = plan.program
        routes = program.steps.map(\.routes)
        ranges = program.routes.map(\.edges)
        lines = Array(repeating: [], count: program.routes.count)
        edges = program.edges.map { edge in
            let words = edge.guardText.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            return Edge(
                target: program.name(of: edge.target), condition: words.map(secrets.clean),
                maximum: edge.maximum)
        }
        retries = program.steps.indices.map { Self.retry(of: $0, plan) }
        for step in program.steps {
            for index in step.routes where index != RouteRow.none { place(Int(index), plan, step.file) }
        }
        only = program.routes.indices.map { route in
            let edges = ranges[route]
            guard edges.count == 1, let edge = edges.first, self.edges[edge].condition == nil,
                self.edges[edge].maximum == nil
            else { return nil }
            let look = EdgeLook(edge: edge, used: 0, verdict: .taken, read: [])
            return Shared(resolution(route, [look], [[]]))
        }
    }

    /// - Parameter file: Of the step that the route is one of.
    private mutating func place(_ index: Int, _ plan: RunPlan, _ file: String?) {
        let route = plan.program.routes[index]
        lines[index] = route.looks.map { look in
            TracedResolution.Line(
                reason: look.reason.rawValue, selector: look.selector,
                place: look.span.map { plan.shownPlace($0, in: file) }, verdict: Self.verdict(look.verdict))
        }
        for edge in route.edges {
            edges[edge].place = plan.shownPlace(plan.program.edges[edge].span, in: file)
        }
    }

    private static func retry(of step: Int, _ plan: RunPlan) -> Retry? {
        let row = plan.program.steps[step]
        guard let policy = row.retry, let place = row.retryPlace else { return nil }
        let outcomes = policy.outcomes.sorted { $0.rawValue < $1.rawValue }
        return Retry(
            place: plan.shownPlace(place.span, in: row.file), isDefault: place.isDefault,
            outcomes: outcomes.map { plan.program.name(of: $0, at: step) }, allowed: policy.attempts)
    }

    private static func verdict(_ verdict: RouteLook.Verdict) -> TracedResolution.Verdict {
        switch verdict {
        case .taken: .taken
        case .absent: .absent
        case .notCovered: .notCovered
        case .notReached: .notReached
        }
    }

    /// - Parameter values: What the guards that were looked at read, in the order of the looks.
    func resolution(
        of step: Int, _ outcome: Outcome, _ way: RouteTaken, _ values: [[TracedParameter]]
    ) -> Shared<TracedResolution> {
        let route = Int(routes[step][Int(outcome.rawValue)])
        if retries[step] == nil, let only = only[route] { return only }
        let retry = retries[step].map { retry in
            TracedResolution.Retry(
                place: retry.place, isDefault: retry.isDefault, outcomes: retry.outcomes,
                allowed: retry.allowed, attempts: way.attempts, verdict: way.retry)
        }
        return Shared(resolution(route, way.looks, values, retry))
    }

    private func resolution(
        _ route: Int, _ looks: [EdgeLook], _ values: [[TracedParameter]],
        _ retry: TracedResolution.Retry? = nil
    ) -> TracedResolution {
        TracedResolution(
            lines: lines[route],
            alternatives: ranges[route].enumerated().map { position, edge in
                guard position < looks.count else { return alternative(edge, nil, []) }
                return alternative(edge, looks[position], values[position])
            },
            retry: retry)
    }

    private func alternative(
        _ index: Int, _ look: EdgeLook?, _ values: [TracedParameter]
    ) -> TracedResolution.Alternative {
        let verdict: TracedResolution.Verdict =
            switch look?.verdict {
            case .taken: .taken
            case .notHolding: .notHolding
            case .usedUp: .usedUp
            case nil: .notReached
            }
        let edge = edges[index]
        return TracedResolution.Alternative(
            target: edge.target, place: edge.place, condition: edge.condition, values: values,
            maximum: edge.maximum, used: look?.used ?? 0, verdict: verdict)
    }
}
