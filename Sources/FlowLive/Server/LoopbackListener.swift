internal import JOSE
package import OAuthProtocol
import Synchronization

/// How the provider delivers the authorization response.
package enum CallbackMethod: Sendable, Hashable {
    /// `response_mode=query`: GET.
    case query
    /// `response_mode=form_post`: POST with a form.
    case formPost
}

/// Which name of the loopback address the redirect URI has.
package enum RedirectHost: Sendable, Hashable {
    /// The address itself, as RFC 8252 §8.3 recommends.
    case address
    /// `localhost`, for providers that accept only this.
    case localhost
}

/// A request to the listener that did not end the waiting.
package struct IgnoredRequest: Sendable, Hashable {
    package enum Reason: String, Sendable, Hashable {
        case wrongState, missingState, repeatedState, malformed, wrongHost, wrongPath, wrongMethod, prefetch
        /// A callback before `expect(state:)` or after the accepted one.
        case notExpected, alreadyUsed
    }

    package let reason: Reason
    /// Whether it claimed to be an authorization response, so that the user should be told.
    package var isResponse: Bool {
        switch reason {
        case .wrongState, .missingState, .repeatedState, .malformed, .notExpected: true
        case .wrongHost, .wrongPath, .wrongMethod, .prefetch, .alreadyUsed: false
        }
    }
}

package enum ListenerResult: Sendable {
    /// The parameters of the response with the expected state: decoded, in order, duplicates kept.
    case response([(name: String, value: String)])
    case timeout
    case cancelled
}

/// Receives one authorization response on the loopback address and tells the browser how it went.
///
/// The response must have the expected `state`; nothing else of it is checked. It is answered by a redirect
/// to a page whose address holds no code, and that page waits until `conclude(_:)`. Order of use: `open`,
/// `expect(state:)`, open the browser, `nextResponse`, `conclude`, `close`.
///
/// - SeeAlso: RFC 8252 §7.3, §8.3
package final class LoopbackListener: Sendable {
    /// To be sent to the provider.
    package let redirectURI: String
    private let server: HTTPServer
    private let desk: CallbackDesk

    /// Listens; connections are served from now on.
    ///
    /// - Parameters:
    ///   - port: `nil` lets the system choose one.
    ///   - path: Begins with `/`; compared exactly.
    ///   - observer: Told of each request that did not count; called on the listener's thread.
    package static func open(
        port: UInt16? = nil, path: String = "/callback", method: CallbackMethod = .query,
        host: RedirectHost = .address, observer: @escaping @Sendable (IgnoredRequest) -> Void = { _ in }
    ) throws(ServerError) -> LoopbackListener {
        try open(port, path, method, host, holdMilliseconds: 10_000, observer)
    }

    /// - Parameter holdMilliseconds: How long the browser waits for the verdict before it sees a page that
    ///   says so. 10 s, below the 15 s after which the server closes a silent connection.
    static func open(
        _ port: UInt16?, _ path: String, _ method: CallbackMethod, _ host: RedirectHost,
        holdMilliseconds: Int, _ observer: @escaping @Sendable (IgnoredRequest) -> Void
    ) throws(ServerError) -> LoopbackListener {
        let identifier: String
        do {
            identifier = Base64URL.encode(try SecureRandom.bytes(16))
        } catch {
            throw .unavailable("no random bytes")
        }
        let desk = CallbackDesk(
            path: path, method: method, donePath: "/done/\(identifier)", holdMilliseconds: holdMilliseconds,
            observer: observer)
        let server = try HTTPServer(port: port ?? 0) { request, reply in desk.receive(request, reply) }
        desk.serve(port: server.port)
        return LoopbackListener(server, desk, host, path)
    }

    private init(_ server: HTTPServer, _ desk: CallbackDesk, _ host: RedirectHost, _ path: String) {
        self.server = server
        self.desk = desk
        let name =
            switch host {
            case .address: server.host
            case .localhost: "localhost"
            }
        redirectURI = "http://\(name):\(server.port)\(path)"
    }

    deinit { desk.abandon() }

    package var port: UInt16 { server.port }

    /// Callbacks so far that were refused for their state or their form.
    package var refusedResponses: Int { desk.refusedResponses }

    /// Sets the state to accept; before that, every callback is refused.
    package func expect(
        state: String, dialect: CallbackDialect = CallbackDialect(), demand: StateDemand = .always
    ) {
        desk.expect(state, dialect: dialect, demand: demand)
    }

    /// Waits for the response, until `deadline` in milliseconds since 1970; one task at a time.
    ///
    /// A response that has come already is given at once, even when the deadline is past.
    package func nextResponse(deadline: Int64) async -> ListenerResult {
        let milliseconds = max(0, deadline - WallClock.now())
        if let response = await desk.accepted.value(withinMilliseconds: Int(clamping: milliseconds)) {
            return .response(response.parameters)
        }
        return Task.isCancelled ? .cancelled : .timeout
    }

    /// Says how it ended; the browser's page waits for it. Only the first verdict counts.
    package func conclude(_ verdict: PageVerdict) { desk.conclude(verdict) }

    /// Stops listening.
    ///
    /// Waits until the browser has the last page, when a response was accepted: it asks a moment later.
    /// Without a verdict the page says that the sign-in was interrupted.
    ///
    /// - Parameter grace: The longest wait in milliseconds; ends at once when the task is cancelled.
    package func close(grace: Int = 1_500) async {
        desk.conclude(.failure(code: "interrupted"))
        if desk.accepted.current != nil {
            _ = await desk.delivered.value(withinMilliseconds: grace)
        }
        desk.abandon()
        server.stop()
    }
}
