internal import YAMLText

/// Hooks: ids, filters and what they write. Reads and grants are checked where they are resolved.
enum HookRules {
    static func check(_ graph: FlowGraph, _ assignment: HookAssignment, _ findings: inout Findings) {
        checkIDs(graph, &findings)
        for (index, hook) in graph.hooks.enumerated() {
            checkFilters(hook, graph, &findings)
            checkWrites(hook, graph.flow, &findings)
            checkDetour(hook, graph, &findings)
            HookPointRules.check(hook, graph, assignment.steps(of: index), &findings)
            checkSimulation(hook, &findings)
            checkEffect(index, hook, graph, assignment, &findings)
        }
    }

    /// FL072
    private static func checkIDs(_ graph: FlowGraph, _ findings: inout Findings) {
        var seen: Set<String> = []
        for id in graph.hooks.compactMap(\.id) where !seen.insert(id.value).inserted {
            findings.report("FL072", at: id.span, "hook id \"\(id.value)\" is used twice")
        }
    }

    /// FL074, FL019
    private static func checkFilters(_ hook: HookDefinition, _ graph: FlowGraph, _ findings: inout Findings) {
        for step in hook.steps ?? [] where graph.stepIndex(step.value) == nil {
            let suggestion = didYouMean(step.value, among: graph.nodes.map(\.step.name))
            findings.report(
                "FL074", at: step.span, "hook names unknown step \"\(step.value)\"\(suggestion)",
                fix: suggestion.fix)
        }
        if let point = hook.point, !point.followsOutcome, let first = hook.outcomes?.first {
            let reason = point.isOfStep ? "the step has not ended yet" : "no step is meant"
            findings.report("FL019", at: first.span, "at \(point.rawValue) \(reason); drop outcomes")
        }
        for selector in hook.outcomes ?? [] {
            guard case .outcome(let name) = selector.value, isUnknown(name, graph) else { continue }
            let suggestion = outcomeMeant(name, among: KindTable.outcomeNames)
            findings.report(
                "FL019", at: selector.span, "no step can end with outcome \"\(name)\"\(suggestion)",
                fix: suggestion.fix)
        }
    }

    /// FL075, FL076
    private static func checkWrites(
        _ hook: HookDefinition, _ flow: FlowDefinition, _ findings: inout Findings
    ) {
        for node in hook.writes {
            let path = node.scalar?.text ?? ""
            if path.hasPrefix("vars.") || !path.contains(".") {
                NameRules.checkTarget(Located(path, at: node.span), "hook", "FL075", flow, &findings)
            } else if !flow.isProfile(path) {
                let message = "\"\(path)\" is protocol state and cannot be written by a hook"
                findings.report("FL076", at: node.span, message)
            }
        }
        var saves = hook.simulation?.saves ?? []
        if case .set(let own) = hook.action { saves += own }
        for save in saves {
            if save.variable == nil, save.target.value.contains(".") {
                let message = "\"\(save.target.value)\" is protocol state and cannot be written by a hook"
                findings.report("FL076", at: save.target.span, message)
            } else {
                NameRules.checkTarget(save.target, "hook", "FL075", flow, &findings)
            }
        }
    }

    /// FL021, FL085: a hook leads to a step, or to an end that is no success.
    private static func checkDetour(_ hook: HookDefinition, _ graph: FlowGraph, _ findings: inout Findings) {
        if let detour = hook.detour {
            if let point = hook.point, !point.mayDetour {
                let message =
                    "a hook at \(point.rawValue) cannot lead to a step; it fires in the midst of one"
                findings.report("FL085", at: detour.span, message)
            } else if graph.stepIndex(detour.value) == nil {
                let suggestion = didYouMean(detour.value, among: graph.nodes.map(\.step.name))
                findings.report(
                    "FL021", at: detour.span, "hook: goto \"\(detour.value)\" is no step\(suggestion)",
                    fix: suggestion.fix)
            }
        }
        for name in hook.targets {
            switch graph.target(name.value) {
            case .step: continue
            case .end(let end):
                guard graph.flow.ends[end].result == .success else { continue }
                findings.report(
                    "FL085", at: name.span,
                    "goto \"\(name.value)\" is a success end; no hook can end a flow with success")
            case nil:
                let names = graph.nodes.map(\.step.name) + graph.flow.ends.map(\.name)
                let suggestion = didYouMean(name.value, among: names, isOwn: true)
                findings.report(
                    "FL021", at: name.span,
                    "hook: goto \"\(name.value)\" is neither step nor end\(suggestion)", fix: suggestion.fix)
            }
        }
    }

    /// FL084: a dry run cannot know what a hook outside of the engine would change.
    private static func checkSimulation(_ hook: HookDefinition, _ findings: inout Findings) {
        guard hook.action?.isCall == true, hook.simulation == nil else { return }
        let verdicts = hook.point?.verdicts ?? []
        let changes = hook.allowed.filter { !verdicts.contains($0) }
        guard !changes.isEmpty else { return }
        let name = hook.id.map { "hook \"\($0.value)\"" } ?? "the hook"
        let what = changes == [.set] ? "writes values" : "may change the run"
        let effect =
            changes == [.set] ? "a dry run leaves them as they are" : "a dry run goes on as if it did not"
        findings.report(
            "FL084", at: hook.id?.span ?? hook.span, "\(name) \(what), but has no simulate: \(effect)")
    }

    /// FL079
    private static func checkEffect(
        _ index: Int, _ hook: HookDefinition, _ graph: FlowGraph, _ assignment: HookAssignment,
        _ findings: inout Findings
    ) {
        guard hook.point?.isOfStep == true else { return }
        guard assignment.steps(of: index).isEmpty, !hasUnknownFilter(hook, graph) else { return }
        let name = hook.id.map { "hook \"\($0.value)\"" } ?? "the hook"
        findings.report("FL079", at: hook.id?.span ?? hook.span, "the filters of \(name) match no step")
    }

    /// Such a filter has been reported, and would match something if it were right.
    private static func hasUnknownFilter(_ hook: HookDefinition, _ graph: FlowGraph) -> Bool {
        if hook.kinds?.isEmpty == true || hook.outcomes?.isEmpty == true { return true }
        // What such a step can do is not known either.
        if graph.nodes.contains(where: { $0.spec == nil }) { return true }
        if let steps = hook.steps, steps.contains(where: { graph.stepIndex($0.value) == nil }) { return true }
        return hook.outcomes?.contains { selector in
            if case .outcome(let name) = selector.value { isUnknown(name, graph) } else { false }
        } ?? false
    }

    /// Neither one of the fixed names nor one that a step of the flow declares.
    private static func isUnknown(_ outcome: String, _ graph: FlowGraph) -> Bool {
        Outcome.named(outcome) == nil
            && !graph.nodes.contains { $0.outcomes.contains { $0.name == outcome } }
    }
}

extension FlowDefinition {
    /// Whether a path is the profile of a `userinfo` step: mapped by the descriptor, and by hooks after it.
    func isProfile(_ path: String) -> Bool {
        steps.contains { $0.kind == .userinfo && path == "steps.\($0.name).profile" }
    }
}
