internal import YAMLText

/// Retry policies, and what of them holds for one kind (flow/1 §7).
enum RetryRules {
    static func check(_ graph: FlowGraph, _ findings: inout Findings) {
        for node in graph.nodes {
            guard let spec = node.spec, let retry = node.step.retry else { continue }
            for selector in retry.outcomes { checkSelector(selector, node, spec, &findings) }
            checkDeadline(retry, node, spec, graph.flow, &findings)
            guard retry.isSound, retry.policy.attempts < 2 || outcomes(of: retry, node, spec).isEmpty else {
                continue
            }
            guard retry.outcomes.allSatisfy({ isSound($0.value, node, spec) }) else { continue }
            let reason =
                spec.replay == .local
                ? "a \(spec.kind.rawValue) step is tried once" : "set attempts above 1 and outcomes it has"
            findings.report(
                "FL053", at: retry.span, "the retry of step \"\(node.step.name)\" never fires; \(reason)")
        }
        for selector in graph.flow.defaults.retry?.outcomes ?? [] { checkDefault(selector, &findings) }
    }

    /// FL035
    private static func checkDeadline(
        _ retry: RetryDefinition, _ node: FlowGraph.Node, _ spec: KindSpec, _ flow: FlowDefinition,
        _ findings: inout Findings
    ) {
        guard spec.replay != .local, retry.policy.attempts > 1 else { return }
        let attempt = node.step.timeout?.value ?? flow.defaults.timeout ?? FlowLowering.attemptTimeout
        let deadline = node.step.deadline?.value ?? flow.limits.deadline
        let longest = retry.policy.longest(attempt: attempt)
        guard longest > deadline else { return }
        let subject = node.step.deadline == nil ? "the flow's" : "the step's"
        findings.report(
            "FL035", at: retry.span,
            "\(retry.policy.attempts) attempts of step \"\(node.step.name)\" may take "
                + "\(DurationText.format(longest)), longer than \(subject) deadline of \(DurationText.format(deadline))"
        )
    }

    /// The outcomes after which a step is tried again: classes stand for their replay-safe members.
    static func outcomes(of retry: RetryDefinition, _ node: FlowGraph.Node, _ spec: KindSpec) -> Set<Outcome>
    {
        if spec.replay == .local { return [] }
        let tried = node.outcomes.filter { outcome in
            guard outcome.outcomeClass != .security, outcome.outcomeClass != .success else { return false }
            return retry.outcomes.contains { selector in
                switch selector.value {
                case .outcome(let name): outcome.name == name
                case .byClass(let outcomeClass):
                    outcome.outcomeClass == outcomeClass
                        && !spec.isHarmedByRepetition(after: outcome.outcome)
                case .any, .success: false
                }
            }
        }
        return Set(tried.map(\.outcome))
    }

    /// Whether no other rule has something to say about the selector.
    private static func isSound(
        _ selector: OutcomeSelector, _ node: FlowGraph.Node, _ spec: KindSpec
    ) -> Bool {
        switch selector {
        case .outcome("unanswered"), .byClass(.security), .any, .success: false
        case .outcome(let name):
            node.outcomes.contains {
                $0.name == name && $0.outcomeClass != .security
                    && !spec.isHarmedByRepetition(after: $0.outcome)
            }
        case .byClass: true
        }
    }

    private static func checkSelector(
        _ selector: Located<OutcomeSelector>, _ node: FlowGraph.Node, _ spec: KindSpec,
        _ findings: inout Findings
    ) {
        let subject = "retrying \"\(node.step.name)\""
        switch selector.value {
        case .outcome(let name)
        where Outcome.named(name).map { spec.isHarmedByRepetition(after: $0) } == true:
            checkBurning(selector.span, name, node.step.name, spec.kind, &findings)
        case .outcome(let name):
            guard let outcome = node.outcomes.first(where: { $0.name == name }) else {
                let message = RouteResolution.impossible(name, step: node.step.name, spec.kind, node.outcomes)
                return findings.report("FL019", at: selector.span, message)
            }
            guard outcome.outcomeClass == .security else { return }
            findings.report(
                "FL051", at: selector.span,
                "\(subject) after the failed check \"\(name)\" helps only an attacker")
        case .byClass(.security):
            findings.report(
                "FL051", at: selector.span, "\(subject) after a failed check helps only an attacker")
        case .any, .success:
            findings.report(
                "FL019", at: selector.span, "retry names outcomes or classes, such as any.transient")
        case .byClass: break
        }
    }

    /// FL050
    private static func checkBurning(
        _ span: SourceSpan, _ outcome: String, _ step: String, _ kind: StepKind, _ findings: inout Findings
    ) {
        let harm =
            switch kind {
            case .refresh:
                "redeem the same refresh token twice; servers treat that as theft and revoke the grant"
            case .exchange:
                "redeem the same authorization code twice; servers treat that as theft and revoke the grant"
            default: "do twice what must be done once; say idempotent: true where it is harmless"
            }
        findings.report("FL050", at: span, "retrying \"\(step)\" after \"\(outcome)\" may \(harm)")
    }

    private static func checkDefault(_ selector: Located<OutcomeSelector>, _ findings: inout Findings) {
        switch selector.value {
        case .outcome("unanswered"):
            let message =
                "retrying after \"unanswered\" by default may redeem a code or refresh token twice; name the step"
            findings.report("FL050", at: selector.span, message)
        case .outcome(let name):
            let known = StepKind.allCases.flatMap { KindTable.spec(of: $0).outcomes }
            if !known.contains(where: { $0.name == name }) {
                let suggestion = didYouMean(name, among: KindTable.outcomeNames)
                findings.report(
                    "FL019", at: selector.span, "no step can end with outcome \"\(name)\"\(suggestion)",
                    fix: suggestion.fix)
            } else if known.allSatisfy({ $0.name != name || $0.outcomeClass == .security }) {
                findings.report(
                    "FL051", at: selector.span,
                    "retrying after the failed check \"\(name)\" helps only an attacker")
            }
        case .byClass(.security):
            findings.report(
                "FL051", at: selector.span, "retrying after a failed check helps only an attacker")
        case .any, .success:
            findings.report(
                "FL019", at: selector.span, "retry names outcomes or classes, such as any.transient")
        case .byClass: break
        }
    }
}

extension RetryPolicy {
    /// Milliseconds that all attempts and the waits between them may take.
    fileprivate func longest(attempt: Int64) -> Int64 {
        var wait = Double(initial)
        var total = Double(attempt)
        for _ in 1..<max(attempts, 1) {
            total += min(wait, Double(maximum)) + Double(attempt)
            wait *= factor
        }
        return Int64(min(total, 1e15))
    }
}
