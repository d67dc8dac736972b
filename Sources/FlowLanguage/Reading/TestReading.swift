internal import YAMLText

/// The flow's own tests (flow/1 §14).
extension FlowReader {
    mutating func test(_ node: YAMLNode) -> TestDefinition? {
        let keys = ["name", "assume", "given", "inputs", "provider", "expect"]
        guard let fields = MappingReader(node, "test", keys: keys, file: file, &findings.diagnostics) else {
            return nil
        }
        fields.require("name", "expect", diagnostics: &findings.diagnostics)
        let name = fields.string("name", &findings.diagnostics) ?? ""
        var test = TestDefinition(name: name, span: node.span)
        test.assumptions = (names("assume", of: fields) ?? []).compactMap { assumption($0) }
        test.inputs = entries(fields, "inputs", of: "test").map(NamedNode.init)
        test.given = entries(fields, "given", of: "test").map(NamedNode.init)
        test.provider = fields.string("provider", &findings.diagnostics).flatMap { name in
            fields["provider"].map { Located(name, at: $0.span) }
        }
        expectations(of: fields, &test)
        return test
    }

    private mutating func assumption(_ text: Located<String>) -> Located<Assumption>? {
        if let assumption = Assumption(text.value) { return Located(assumption, at: text.span) }
        let message = "\"\(text.value)\" is no assumption"
        findings.report(
            "FL100", at: text.span, message,
            hint: "write step=outcome, step@2=outcome or step=400:invalid_grant")
        return nil
    }

    private mutating func expectations(of fields: MappingReader, _ test: inout TestDefinition) {
        let keys = ["end", "path", "visits", "never", "outputs", "requests"]
        guard let expect = fields.mapping("expect", keys: keys, &findings.diagnostics) else { return }
        test.end = located(expect["end"], "end")
        test.path = names("path", of: expect)
        test.never = names("never", of: expect) ?? []
        test.outputs = entries(expect, "outputs", of: "test").map(NamedNode.init)
        if let visits = expect.mapping("visits", keys: nil, &findings.diagnostics) {
            for entry in visits.entries {
                guard let count = visits.int(entry.key, in: 0...10_000, &findings.diagnostics) else {
                    continue
                }
                test.visits.append(Located((entry.key, count), at: entry.keySpan))
            }
        }
        for entry in entries(expect, "requests", of: "test") {
            guard let expected = entry.value.scalar?.text else {
                findings.report(
                    "FL016", at: entry.value.span, "\"\(entry.key)\" must be a text, not \(entry.value.shape)"
                )
                continue
            }
            test.requests.append((Located(entry.key, at: entry.keySpan), expected))
        }
    }
}
