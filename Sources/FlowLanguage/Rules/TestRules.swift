internal import YAMLText

/// Names and outcomes in the flow's own tests.
enum TestRules {
    static func check(_ graph: FlowGraph, _ findings: inout Findings) {
        for test in graph.flow.tests {
            for assumption in test.assumptions { checkAssumption(assumption, graph, &findings) }
            checkEnd(test, graph.flow, &findings)
            for step in (test.path ?? []) + test.never {
                checkStep(step.value, at: step.span, graph, &findings)
            }
            for visit in test.visits { checkStep(visit.value.step, at: visit.span, graph, &findings) }
            for request in test.requests {
                let step = request.path.value.split(separator: ".").first.map { String($0) } ?? ""
                checkStep(step, at: request.path.span, graph, &findings)
            }
            checkNames(test.inputs, "input", graph.flow.inputs.map(\.name), &findings)
            checkNames(test.outputs, "output", graph.flow.outputs.map(\.name), &findings)
        }
    }

    /// FL100: `network=down` is about every step at once (flow/1 §11).
    private static func checkAssumption(
        _ assumption: Located<Assumption>, _ graph: FlowGraph, _ findings: inout Findings
    ) {
        let step = assumption.value.step
        if step == "network", assumption.value.answer == .outcome("down") { return }
        guard let index = graph.stepIndex(step) else {
            let suggestion = didYouMean(step, among: graph.nodes.map(\.step.name))
            findings.report(
                "FL100", at: assumption.span, "the test assumes unknown step \"\(step)\"\(suggestion)")
            return
        }
        let node = graph.nodes[index]
        guard case .outcome(let name) = assumption.value.answer, node.spec != nil,
            !node.outcomes.contains(where: { $0.name == name })
        else { return }
        let names = node.outcomes.map(\.name)
        let suggestion = didYouMean(name, among: names)
        let known = suggestion.isEmpty ? " (outcomes: \(names.joined(separator: ", ")))" : suggestion
        findings.report("FL100", at: assumption.span, "\(step) cannot end with \"\(name)\"\(known)")
    }

    /// FL101
    private static func checkEnd(_ test: TestDefinition, _ flow: FlowDefinition, _ findings: inout Findings) {
        guard let end = test.end, !flow.ends.contains(where: { $0.name == end.value }) else { return }
        let suggestion = didYouMean(end.value, among: flow.ends.map(\.name))
        findings.report("FL101", at: end.span, "the test expects unknown end \"\(end.value)\"\(suggestion)")
    }

    private static func checkStep(
        _ name: String, at span: SourceSpan, _ graph: FlowGraph, _ findings: inout Findings
    ) {
        guard graph.stepIndex(name) == nil else { return }
        let suggestion = didYouMean(name, among: graph.nodes.map(\.step.name))
        findings.report("FL101", at: span, "the test expects unknown step \"\(name)\"\(suggestion)")
    }

    private static func checkNames(
        _ names: [NamedNode], _ kind: String, _ known: [String], _ findings: inout Findings
    ) {
        for name in names where !known.contains(name.name) {
            let suggestion = didYouMean(name.name, among: known)
            findings.report(
                "FL101", at: name.nameSpan, "the test names unknown \(kind) \"\(name.name)\"\(suggestion)")
        }
    }
}
