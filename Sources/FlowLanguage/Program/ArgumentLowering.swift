internal import YAMLText

/// The arguments of steps, by the forms of the kind table.
extension FlowLowering {
    /// The arguments as written, and those that name a token set or a step also when they are left out.
    mutating func arguments(_ index: Int, _ spec: KindSpec, at site: ExpressionSite) -> [ArgumentRow] {
        let step = graph.nodes[index].step
        let meant = NameRules.argumentsMeant(in: step, spec)
        for argument in spec.arguments
        where argument.isRequired && step.argument(argument.name) == nil && !meant.contains(argument.name) {
            findings.report(
                "FL016", at: step.span,
                "\(spec.kind.rawValue) step \"\(step.name)\" needs \"\(argument.name)\" in with")
        }
        if spec.kind == .http, !meant.contains("url"), !meant.contains("operation"),
            (step.argument("url") == nil) == (step.argument("operation") == nil)
        {
            findings.report(
                "FL016", at: step.span,
                "http step \"\(step.name)\" needs either \"url\" or \"operation\" in with")
        }
        checkOperation(step)
        checkAssertion(step)
        return spec.arguments.compactMap { argument in
            let node = step.arguments.first { $0.name == argument.name }?.node
            let value = value(of: argument, node, index, at: site)
            return value.map { ArgumentRow(name: argument.name, value: $0, span: node?.span ?? step.span) }
        }
    }

    /// A request is either the flow's or the descriptor's: what would be left out is a mistake.
    private mutating func checkOperation(_ step: StepDefinition) {
        guard step.kind == .http, step.argument("operation") != nil else { return }
        for name in ["method", "query", "headers", "json", "form"] {
            guard let node = step.argument(name) else { continue }
            findings.report(
                "FL016", at: node.span,
                "\"\(name)\" of step \"\(step.name)\" has no effect: the provider's file says all of an operation",
                hint: "write it under operations there, or call the address with url")
        }
        if let node = step.argument("auth"), let word = node.scalar?.text, !["none", "bearer"].contains(word)
        {
            findings.report(
                "FL016", at: node.span,
                "auth: \(word) of step \"\(step.name)\" has no effect: the provider's file says how an operation is proven",
                hint: "write auth under operations there; a step may add auth: bearer")
        }
    }

    /// An assertion is either made here or brought along, and lives no longer than it must (rule 80).
    private mutating func checkAssertion(_ step: StepDefinition) {
        guard step.kind == .jwtBearer else { return }
        if step.argument("assertion") != nil {
            for name in ["subject", "audience", "claims", "expires_in"] {
                guard let node = step.argument(name) else { continue }
                findings.report(
                    "FL016", at: node.span,
                    "\"\(name)\" is of an assertion that is made here, and \"\(step.name)\" has one in \"assertion\""
                )
            }
        }
        if let node = step.argument("expires_in"), let life = DurationText.parse(node.scalar?.text ?? ""),
            !(1_000...300_000).contains(life)
        {
            findings.report("FL016", at: node.span, "\"expires_in\" must be between 1s and 5m")
        }
    }

    private mutating func value(
        of argument: ArgumentSpec, _ node: YAMLNode?, _ index: Int, at site: ExpressionSite
    ) -> ArgumentValue? {
        switch argument.form {
        case .tokenSet: return tokenSet(argument, node, index)
        case .optionalTokenSet:
            let step = graph.nodes[index].step
            let name = graph.nodes[index].spec.flatMap {
                argument.name == "use" ? $0.usedSet(of: step) : $0.set(argument.name, of: step)
            }
            return name == nil ? nil : tokenSet(argument, node, index)
        case .step: return source(of: index).map { .step($0) }
        case .expression(let type):
            // Who the issuer is decides whose metadata is believed, as a URL decides where a request goes.
            let isIssuer = argument.name == "issuer"
            let sink = site.into("\"\(argument.name)\"", isIssuer ? .url : type, least: .trusted)
            return node.flatMap { expressions.template($0, as: type, at: sink, &findings) }.map { .code($0) }
        case .templates:
            let type = FlowType.optional(argument.name == "meta" ? .json : .string)
            return node.flatMap { templates($0, argument, as: type, at: site) }
        case .values: return node.flatMap { templates($0, argument, as: .optional(.json), at: site) }
        case .fields:
            return node.flatMap { templates($0, argument, as: .optional(.string), at: site.takingSecrets()) }
        case .payload:
            let sink = site.into("\"\(argument.name)\"").takingSecrets()
            return node.flatMap { expressions.template($0, as: nil, at: sink, &findings) }.map { .code($0) }
        case .statuses, .classification, .extraction: return node == nil ? nil : answer(argument, index)
        case .flow: return frame(of: index).map { .frame($0) }
        case .inputs:
            frameInputs[index] = inputs(index, at: site)
            return nil
        case .port: return graph.links.portIndex(of: graph.nodes[index].step).map { .port($0) }
        case .portArguments: return portArguments(index, node, at: site)
        case .word(let words): return node.flatMap { word($0, words, argument) }.map { .constant($0) }
        case .words(let words): return node.flatMap { list($0, words, argument) }.map { .constant($0) }
        case .openWord: return node.flatMap { text($0, argument) }.map { .constant(.string($0)) }
        case .duration: return node.flatMap { duration($0, argument) }.map { .constant($0) }
        case .bool: return node.flatMap { bool($0, argument) }.map { .constant($0) }
        }
    }

    private mutating func wrong(
        _ node: YAMLNode, _ argument: ArgumentSpec, _ expected: String, _ cure: Cure? = nil
    ) {
        let message = "\"\(argument.name)\" must be \(expected), not \(node.shape)"
        findings.report("FL016", at: node.span, message, hint: cure?.hint, fix: cure?.fix)
    }

    private func source(of index: Int) -> Int? {
        analysis.transfer.sources.steps[index]
    }

    private mutating func tokenSet(_ argument: ArgumentSpec, _ node: YAMLNode?, _ index: Int)
        -> ArgumentValue?
    {
        if let node, !FlowName.isID(node.scalar?.text ?? "") {
            wrong(node, argument, "the name of a token set")
        }
        let name = graph.nodes[index].step.tokenSet(argument.name)
        if let node, FlowName.isID(name), !table.writtenSets.contains(name) {
            let suggestion = didYouMean(name, among: table.writtenSets)
            findings.report(
                "FL046", at: node.span, "no step writes token set \"\(name)\"\(suggestion)",
                fix: suggestion.fix)
        }
        return table.tokenSets.firstIndex(of: name).map { .tokenSet($0) }
    }

    private mutating func templates(
        _ node: YAMLNode, _ argument: ArgumentSpec, as type: FlowType, at site: ExpressionSite
    ) -> ArgumentValue? {
        guard let mapping = node.mapping else {
            wrong(
                node, argument, "a mapping of names to values", node.cureForMapping(keys: nil))
            return nil
        }
        let entries = mapping.entries.map(NamedNode.init)
        return .templates(templates(entries, as: type, at: site.into("\"\(argument.name)\"")))
    }

    private mutating func word(_ node: YAMLNode, _ words: [String], _ argument: ArgumentSpec) -> Value? {
        let text = node.scalar?.text ?? ""
        if words.contains(text) { return .string(text) }
        let suggestion = Suggestion(WordMeant.nearest(to: text, in: words))
        let choice = words.joined(separator: ", ")
        let message = "\"\(argument.name)\" must be one of \(choice), not \(node.shape)\(suggestion)"
        findings.report("FL016", at: node.span, message, fix: suggestion.fix)
        return nil
    }

    private mutating func list(_ node: YAMLNode, _ words: [String], _ argument: ArgumentSpec) -> Value? {
        guard let items = node.sequence else {
            wrong(node, argument, "a list of \(words.joined(separator: ", "))", node.cureForList)
            return nil
        }
        let values = items.compactMap { word($0, words, argument) }
        return values.count == items.count ? .list(values) : nil
    }

    private mutating func text(_ node: YAMLNode, _ argument: ArgumentSpec) -> String? {
        if case .string(let text) = node.value, !text.contains("${") { return text }
        wrong(node, argument, "a literal text")
        return nil
    }

    private mutating func duration(_ node: YAMLNode, _ argument: ArgumentSpec) -> Value? {
        if let duration = DurationText.parse(node.scalar?.text ?? "") {
            if duration > 0 || argument.name != "timeout" { return .duration(duration) }
            wrong(node, argument, "longer than 0s")
            return nil
        }
        wrong(node, argument, "a duration such as 20s", Cure("units: ms, s, m, h, d"))
        return nil
    }

    private mutating func bool(_ node: YAMLNode, _ argument: ArgumentSpec) -> Value? {
        if case .bool(let value) = node.value { return .bool(value) }
        wrong(node, argument, "true or false", node.cureForBool)
        return nil
    }
}
