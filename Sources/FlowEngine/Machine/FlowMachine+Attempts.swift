internal import FlowLanguage
internal import OAuthProtocol

/// Hooks in the midst of a step: around its requests, its answers and what it shows.
extension FlowMachine {
    /// The hooks that come before an effect; `nil` when there are none.
    func hooks(before effect: Effect) -> HookRound? {
        switch effect {
        case .http(let exchange):
            let hooks = plan.program.steps[step].attemptHooks.request
            return hooks.isEmpty ? nil : HookRound(hooks: hooks, then: .send(exchange))
        case .present, .presentCode:
            let hooks = plan.program.steps[step].attemptHooks.prompt
            return hooks.isEmpty ? nil : HookRound(hooks: hooks, then: .show(effect))
        case .randomness, .newKey, .openRedirect, .awaitCallback, .conclude, .recallMetadata, .keepMetadata,
            .recallKeys, .keepKeys, .loadSession, .saveSession, .deleteSession, .lock, .unlock, .sleep,
            .awaitDecision, .hook,
            .awaitEvent, .call:
            return nil
        }
    }

    /// Sends the request with what hooks have added to it.
    mutating func send(_ exchange: HTTPExchange, _ wishes: HookRound.Wishes) -> Progress {
        phase = .working
        if isOverdue { return fail(Self.overdue) }
        var plan = exchange.plan
        plan.fields += wishes.headers
        plan.query += wishes.query
        registers.notes.add(.request(plan, purpose: exchange.purpose.rawValue))
        do throws(ProtocolError) {
            let effect = Effect.http(
                HTTPExchange(
                    purpose: exchange.purpose, plan: plan, request: try plan.encoded(),
                    timeout: max(1, min(exchange.timeout, attemptDeadline - registers.now)),
                    maximumBytes: exchange.maximumBytes, sample: exchange.sample))
            registers.sentAt = registers.now
            note(effect)
            return .decide(.perform(request(effect, until: attemptDeadline)))
        } catch {
            return .settle(HTTPStep.result(of: error, .token, registers.now, nil, burning: false))
        }
    }

    /// Shows what a person must see; what a hook has shown is not shown once more.
    mutating func show(_ effect: Effect, isPresented: Bool) -> Progress {
        phase = .working
        var effect = effect
        switch effect {
        case .present(var presentation):
            presentation.isPresented = isPresented
            presentation.isTold = true
            effect = .present(presentation)
        case .presentCode(var prompt):
            prompt.isPresented = isPresented
            prompt.isTold = true
            effect = .presentCode(prompt)
        default: break
        }
        note(effect)
        return .decide(.perform(request(effect, until: attemptDeadline)))
    }

    /// Lets the step read an answer; where that ends it, a hook's word on the outcome counts.
    mutating func resume(_ event: InputEvent, _ wishes: HookRound.Wishes) -> Progress {
        phase = .working
        unread = nil
        let action = work.resume(event, &registers, scope)
        guard let wish = wishes.outcome else { return .act(action) }
        let name = plan.program.name(of: wish.outcome, at: step)
        guard case .finish(let result) = action else {
            registers.notes.add(
                .note("the answer does not end the step, so hook \"\(wish.hook)\" gives it no outcome"))
            return .act(action)
        }
        guard outcomeClass(of: result.outcome) != .security else {
            registers.notes.add(
                .warning(
                    "hook \"\(wish.hook)\" wished for the outcome \"\(name)\": a failed check stays failed"))
            return .act(action)
        }
        var changed = StepResult.failed(wish.outcome, result.error, result.description)
        changed.status = result.status
        changed.retryAfter = result.retryAfter
        changed.hook = wish.hook
        // The server has answered: what it has used up is not sent again.
        changed.isSpent = result.isSpent || isHarmedByRepetition
        return .act(.finish(changed))
    }

    private var isHarmedByRepetition: Bool {
        let kind = plan.program.steps[step].kind
        return kind == .http
            ? !HTTPCallAnswer.isIdempotent(scope) : KindTable.spec(of: kind).replay.isHarmedByRepetition
    }
}
