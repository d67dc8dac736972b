internal import FlowEngine
internal import Synchronization

/// What stopped a run from outside, and why its end says more than that it was cancelled.
final class StopReason: Sendable {
    private struct State {
        var stop: ExitStatus.Stop?
        /// Cancels the run, once there is one to cancel.
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var stop: ExitStatus.Stop? { state.withLock(\.stop) }

    var failure: RunFailure? {
        switch stop {
        case .timeout: RunFailure(.deadline, "the run took longer than --timeout allows")
        case .signal(let number): RunFailure(.cancelled, "the run was cancelled", exit: 128 + Int(number))
        case nil: nil
        }
    }

    /// Stops the run: the first reason stays.
    fileprivate func stop(by cause: ExitStatus.Stop) {
        let cancel = state.withLock { state in
            state.stop = state.stop ?? cause
            return state.cancel
        }
        cancel?()
    }

    /// Says how the run is cancelled, and does it where something has stopped it before it began.
    fileprivate func stops(by cancel: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.cancel = cancel
            return state.stop != nil
        }
        if isStopped { cancel() }
    }
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
        reason.stops(by: work.cancel)
        // The run is cancelled before the program ends that it waits for, whose failure is none of its own then.
        interruption?.onArrival { [reason, interruption] in
            if let number = interruption?.received { reason.stop(by: .signal(number)) }
        }
        let companions = companions()
        let outcome = await work.value
        let stop = reason.stop
        for companion in companions {
            companion.cancel()
            await companion.value
        }
        return (outcome, stop)
    }

    private func companions() -> [Task<Void, Never>] {
        var tasks: [Task<Void, Never>] = []
        if let timeout {
            tasks.append(
                Task { [reason, interruption] in
                    guard await Self.sleeps(timeout) else { return }
                    reason.stop(by: .timeout)
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
