internal import JOSE
internal import OAuthProtocol

/// A page on the loopback address that sends the browser on to a URL with a secret in it, once.
///
/// Every user of a machine can read what a program was started with. The browser's program is started with the address
/// of this page, which is of no use to anybody after the browser has been there.
final class BrowserHandOver: Sendable {
    /// What the browser is opened with: http, 128 random bits in its path.
    let url: String
    private let server: HTTPServer
    private let desk: HandOverDesk

    /// Listens; the first request for the page gets `target`.
    static func open(to target: String) throws(ServerError) -> BrowserHandOver {
        let identifier: String
        do {
            identifier = Base64URL.encode(try SecureRandom.bytes(16))
        } catch {
            throw .unavailable("no random bytes")
        }
        let desk = HandOverDesk(path: "/open/\(identifier)", target: target)
        let server = try HTTPServer(port: 0) { request, reply in desk.receive(request, reply) }
        desk.port.set(server.port)
        return BrowserHandOver(server, desk)
    }

    private init(_ server: HTTPServer, _ desk: HandOverDesk) {
        self.server = server
        self.desk = desk
        url = "http://\(server.host):\(server.port)\(desk.path)"
    }

    /// Calls `body` when the browser has been sent on, at once if it has been already.
    func whenTaken(_ body: @escaping @Sendable () -> Void) { desk.whenTaken(body) }

    /// Waits until the browser has been sent on.
    ///
    /// - Returns: `false` when it was not within the time, or the task was cancelled.
    func isTaken(withinMilliseconds milliseconds: Int) async -> Bool {
        await desk.taken.value(withinMilliseconds: milliseconds) != nil
    }

    /// Stops listening; the page is gone.
    func close() { server.stop() }
}

/// Decides on each request to the page.
private final class HandOverDesk: Sendable {
    let path: String
    let port = FirstValue<UInt16>()
    /// Set when the browser has what it was sent.
    let taken = FirstValue<Void>()
    private let target: String
    private let isUsed = FirstValue<Void>()
    private let watcher = FirstValue<@Sendable () -> Void>()
    private let page = CallbackPage()

    init(path: String, target: String) {
        self.path = path
        self.target = target
    }

    func whenTaken(_ body: @escaping @Sendable () -> Void) {
        watcher.set(body)
        if taken.current != nil { body() }
    }

    func receive(_ request: ServerRequest, _ reply: ServerReply) {
        guard let port = port.current, request.isLoopback(port: port), request.query == nil,
            ConstantTime.equal(request.path, path)
        else { return _ = reply.send(page.response(.notFound, status: 404)) }
        guard request.method == "GET" else {
            return _ = reply.send(page.response(.notAllowed, status: 405, [HTTPField("Allow", "GET")]))
        }
        if request.isPrefetch { return _ = reply.send(page.empty(status: 204)) }
        guard isUsed.set(()) else { return _ = reply.send(page.response(.notFound, status: 404)) }
        reply.send(page.empty(status: 303, [HTTPField("Location", target)])) { [taken, watcher] isDelivered in
            guard isDelivered else { return }
            taken.set(())
            watcher.current?()
        }
    }
}
