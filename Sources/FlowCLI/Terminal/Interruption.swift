internal import Glibc
internal import Synchronization

/// SIGINT and SIGTERM, received on a thread of their own instead of in a signal handler.
package final class Interruption: Sendable {
    private struct State {
        var received: Int32?
        var action: (@Sendable () -> Void)?
    }

    /// The number of SIGINT.
    static let interrupt = SIGINT

    private let state = Mutex(State())

    package init() {}

    /// Takes SIGINT and SIGTERM from now on, and ignores SIGPIPE.
    ///
    /// Must be called before the process has a second thread: later threads inherit the blocked signals.
    package static func listen() -> Interruption {
        let interruption = Interruption()
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
        var thread = pthread_t()
        let context = Unmanaged.passRetained(interruption).toOpaque()
        guard pthread_create(&thread, nil, waitForSignals, context) == 0 else {
            // Without the thread the signals keep their usual meaning.
            Unmanaged<Interruption>.fromOpaque(context).release()
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            return interruption
        }
        pthread_detach(thread)
        return interruption
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

    /// Reports a signal. A second one ends the process: the first is taking too long.
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

private func waitForSignals(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let interruption = Unmanaged<Interruption>.fromOpaque(context).takeRetainedValue()
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    var number: Int32 = 0
    while sigwait(&signals, &number) == 0 { interruption.arrive(number) }
    return nil
}
