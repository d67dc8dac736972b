/// The label of every slot of a flow: what the kind table, the declarations and the sources say (flow/1 §4).
///
/// A variable has what all has together that is saved into it, but for what its declaration fixes.
struct SlotLabels: Sendable {
    private var labels: [Label]
    /// Slots of the claims that a `userinfo` step leaves behind.
    private var answers: Set<Int> = []
    private var variables: [Int: ValueDefinition] = [:]

    init(_ graph: FlowGraph, _ table: SlotTable) {
        labels = table.rows.map { Label.standard(of: $0.type) }
        labels[CommonSlot.errorMessage.rawValue] = .untrusted
        for input in graph.flow.inputs {
            guard let slot = table.inputs[input.name], let label = input.label else { continue }
            labels[slot] = label
        }
        for variable in graph.flow.variables {
            guard let slot = table.variables[variable.name] else { continue }
            variables[slot] = variable
            labels[slot] = variable.label ?? labels[slot]
        }
        addFields(graph, table)
        for base in table.tokenBases {
            for (offset, member) in TokenSetRow.members.enumerated() { labels[base + offset] = member.label }
        }
        let asserted = Self.assertedSubjects(graph)
        for set in asserted {
            guard let index = table.tokenSets.firstIndex(of: set) else { continue }
            labels[table.tokenBases[index] + TokenSetRow.subjectPosition] = Label(.pii, .untrusted)
        }
        addRestored(asserted, graph, table)
    }

    /// What such a set was stored as is no better when it is read again.
    private mutating func addRestored(_ asserted: Set<String>, _ graph: FlowGraph, _ table: SlotTable) {
        for (index, node) in graph.nodes.enumerated() {
            guard let spec = node.spec, spec.kind == .restore,
                let position = spec.fields.firstIndex(where: { $0.name == "subject" }),
                let set = spec.writtenSet(of: node.step), asserted.contains(set)
            else { continue }
            labels[table.fieldBases[index] + position] = Label(.pii, .untrusted)
        }
    }

    /// Token sets whose subject is what an `http` step found in an answer, and that no step has anybody vouch for.
    private static func assertedSubjects(_ graph: FlowGraph) -> Set<String> {
        var written: Set<String> = []
        var checked: Set<String> = []
        for node in graph.nodes {
            switch node.spec?.kind {
            case .http where node.step.extractions.contains { $0.name == "subject" }:
                node.spec?.writtenSet(of: node.step).map { _ = written.insert($0) }
            case .verifyIDToken, .userinfo: checked.insert(node.step.tokenSet("use"))
            default: continue
            }
        }
        return written.subtracting(checked)
    }

    private mutating func addFields(_ graph: FlowGraph, _ table: SlotTable) {
        for (index, node) in graph.nodes.enumerated() {
            guard let spec = node.spec else { continue }
            var slot = table.fieldBases[index]
            for field in spec.fields + spec.errorFields {
                labels[slot] = field.label
                if spec.kind == .userinfo, field.name == "claims" { answers.insert(slot) }
                slot += 1
            }
        }
    }

    /// Whether a value from the slot may be anything but public and trusted, now or when all variables are known.
    func matters(_ slot: Int) -> Bool { labels[slot] != .plain || variables[slot] != nil }

    func label(of flow: ValueFlow) -> Label {
        // The one claim that the engine has compared (OpenID Connect Core §5.3.2).
        if answers.contains(flow.slot), flow.members.first == ".sub" { return .verified }
        return labels[flow.slot]
    }

    /// What the flow passes on to what it flows into.
    func passed(_ flow: ValueFlow) -> Label {
        let label = label(of: flow)
        return Label(flow.isShown ? label.secrecy : .public, flow.isDeciding ? label.integrity : .trusted)
    }

    /// The rows of the table with what the labels say.
    func rows(_ table: SlotTable) -> ContiguousArray<SlotRow> {
        ContiguousArray(zip(table.rows, labels).map { $0.with(secrecy: $1.secrecy) })
    }

    // MARK: Variables

    /// The secrecy that the declaration of a variable fixes: `label: pii`.
    func fixedSecrecy(_ slot: Int) -> Label.Secrecy? {
        guard let variable = variables[slot], let label = variable.label else { return nil }
        return label.integrity == standard(variable).integrity ? label.secrecy : nil
    }

    /// The integrity that it fixes: `label: untrusted`. A label that says no more than the type fixes both.
    func fixedIntegrity(_ slot: Int) -> Label.Integrity? {
        guard let variable = variables[slot], let label = variable.label else { return nil }
        return label.secrecy == standard(variable).secrecy ? label.integrity : nil
    }

    private func standard(_ variable: ValueDefinition) -> Label { .standard(of: variable.type ?? .json) }

    /// - Returns: Whether the variable's label has got worse.
    mutating func save(_ flow: ValueFlow, into slot: Int) -> Bool {
        let before = labels[slot]
        let joined = before.joined(passed(flow))
        labels[slot] = Label(
            fixedSecrecy(slot) ?? joined.secrecy, fixedIntegrity(slot) ?? joined.integrity)
        return labels[slot] != before
    }
}
