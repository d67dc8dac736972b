internal import FlowLanguage

/// From an outcome to the next step, and from the last step to the end.
extension FlowMachine {
    mutating func route(_ result: StepResult) -> Progress {
        let index = plan.program.steps[step].routes[Int(result.outcome.rawValue)]
        guard index != RouteRow.none else {
            preconditionFailure("a kind gave an outcome that its table does not list")
        }
        let outcomeClass = plan.program.routes[Int(index)].outcomeClass
        let taken = openEdge(plan.program.routes[Int(index)].edges)
        used[taken] += 1
        let target = plan.program.edges[taken].target
        remember(result, outcomeClass, target)
        save(plan.program.edges[taken].saves)
        noteEnd(result, taken)
        return proceed(to: target)
    }

    /// Goes to the next step, or ends the flow.
    mutating func proceed(to target: FlowTarget) -> Progress {
        left = nil
        transitions += 1
        switch target {
        case .step(let next):
            guard transitions < plan.program.limits.transitions else {
                return fail(tooManyTransitions)
            }
            return .enter(next)
        case .end(let end):
            if let place = plan.program.ends[end].frame {
                // The end of a sub-flow is not that of the run: its step has a transition to make as well.
                guard transitions < plan.program.limits.transitions else { return fail(tooManyTransitions) }
                return leaveFrame(end, place)
            }
            return .arrive(end, nil)
        }
    }

    var tooManyTransitions: RunFailure {
        RunFailure(.transitions, "the run made more than \(plan.program.limits.transitions) transitions")
    }

    /// Tells the trace which way the current step takes.
    mutating func noteEnd(_ result: StepResult, _ edge: Int) {
        guard registers.notes.isEnabled else { return }
        let way = way(edge)
        registers.notes.add(.stepEnd(step: step, result, way))
    }

    /// The way that the current step takes, with all that was looked at to find it.
    func way(_ edge: Int) -> RouteTaken {
        RouteTaken(
            edge: edge, used: used[edge], visit: visits[step], looks: looks,
            attempts: retryVerdict == .notTried ? 0 : attempt, retry: retryVerdict)
    }

    /// A choice is a problem only where the flow itself makes it the reason to end without success.
    private mutating func remember(_ result: StepResult, _ outcomeClass: OutcomeClass, _ target: FlowTarget) {
        switch outcomeClass {
        case .success: return
        case .choice:
            guard case .end(let end) = target, plan.program.ends[end].result != .success else { return }
        case .denied, .grant, .config, .transient, .security, .data, .limit, .internal: break
        }
        // What went wrong inside of a sub-flow says more than the name of its end.
        var told =
            left?.problem
            ?? Problem(
                step: step, outcome: result.outcome, outcomeClass: outcomeClass, error: result.error,
                description: result.description, status: result.status, retryAfter: result.retryAfter)
        if left == nil {
            (told.hook, told.rule) = (result.hook, result.rule)
            told.request = registers.sent.map { SentRequest($0, to: scope.provider) }
            // It may bear the state.
            told.redirectURI = registers.redirectURI.map(shown)
        }
        if let left {
            let end = plan.program.ends[left.end]
            told.code = end.error ?? told.code
            told.exit = end.exit ?? told.exit
        }
        problem = told
    }

    mutating func arrive(at end: Int, _ failure: RunFailure?) -> Progress {
        if let rescue = rescue(beforeEnd: end, failure) { return rescue }
        takeBackTokens()
        setErrorSlots(end, failure)
        let finish = HookRound(hooks: hooks(at: .flowEnd), then: .finish(end, failure))
        if plan.program.ends[end].result == .failure {
            let errorHooks = hooks(at: .flowError)
            if !errorHooks.isEmpty {
                return .hooks(HookRound(hooks: errorHooks, then: .round(finish.hooks, end, failure)))
            }
        }
        return .hooks(finish)
    }

    /// Tokens that no hook has let pass are nobody's.
    mutating func takeBackTokens() {
        guard let withheld else { return }
        self.withheld = nil
        publish(StepResult(.ok))
        registers.setTokens(withheld.previous, at: withheld.set, plan)
    }

    mutating func setErrorSlots(_ end: Int, _ failure: RunFailure?) {
        guard plan.program.ends[end].result != .success else { return }
        if let failure {
            registers[.errorCode] = .string(failure.code.rawValue)
            registers[.errorMessage] = .string(failure.message)
            registers[.errorStep] = .string(plan.program.steps[step].name)
        } else if let problem {
            registers[.errorCode] = .string(
                plan.program.ends[end].error ?? problem.error
                    ?? plan.program.name(of: problem.outcome, at: problem.step))
            registers[.errorMessage] = problem.description.map(Value.string) ?? .null
            registers[.errorStep] = .string(plan.program.steps[problem.step].name)
            registers[.errorOutcome] = .string(plan.program.name(of: problem.outcome, at: problem.step))
        }
    }

    func hooks(at point: HookPoint) -> [Int] {
        plan.program.hooks.indices.filter {
            plan.program.hooks[$0].point == point && plan.program.hooks[$0].frame == nil
        }
    }

    /// Every hook has had its say.
    mutating func conclude(_ end: Int, _ failure: RunFailure?) -> Progress {
        farewell(endNow(end, failure))
    }

    /// Gives back what the run still has, one after the other, and finishes.
    mutating func farewell(_ ended: FlowEnd) -> Progress {
        phase = .concluding(ended)
        if let key = registers.heldLock {
            registers.heldLock = nil
            return .decide(.perform(request(.unlock(key), until: registers.now + 15_000)))
        }
        guard hasRedirect else {
            phase = .done
            return .decide(.finish(ended))
        }
        hasRedirect = false
        let code =
            ended.error?.code.rawValue ?? problem.map { plan.program.name(of: $0.outcome, at: $0.step) }
        let effect = Effect.conclude(
            succeeded: ended.result == .success, code: ended.result == .success ? nil : code)
        return .decide(.perform(request(effect, until: registers.now + 15_000)))
    }

    mutating func endNow(_ end: Int, _ failure: RunFailure?) -> FlowEnd {
        let row = plan.program.ends[end]
        let outputs = row.outputs.map { output, code in
            (name: plan.program.outputs[output].name, value: registers.evaluate(code, plan))
        }
        return FlowEnd(
            end: end, name: row.name, result: failure?.code == .cancelled ? .cancelled : row.result,
            message: row.message.flatMap { registers.evaluate($0, plan).text }.map { shown($0) },
            error: failure, outputs: outputs,
            transitions: transitions, retries: retries)
    }
}
