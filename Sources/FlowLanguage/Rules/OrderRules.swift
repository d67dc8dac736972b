internal import YAMLText

/// Things that must have happened before a step: transactions, codes, token sets.
enum OrderRules {
    static func check(_ analysis: FlowAnalysis, _ findings: inout Findings) {
        for (index, node) in analysis.transfer.graph.nodes.enumerated() {
            guard let spec = node.spec, let entry = analysis.steps[index] else { continue }
            checkTokenSet(node.step, spec, entry, analysis.transfer, &findings)
            checkTransaction(index, spec, entry, analysis.transfer, &findings)
        }
    }

    /// FL042: `clear` alone may come before there is anything to forget.
    private static func checkTokenSet(
        _ step: StepDefinition, _ spec: KindSpec, _ entry: FlowState, _ transfer: FlowTransfer,
        _ findings: inout Findings
    ) {
        let table = transfer.table
        guard spec.kind != .clear, let name = spec.usedSet(of: step) else { return }
        // What nothing names but this step is in no table.
        if let set = table.tokenSets.firstIndex(of: name), entry.tokenSets[set] == .present {
            return checkProvider(step, spec, name, transfer.graph, &findings)
        }
        // A set that no step writes is reported by its name (FL046).
        guard table.writtenSets.contains(name) || !step.arguments.contains(where: { $0.name == "use" }) else {
            return
        }
        let subject = "\(spec.kind.rawValue) step \"\(step.name)\""
        let message = "\(subject) uses token set \"\(name)\", which is not set on every path to it"
        let forgetting = transfer.graph.nodes.first {
            $0.spec?.tokens == .forgets && $0.step.tokenSet("use") == name
        }
        let idle = transfer.graph.nodes.first {
            $0.spec?.kind == .subflow && $0.spec?.writtenSet(of: $0.step) == nil
        }
        let hint =
            if let forgetting {
                "\"\(forgetting.step.name)\" forgets it: what needs the tokens comes before"
            } else if let idle, !table.writtenSets.contains(name) {
                "with \"into: \(name)\" step \"\(idle.step.name)\" takes over the tokens of its flow"
            } else {
                String?.none
            }
        findings.report("FL042", at: step.span, message, hint: hint)
    }

    /// FL042: what one provider has issued is shown to no other, and is no session with it.
    private static func checkProvider(
        _ step: StepDefinition, _ spec: KindSpec, _ name: String, _ graph: FlowGraph,
        _ findings: inout Findings
    ) {
        let auth = step.arguments.first { $0.name == "auth" }?.node.scalar?.text
        // Who asks about a token may be another client of the same provider: that is seen when both are known.
        let isForIssuer = spec.kind.usesOwnTokens && spec.kind != .introspect
        guard isForIssuer || spec.kind == .http && auth == "bearer" else { return }
        let flow = graph.flow
        let own = flow.providerIndex(of: step)
        let writers = graph.nodes.filter { $0.spec?.writtenSet(of: $0.step) == name }
        guard let writer = writers.first,
            !writers.contains(where: { flow.providerIndex(of: $0.step) == own })
        else { return }
        let alias = flow.providers[own].alias
        let other = flow.providers[flow.providerIndex(of: writer.step)].alias
        findings.report(
            "FL042", at: step.span,
            "\(spec.kind.rawValue) step \"\(step.name)\" is about provider \"\(alias)\", and token set "
                + "\"\(name)\" has tokens of \"\(other)\"",
            hint: "write provider: \(other), or use: a set that a step about \(alias) has filled")
    }

    /// FL041
    private static func checkTransaction(
        _ index: Int, _ spec: KindSpec, _ entry: FlowState, _ transfer: FlowTransfer,
        _ findings: inout Findings
    ) {
        guard let source = transfer.sources.steps[index] else { return }
        let step = transfer.graph.nodes[index].step
        let subject = "\(spec.kind.rawValue) step \"\(step.name)\""
        let name = transfer.graph.nodes[source].step.name
        switch spec.transaction {
        case .none, .opens: return
        case .answers, .polls:
            let condition = entry.transactions[source]
            if condition.contains(.used) {
                let message = "\(subject): the transaction of \"\(name)\" may already have been answered"
                findings.report("FL041", at: step.span, message)
            } else if condition.contains(.absent) {
                let message = "\(subject): the transaction of \"\(name)\" may not be open"
                findings.report("FL041", at: step.span, message)
            }
        case .redeems:
            let condition = entry.codes[source]
            if condition.contains(.used) {
                let message = "\(subject): the code of \"\(name)\" may already have been used"
                findings.report("FL041", at: step.span, message)
            } else if condition.contains(.absent) {
                findings.report(
                    "FL041", at: step.span, "\(subject): \"\(name)\" may not have received a code")
            }
        }
    }
}
