/// Which hooks may fire at which step, in order of execution.
///
/// Layers nest: before a step the flow's hooks come first, after it the step's own (flow/1 §9). A hook is known by
/// its place in `FlowGraph.hooks`.
struct HookAssignment: Sendable {
    private(set) var before: [[Int]]
    private(set) var after: [[Int]]
    private(set) var tokens: [[Int]]

    init(_ graph: FlowGraph) {
        let none = [[Int]](repeating: [], count: graph.nodes.count)
        (before, after, tokens) = (none, none, none)
        for (index, node) in graph.nodes.enumerated() {
            let matching = graph.hooks.indices.filter { Self.matches(graph.hooks[$0], node) }
            let flow = matching.filter { graph.hooks[$0].owner == nil }
            let inline = matching.filter { graph.hooks[$0].owner != nil }
            before[index] = (flow + inline).filter { graph.hooks[$0].point == .stepBefore }
            after[index] = (inline + flow).filter { graph.hooks[$0].point == .stepAfter }
            tokens[index] = (inline + flow).filter { graph.hooks[$0].point == .tokensReceived }
        }
    }

    /// The steps at which a hook may fire.
    func steps(of hook: Int) -> [Int] {
        before.indices.filter { index in
            before[index].contains(hook) || after[index].contains(hook) || tokens[index].contains(hook)
        }
    }

    private static func matches(_ hook: HookDefinition, _ node: FlowGraph.Node) -> Bool {
        guard let point = hook.point, let spec = node.spec else { return false }
        if let owner = hook.owner { return owner == node.step.name }
        if point == .tokensReceived, spec.kind != .exchange, spec.kind != .refresh { return false }
        if let steps = hook.steps, !steps.contains(where: { $0.value == node.step.name }) { return false }
        if let kinds = hook.kinds, !kinds.contains(where: { $0.value == spec.kind }) { return false }
        guard point == .stepAfter, hook.outcomes != nil else { return true }
        return node.outcomes.contains { fires(hook, on: $0) }
    }

    /// Whether the filter for outcomes lets the hook fire.
    static func fires(_ hook: HookDefinition, on outcome: OutcomeSpec) -> Bool {
        guard let selectors = hook.outcomes else { return true }
        return selectors.contains { selector in
            switch selector.value {
            case .any: outcome.outcomeClass.isCoveredByAny
            case .success: outcome.outcomeClass == .success
            case .byClass(let outcomeClass): outcome.outcomeClass == outcomeClass
            case .outcome(let name): outcome.name == name
            }
        }
    }
}
