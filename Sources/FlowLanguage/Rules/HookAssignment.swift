/// Which hooks may fire at which step, in order of execution.
///
/// Layers nest: before a step the flow's hooks come first, after it the step's own (flow/1 §9). A hook is known by
/// its place in `FlowGraph.hooks`.
struct HookAssignment: Sendable {
    private(set) var before: [[Int]]
    private(set) var after: [[Int]]
    private(set) var tokens: [[Int]]
    private(set) var attempts: [AttemptHooks]

    init(_ graph: FlowGraph) {
        let none = [[Int]](repeating: [], count: graph.nodes.count)
        (before, after, tokens) = (none, none, none)
        attempts = Array(repeating: AttemptHooks(), count: graph.nodes.count)
        for (index, node) in graph.nodes.enumerated() {
            let matching = graph.hooks.indices.filter { Self.matches(graph.hooks[$0], node, graph) }
            let flow = matching.filter { graph.hooks[$0].owner == nil }
            let inline = matching.filter { graph.hooks[$0].owner != nil }
            func at(_ point: HookPoint, _ hooks: [Int]) -> [Int] {
                hooks.filter { graph.hooks[$0].point == point }
            }
            before[index] = at(.stepBefore, flow + inline)
            after[index] = at(.stepAfter, inline + flow)
            tokens[index] = at(.tokensReceived, inline + flow)
            attempts[index] = AttemptHooks(
                request: at(.stepRequest, flow), response: at(.stepResponse, flow),
                retry: at(.stepRetry, flow), prompt: at(.stepPrompt, flow), store: at(.sessionStore, flow))
        }
    }

    /// The steps at which a hook may fire.
    func steps(of hook: Int) -> [Int] {
        before.indices.filter { index in
            let lists = [before[index], after[index], tokens[index]] + attempts[index].all
            return lists.contains { $0.contains(hook) }
        }
    }

    private static func matches(_ hook: HookDefinition, _ node: FlowGraph.Node, _ graph: FlowGraph) -> Bool {
        guard let point = hook.point, let spec = node.spec, hook.covers(node.step.name, spec.kind) else {
            return false
        }
        // An API brings tokens only where the step says so.
        if point == .tokensReceived, spec.kind == .http,
            !node.step.arguments.contains(where: { $0.name == "into" })
        {
            return false
        }
        if point == .stepRetry, node.step.retry == nil, graph.flow.defaults.retry == nil { return false }
        guard point.followsOutcome, hook.outcomes != nil else { return true }
        return node.outcomes.contains { fires(hook, on: $0) }
    }

    /// Whether the filter for outcomes lets the hook fire.
    static func fires(_ hook: HookDefinition, on outcome: OutcomeSpec) -> Bool {
        // Nothing happened that a hook could come after.
        if outcome.outcome == .skipped || outcome.outcome == .exhausted { return false }
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
