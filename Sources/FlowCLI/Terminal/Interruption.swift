internal import Glibc
internal import Synchronization

/// SIGINT and SIGTERM, received by a thread that waits for them instead of in a signal handler.
package final class Interruption: Sendable {
    private struct State {
        var received: Int32?
        var action: (@Sendable () -> Void)?
    }

    /// The number of SIGINT.
    static let interrupt = SIGINT

    private let state = Mutex(State())

    package init() {}

    /// Holds SIGINT and SIGTERM back until `receive()` takes them, and ignores SIGPIPE.
    ///
    /// Must be called before the process has a second thread: later threads inherit the mask.
    static func holdSignals() {
        var signals = Self.signals
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        inherited.withLock { [before] in $0 = before }
        signal(SIGPIPE, SIG_IGN)
    }

    /// The mask that the process was started with.
    private static let inherited = Mutex(sigset_t())

    /// Leaves signals to the system again, for a program that takes this process over.
    ///
    /// The mask of the thread goes with it, and threads here take no signals: what this process began with holds.
    static func releaseSignals() {
        var mask = Self.inherited.withLock { $0 }
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        signal(SIGPIPE, SIG_DFL)
    }

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
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        return signals
    }

    /// The first signal that arrived.
    package var received: Int32? { state.withLock(\.received) }

    /// Runs `action` at the first signal, at once when it has already arrived; replaces an earlier action.
    package func onArrival(_ action: (@Sendable () -> Void)?) {
        let hasArrived = state.withLock { state in
            state.action = action
            return state.received != nil
        }
        if hasArrived { action?() }
    }

    /// Reports a signal. Ends the process at once when nobody takes it, or at the second: the first takes too long.
    package func arrive(_ signal: Int32) {
        let (isFirst, action) = state.withLock { state in
            let isFirst = state.received == nil
            if isFirst { state.received = signal }
            return (isFirst, state.action)
        }
        guard isFirst, let action else { _exit(128 + signal) }
        action()
    }
}
