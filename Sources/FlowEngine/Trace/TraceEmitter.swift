internal import FlowLanguage
internal import OAuthProtocol
internal import Synchronization

/// Numbers, redacts and hands out the events of one run.
///
/// Notices of effects may come from other threads; the mutex keeps the sequence gapless. Where only failures are of
/// interest, what the machine is told is kept and nothing else: a machine that is told the same decides the same, so
/// the trace of a run that has failed is made by running its machine once more.
final class TraceEmitter: EffectEvents, Sendable {
    private struct State {
        var sequence = 0
        /// What the sinks are to be told when the news that it came of is worked off.
        var outgoing: [TraceEvent] = []
        var step: String?
        var redactor: TraceRedactor
        var startedAt: Int64 = 0
        /// Those that were emitted: what holds for every request of a run is said once.
        var security: Set<SecurityEvent> = []
        var newestSecurity: SecurityEvent?
        /// The same of those that the host was told, as they came and as it was told them.
        var known: Set<SecurityEvent> = []
        var told: Set<SecurityEvent> = []
        /// What the trace of a failure is made of.
        var kept: [Kept] = []
    }

    private enum Kept {
        case input(Input)
        indirect case notice(EffectNotice, time: Int64)
    }

    private enum News {
        case records([TraceRecord])
        case notice(EffectNotice)
    }

    private enum Mode {
        /// Nobody wants to know anything.
        case silent
        case live
        /// What comes is kept.
        case recording
    }

    private let plan: RunPlan
    private let identity: RunIdentity
    private let sinks: [any TraceSink]
    private let mode: Mode
    private let occasion: TraceOccasion
    private let onSecurityEvent: (@Sendable (SecurityEvent) -> Void)?
    private let stopsAt: Int64?
    private let now: @Sendable () -> Int64
    private let state: Mutex<State>

    init(
        plan: RunPlan, identity: RunIdentity, sinks: [any TraceSink], on occasion: TraceOccasion,
        onSecurityEvent: (@Sendable (SecurityEvent) -> Void)?, stopsAt: Int64?,
        now: @escaping @Sendable () -> Int64
    ) {
        self.plan = plan
        self.identity = identity
        self.sinks = sinks
        self.onSecurityEvent = onSecurityEvent
        self.stopsAt = stopsAt
        self.now = now
        self.occasion = occasion
        mode =
            switch occasion {
            case .always where !sinks.isEmpty: .live
            case .failure where !sinks.isEmpty, .picked where !sinks.isEmpty: .recording
            // A host that is told of security is told no secret, so all of them must be known.
            case .always, .failure, .picked: onSecurityEvent == nil ? .silent : .recording
            }
        state = Mutex(State(redactor: TraceRedactor(plan: plan, key: identity.traceKey)))
    }

    /// Whether the machine is to note what it does.
    var takesNotes: Bool { mode == .live }

    // MARK: News

    func start() {
        if mode == .silent { return }
        state.withLock { state in
            state.startedAt = now()
            if mode == .recording { state.kept.reserveCapacity(Self.usual) }
            if mode == .live {
                state.outgoing.reserveCapacity(Self.portion)
                open(at: state.startedAt, &state)
            }
            deliver(&state)
        }
    }

    /// Inputs and notices of a sign-in.
    private static let usual = 24

    /// What the machine is about to be told.
    func keep(_ input: Input) {
        guard mode == .recording else { return }
        state.withLock { $0.kept.append(.input(input)) }
    }

    func emit(_ records: [TraceRecord]) {
        if records.isEmpty || mode == .silent || mode == .recording && onSecurityEvent == nil { return }
        state.withLock { state in
            if mode == .live { hand(records, at: now(), &state) }
            deliver(&state)
            if onSecurityEvent == nil { return }
            for case .security(let event) in records { tellHost(event, &state) }
        }
    }

    func report(_ notice: EffectNotice) {
        if mode == .silent { return }
        state.withLock { state in
            let time = now()
            switch mode {
            case .silent: break
            case .live: hand(notice, at: time, &state)
            case .recording: state.kept.append(.notice(notice, time: time))
            }
            deliver(&state)
            if case .security(let event) = notice { tellHost(event, &state) }
        }
    }

    func warn(_ text: String) { report(.warning(text)) }

    func finish(_ outcome: RunOutcome) {
        if sinks.isEmpty { return }
        state.withLock { state in
            let end = outcome.end
            let run = EndedRun(
                end: end.name, result: end.result.rawValue, duration: now() - state.startedAt)
            switch occasion {
            case .always: break
            // It has not ended.
            case _ where end.error?.code == .suspended: return
            case .failure where outcome.isSuccess: return
            case .picked(let isWanted) where !isWanted(run): return
            case .failure, .picked: relive(&state)
            }
            close(outcome, run.duration, &state)
            deliver(&state)
        }
    }

    /// Makes the events of a run from what its machine was told.
    private func relive(_ state: inout State) {
        open(at: state.startedAt, &state)
        for (news, time) in retold(state.kept) {
            // What a run was told before it was interrupted is older than the run that goes on with it.
            let time = max(time, state.startedAt)
            switch news {
            case .records(let records): hand(records, at: time, &state)
            case .notice(let notice): hand(notice, at: time, &state)
            }
        }
        state.kept = []
    }

    /// What was kept, with what a machine notes when it is told it again.
    private func retold(_ kept: [Kept]) -> [(News, time: Int64)] {
        var machine = FlowMachine(plan: plan, seed: identity.seed, runID: identity.runID, takesNotes: true)
        return kept.map { kept in
            switch kept {
            case .notice(let notice, let time): return (.notice(notice), time)
            case .input(let input):
                _ = machine.advance(on: input)
                return (.records(machine.drainNotes()), input.now)
            }
        }
    }

    // MARK: Security

    /// What bears on security is told at once, whoever reads the trace.
    private func tellHost(_ event: SecurityEvent, _ state: inout State) {
        guard let onSecurityEvent, state.known.insert(event).inserted else { return }
        let cleaned = redactor(state).cleaned(event)
        if state.told.insert(cleaned).inserted { onSecurityEvent(cleaned) }
    }

    /// Knows all secrets that the run has had so far.
    private func redactor(_ state: State) -> TraceRedactor {
        guard mode == .recording else { return state.redactor }
        var redactor = state.redactor
        redactor.rememberHost()
        for case (.records(let records), _) in retold(state.kept) { redactor.remember(records) }
        return redactor
    }

    private func send(_ event: SecurityEvent, at time: Int64, _ state: inout State) {
        let event = state.redactor.cleaned(event)
        // Mostly the same as before, which is seen sooner than a hash is made.
        if event == state.newestSecurity { return }
        state.newestSecurity = event
        if state.security.insert(event).inserted { send(.security(event), at: time, &state) }
    }

    // MARK: Events

    private func open(at time: Int64, _ state: inout State) {
        let inputs = zip(plan.program.inputs, plan.inputs).map { row, value in
            TracedParameter(
                name: row.name, value: .text(shown(value, "(given)")), source: "input", reference: nil)
        }
        let start = RunStart(
            run: identity.runID, flow: plan.program.name, version: plan.program.version,
            digest: plan.program.digest,
            provider: plan.providers.first?.descriptor.id ?? "",
            furtherProviders: zip(plan.program.providers, plan.providers).dropFirst().map {
                RunStart.NamedProvider(alias: $0.alias, provider: $1.descriptor.id)
            }, profile: plan.profile == "default" ? nil : plan.profile, isDryRun: plan.isRehearsal,
            inputs: inputs, registration: registration)
        state.redactor.rememberHost()
        send(.runStart(start), at: time, &state)
        send(.flow(plan.trace.flow), at: time, &state)
    }

    /// Where the values of the registrations are from; those of further providers go by their alias.
    private var registration: [TracedParameter] {
        zip(plan.program.providers, plan.providers).enumerated().flatMap { index, pair in
            pair.1.registrationFacts.map { fact in
                TracedParameter(
                    name: index == 0 ? fact.name : "\(pair.0.alias).\(fact.name)", value: .text(fact.value),
                    source: fact.source, reference: nil)
            }
        }
    }

    private func hand(_ records: [TraceRecord], at time: Int64, _ state: inout State) {
        for case .secrets(let secrets) in records {
            for secret in secrets { state.redactor.remember(secret) }
        }
        let facts = state.redactor.facts ?? plan.trace
        for record in records {
            switch record {
            case .secrets: break
            case .stepStart(let step, let visit):
                state.step = plan.program.steps[step].name
                send(.stepStart(facts.start(of: step, visit: visit)), at: time, &state)
            case .passed(let step, let route):
                state.step = plan.program.steps[step].name
                send(.stepStart(facts.start(of: step, visit: route.visit)), at: time, &state)
                let values = state.redactor.values(of: route)
                send(.stepEnd(facts.end(of: step, .ok, route, values)), at: time, &state)
                state.step = facts.enclosing[step]
            case .checks(let results):
                for result in results { send(.check(state.redactor.check(result)), at: time, &state) }
            case .security(let event): send(event, at: time, &state)
            case .response(let response, let timing):
                for body in state.redactor.bodies(response, timing) { send(body, at: time, &state) }
            case .request, .transportFailure, .note, .warning, .hook, .retry, .saved:
                send(state.redactor.body(record), at: time, &state)
            case .stepEnd(let step, let result, let route):
                state.step = plan.program.steps[step].name
                let values = state.redactor.values(of: route)
                var end = facts.end(of: step, result.outcome, route, values)
                state.redactor.explain(&end, result)
                send(.stepEnd(end), at: time, &state)
                state.step = facts.enclosing[step]
            }
        }
    }

    private func hand(_ notice: EffectNotice, at time: Int64, _ state: inout State) {
        switch notice {
        case .security(let event): send(event, at: time, &state)
        case .actionRequired(let notice):
            send(.actionRequired(TracedAction(notice, .signIn)), at: time, &state)
        case .logoutRequired(let notice):
            send(.actionRequired(TracedAction(notice, .logout)), at: time, &state)
        case .codeRequired(let code, let url, let complete, let opened, let expiresAt):
            let errand = TracedAction.Errand.enterCode(code)
            var action = TracedAction(url: url, opened: opened, expiresAt: expiresAt, errand: errand)
            action.complete = complete
            send(.actionRequired(action), at: time, &state)
        case .callbackIgnored(let reason):
            send(.callbackIgnored(reason: state.redactor.clean(reason)), at: time, &state)
        case .waiting(let what, let until):
            let end = min(until, stopsAt ?? until)
            send(.waiting(forWhat: state.redactor.clean(what), until: end), at: time, &state)
        case .note(let text): send(.note(state.redactor.clean(text)), at: time, &state)
        case .warning(let text): send(.warning(state.redactor.clean(text)), at: time, &state)
        }
    }

    private func close(_ outcome: RunOutcome, _ duration: Int64, _ state: inout State) {
        let advice = outcome.advice
        state.step = nil
        var outputs: [TracedParameter] = []
        for (name, value) in outcome.end.outputs {
            let text = state.redactor.clean(shown(value, "(in the result)"))
            outputs.append(TracedParameter(name: name, value: .text(text), source: "output", reference: nil))
        }
        send(
            .runEnd(
                RunEnd(
                    end: outcome.end.name, result: outcome.end.result.rawValue,
                    message: state.redactor.clean(outcome.end.error?.message ?? outcome.end.message),
                    errorCode: outcome.errorCode, failureClass: outcome.failureClass,
                    exit: outcome.exitStatus, transitions: outcome.end.transitions,
                    retries: outcome.end.retries, duration: duration, outputs: outputs,
                    secrets: state.redactor.secretCount,
                    causes: [advice?.cause].compactMap { state.redactor.clean($0) },
                    fixes: (advice?.fixes ?? []).map { state.redactor.clean($0) })),
            at: state.startedAt + duration, &state)
    }

    /// Texts and JSON may say who somebody is: a trace of a live run holds none, a rehearsal has nobody to protect.
    private func shown(_ value: Value, _ placeholder: String) -> String {
        if plan.isRehearsal { return TracedText.of(value) }
        switch value {
        case .string, .json, .map: return placeholder
        case .null, .bool, .int, .number, .time, .duration, .list, .secret: return TracedText.of(value)
        }
    }

    private func send(_ body: TraceEvent.Body, at time: Int64, _ state: inout State) {
        state.sequence += 1
        state.outgoing.append(
            TraceEvent(sequence: state.sequence, time: time, step: state.step, body: body))
        // A flow may make thousands of steps before it asks for anything.
        if state.outgoing.count >= Self.portion { deliver(&state) }
    }

    /// How many events the sinks get at once at most.
    private static let portion = 64

    private func deliver(_ state: inout State) {
        if state.outgoing.isEmpty { return }
        for sink in sinks { sink.receive(state.outgoing) }
        state.outgoing.removeAll(keepingCapacity: true)
    }
}

extension TracedAction {
    init(_ notice: AddressNotice, _ errand: Errand) {
        self.init(url: notice.url, opened: notice.opened, expiresAt: notice.expiresAt, errand: errand)
        ways = notice.ways
    }
}
