internal import FlowEngine
internal import FlowLanguage

/// A run in stretches, each perhaps by another process.
extension FlowRunner {
    /// Where a stretch begins.
    enum StretchStart {
        case new(inputs: [String: Value], profile: String)
        /// After these records.
        case again([JournalEntry])
    }

    /// What came of one.
    struct Stretch {
        let result: FlowResult
        /// Whether the run waits for its visitor.
        let isPutAside: Bool
        let journal: CarriedJournal
    }

    func stretch(
        _ start: StretchStart, presenter: PageForLater, sinks: [any TraceSink],
        tracing occasion: TraceOccasion
    ) async throws(SignInFailure) -> Stretch {
        var recorded: RecordedRun?
        var entries: [JournalEntry] = []
        let plan: RunPlan
        switch start {
        case .new(let inputs, let profile): plan = self.plan(try values(inputs), profile: profile)
        case .again(let records):
            // Records that were sealed can be read, unless another version of the program has written them.
            guard let run = try? RecordedRun(records) else { throw failure(FailureCode.ticketInvalid, nil) }
            plan = self.plan(run.inputs, profile: run.profile)
            if let difference = plan.difference(from: run) {
                throw failure(FailureCode.ticketInvalid, difference)
            }
            recorded = run
            entries = records
        }
        let effects = try effects(
            isHeard: occasion.isEveryRun && !sinks.allSatisfy { $0 is AskingSink }, presenter,
            isResuming: recorded != nil, isAnsweredLater: { presenter.url != nil })
        let journal = await journal(entries, recorded, effects)
        let outcome = await FlowRun(
            plan: plan, handler: effects, sinks: sinks, journal: journal, resuming: recorded,
            tracing: occasion, onSecurityEvent: configuration.onSecurityEvent
        ).run()
        await effects.shutDown()
        return Stretch(
            result: FlowResult(outcome, texts), isPutAside: outcome.end.error?.code == .suspended,
            journal: journal)
    }

    private func journal(
        _ entries: [JournalEntry], _ recorded: RecordedRun?, _ effects: LiveEffects
    ) async -> CarriedJournal {
        guard keepsJournals else { return CarriedJournal(entries, store: nil) }
        // The store has it where the run has used the refresh token of a stored session before it was put aside.
        if let recorded, let kept = try? await effects.resume(recorded.runID) {
            return CarriedJournal(entries, store: kept.journal, isKept: true)
        }
        return CarriedJournal(entries, store: effects.journal())
    }

    func failure(_ code: String, _ detail: String?) -> SignInFailure {
        SignInFailure(before: code, detail: detail, texts)
    }
}
