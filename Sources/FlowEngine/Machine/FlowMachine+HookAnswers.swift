internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Why an answer of a hook counts for nothing.
private struct HookRefusal: Error {
    let reason: String
}

/// What a hook changes, for the trace.
struct WrittenPart: Sendable {
    let path: String
    /// `nil` where the path says all.
    let hooked: HookedValue?

    init(_ path: String) {
        self.path = path
        hooked = nil
    }

    init(_ path: String, _ value: Value, _ secrecy: Label.Secrecy = .public) {
        self.path = path
        hooked = HookedValue(path, value, secrecy)
    }
}

/// What of an answer comes to pass, once all of it has been found good.
private struct AcceptedAnswer {
    var slots: [(slot: Int, value: Value)] = []
    var arguments: [String: Value] = [:]
    var headers: [RequestParameter] = []
    var query: [RequestParameter] = []
    var outcome: Outcome?
    var target: FlowTarget?
    /// What changes, for the trace.
    var wrote: [WrittenPart] = []
}

/// Taking what a hook answers: all of it or nothing, never more than its point and its `may` give, and never past a
/// failed check.
extension FlowMachine {
    /// - Parameter simulated: Variables that a dry run has set for the hook; `nil` for a real answer.
    mutating func take(
        _ reply: HookReply, of hook: HookRow, _ given: HookRound, simulating simulated: [WrittenPart]? = nil
    ) -> Progress {
        var round = given
        let answer: AcceptedAnswer
        do throws(HookRefusal) {
            answer = try accepted(reply, hook, round)
            if simulated == nil { try checkPromises(reply, hook, answer) }
        } catch {
            return hookFailed(hook, error.reason, round)
        }
        for (slot, value) in answer.slots { registers.slots[slot] = value }
        registers.overrides.merge(answer.arguments) { $1 }
        for (name, value) in reply.meta { registers.sessionMeta[name] = value }
        round.wishes.headers += answer.headers
        round.wishes.query += answer.query
        if let outcome = answer.outcome { round.wishes.outcome = (outcome, hook.id) }
        if reply.isPresented == true { round.wishes.isPresented = true }
        let wrote = (simulated ?? []) + answer.wrote
        switch reply.decision {
        case .continue:
            let word = simulated == nil ? "continue" : HookReply.simulated
            note(hook, word, round, wrote: wrote, message: reply.remarks)
            return .hooks(round)
        case .abort(let given):
            let message = cleared(given, of: hook)
            note(hook, "abort", round, wrote: wrote, message: message)
            return fail(RunFailure(.hookRefused, "hook \"\(hook.id)\": \(message)"), of: hook)
        case .skip:
            note(hook, "skip", round, wrote: wrote, message: reply.remarks)
            return passOver(StepResult(.skipped))
        case .goto(let name):
            note(hook, "goto \(name)", round, wrote: wrote, message: reply.remarks)
            guard let target = answer.target else { preconditionFailure("a target was found") }
            return detour(to: target, round)
        case .veto:
            note(hook, "veto", round, wrote: wrote, message: reply.remarks)
            guard case .pause(_, let result) = round.then else { preconditionFailure("a veto at a retry") }
            retryVerdict = .refused
            return deliver(result)
        }
    }

    // MARK: Checks

    private mutating func accepted(
        _ reply: HookReply, _ hook: HookRow, _ round: HookRound
    ) throws(HookRefusal) -> AcceptedAnswer {
        var answer = AcceptedAnswer()
        try assign(reply.assignments, hook, &answer)
        try demandPowers(reply, hook)
        if case .goto(let name) = reply.decision {
            guard let target = hook.powers.targets.first(where: { $0.name == name })?.target else {
                let known = hook.powers.targets.map(\.name).joined(separator: ", ")
                throw HookRefusal(reason: "it led to \"\(name)\"; it may lead to \(known)")
            }
            guard !followsFailedCheck(round) else {
                throw HookRefusal(reason: "it led away from a failed check, which only the flow's edges do")
            }
            answer.target = target
        }
        try takeArguments(reply.arguments, &answer)
        if case .send(let exchange) = round.then {
            let additions = RequestAdditions(
                plan: exchange.plan, wishes: round.wishes,
                provider: plan.providers[plan.program.steps[step].provider].descriptor, hook: hook.id)
            switch additions.parameters(reply) {
            case .success(let (headers, query)): (answer.headers, answer.query) = (headers, query)
            case .failure(let refusal): throw HookRefusal(reason: refusal.reason)
            }
            answer.wrote += reply.headers.sorted { $0.key < $1.key }.map {
                WrittenPart("headers.\($0.key)", .string($0.value))
            }
            answer.wrote += reply.query.sorted { $0.key < $1.key }.map {
                WrittenPart("query.\($0.key)", .string($0.value))
            }
        }
        if let name = reply.outcome { try takeOutcome(name, &answer) }
        try checkMeta(reply.meta, &answer)
        if reply.isPresented == true { answer.wrote.append(WrittenPart("presented")) }
        return answer
    }

    /// The powers that an answer makes use of must be among the hook's.
    private func demandPowers(_ reply: HookReply, _ hook: HookRow) throws(HookRefusal) {
        var used: [HookPower] = []
        switch reply.decision {
        case .continue: break
        case .abort: used.append(.abort)
        case .skip: used.append(.skip)
        case .goto: used.append(.goto)
        case .veto: used.append(.veto)
        }
        if !reply.arguments.isEmpty { used.append(.args) }
        if !reply.headers.isEmpty { used.append(.headers) }
        if !reply.query.isEmpty { used.append(.query) }
        if reply.outcome != nil { used.append(.outcome) }
        if reply.isPresented != nil { used.append(.present) }
        if !reply.meta.isEmpty { used.append(.meta) }
        guard let first = used.first(where: { !hook.powers.allowed.contains($0) }) else { return }
        let allowed = HookPower.allCases.filter(hook.powers.allowed.contains).map(\.rawValue)
        let known = allowed.isEmpty ? "it may change nothing" : "it may \(allowed.joined(separator: ", "))"
        throw HookRefusal(reason: "it answered with \(first.rawValue), which is not its to do; \(known)")
    }

    /// Only declared writes, of the right type.
    private func assign(
        _ assignments: [String: JSONValue], _ hook: HookRow, _ answer: inout AcceptedAnswer
    ) throws(HookRefusal) {
        for (path, json) in assignments.sorted(by: { $0.key < $1.key }) {
            guard hook.powers.allowed.contains(.set),
                let write = hook.writes.first(where: { $0.path == path })
            else {
                let name = RemoteText.sanitize(path, limit: 80)
                let meant = hook.writes.first { $0.path.hasSuffix(".\(path)") }
                throw HookRefusal(
                    reason: "it set \"\(name)\", which it does not declare under writes"
                        + (meant.map { "; did you mean \"\($0.path)\"?" } ?? ""))
            }
            let type = plan.program.slots[write.slot].type
            guard let value = HookValue.value(json, as: type) else {
                throw HookRefusal(reason: "it set \"\(path)\" to a value that is not of type \(type)")
            }
            if isProfile(write.slot), subject(of: value) != subject(of: registers.slots[write.slot]) {
                throw HookRefusal(reason: "it changed whose profile \"\(path)\" is")
            }
            answer.slots.append((write.slot, value))
            answer.wrote.append(WrittenPart(path, value, plan.program.slots[write.slot].secrecy))
        }
    }

    /// What the rest of the flow counts on: a hook whose failure ends the run sets what has no value yet.
    private func checkPromises(
        _ reply: HookReply, _ hook: HookRow, _ answer: AcceptedAnswer
    ) throws(HookRefusal) {
        guard hook.onFailure == .abort, hook.point != .stepResponse, reply.decision == .continue else {
            return
        }
        for write in hook.writes where !answer.slots.contains(where: { $0.slot == write.slot }) {
            let type = plan.program.slots[write.slot].type
            guard registers.slots[write.slot].isNull, type.required == type, type != .json else { continue }
            throw HookRefusal(reason: "it did not set \"\(write.path)\", which has no value yet")
        }
    }

    private mutating func takeArguments(
        _ arguments: [String: JSONValue], _ answer: inout AcceptedAnswer
    ) throws(HookRefusal) {
        let specs = KindTable.spec(of: plan.program.steps[step].kind).arguments
        for (name, json) in arguments.sorted(by: { $0.key < $1.key }) {
            guard let spec = specs.first(where: { $0.name == name && $0.isOpenToHooks }),
                case .expression(let type) = spec.form
            else {
                let open = specs.filter(\.isOpenToHooks).map(\.name)
                let known = open.isEmpty ? "none is here" : open.joined(separator: ", ")
                throw HookRefusal(
                    reason:
                        "it changed the argument \"\(RemoteText.sanitize(name, limit: 80))\"; open to hooks: \(known)"
                )
            }
            guard let value = HookValue.value(json, as: type) else {
                throw HookRefusal(reason: "it gave \"\(name)\" a value that is not of type \(type)")
            }
            answer.arguments[name] = value
            // The one of them that names a person.
            answer.wrote.append(WrittenPart("args.\(name)", value, name == "login_hint" ? .pii : .public))
        }
    }

    private func takeOutcome(_ name: String, _ answer: inout AcceptedAnswer) throws(HookRefusal) {
        let spec = KindTable.spec(of: plan.program.steps[step].kind)
        guard let outcome = plan.program.outcome(named: name, at: step),
            let outcomeClass = outcomeClass(of: outcome)
        else {
            throw HookRefusal(
                reason:
                    "it gave the outcome \"\(RemoteText.sanitize(name, limit: 80))\", which the step cannot have"
            )
        }
        guard spec.isOpenToHooks(outcome, outcomeClass) else {
            throw HookRefusal(
                reason:
                    "it gave the outcome \"\(name)\" [\(outcomeClass.rawValue)], which no hook can give here")
        }
        answer.outcome = outcome
        answer.wrote.append(WrittenPart("outcome.\(name)"))
    }

    private func checkMeta(
        _ meta: [String: JSONValue], _ answer: inout AcceptedAnswer
    ) throws(HookRefusal) {
        guard meta.count <= 16 else { throw HookRefusal(reason: "it gave more than 16 members of meta") }
        for (name, value) in meta.sorted(by: { $0.key < $1.key }) {
            let isPlain =
                switch value {
                case .bool, .int, .bigInteger, .number: true
                case .string(let text): text.utf8.count <= 1024
                case .null, .array, .object: false
                }
            guard isPlain, name.utf8.count <= 63, name.utf8.allSatisfy({ RequestAdditions.isWord($0) }) else {
                throw HookRefusal(
                    reason: "its meta holds more than words with texts up to 1 KiB, numbers and booleans")
            }
            answer.wrote.append(WrittenPart("meta.\(name)", .json(value)))
        }
    }

    // MARK: Profiles

    private func isProfile(_ slot: Int) -> Bool { plan.program.slots[slot].path.hasPrefix("steps.") }

    private func subject(of profile: Value) -> JSONValue? {
        if case .json(let json) = profile { json.objectValue?["sub"] } else { nil }
    }

    /// Sets fields of the profile that the current step has brought.
    ///
    /// - Returns: Why it cannot; `nil` when it has.
    mutating func map(
        _ fields: [(name: String, code: CodeRange)], _ hook: HookRow, _ round: HookRound
    ) -> String? {
        let row = plan.program.steps[step]
        let spec = KindTable.spec(of: row.kind)
        guard row.kind == .userinfo, let offset = spec.fields.firstIndex(where: { $0.name == "profile" }),
            case .json(.object(var profile)) = registers.slots[row.fieldBase + offset]
        else { return nil }
        let known = plan.providers[row.provider].descriptor.profileFields
        var wrote: [WrittenPart] = []
        for field in fields {
            guard known.contains(field.name), field.name != "sub" else {
                return "the provider's descriptor declares no field \"\(field.name)\" of the profile"
            }
            let value = HookValue.json(registers.evaluate(field.code, plan))
            profile[field.name] = value.present
            wrote.append(WrittenPart("profile.\(field.name)", .json(value), .pii))
        }
        registers.slots[row.fieldBase + offset] = .json(.object(profile))
        note(hook, "continue", round, wrote: wrote)
        return nil
    }
}
