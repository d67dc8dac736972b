/// Looks for a shortest path through the graph of a flow, guards and budgets aside.
struct PathSearch {
    let graph: FlowGraph
    /// Whether what is looked for is harmless once a step has ended so.
    let stops: (_ step: Int, _ outcome: OutcomeSpec) -> Bool
    /// Whether the search has found what it looks for.
    let finds: (FlowTarget) -> Bool

    /// The path from a target on, the target included; `nil` when there is none.
    func path(from start: FlowTarget) -> [FlowTarget]? {
        var cameFrom: [FlowTarget: FlowTarget] = [:]
        var seen: Set<FlowTarget> = [start]
        var waiting = [start]
        var position = 0
        while position < waiting.count {
            let target = waiting[position]
            position += 1
            if finds(target) { return trace(back: target, cameFrom) }
            guard case .step(let index) = target else { continue }
            let node = graph.nodes[index]
            for route in node.routes where !stops(index, route.outcome) {
                for next in node.edges(of: route).compactMap(\.target) where seen.insert(next).inserted {
                    cameFrom[next] = target
                    waiting.append(next)
                }
            }
            for detour in node.detours where seen.insert(detour.value).inserted {
                cameFrom[detour.value] = target
                waiting.append(detour.value)
            }
        }
        return nil
    }

    private func trace(back target: FlowTarget, _ cameFrom: [FlowTarget: FlowTarget]) -> [FlowTarget] {
        var path = [target]
        while let last = path.last, let before = cameFrom[last] { path.append(before) }
        return path.reversed()
    }

    func text(_ start: Int, _ path: [FlowTarget]) -> String { Self.text(graph, start, path) }

    static func text(_ graph: FlowGraph, _ start: Int, _ path: [FlowTarget]) -> String {
        ([.step(start)] + path).map { graph.name(of: $0) }.joined(separator: " -> ")
    }
}
