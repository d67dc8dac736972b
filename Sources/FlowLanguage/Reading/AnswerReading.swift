internal import YAMLText

/// How an `http` step reads the answer: `out`, `expect` and `classify` (flow/1 §8).
extension FlowReader {
    mutating func answerReading(_ step: inout StepDefinition) {
        guard step.kind == .http else {
            // Of an unknown kind nobody knows what it brings.
            if step.kind != nil, let outcome = step.declaredOutcomes.first {
                findings.report(
                    "FL016", at: outcome.span,
                    "only http steps bring outcomes of their own, by classify or expect")
            }
            return
        }
        let known =
            KindTable.spec(of: .http).outcomes.map(\.name) + ["skipped", "assertion_failed", "exhausted"]
        for outcome in step.declaredOutcomes where known.contains(outcome.name) {
            findings.report(
                "FL016", at: outcome.span, "every http step has the outcome \"\(outcome.name)\"; drop it here"
            )
        }
        if let node = step.argument("out") { step.extractions = extractions(node, of: step) }
        if let node = step.argument("classify") { classification(node, &step) }
        if let node = step.argument("expect") { step.statuses = statuses(node) }
    }

    private mutating func extractions(_ node: YAMLNode, of step: StepDefinition) -> [ExtractionDefinition] {
        let subject = "out of step \"\(step.name)\""
        guard let all = MappingReader(node, "\(subject)", keys: nil, file: file, &findings.diagnostics) else {
            return []
        }
        let fixed = KindTable.spec(of: .http)
        let taken = (fixed.fields + fixed.errorFields).map(\.name)
        return all.entries.compactMap { entry in
            let what = "\"\(entry.key)\" in \(subject)"
            if !FlowName.isID(entry.key) {
                findings.report("FL014", at: entry.keySpan, "malformed id \"\(entry.key)\"")
            }
            if taken.contains(entry.key) {
                findings.report("FL016", at: entry.keySpan, "every http step has the field \"\(entry.key)\"")
            }
            let keys = ["at", "type"]
            guard
                let fields = MappingReader(
                    entry.value, "\(what)", keys: keys, file: file, &findings.diagnostics)
            else { return nil }
            fields.require("at", "type", diagnostics: &findings.diagnostics)
            let pointer = fields.string("at", &findings.diagnostics) ?? ""
            if !pointer.isEmpty, !pointer.hasPrefix("/"), let node = fields["at"] {
                findings.report(
                    "FL016", at: node.span,
                    "\"\(pointer)\" is no JSON pointer; write \"\(Self.pointer(of: pointer))\" (RFC 6901)")
            }
            return ExtractionDefinition(
                name: entry.key, span: entry.keySpan, type: fields["type"].flatMap { type($0) },
                pointer: pointer)
        }
    }

    /// What is meant by a path without slashes, or by one of JSONPath (RFC 9535).
    private static func pointer(of path: String) -> String {
        guard path.hasPrefix("$") else { return "/" + path }
        return path.dropFirst().split { ".[]'\"".contains($0) }.map { "/" + $0 }.joined()
    }

    private mutating func classification(_ node: YAMLNode, _ step: inout StepDefinition) {
        guard let items = node.sequence else {
            findings.report("FL016", at: node.span, "classify is a list of {if, outcome}, not \(node.shape)")
            return
        }
        for item in items {
            let keys = ["if", "outcome", "class"]
            let fields = MappingReader(
                item, "an entry of classify", keys: keys, file: file, &findings.diagnostics)
            guard let fields else { continue }
            fields.require("if", "outcome", diagnostics: &findings.diagnostics)
            let outcomeClass = fields.word("class", as: OutcomeClass.self, &findings.diagnostics)
            guard let condition = fields["if"], let outcome = located(fields["outcome"], "outcome") else {
                continue
            }
            if let outcomeClass = outcomeClass ?? meantClass(fields),
                !step.declaredOutcomes.contains(where: { $0.name == outcome.value })
            {
                step.declaredOutcomes.append(
                    DeclaredOutcome(name: outcome.value, span: outcome.span, outcomeClass: outcomeClass))
            }
            step.classification.append(ClassificationDefinition(condition: condition, outcome: outcome))
        }
    }

    /// A misspelt class was reported; its outcome is there all the same.
    private func meantClass(_ fields: MappingReader) -> OutcomeClass? {
        guard let text = fields["class"]?.scalar?.text else { return nil }
        let nearest = SpellingSuggestion.nearest(to: text, in: OutcomeClass.allCases.map(\.rawValue))
        return nearest.flatMap { OutcomeClass(rawValue: $0) } ?? .choice
    }

    private mutating func statuses(_ node: YAMLNode) -> [(status: Int, outcome: Located<String>)] {
        guard let fields = MappingReader(node, "expect", keys: nil, file: file, &findings.diagnostics) else {
            return []
        }
        return fields.entries.compactMap { entry in
            guard let status = Int(entry.key), (100...599).contains(status) else {
                findings.report("FL016", at: entry.keySpan, "\"\(entry.key)\" is no status of HTTP")
                return nil
            }
            return located(entry.value, "the outcome of status \(status)").map { (status, $0) }
        }
    }
}
