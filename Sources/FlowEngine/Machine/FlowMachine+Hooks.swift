internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Running the hooks of a point one after the other (flow/1 §9).
extension FlowMachine {
    mutating func runHooks(_ given: HookRound) -> Progress {
        var round = given
        while round.next < round.hooks.count {
            let index = round.hooks[round.next]
            round.next += 1
            round.tries = 1
            round.answer = nil
            let hook = plan.program.hooks[index]
            if let condition = hook.condition, !registers.evaluate(condition, plan).isTrue { continue }
            round.told = registers.notes.isEnabled ? values(readBy: hook) : []
            switch hook.action {
            case .set(let saves):
                for save in saves { registers.slots[save.slot] = registers.evaluate(save.code, plan) }
                note(hook, "continue", round, wrote: written(saves))
            case .map(let fields):
                if let reason = map(fields, hook, round) { return hookFailed(hook, reason, round) }
            case .emit(let event, let data):
                let emitted = registers.notes.isEnabled ? data.map { self.emitted($0) } : []
                note(hook, "continue", round, message: event, emitted: emitted)
            case .assert(let rows):
                if let failed = rows.first(where: { !registers.evaluate($0.condition, plan).isTrue }) {
                    let message = failed.message ?? "an assertion of the hook does not hold"
                    note(hook, "abort", round, message: message)
                    return fail(RunFailure(.hookRefused, "hook \"\(hook.id)\": \(message)"), of: hook)
                } else {
                    note(hook, "continue", round)
                }
            case .exec, .http, .native:
                if plan.asksHooks { return ask(hook, round) }
                note(hook, "left out", round)
                if leftOut.insert(index).inserted {
                    registers.notes.add(.warning(Self.warning(ofLeftOut: hook), hook: hook.id))
                }
            }
        }
        return proceed(round)
    }

    private mutating func proceed(_ round: HookRound) -> Progress {
        switch round.then {
        case .enter(let index): .enter(index)
        case .begin: startWork()
        case .store: .begin
        case .send(let exchange): send(exchange, round.wishes)
        case .show(let effect): show(effect, isPresented: round.wishes.isPresented)
        case .resume(let event): resume(event, round.wishes)
        case .pause(let pause, let result): wait(pause, after: result)
        case .commit(let result): commit(result)
        case .route(let result): .route(result)
        case .round(let hooks, let end, let failure):
            .hooks(HookRound(hooks: hooks, then: .finish(end, failure)))
        case .finish(let end, let failure): conclude(end, failure)
        case .leave(let end): finishFrame(end)
        }
    }

    // MARK: Calls

    private static func warning(ofLeftOut hook: HookRow) -> String {
        let loss = hook.onFailure == .abort ? "; what it would refuse is not refused" : ""
        return "hook \"\(hook.id)\" is left out (--no-hooks)\(loss)"
    }

    private mutating func ask(_ hook: HookRow, _ round: HookRound) -> Progress {
        let remaining = plan.program.limits.hookTime - hookTime
        guard remaining > 0 else { return hookFailed(hook, hookTimeIsOver, round) }
        if round.tries == 1 { hookCalls += 1 }
        phase = .hooks(round)
        hookAskedAt = registers.now
        return .decide(.perform(hookRequest(hook, round, within: min(hook.timeout, remaining))))
    }

    private var hookTimeIsOver: String {
        let limit = DurationText.format(plan.program.limits.hookTime)
        return "limits.hook_time is used up: \(limit) for all hooks of a run together"
    }

    /// The outcome that a hook is told: that of its step, or of the step that the run failed at.
    private func outcome(_ round: HookRound) -> String? {
        switch round.then {
        case .enter, .begin, .store, .send, .show, .resume, .leave: nil
        case .pause(_, let result), .commit(let result), .route(let result):
            plan.program.name(of: result.outcome, at: step)
        case .round, .finish: registers[.errorOutcome].text
        }
    }

    private mutating func hookRequest(
        _ hook: HookRow, _ round: HookRound, within timeout: Int64
    ) -> EffectRequest {
        // An address that a person is to open stays whole, wherever a hook reads it.
        let index = SecretIndex(held)
        let all = SecretIndex(secrets)
        let facts = facts(hook, round).map { name, value in
            (name, (name == "prompt" ? index : all).replaced(in: value))
        }
        let values = hook.reads.map { read in
            let isAddress = plan.program.slots[read.slot].secrecy == .sensitive
            let value = HookValue.json(registers.slots[read.slot])
            return (read.path, (isAddress ? index : all).replaced(in: value))
        }
        let told = HookCall.Step(
            id: plan.program.steps[step].name, kind: plan.program.steps[step].kind, visit: visits[step],
            attempt: attempt, outcome: outcome(round))
        let call = HookCall(
            hook: hook.id, point: hook.point, runID: registers[.runID].text ?? "", sequence: hookCalls,
            tries: round.tries, isDryRun: plan.isRehearsal, flow: plan.program.name,
            version: plan.program.version, program: plan.program.digest,
            step: hook.point.isOfStep ? told : nil,
            values: Dictionary(values, uniquingKeysWith: { $1 }),
            secrets: granted(hook),
            facts: JSONObject(facts), action: hook.action,
            directory: FlowFolder.join(plan.directory, hook.folder), timeout: timeout)
        registers.conceal(Array(call.secrets.values))
        return request(.hook(call), until: registers.now + timeout)
    }

    /// The secrets that a hook may have, by path.
    private func granted(_ hook: HookRow) -> [String: Secret] {
        Dictionary(
            hook.grants.compactMap { grant in
                HookValue.secret(registers.slots[grant.slot]).map { (grant.path, $0) }
            }, uniquingKeysWith: { $1 })
    }

    /// What a hook says, without the secrets that it was given and without control characters: its words end in results,
    /// errors and traces.
    func cleared(_ words: String, of hook: HookRow) -> String {
        RemoteText.sanitize(SecretIndex(Array(granted(hook).values)).replaced(in: words), limit: 2_000)
    }

    /// Takes a hook's answer, or asks once more where it failed and may be tried again.
    mutating func resumeHooks(_ given: HookRound, _ event: InputEvent) -> Progress {
        guard case .hook(let reply) = event else {
            preconditionFailure("a hook was asked, something else answered")
        }
        let took = registers.now - hookAskedAt
        hookTime += took
        var round = given
        let hook = plan.program.hooks[round.hooks[round.next - 1]]
        if plan.isRehearsal, reply.failure == HookReply.wouldRun { return simulate(hook, round) }
        round.answer = HookRound.Answer(duration: took, status: reply.status)
        guard var failure = reply.failure else { return take(reply, of: hook, round) }
        if let remarks = reply.remarks, !failure.hasSuffix(remarks) {
            let shown = cleared(remarks, of: hook)
            registers.notes.add(.note("hook \(hook.id) wrote: \(shown)"))
        }
        if hookTime >= plan.program.limits.hookTime { failure += "; \(hookTimeIsOver)" }
        guard round.tries < hook.attempts else { return hookFailed(hook, failure, round) }
        note(
            hook, "failed", round,
            message: "\(cleared(failure, of: hook)); try \(round.tries) of \(hook.attempts)")
        round.tries += 1
        round.answer = nil
        return ask(hook, round)
    }

    /// Takes what the flow says a hook would answer; without that it is only said that it would run.
    private mutating func simulate(_ hook: HookRow, _ round: HookRound) -> Progress {
        guard let simulation = hook.simulation else {
            note(hook, HookReply.wouldRun, round)
            return .hooks(round)
        }
        let reply = HookWire.reply(simulation.answer)
        if let failure = reply.failure { return hookFailed(hook, failure, round) }
        for save in simulation.saves { registers.slots[save.slot] = registers.evaluate(save.code, plan) }
        return take(
            reply, of: hook, round, simulating: written(simulation.saves))
    }

    // MARK: Failures and detours

    mutating func hookFailed(_ hook: HookRow, _ given: String, _ round: HookRound) -> Progress {
        let reason = cleared(given, of: hook)
        note(hook, "failed", round, message: reason)
        if round.isEnding { return .hooks(round) }
        switch hook.onFailure {
        case .continue:
            registers.notes.add(
                .warning("hook \"\(hook.id)\" failed and the flow goes on: \(reason)", hook: hook.id))
            return .hooks(round)
        case .goto(let index):
            registers.notes.add(.warning("hook \"\(hook.id)\" failed: \(reason)", hook: hook.id))
            guard followsFailedCheck(round) else { return detour(to: .step(index), round) }
            return fail(RunFailure(.hookFailed, "hook \"\(hook.id)\" failed: \(reason)"), of: hook)
        case .abort:
            return fail(RunFailure(.hookFailed, "hook \"\(hook.id)\" failed: \(reason)"), of: hook)
        }
    }

    /// Whether a check has failed right before: then the flow's own edges say where that leads, and nothing else.
    func followsFailedCheck(_ round: HookRound) -> Bool {
        switch round.then {
        case .route(let result), .commit(let result), .pause(_, let result):
            outcomeClass(of: result.outcome) == .security
        case .enter, .begin, .store, .send, .show, .resume, .round, .finish, .leave: false
        }
    }

    /// Leaves the step for another; what it has brought already stays, tokens that no hook has let pass do not.
    mutating func detour(to target: FlowTarget, _ round: HookRound) -> Progress {
        switch round.then {
        case .commit: takeBackTokens()
        case .begin: publish(StepResult(.skipped))
        case .enter, .store, .send, .show, .resume, .pause, .route, .round, .finish, .leave: break
        }
        return proceed(to: target)
    }

    func outcomeClass(of outcome: Outcome) -> OutcomeClass? {
        let routes = plan.program.steps[step].routes
        guard Int(outcome.rawValue) < routes.count, routes[Int(outcome.rawValue)] != RouteRow.none else {
            return nil
        }
        return plan.program.routes[Int(routes[Int(outcome.rawValue)])].outcomeClass
    }

    mutating func note(
        _ hook: HookRow, _ decision: String, _ round: HookRound, wrote: [WrittenPart] = [],
        message: String? = nil, emitted: [EmittedValue] = []
    ) {
        guard registers.notes.isEnabled else { return }
        var traced = TracedHook(
            id: hook.id, point: hook.point.rawValue, action: hook.action.name, decision: decision,
            reads: hook.reads.map(\.path), grants: hook.grants.map(\.path), wrote: wrote.map(\.path),
            message: message)
        traced.variables = hook.action.variables
        traced.place = plan.shownPlace(of: hook)
        if case .http(let endpoint) = hook.action {
            traced.url = String(endpoint.url.prefix { $0 != "?" && $0 != "#" })
        }
        if let answer = round.answer {
            (traced.duration, traced.status) = (answer.duration, answer.status)
            traced.attempt = round.tries
        }
        let values = HookedValues(
            read: round.told, written: wrote.compactMap(\.hooked), emitted: emitted)
        registers.notes.add(.hook(traced, values))
    }
}

extension HookReply {
    /// The answer of a handler that performs nothing: the hook's `simulate` takes its place.
    package static let wouldRun = "would run"

    /// What is told of a hook whose place its `simulate` took.
    package static let simulated = "simulated"
}

extension HookRow.Action {
    /// The word by which a flow file names the action.
    package var name: String {
        switch self {
        case .set: "set"
        case .assert: "assert"
        case .map: "map"
        case .emit: "emit"
        case .exec: "exec"
        case .http: "http"
        case .native: "native"
        }
    }

    /// Names of the environment variables that it needs: of a program's surroundings, of a server's key and token.
    package var variables: [String] {
        switch self {
        case .exec(_, let environment): environment
        case .http(let endpoint): [endpoint.keyVariable, endpoint.tokenVariable].compactMap(\.self)
        case .set, .assert, .map, .emit, .native: []
        }
    }
}
