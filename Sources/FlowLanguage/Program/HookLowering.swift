internal import JOSE
internal import YAMLText

/// Hooks, with their reads and grants resolved to slots.
extension FlowLowering {
    mutating func hooks() -> ContiguousArray<HookRow> {
        let states = HookStates(analysis).states
        return ContiguousArray(graph.hooks.indices.compactMap { hook($0, states[$0]) })
    }

    private mutating func hook(_ index: Int, _ state: FlowState?) -> HookRow? {
        let hook = graph.hooks[index]
        checkID(hook)
        var site = ExpressionSite(place: hook.id?.value ?? hook.point?.rawValue ?? "hook", state: state)
        site.step = outStep(index)
        site.knowsError = hook.point == .flowError || hook.point == .flowEnd
        let condition = hook.condition.flatMap { expressions.condition($0, at: site, &findings) }
        site.narrowed = condition?.slots ?? []
        let granted = Set(hook.grants.compactMap { $0.scalar?.text })
        let reads = hook.reads.compactMap { read($0, granted: granted, at: site) }
        let grants = hook.grants.compactMap { read($0, granted: granted, at: site) }
        let writes = hook.writes.compactMap { write($0) }
        recordAnswer(hook, reads, writes)
        let simulation = hook.simulation.map { self.simulation($0, at: site) }
        guard let action = hook.action, let lowered = self.action(action, at: site), let point = hook.point
        else {
            return nil
        }
        return HookRow(
            id: hook.id?.value ?? "hook-\(index + 1)", point: point, outcomes: outcomes(of: index),
            condition: condition?.code, action: lowered, reads: reads, grants: grants, writes: writes,
            timeout: hook.timeout ?? Self.standardTimeout(action), onFailure: policy(hook.failurePolicy),
            powers: powers(hook), attempts: hook.attempts, simulation: simulation, folder: hook.folder,
            span: hook.importedAt ?? hook.span, programSpan: hook.importedAt ?? hook.programSpan)
    }

    private func powers(_ hook: HookDefinition) -> HookRow.Powers {
        let targets = hook.targets.compactMap { name in
            graph.target(name.value).map { HookRow.Target(name: name.value, target: $0) }
        }
        return HookRow.Powers(allowed: hook.allowed, targets: targets)
    }

    private mutating func simulation(
        _ definition: HookDefinition.SimulationDefinition, at site: ExpressionSite
    ) -> HookRow.Simulation {
        var answer: JSONObject = [:]
        answer["decision"] = (definition.decision?.value).map { .string($0) }
        answer["to"] = (definition.to?.value).map { .string($0) }
        answer["message"] = definition.message.map { .string($0) }
        for member in definition.members { answer[member.name] = LiteralReader.json(member.node) }
        return HookRow.Simulation(saves: saves(definition.saves, at: site), answer: answer)
    }

    /// A hook whose answer comes from outside is known by its id in traces and journals.
    private mutating func checkID(_ hook: HookDefinition) {
        guard hook.id == nil else { return }
        guard hook.action?.isCall == true else { return }
        findings.report("FL011", at: hook.span, "a hook with exec, http or native needs an \"id\"")
    }

    /// `out` is clear to a hook of one step, once the step has ended.
    private func outStep(_ index: Int) -> Int? {
        let point = graph.hooks[index].point
        guard point == .stepAfter || point == .tokensReceived else { return nil }
        let steps = analysis.transfer.hooks.steps(of: index)
        return steps.count == 1 ? steps[0] : nil
    }

    /// The outcomes that the filter lets through, over all the steps of the hook.
    private func outcomes(of index: Int) -> Set<Outcome>? {
        let hook = graph.hooks[index]
        guard hook.outcomes != nil else { return nil }
        let all = analysis.transfer.hooks.steps(of: index).flatMap { graph.nodes[$0].outcomes }
        return Set(all.filter { HookAssignment.fires(hook, on: $0) }.map(\.outcome))
    }

    private static func standardTimeout(_ action: HookDefinition.Action) -> Int64 {
        switch action {
        case .native: HookRow.closureTimeout
        case .exec, .http, .set, .assert, .map, .emit: HookRow.programTimeout
        }
    }

    private mutating func action(_ action: HookDefinition.Action, at site: ExpressionSite) -> HookRow.Action?
    {
        switch action {
        case .set(let saves): .set(self.saves(saves, at: site))
        case .assert(let assertions): .assert(self.assertions(assertions, at: site))
        case .map(let fields):
            .map(templates(fields, as: .optional(.json), at: site.into("the profile", limit: .pii)))
        case .emit(let event, let data):
            .emit(event: event, data: emissions(data, at: site.into("event \"\(event)\"")))
        case .exec(let argv, let environment): .exec(argv: argv, environment: environment)
        case .http(let endpoint): .http(endpoint)
        case .native(let name): .native(name: name)
        }
    }

    private mutating func emissions(_ data: [NamedNode], at site: ExpressionSite) -> [HookRow.Emission] {
        data.compactMap { entry in
            let value = expressions.compiled(entry.node, as: .optional(.json), at: site, &findings)
            return value.map { value in
                let shown = Set(value.flows.filter(\.isShown).map(\.slot)).sorted()
                return HookRow.Emission(name: entry.name, code: value.range, shown: shown)
            }
        }
    }

    private func policy(_ policy: HookDefinition.FailurePolicy) -> HookRow.FailurePolicy {
        switch policy {
        case .abort: .abort
        case .continue: .continue
        case .goto(let step): graph.stepIndex(step.value).map { .goto($0) } ?? .abort
        }
    }

    // MARK: Paths

    /// FL078, and the codes of unknown names.
    private mutating func read(_ node: YAMLNode, granted: Set<String>, at site: ExpressionSite) -> HookRow
        .Read?
    {
        let path = node.scalar?.text ?? ""
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        let scope = FlowScope(table: table, graph: graph, step: site.step, knowsError: site.knowsError)
        switch scope.resolve(parts) {
        case .unknown(FlowScope.reported, _, _, _, _): return nil
        case .unknown(let code, let message, let hint, _, _):
            findings.report(code, at: node.span, message, hint: hint)
            return nil
        case .slot(let slot, let type, let consumed):
            guard consumed == parts.count else {
                let whole = parts.prefix(consumed).joined(separator: ".")
                findings.report("FL046", at: node.span, "a hook reads whole values; write \"\(whole)\"")
                return nil
            }
            if type.required == .secret, !granted.contains(path) {
                let message = "\"\(path)\" is secret; list it under grants to hand it to a hook"
                findings.report("FL078", at: node.span, message)
            }
            return HookRow.Read(path: path, slot: slot)
        }
    }

    /// What a hook writes may hold anything that it was given without a grant.
    private mutating func recordAnswer(
        _ hook: HookDefinition, _ reads: [HookRow.Read], _ writes: [HookRow.Read]
    ) {
        for write in writes {
            let flows = reads.map { ValueFlow(slot: $0.slot, members: [], span: hook.span) }
            let sink = Sink("\"\(write.path)\"", purpose: .variable(write.slot))
            expressions.record(flows, into: sink, isAnswered: true)
        }
    }

    private func write(_ node: YAMLNode) -> HookRow.Read? {
        guard let path = node.scalar?.text else { return nil }
        if flow.isProfile(path), let slot = table.rows.firstIndex(where: { $0.path == path }) {
            return HookRow.Read(path: path, slot: slot)
        }
        guard path.hasPrefix("vars."), let slot = table.variables[String(path.dropFirst("vars.".count))]
        else { return nil }
        return HookRow.Read(path: path, slot: slot)
    }
}
