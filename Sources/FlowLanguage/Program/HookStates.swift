/// What may be true where each hook fires, over all the steps and outcomes it fires at.
struct HookStates {
    /// By the hook's place in `FlowGraph.hooks`; `nil` for a hook that no path meets.
    private(set) var states: [FlowState?]

    init(_ analysis: FlowAnalysis) {
        let transfer = analysis.transfer
        let graph = transfer.graph
        states = Array(repeating: nil, count: graph.hooks.count)
        for (index, node) in graph.nodes.enumerated() {
            guard let entry = analysis.steps[index] else { continue }
            var state = entry
            for hook in transfer.hooks.before[index] {
                join(state, hook)
                transfer.apply(graph.hooks[hook], to: &state)
            }
            let attempts = transfer.hooks.attempts[index]
            for hook in attempts.request + attempts.prompt + attempts.store { join(state, hook) }
            for hook in attempts.response {
                join(state, hook)
                transfer.apply(graph.hooks[hook], to: &state)
            }
            for outcome in node.outcomes { addAfter(index, outcome, entry, transfer) }
        }
        var started = transfer.initial
        for (index, hook) in graph.hooks.enumerated() where hook.point == .flowStart {
            join(started, index)
            transfer.apply(hook, to: &started)
        }
        // These fire wherever a run stops, so nothing is sure.
        for (index, hook) in graph.hooks.enumerated() where hook.point == .flowError || hook.point == .flowEnd
        {
            join(transfer.initial, index)
        }
    }

    private mutating func addAfter(
        _ index: Int, _ outcome: OutcomeSpec, _ entry: FlowState, _ transfer: FlowTransfer
    ) {
        let graph = transfer.graph
        var state = transfer.work(of: index, outcome, from: entry)
        for hook in transfer.hooks.attempts[index].retry
        where HookAssignment.fires(graph.hooks[hook], on: outcome) {
            var waiting = state
            waiting.outcomes[index] = entry.outcomes[index]
            join(waiting, hook)
        }
        if outcome.outcomeClass == .success {
            for hook in transfer.hooks.tokens[index] { join(state, hook) }
            transfer.apply(graph.nodes[index].step.saves, to: &state)
        }
        for hook in transfer.hooks.after[index] where HookAssignment.fires(graph.hooks[hook], on: outcome) {
            join(state, hook)
            transfer.apply(graph.hooks[hook], to: &state)
        }
    }

    private mutating func join(_ state: FlowState, _ hook: Int) {
        if states[hook] == nil { states[hook] = state } else { _ = states[hook]?.formUnion(state) }
    }
}
