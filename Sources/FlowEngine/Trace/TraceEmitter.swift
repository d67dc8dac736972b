internal import FlowLanguage
internal import OAuthProtocol
internal import Synchronization

/// Numbers, redacts and hands out the events of one run.
///
/// Notices of effects may come from other threads; the mutex keeps the sequence gapless. Where only failures are of
/// interest everything is kept as it comes, and redacted and handed out when the run has failed: a run that succeeds
/// pays for keeping alone.
final class TraceEmitter: EffectEvents, Sendable {
    private struct State {
        var sequence = 0
        var step: String?
        var redactor: TraceRedactor
        var startedAt: Int64 = 0
        /// Those that were emitted: what holds for every request of a run is said once.
        var security: Set<SecurityEvent> = []
        /// The same of those that the host was told.
        var told: Set<SecurityEvent> = []
        /// What waits for the end of the run.
        var kept: [(news: News, time: Int64)] = []
    }

    /// What the emitter is told.
    fileprivate enum News {
        case start(RunIdentity)
        case records([TraceRecord])
        case notice(EffectNotice)
    }

    private let plan: RunPlan
    private let sinks: [any TraceSink]
    private let occasion: TraceOccasion
    private let onSecurityEvent: (@Sendable (SecurityEvent) -> Void)?
    private let now: @Sendable () -> Int64
    private let state: Mutex<State>

    init(
        plan: RunPlan, traceKey: [UInt8]?, sinks: [any TraceSink], on occasion: TraceOccasion = .always,
        onSecurityEvent: (@Sendable (SecurityEvent) -> Void)? = nil, now: @escaping @Sendable () -> Int64
    ) {
        self.plan = plan
        self.sinks = sinks
        self.occasion = occasion
        self.onSecurityEvent = onSecurityEvent
        self.now = now
        state = Mutex(State(redactor: TraceRedactor(plan: plan, key: traceKey)))
    }

    // MARK: News

    func start(_ identity: RunIdentity) {
        guard plan.isTraced else { return }
        take(.start(identity))
    }

    func emit(_ records: [TraceRecord]) {
        if !records.isEmpty { take(.records(records)) }
    }

    func report(_ notice: EffectNotice) {
        if case .security = notice { return take(.notice(notice)) }
        if plan.isTraced { take(.notice(notice)) }
    }

    func warn(_ text: String) { report(.warning(text)) }

    func finish(_ outcome: RunOutcome) {
        guard plan.isTraced else { return }
        state.withLock { state in
            if occasion == .failure {
                let kept = state.kept
                state.kept = []
                if outcome.isSuccess { return }
                for (news, time) in kept { hand(news, at: time, &state) }
            }
            close(outcome, &state)
        }
    }

    private func take(_ news: News) {
        state.withLock { state in
            let time = now()
            tellHost(news, &state)
            if occasion == .failure, plan.isTraced {
                state.kept.append((news, time))
            } else {
                hand(news, at: time, &state)
            }
        }
    }

    // MARK: Security

    /// What bears on security is told at once, whoever reads the trace.
    private func tellHost(_ news: News, _ state: inout State) {
        guard let onSecurityEvent else { return }
        switch news {
        case .start: break
        case .notice(.security(let event)): tell(event, onSecurityEvent, &state)
        case .notice: break
        case .records(let records):
            for case .security(let event) in records {
                for case .secrets(let secrets) in state.kept.flatMap(\.news.records) + records {
                    for secret in secrets { state.redactor.remember(secret) }
                }
                tell(event, onSecurityEvent, &state)
            }
        }
    }

    private func tell(
        _ event: SecurityEvent, _ receive: @Sendable (SecurityEvent) -> Void, _ state: inout State
    ) {
        let event = state.redactor.cleaned(event)
        if state.told.insert(event).inserted { receive(event) }
    }

    private func send(_ event: SecurityEvent, at time: Int64, _ state: inout State) {
        let event = state.redactor.cleaned(event)
        if state.security.insert(event).inserted { send(.security(event), at: time, &state) }
    }

    // MARK: Events

    private func hand(_ news: News, at time: Int64, _ state: inout State) {
        switch news {
        case .start(let identity): open(identity, at: time, &state)
        case .records(let records): hand(records, at: time, &state)
        case .notice(let notice): hand(notice, at: time, &state)
        }
    }

    private func open(_ identity: RunIdentity, at time: Int64, _ state: inout State) {
        let inputs = zip(plan.program.inputs, plan.inputs).map { row, value in
            TracedParameter(
                name: row.name, value: .text(shown(value, "(given)")), source: "input", reference: nil)
        }
        let start = RunStart(
            run: identity.runID, flow: plan.program.name, version: plan.program.version,
            digest: plan.program.digest,
            provider: plan.providers.first?.descriptor.id ?? "", isDryRun: plan.isRehearsal, inputs: inputs)
        state.startedAt = time
        for provider in plan.providers {
            if let secret = provider.registration.secret { state.redactor.remember(secret) }
        }
        for case .secret(let secret) in plan.inputs { state.redactor.remember(secret) }
        send(.runStart(start), at: time, &state)
        send(.flow(TracedFlow(plan, state.redactor)), at: time, &state)
    }

    private func hand(_ records: [TraceRecord], at time: Int64, _ state: inout State) {
        for case .secrets(let secrets) in records {
            for secret in secrets { state.redactor.remember(secret) }
        }
        for record in records {
            if case .secrets = record { continue }
            if case .stepStart(let step, _) = record { state.step = plan.program.steps[step].name }
            if case .checks(let results) = record {
                for result in results { send(.check(state.redactor.check(result)), at: time, &state) }
            } else if case .security(let event) = record {
                send(event, at: time, &state)
            } else {
                send(state.redactor.body(record), at: time, &state)
                if case .response(let response, _) = record {
                    for token in state.redactor.tokens(in: response) {
                        send(.token(token), at: time, &state)
                    }
                }
            }
            if case .stepEnd = record { state.step = nil }
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
        case .waiting(let what, let until): send(.waiting(forWhat: what, until: until), at: time, &state)
        case .warning(let text): send(.warning(state.redactor.clean(text)), at: time, &state)
        }
    }

    private func close(_ outcome: RunOutcome, _ state: inout State) {
        state.step = nil
        let outputs = outcome.end.outputs.map { name, value in
            TracedParameter(
                name: name, value: .text(state.redactor.clean(shown(value, "(in the result)"))),
                source: "output", reference: nil)
        }
        let time = now()
        send(
            .runEnd(
                RunEnd(
                    end: outcome.end.name, result: outcome.end.result.rawValue,
                    message: (outcome.end.error?.message ?? outcome.end.message).map(state.redactor.clean),
                    errorCode: outcome.errorCode, failureClass: outcome.failureClass,
                    exit: outcome.exitStatus, transitions: outcome.end.transitions,
                    retries: outcome.end.retries, duration: time - state.startedAt, outputs: outputs,
                    secrets: state.redactor.secretCount)), at: time, &state)
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
        let event = TraceEvent(sequence: state.sequence, time: time, step: state.step, body: body)
        for sink in sinks { sink.receive(event) }
    }
}

extension TraceEmitter.News {
    fileprivate var records: [TraceRecord] {
        if case .records(let records) = self { records } else { [] }
    }
}

extension TracedAction {
    init(_ notice: AddressNotice, _ errand: Errand) {
        self.init(url: notice.url, opened: notice.opened, expiresAt: notice.expiresAt, errand: errand)
        ways = notice.ways
    }
}
