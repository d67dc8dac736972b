internal import FlowEngine

/// One run as its events tell it: what every report of a finished trace is made of.
struct RunRecord: Sendable {
    let start: RunStart
    /// Milliseconds since 1970.
    let startedAt: Int64
    /// The time of the last event.
    let endedAt: Int64
    /// `nil` when the trace breaks off.
    let end: RunEnd?
    /// `nil` in traces that were written without it.
    let flow: TracedFlow?
    /// One for each visit, in the order entered.
    let steps: [StepRecord]
    /// What happened outside all steps, such as hooks before the first.
    let others: [TraceEvent]
    /// `nil` for a success and for a trace that breaks off.
    let failure: FailureReport?
    let spent: TimeSpent

    /// - Parameters:
    ///   - events: Of one run, beginning with its start; `nil` for any other list.
    ///   - told: What the command line has told of its failure, in its words.
    init?(_ events: [TraceEvent], told: FailureReport?) {
        guard let first = events.first, case .runStart(let start) = first.body else { return nil }
        var builder = RunRecordBuilder()
        for event in events { builder.add(event) }
        self.start = start
        startedAt = first.time
        endedAt = events.map(\.time).max() ?? first.time
        end = builder.end
        flow = builder.flow
        steps = builder.steps
        others = builder.others
        failure = builder.collector.finished?.inWords(of: told)
        spent = builder.spent
    }

    var isDryRun: Bool { start.isDryRun }

    var isSuccess: Bool { end?.result == "success" }

    /// Milliseconds.
    var duration: Int64 { end?.duration ?? endedAt - startedAt }

    /// What is neither a person's time nor the network's nor that of hooks.
    var machineTime: Int64 { max(0, duration - spent.human - spent.network - spent.hooks) }

    /// Hooks that ran outside of all steps.
    var otherHooks: [TracedHook] { others.compactMap(\.hook) }

    /// The visit that the failure is about, as a place in `steps`; `nil` where no step bears it.
    var failedStep: Int? {
        guard let failure else { return nil }
        return steps.lastIndex { $0.name == failure.step }
    }

    /// The same, and of a trace that breaks off the visit in which it does.
    var unfinishedStep: Int? { end == nil ? steps.lastIndex { $0.end == nil } : failedStep }

    var checks: [TracedCheck] { steps.flatMap(\.checks) }

    var exchanges: [Exchange] { steps.flatMap(\.exchanges) }
}

/// Sorts the events of a run into its steps.
private struct RunRecordBuilder {
    private(set) var end: RunEnd?
    private(set) var flow: TracedFlow?
    private(set) var others: [TraceEvent] = []
    private(set) var collector = FailureCollector()
    private(set) var spent = TimeSpent()
    private(set) var steps: [StepRecord] = []
    /// Places of the steps that have not ended: those of a sub-flow lie inside of one, the innermost is the last.
    private var open: [Int] = []

    mutating func add(_ event: TraceEvent) {
        collector.collect(event)
        spent.count(event)
        switch event.body {
        case .runStart: break
        case .flow(let flow): self.flow = flow
        case .runEnd(let end):
            self.end = end
            for step in open { steps[step].endedAt = event.time }
        case .stepStart(let start):
            steps.append(
                StepRecord(
                    name: event.step ?? "", start: start, enclosing: open.last, startedAt: event.time))
            open.append(steps.count - 1)
        case .stepEnd(let end):
            guard let step = open.popLast() else { break }
            steps[step].end = end
            steps[step].endedAt = event.time
        case .request, .response, .transportFailure, .token, .check, .security, .note, .warning,
            .actionRequired, .callbackIgnored, .waiting, .hook, .retry, .saved:
            if let step = open.last { steps[step].add(event) } else { others.append(event) }
        }
    }
}
