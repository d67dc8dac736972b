internal import FlowEngine
internal import Synchronization

/// What stopped a run from outside, and why its end says more than that it was cancelled.
final class StopReason: Sendable {
    private let first = Mutex<ExitStatus.Stop?>(nil)

    var stop: ExitStatus.Stop? { first.withLock(\.self) }

    var failure: RunFailure? {
        switch stop {
        case .timeout: RunFailure(.deadline, "the run took longer than --timeout allows")
        case .signal(let number): RunFailure(.cancelled, "the run was cancelled", exit: 128 + Int(number))
        case nil: nil
        }
    }

    /// The first reason stays.
    fileprivate func set(_ cause: ExitStatus.Stop) { first.withLock { $0 = $0 ?? cause } }
}

/// A run that signals and a time limit can stop: it then ends through the flow's end `cancelled`.
struct StoppableRun: Sendable {
    let run: FlowRun
    /// What the run asks when it was stopped.
    let reason: StopReason
    /// `nil` leaves signals to the system.
    let interruption: Interruption?
    /// Milliseconds.
    let timeout: Int64?
    /// Called every second while the run goes on.
    let tick: (@Sendable () -> Void)?

    /// - Returns: The outcome, and what stopped the run if something did.
    func run() async -> (outcome: RunOutcome, stop: ExitStatus.Stop?) {
        let work = Task { await run.run() }
        // The run is cancelled before the program ends that it waits for, whose failure is none of its own then.
        let stop = { @Sendable [reason] (cause: ExitStatus.Stop) in
            reason.set(cause)
            work.cancel()
        }
        interruption?.onArrival { [interruption] in
            if let number = interruption?.received { stop(.signal(number)) }
        }
        let companions = companions(stop)
        let outcome = await work.value
        let cause = reason.stop
        for companion in companions {
            companion.cancel()
            await companion.value
        }
        return (outcome, cause)
    }

    private func companions(_ stop: @escaping @Sendable (ExitStatus.Stop) -> Void) -> [Task<Void, Never>] {
        var tasks: [Task<Void, Never>] = []
        if let timeout {
            tasks.append(
                Task { [interruption] in
                    guard await Self.sleeps(timeout) else { return }
                    stop(.timeout)
                    interruption?.endWaits()
                })
        }
        if let tick {
            tasks.append(
                Task {
                    while await Self.sleeps(1000) { tick() }
                })
        }
        return tasks
    }

    /// False when the task was cancelled meanwhile.
    private static func sleeps(_ milliseconds: Int64) async -> Bool {
        do {
            try await Task.sleep(for: .milliseconds(milliseconds))
            return true
        } catch {
            return false
        }
    }
}
