internal import YAMLText

/// Paths that would undo what the protocol protects.
enum ProtectionRules {
    static func check(_ graph: FlowGraph, _ findings: inout Findings) {
        let reached = graph.reachable().steps
        for index in reached.sorted() {
            VerificationRule.check(graph, index, &findings)
            checkSecurityOutcomes(graph, index, &findings)
            checkSecondAttempt(graph, index, &findings)
        }
    }

    /// FL064
    private static func checkSecurityOutcomes(_ graph: FlowGraph, _ index: Int, _ findings: inout Findings) {
        let node = graph.nodes[index]
        let search = PathSearch(graph: graph) { step, outcome in
            isReassuring(graph.nodes[step], outcome, after: node)
        } finds: { target in
            if case .end(let end) = target { graph.flow.ends[end].result == .success } else { false }
        }
        var reported: Set<SourceSpan> = []
        for route in node.routes where route.outcome.mayFollowFailedCheck {
            for edge in node.edges(of: route) {
                guard let target = edge.target, let path = search.path(from: target), let end = path.last,
                    reported.insert(edge.definition.span).inserted
                else { continue }
                findings.report(
                    "FL064", at: edge.definition.span,
                    "security outcome \"\(route.outcome.name)\" of \"\(node.step.name)\" reaches success end "
                        + "\"\(graph.name(of: end))\" without a new authorization: \(search.text(index, path))"
                )
            }
        }
    }

    /// A new authorization; and where only the farewell to the provider failed, forgetting the session.
    private static func isReassuring(
        _ node: FlowGraph.Node, _ outcome: OutcomeSpec, after origin: FlowGraph.Node
    ) -> Bool {
        guard outcome.outcomeClass == .success, let spec = node.spec else { return false }
        switch origin.spec?.kind {
        case .revoke, .logout: return spec.transaction == .opens || spec.tokens == .forgets
        default: return spec.transaction == .opens
        }
    }

    /// FL052: a code's second use is FL041's; here the refresh token's, which only new tokens replace.
    private static func checkSecondAttempt(_ graph: FlowGraph, _ index: Int, _ findings: inout Findings) {
        let node = graph.nodes[index]
        guard node.spec?.kind == .refresh else { return }
        let set = node.step.tokenSet("use")
        let search = PathSearch(graph: graph) { step, outcome in
            guard outcome.outcomeClass == .success else { return false }
            let other = graph.nodes[step]
            return switch other.spec?.tokens {
            case .signsIn, .obtains: other.spec?.writtenSet(of: other.step) == set
            case .forgets: other.step.tokenSet("use") == set
            case .none?, .loads, .renews, .uses, nil: false
            }
        } finds: {
            $0 == .step(index)
        }
        for route in node.routes where route.outcome.outcome == .unanswered {
            let edges = node.edges(of: route).map { (target: $0.target, span: $0.definition.span) }
            let ways = edges + node.detours.map { (target: $0.value, span: $0.span) }
            for way in ways {
                guard let target = way.target, let path = search.path(from: target) else { continue }
                let diagnostic = Diagnostic(
                    code: "FL052", file: findings.file, span: way.span,
                    message:
                        "after \"unanswered\" the same refresh token would be sent again: "
                        + "\(search.text(index, path)); servers treat that as theft and revoke the grant")
                let provider = graph.flow.providerIndex(of: node.step)
                if graph.flow.providers[provider].standard == nil {
                    findings.diagnostics.append(diagnostic)
                } else {
                    findings.deferred.append(
                        DeferredFinding(
                            provider: provider, condition: .keepsRefreshTokens, diagnostic: diagnostic))
                }
            }
        }
    }
}
