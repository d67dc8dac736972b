import OAuthProtocol
import Testing

@testable import FlowLive

@Suite("Addresses that a request must not reach")
struct AddressReachTests {
    private func attempt(
        _ url: String, _ reach: AddressReach, proxy: String? = nil
    ) async throws -> TransportReport {
        let loop = try CurlLoop(TransportConfiguration(proxy: proxy))
        defer { loop.shutDown() }
        return await CurlTransport(loop: loop).exchange(
            HTTPRequest(method: .get, url: url, fields: []), TransferLimits(reach: reach))
    }

    @Test("a published address of this machine is refused before a connection is made")
    func loopback() async throws {
        let server = try ScriptedServer([])
        let report = try await attempt(server.url, .published)
        #expect(report.result.failure?.kind == .address(.loopback))
        #expect(report.result.failure?.delivery == .notDelivered)
        #expect(report.events.map(\.check.name) == ["address"])
        #expect(report.events.first?.severity == .critical)
    }

    @Test("a name that resolves to this machine is no way around [rule 28]")
    func name() async throws {
        let server = try ScriptedServer([])
        let report = try await attempt("http://localhost:\(server.port)/", .published)
        #expect(report.result.failure?.kind == .address(.loopback))
    }

    @Test("nor is a connection that another request has opened")
    func reused() async throws {
        let server = try ScriptedServer([
            [.read, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), .read, .hold]
        ])
        let loop = try CurlLoop()
        defer { loop.shutDown() }
        let transport = CurlTransport(loop: loop)
        let request = HTTPRequest(method: .get, url: server.url, fields: [])
        #expect(try await transport.send(request).get().status == 200)
        let refused = await transport.send(request, TransferLimits(reach: .published))
        #expect(refused.failure?.kind == .address(.loopback))
        #expect(server.received.count == 1)
    }

    @Test("an issuer on this machine may publish addresses of this machine, one of a private network may not")
    func nearby() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        let server = try ScriptedServer([[.read, .send(answer)]])
        let near = try await attempt(server.url, .publishedNear(.loopback))
        #expect(try near.result.get().status == 200)
        let far = try await attempt(server.url, .publishedNear(.local))
        #expect(far.result.failure?.kind == .address(.loopback))
    }

    @Test(
        "metadata services, addresses of a link and unusable ones are refused whoever names them [rule 28]",
        arguments: [
            ("https://169.254.169.254/latest", NetworkAddress.Kind.metadata),
            ("https://169.254.7.7/", .linkLocal), ("https://[fe80::1]/", .linkLocal),
            ("https://[fd00:ec2::254]/", .metadata), ("https://0.0.0.0/", .unusable),
            ("https://[::ffff:169.254.169.254]/", .metadata), ("https://2852039166/", .metadata),
        ])
    func never(_ url: String, _ kind: NetworkAddress.Kind) async throws {
        #expect(try await attempt(url, .declared).result.failure?.kind == .address(kind))
    }

    @Test("through a proxy the address in the URL is judged, since no other is known")
    func proxied() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        let proxy = try ScriptedServer([[.read, .send(answer), .hold]])
        let refused = try await attempt("https://10.0.0.1/", .published, proxy: proxy.url)
        #expect(refused.result.failure?.kind == .address(.local))
        #expect(proxy.received.isEmpty)
        // The proxy itself may have any address: it is the user's.
        let passed = try await attempt("https://idp.example/", .published, proxy: proxy.url)
        #expect(passed.result.failure?.kind != .address(.loopback))
        #expect(proxy.received.first?.hasPrefix("CONNECT idp.example:443") == true)
    }
}

@Suite("Proxies")
struct ProxyRuleTests {
    private func rule(_ noProxy: String?, _ proxy: String = "http://me:secret@proxy:1") throws -> ProxyRule {
        try #require(ProxyRule(TransportConfiguration(proxy: proxy, noProxy: noProxy)))
    }

    @Test(
        "no_proxy names hosts, everything below them, addresses and networks",
        arguments: [
            ("a.example", "a.example", false), ("a.example", "b.a.example", false),
            (".a.example", "b.A.example", false), ("a.example", "ba.example", true),
            ("x, a.example", "a.example", false), ("*", "any.example", false), ("", "any.example", true),
            ("10.0.0.0/8", "10.1.2.3", false), ("10.0.0.0/8", "11.1.2.3", true),
            ("10.1.2.3", "10.1.2.3", false), ("[2001:db8::]/32", "2001:db8::7", false),
            ("2001:db8::/32", "2001:db8::7", false), ("2001:db8::/32", "10.1.2.3", true),
        ])
    func exceptions(_ list: String, _ host: String, _ isProxied: Bool) throws {
        #expect(try rule(list).covers(host[...]) == isProxied)
    }

    @Test("of the variables of a proxy the first that says something counts, in small letters first")
    func variables() {
        func proxy(_ environment: [String: String]) -> String? {
            ProxyVariables.configuration(environment).proxy
        }
        #expect(proxy(["https_proxy": "", "HTTPS_PROXY": "b", "all_proxy": "c"]) == "b")
        #expect(proxy(["all_proxy": "c", "ALL_PROXY": "d"]) == "c")
        #expect(proxy(["http_proxy": "e", "HTTP_PROXY": "f", "ALL_PROXY": ""]) == nil)
        #expect(ProxyVariables.configuration(["no_proxy": "a", "NO_PROXY": "b"]).noProxy == "a")
        #expect(ProxyVariables.configuration(["NO_PROXY": "b"]).noProxy == "b")
        let empty = ProxyVariables.configuration(["SSL_CERT_FILE": "", "SSL_CERT_DIR": "", "HTTPS_PROXY": ""])
        #expect(empty.caFile == nil && empty.caDirectory == "/etc/ssl/certs" && empty.proxy == nil)
    }

    @Test("no message shows the proxy's credentials")
    func credentials() async throws {
        #expect(
            try rule(nil).cleaned("Unsupported proxy 'http://me:secret@proxy:1'")
                == "Unsupported proxy 'http://…@proxy:1'")
        let loop = try CurlLoop(TransportConfiguration(proxy: "gopher://me:secret@proxy.invalid:1"))
        defer { loop.shutDown() }
        let failure = await CurlTransport(loop: loop).send(
            HTTPRequest(method: .get, url: "https://idp.example/", fields: [])
        ).failure
        #expect(failure != nil)
        #expect(failure?.message.contains("secret") == false)
    }

    @Test(
        "an answer that is compressed in another way, twice, or not as it says is refused [rule 166]",
        arguments: ["gzip", "br", "x", "gzip, gzip", "gzip\r\nContent-Encoding: gzip"])
    func compressed(_ coding: String) async throws {
        let answer = "HTTP/1.1 200 OK\r\ncontent-encoding: \(coding)\r\nContent-Length: 3\r\n\r\nabc"
        let server = try ScriptedServer([[.read, .send(answer)]])
        let loop = try CurlLoop()
        defer { loop.shutDown() }
        let report = await CurlTransport(loop: loop).exchange(
            HTTPRequest(method: .get, url: server.url, fields: []))
        #expect(report.result.failure?.kind == .compressed)
        #expect(report.events.map(\.check.name) == ["compressed-response"])
    }
}
