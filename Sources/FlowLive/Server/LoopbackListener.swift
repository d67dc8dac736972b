internal import JOSE
internal import OAuthProtocol
import Synchronization

/// How the provider delivers the authorization response; some take either way.
package struct CallbackMethod: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `response_mode=query`: GET.
    package static let query = CallbackMethod(rawValue: 1)
    /// `response_mode=form_post`: POST with a form.
    package static let formPost = CallbackMethod(rawValue: 2)

    init(_ methods: [HTTPMethod]) {
        self = methods.contains(.post) ? .formPost : []
        if methods.contains(.get) { insert(.query) }
    }

    /// The methods as the field Allow lists them (RFC 9110 §10.2.1).
    var allowed: String {
        [contains(.query) ? "GET" : nil, contains(.formPost) ? "POST" : nil].compactMap(\.self)
            .joined(separator: ", ")
    }
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
        /// An error without state, which some providers send and anybody can.
        case errorWithoutState
        /// A callback before anything was expected or after the accepted one.
        case notExpected, alreadyUsed
        /// The answer to this very sign-in, by a method that it is not taken by.
        case posted, queried
        /// The answer to this very sign-in in a JWT, which nobody asked for.
        case secured
    }

    package let reason: Reason
}

extension IgnoredRequest.Reason {
    /// Whether the request claimed to be an authorization response, so that the user should be told.
    var isResponse: Bool {
        switch self {
        case .wrongState, .missingState, .errorWithoutState, .repeatedState, .malformed, .notExpected,
            .wrongHost, .posted, .queried, .secured:
            true
        case .wrongPath, .wrongMethod, .prefetch, .alreadyUsed: false
        }
    }

    /// What happened, and what helps against it.
    var words: String {
        switch self {
        case .wrongState: "a callback for another attempt arrived"
        case .missingState: "a callback without state arrived"
        case .errorWithoutState:
            "an error without state arrived, as anybody could send it; if the provider leaves state out of errors, "
                + "say authorization: {state: {on_error: optional}} in its file"
        case .repeatedState: "a callback with several states arrived"
        case .malformed: "a callback that cannot be read arrived"
        case .notExpected: "a callback arrived before the sign-in began"
        case .posted:
            "the answer came by POST, and only one by GET is taken: ask for it with response_mode form_post, or "
                + "say callback: {method: [POST]} in the provider's file"
        case .queried:
            "the answer came by GET, and only one by POST is taken: leave response_mode form_post out, or say "
                + "callback: {method: [GET, POST]} in the provider's file"
        case .secured:
            "the answer came in a signed JWT, and none was asked for: say authorization: {response_mode: jwt} in the "
                + "provider's file"
        case .wrongHost:
            "a callback arrived for another host or port than this listener's; it is not taken, for any page of the "
                + "Internet could send one"
        case .wrongPath, .wrongMethod, .prefetch, .alreadyUsed: "a request that is no callback arrived"
        }
    }
}

/// Receives one authorization response on the loopback address and tells the browser how it went.
///
/// What comes goes to the inbox. An accepted response is answered by a redirect to a page whose address holds no
/// code, and that page waits until `conclude(_:)`. Order of use: `open`, the inbox expects a state, open the
/// browser, the inbox has the answer, `conclude`, `close`.
///
/// - SeeAlso: RFC 8252 §7.3, §8.3
package final class LoopbackListener: AnswerSource {
    /// To be sent to the provider.
    package let redirectURI: String
    package let inbox: CallbackInbox
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
        host: RedirectHost = .address, inbox: CallbackInbox = CallbackInbox(),
        observer: @escaping @Sendable (IgnoredRequest) -> Void = { _ in }
    ) throws(ServerError) -> LoopbackListener {
        try open(port, path, method, host, inbox, holdMilliseconds: 10_000, observer)
    }

    /// - Parameter holdMilliseconds: How long the browser waits for the verdict before it sees a page that
    ///   says so. 10 s, below the 15 s after which the server closes a silent connection.
    static func open(
        _ port: UInt16?, _ path: String, _ method: CallbackMethod, _ host: RedirectHost,
        _ inbox: CallbackInbox = CallbackInbox(), holdMilliseconds: Int,
        _ observer: @escaping @Sendable (IgnoredRequest) -> Void
    ) throws(ServerError) -> LoopbackListener {
        let identifier: String
        do {
            identifier = Base64URL.encode(try SecureRandom.bytes(16))
        } catch {
            throw .unavailable("no random bytes")
        }
        let desk = CallbackDesk(
            inbox: inbox, path: path, method: method, donePath: "/done/\(identifier)",
            holdMilliseconds: holdMilliseconds,
            observer: observer)
        let server = try HTTPServer(port: port ?? 0, refused: { desk.miss($0) }) { request, reply in
            desk.receive(request, reply)
        }
        desk.serve(port: server.port)
        return LoopbackListener(server, desk, inbox, host, path)
    }

    private init(
        _ server: HTTPServer, _ desk: CallbackDesk, _ inbox: CallbackInbox, _ host: RedirectHost,
        _ path: String
    ) {
        self.server = server
        self.desk = desk
        self.inbox = inbox
        let name =
            switch host {
            case .address: server.host
            case .localhost: "localhost"
            }
        redirectURI = "http://\(name):\(server.port)\(path)"
    }

    deinit { desk.abandon() }

    package var port: UInt16 { server.port }

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
        if desk.hasAnswer {
            _ = await desk.delivered.value(withinMilliseconds: grace)
        }
        desk.abandon()
        server.stop()
    }

    func close(_ verdict: PageVerdict?) async {
        if let verdict { conclude(verdict) }
        await close()
    }
}
