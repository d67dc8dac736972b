internal import FlowEngine
internal import Synchronization

/// Why a run is stopped from outside, where its end is to say more than that it was cancelled.
final class StopReason: Sendable {
    private let reason = Mutex<RunFailure?>(nil)

    var failure: RunFailure? { reason.withLock(\.self) }

    fileprivate func set(_ failure: RunFailure) { reason.withLock { $0 = failure } }
}

/// A run that signals and a time limit can stop: it then ends through the flow's end `cancelled`.
struct StoppableRun: Sendable {
    let run: FlowRun
    /// What the run asks when it was stopped.
    let reason: StopReason
    /// The first signal; `nil` leaves signals to the system.
    let signals: AsyncStream<Int32>?
    /// Milliseconds.
    let timeout: Int64?
    /// Called when the time is over: ends what the run waits for and cannot be told to stop, such as another's program.
    let onTimeout: (@Sendable () -> Void)?
    /// Called every second while the run goes on.
    let tick: (@Sendable () -> Void)?

    private enum Event: Sendable {
        case ended(RunOutcome)
        case stopped(ExitStatus.Stop)
        /// A companion task that has nothing more to say.
        case quiet
    }

    /// - Returns: The outcome, and what stopped the run if something did.
    func run() async -> (outcome: RunOutcome, stop: ExitStatus.Stop?) {
        await withTaskGroup(of: Event.self) { group in
            group.addTask { .ended(await run.run()) }
            addCompanions(&group)
            var stop: ExitStatus.Stop?
            while let event = await group.next() {
                switch event {
                case .ended(let outcome):
                    group.cancelAll()
                    return (outcome, stop)
                case .stopped(let cause):
                    if case .timeout = cause { onTimeout?() }
                    if stop == nil { reason.set(Self.failure(cause)) }
                    stop = stop ?? cause
                    group.cancelAll()
                case .quiet: break
                }
            }
            preconditionFailure("a run always ends")
        }
    }

    private static func failure(_ cause: ExitStatus.Stop) -> RunFailure {
        switch cause {
        case .timeout: RunFailure(.deadline, "the run took longer than --timeout allows")
        case .signal(let number): RunFailure(.cancelled, "the run was cancelled", exit: 128 + Int(number))
        }
    }

    private func addCompanions(_ group: inout TaskGroup<Event>) {
        if let signals {
            group.addTask { await signals.first().map { .stopped(.signal($0)) } ?? .quiet }
        }
        if let timeout {
            group.addTask { await Self.sleeps(timeout) ? .stopped(.timeout) : .quiet }
        }
        if let tick {
            group.addTask {
                while await Self.sleeps(1000) { tick() }
                return .quiet
            }
        }
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

extension Interruption {
    /// The first signal, from now on.
    ///
    /// Listening begins with the call and not with the first wait, so that no signal falls between.
    func arrivals() -> AsyncStream<Int32> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        onArrival { [self] in
            if let received { continuation.yield(received) }
            continuation.finish()
        }
        return stream
    }
}

extension AsyncStream<Int32> {
    /// The first signal; `nil` when the task is cancelled before one arrives.
    func first() async -> Int32? {
        for await signal in self { return signal }
        return nil
    }
}
