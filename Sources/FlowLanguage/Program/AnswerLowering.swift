internal import YAMLText

/// How `http` steps read answers, and what `call` steps hand over.
extension FlowLowering {
    /// `expect`, `classify` or `out` of an `http` step.
    mutating func answer(_ argument: ArgumentSpec, _ index: Int) -> ArgumentValue? {
        let step = graph.nodes[index].step
        switch argument.form {
        case .statuses:
            let outcomes = step.statuses.compactMap { status in
                outcome(status.outcome, of: index).map { (status.status, $0) }
            }
            return .statuses(Dictionary(outcomes) { first, _ in first })
        case .classification:
            var site = ExpressionSite(place: step.name, state: doneState(index))
            site.answer = index
            return .classification(
                step.classification.compactMap { rule in
                    let condition = expressions.condition(rule.condition, at: site, &findings)
                    let outcome = outcome(rule.outcome, of: index)
                    guard let condition, let outcome else { return nil }
                    return (condition.code, outcome)
                })
        default:
            return .extraction(
                step.extractions.map {
                    ExtractionRow(name: $0.name, pointer: $0.pointer, type: $0.type ?? .json)
                })
        }
    }

    /// FL019
    private mutating func outcome(_ name: Located<String>, of index: Int) -> Outcome? {
        let node = graph.nodes[index]
        if let spec = node.outcomes.first(where: { $0.name == name.value }) { return spec.outcome }
        let suggestion = didYouMean(name.value, among: node.outcomes.map(\.name))
        findings.report(
            "FL019", at: name.span,
            "step \"\(node.step.name)\" has no outcome \"\(name.value)\"\(suggestion); declare it under outcomes",
            fix: suggestion.fix)
        return nil
    }

    // MARK: Ports

    /// FL023: every argument that the port declares, and no other.
    mutating func portArguments(_ index: Int, _ node: YAMLNode?, at site: ExpressionSite) -> ArgumentValue? {
        let step = graph.nodes[index].step
        guard let port = graph.links.port(of: step) else { return nil }
        let entries = node?.mapping?.entries ?? []
        let names = port.arguments.map(\.name)
        var meant: Set<String> = []
        for entry in entries where !names.contains(entry.key) {
            if let nearest = SpellingSuggestion.nearest(to: entry.key, in: names) { meant.insert(nearest) }
            let known = nearestOrAll(entry.key, among: names, "arguments")
            findings.report(
                "FL023", at: entry.keySpan,
                "port \"\(port.name)\" takes no argument \"\(entry.key)\"\(known)", fix: known.fix)
        }
        var values: [(name: String, code: CodeRange)] = []
        for argument in port.arguments {
            guard let entry = entries.first(where: { $0.key == argument.name }) else {
                // One that is misspelt has been told.
                if argument.type?.isOptional == false, !meant.contains(argument.name) {
                    findings.report(
                        "FL023", at: step.span,
                        "step \"\(step.name)\" does not give \"\(argument.name)\" to port \"\(port.name)\"")
                }
                continue
            }
            guard let type = argument.type else { continue }
            let sink = site.into("\"\(argument.name)\"")
            let code =
                type.required == .tokenset
                ? tokenSetArgument(entry, of: step, at: sink)
                : expressions.template(entry.value, as: type, at: sink, &findings)
            if let code { values.append((argument.name, code)) }
        }
        return .templates(values)
    }

    /// A token set is handed over by its name; the program knows it by its index.
    private mutating func tokenSetArgument(
        _ entry: YAMLMapping.Entry, of step: StepDefinition, at site: ExpressionSite
    ) -> CodeRange? {
        let name = entry.value.scalar?.text ?? ""
        guard let index = table.tokenSets.firstIndex(of: name), table.writtenSets.contains(name) else {
            let suggestion = didYouMean(name, among: table.writtenSets)
            findings.report(
                "FL046", at: entry.value.span, "no step writes token set \"\(name)\"\(suggestion)",
                fix: suggestion.fix)
            return nil
        }
        if let state = site.state, state.tokenSets[index] != .present {
            let message =
                "call step \"\(step.name)\" uses token set \"\(name)\", which is not set on every path to it"
            findings.report("FL042", at: entry.value.span, message)
        }
        return expressions.constant(.int(Int64(index)))
    }
}
