internal import FlowLanguage
internal import OAuthProtocol
internal import Synchronization

/// Numbers, redacts and hands out the events of one run.
///
/// Notices of effects may come from other threads; the mutex keeps the sequence gapless.
final class TraceEmitter: EffectEvents, Sendable {
    private struct State {
        var sequence = 0
        var step: String?
        var redactor: TraceRedactor
        var startedAt: Int64 = 0
        /// Those that were emitted: what holds for every request of a run is said once.
        var security: Set<SecurityEvent> = []
    }

    private let plan: RunPlan
    private let sinks: [any TraceSink]
    private let now: @Sendable () -> Int64
    private let state: Mutex<State>

    init(plan: RunPlan, traceKey: [UInt8]?, sinks: [any TraceSink], now: @escaping @Sendable () -> Int64) {
        self.plan = plan
        self.sinks = sinks
        self.now = now
        state = Mutex(State(redactor: TraceRedactor(plan: plan, key: traceKey)))
    }

    func start(_ identity: RunIdentity) {
        guard plan.isTraced else { return }
        let inputs = zip(plan.program.inputs, plan.inputs).map { row, value in
            TracedParameter(
                name: row.name, value: .text(shown(value, "(given)")), source: "input", reference: nil)
        }
        let start = RunStart(
            run: identity.runID, flow: plan.program.name, version: plan.program.version,
            digest: plan.program.digest,
            provider: plan.providers.first?.descriptor.id ?? "", isDryRun: plan.isRehearsal, inputs: inputs)
        state.withLock {
            $0.startedAt = now()
            for provider in plan.providers {
                if let secret = provider.registration.secret { $0.redactor.remember(secret) }
            }
            for case .secret(let secret) in plan.inputs { $0.redactor.remember(secret) }
            send(.runStart(start), &$0)
            send(.flow(TracedFlow(plan, $0.redactor)), &$0)
        }
    }

    func emit(_ records: [TraceRecord]) {
        if records.isEmpty { return }
        state.withLock { state in
            for case .secrets(let secrets) in records {
                for secret in secrets { state.redactor.remember(secret) }
            }
            for record in records {
                if case .secrets = record { continue }
                if case .stepStart(let step, _) = record { state.step = plan.program.steps[step].name }
                if case .checks(let results) = record {
                    for result in results { send(.check(state.redactor.check(result)), &state) }
                } else if case .security(let event) = record {
                    send(event, &state)
                } else {
                    send(state.redactor.body(record), &state)
                    if case .response(let response, _) = record {
                        for token in state.redactor.tokens(in: response) { send(.token(token), &state) }
                    }
                }
                if case .stepEnd = record { state.step = nil }
            }
        }
    }

    func report(_ notice: EffectNotice) {
        if case .security(let event) = notice { return state.withLock { send(event, &$0) } }
        guard plan.isTraced else { return }
        state.withLock { state in
            switch notice {
            case .security: break
            case .actionRequired(let notice): send(.actionRequired(TracedAction(notice, .signIn)), &state)
            case .logoutRequired(let notice): send(.actionRequired(TracedAction(notice, .logout)), &state)
            case .codeRequired(let code, let url, let complete, let opened, let expiresAt):
                let errand = TracedAction.Errand.enterCode(code)
                var action = TracedAction(url: url, opened: opened, expiresAt: expiresAt, errand: errand)
                action.complete = complete
                send(.actionRequired(action), &state)
            case .callbackIgnored(let reason):
                send(.callbackIgnored(reason: state.redactor.clean(reason)), &state)
            case .waiting(let what, let until): send(.waiting(forWhat: what, until: until), &state)
            case .warning(let text): send(.warning(state.redactor.clean(text)), &state)
            }
        }
    }

    func warn(_ text: String) { report(.warning(text)) }

    func finish(_ outcome: RunOutcome) {
        guard plan.isTraced else { return }
        state.withLock { state in
            state.step = nil
            let outputs = outcome.end.outputs.map { name, value in
                TracedParameter(
                    name: name, value: .text(state.redactor.clean(shown(value, "(in the result)"))),
                    source: "output",
                    reference: nil)
            }
            send(
                .runEnd(
                    RunEnd(
                        end: outcome.end.name, result: outcome.end.result.rawValue,
                        message: (outcome.end.error?.message ?? outcome.end.message).map(
                            state.redactor.clean),
                        errorCode: outcome.errorCode, failureClass: outcome.failureClass,
                        exit: outcome.exitStatus,
                        transitions: outcome.end.transitions,
                        retries: outcome.end.retries, duration: now() - state.startedAt, outputs: outputs,
                        secrets: state.redactor.secretCount)),
                &state)
        }
    }

    /// Texts and JSON may say who somebody is: a trace of a live run holds none, a rehearsal has nobody to protect.
    private func shown(_ value: Value, _ placeholder: String) -> String {
        if plan.isRehearsal { return TracedText.of(value) }
        switch value {
        case .string, .json, .map: return placeholder
        case .null, .bool, .int, .number, .time, .duration, .list, .secret: return TracedText.of(value)
        }
    }

    private func send(_ event: SecurityEvent, _ state: inout State) {
        let event = state.redactor.cleaned(event)
        if state.security.insert(event).inserted { send(.security(event), &state) }
    }

    private func send(_ body: TraceEvent.Body, _ state: inout State) {
        state.sequence += 1
        let event = TraceEvent(sequence: state.sequence, time: now(), step: state.step, body: body)
        for sink in sinks { sink.receive(event) }
    }
}

extension TracedAction {
    init(_ notice: AddressNotice, _ errand: Errand) {
        self.init(url: notice.url, opened: notice.opened, expiresAt: notice.expiresAt, errand: errand)
        ways = notice.ways
    }
}
