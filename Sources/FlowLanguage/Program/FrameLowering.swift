internal import YAMLText

/// Sub-flows: what a `subflow` step hands over, and the other flow's tables behind those of this one.
extension FlowLowering {
    /// The place of the step's frame: frames of this flow's own steps come first, in the order of the steps.
    func frame(of index: Int) -> Int? {
        guard graph.links.flows[index] != nil else { return nil }
        return graph.links.flows.keys.count { $0 < index }
    }

    /// FL022: the inputs that the other flow takes, each with the code of its value.
    mutating func inputs(_ index: Int, at site: ExpressionSite) -> [String: CodeRange] {
        guard let callee = graph.links.flows[index]?.program else { return [:] }
        let step = graph.nodes[index].step
        let entries = step.argument("inputs")?.mapping?.entries ?? []
        for entry in entries where !callee.inputs.contains(where: { $0.name == entry.key }) {
            let known = nearestOrAll(entry.key, among: callee.inputs.map(\.name), "inputs")
            findings.report(
                "FL022", at: entry.keySpan,
                "flow \"\(callee.name)\" has no input \"\(entry.key)\"\(known)", fix: known.fix)
        }
        var codes: [String: CodeRange] = [:]
        for input in callee.inputs {
            guard let entry = entries.first(where: { $0.key == input.name }) else {
                if input.standard == nil, !input.type.isOptional {
                    findings.report(
                        "FL022", at: step.span,
                        "step \"\(step.name)\" does not give flow \"\(callee.name)\" its input \"\(input.name)\" (\(input.type))"
                    )
                }
                continue
            }
            let isOpen = input.standard != nil && !input.type.isOptional
            let type = isOpen ? FlowType.optional(input.type) : input.type
            var sink = site.into("\"\(input.name)\"", input.type, least: .trusted)
            if input.type.required == .secret { sink = sink.takingSecrets() }
            codes[input.name] = expressions.template(entry.value, as: type, at: sink, &findings)
            checkBounds(input, entry.value)
        }
        return codes
    }

    /// FL022: what is written out can be checked against the input's bounds before a run.
    private mutating func checkBounds(_ input: InputRow, _ node: YAMLNode) {
        guard !node.holdsTemplate else { return }
        // Of another type, or a secret: that was reported where it was compiled.
        var reports = Findings(file: findings.file)
        let value = expressions.literal(node, as: input.type, &reports)
        if let problem = value.flatMap({ input.constraints?.problem(with: $0) }) {
            findings.report("FL022", at: node.span, "input \"\(input.name)\" \(problem)")
        }
    }

    /// The program with all sub-flows in it.
    func withFrames(_ program: FlowProgram) -> FlowProgram {
        guard !graph.links.flows.isEmpty else { return program }
        var merge = ProgramMerge(program)
        for index in graph.links.flows.keys.sorted() {
            guard let callee = graph.links.flows[index] else { continue }
            let spec = graph.nodes[index].spec
            let outcomes = callee.ends.map { end in
                (end.index, spec?.outcomes.first { $0.name == end.name }?.outcome ?? .ok)
            }
            merge.add(
                callee.program, at: index, frameInputs[index] ?? [:],
                outcomes: Dictionary(uniqueKeysWithValues: outcomes))
        }
        return merge.program
    }
}

extension YAMLNode {
    /// Whether a text in it is a template.
    fileprivate var holdsTemplate: Bool {
        switch content {
        case .scalar(let scalar): scalar.text.contains("${")
        case .sequence(let nodes): nodes.contains(where: \.holdsTemplate)
        case .mapping(let mapping): mapping.entries.contains { $0.value.holdsTemplate }
        }
    }
}
