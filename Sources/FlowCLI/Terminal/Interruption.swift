internal import Glibc
internal import Synchronization

/// SIGINT, SIGTERM and SIGHUP, received by a thread that waits for them instead of in a signal handler.
package final class Interruption: Sendable {
    private typealias Action = @Sendable () -> Void

    private struct State {
        var received: (number: Int32, at: ContinuousClock.Instant)?
        var action: Action?
        /// Whether a signal ends the process, as nobody takes it.
        var isProcessEnding = false
        /// Whether the time of what the action stands for is over.
        var isTimeOver = false
        /// What ends the wait for a program or a person just now.
        var ending: Action?
    }

    /// The number of SIGINT.
    static let interrupt = SIGINT

    private let state = Mutex(State())

    package init() {}

    /// Holds the signals back until `receive()` takes them, and ignores those of a write that fails: its error says more.
    ///
    /// A signal that the process was started to ignore, as nohup does with SIGHUP, stays ignored. Must be called before the process has a second thread: later threads inherit the mask.
    static func holdSignals() {
        var signals = Self.signals
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        inherited.withLock { [before] in $0 = before }
        for number in failedWrites { signal(number, SIG_IGN) }
    }

    /// The mask that the process was started with.
    private static let inherited = Mutex(sigset_t())

    /// Leaves signals to the system again, for a program that takes this process over.
    ///
    /// The mask of the thread goes with it, and threads here take no signals: what this process began with holds.
    static func releaseSignals() {
        var mask = Self.inherited.withLock { $0 }
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        for number in failedWrites { signal(number, SIG_DFL) }
    }

    /// Nobody reads the pipe any more; the file would get longer than the user's limit.
    private static let failedWrites = [SIGPIPE, SIGXFSZ]

    /// Takes signals for the rest of the process's life.
    func receive() -> Never {
        var signals = Self.signals
        while true {
            var number: Int32 = 0
            if sigwait(&signals, &number) == 0 { arrive(number) }
        }
    }

    private static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in taken { sigaddset(&signals, number) }
        return signals
    }

    /// Found out once, before anything else changes what signals do.
    private static let taken = [SIGINT, SIGTERM, SIGHUP].filter { !isIgnored($0) }

    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
            == unsafeBitCast(SIG_IGN, to: UInt.self)
    }

    /// The first signal that arrived.
    package var received: Int32? { state.withLock { $0.received?.number } }

    /// Runs `action` at the first signal, at once when it has already arrived; replaces an earlier action, whose time does not
    /// count any more.
    package func onArrival(_ action: (@Sendable () -> Void)?) {
        let hasArrived = state.withLock { state in
            state.action = action
            state.isTimeOver = false
            return state.received != nil
        }
        if hasArrived { action?() }
    }

    /// Runs `body`, which waits for another's program or for a person; a signal that arrives meanwhile calls `end`, after the
    /// action. Where it ends the process, the thread that waited does nothing any more.
    func ending<Result, Failure: Error>(
        by end: @escaping @Sendable () -> Void, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let isOver = state.withLock { state in
            state.ending = end
            return state.received != nil || state.isTimeOver
        }
        defer {
            let isProcessEnding = state.withLock { state in
                state.ending = nil
                return state.isProcessEnding
            }
            while isProcessEnding { pause() }
        }
        if isOver { end() }
        return try body()
    }

    /// Ends the wait of just now, and each that is to come, as a run does whose time is over.
    func endWaits() {
        let end = state.withLock { state in
            state.isTimeOver = true
            return state.ending
        }
        end?()
    }

    /// Microseconds for the thread that waits for a program to pass the signal on, where the process ends at once.
    private static let endingTime: UInt32 = 50_000

    /// One stop often comes as several signals: `timeout` sends its own to the process and to its group, and a wrapper passes
    /// on what the terminal has sent to both. Two presses of a key are further apart, or a third one follows.
    private static let echo = Duration.milliseconds(500)

    /// Reports a signal. Ends the process at once when nobody takes it, or at the second: the first takes too long.
    package func arrive(_ signal: Int32, at now: ContinuousClock.Instant = .now) {
        let answer: (action: Action?, ending: Action?)? = state.withLock { state in
            let first = state.received
            if let first, now - first.at < Self.echo { return nil }
            if first == nil { state.received = (signal, now) }
            let action = first == nil ? state.action : nil
            state.isProcessEnding = action == nil
            return (action, state.ending)
        }
        guard let (action, ending) = answer else { return }
        action?()
        ending?()
        guard action == nil else { return }
        if ending != nil { usleep(Self.endingTime) }
        EmergencyLine.write(.stop)
        _exit(128 + signal)
    }
}
