internal import YAMLText

/// What one step can do: its kind's spec with the fields and outcomes that the step or its target declares.
struct StepSpec {
    let flow: FlowDefinition
    let links: FlowLinks

    /// - Returns: `nil` when the kind, the port or the flow was reported as unknown.
    func spec(of index: Int) -> KindSpec? {
        let step = flow.steps[index]
        guard let kind = step.kind else { return nil }
        var spec = KindTable.spec(of: kind)
        guard spec.isOpen else { return spec }
        switch kind {
        case .http:
            spec.fields += step.extractions.map { extraction in
                let type = extraction.type ?? .json
                return FieldSpec(
                    name: extraction.name, type: type, label: type.holdsSecret ? .secret : .untrusted)
            }
            declare(step.declaredOutcomes.map { ($0.name, $0.outcomeClass, false) }, in: &spec)
            spec.replay = step.isRepeatable ? .idempotent : .once
        case .call:
            guard let port = links.port(of: step) else { return nil }
            spec.fields += port.fields.map { FieldSpec(name: $0.name, type: $0.type ?? .json) }
            let outcomes = port.outcomes.enumerated().map { position, outcome in
                (outcome.value, position == 0 ? OutcomeClass.success : .choice, false)
            }
            let failed = spec.outcomes
            spec.outcomes = []
            declare(outcomes, in: &spec)
            spec.outcomes += failed
        case .subflow:
            guard let callee = links.flows[index] else { return nil }
            spec.fields += callee.program.outputs.map { output in
                FieldSpec(name: output.name, type: output.type, label: output.label)
            }
            declare(callee.ends.map { ($0.name, $0.outcomeClass, $0.followsFailedCheck) }, in: &spec)
        default: break
        }
        return spec
    }

    private func declare(
        _ outcomes: [(name: String, outcomeClass: OutcomeClass, isSuspicious: Bool)], in spec: inout KindSpec
    ) {
        var position = 0
        for outcome in outcomes where !spec.outcomes.contains(where: { $0.name == outcome.name }) {
            spec.outcomes.append(
                OutcomeSpec(
                    declared: outcome.name, position, outcome.outcomeClass,
                    followsFailedCheck: outcome.isSuspicious))
            if Outcome.named(outcome.name) == nil { position += 1 }
        }
    }
}

extension StepDefinition {
    /// The node of an argument.
    func argument(_ name: String) -> YAMLNode? { arguments.first { $0.name == name }?.node }

    /// Of an `http` step: whether it may be sent again without harm.
    fileprivate var isRepeatable: Bool {
        if case .bool(let isIdempotent)? = argument("idempotent")?.value { return isIdempotent }
        let method = argument("method")?.scalar?.text ?? "GET"
        return method == "GET" || method == "HEAD"
    }
}

extension OutputRow {
    /// What a success end may have put into it.
    var label: Label { type.holdsSecret ? .secret : Label(.pii, .asserted) }
}
