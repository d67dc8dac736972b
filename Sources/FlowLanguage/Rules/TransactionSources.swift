internal import YAMLText

/// Whose transaction a callback answers, and whose code an exchange redeems.
struct TransactionSources: Sendable {
    /// The authorize step of each callback step, the callback step of each exchange step; `nil` for other steps and
    /// where `from` was reported.
    private(set) var authorize: [Int?]
    private(set) var callback: [Int?]

    /// FL040
    init(_ graph: FlowGraph, _ findings: inout Findings) {
        let none = [Int?](repeating: nil, count: graph.nodes.count)
        (authorize, callback) = (none, none)
        for (index, node) in graph.nodes.enumerated() {
            switch node.spec?.kind {
            case .callback: authorize[index] = Self.source(of: node.step, .authorize, in: graph, &findings)
            case .exchange: callback[index] = Self.source(of: node.step, .callback, in: graph, &findings)
            case .restore, .discover, .authorize, .verifyIDToken, .userinfo, .refresh, .store, .clear,
                .choose, .set,
                nil:
                break
            }
        }
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
                "FL040", at: from.node.span, "\(subject): from \"\(name)\" is no step\(suggestion)")
            return nil
        }
        if candidates.contains(index) { return index }
        guard let other = graph.nodes[index].spec?.kind else { return nil }
        let message = "\(subject): from \"\(name)\" is of kind \(other.rawValue), not \(kind.rawValue)"
        findings.report("FL040", at: from.node.span, message)
        return nil
    }
}
