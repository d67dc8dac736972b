internal import FlowLanguage
internal import OAuthProtocol

/// Entering a step, trying it, trying it again.
extension FlowMachine {
    mutating func enter(_ index: Int) -> Progress {
        if let key = registers.heldLock, isSettled(before: index) {
            registers.heldLock = nil
            phase = .releasing(index)
            return .decide(.perform(request(.unlock(key), until: registers.now + 15_000)))
        }
        step = index
        retryVerdict = .notTried
        registers.forgetAnswers()
        if isOverdue { return fail(Self.overdue) }
        visits[index] += 1
        let visit = visits[index]
        registers[.runNow] = .time(registers.now)
        registers.notes.add(.stepStart(step: index, visit: visit))
        if visit > plan.program.steps[index].visits { return enteredTooOften(index, visit) }
        if let condition = plan.program.steps[index].condition, !registers.evaluate(condition, plan).isTrue {
            return passOver(StepResult(.skipped))
        }
        attempt = 1
        stepDeadline = min(runDeadline, plan.program.steps[index].deadline.map { registers.now + $0 } ?? .max)
        if plan.program.steps[index].beforeHooks.isEmpty { return startWork() }
        return .hooks(HookRound(hooks: plan.program.steps[index].beforeHooks, then: .begin))
    }

    private mutating func enteredTooOften(_ index: Int, _ visit: Int) -> Progress {
        let row = plan.program.steps[index]
        guard row.isVisitsExplicit else {
            return fail(
                RunFailure(.visits, "step \"\(row.name)\" was entered more often than limits.visits allows"))
        }
        return passOver(.failed(.exhausted, nil, "entered \(visit) times, \(row.visits) allowed"))
    }

    /// Leaves a step that does nothing this time; what an earlier visit brought is no longer its result.
    mutating func passOver(_ result: StepResult) -> Progress {
        publish(result)
        return .route(result)
    }

    /// Whether peers may have the session: it was stored or forgotten, or a person is asked, which takes long.
    private func isSettled(before next: Int) -> Bool {
        switch plan.program.steps[step].kind {
        case .store, .clear: true
        default: [.authorize, .deviceAuthorize, .logout].contains(plan.program.steps[next].kind)
        }
    }

    /// Begins, where a session is stored after its hooks.
    func startWork() -> Progress {
        let hooks = plan.program.steps[step].attemptHooks.store
        return hooks.isEmpty ? .begin : .hooks(HookRound(hooks: hooks, then: .store))
    }

    mutating func beginAttempt() -> Progress {
        if let frame = plan.program.steps[step].frame { return enterFrame(frame) }
        attemptDeadline = min(stepDeadline, registers.now + plan.program.steps[step].timeout)
        phase = .working
        proving = nil
        registers.concealSensitive(plan)
        registers.peer = Registers.Peer(host: scope.provider.host)
        registers.sent = nil
        if let refusal = scope.refusalOfTokens(&registers) { return fail(refusal) }
        work = plan.program.steps[step].kind.work
        return .act(work.start(&registers, scope))
    }

    mutating func act(_ action: StepAction) -> Progress {
        if let refusal = registers.refusal {
            registers.refusal = nil
            return fail(refusal)
        }
        switch action {
        case .perform(let effect):
            if effect.isDeciding, let assumed = assumedOutcome, plan.program.steps[step].kind != .restore {
                return .settle(.failed(assumed, nil, "assumed"))
            }
            if isOverdue, !effect.isEssential { return fail(Self.overdue) }
            if plan.program.steps[step].hasAttemptHooks, let round = hooks(before: effect) {
                return .hooks(round)
            }
            note(effect)
            return .decide(.perform(request(effect, until: attemptDeadline)))
        case .prove(let request):
            return prove(request)
        case .finish(let result):
            return .settle(assumedOutcome.map { assumed(result, $0) } ?? granted(result))
        case .fail(let failure):
            return fail(failure)
        }
    }

    /// Remembers what must be undone when the run ends here, and whom the step turns to.
    mutating func note(_ effect: Effect) {
        switch effect {
        case .http(let exchange):
            registers.meet(exchange.plan.secrets)
            registers.sent = exchange.plan
            registers.turn(to: exchange.plan.endpoint, exchange.purpose)
        case .present(let presentation):
            registers.meet(presentation.plan.secrets)
            registers.turn(to: presentation.plan.endpoint, nil)
        case .openRedirect: hasRedirect = true
        case .lock(let key, _): wantedLock = key
        case .unlock: registers.heldLock = nil
        case .randomness, .newKey, .awaitCallback, .conclude, .recallMetadata, .keepMetadata,
            .recallKeys,
            .keepKeys, .loadSession, .saveSession, .deleteSession, .sleep, .awaitDecision, .hook,
            .presentCode, .awaitEvent, .call:
            break
        }
    }

    func request(_ effect: Effect, until deadline: Int64) -> EffectRequest {
        EffectRequest(
            effect: effect, step: plan.program.steps[step].name, kind: plan.program.steps[step].kind,
            visit: visits[step], attempt: attempt,
            provider: plan.providers[plan.program.steps[step].provider],
            deadline: deadline, singleUse: singleUse(of: effect))
    }

    /// The result with the outcome that is taken for granted. A restored token set stays: the step that follows needs it.
    private func assumed(_ result: StepResult, _ outcome: Outcome) -> StepResult {
        if outcome == result.outcome { return result }
        guard plan.program.steps[step].kind == .restore else { return .failed(outcome, nil, "assumed") }
        var result = result
        result.outcome = outcome
        return result
    }

    /// A restored session that is taken for granted will do, whatever the step asks of one.
    private func granted(_ result: StepResult) -> StepResult {
        guard plan.program.steps[step].kind == .restore, result.tokens != nil, !plan.assumptions.isEmpty,
            plan.assumedOutcome(step: step, visit: visits[step]) == .ok
        else { return result }
        var result = result
        result.outcome = .ok
        result.description = nil
        return result
    }

    /// An outcome, other than ok, that is taken for granted here.
    var assumedOutcome: Outcome? {
        if plan.assumptions.isEmpty { return nil }
        let assumed = plan.assumedOutcome(step: step, visit: visits[step])
        return assumed == .ok ? nil : assumed
    }

    /// A step has an outcome: try again, or make its results visible and go on.
    mutating func settle(_ given: StepResult) -> Progress {
        // One after the other: as the argument of `listed`, `shown` would change a machine that was copied for it.
        let readable = shown(given)
        let result = listed(readable)
        // The end of the run's time shows first as that of the step, which no flow may take for an outcome.
        if isOverdue, result.outcome == .timeout || outcomeClass(of: result.outcome) == .transient {
            return fail(Self.overdue)
        }
        if let pause = retryPause(after: result) {
            let hooks = plan.program.steps[step].attemptHooks.retry.filter {
                plan.program.hooks[$0].outcomes?.contains(result.outcome) ?? true
            }
            if hooks.isEmpty { return wait(pause, after: result) }
            return .hooks(HookRound(hooks: hooks, then: .pause(pause, result)))
        }
        return deliver(result)
    }

    /// A word of OAuth that a server may send, and that the kind has no outcome for, is a refusal.
    private func listed(_ given: StepResult) -> StepResult {
        let routes = plan.program.steps[step].routes
        guard routes[Int(given.outcome.rawValue)] == RouteRow.none else { return given }
        var result = given
        result.outcome = .rejected
        return result
    }

    /// Waits before the next attempt.
    mutating func wait(_ pause: RetryPause, after result: StepResult) -> Progress {
        // Hooks may have taken their time.
        guard registers.now + pause.delay < stepDeadline else {
            retryVerdict = .noTime
            registers.notes.add(.note("no time is left for another attempt"))
            return deliver(result)
        }
        let name = plan.program.name(of: result.outcome, at: step)
        registers.notes.add(
            .retry(outcome: name, attempt: attempt + 1, delay: pause.delay, reason: pause.reason))
        retries += 1
        phase = .waitingToRetry
        return .decide(.perform(request(.sleep(until: registers.now + pause.delay), until: stepDeadline)))
    }

    /// The step has an outcome that stays.
    mutating func deliver(_ result: StepResult) -> Progress {
        let hooks = plan.program.steps[step].tokenHooks
        if !hooks.isEmpty, let tokens = result.tokens, isNewSet(result) {
            withheld = WithheldTokens(set: tokens.index, previous: registers.tokenSets[tokens.index])
            publish(result)
            return .hooks(HookRound(hooks: hooks, then: .commit(result)))
        }
        return commit(result)
    }

    private func isNewSet(_ result: StepResult) -> Bool {
        switch KindTable.spec(of: plan.program.steps[step].kind).tokens {
        case .signsIn, .obtains, .renews: isSuccess(result.outcome)
        case .none, .loads, .uses, .forgets: false
        }
    }

    mutating func commit(_ given: StepResult) -> Progress {
        var result = given
        withheld = nil
        publish(result)
        if isSuccess(result.outcome) {
            if let failed = plan.program.steps[step].assertions.first(where: {
                !registers.evaluate($0.condition, plan).isTrue
            }) {
                result = .failed(
                    .assertionFailed, nil, failed.message ?? "an assertion of the step does not hold")
                publish(result)
            } else {
                save(plan.program.steps[step].saves)
            }
        }
        if plan.program.steps[step].afterHooks.isEmpty { return .route(result) }
        let hooks = plan.program.steps[step].afterHooks.filter {
            plan.program.hooks[$0].outcomes?.contains(result.outcome) ?? true
        }
        return .hooks(HookRound(hooks: hooks, then: .route(result)))
    }

    func isSuccess(_ outcome: Outcome) -> Bool {
        let route = plan.program.steps[step].routes[Int(outcome.rawValue)]
        return route != RouteRow.none && plan.program.routes[Int(route)].outcomeClass == .success
    }

    /// Writes the fields of a result where expressions find them.
    mutating func publish(_ result: StepResult) {
        let base = plan.program.steps[step].fieldBase
        let count = plan.program.steps[step].fieldCount
        if result.fields.isEmpty {
            for offset in 0..<count { registers.slots[base + offset] = .null }
        } else {
            for offset in 0..<count { registers.slots[base + offset] = result.fields[offset] }
        }
        registers.slots[base + count] = result.error.map(Value.string) ?? .null
        registers.slots[base + count + 1] = result.description.map(Value.string) ?? .null
        registers.slots[base + count + 2] = result.status.map { .int(Int64($0)) } ?? .null
        registers.slots[base + count + 3] = result.retryAfter.map(Value.duration) ?? .null
        if plan.program.steps[step].errorFieldCount > 4 {
            registers.slots[base + count + 4] =
                result.challenge?.levels.map { .list($0.map(Value.string)) } ?? .null
            registers.slots[base + count + 5] = result.challenge?.maxAge.map(Value.duration) ?? .null
        }
        if let tokens = result.tokens { registers.setTokens(tokens.value, at: tokens.index, plan) }
        if !plan.forced.isEmpty { force(base..<(base + count), result) }
    }

    /// Puts what a rehearsal takes for granted in place of what the step and its token set brought.
    private mutating func force(_ fields: Range<Int>, _ result: StepResult) {
        let members = result.tokens.map { tokens in
            let base = plan.program.tokenSets[tokens.index].slotBase
            return base..<(base + TokenSetRow.members.count)
        }
        for (slot, amount) in plan.forced {
            let isField = fields.contains(slot) && !result.fields.isEmpty
            guard isField || members?.contains(slot) == true else { continue }
            registers.slots[slot] = amount.value(at: registers.now)
        }
    }

    mutating func save(_ saves: [SaveRow]) {
        if saves.isEmpty { return }
        for row in saves { registers.slots[row.slot] = registers.evaluate(row.code, plan) }
        registers.notes.add(.saved(saves.map(\.slot)))
    }

    /// How long to wait before the next attempt; `nil` when there is none (flow/1 §7).
    private mutating func retryPause(after result: StepResult) -> RetryPause? {
        guard let policy = plan.program.steps[step].retry, policy.outcomes.contains(result.outcome) else {
            retryVerdict = .otherOutcome
            return nil
        }
        guard !result.isSpent else {
            retryVerdict = .spent
            registers.notes.add(.note("what was sent is used up: sending it again could only do harm"))
            return nil
        }
        guard !result.isLasting else {
            retryVerdict = .lasting
            if policy.attempts > 1 {
                registers.notes.add(.note("not tried again: another attempt would fail in the same way"))
            }
            return nil
        }
        guard attempt < policy.attempts else {
            retryVerdict = .lastAttempt
            if policy.attempts > 1 { registers.notes.add(.note("gave up after \(policy.attempts) attempts")) }
            return nil
        }
        var delay = policy.delay(afterAttempt: attempt, &random)
        var reason = "backoff"
        if policy.honorsRetryAfter, let wanted = result.retryAfter, wanted > delay {
            guard wanted <= policy.retryAfterMaximum else {
                retryVerdict = .tooLong
                registers.notes.add(
                    .note("the server asks to wait \(wanted / 1000) s, longer than retry_after.max"))
                return nil
            }
            delay = wanted
            reason = "Retry-After"
        }
        guard registers.now + delay < stepDeadline else {
            retryVerdict = .noTime
            registers.notes.add(.note("no time is left for another attempt"))
            return nil
        }
        return RetryPause(delay: delay, reason: reason)
    }
}

extension RetryPolicy {
    /// `min(max, initial * factor^(n-1))`, spread by the jitter (flow/1 §7).
    func delay(afterAttempt attempt: Int, _ random: inout SplitMix64) -> Int64 {
        var delay = Double(initial)
        for _ in 1..<max(attempt, 1) { delay = min(delay * factor, Double(maximum)) }
        let bound = Int64(min(delay, Double(maximum)))
        return switch jitter {
        case .none: bound
        case .full: random.next(upTo: bound)
        case .equal: bound / 2 + random.next(upTo: bound - bound / 2)
        }
    }
}
