internal import YAMLText

/// FL047 and FL080: a value that some path to the expression has not set.
struct DemandRule {
    let transfer: FlowTransfer
    let file: SourceFile

    /// - Parameters:
    ///   - state: What may be true where the expression stands.
    ///   - place: The step, end or hook, for the message.
    func check(
        _ demand: (slot: Int, span: SourceSpan), in state: FlowState, at place: String,
        _ findings: inout Findings
    ) {
        switch transfer.table.origins[demand.slot] {
        case .common, .input: return
        case .variable(let index):
            guard state.variables[index] != .present else { return }
            reportVariable(index, demand.span, place, &findings)
        case .field(let step, let isError):
            let missing = missing(step, isError, state)
            guard !missing.isEmpty else { return }
            let text = text(demand.span) ?? transfer.table.rows[demand.slot].path
            let name = transfer.graph.nodes[step].step.name
            findings.report(
                "FL047", at: demand.span,
                "\"\(text)\" is not defined on every path to \"\(place)\" (\"\(name)\" may be: "
                    + "\(missing.joined(separator: ", "))); write \(text) ?? <value> or test has(\(text))")
        case .tokens(let index):
            guard state.tokenSets[index] != .present else { return }
            let name = transfer.table.tokenSets[index]
            findings.report(
                "FL047", at: demand.span, "token set \"\(name)\" is not set on every path to \"\(place)\"")
        }
    }

    private func reportVariable(_ index: Int, _ span: SourceSpan, _ place: String, _ findings: inout Findings)
    {
        let flow = transfer.graph.flow
        let name = flow.variables[index].name
        let path = "vars.\(name)"
        if isSetByHookOnly(name) {
            let reason = "only a hook that may fail, or not fire, sets it"
            findings.report(
                "FL080", at: span,
                "\"\(path)\" may be unset at \"\(place)\": \(reason); write \(path) ?? <value>")
            return
        }
        findings.report(
            "FL047", at: span,
            "\"\(path)\" is not set on every path to \"\(place)\"; write \(path) ?? <value>")
    }

    private func isSetByHookOnly(_ name: String) -> Bool {
        let graph = transfer.graph
        let writers = graph.hooks.filter { $0.writtenVariables.contains(name) }
        guard !writers.isEmpty, writers.allSatisfy({ $0.mayBeMissed }) else { return false }
        let edges = (graph.flow.steps.flatMap(\.routes) + graph.flow.defaults.routes).flatMap(\.edges)
        let saves = graph.flow.steps.flatMap(\.saves) + edges.flatMap(\.saves)
        return !saves.contains { $0.variable == name }
    }

    /// Names of the outcomes the step may have had that leave the field unset, `unrun` last.
    private func missing(_ index: Int, _ isError: Bool, _ state: FlowState) -> [String] {
        let node = transfer.graph.nodes[index]
        guard let spec = node.spec else { return [] }
        var names: [String] = []
        for outcome in node.outcomes where state.outcomes[index] & FlowState.bit(outcome) != 0 {
            let defines =
                isError
                ? spec.definesErrors(after: outcome.outcome) : spec.definesFields(after: outcome.outcome)
            if !defines { names.append(outcome.name) }
        }
        if state.outcomes[index] & FlowState.unrun != 0 { names.append("unrun") }
        return names
    }

    /// The expression as its author wrote it.
    private func text(_ span: SourceSpan) -> String? {
        guard span.isSingleLine, let line = file.line(span.start.line) else { return nil }
        let scalars = line.unicodeScalars.dropFirst(span.start.column - 1)
        return String(scalars.prefix(span.end.column - span.start.column))
    }
}
