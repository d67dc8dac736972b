internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Hooks of one point in order, and what happens after the last of them.
struct HookRound: Sendable {
    indirect enum Continuation: Sendable {
        /// Start the step's work.
        case begin
        /// Make the step's token set visible.
        case commit(StepResult)
        case route(StepResult)
        /// The hooks at `flow.end` follow those at `flow.error`.
        case round([Int], Int, RunFailure?)
        case finish(Int, RunFailure?)
        /// The flow of a `subflow` step ends.
        case leave(Int)
    }

    let hooks: [Int]
    let then: Continuation
    var next = 0

    /// Whether the run is over except for its last hooks.
    var isEnding: Bool {
        switch then {
        case .begin, .commit, .route, .leave: false
        case .round, .finish: true
        }
    }

    init(hooks: [Int], then: Continuation) {
        self.hooks = hooks
        self.then = then
    }
}

extension FlowMachine {
    mutating func runHooks(_ given: HookRound) -> Progress {
        var round = given
        while round.next < round.hooks.count {
            let index = round.hooks[round.next]
            round.next += 1
            let hook = plan.program.hooks[index]
            if let condition = hook.condition, !registers.evaluate(condition, plan).isTrue { continue }
            switch hook.action {
            case .set(let saves):
                for save in saves { registers.slots[save.slot] = registers.evaluate(save.code, plan) }
                note(hook, "continue", wrote: saves.map { plan.program.slots[$0.slot].path })
            case .emit(let event, let data):
                let texts = data.map { "\($0.name)=\(TracedText.of(registers.evaluate($0.code, plan)))" }
                note(hook, "continue", message: ([event] + texts).joined(separator: " "))
            case .assert(let rows):
                if let failed = rows.first(where: { !registers.evaluate($0.condition, plan).isTrue }) {
                    let message = failed.message ?? "an assertion of the hook does not hold"
                    note(hook, "abort", message: message)
                    if !round.isEnding {
                        return fail(RunFailure(.hookRefused, "hook \"\(hook.id)\": \(message)"))
                    }
                } else {
                    note(hook, "continue")
                }
            case .exec, .http, .native:
                phase = .hooks(round)
                return .decide(.perform(hookRequest(hook, round)))
            }
        }
        return proceed(round.then)
    }

    private mutating func proceed(_ continuation: HookRound.Continuation) -> Progress {
        switch continuation {
        case .begin: .begin
        case .commit(let result): commit(result)
        case .route(let result): .route(result)
        case .round(let hooks, let end, let failure):
            .hooks(HookRound(hooks: hooks, then: .finish(end, failure)))
        case .finish(let end, let failure): conclude(end, failure)
        case .leave(let end): finishFrame(end)
        }
    }

    /// The outcome that a hook is told: that of its step, or of the step that the run failed at.
    private func outcome(_ round: HookRound) -> String? {
        switch round.then {
        case .begin, .leave: nil
        case .commit(let result), .route(let result): plan.program.name(of: result.outcome, at: step)
        case .round, .finish: registers[.errorOutcome].text
        }
    }

    private mutating func hookRequest(_ hook: HookRow, _ round: HookRound) -> EffectRequest {
        let step = plan.program.steps[step]
        let isStepPoint = hook.point != .flowEnd && hook.point != .flowError
        let call = HookCall(
            hook: hook.id, point: hook.point, runID: registers[.runID].text ?? "", isDryRun: plan.isRehearsal,
            flow: plan.program.name, step: isStepPoint ? step.name : nil, outcome: outcome(round),
            values: Dictionary(
                hook.reads.map { ($0.path, HookValue.json(registers.slots[$0.slot])) },
                uniquingKeysWith: { $1 }),
            secrets: Dictionary(
                hook.grants.compactMap { grant in
                    HookValue.secret(registers.slots[grant.slot]).map { (grant.path, $0) }
                }, uniquingKeysWith: { $1 }),
            action: hook.action, directory: plan.directory, timeout: hook.timeout)
        registers.notes.add(.secrets(Array(call.secrets.values)))
        return request(.hook(call), until: registers.now + hook.timeout)
    }

    /// Takes a hook's answer: only declared writes, of the right type, and never past a failed check.
    mutating func resumeHooks(_ round: HookRound, _ event: InputEvent) -> Progress {
        guard case .hook(let reply) = event else {
            preconditionFailure("a hook was asked, something else answered")
        }
        let hook = plan.program.hooks[round.hooks[round.next - 1]]
        if plan.isRehearsal, reply.failure == HookReply.wouldRun { return simulate(hook, round) }
        if let failure = reply.failure { return hookFailed(hook, failure, round) }
        var values: [(slot: Int, value: Value)] = []
        for (path, json) in reply.assignments.sorted(by: { $0.key < $1.key }) {
            guard let write = hook.writes.first(where: { $0.path == path }) else {
                return hookFailed(hook, "it set \"\(path)\", which it does not declare under writes", round)
            }
            let type = plan.program.slots[write.slot].type
            guard let value = HookValue.value(json, as: type) else {
                return hookFailed(hook, "it set \"\(path)\" to a value that is not of type \(type)", round)
            }
            values.append((write.slot, value))
        }
        // All or nothing: a hook that fails has written nothing.
        for (slot, value) in values { registers.slots[slot] = value }
        switch reply.decision {
        case .continue:
            note(hook, "continue", wrote: reply.assignments.keys.sorted(), message: reply.remarks)
            return .hooks(round)
        case .abort(let message):
            note(hook, "abort", message: message)
            return round.isEnding
                ? .hooks(round) : fail(RunFailure(.hookRefused, "hook \"\(hook.id)\": \(message)"))
        }
    }

    /// Takes what the flow says a hook would answer; without that it is only said that it would run.
    private mutating func simulate(_ hook: HookRow, _ round: HookRound) -> Progress {
        guard let saves = hook.simulation else {
            note(hook, HookReply.wouldRun)
            return .hooks(round)
        }
        if hook.simulatesAbort {
            note(hook, "abort", message: "simulated")
            return round.isEnding
                ? .hooks(round)
                : fail(RunFailure(.hookRefused, "hook \"\(hook.id)\" refuses in the simulation"))
        }
        for save in saves { registers.slots[save.slot] = registers.evaluate(save.code, plan) }
        note(hook, "simulated", wrote: saves.map { plan.program.slots[$0.slot].path })
        return .hooks(round)
    }

    private mutating func hookFailed(_ hook: HookRow, _ reason: String, _ round: HookRound) -> Progress {
        note(hook, "failed", message: reason)
        if round.isEnding { return .hooks(round) }
        switch hook.onFailure {
        case .continue:
            registers.notes.add(.warning("hook \"\(hook.id)\" failed and the flow goes on: \(reason)"))
            return .hooks(round)
        case .goto(let index):
            registers.notes.add(.warning("hook \"\(hook.id)\" failed: \(reason)"))
            return detour(to: index, round)
        case .abort:
            return fail(RunFailure(.hookFailed, "hook \"\(hook.id)\" failed: \(reason)"))
        }
    }

    /// Leaves the step for another; what it has brought already stays, tokens that no hook has let pass do not.
    private mutating func detour(to index: Int, _ round: HookRound) -> Progress {
        switch round.then {
        case .commit: takeBackTokens()
        case .begin: publish(StepResult(.skipped))
        case .route, .round, .finish, .leave: break
        }
        transitions += 1
        guard transitions < plan.program.limits.transitions else { return fail(tooManyTransitions) }
        return .enter(index)
    }

    private mutating func note(
        _ hook: HookRow, _ decision: String, wrote: [String] = [], message: String? = nil
    ) {
        registers.notes.add(
            .hook(
                TracedHook(
                    id: hook.id, point: hook.point.rawValue, action: hook.action.name, decision: decision,
                    reads: hook.reads.map(\.path), grants: hook.grants.map(\.path), wrote: wrote,
                    message: message)))
    }
}

extension HookReply {
    /// The answer of a handler that performs nothing: the hook's `simulate` takes its place.
    package static let wouldRun = "would run"
}

extension HookRow.Action {
    /// The word by which a flow file names the action.
    var name: String {
        switch self {
        case .set: "set"
        case .assert: "assert"
        case .emit: "emit"
        case .exec: "exec"
        case .http: "http"
        case .native: "native"
        }
    }
}
