internal import YAMLText

/// FL034 and FL083: a loop in which neither an edge nor a step has a budget, printed as the path that closes it.
///
/// Edges with `max` and steps with `visits` are taken away; every edge that then leads back to a step on the way to
/// it closes a loop.
struct LoopRule {
    /// A step on the way, and which of its edges comes next.
    private struct Visit {
        let step: Int
        let edges: [(target: Int, outcome: OutcomeSpec?, span: SourceSpan)]
        var next = 0
    }

    private let graph: FlowGraph
    // A list of our own instead of recursion: the depth is that of a hostile file.
    private var path: [Visit] = []
    private var seen: Set<Int> = []

    static func check(_ graph: FlowGraph, _ findings: inout Findings) {
        guard let start = graph.start else { return }
        var rule = LoopRule(graph: graph)
        for index in [start] + graph.reachable().steps.sorted() { rule.search(from: index, &findings) }
    }

    private init(graph: FlowGraph) {
        self.graph = graph
    }

    private mutating func search(from start: Int, _ findings: inout Findings) {
        enter(start)
        while let visit = path.last {
            guard visit.next < visit.edges.count else {
                path.removeLast()
                continue
            }
            path[path.count - 1].next += 1
            let edge = visit.edges[visit.next]
            if let first = path.firstIndex(where: { $0.step == edge.target }) {
                report(path[first...].map(\.step), closedBy: edge.outcome, at: edge.span, &findings)
            } else {
                enter(edge.target)
            }
        }
    }

    private mutating func enter(_ index: Int) {
        guard seen.insert(index).inserted, graph.nodes[index].step.visits == nil else { return }
        let node = graph.nodes[index]
        // An edge that several outcomes share closes one loop.
        var spans: Set<SourceSpan> = []
        var edges: [(target: Int, outcome: OutcomeSpec?, span: SourceSpan)] = []
        for route in node.routes {
            for edge in node.edges(of: route) where edge.definition.maximum == nil {
                guard case .step(let target) = edge.target, spans.insert(edge.definition.span).inserted else {
                    continue
                }
                edges.append((target, route.outcome, edge.definition.span))
            }
        }
        for detour in node.detours {
            if case .step(let target) = detour.value { edges.append((target, nil, detour.span)) }
        }
        path.append(Visit(step: index, edges: edges))
    }

    private func report(
        _ loop: [Int], closedBy outcome: OutcomeSpec?, at span: SourceSpan, _ findings: inout Findings
    ) {
        let names = (loop + loop.prefix(1)).map { graph.nodes[$0].step.name }
        let loop = names.joined(separator: " -> ")
        guard let outcome else {
            findings.report(
                "FL083", at: span,
                "goto closes the unbounded loop \(loop); put \"visits\" on one of its steps")
            return
        }
        findings.report(
            "FL034", at: span,
            "unbounded loop \(loop) (closed by outcome \"\(outcome.name)\"); "
                + "put \"max\" on one of its edges or \"visits\" on one of its steps")
    }
}
