import OAuthProtocol
import Testing

@testable import FlowLive

@Suite("CurlTransport over TLS", WithCertificates())
struct CurlTLSTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try #require(TestCertificates.ofSuite)
    }

    private func attempt(
        _ certificate: String, authority: String?, mode: String = "new"
    ) async throws -> Result<HTTPResponse, TransportFailure> {
        let server = try TLSServer(certificates, certificate, mode)
        let configuration = TransportConfiguration(caFile: authority)
        return try await sendOnce(post(server.url, "end"), .standard, configuration)
    }

    @Test("a certificate of the given authority for this host is trusted")
    func trusted() async throws {
        let response = try await attempt("good", authority: certificates.authority).get()
        #expect(response.body == Array("1".utf8))
    }

    @Test(
        "a certificate that must not be trusted is refused before the request leaves [rule 162]",
        arguments: [
            ("other", TransportFailure.TLSReason.wrongHost), ("expired", .expired),
            ("selfsigned", .untrusted),
        ])
    func refused(_ certificate: String, _ reason: TransportFailure.TLSReason) async throws {
        let failure = try await attempt(certificate, authority: certificates.authority).failure
        #expect(failure?.kind == .tls(reason))
        #expect(failure?.delivery == .notDelivered)
    }

    @Test("a given authority replaces the system's, and the system's do not know ours")
    func systemRoots() async throws {
        let failure = try await attempt("good", authority: nil).failure
        #expect(failure?.kind == .tls(.untrusted))
    }

    @Test("an authorities file that cannot be read is our own mistake")
    func missingFile() async throws {
        let failure = try await attempt("good", authority: "\(certificates.directory.path)/none.pem").failure
        #expect(failure?.kind == .tls(.localSetup))
        #expect(failure?.delivery == .notDelivered)
    }

    @Test("TLS 1.1 is refused [rule 163]")
    func oldVersion() async throws {
        let failure = try await attempt("good", authority: certificates.authority, mode: "old").failure
        #expect(failure?.kind == .tls(.version))
        #expect(failure?.delivery == .notDelivered)
    }

    @Test("a server that speaks plain HTTP where TLS is wanted is told as that [rule 163]")
    func plaintext() async throws {
        let server = try ScriptedServer([[.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")]])
        let url = server.url.replacing("http:", with: "https:")
        let failure = try await sendOnce(post(url, "end"), .standard, TransportConfiguration()).failure
        #expect(failure?.kind == .tls(.plaintext))
        #expect(failure?.delivery == .notDelivered)
    }

    @Test("a POST over TLS is not sent again when a reused connection ends after it was read")
    func noSecondSending() async throws {
        let server = try TLSServer(certificates, "good")
        let loop = try CurlLoop(TransportConfiguration(caFile: certificates.authority))
        defer { loop.shutDown() }
        let transport = CurlTransport(loop: loop)
        #expect(try await transport.send(post(server.url, "end")).get().body == Array("1".utf8))
        let failure = await transport.send(post(server.url, "end")).failure
        #expect(failure?.kind == .reset)
        #expect(failure?.delivery == .perhapsDelivered)
        // The third that the server reads: the second came once.
        #expect(try await transport.send(post(server.url, "end")).get().body == Array("3".utf8))
    }

    @Test("a POST goes through a proxy, and through it too is not sent again after it was read")
    func proxied() async throws {
        let server = try TLSServer(certificates, "other", "proxy")
        let loop = try CurlLoop(
            TransportConfiguration(caFile: certificates.authority, proxy: server.proxyURL))
        defer { loop.shutDown() }
        let transport = CurlTransport(loop: loop)
        let request = post("https://other.example/", "end")
        #expect(try await transport.send(request).get().body == Array("1".utf8))
        let failure = await transport.send(request).failure
        #expect(failure?.kind == .reset)
        #expect(failure?.delivery == .perhapsDelivered)
        #expect(try await transport.send(request).get().body == Array("3".utf8))
    }

    @Test("what a proxy was told is no request that a host could have acted on")
    func toldProxyAlone() async throws {
        let server = try ScriptedServer([[.read, .send("HTTP/1.1 200 OK\r\n\r\n"), .hold]])
        let configuration = TransportConfiguration(proxy: server.url)
        let limits = TransferLimits(timeoutMilliseconds: 1500)
        let failure = try await sendOnce(get("https://idp.example/"), limits, configuration).failure
        #expect(server.received.first?.hasPrefix("CONNECT idp.example:443") == true)
        #expect(failure?.delivery == .notDelivered)
    }
}
