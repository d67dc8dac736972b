package import OAuthProtocol
import Synchronization

/// The answer that one received request still needs.
package final class ServerReply: Sendable {
    private let state: Mutex<State>
    private let wake: @Sendable () -> Void

    private struct State {
        var response: HTTPResponse?
        var isSuspended = false
        var isOver = false
        var whenDelivered: (@Sendable (Bool) -> Void)?
    }

    /// - Parameter wake: Makes the server go on with the suspended connection.
    init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
        state = Mutex(State())
    }

    /// Answers, now or later and from any thread; only the first answer counts.
    ///
    /// - Parameter whenDelivered: Called once on the server's thread: `true` when the response was written
    ///   completely, `false` when the connection ended before. Not called for an answer that does not count.
    /// - Returns: Whether this answer counts.
    @discardableResult
    package func send(_ response: HTTPResponse, whenDelivered: (@Sendable (Bool) -> Void)? = nil) -> Bool {
        state.withLock { state in
            guard state.response == nil, !state.isOver else { return false }
            state.response = response
            state.whenDelivered = whenDelivered
            // Inside the lock, so that the connection cannot end between the check and the call.
            if state.isSuspended { wake() }
            return true
        }
    }

    /// The answer; without one, suspends the connection by `suspend` and gives `nil`.
    func responseOrSuspend(_ suspend: () -> Void) -> HTTPResponse? {
        state.withLock { state in
            if state.response == nil {
                state.isSuspended = true
                suspend()
            }
            return state.response
        }
    }

    /// The connection is done with this request.
    func end(isDelivered: Bool) {
        let notify = state.withLock { state in
            state.isOver = true
            state.isSuspended = false
            defer { state.whenDelivered = nil }
            return state.whenDelivered
        }
        notify?(isDelivered)
    }
}
