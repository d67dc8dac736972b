/// What may be true at each step and end: one forward fix-point over the edges of all outcomes (flow/1 §19).
struct FlowAnalysis {
    let transfer: FlowTransfer
    /// `nil` for what no path reaches.
    private(set) var steps: [FlowState?]
    private(set) var ends: [FlowState?]

    init(_ transfer: FlowTransfer) {
        self.transfer = transfer
        let graph = transfer.graph
        steps = Array(repeating: nil, count: graph.nodes.count)
        ends = Array(repeating: nil, count: graph.flow.ends.count)
        guard let start = graph.start else { return }
        steps[start] = transfer.started
        var waiting = [start]
        while let index = waiting.popLast() {
            guard let entry = steps[index] else { continue }
            let node = graph.nodes[index]
            flowAround(index, from: entry, into: &waiting)
            for route in node.routes {
                let exit = transfer.exit(of: index, route.outcome, from: entry)
                for edge in node.edges(of: route) {
                    guard let target = edge.target else { continue }
                    var state = exit
                    transfer.apply(edge.definition.saves, to: &state)
                    if flow(state, into: target), case .step(let next) = target, !waiting.contains(next) {
                        waiting.append(next)
                    }
                }
            }
        }
        addEngineFailures()
    }

    /// A hook before the step may fail, or one after it, whatever the step ended with.
    private mutating func flowAround(_ index: Int, from entry: FlowState, into waiting: inout [Int]) {
        let node = transfer.graph.nodes[index]
        guard !node.detours.isEmpty else { return }
        var state = entry
        for outcome in node.outcomes { _ = state.formUnion(transfer.exit(of: index, outcome, from: entry)) }
        // A hook before the step keeps it from its work, and one at its tokens takes its fields back.
        state.outcomes[index] |= FlowState.unrun
        for detour in node.detours where flow(state, into: detour.value) {
            if case .step(let next) = detour.value, !waiting.contains(next) { waiting.append(next) }
        }
    }

    /// - Returns: Whether the target's state has grown.
    private mutating func flow(_ state: FlowState, into target: FlowTarget) -> Bool {
        switch target {
        case .step(let index): Self.join(state, into: &steps[index])
        case .end(let index): Self.join(state, into: &ends[index])
        }
    }

    private static func join(_ state: FlowState, into place: inout FlowState?) -> Bool {
        guard place != nil else {
            place = state
            return true
        }
        return place?.formUnion(state) ?? false
    }

    /// The engine may end a run as `failed` or `cancelled` at any moment, also before the first step.
    private mutating func addEngineFailures() {
        for (index, end) in transfer.graph.flow.ends.enumerated()
        where end.name == "failed" || end.name == "cancelled" {
            _ = flow(transfer.initial, into: .end(index))
        }
    }
}
