internal import YAMLText

/// FL060: tokens that a step brings, on a way around `verify_id_token`.
///
/// The tokens are those of a person's sign-in, of a refresh, and of an `http` step that takes an ID token from an
/// answer. What is obtained with tokens that nobody verified is no better than they are, whatever set it is put into.
struct VerificationRule {
    /// Tokens as they are passed on from set to set.
    private struct Lineage: Hashable {
        /// Who wrote the set.
        let step: Int
        /// Where the tokens are.
        let set: String
        /// The sets that still hold the ID token: verifying one of them settles it.
        let verifiable: Set<String>
    }

    private let graph: FlowGraph

    /// - Parameter index: The step that may bring tokens.
    static func check(_ graph: FlowGraph, _ index: Int, _ findings: inout Findings) {
        let rule = VerificationRule(graph: graph)
        guard let set = rule.unverifiedSet(of: graph.nodes[index]), let last = rule.escape(index, set) else {
            return
        }
        let step = graph.nodes[index].step
        let alias = step.providerAlias
        let place =
            if case .step = last { "\"\(graph.name(of: last))\"" } else {
                "success end \"\(graph.name(of: last))\""
            }
        findings.report(
            "FL060", at: step.span,
            "tokens of \"\(step.name)\" reach \(place) without passing a verify_id_token step "
                + "(declare providers.\(alias).oidc: false if the provider issues no ID token)")
    }

    /// The set that the step fills with tokens of which an ID token is to be verified; `nil` when there is none.
    private func unverifiedSet(of node: FlowGraph.Node) -> String? {
        guard let spec = node.spec, expectsIDToken(node.step) else { return nil }
        switch spec.tokens {
        case .signsIn: return node.step.tokenSet("into")
        case .renews: return node.step.tokenSet("use")
        case .obtains:
            let bringsIDToken = spec.kind == .http && node.step.extractions.contains { $0.name == "id_token" }
            return bringsIDToken ? spec.writtenSet(of: node.step) : nil
        case .none, .loads, .uses, .forgets: return nil
        }
    }

    private func expectsIDToken(_ step: StepDefinition) -> Bool {
        let alias = step.providerAlias
        return graph.flow.providers.first { $0.alias == alias }?.expectsIDToken ?? true
    }

    /// Where the tokens of the step get to unverified: a `store` or a success end.
    private func escape(_ index: Int, _ set: String) -> FlowTarget? {
        var waiting = [Lineage(step: index, set: set, verifiable: [set])]
        var seen = Set(waiting)
        var position = 0
        while position < waiting.count {
            let lineage = waiting[position]
            position += 1
            if let last = end(of: lineage, where: { isEscape($0, set: lineage.set) }) { return last }
            for step in graph.nodes.indices {
                guard let copy = copy(of: lineage, by: step), seen.insert(copy).inserted else { continue }
                if end(of: lineage, where: { $0 == .step(step) }) != nil { waiting.append(copy) }
            }
        }
        return nil
    }

    private func isEscape(_ target: FlowTarget, set: String) -> Bool {
        switch target {
        case .end(let end): graph.flow.ends[end].result == .success
        case .step(let step):
            graph.nodes[step].spec?.kind == .store && graph.nodes[step].step.tokenSet("use") == set
        }
    }

    /// The place that is looked for, on a way from the lineage's step on that has the tokens unverified.
    private func end(of lineage: Lineage, where finds: @escaping (FlowTarget) -> Bool) -> FlowTarget? {
        let node = graph.nodes[lineage.step]
        let search = PathSearch(
            graph: graph,
            stops: { step, outcome in
                // What follows a failed check is FL064's.
                outcome.outcomeClass == .security || isSettled(graph.nodes[step], outcome, lineage)
            }, finds: finds)
        for route in node.routes where node.spec?.definesFields(after: route.outcome.outcome) == true {
            for target in node.edges(of: route).compactMap(\.target) + node.detours.map(\.value) {
                if let last = search.path(from: target)?.last { return last }
            }
        }
        return nil
    }

    /// What the step obtains with the tokens.
    ///
    /// An ID token that comes with it, or is missing, says nothing of the one that was not verified.
    private func copy(of lineage: Lineage, by step: Int) -> Lineage? {
        let node = graph.nodes[step]
        guard let set = node.spec?.writtenSet(of: node.step), mayObtain(node, with: lineage.set) else {
            return nil
        }
        return Lineage(step: step, set: set, verifiable: lineage.verifiable.filter { !isReplaced($0) })
    }

    /// Whether the set may come to hold other tokens than those of a sign-in, so that a later check is about them.
    private func isReplaced(_ set: String) -> Bool {
        graph.nodes.contains { node in
            guard let spec = node.spec, [.obtains, .loads].contains(spec.tokens) else { return false }
            return spec.writtenSet(of: node.step) == set
        }
    }

    /// Whether what the step obtains may come from the tokens of the set.
    ///
    /// What an `http` step sends, and what comes back, is the author's choice, and so are the assertions and tokens of
    /// others.
    private func mayObtain(_ node: FlowGraph.Node, with set: String) -> Bool {
        switch node.spec?.kind {
        case .tokenExchange:
            let actor = node.spec?.set("actor", of: node.step)
            return node.spec?.usedSet(of: node.step) == set || actor == set
                || node.step.arguments.contains { $0.name == "subject_token" }
        case .http: return true
        case .jwtBearer: return node.step.arguments.contains { $0.name == "assertion" || $0.name == "claims" }
        default: return false
        }
    }

    /// Verified, found to hold no ID token, or replaced: what was obtained with them is followed as a copy.
    private func isSettled(_ node: FlowGraph.Node, _ outcome: OutcomeSpec, _ lineage: Lineage) -> Bool {
        guard let spec = node.spec else { return false }
        let set = lineage.set
        switch spec.tokens {
        case .uses:
            return spec.kind == .verifyIDToken && lineage.verifiable.contains(node.step.tokenSet("use"))
                && [.ok, .absent].contains(outcome.outcome)
        case .loads: return node.step.tokenSet("into") == set && spec.loadsSession(on: outcome.outcome)
        case .signsIn, .obtains:
            return spec.writtenSet(of: node.step) == set && spec.definesFields(after: outcome.outcome)
        case .forgets: return node.step.tokenSet("use") == set && outcome.outcomeClass == .success
        case .none, .renews: return false
        }
    }
}
