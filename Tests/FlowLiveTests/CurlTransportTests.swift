import JOSE
import OAuthProtocol
import Testing

@testable import FlowLive

/// Sends one request on a loop of its own.
func sendOnce(
    _ request: HTTPRequest, _ limits: TransferLimits = .standard,
    _ configuration: TransportConfiguration = TransportConfiguration()
) async throws -> Result<HTTPResponse, TransportFailure> {
    let loop = try CurlLoop(configuration)
    defer { loop.shutDown() }
    return await CurlTransport(loop: loop).send(request, limits)
}

func get(_ url: String, _ fields: [HTTPField] = []) -> HTTPRequest {
    HTTPRequest(method: .get, url: url, fields: fields)
}

func post(_ url: String, _ body: String, _ fields: [HTTPField] = []) -> HTTPRequest {
    HTTPRequest(method: .post, url: url, fields: fields, body: Array(body.utf8))
}

extension Result where Success == HTTPResponse, Failure == TransportFailure {
    var failure: TransportFailure? {
        switch self {
        case .success: nil
        case .failure(let failure): failure
        }
    }
}

@Suite("CurlTransport")
struct CurlTransportTests {
    private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A:  one \r\n\r\nhi"

    @Test("a response has its status, its fields in order and its body")
    func response() async throws {
        let server = try ScriptedServer([[.read, .send(ok)]])
        let response = try await sendOnce(get(server.url)).get()
        #expect(
            response
                == HTTPResponse(
                    status: 200, fields: [HTTPField("Content-Length", "2"), HTTPField("X-A", "one")],
                    body: Array("hi".utf8)))
    }

    @Test("a request carries its own fields, the user agent and nothing that libcurl would add [rule 77]")
    func requestFields() async throws {
        let server = try ScriptedServer([[.read, .send(ok)]])
        let request = post(
            server.url + "t?a=1", "a=b", [HTTPField("Accept", "application/json"), HTTPField("X-Empty", "")])
        _ = try await sendOnce(request).get()
        #expect(
            server.received == [
                "POST /t?a=1 HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nUser-Agent: flowrun\r\n"
                    + "Accept: application/json\r\nX-Empty:\r\nContent-Length: 3\r\n\r\na=b"
            ])
    }

    @Test("a large body is sent without waiting for 100 Continue")
    func noExpect() async throws {
        let server = try ScriptedServer([[.read, .send(ok)]])
        let body = String(repeating: "x", count: 2_000_000)
        _ = try await sendOnce(post(server.url, body)).get()
        #expect(server.received.first?.contains("Expect") == false)
        #expect(server.received.first?.hasSuffix("\r\n\r\n" + body) == true)
    }

    @Test("interim responses and trailers leave no fields")
    func interim() async throws {
        let server = try ScriptedServer([
            [
                .read,
                .send(
                    "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\nHTTP/1.1 200 OK\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Late: 1\r\n\r\n"),
            ]
        ])
        let response = try await sendOnce(get(server.url)).get()
        #expect(response.fields == [HTTPField("Transfer-Encoding", "chunked")])
        #expect(response.body == [UInt8(ascii: "a")])
    }

    @Test("a redirect is a response and is not followed [rule 83]")
    func redirect() async throws {
        let server = try ScriptedServer([])
        let first = try ScriptedServer([
            [.read, .send("HTTP/1.1 302 Found\r\nLocation: \(server.url)\r\nContent-Length: 0\r\n\r\n")]
        ])
        let response = try await sendOnce(get(first.url)).get()
        #expect(response.status == 302)
        #expect(response.field("location") == server.url)
        #expect(server.received.isEmpty)
    }

    @Test("a refused connection is not delivered")
    func refused() async throws {
        let port = try ScriptedServer([]).port
        let failure = try await sendOnce(get("http://127.0.0.1:\(port == 1 ? 2 : 1)/")).failure
        #expect(failure?.kind == .connect)
        #expect(failure?.delivery == .notDelivered)
    }

    @Test("a name that cannot exist is not delivered")
    func unresolvable() async throws {
        let label = String(repeating: "a", count: 64)
        let failure = try await sendOnce(get("https://\(label)/")).failure
        #expect(failure?.kind == .resolve)
        #expect(failure?.delivery == .notDelivered)
    }

    @Test("a connection that is reset after the request was read was perhaps delivered")
    func reset() async throws {
        let server = try ScriptedServer([[.read, .reset]])
        let failure = try await sendOnce(post(server.url, "a=b")).failure
        #expect(failure?.kind == .reset)
        #expect(failure?.delivery == .perhapsDelivered)
    }

    @Test("a body shorter than announced is truncated [rule 98]")
    func truncated() async throws {
        let server = try ScriptedServer([[.read, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhi")]])
        let failure = try await sendOnce(get(server.url)).failure
        #expect(failure?.kind == .truncated)
        #expect(failure?.delivery == .perhapsDelivered)
    }

    @Test("a body over the limit is refused while it arrives, announced or not [rule 165]")
    func bodyTooLarge() async throws {
        let limits = TransferLimits(maxBodyBytes: 4)
        for head in ["Content-Length: 5\r\n", ""] {
            let server = try ScriptedServer([[.read, .send("HTTP/1.1 200 OK\r\n\(head)\r\nabcde")]])
            let failure = try await sendOnce(get(server.url), limits).failure
            #expect(failure?.kind == .bodyTooLarge(limit: 4))
        }
        let server = try ScriptedServer([[.read, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd")]])
        #expect(try await sendOnce(get(server.url), limits).get().body.count == 4)
    }

    /// An answer with a body of bytes.
    private static func compressed(_ coding: String, _ base64: String) throws -> ScriptedServer.Action {
        let body = try #require(Base64.decode(base64))
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"
        return .sendBytes(Array(head.utf8) + body)
    }

    @Test(
        "an answer that a server compresses by itself is read, and no request asks for that [rule 166]",
        arguments: [
            ("gzip", "H4sIAAAAAAACA6tWSkxOTi0uji/Jz07NU7JSKlGqBQC3yM+0FAAAAA=="),
            ("X-GZIP", "H4sIAAAAAAACA6tWSkxOTi0uji/Jz07NU7JSKlGqBQC3yM+0FAAAAA=="),
            ("deflate", "eJyrVkpMTk4tLo4vyc9OzVOyUipRqgUATh0HIQ=="),
            // Without the wrapping of RFC 1950, as some servers send it.
            ("deflate", "q1ZKTE5OLS6OL8nPTs1TslIqUaoFAA=="),
        ])
    func decompressed(_ coding: String, _ body: String) async throws {
        let server = try ScriptedServer([[.read, try Self.compressed(coding, body)]])
        let response = try await sendOnce(get(server.url)).get()
        #expect(String(decoding: response.body, as: UTF8.self) == #"{"access_token":"t"}"#)
        #expect(server.received.count == 1)
        #expect(server.received.allSatisfy { !$0.lowercased().contains("accept-encoding") })
    }

    @Test("a small answer that becomes a large one is refused at the limit [rules 165, 166]")
    func bomb() async throws {
        // 64 KiB of zeros.
        let zeros =
            "H4sIAAAAAAACA+3BgQAAAACAIKX96RapCgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            + "AAAAAAAAAAAAAAAAAAAAAGoLUUloAAABAA=="
        let answer = try Self.compressed("gzip", zeros)
        let server = try ScriptedServer([[.read, answer], [.read, answer]])
        let failure = try await sendOnce(get(server.url), TransferLimits(maxBodyBytes: 65_535)).failure
        #expect(failure?.kind == .bodyTooLarge(limit: 65_535))
        let whole = try await sendOnce(get(server.url), TransferLimits(maxBodyBytes: 65_536)).get()
        #expect(whole.body.count == 65_536)
    }

    @Test("header fields over the limit are refused [rule 167]")
    func headersTooLarge() async throws {
        let server = try ScriptedServer([
            [.read, .send("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 300))\r\n\r\n")]
        ])
        let failure = try await sendOnce(get(server.url), TransferLimits(maxHeaderBytes: 200)).failure
        #expect(failure?.kind == .headersTooLarge(limit: 200))
    }

    @Test("a header field longer than libcurl takes is too large, not a lack of memory [rule 167]")
    func oversizedLine() async throws {
        let field = "X: \(String(repeating: "x", count: 150_000))"
        let server = try ScriptedServer([[.read, .send("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n")]])
        let failure = try await sendOnce(get(server.url), TransferLimits(maxHeaderBytes: 1_000_000)).failure
        #expect(failure?.kind == .headersTooLarge(limit: 102_400))
        #expect(failure?.message == "the response is larger than allowed")
    }

    @Test("what is not HTTP is a protocol error")
    func notHTTP() async throws {
        let server = try ScriptedServer([[.read, .send("SSH-2.0-x\r\n")]])
        let failure = try await sendOnce(get(server.url)).failure
        #expect(failure?.kind == .protocolError)
        #expect(failure?.delivery == .perhapsDelivered)
    }

    @Test(
        "an answer whose body has no certain length is thrown away [rule 98]",
        arguments: [
            "Content-Length: 2\r\nContent-Length: 3", "Content-Length: 2, 3", "Content-Length: two",
            "Content-Length: -2", "Content-Length: +2", "Content-Length: 2,", "content-length: 0x2",
        ])
    func uncertainLength(_ fields: String) async throws {
        let server = try ScriptedServer([[.read, .send("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nhi!")]])
        let failure = try await sendOnce(post(server.url, "a=b")).failure
        #expect(failure?.kind == .protocolError)
        #expect(failure?.delivery == .perhapsDelivered)
        #expect(failure?.message.lowercased().contains("length") == true)
    }

    @Test(
        "one length said twice is that length, and a coding of the transfer goes before it",
        arguments: [
            "Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi", "Content-Length: 2, 2\r\n\r\nhi",
            "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
        ])
    func certainLength(_ rest: String) async throws {
        let server = try ScriptedServer([[.read, .send("HTTP/1.1 200 OK\r\n\(rest)")]])
        #expect(try await sendOnce(get(server.url)).get().body == Array("hi".utf8))
    }

    @Test("no response in time after the request was written was perhaps delivered [rule 164]")
    func responseTimeout() async throws {
        let server = try ScriptedServer([[.read, .hold]])
        let failure = try await sendOnce(post(server.url, "a=b"), TransferLimits(timeoutMilliseconds: 1500))
            .failure
        #expect(failure?.kind == .timeout(.response))
        let place = server.url.dropFirst("http://".count).prefix { $0 != "/" }
        #expect(failure?.message.hasSuffix(" (\(place))") == true, "\(failure?.message ?? "")")
        #expect(failure?.delivery == .perhapsDelivered)
    }

    @Test("a body that arrives too slowly is a timeout of the response [rule 164]")
    func slowBody() async throws {
        let server = try ScriptedServer([
            [.read, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na"), .hold]
        ])
        let failure = try await sendOnce(get(server.url), TransferLimits(timeoutMilliseconds: 1500)).failure
        #expect(failure?.kind == .timeout(.response))
    }

    @Test("a request of which not all could be written is not delivered")
    func sendTimeout() async throws {
        // The backlog accepts the connection, but nobody reads from it.
        let socket = try ListeningSocket.open(port: 0)
        let request = post("http://127.0.0.1:\(socket.port)/", String(repeating: "x", count: 20_000_000))
        let failure = try await sendOnce(request, TransferLimits(timeoutMilliseconds: 1500)).failure
        #expect(failure?.kind == .timeout(.send))
        #expect(failure?.delivery == .notDelivered)
        _ = FileDescriptor(owning: socket.descriptor)
    }

    @Test("a POST is not sent again when a reused connection ends after it was read [rule 82]")
    func noSecondSending() async throws {
        // libcurl connects again before it notices that it cannot send the body again.
        let server = try ScriptedServer([[.read, .send(ok), .read], [.read], [.read, .send(ok)]])
        let loop = try CurlLoop()
        defer { loop.shutDown() }
        let transport = CurlTransport(loop: loop)
        _ = try await transport.send(post(server.url, "n=1")).get()
        let failure = await transport.send(post(server.url, "n=2")).failure
        #expect(failure?.kind == .reset)
        #expect(failure?.delivery == .perhapsDelivered)
        #expect(server.received.map { $0.suffix(3) } == ["n=1", "n=2"])
        _ = try await transport.send(post(server.url, "n=3")).get()
        #expect(server.received.map { $0.suffix(3) } == ["n=1", "n=2", "n=3"])
    }

    @Test("a POST without a body is not sent again either [rule 82]")
    func emptyPost() async throws {
        let server = try ScriptedServer([[.read, .send(ok), .read], [.read], [.read, .send(ok)]])
        let loop = try CurlLoop()
        defer { loop.shutDown() }
        let transport = CurlTransport(loop: loop)
        _ = try await transport.send(get(server.url)).get()
        let failure = await transport.send(post(server.url, "")).failure
        #expect(failure?.kind == .reset)
        #expect(failure?.delivery == .perhapsDelivered)
        #expect(server.received.count == 2, "\(failure?.message ?? "answered"): \(server.received)")
        _ = try await transport.send(get(server.url)).get()
        #expect(server.received.count == 3)
    }

    @Test("after a HEAD a POST is a POST with its body, on the same connection or another")
    func afterHead() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
        let server = try ScriptedServer([[.read, .send(head), .read, .send(ok)], [.read, .send(ok)]])
        let loop = try CurlLoop()
        defer { loop.shutDown() }
        let transport = CurlTransport(loop: loop)
        _ = try await transport.send(HTTPRequest(method: .head, url: server.url, fields: [])).get()
        let answer = try await transport.send(post(server.url, "n=1")).get()
        #expect(answer.body == Array("hi".utf8))
        #expect(server.received.last?.hasPrefix("POST ") == true)
        #expect(server.received.last?.hasSuffix("n=1") == true)
    }

    @Test("cancelling the task aborts the transfer")
    func cancellation() async throws {
        let server = try ScriptedServer([[.read, .hold]])
        let loop = try CurlLoop()
        defer { loop.shutDown() }
        let task = Task { await CurlTransport(loop: loop).send(get(server.url)).failure }
        while server.received.isEmpty { await Task.yield() }
        task.cancel()
        let failure = await task.value
        #expect(failure?.kind == .cancelled)
        #expect(failure?.delivery == .perhapsDelivered)
    }

    @Test("a task that is cancelled already sends nothing")
    func cancelledBefore() async throws {
        let loop = try CurlLoop()
        defer { loop.shutDown() }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await CurlTransport(loop: loop).send(get("http://127.0.0.1:1/")).failure
        }
        #expect(await task.value == TransportFailure(.cancelled, .notDelivered, "the request was cancelled"))
    }

    @Test("a task that prefers the loop runs on its thread, before and after a transfer")
    func onLoop() async throws {
        let server = try HTTPServer { _, reply in reply.send(HTTPResponse(status: 204)) }
        let loop = try CurlLoop()
        try loop.start()
        defer { loop.shutDown() }
        let url = "http://127.0.0.1:\(server.port)/"
        let stayed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask(executorPreference: loop) {
                    var stayed = loop.isCurrent
                    for _ in 0..<10 {
                        let response = await CurlTransport(loop: loop).send(get(url))
                        stayed = stayed && loop.isCurrent && (try? response.get().status) == 204
                    }
                    return stayed
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(stayed)
    }

    @Test(
        "a URL that could mean another host, and http to the network, are refused before anything is sent [rule 17]",
        arguments: [
            "http://example.com/", "ftp://127.0.0.1/", "http://127.0.0.1@example.com/", "https://a b/",
            "http://127.0.0.1\\@example.com/", "http://127.1/", "http://127.0.0.1.example.com/", "https:///x",
            "file:///etc/passwd", "http://0177.0.0.1/", "http://localhost.example.com/",
        ])
    func refusedURL(_ url: String) async throws {
        let failure = try await sendOnce(get(url)).failure
        #expect(failure?.kind == .invalidRequest)
        #expect(failure?.delivery == .notDelivered)
    }

    @Test("a field with a line end is refused")
    func fieldInjection() async throws {
        let failure = try await sendOnce(get("http://127.0.0.1:1/", [HTTPField("A", "b\r\nC: d")])).failure
        #expect(
            failure
                == TransportFailure(
                    .invalidRequest, .notDelivered, "a header field holds a character that is not allowed"))
    }

    @Test("a proxy is used for the network and never for loopback [rule 169]")
    func proxy() async throws {
        let server = try ScriptedServer([[.read, .send(ok)]])
        let configuration = TransportConfiguration(proxy: "http://127.0.0.1:1")
        #expect(try await sendOnce(get(server.url), .standard, configuration).get().status == 200)
        let failure = try await sendOnce(get("https://192.0.2.1/"), .standard, configuration).failure
        #expect(failure?.kind == .proxy)
        #expect(failure?.delivery == .notDelivered)
        #expect(failure?.message.contains("127.0.0.1 port 1") == true)
    }

    @Test(
        "a proxy that has no address or is no proxy is what is wrong, and not the host",
        arguments: ["http://\(String(repeating: "a", count: 64)):3128", "garbage:::"])
    func proxyWithoutAddress(proxy: String) async throws {
        let configuration = TransportConfiguration(proxy: proxy)
        let failure = try await sendOnce(get("https://192.0.2.1/"), .standard, configuration).failure
        #expect(failure?.kind == .proxy)
        #expect(failure?.delivery == .notDelivered)
    }

    @Test(
        "what a proxy does not let through has not been delivered",
        arguments: [(407, TransportFailure.Kind.proxyCredentials), (502, .proxy)])
    func refusingProxy(status: Int, kind: TransportFailure.Kind) async throws {
        let server = try ScriptedServer([
            [.read, .send("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")]
        ])
        let configuration = TransportConfiguration(proxy: server.url)
        let failure = try await sendOnce(get("https://idp.example/"), .standard, configuration).failure
        #expect(failure?.kind == kind)
        #expect(failure?.delivery == .notDelivered)
        #expect(failure?.message.contains("\(status)") == true)
    }

    @Test("a libcurl of another flavour is refused with the package to install")
    func flavour() {
        #expect(throws: CurlUnavailable.notOpenSSL(found: "GnuTLS/3.7.9")) {
            try CurlLibrary.check(tlsLibrary: "GnuTLS/3.7.9")
        }
        #expect(
            CurlUnavailable.notOpenSSL(found: "GnuTLS/3.7.9").description.contains("libcurl4-openssl-dev"))
    }

    @Test("a libcurl that cannot be loaded is told with the system's reason and the package to install")
    func missingLibrary() {
        #expect(
            CurlUnavailable.missing("libcurl.so.4: file too short").description
                == "libcurl cannot be loaded (libcurl.so.4: file too short); install the package libcurl4")
    }

    @Test("a failure and a request tell nothing of their secrets [rule 177]")
    func redaction() async throws {
        let failure = try await sendOnce(
            post(
                "http://127.0.0.1:1/?code=SECRET", "client_secret=SECRET",
                [HTTPField("Authorization", "SECRET")])
        ).failure
        #expect(failure.map { String(reflecting: $0).contains("SECRET") } == false)
    }
}
