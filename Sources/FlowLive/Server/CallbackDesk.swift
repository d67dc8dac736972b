internal import OAuthProtocol
import Synchronization

/// Decides on each request to the listener; every rule of the callback but those of its inbox is here.
final class CallbackDesk: Sendable {
    /// Set when the browser has the page with the verdict.
    let delivered = FirstValue<Void>()

    private static let channel = "loopback"

    private let inbox: CallbackInbox
    private let path: String
    private let method: CallbackMethod
    private let donePath: String
    private let holdMilliseconds: Int
    private let observer: @Sendable (IgnoredRequest) -> Void
    private let page = CallbackPage()
    private let state = Mutex(State())

    private struct State {
        var port: UInt16?
        var verdict: PageVerdict?
        var held: [ServerReply] = []
        var timer: Task<Void, Never>?
    }

    init(
        inbox: CallbackInbox, path: String, method: CallbackMethod, donePath: String, holdMilliseconds: Int,
        observer: @escaping @Sendable (IgnoredRequest) -> Void
    ) {
        self.inbox = inbox
        self.path = path
        self.method = method
        self.donePath = donePath
        self.holdMilliseconds = holdMilliseconds
        self.observer = observer
    }

    /// Whether the answer came here, so that a browser waits for the verdict.
    var hasAnswer: Bool { inbox.answer?.channel == Self.channel }

    /// Learns the port, and with it the names under which a browser may call.
    func serve(port: UInt16) {
        state.withLock { $0.port = port }
    }

    func conclude(_ verdict: PageVerdict) {
        let held = state.withLock { state in
            guard state.verdict == nil else { return [] as [ServerReply] }
            state.verdict = verdict
            state.timer?.cancel()
            defer { state.held = [] }
            return state.held
        }
        for reply in held { deliver(verdict, reply) }
    }

    /// Ends the timer.
    func abandon() { state.withLock { $0.timer?.cancel() } }

    func receive(_ request: ServerRequest, _ reply: ServerReply) {
        guard isLoopback(request) else {
            return ignore(request.path == path ? .wrongHost : .wrongPath, reply, .otherAttempt, 400)
        }
        switch request.path {
        case path: receiveCallback(request, reply)
        case donePath: receiveDone(request, reply)
        default: ignore(.wrongPath, reply, .notFound, 404)
        }
    }

    /// Tells of a callback that the server refused before it could be read whole.
    func miss(_ target: String) {
        guard target.prefix(while: { $0 != "?" }) == path, inbox.answer == nil else { return }
        observer(IgnoredRequest(reason: .malformed))
    }

    private func isLoopback(_ request: ServerRequest) -> Bool {
        state.withLock(\.port).map(request.isLoopback) ?? false
    }

    private func ignore(
        _ reason: IgnoredRequest.Reason, _ reply: ServerReply, _ content: CallbackPage.Content, _ status: Int,
        _ fields: [HTTPField] = []
    ) {
        reply.send(page.response(content, status: status, fields))
        observer(IgnoredRequest(reason: reason))
    }
}

extension CallbackDesk {
    private func receiveCallback(_ request: ServerRequest, _ reply: ServerReply) {
        let way = CallbackMethod(HTTPMethod(rawValue: request.method).map { [$0] } ?? [])
        guard !way.isEmpty, method.isSuperset(of: way) else { return refuse(request, way, reply) }
        if request.isPrefetch {
            reply.send(page.empty(status: 204))
            return observer(IgnoredRequest(reason: .prefetch))
        }
        guard let parameters = parameters(of: request, way) else {
            return ignore(inbox.refuse(.malformed), reply, .otherAttempt, 400)
        }
        switch inbox.offer(parameters, through: Self.channel) {
        case nil: break
        case .alreadyUsed: return ignore(.alreadyUsed, reply, .alreadyUsed, 409)
        case let reason?: return ignore(reason, reply, .otherAttempt, 400)
        }
        reply.send(page.empty(status: 303, [HTTPField("Location", donePath)]))
    }

    /// Takes nothing; of what would be the answer if it had come in another way, both sides are told.
    private func refuse(_ request: ServerRequest, _ way: CallbackMethod, _ reply: ServerReply) {
        let allow = HTTPField("Allow", method.allowed)
        guard !way.isEmpty, !request.isPrefetch, let parameters = parameters(of: request, way),
            inbox.awaits(parameters)
        else { return ignore(.wrongMethod, reply, .notAllowed, 405, [allow]) }
        let content = CallbackPage.Content.otherMethod(came: way.allowed, taken: method.allowed)
        ignore(way == .formPost ? .posted : .queried, reply, content, 405, [allow])
    }

    private func parameters(
        of request: ServerRequest, _ way: CallbackMethod
    ) -> [(name: String, value: String)]? {
        guard way == .formPost else { return QueryItems.received(request.query ?? "") }
        let type = request.field("Content-Type")?.prefix { $0 != ";" && $0 != " " }
        guard let type, String(type).equalsIgnoringASCIICase(FormBody.contentType) else { return nil }
        return QueryItems.received(String(decoding: request.body, as: UTF8.self))
    }
}

extension CallbackDesk {
    private func receiveDone(_ request: ServerRequest, _ reply: ServerReply) {
        guard request.method == "GET" else {
            return ignore(.wrongMethod, reply, .notAllowed, 405, [HTTPField("Allow", "GET")])
        }
        guard hasAnswer else { return ignore(.wrongPath, reply, .notFound, 404) }
        let verdict = state.withLock { state in
            if state.verdict == nil { hold(reply, &state) }
            return state.verdict
        }
        if let verdict { deliver(verdict, reply) }
    }

    /// Keeps the browser waiting, for a bounded time.
    private func hold(_ reply: ServerReply, _ state: inout State) {
        state.held.append(reply)
        guard state.held.count == 1 else { return }
        let milliseconds = holdMilliseconds
        // The listener's lifetime bounds it: conclude, close and deinit cancel it.
        state.timer = Task { [weak self] in
            // Only cancellation ends the sleep early.
            guard (try? await Task.sleep(for: .milliseconds(milliseconds))) != nil else { return }
            self?.releaseHeld()
        }
    }

    /// Lets waiting browsers ask again later.
    private func releaseHeld() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for reply in held { reply.send(page.response(.finishing, status: 200)) }
    }

    private func deliver(_ verdict: PageVerdict, _ reply: ServerReply) {
        let delivered = delivered
        reply.send(page.response(.verdict(verdict), status: 200)) { isDelivered in
            if isDelivered { delivered.set(()) }
        }
    }
}
