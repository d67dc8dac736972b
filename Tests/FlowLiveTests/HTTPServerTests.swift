import Glibc
import OAuthProtocol
import Synchronization
import Testing

@testable import FlowLive

/// Keeps values that callbacks give.
final class Collected<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    var all: [Value] { values.withLock { $0 } }

    func append(_ value: Value) { values.withLock { $0.append(value) } }

    /// Waits for at least `count` values.
    func wait(for count: Int) async {
        while all.count < count { await Task.yield() }
    }
}

@Suite("HTTPServer")
struct HTTPServerTests {
    private let requests = Collected<ServerRequest>()

    private func echo(_ limits: ServerLimits = .standard) throws -> HTTPServer {
        let requests = requests
        return try HTTPServer(limits: limits) { request, reply in
            requests.append(request)
            reply.send(HTTPResponse(status: 200, fields: [HTTPField("X-A", "b")], body: request.body))
        }
    }

    private func status(_ answer: String) -> String { String(answer.prefix(12)) }

    @Test("a request arrives as it was sent and the answer goes back")
    func roundTrip() async throws {
        let server = try echo()
        let answer = await rawExchange(
            server.port,
            "POST /a%20b?c=d%26&e HTTP/1.1\r\nHost: x\r\nX-Two: 1\r\nX-Two: 2\r\nContent-Length: 3\r\nConnection: close\r\n\r\nhey"
        )
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains("\r\nX-A: b\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nhey"))
        let request = requests.all.first
        #expect(request?.method == "POST")
        #expect(request?.path == "/a%20b")
        #expect(request?.query == "c=d%26&e")
        #expect(request?.fields.filter { $0.name == "X-Two" }.map(\.value) == ["1", "2"])
        #expect(request?.body == Array("hey".utf8))
    }

    @Test(
        "a request whose host or length is not certain is refused before the responder sees it",
        arguments: [
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: \r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        ])
    func refused(_ text: String) async throws {
        let server = try echo()
        let answer = await rawExchange(server.port, text)
        #expect(status(answer) == "HTTP/1.1 400" || status(answer) == "HTTP/1.0 400")
        #expect(requests.all.isEmpty)
    }

    @Test("a body over the limit, a long target and a large field do not reach the responder [rule 66]")
    func limits() async throws {
        let server = try echo(ServerLimits(memoryBytes: 8192, maxBodyBytes: 10))
        let long = String(repeating: "a", count: 9000)
        let announced = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n"
        #expect(status(await rawExchange(server.port, announced)) == "HTTP/1.1 413")
        let chunked =
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n12345678901\r\n0\r\n\r\n"
        #expect(await rawExchange(server.port, chunked) == "")
        #expect(
            status(await rawExchange(server.port, "GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n"))
                == "HTTP/1.1 414")
        #expect(
            status(await rawExchange(server.port, "GET / HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n"))
                == "HTTP/1.1 431")
        #expect(requests.all.isEmpty)
        let start = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        for rest in [
            "Content-Length: 10\r\n\r\n1234567890",
            "Transfer-Encoding: chunked\r\n\r\na\r\n1234567890\r\n0\r\n\r\n",
        ] {
            #expect(status(await rawExchange(server.port, start + rest)) == "HTTP/1.1 200")
        }
        #expect(requests.all.map(\.body.count) == [10, 10])
    }

    @Test("an answer may be given later from another thread, and only the first counts")
    func laterAnswer() async throws {
        let replies = Collected<ServerReply>()
        let delivered = Collected<Bool>()
        let server = try HTTPServer { _, reply in replies.append(reply) }
        async let answer = rawExchange(server.port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        await replies.wait(for: 1)
        let reply = try #require(replies.all.first)
        #expect(reply.send(HTTPResponse(status: 201)) { delivered.append($0) })
        #expect(!reply.send(HTTPResponse(status: 500)))
        #expect(status(await answer) == "HTTP/1.1 201")
        await delivered.wait(for: 1)
        #expect(delivered.all == [true])
    }

    @Test("an answer that nobody is there for any more is told to be not delivered")
    func lostAnswer() async throws {
        let replies = Collected<ServerReply>()
        let delivered = Collected<Bool>()
        let server = try HTTPServer { _, reply in replies.append(reply) }
        do {
            let client = Socket(connectingTo: server.port)
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await replies.wait(for: 1)
            client.resetOnClose()
        }
        let body = [UInt8](repeating: 97, count: 8 << 20)
        replies.all.first?.send(HTTPResponse(status: 200, body: body)) { delivered.append($0) }
        await delivered.wait(for: 1)
        #expect(delivered.all == [false])
        withExtendedLifetime(server) {}
    }

    @Test("a waiting request does not keep others from being served")
    func independent() async throws {
        let replies = Collected<ServerReply>()
        let server = try HTTPServer { request, reply in
            if request.path == "/held" {
                replies.append(reply)
            } else {
                reply.send(HTTPResponse(status: 204))
            }
        }
        async let held = rawExchange(
            server.port, "GET /held HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let idle = Socket(connectingTo: server.port)
        let half = Socket(connectingTo: server.port)
        half.send("GET /ha")
        await replies.wait(for: 1)
        let other = await rawExchange(server.port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(status(other) == "HTTP/1.1 204")
        replies.all.first?.send(HTTPResponse(status: 200))
        #expect(status(await held) == "HTTP/1.1 200")
        withExtendedLifetime((idle, half)) {}
    }

    @Test("stopping ends waiting requests, and the port can be used again at once")
    func stopping() async throws {
        // A port that is free again may be given to another test; then once more with another port.
        for round in 1... {
            do {
                return try await stopOnce()
            } catch ServerError.portInUse where round < 5 {
                continue
            }
        }
    }

    private func stopOnce() async throws {
        let replies = Collected<ServerReply>()
        let server = try HTTPServer { _, reply in replies.append(reply) }
        let port = server.port
        async let answer = rawExchange(port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await replies.wait(for: 1)
        server.stop()
        #expect(["HTTP/1.1 503", ""].contains(status(await answer)))
        #expect(replies.all.first?.send(HTTPResponse(status: 200)) == false)
        let next = try HTTPServer(port: port) { _, reply in reply.send(HTTPResponse(status: 204)) }
        #expect(next.port == port)
    }

    @Test("a port in use is not shared, and the socket does not allow others to [rule 35]")
    func exclusive() throws {
        let first = try echo()
        #expect(throws: ServerError.portInUse(first.port)) {
            try HTTPServer(port: first.port) { _, reply in reply.send(HTTPResponse(status: 200)) }
        }
        let socket = try ListeningSocket.open(port: 0)
        let port = socket.port
        close(socket.descriptor)
        let fixed = try ListeningSocket.open(port: port)
        defer { close(fixed.descriptor) }
        var value: Int32 = 1
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(fixed.descriptor, SOL_SOCKET, SO_REUSEADDR, &value, &length)
        #expect(value == 0)
    }

    @Test("connections over the limit wait and are served later")
    func connectionLimit() async throws {
        let server = try echo(ServerLimits(connections: 2))
        let answers = await withTaskGroup(of: String.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    await rawExchange(server.port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                }
            }
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.hasPrefix("HTTP/1.1 200") })
        #expect(answers.count == 12)
    }

    @Test("the sandbox serves clients that leave two hundred connections open for their next requests")
    func idleConnections() async throws {
        let sandbox = try SandboxServer(port: nil)
        let port = try #require(sandbox.issuer.split(separator: ":").last.flatMap { UInt16($0) })
        let start = ContinuousClock.now
        let idle = (0..<200).map { _ in Socket(connectingTo: port) }
        let answer = await rawExchange(port, "GET /jwks HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
        #expect(ContinuousClock.now - start < .seconds(ServerLimits.idleSeconds))
        withExtendedLifetime(idle) {}
        sandbox.stop()
    }

    @Test("the sandbox's list of requests says why one was refused, without its secrets")
    func reasons() async throws {
        let lines = Collected<String>()
        let sandbox = try SandboxServer(port: nil, log: { lines.append($0) })
        let port = try #require(sandbox.issuer.split(separator: ":").last.flatMap { UInt16($0) })
        let end = "Host: a\r\nConnection: close\r\n"
        _ = await rawExchange(port, "GET /authorize?client_id=\(Sandbox.clientID) HTTP/1.1\r\n\(end)\r\n")
        let query = "client_id=\(Sandbox.clientID)&redirect_uri=http://127.0.0.1:9/callback&state=MARKER"
        _ = await rawExchange(port, "GET /authorize?\(query) HTTP/1.1\r\n\(end)\r\n")
        let proof = "code=MARKER&code_verifier=MARKER"
        let form = "grant_type=authorization_code&client_id=\(Sandbox.clientID)&\(proof)"
        let head =
            "\(end)Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(form.utf8.count)\r\n"
        _ = await rawExchange(port, "POST /token HTTP/1.1\r\n\(head)\r\n\(form)")
        _ = await rawExchange(port, "GET /jwks HTTP/1.1\r\n\(end)\r\n")
        sandbox.stop()
        #expect(
            lines.all == [
                "GET /authorize 400 The parameter redirect_uri is missing.",
                "GET /authorize 303 invalid_request: response_type is missing",
                "POST /token authorization_code 400 invalid_request: redirect_uri is missing",
                "GET /jwks 200",
            ])
    }
}
