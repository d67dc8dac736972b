internal import YAMLText

/// The step that `from` names: whose transaction a step answers, whose code it redeems, whose tokens it waits for.
struct TransactionSources: Sendable {
    /// By step; `nil` for steps without `from` and where it was reported.
    let steps: [Int?]

    /// FL040
    init(_ graph: FlowGraph, _ findings: inout Findings) {
        var steps: [Int?] = []
        for node in graph.nodes {
            let source = node.spec?.sourceKind.flatMap {
                Self.source(of: node.step, $0, in: graph, &findings)
            }
            steps.append(source)
        }
        self.steps = steps
    }

    private static func source(
        of step: StepDefinition, _ kind: StepKind, in graph: FlowGraph, _ findings: inout Findings
    ) -> Int? {
        let candidates = graph.nodes.indices.filter { graph.nodes[$0].spec?.kind == kind }
        let subject = "step \"\(step.name)\""
        guard let from = step.arguments.first(where: { $0.name == "from" }) else {
            if candidates.count == 1 { return candidates[0] }
            let names = candidates.map { graph.nodes[$0].step.name }.joined(separator: ", ")
            let found = candidates.isEmpty ? "there is none" : "there are \(names)"
            let message = "\(subject) needs \"from\" with one \(kind.rawValue) step; \(found)"
            findings.report("FL040", at: step.span, message)
            return nil
        }
        let name = from.node.scalar?.text ?? ""
        guard let index = graph.stepIndex(name) else {
            let suggestion = didYouMean(name, among: candidates.map { graph.nodes[$0].step.name })
            findings.report(
                "FL040", at: from.node.span, "\(subject): from \"\(name)\" is no step\(suggestion)",
                fix: suggestion.fix)
            return nil
        }
        if candidates.contains(index) { return index }
        guard let other = graph.nodes[index].spec?.kind else { return nil }
        let message = "\(subject): from \"\(name)\" is of kind \(other.rawValue), not \(kind.rawValue)"
        findings.report("FL040", at: from.node.span, message)
        return nil
    }
}

extension KindSpec {
    /// The kind of step that `from` names.
    fileprivate var sourceKind: StepKind? {
        for argument in arguments {
            if case .step(let kind) = argument.form { return kind }
        }
        return nil
    }
}
