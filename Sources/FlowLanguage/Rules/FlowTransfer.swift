internal import YAMLText

/// What a step does to the state of a flow, outcome by outcome.
struct FlowTransfer {
    let graph: FlowGraph
    let table: SlotTable
    let sources: TransactionSources
    let hooks: HookAssignment

    /// The state in which a run begins.
    var initial: FlowState {
        let variables = graph.flow.variables.map { variable in
            variable.initial == nil ? FlowState.Possible.absent : .present
        }
        return FlowState(steps: graph.nodes.count, tokenSets: table.tokenSets.count, variables: variables)
    }

    /// The same once the hooks at `flow.start` have run.
    var started: FlowState {
        var state = initial
        for hook in graph.hooks where hook.point == .flowStart { apply(hook, to: &state) }
        return state
    }

    /// The state when the step's own work is done, before `assert` and `save`.
    func work(of index: Int, _ outcome: OutcomeSpec, from entry: FlowState) -> FlowState {
        var state = entry
        if outcome.outcome != .skipped, outcome.outcome != .exhausted {
            for hook in hooks.before[index] { apply(graph.hooks[hook], to: &state) }
        }
        state.outcomes[index] = FlowState.bit(outcome)
        guard let spec = graph.nodes[index].spec else { return state }
        moveTokens(of: index, spec, outcome, &state)
        moveTransactions(of: index, spec, outcome, &state)
        return state
    }

    /// The state on the edges of an outcome: after `save` and the after-hooks.
    func exit(of index: Int, _ outcome: OutcomeSpec, from entry: FlowState) -> FlowState {
        var state = work(of: index, outcome, from: entry)
        if outcome.outcomeClass == .success { apply(graph.nodes[index].step.saves, to: &state) }
        for hook in hooks.after[index] {
            let definition = graph.hooks[hook]
            guard HookAssignment.fires(definition, on: outcome) else { continue }
            apply(definition, to: &state)
        }
        return state
    }

    func apply(_ saves: [SaveDefinition], to state: inout FlowState) {
        for variable in saves.compactMap({ variableIndex($0.variable) }) {
            state.variables[variable] = .present
        }
    }

    /// Takes over what a hook writes, unless it may fail or not fire.
    func apply(_ hook: HookDefinition, to state: inout FlowState) {
        guard !hook.mayBeMissed, hook.condition == nil else { return }
        for variable in hook.writtenVariables.compactMap({ variableIndex($0) }) {
            state.variables[variable] = .present
        }
    }

    private func variableIndex(_ name: String?) -> Int? {
        name.flatMap { name in graph.flow.variables.firstIndex { $0.name == name } }
    }

    // MARK: Tokens

    private func moveTokens(
        of index: Int, _ spec: KindSpec, _ outcome: OutcomeSpec, _ state: inout FlowState
    ) {
        let step = graph.nodes[index].step
        switch spec.tokens {
        case .loads:
            if spec.loadsSession(on: outcome.outcome) { set(step.tokenSet("into"), .present, &state) }
        case .signsIn, .obtains:
            guard outcome.outcomeClass == .success || outcome.outcome == .assertionFailed,
                let name = spec.writtenSet(of: step)
            else { return }
            set(name, .present, &state)
        case .forgets:
            if spec.definesFields(after: outcome.outcome) { set(step.tokenSet("use"), .absent, &state) }
        case .uses: learn(from: step, spec, outcome, &state)
        case .renews:
            // A new ID token is not verified yet, and it may be left out.
            if outcome.outcomeClass == .success, let set = setIndex(of: step.tokenSet("use")) {
                state.idTokens[set] = .absent
            }
        case .none: break
        }
    }

    /// What a check says about the set it looked at.
    private func learn(
        from step: StepDefinition, _ spec: KindSpec, _ outcome: OutcomeSpec, _ state: inout FlowState
    ) {
        guard let set = setIndex(of: step.tokenSet("use")) else { return }
        switch (spec.kind, outcome.outcome) {
        case (.verifyIDToken, .ok):
            state.subjects[set] = .present
            state.idTokens[set] = .present
        case (.verifyIDToken, .absent): state.idTokens[set] = .absent
        case (.userinfo, .ok): state.subjects[set] = .present
        default: return
        }
    }

    private func setIndex(of tokenSet: String) -> Int? { table.tokenSets.firstIndex(of: tokenSet) }

    /// The slots that are set although their type says that they may be missing.
    func knownSlots(in state: FlowState) -> Set<Int> {
        var slots: Set<Int> = []
        for set in table.tokenSets.indices where state.tokenSets[set] == .present {
            let base = table.tokenBases[set]
            if state.subjects[set] == .present { slots.insert(base + TokenSetRow.subjectPosition) }
            if state.idTokens[set] == .present { slots.insert(base + TokenSetRow.idTokenPosition) }
        }
        return slots
    }

    private func set(_ name: String, _ condition: FlowState.Possible, _ state: inout FlowState) {
        guard let index = setIndex(of: name) else { return }
        state.tokenSets[index] = condition
        state.subjects[index] = .absent
        state.idTokens[index] = .absent
    }

    // MARK: Transactions (flow/1 §6: one response each, one redemption each)

    private func moveTransactions(
        of index: Int, _ spec: KindSpec, _ outcome: OutcomeSpec, _ state: inout FlowState
    ) {
        guard outcome.outcome != .skipped, outcome.outcome != .exhausted else { return }
        switch spec.transaction {
        case .none: break
        case .opens:
            let isOpen = spec.definesFields(after: outcome.outcome)
            state.transactions[index] = isOpen ? .present : .absent
            for answer in graph.nodes.indices where sources.steps[answer] == index {
                state.codes[answer] = .absent
            }
        case .answers:
            if let source = sources.steps[index] { state.transactions[source] = .used }
            state.codes[index] = spec.definesFields(after: outcome.outcome) ? .present : .absent
        case .redeems:
            guard let source = sources.steps[index],
                !Self.keepsCredential.contains(outcome.outcome)
                    || spec.isHarmedByRepetition(after: outcome.outcome)
            else { return }
            state.codes[source] = .used
        case .polls:
            guard let source = sources.steps[index], !Self.keepsCredential.contains(outcome.outcome) else {
                return
            }
            state.transactions[source] = .used
        }
    }

    /// What was refused before it was read, or never arrived, has not used a code up (flow/1 §7).
    private static let keepsCredential: [Outcome] = [.network, .rateLimited, .serverError]
}

extension HookDefinition {
    /// Names of the variables that it sets: by its own action, or because `writes` lets its answer do so.
    var writtenVariables: [String] {
        let listed = writes.compactMap { $0.scalar?.text }.filter { $0.hasPrefix("vars.") }
        let answered = listed.map { String($0.dropFirst("vars.".count)) }
        guard case .set(let saves) = action else { return answered }
        return answered + saves.compactMap(\.variable)
    }
}
