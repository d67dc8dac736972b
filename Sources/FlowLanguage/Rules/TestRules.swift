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
                checkPart(request.path, &findings)
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
        if assumption.value.isNetworkDown, graph.stepIndex(step) == nil { return }
        if let inner = graph.innerStep(step) {
            checkOutcome(assumption, inner.outcomes, inner.kind, &findings)
            return
        }
        guard let index = graph.stepIndex(step) else {
            guard !graph.isInUnknownFlow(step) else { return }
            findings.report(
                "FL100", at: assumption.span,
                "the test assumes unknown step \"\(step)\"\(graph.stepMeant(by: step))")
            return
        }
        let node = graph.nodes[index]
        if let spec = node.spec {
            checkOutcome(assumption, node.outcomes.map(\.name), spec.kind, &findings)
        }
    }

    private static func checkOutcome(
        _ assumption: Located<Assumption>, _ names: [String], _ kind: StepKind, _ findings: inout Findings
    ) {
        guard case .outcome(let name) = assumption.value.answer else {
            if kind.sendsRequest { return }
            findings.report(
                "FL100", at: assumption.span,
                "\(assumption.value.step) sends nothing; name an outcome "
                    + "(outcomes: \(names.joined(separator: ", ")))")
            return
        }
        guard !names.contains(name) else { return }
        let known = nearestOrAll(name, among: names, "outcomes")
        findings.report(
            "FL100", at: assumption.span, "\(assumption.value.step) cannot end with \"\(name)\"\(known)",
            fix: known.fix)
    }

    /// FL101
    private static func checkEnd(_ test: TestDefinition, _ flow: FlowDefinition, _ findings: inout Findings) {
        guard let end = test.end, !flow.ends.contains(where: { $0.name == end.value }) else { return }
        let suggestion = nearestOrAll(end.value, among: flow.ends.map(\.name), "ends", isOwn: true)
        findings.report(
            "FL101", at: end.span, "the test expects unknown end \"\(end.value)\"\(suggestion)",
            fix: suggestion.fix)
    }

    private static func checkStep(
        _ name: String, at span: SourceSpan, _ graph: FlowGraph, _ findings: inout Findings
    ) {
        guard !graph.hasStep(name), !graph.isInUnknownFlow(name) else { return }
        let suggestion = graph.stepMeant(by: name)
        findings.report(
            "FL101", at: span, "the test expects unknown step \"\(name)\"\(suggestion)",
            fix: suggestion.fix)
    }

    /// FL101: `STEP.method`, `STEP.url`, or `STEP.PART.NAME`.
    private static func checkPart(_ path: Located<String>, _ findings: inout Findings) {
        let names = path.value.split(separator: ".", maxSplits: 2).map { String($0) }
        let known = names.count == 3 ? RequestPart.named : RequestPart.whole
        let part = names.count > 1 ? names[1] : ""
        guard !known.contains(part) else { return }
        let suggestion = didYouMean(part, among: RequestPart.named + RequestPart.whole)
        findings.report(
            "FL101", at: path.span, "\"\(path.value)\" names no part of a request\(suggestion)",
            hint: "write STEP.method, STEP.url or STEP.PART.NAME with query, form, json, body or headers")
    }

    private static func checkNames(
        _ names: [NamedNode], _ kind: String, _ known: [String], _ findings: inout Findings
    ) {
        for name in names where !known.contains(name.name) {
            let suggestion = didYouMean(name.name, among: known, isOwn: true)
            findings.report(
                "FL101", at: name.nameSpan, "the test names unknown \(kind) \"\(name.name)\"\(suggestion)",
                fix: suggestion.fix)
        }
    }
}

extension FlowGraph {
    /// Whether a step of the flow, or of one that it runs as `step/inner`, has the name.
    fileprivate func hasStep(_ name: String) -> Bool {
        stepIndex(name) != nil || innerStep(name) != nil
    }

    /// Whether the name is of a step of a sub-flow of which nothing is known, for a mistake that was reported.
    fileprivate func isInUnknownFlow(_ name: String) -> Bool {
        guard let slash = name.firstIndex(of: "/"), let index = stepIndex(String(name[..<slash])) else {
            return false
        }
        return nodes[index].spec == nil
    }

    /// What may be meant by a step that there is not: a step of a sub-flow goes by `step/inner`.
    fileprivate func stepMeant(by name: String) -> Suggestion {
        let inner = nodes.indices.flatMap { index in
            (links.flows[index]?.program.steps ?? []).map { "\(nodes[index].step.name)/\($0.name)" }
        }
        if let path = inner.first(where: { $0.hasSuffix("/\(name)") }) {
            return Suggestion(path)
        }
        return didYouMean(name, among: nodes.map(\.step.name) + inner)
    }

    /// The kind and the outcomes of a step of a sub-flow, named `step/inner`; `nil` when there is none of that name.
    fileprivate func innerStep(_ name: String) -> (kind: StepKind, outcomes: [String])? {
        guard let slash = name.firstIndex(of: "/"), let index = stepIndex(String(name[..<slash])),
            let program = links.flows[index]?.program
        else { return nil }
        let rest = name[name.index(after: slash)...]
        guard let inner = program.steps.firstIndex(where: { $0.name == rest }) else { return nil }
        let outcomes = program.outcomes(of: inner).map { program.name(of: $0, at: inner) }
        return (program.steps[inner].kind, outcomes)
    }
}

/// The parts of a request that a test may speak of (flow/1 §14).
private enum RequestPart {
    static let whole = ["method", "url"]
    /// With a name behind them; `header` is another spelling of `headers`.
    static let named = ["query", "body", "form", "json", "headers", "header"]
}
