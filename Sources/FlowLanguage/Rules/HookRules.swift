internal import YAMLText

/// Hooks: ids, filters and what they write. Reads and grants are checked where they are resolved.
enum HookRules {
    static func check(_ graph: FlowGraph, _ assignment: HookAssignment, _ findings: inout Findings) {
        checkIDs(graph, &findings)
        for (index, hook) in graph.hooks.enumerated() {
            checkFilters(hook, graph, &findings)
            checkWrites(hook, graph.flow, &findings)
            checkEffect(index, hook, graph, assignment, &findings)
        }
    }

    /// FL072
    private static func checkIDs(_ graph: FlowGraph, _ findings: inout Findings) {
        var seen: Set<String> = []
        for id in graph.hooks.compactMap(\.id) where !seen.insert(id.value).inserted {
            findings.report("FL072", at: id.span, "hook id \"\(id.value)\" is used twice")
        }
    }

    /// FL074, FL019
    private static func checkFilters(_ hook: HookDefinition, _ graph: FlowGraph, _ findings: inout Findings) {
        for step in hook.steps ?? [] where graph.stepIndex(step.value) == nil {
            let suggestion = didYouMean(step.value, among: graph.nodes.map(\.step.name))
            findings.report("FL074", at: step.span, "hook names unknown step \"\(step.value)\"\(suggestion)")
        }
        for selector in hook.outcomes ?? [] {
            guard case .outcome(let name) = selector.value, Outcome.named(name) == nil else { continue }
            let known = graph.nodes.flatMap { $0.outcomes.map(\.name) }
            let suggestion = didYouMean(name, among: Set(known))
            findings.report("FL019", at: selector.span, "no step can end with outcome \"\(name)\"\(suggestion)")
        }
    }

    /// FL075, FL076
    private static func checkWrites(_ hook: HookDefinition, _ flow: FlowDefinition, _ findings: inout Findings) {
        for node in hook.writes {
            let path = node.scalar?.text ?? ""
            if path.hasPrefix("vars.") {
                NameRules.checkTarget(Located(path, at: node.span), "hook", "FL075", flow, &findings)
            } else {
                let message = "\"\(path)\" is protocol state and cannot be written by a hook"
                findings.report("FL076", at: node.span, message)
            }
        }
        var saves = hook.simulation ?? []
        if case .set(let own) = hook.action { saves += own }
        for save in saves {
            if save.variable == nil {
                let message = "\"\(save.target.value)\" is protocol state and cannot be written by a hook"
                findings.report("FL076", at: save.target.span, message)
            } else {
                NameRules.checkTarget(save.target, "hook", "FL075", flow, &findings)
            }
        }
    }

    /// FL079
    private static func checkEffect(
        _ index: Int, _ hook: HookDefinition, _ graph: FlowGraph, _ assignment: HookAssignment,
        _ findings: inout Findings
    ) {
        switch hook.point {
        case .stepBefore, .stepAfter, .tokensReceived: break
        case .flowError, .flowEnd, nil: return
        }
        let names = hook.steps?.filter { graph.stepIndex($0.value) == nil } ?? []
        guard names.isEmpty, assignment.steps(of: index).isEmpty else { return }
        let name = hook.id.map { "hook \"\($0.value)\"" } ?? "the hook"
        findings.report("FL079", at: hook.id?.span ?? hook.span, "the filters of \(name) match no step")
    }
}
