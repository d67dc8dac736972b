public import FlowEngine
public import JOSE
internal import OAuthProtocol
internal import Synchronization

/// Whether somebody is signed in, as a program shows it.
public enum SessionState: Sendable, Hashable {
    /// There is no session.
    case signedOut
    /// A person is being asked.
    case signingIn
    /// There is a session that can be used without a person.
    case signedIn(Session)
    /// There was a session, and a person must sign in again.
    case expired
    /// A sign-in or a sign-out went wrong, or the store cannot be read.
    case error(SignInFailure)
}

/// A session that can be used without a person; nothing of it is secret.
public struct Session: Sendable, Hashable {
    /// Whom the tokens speak for; `nil` where no provider says so, as with plain OAuth 2.0.
    public let subject: String?
    /// Who says so; `nil` with plain OAuth 2.0.
    public let issuer: String?
    /// What was granted with the session, in the order of the server.
    public let scopes: [String]
    /// When the access token ends, in milliseconds since 1970; `nil` when the server named no lifetime.
    public let expiresAt: Int64?
    /// Whether a fresh access token can be had after that.
    public let canRefresh: Bool
    /// What the flow has noted with the session, by the names under `meta` of its `store` step. The shipped `login` and
    /// `device-login` note the person's claims under `profile` (OIDC Core §5.1), as they were at the last sign-in.
    public let meta: JSONObject

    /// What to call the person, as in a menu: `name`, `preferred_username`, `nickname` or `email` of the `profile` that
    /// the flow has noted, the first that says something. Unlike `subject` it may change, and several people may share
    /// one: show it, and decide nothing by it (OIDC Core §5.7). Control characters are left out. `nil` where there is
    /// none of them.
    public var name: String? {
        guard let profile = meta["profile"]?.objectValue else { return nil }
        return ["name", "preferred_username", "nickname", "email"].lazy
            .compactMap { profile[$0]?.stringValue }.map { RemoteText.sanitize($0, limit: 200) }
            .first { !$0.allSatisfy(\.isWhitespace) }
    }

    /// One to show where there is none: in a program's own tests and previews.
    public init(
        subject: String?, issuer: String? = nil, scopes: [String] = [], expiresAt: Int64? = nil,
        canRefresh: Bool = true, meta: JSONObject = [:]
    ) {
        self.meta = meta
        self.subject = subject
        self.issuer = issuer
        self.scopes = scopes
        self.expiresAt = expiresAt
        self.canRefresh = canRefresh
    }
}

/// The present state, and those who watch it.
final class StateBoard: Sendable {
    private struct Board {
        var current: SessionState?
        var observers: [Int: AsyncStream<SessionState>.Continuation] = [:]
        var lastObserver = 0
    }

    private let board = Mutex(Board())

    deinit {
        for observer in board.withLock(\.observers.values) { observer.finish() }
    }

    /// `nil` before anything is known.
    var current: SessionState? { board.withLock(\.current) }

    /// Tells a new state to everybody; the same one again is none.
    func publish(_ state: SessionState) {
        // Inside the lock, so that everybody sees the same order.
        board.withLock { board in
            guard board.current != state else { return }
            board.current = state
            for observer in board.observers.values { observer.yield(state) }
        }
    }

    /// The present state, once there is one, and every later one; none is lost, however slow the reader is.
    func observe() -> AsyncStream<SessionState> {
        let (states, continuation) = AsyncStream.makeStream(of: SessionState.self)
        let number = board.withLock { board in
            board.lastObserver += 1
            board.observers[board.lastObserver] = continuation
            if let current = board.current { continuation.yield(current) }
            return board.lastObserver
        }
        continuation.onTermination = { [weak self] _ in
            self?.board.withLock { _ = $0.observers.removeValue(forKey: number) }
        }
        return states
    }
}
