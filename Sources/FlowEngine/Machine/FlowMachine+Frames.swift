internal import FlowLanguage

/// Into a sub-flow and out of it: its steps are rows of the same program (flow/1 §6).
extension FlowMachine {
    /// Starts the flow of a `subflow` step afresh, with its inputs as the step gives them.
    mutating func enterFrame(_ index: Int) -> Progress {
        if let assumed = assumedOutcome, !isSuccess(assumed) {
            return .settle(.failed(assumed, nil, "assumed"))
        }
        let frame = plan.program.frames[index]
        for input in frame.inputs {
            let value = input.code.map { registers.evaluate($0, plan) } ?? .null
            let taken = value.isNull ? input.standard : value
            if let problem = input.constraints?.problem(with: taken) {
                let step = plan.program.steps[frame.step].name
                return fail(
                    RunFailure(.inputInvalid, "the input \"\(input.name)\" of step \"\(step)\" \(problem)"))
            }
            registers.slots[input.slot] = taken
        }
        for variable in frame.variables { registers.slots[variable.slot] = variable.initial }
        for set in frame.tokenSets { registers.setTokens(nil, at: set, plan) }
        for edge in frame.edges { used[edge] = 0 }
        for step in frame.steps {
            visits[step] = 0
            registers.transactions[step] = nil
            registers.responses[step] = nil
            let row = plan.program.steps[step]
            for offset in 0..<(row.fieldCount + row.errorFieldCount) {
                registers.slots[row.fieldBase + offset] = .null
            }
        }
        outerDeadlines[index] = runDeadline
        outerProblems[index] = problem
        problem = nil
        left = nil
        runDeadline = min(runDeadline, stepDeadline, registers.now + frame.deadline)
        let hooks = plan.program.hooks.indices.filter {
            plan.program.hooks[$0].frame == index && plan.program.hooks[$0].point == .flowStart
        }
        if hooks.isEmpty { return .enter(frame.start) }
        return .hooks(HookRound(hooks: hooks, then: .enter(frame.start)))
    }

    /// The sub-flow has come to an end; its own hooks are told first.
    mutating func leaveFrame(_ end: Int, _ place: FrameEnd) -> Progress {
        let isFailure = plan.program.ends[end].result == .failure
        setErrorSlots(end, nil)
        let told = plan.program.hooks.indices.filter { index in
            let hook = plan.program.hooks[index]
            return hook.frame == place.frame
                && (hook.point == .flowEnd || (hook.point == .flowError && isFailure))
        }
        let errors = told.filter { plan.program.hooks[$0].point == .flowError }
        let ends = told.filter { plan.program.hooks[$0].point == .flowEnd }
        return .hooks(HookRound(hooks: errors + ends, then: .leave(end)))
    }

    /// Makes an outcome of its step of the end.
    mutating func finishFrame(_ end: Int) -> Progress {
        guard let place = plan.program.ends[end].frame else { preconditionFailure("the end of a sub-flow") }
        let frame = plan.program.frames[place.frame]
        let row = plan.program.ends[end]
        var result = StepResult(place.outcome)
        if !row.outputs.isEmpty {
            result.fields = Array(repeating: .null, count: plan.program.steps[frame.step].fieldCount)
            for (output, code) in row.outputs { result.fields[output] = registers.evaluate(code, plan) }
        }
        if row.result == .success {
            if let tokens = frame.tokens, let set = registers.tokenSets[tokens.from] {
                result.tokens = PendingTokens(set, at: tokens.into)
            }
        } else {
            left = (end, problem)
            result.error = row.error ?? problem?.error
            result.description =
                row.message.flatMap { registers.evaluate($0, plan).text }.map(shown)
                ?? problem?.description
        }
        for slot in [CommonSlot.errorCode, .errorMessage, .errorStep, .errorOutcome] {
            registers[slot] = .null
        }
        problem = outerProblems[place.frame]
        step = frame.step
        attempt = 1
        phase = .working
        work = PureStep()
        runDeadline = outerDeadlines[place.frame] ?? runDeadline
        return .settle(result)
    }
}
