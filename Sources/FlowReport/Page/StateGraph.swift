internal import FlowEngine

/// Steps, ends and the ways between them, as far as a picture of one run shows them.
///
/// All steps are there, in the order of the flow. Of the ends only those are that the run, or a way that is no failure,
/// leads to: every step can fail in many ways, and drawing them all shows none.
struct StateGraph: Sendable {
    struct Node: Sendable, Hashable {
        enum Form: Sendable, Hashable {
            case step
            /// With its result.
            case end(String)
        }

        let name: String
        let form: Form
        /// Numbers of the visits, from 1.
        var visits: [Int] = []
        var isFailed = false
    }

    struct Edge: Sendable, Hashable {
        let from: Int
        let to: Int
        /// Outcomes that lead this way; those that the run took come first.
        var outcomes: [String]
        /// How many of them the run took.
        var taken = 0
        /// How often the run went this way.
        var count = 0
        var isFailure: Bool
    }

    private(set) var nodes: [Node] = []
    private(set) var edges: [Edge] = []
    /// The step that the flow begins with, where there is room above it for a sign.
    private(set) var start: Int?

    /// - Returns: `nil` when the trace does not tell the flow.
    init?(_ run: RunRecord) {
        guard let flow = run.flow, !flow.steps.isEmpty else { return nil }
        for step in flow.steps { nodes.append(Node(name: step.name, form: .step)) }
        let shown = Self.ends(flow, run)
        for end in flow.ends where shown.contains(end.name) {
            nodes.append(Node(name: end.name, form: .end(end.result)))
        }
        for step in flow.steps { addRoutes(of: step) }
        start = place(flow.start) == 0 ? 0 : nil
        for (index, step) in run.steps.enumerated() {
            guard let place = place(step.name) else { continue }
            nodes[place].visits.append(index + 1)
            if index == run.failedStep { nodes[place].isFailed = true }
            if let end = step.end { take(end, from: place) }
        }
        for index in nodes.indices {
            if case .end = nodes[index].form, nodes[index].name == run.end?.end { nodes[index].visits = [0] }
        }
    }

    private static func ends(_ flow: TracedFlow, _ run: RunRecord) -> Set<String> {
        let calm = flow.steps.flatMap(\.routes).filter { !isFailure($0.outcomeClass) }.flatMap(\.targets)
        return Set(calm + run.steps.compactMap { $0.end?.target } + [run.end?.end].compactMap(\.self))
    }

    private static func isFailure(_ outcomeClass: String) -> Bool {
        outcomeClass != "success" && outcomeClass != "choice"
    }

    private func place(_ name: String) -> Int? { nodes.firstIndex { $0.name == name } }

    private mutating func addRoutes(of step: TracedFlow.Step) {
        guard let from = place(step.name) else { return }
        for route in step.routes {
            for target in route.targets {
                guard let to = place(target) else { continue }
                let isFailure = Self.isFailure(route.outcomeClass)
                if case .end = nodes[to].form, isFailure { continue }
                add(from, to, route.outcome, isFailure)
            }
        }
    }

    private mutating func add(_ from: Int, _ to: Int, _ outcome: String, _ isFailure: Bool) {
        if let index = edges.firstIndex(where: { $0.from == from && $0.to == to }) {
            if !edges[index].outcomes.contains(outcome) { edges[index].outcomes.append(outcome) }
            edges[index].isFailure = edges[index].isFailure && isFailure
        } else {
            edges.append(Edge(from: from, to: to, outcomes: [outcome], isFailure: isFailure))
        }
    }

    private mutating func take(_ end: StepEnd, from: Int) {
        guard let to = place(end.target) else { return }
        add(from, to, end.outcome, Self.isFailure(end.outcomeClass))
        guard let index = edges.firstIndex(where: { $0.from == from && $0.to == to }) else { return }
        edges[index].count += 1
        guard let place = edges[index].outcomes.firstIndex(of: end.outcome), place >= edges[index].taken
        else {
            return
        }
        edges[index].outcomes.remove(at: place)
        edges[index].outcomes.insert(end.outcome, at: edges[index].taken)
        edges[index].taken += 1
    }
}
