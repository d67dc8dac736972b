internal import YAMLText

/// Paths that would undo what the protocol protects.
enum ProtectionRules {
    static func check(_ graph: FlowGraph, _ findings: inout Findings) {
        let reached = graph.reachable().steps
        for index in reached.sorted() {
            checkVerification(graph, index, &findings)
            checkSecurityOutcomes(graph, index, &findings)
            checkSecondAttempt(graph, index, &findings)
        }
    }

    /// FL060: tokens that a person's sign-in produced or a refresh brought, on a way around `verify_id_token`.
    private static func checkVerification(_ graph: FlowGraph, _ index: Int, _ findings: inout Findings) {
        let node = graph.nodes[index]
        guard let effect = node.spec?.tokens, [.signsIn, .renews].contains(effect),
            expectsIDToken(graph, node.step)
        else { return }
        let set = node.step.tokenSet(effect == .renews ? "use" : "into")
        let search = PathSearch(graph: graph) { step, outcome in
            // What follows a failed check is FL064's.
            outcome.outcomeClass == .security || isVerified(graph.nodes[step], outcome, set: set)
        } finds: { target in
            switch target {
            case .end(let end): graph.flow.ends[end].result == .success
            case .step(let step):
                graph.nodes[step].spec?.kind == .store && graph.nodes[step].step.tokenSet("use") == set
            }
        }
        for route in node.routes where node.spec?.definesFields(after: route.outcome.outcome) == true {
            for target in node.edges(of: route).compactMap(\.target) + node.detours.map(\.value) {
                guard let last = search.path(from: target)?.last else { continue }
                let alias = node.step.provider?.value ?? "main"
                let place =
                    if case .step = last { "\"\(graph.name(of: last))\"" } else {
                        "success end \"\(graph.name(of: last))\""
                    }
                findings.report(
                    "FL060", at: node.step.span,
                    "tokens of \"\(node.step.name)\" reach \(place) without passing a verify_id_token step "
                        + "(declare providers.\(alias).oidc: false if the provider issues no ID token)")
                return
            }
        }
    }

    private static func expectsIDToken(_ graph: FlowGraph, _ step: StepDefinition) -> Bool {
        let alias = step.provider?.value ?? "main"
        return graph.flow.providers.first { $0.alias == alias }?.expectsIDToken ?? true
    }

    /// Verified, found to hold no ID token, or replaced by other tokens, for which the search starts anew.
    private static func isVerified(_ node: FlowGraph.Node, _ outcome: OutcomeSpec, set: String) -> Bool {
        guard let spec = node.spec else { return false }
        switch spec.tokens {
        case .uses:
            return spec.kind == .verifyIDToken && node.step.tokenSet("use") == set
                && [.ok, .absent].contains(outcome.outcome)
        case .loads: return node.step.tokenSet("into") == set && spec.loadsSession(on: outcome.outcome)
        case .signsIn, .obtains:
            return spec.writtenSet(of: node.step) == set && spec.definesFields(after: outcome.outcome)
        case .forgets: return node.step.tokenSet("use") == set && outcome.outcomeClass == .success
        case .none, .renews: return false
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
                let alias = node.step.provider?.value ?? "main"
                let provider = graph.flow.providers.firstIndex { $0.alias == alias } ?? 0
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
