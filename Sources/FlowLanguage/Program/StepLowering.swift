internal import YAMLText

/// Steps, their arguments and their routes.
extension FlowLowering {
    /// Of one attempt, and of a person's answer (flow/1 §3).
    static let attemptTimeout: Int64 = 20_000
    private static let interactiveTimeout: Int64 = 300_000

    mutating func step(_ index: Int) -> StepRow {
        let node = graph.nodes[index]
        let step = node.step
        let hooks = analysis.transfer.hooks
        var entry = ExpressionSite(place: step.name, state: analysis.steps[index])
        entry.provider = knownProvider(step)
        let deciding = SuccessChoice(graph, step: index).purposeOfStep.map { entry.into("a condition", $0) }
        let condition = step.condition.flatMap { expressions.condition($0, at: deciding ?? entry, &findings) }
        let inside = entry.narrowed(by: condition?.slots ?? [])
        var done = inside
        done.step = index
        done.state = doneState(index)
        return StepRow(
            name: step.name, kind: step.kind ?? .set, provider: flow.providerIndex(of: step),
            condition: condition?.code,
            arguments: node.spec.map { arguments(index, $0, at: inside) } ?? [],
            assertions: assertions(step.assertions, at: done), saves: saves(step.saves, at: done),
            retry: node.spec.flatMap { retry(node, $0) }, retryPlace: retryPlace(step),
            timeout: timeout(step, node.spec),
            deadline: step.deadline?.value, visits: step.visits?.value ?? flow.limits.visits,
            isVisitsExplicit: step.visits != nil, fieldBase: table.fieldBases[index],
            fieldCount: node.spec?.fields.count ?? 0, errorFieldCount: node.spec?.errorFields.count ?? 4,
            declaredOutcomes: node.declaredOutcomes,
            routes: routes(of: index),
            beforeHooks: hooks.before[index], afterHooks: hooks.after[index], tokenHooks: hooks.tokens[index],
            attemptHooks: hooks.attempts[index],
            span: step.span)
    }

    /// What `provider` stands for; `nil` where the step says none and there are several.
    private func knownProvider(_ step: StepDefinition) -> Int? {
        step.isWithoutProvider(flow) ? nil : flow.providerIndex(of: step)
    }

    /// What holds where `assert` and `save` stand: the step has succeeded.
    func doneState(_ index: Int) -> FlowState? {
        guard let entry = analysis.steps[index],
            let success = graph.nodes[index].outcomes.first(where: { $0.outcomeClass == .success })
        else { return nil }
        return analysis.transfer.work(of: index, success, from: entry)
    }

    private func timeout(_ step: StepDefinition, _ spec: KindSpec?) -> Int64 {
        if let timeout = step.timeout { return timeout.value }
        if spec?.isInteractive == true { return Self.interactiveTimeout }
        return flow.defaults.timeout ?? Self.attemptTimeout
    }

    private func retry(_ node: FlowGraph.Node, _ spec: KindSpec) -> RetryPolicy? {
        guard let retry = node.step.retry ?? flow.defaults.retry else { return nil }
        var policy = retry.policy
        policy.outcomes = RetryRules.outcomes(of: retry, node, spec)
        return policy.attempts > 1 && !policy.outcomes.isEmpty ? policy : nil
    }

    private func retryPlace(_ step: StepDefinition) -> RetryPlace? {
        if let retry = step.retry { return RetryPlace(span: retry.span, isDefault: false) }
        return flow.defaults.retry.map { RetryPlace(span: $0.span, isDefault: true) }
    }

    // MARK: Routes

    /// Every outcome has a route of its own; outcomes of one line share its edges, and so their budgets.
    private mutating func routes(of index: Int) -> [UInt16] {
        let node = graph.nodes[index]
        var places: [Int: Range<Int>] = [:]
        var table: [UInt16] = []
        for route in node.routes {
            let range = places[route.list] ?? lowerEdges(route.list, of: index)
            places[route.list] = range
            let value = Int(route.outcome.outcome.rawValue)
            while table.count <= value { table.append(RouteRow.none) }
            table[value] = UInt16(clamping: routes.count)
            routes.append(
                RouteRow(
                    outcomeClass: route.outcome.outcomeClass, reason: route.reason, edges: range,
                    looks: route.looks))
        }
        return table
    }

    private mutating func lowerEdges(_ list: Int, of index: Int) -> Range<Int> {
        let node = graph.nodes[index]
        var site = ExpressionSite(place: node.step.name, state: exitState(list, of: index))
        site.step = index
        site.provider = knownProvider(node.step)
        let first = edges.count
        let purposes = SuccessChoice(graph, step: index).purposes(ofList: list)
        for (edge, purpose) in zip(node.lists[list], purposes) {
            let guarded = purpose.map { site.into("a condition", $0) }
            let condition = edge.definition.condition.flatMap {
                expressions.condition($0, at: guarded ?? site, &findings)
            }
            let saves = saves(edge.definition.saves, at: site.narrowed(by: condition?.slots ?? []))
            edges.append(
                EdgeRow(
                    target: edge.target ?? .step(index), guardCode: condition?.code,
                    guardText: edge.definition.condition?.scalar?.text,
                    maximum: edge.definition.maximum?.value, saves: saves, span: edge.definition.span))
        }
        return first..<edges.count
    }

    private func exitState(_ list: Int, of index: Int) -> FlowState? {
        guard let entry = analysis.steps[index] else { return nil }
        var state: FlowState?
        for route in graph.nodes[index].routes where route.list == list {
            let exit = analysis.transfer.exit(of: index, route.outcome, from: entry)
            if state == nil { state = exit } else { _ = state?.formUnion(exit) }
        }
        return state
    }
}
