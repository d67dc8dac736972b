internal import YAMLText

/// FL085: members of a simulated answer that a real one could not have, since no step of the hook takes them.
enum SimulationRule {
    /// - Parameter steps: Where the hook may fire.
    static func check(
        _ hook: HookDefinition, _ graph: FlowGraph, _ steps: [Int], _ findings: inout Findings
    ) {
        guard let simulation = hook.simulation else { return }
        let specs = steps.compactMap { graph.nodes[$0].spec }
        for member in simulation.members where !specs.isEmpty {
            switch member.name {
            case "args" where hook.allowed.contains(.args): checkArguments(member.node, specs, &findings)
            case "outcome" where hook.allowed.contains(.outcome):
                checkOutcome(member.node, steps.map { graph.nodes[$0] }, &findings)
            default: continue
            }
        }
    }

    private static func checkArguments(_ node: YAMLNode, _ specs: [KindSpec], _ findings: inout Findings) {
        let open = specs.flatMap(\.arguments).filter(\.isOpenToHooks).map(\.name)
        for entry in node.mapping?.entries ?? [] where !open.isEmpty && !open.contains(entry.key) {
            let known = didYouMean(entry.key, among: open).or(choices(open))
            findings.report(
                "FL085", at: entry.keySpan, "the hook simulates the argument \"\(entry.key)\"\(known)",
                fix: known.fix)
        }
    }

    private static func checkOutcome(
        _ node: YAMLNode, _ nodes: [FlowGraph.Node], _ findings: inout Findings
    ) {
        let open = nodes.flatMap { node in
            node.outcomes.filter { node.spec?.isOpenToHooks($0.outcome, $0.outcomeClass) == true }
        }
        let names = open.map(\.name)
        guard let name = node.scalar?.text, !names.contains(name) else { return }
        let known = didYouMean(name, among: names).or(choices(names))
        findings.report(
            "FL085", at: node.span, "the hook simulates the outcome \"\(name)\"\(known)", fix: known.fix)
    }

    private static func choices(_ names: [String]) -> String {
        "; open to hooks: \(names.joined(separator: ", "))"
    }
}
