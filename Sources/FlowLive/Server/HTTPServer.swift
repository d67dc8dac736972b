internal import CMicroHTTPD
import Glibc
package import OAuthProtocol
import Synchronization

/// An HTTP/1.1 server on the loopback address, for the callback listener and the sandbox.
///
/// Refuses a request without exactly one Host field, or with two statements of its length. Listens until
/// `stop()` or until it is released.
package final class HTTPServer: Sendable {
    /// Decides on one complete request; runs on the server's thread and must not wait.
    package typealias Responder = @Sendable (ServerRequest, ServerReply) -> Void

    package let port: UInt16
    /// `127.0.0.1` or `[::1]`, as it stands in a URL.
    package let host: String
    private let core: ServerCore
    private let daemon: Mutex<DaemonHandle?>

    /// - Parameters:
    ///   - port: 0 lets the system choose.
    ///   - refused: Told the target of each request that is not handed over, as far as that could be read: what follows
    ///     is too long, is no HTTP or did not come. Runs on the server's thread.
    package init(
        port: UInt16 = 0, limits: ServerLimits = .standard,
        refused: @escaping @Sendable (_ target: String) -> Void = { _ in }, handler: @escaping Responder
    ) throws(ServerError) {
        if let problem = SystemLibraries.serverProblem() { throw .unavailable(problem) }
        let socket = try ListeningSocket.open(port: port)
        let core = ServerCore(limits: limits, responder: handler, refused: refused)
        guard let daemon = DaemonHandle(socket.descriptor, core) else {
            close(socket.descriptor)
            throw .unavailable("libmicrohttpd does not start")
        }
        self.core = core
        self.port = socket.port
        self.host = socket.host
        self.daemon = Mutex(daemon)
    }

    deinit { stop() }

    /// Answers waiting requests with 503, closes all connections and the port.
    ///
    /// Not to be called from a responder.
    package func stop() {
        guard
            let daemon = daemon.withLock({ handle in
                defer { handle = nil }
                return handle
            })
        else { return }
        core.refuseAll()
        daemon.stop()
    }
}

/// A running libmicrohttpd daemon.
private struct DaemonHandle: @unchecked Sendable {  // libmicrohttpd locks it itself
    private let daemon: OpaquePointer
    private let context: Unmanaged<ServerCore>

    init?(_ socket: Int32, _ core: ServerCore) {
        let context = Unmanaged.passRetained(core)
        let limits = core.limits
        let daemon = WorkerThread.withSignalsBlocked {
            fr_start_server(
                socket, receiveRequest, endRequest, beginRequest, changeConnection, context.toOpaque(),
                UInt32(clamping: limits.connections), UInt32(clamping: ServerLimits.idleSeconds),
                limits.memoryBytes
            )
        }
        guard let daemon else {
            context.release()
            return nil
        }
        self.daemon = daemon
        self.context = context
    }

    /// Ends the thread and closes the socket; the value must not be used again.
    func stop() {
        fr_stop_daemon(daemon)
        context.release()
    }
}

/// What the server's thread works with.
private final class ServerCore: Sendable {
    let limits: ServerLimits
    private let responder: HTTPServer.Responder
    private let refused: @Sendable (String) -> Void
    private let waiting = Mutex(Waiting())

    private struct Waiting {
        var replies: [ObjectIdentifier: ServerReply] = [:]
        var isStopping = false
    }

    init(
        limits: ServerLimits, responder: @escaping HTTPServer.Responder,
        refused: @escaping @Sendable (String) -> Void
    ) {
        self.limits = limits
        self.responder = responder
        self.refused = refused
    }

    func respond(to request: ServerRequest, _ reply: ServerReply) {
        let isServing = waiting.withLock { waiting in
            if !waiting.isStopping { waiting.replies[ObjectIdentifier(reply)] = reply }
            return !waiting.isStopping
        }
        if isServing {
            responder(request, reply)
        } else {
            reply.send(Self.unavailable)
        }
    }

    /// A request has ended that was never handed over.
    func miss(_ target: String) {
        if !waiting.withLock(\.isStopping) { refused(target) }
    }

    func forget(_ reply: ServerReply) {
        waiting.withLock { _ = $0.replies.removeValue(forKey: ObjectIdentifier(reply)) }
    }

    /// libmicrohttpd must not be stopped while a connection is suspended.
    func refuseAll() {
        let replies = waiting.withLock { waiting in
            waiting.isStopping = true
            return waiting.replies
        }
        for reply in replies.values { reply.send(Self.unavailable) }
    }

    private static let unavailable = HTTPResponse(status: 503, fields: [HTTPField("Connection", "close")])
}

/// A connection of libmicrohttpd, used by other threads only to wake it while it is suspended.
private struct ConnectionHandle: @unchecked Sendable {  // see above; ServerReply's lock orders the calls
    let connection: OpaquePointer

    var fields: [HTTPField] {
        var fields: [HTTPField] = []
        withUnsafeMutablePointer(to: &fields) {
            _ = fr_get_values(connection, .HEADER_KIND, collectField, $0)
        }
        return fields
    }

    func queue(_ answer: ServerAnswer) -> MHD_Result {
        switch answer {
        case .whole(let response): queue(response)
        case .cut(let response, let bytes): queue(response, CutBody.response(response.body, after: bytes))
        case .none: .NO
        }
    }

    func queue(_ answer: HTTPResponse) -> MHD_Result {
        let response = answer.body.withUnsafeBytes { bytes in
            fr_response_copying(bytes.count, bytes.baseAddress)
        }
        return queue(answer, response)
    }

    private func queue(_ answer: HTTPResponse, _ response: OpaquePointer?) -> MHD_Result {
        guard let response else { return .NO }
        defer { fr_destroy_response(response) }
        for field in answer.fields {
            guard fr_add_header(response, field.name, field.value) == .YES else { return .NO }
        }
        return fr_queue_response(connection, UInt32(answer.status), response)
    }
}

/// A body that is announced whole and breaks off; retained by the response until libmicrohttpd frees it.
private final class CutBody {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    static func response(_ body: [UInt8], after count: Int) -> OpaquePointer? {
        let box = Unmanaged.passRetained(CutBody(Array(body.prefix(count))))
        return fr_response_reading(
            UInt64(body.count), 4096, readCutBody, box.toOpaque(), freeCutBody)
    }
}

private func readCutBody(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?,
    _ room: Int
) -> Int {
    let failed = -2  // MHD_CONTENT_READER_END_WITH_ERROR, a macro that Swift does not import
    guard let context, let buffer else { return failed }
    let body = Unmanaged<CutBody>.fromOpaque(context).takeUnretainedValue().bytes
    let start = Int(clamping: position)
    let count = min(room, body.count - start)
    guard count > 0 else { return failed }
    body.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        UnsafeMutableRawPointer(buffer).copyMemory(from: base + start, byteCount: count)
    }
    return count
}

private func freeCutBody(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<CutBody>.fromOpaque(context).release()
}

private func exchange(_ pointer: UnsafeMutableRawPointer) -> ServerExchange {
    Unmanaged<ServerExchange>.fromOpaque(pointer).takeUnretainedValue()
}

/// Called when a connection begins or ends.
private func changeConnection(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ change: MHD_ConnectionNotificationCode
) {
    guard change == .CONNECTION_NOTIFY_STARTED, let connection else { return }
    ListeningSocket.allowReuse(afterClosing: fr_connection_socket(connection))
}

/// Called with the target of each request before anything else; the result comes back as its context.
private func beginRequest(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    Unmanaged.passRetained(ServerExchange(target: target.map { String(cString: $0) } ?? "")).toOpaque()
}

/// Called for the fields, for each piece of the body, at the end of the request and after a suspension.
private func receiveRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ bytes: UnsafePointer<CChar>?,
    _ count: UnsafeMutablePointer<Int>?, _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let method, let count, let state = state?.pointee else { return .NO }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    let handle = ConnectionHandle(connection: connection)
    let exchange = exchange(state)
    guard exchange.hasBegun else {
        exchange.hasBegun = true
        guard let status = RequestRules.refusal(handle.fields, limits: core.limits) else { return .YES }
        return handle.queue(HTTPResponse(status: status, fields: [HTTPField("Connection", "close")]))
    }
    if count.pointee > 0 {
        let piece = UnsafeRawBufferPointer(start: bytes, count: count.pointee)
        count.pointee = 0
        return exchange.receive(piece, limit: core.limits.maxBodyBytes) ? .YES : .NO
    }
    if exchange.reply == nil {
        let reply = ServerReply(wake: { fr_resume_connection(handle.connection) })
        exchange.reply = reply
        core.respond(to: exchange.request(method: String(cString: method), fields: handle.fields), reply)
    }
    let response = exchange.reply?.answerOrSuspend { fr_suspend_connection(connection) }
    return response.map(handle.queue) ?? .YES
}

/// Called when a request is over, answered or not.
private func endRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
    guard let context, let pointer = state?.pointee else { return }
    state?.pointee = nil
    let exchange = Unmanaged<ServerExchange>.fromOpaque(pointer).takeRetainedValue()
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    guard let reply = exchange.reply else { return core.miss(exchange.target) }
    core.forget(reply)
    reply.end(isDelivered: reason == .REQUEST_TERMINATED_COMPLETED_OK)
}

private func collectField(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
    _ nameCount: Int,
    _ value: UnsafePointer<CChar>?, _ valueCount: Int
) -> MHD_Result {
    guard let context, let name else { return .NO }
    let text = { (start: UnsafePointer<CChar>?, count: Int) in
        String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
    context.assumingMemoryBound(to: [HTTPField].self).pointee
        .append(HTTPField(text(name, nameCount), text(value, valueCount)))
    return .YES
}
