/// Puts the tables of other programs behind those of one, so that a sub-flow is more rows and nothing else.
///
/// Names of an inner flow's things get the name of the `subflow` step and a slash before them.
struct ProgramMerge {
    private let outer: FlowProgram
    private var providers: [ProviderSlot]
    private var tokenSets: [TokenSetRow]
    private var steps: ContiguousArray<StepRow>
    private var ends: ContiguousArray<EndRow>
    private var edges: ContiguousArray<EdgeRow>
    private var routes: ContiguousArray<RouteRow>
    private var hooks: ContiguousArray<HookRow>
    private var slots: ContiguousArray<SlotRow>
    private var ports: [PortRow]
    private var code: CodeTable
    private var deferred: [DeferredFinding]
    /// Those of the outer flow's steps, in their order, then those that came with inner flows.
    private var frames: [FrameRow?]

    init(_ outer: FlowProgram) {
        self.outer = outer
        providers = outer.providers
        tokenSets = outer.tokenSets
        steps = outer.steps
        ends = outer.ends
        edges = outer.edges
        routes = outer.routes
        hooks = outer.hooks
        slots = outer.slots
        ports = outer.ports
        code = outer.code
        deferred = outer.deferred
        frames = outer.steps.compactMap(\.frame).map { _ in nil }
    }

    /// - Parameters:
    ///   - step: The `subflow` step in the outer program.
    ///   - inputs: Code in the outer program for inputs of the inner one.
    ///   - outcomes: The outcome of the step for ends of the inner program.
    mutating func add(
        _ inner: FlowProgram, at step: Int, _ inputs: [String: CodeRange], outcomes: [Int: Outcome]
    ) {
        let caller = steps[step]
        guard let own = caller.frame else { return }
        let prefix = "\(caller.name)/"
        let shift = Relocation(
            prefix: prefix, file: inner.file,
            folder: FlowFolder.path(from: FlowFolder.of(outer.file), to: FlowFolder.of(inner.file)),
            providers: bind(inner.providers, prefix, main: caller.provider),
            step: steps.count, end: ends.count, edge: edges.count, route: routes.count, hook: hooks.count,
            slot: slots.count - CommonSlot.allCases.count, tokenSet: tokenSets.count, port: ports.count,
            frame: frames.count, instruction: code.instructions.count, constant: code.constants.count,
            pattern: code.patterns.count)
        frames[own] = FrameRow(
            step: step, start: shift.stepIndex(inner.start), steps: shift.steps(inner.steps.indices),
            edges: shift.edges(inner.edges.indices),
            inputs: inner.inputs.map {
                FrameRow.Input(
                    name: $0.name, slot: shift.slot($0.slot), code: inputs[$0.name],
                    standard: $0.standard ?? .null, constraints: $0.constraints)
            },
            variables: inner.variables.map { (shift.slot($0.slot), $0.initial ?? .null) },
            deadline: inner.limits.deadline, tokenSets: shift.tokenSets(inner.tokenSets.indices),
            tokens: tokens(of: inner, caller, shift),
            providers: zip(inner.providers, shift.providers).map { (shift.slot($0.slotBase), $1) })
        frames += inner.frames.map { shift.frame($0) }
        append(inner, shift, own: own, outcomes)
    }

    private mutating func append(
        _ inner: FlowProgram, _ shift: Relocation, own: Int, _ outcomes: [Int: Outcome]
    ) {
        tokenSets += inner.tokenSets.map {
            TokenSetRow(name: shift.prefix + $0.name, slotBase: shift.slot($0.slotBase))
        }
        steps += inner.steps.map { shift.step($0) }
        edges += inner.edges.map { shift.edge($0) }
        routes += inner.routes.map { shift.route($0) }
        ends += inner.ends.indices.map { index in
            // An end that no edge leads to is none of the step's outcomes, and is never come to.
            let outcome = outcomes[index] ?? .cancelled
            return shift.end(inner.ends[index], FrameEnd(frame: own, outcome: outcome))
        }
        hooks += inner.hooks.map { shift.hook($0, frame: own) }
        slots += inner.slots.dropFirst(CommonSlot.allCases.count).map {
            SlotRow(path: shift.prefix + $0.path, type: $0.type, secrecy: $0.secrecy)
        }
        ports += inner.ports.map { shift.port($0) }
        code.instructions += inner.code.instructions.map { shift.instruction($0) }
        code.constants += inner.code.constants
        code.patterns += inner.code.patterns
        deferred += inner.deferred.map { $0.of(provider: shift.providers[$0.provider]) }
    }

    /// The inner flow's `main` is the provider of the step; others are those of the same alias, or further ones.
    private mutating func bind(_ inner: [ProviderSlot], _ prefix: String, main: Int) -> [Int] {
        let known = outer.providers
        return inner.map { slot in
            if slot.alias == "main" { return main }
            if let index = known.firstIndex(where: { $0.alias == slot.alias }) { return index }
            providers.append(
                ProviderSlot(
                    alias: prefix + slot.alias, standard: slot.standard, expectsIDToken: slot.expectsIDToken,
                    slotBase: 0, requirements: slot.requirements, span: slot.span))
            return providers.count - 1
        }
    }

    private func tokens(of inner: FlowProgram, _ caller: StepRow, _ shift: Relocation) -> (
        from: Int, into: Int
    )? {
        guard case .tokenSet(let into)? = caller.argument("into"),
            let from = inner.tokenSets.firstIndex(where: { $0.name == "main" })
        else { return nil }
        return (shift.tokenSet(from), into)
    }

    var program: FlowProgram {
        FlowProgram(
            name: outer.name, version: outer.version, summary: outer.summary, file: outer.file,
            digest: outer.digest, limits: outer.limits, providers: providers, inputs: outer.inputs,
            outputs: outer.outputs, variables: outer.variables, tokenSets: tokenSets, steps: steps,
            ends: ends,
            edges: edges, routes: routes, hooks: hooks, slots: slots, ports: ports,
            frames: frames.compactMap(\.self), code: code, start: outer.start, failedEnd: outer.failedEnd,
            cancelledEnd: outer.cancelledEnd, tests: outer.tests, deferred: deferred)
    }
}
