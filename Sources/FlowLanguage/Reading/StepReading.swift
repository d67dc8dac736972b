internal import YAMLText

/// Steps and their routes.
extension FlowReader {
    static let stepKeys = [
        "do", "provider", "if", "with", "outcomes", "assert", "save", "retry", "timeout", "deadline",
        "visits", "hooks",
        "next", "note",
    ]

    /// A step that cannot be read was reported; its name is there all the same.
    mutating func step(_ entry: YAMLMapping.Entry) -> StepDefinition {
        let subject = "step \"\(entry.key)\""
        let kindNode = MisplacedFlowKey.kind(of: entry)
        let named = StepKind(rawValue: kindNode?.scalar?.text ?? entry.key)
        guard
            let fields = MappingReader(
                entry.value, "\(subject)", keys: Self.stepKeys, file: file,
                otherwise: Self.stepKeys.contains(entry.key)
                    ? "\"\(entry.key)\" is a key of a step: indent it below the step that it belongs to"
                    : nil, elsewhere: { MisplacedFlowKey.hint($0, inStepOf: named) }, &findings.diagnostics)
        else { return StepDefinition(name: entry.key, span: entry.keySpan) }
        var step = StepDefinition(name: entry.key, span: entry.keySpan)
        step.kind = kind(of: entry, kindNode)
        step.provider = located(fields["provider"], "provider")
        step.condition = fields["if"]
        step.arguments = entries(fields, "with", of: subject).map(NamedNode.init)
        step.declaredOutcomes = declaredOutcomes(fields, of: subject)
        answerReading(&step)
        step.assertions = fields["assert"].map { assertions($0, of: subject) } ?? []
        step.saves = saves("save", of: fields)
        step.retry = retry(fields)
        step.timeout = fields.timeLimit("timeout", &findings.diagnostics).map {
            Located($0, at: fields["timeout"]?.span ?? entry.keySpan)
        }
        step.deadline = fields.timeLimit("deadline", &findings.diagnostics).map {
            Located($0, at: fields["deadline"]?.span ?? entry.keySpan)
        }
        step.visits = fields.int("visits", in: 1...10_000, &findings.diagnostics).map {
            Located($0, at: fields["visits"]?.span ?? entry.keySpan)
        }
        inlineHooks(fields, &step)
        if let next = fields["next"] { step.routes = routes(next, of: subject) }
        return step
    }

    private mutating func declaredOutcomes(_ step: MappingReader, of subject: String) -> [DeclaredOutcome] {
        entries(step, "outcomes", of: subject).compactMap { entry in
            if !FlowName.isID(entry.key) {
                findings.report("FL014", at: entry.keySpan, "malformed outcome \"\(entry.key)\"")
            }
            guard let name = located(entry.value, "the class of outcome \"\(entry.key)\"") else { return nil }
            if let outcomeClass = OutcomeClass(rawValue: name.value) {
                return DeclaredOutcome(name: entry.key, span: entry.keySpan, outcomeClass: outcomeClass)
            }
            let classes = OutcomeClass.allCases.map(\.rawValue)
            let known = nearestOrAll(name.value, among: classes, "classes")
            findings.report("FL018", at: name.span, "unknown outcome class \"\(name.value)\"\(known)")
            return DeclaredOutcome(name: entry.key, span: entry.keySpan, outcomeClass: .choice)
        }
    }

    private mutating func kind(of entry: YAMLMapping.Entry, _ node: YAMLNode?) -> StepKind? {
        let kinds = StepKind.allCases.map(\.rawValue)
        guard let node else {
            if let kind = StepKind(rawValue: entry.key) { return kind }
            let suggestion = didYouMean(entry.key, among: kinds)
            findings.report(
                "FL015", at: entry.keySpan,
                "step \"\(entry.key)\" has no \"do\", and its id is no step kind\(suggestion)",
                hint: suggestion.isEmpty
                    ? "say do: with a kind; kinds: \(kinds.joined(separator: ", "))" : nil,
                fix: suggestion.fix)
            return nil
        }
        guard let name = located(node, "do") else { return nil }
        if let kind = StepKind(rawValue: name.value) { return kind }
        let meant = WordMeant.nearest(to: name.value, in: kinds)
        let suggestion = Suggestion(meant)
        findings.report(
            "FL015", at: name.span, "unknown step kind \"\(name.value)\"\(suggestion)",
            hint: suggestion.isEmpty
                ? "kinds: \(kinds.joined(separator: ", ")); another flow is run by a step of kind subflow, a port is asked by one of kind call"
                : nil, fix: suggestion.fix)
        return nil
    }

    private mutating func inlineHooks(_ fields: MappingReader, _ step: inout StepDefinition) {
        let keys = ["before", "after"]
        guard let hooks = fields.mapping("hooks", keys: keys, &findings.diagnostics) else { return }
        let name = step.name
        let before = hooks.sequence("before", &findings.diagnostics) ?? []
        step.before = before.compactMap { hook($0, owner: name, point: .stepBefore) }
        let after = hooks.sequence("after", &findings.diagnostics) ?? []
        step.after = after.compactMap { hook($0, owner: name, point: .stepAfter) }
    }

    /// A condition, `{that, message}`, or a list of these.
    mutating func assertions(_ node: YAMLNode, of subject: String) -> [AssertionDefinition] {
        (node.sequence ?? [node]).compactMap { item in
            guard item.mapping != nil else {
                return AssertionDefinition(condition: item, message: nil, span: item.span)
            }
            let what = "assert of \(subject)"
            let keys = ["that", "message"]
            guard let fields = MappingReader(item, "\(what)", keys: keys, file: file, &findings.diagnostics)
            else { return nil }
            fields.require("that", diagnostics: &findings.diagnostics)
            let message = literal("message", of: fields)
            return fields["that"].map {
                AssertionDefinition(condition: $0, message: message, span: item.span)
            }
        }
    }

    mutating func saves(_ key: String, of fields: MappingReader) -> [SaveDefinition] {
        entries(fields, key, of: fields.subject).map { entry in
            SaveDefinition(target: Located(entry.key, at: entry.keySpan), value: entry.value)
        }
    }

    private mutating func routes(_ node: YAMLNode, of subject: String) -> [RouteDefinition] {
        guard let mapping = node.mapping ?? listedOutcomes(node, of: subject) else {
            return [RouteDefinition(selector: .success, span: node.span, edges: edges(node, of: subject))]
        }
        checkExtensions(node, "next of \(subject)")
        return mapping.entries.filter { !KnownKeys.isForeign($0.key) }.compactMap { route($0, of: subject) }
    }

    /// Outcomes that somebody has written as a list, one of them misspelt maybe: told once, and read as they were meant.
    private mutating func listedOutcomes(_ node: YAMLNode, of subject: String) -> YAMLMapping? {
        let items = node.sequence?.map { $0.mapping?.entries ?? [] } ?? []
        let entries = items.flatMap(\.self)
        guard let first = entries.first, !items.contains(where: \.isEmpty),
            Set(entries.map(\.key)).count == entries.count,
            entries.contains(where: { Self.isOutcome($0.key) }),
            !entries.contains(where: { Self.edgeKeys.contains($0.key) })
        else { return nil }
        let shown = entries.map { "\($0.key): \($0.value.scalar?.text ?? "...")" }
        findings.report(
            "FL010", at: first.keySpan, "the outcomes in next of \(subject) are a list",
            hint: "write them without \"-\" and brackets: next: {\(shown.joined(separator: ", "))}")
        return YAMLMapping(entries: entries)
    }

    mutating func route(_ entry: YAMLMapping.Entry, of subject: String) -> RouteDefinition? {
        let edges = edges(entry.value, of: subject)
        guard let selector = selector(entry.key, at: entry.keySpan) else { return nil }
        return RouteDefinition(selector: selector, span: entry.keySpan, edges: edges)
    }

    /// An outcome, `any.class` or `any`; whether a kind has the outcome is another rule's question.
    mutating func selector(_ text: String, at span: SourceSpan) -> OutcomeSelector? {
        if text == "any" { return .any }
        guard text.hasPrefix("any.") else { return .outcome(text) }
        let name = String(text.dropFirst("any.".count))
        if let outcomeClass = OutcomeClass(rawValue: name) { return .byClass(outcomeClass) }
        let classes = OutcomeClass.allCases.map(\.rawValue)
        findings.report(
            "FL018", at: span,
            "unknown outcome class \"\(name)\"\(nearestOrAll(name, among: classes, "classes"))")
        return nil
    }

    private mutating func edges(_ node: YAMLNode, of subject: String) -> [EdgeDefinition] {
        if let items = node.sequence {
            if items.isEmpty {
                findings.report("FL024", at: node.span, "\(subject) has a list without an edge")
            }
            return items.compactMap { edge($0, of: subject) }
        }
        return edge(node, of: subject).map { [$0] } ?? []
    }

    private static let edgeKeys = ["to", "if", "max", "save", "note"]

    private mutating func edge(_ node: YAMLNode, of subject: String) -> EdgeDefinition? {
        guard node.mapping != nil else {
            return EdgeDefinition(target: located(node, "the target of \(subject)"), span: node.span)
        }
        let what = "edge of \(subject)"
        guard
            let fields = MappingReader(
                node, "\(what)", keys: Self.edgeKeys, file: file,
                elsewhere: { Self.outcomeHint($0) ?? OtherNames.edge.hint($0, among: Self.edgeKeys) },
                &findings.diagnostics)
        else {
            return nil
        }
        if fields.isMissing("to") { findings.report("FL024", at: node.span, "\(what) has no \"to\"") }
        let target = located(fields["to"], "to")
        // One that is no number was reported; the edge has a bound all the same.
        let maximum =
            fields.int("max", in: 0...10_000, &findings.diagnostics) ?? (fields.has("max") ? 1 : nil)
        return EdgeDefinition(
            target: target, condition: fields["if"],
            maximum: maximum.map { Located($0, at: fields["max"]?.span ?? node.span) },
            saves: saves("save", of: fields), span: target?.span ?? node.span)
    }

    private static func isOutcome(_ key: String) -> Bool {
        Outcome.named(key) != nil || key == "any" || key.hasPrefix("any.")
    }

    /// Edges are a list, outcomes are none.
    private static func outcomeHint(_ key: String) -> String? {
        guard isOutcome(key) else { return nil }
        return "an outcome belongs right below next, without \"-\": next: {\(key): ...}"
    }
}
