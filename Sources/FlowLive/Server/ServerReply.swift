package import OAuthProtocol
import Synchronization

/// What a connection does with one request.
enum ServerAnswer: Sendable {
    case whole(HTTPResponse)
    /// Announces the whole body and ends the connection after so many bytes of it.
    case cut(HTTPResponse, after: Int)
    /// Ends the connection without a byte.
    case none
}

/// The answer that one received request still needs.
package final class ServerReply: Sendable {
    private let state: Mutex<State>
    private let wake: @Sendable () -> Void

    private struct State {
        var answer: ServerAnswer?
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
        settle(.whole(response), whenDelivered)
    }

    /// Answers as a server that breaks off: the sandbox's faults need it.
    package func send(_ response: HTTPResponse, cutAfter bytes: Int) {
        settle(.cut(response, after: bytes), nil)
    }

    /// Ends the connection without an answer.
    package func abort() {
        settle(.none, nil)
    }

    @discardableResult
    private func settle(_ answer: ServerAnswer, _ whenDelivered: (@Sendable (Bool) -> Void)?) -> Bool {
        state.withLock { state in
            guard state.answer == nil, !state.isOver else { return false }
            state.answer = answer
            state.whenDelivered = whenDelivered
            // Inside the lock, so that the connection cannot end between the check and the call.
            if state.isSuspended { wake() }
            return true
        }
    }

    /// The answer; without one, suspends the connection by `suspend` and gives `nil`.
    func answerOrSuspend(_ suspend: () -> Void) -> ServerAnswer? {
        state.withLock { state in
            if state.answer == nil {
                state.isSuspended = true
                suspend()
            }
            return state.answer
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
