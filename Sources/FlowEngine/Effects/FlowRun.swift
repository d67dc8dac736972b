package import FlowLanguage
package import JOSE
package import OAuthProtocol

/// Runs a flow: the only loop. It takes the machine's decisions to the effect handler and the reports back.
package struct FlowRun: Sendable {
    private let plan: RunPlan
    private let handler: any EffectHandler
    private let sinks: [any TraceSink]
    private let journal: (any RunJournal)?
    private let recorded: RecordedRun?
    private let origin: JSONValue
    private let isResumable: Bool
    private let occasion: TraceOccasion
    private let onSecurityEvent: (@Sendable (SecurityEvent) -> Void)?
    private let stopsAt: Int64?
    private let reasonToStop: (@Sendable () -> RunFailure?)?

    /// - Parameters:
    ///   - journal: Keeps what another process needs to go on with the run; `nil` for a run that dies with its process.
    ///   - recorded: The run to go on with, as its journal tells it.
    ///   - origin: What the host wants to know of a run that it resumes.
    ///   - isResumable: Whether another process may go on with it where it waits; otherwise its journal is kept from where
    ///     it uses the refresh token of a stored session.
    ///   - occasion: Of which runs the sinks are told.
    ///   - onSecurityEvent: Told at once of whatever bears on security, each thing once.
    ///   - stopsAt: When the task will be cancelled, in milliseconds since 1970: no wait is told to last longer.
    ///   - reasonToStop: Why its task was cancelled, where that says more than that it was.
    package init(
        plan: RunPlan, handler: any EffectHandler, sinks: [any TraceSink], journal: (any RunJournal)? = nil,
        resuming recorded: RecordedRun? = nil, origin: JSONValue = .null,
        isResumable: Bool = true, tracing occasion: TraceOccasion = .always,
        onSecurityEvent: (@Sendable (SecurityEvent) -> Void)? = nil,
        stopsAt: Int64? = nil, reasonToStop: (@Sendable () -> RunFailure?)? = nil
    ) {
        self.plan = plan
        self.handler = handler
        self.sinks = sinks
        self.journal = journal
        self.recorded = recorded
        self.origin = origin
        self.isResumable = isResumable
        self.occasion = occasion
        self.onSecurityEvent = onSecurityEvent
        self.stopsAt = stopsAt
        self.reasonToStop = reasonToStop
    }

    /// Runs to the end; a cancelled task ends the flow through its end `cancelled`.
    ///
    /// A run that waits for somebody who cannot answer now ends with the failure `suspended` and can be resumed.
    package func run() async -> RunOutcome {
        let identity = identity()
        let emitter = TraceEmitter(
            plan: plan, identity: identity, sinks: sinks, on: occasion, onSecurityEvent: onSecurityEvent,
            stopsAt: stopsAt, now: handler.now)
        var progress = RunProgress(
            machine: FlowMachine(
                plan: plan, seed: identity.seed, runID: identity.runID, takesNotes: emitter.takesNotes),
            emitter: emitter)
        emitter.start()
        var decision: Decision
        do throws(RunFailure) {
            decision = try await begin(identity, &progress)
        } catch {
            return finish(stopped(by: error), identity, progress)
        }
        while true {
            switch decision {
            case .perform(let request):
                let event = await perform(request, &progress)
                if case .suspended = event {
                    if let reason = await progress.book?.suspend(request, at: handler.now()) {
                        progress.emitter.warn("the run cannot be resumed: \(reason)")
                    }
                    return finish(stopped(by: Self.suspension), identity, progress)
                }
                decision = await advance(on: event, of: request, &progress)
            case .finish(var end):
                if end.error?.code == .cancelled, let reason = reasonToStop?() { end.error = reason }
                let outcome = finish(end, identity, progress)
                // What is left of the journal of a finished run is worth no failure.
                _ = await progress.book?.end(end, exit: outcome.exitStatus, at: handler.now())
                return outcome
            }
        }
    }

    /// A run while it lasts.
    private struct RunProgress {
        var machine: FlowMachine
        let emitter: TraceEmitter
        var book: RunBook?
        /// Whether the answer to a stored refresh token is there, and what it brought not yet stored.
        var holdsAnswer = false
    }

    private static let suspension = RunFailure(
        .suspended, "somebody must answer, and nobody can be asked now; the run can be resumed")

    private func identity() -> RunIdentity {
        let new = handler.begin()
        guard let recorded else { return new }
        return RunIdentity(runID: recorded.runID, seed: recorded.seed, traceKey: new.traceKey)
    }

    // MARK: The beginning

    private func begin(
        _ identity: RunIdentity, _ progress: inout RunProgress
    ) async throws(RunFailure) -> Decision {
        let now = handler.now()
        guard let recorded else {
            progress.book = journal.map {
                RunBook($0, plan, identity, origin: origin, isResumable: isResumable, at: now)
            }
            return decide(on: Input(.start, now: now), &progress)
        }
        progress.book = journal.map { RunBook(resuming: $0, at: now) }
        var replay = JournalReplay(recorded)
        let decision = try replay.run(&progress.machine, plan)
        if recorded.isMigrating,
            let reason = await progress.book?.migrate(
                to: plan, origin: origin, next: decision, isSpending: recorded.isSpending, at: now)
        {
            throw RunFailure(.journal, "the journal cannot say that the run has another program: \(reason)")
        }
        for input in recorded.told { progress.emitter.keep(input) }
        progress.emitter.emit(replay.notes.map(\.retold))
        guard case .perform(let request) = decision else { return decision }
        try await reinstate(replay.standing, before: request, progress.emitter)
        guard recorded.isSpending else { return decision }
        let lost = TransportTrouble(
            delivery: .perhapsDelivered, cause: "interrupted",
            message: "the run was interrupted after the request may have been sent; it is not sent again")
        return await advance(on: .unanswered(lost), of: request, &progress)
    }

    /// Takes again what the interrupted process held: its redirect, what it showed, its lock.
    private func reinstate(
        _ standing: JournalReplay.Standing, before next: EffectRequest, _ emitter: TraceEmitter
    ) async throws(RunFailure) {
        if let lock = standing.lock, case .lock(let key, _) = lock.effect {
            var request = lock
            request.effect = .lock(key, until: handler.now() + 30_000)
            switch await handler.perform(request, events: emitter) {
            case .lockTimedOut(let holder):
                throw RunFailure(.lockTimeout, "the session of the run is in use: \(holder)")
            case .storeFailed(let reason):
                throw RunFailure(.storeFailed, "the session of the run cannot be locked: \(reason)")
            default: break
            }
        }
        if let redirect = standing.redirect {
            _ = await handler.perform(redirect, events: emitter)
        }
        if next.awaitsPerson, let presentation = standing.presentation {
            _ = await handler.perform(presentation, events: emitter)
        }
    }

    // MARK: One step further

    private func advance(
        on event: InputEvent, of request: EffectRequest, _ progress: inout RunProgress
    ) async -> Decision {
        let input = Input(event, now: handler.now())
        if let reason = await progress.book?.after(request, input) {
            progress.emitter.warn("the journal of the run is incomplete: \(reason)")
        }
        return decide(on: input, &progress)
    }

    private func decide(on input: Input, _ progress: inout RunProgress) -> Decision {
        progress.emitter.keep(input)
        let decision = progress.machine.advance(on: input)
        progress.emitter.emit(progress.machine.drainNotes())
        return decision
    }

    /// Performs an effect unless the run is cancelled; what closes the run is done all the same, out of the
    /// cancellation's reach.
    private func perform(_ request: EffectRequest, _ progress: inout RunProgress) async -> InputEvent {
        let emitter = progress.emitter
        guard Task.isCancelled else {
            if let reason = await progress.book?.before(request, at: handler.now()) {
                return .journalFailed(reason: reason)
            }
            let event = await handler.perform(request, events: emitter)
            if case .session? = request.singleUse, case .answered = event { progress.holdsAnswer = true }
            if case .unlock = request.effect { progress.holdsAnswer = false }
            // What was stopped has not failed by itself; what a hook was asked about is kept by the machine.
            if Task.isCancelled, event.mayComeOfStopping, !request.effect.isEssential { return .cancelled() }
            return event
        }
        // Hooks of the answer are asked first: otherwise what it brought would be lost.
        let isOnTheWay = if case .hook = request.effect { progress.holdsAnswer } else { false }
        guard request.effect.isEssential || isOnTheWay else { return .cancelled() }
        return await Task { await handler.perform(request, events: emitter) }.value
    }

    // MARK: The end

    private func finish(_ end: FlowEnd, _ identity: RunIdentity, _ progress: RunProgress) -> RunOutcome {
        let outcome = RunOutcome(
            runID: identity.runID, end: end, problem: progress.machine.problem, stop: progress.machine.stop,
            plan: plan,
            tokens: progress.machine.registers.tokenSets, met: progress.machine.registers.met)
        progress.emitter.finish(outcome)
        return outcome
    }

    /// The end of a run that did not come to one of the flow's.
    private func stopped(by failure: RunFailure) -> FlowEnd {
        let end = plan.program.failedEnd
        return FlowEnd(
            end: end, name: plan.program.ends[end].name, result: .failure, message: nil, error: failure,
            outputs: [], transitions: 0, retries: 0)
    }
}

extension InputEvent {
    /// Whether it may tell of a program that was ended because the run was stopped.
    fileprivate var mayComeOfStopping: Bool {
        switch self {
        case .hook, .storeFailed: true
        default: false
        }
    }
}

/// How a run ended, with what a caller needs to explain it.
package struct RunOutcome: Sendable {
    package let runID: String
    package let end: FlowEnd
    package let problem: FlowMachine.Problem?
    package let stop: FlowMachine.Stop?
    package let plan: RunPlan
    package let tokens: [TokenSet?]
    fileprivate let met: [Secret]

    /// Whatever the run has met and its host has given: what a server repeats of them in its answers is in the outputs too.
    package var secrets: [Secret] { FlowMachine.secrets(met, tokens, plan) }

    package var isSuccess: Bool { end.result == .success }

    /// Name and span of the step that the failure belongs to; of one that the engine made, that which it was at.
    package var failedStep: StepRow? {
        (end.error == nil ? problem?.step : stop?.step).map { plan.program.steps[$0] }
    }

    /// Name of the hook that ended the run, or that gave the failed answer its outcome.
    package var hookAtFault: String? { end.error == nil ? problem?.hook : stop?.hook }
}
