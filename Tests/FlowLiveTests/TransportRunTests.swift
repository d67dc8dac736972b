import FlowEngine
import FlowLanguage
import JOSE
import OAuthProtocol
import Synchronization
import Testing
import YAMLText

@testable import FlowLive

@Suite("Runs with TLS policies and client certificates", WithChains())
struct TransportRunTests {
    private let chains: TestChains
    private let folder = TemporaryDirectory()
    private let events = Events()

    final class Events: TraceSink {
        let security = Mutex<[SecurityEvent]>([])
        let traced = Mutex<[SecurityEvent]>([])

        func receive(_ event: TraceEvent) {
            if case .security(let event) = event.body { traced.withLock { $0.append(event) } }
        }

        var checks: [String] { security.withLock { $0.map(\.check.name) } }
        var tracedChecks: [String] { traced.withLock { $0.map(\.check.name) } }
    }

    init() throws {
        chains = try #require(TestChains.ofSuite)
    }

    private static let flow = """
        language: flow/1
        flow: grant
        version: 1
        defaults: { timeout: 20s, next: { any: failed } }
        start: token
        steps:
          token: { do: client_credentials, retry: { outcomes: [network], attempts: 3 }, next: { ok: done } }
        ends:
          done: { result: success }
          failed: { result: failure, exit: 1 }
        """

    private func run(
        _ provider: String, client: ClientRegistration, flow: String = flow
    ) async throws -> FlowResult {
        var configuration = LiveConfiguration(
            storeDirectory: folder.path + "/store", stateDirectory: folder.path + "/state",
            caFile: chains.authorities)
        let events = events
        configuration.onSecurityEvent = { event in events.security.withLock { $0.append(event) } }
        let runner = try FlowRunner(
            flow: SourceFile(path: "grant.flow.yaml", text: flow),
            provider: SourceFile(path: "p.yaml", text: provider), client: client,
            configuration: configuration)
        return try await runner.run(sinks: [events])
    }

    private func descriptor(_ server: ChainServer, _ lines: String, path: String = "grant/t") -> String {
        """
        provider: p
        protocol: oauth2
        issuer: \(server.origin)
        discovery: off
        token_endpoint: \(server.origin)/\(path)
        \(lines)
        """
    }

    private let secretClient = ClientRegistration(
        clientID: "c", secret: Secret("client-secret-value", kind: .clientSecret))

    @Test("a hard pin failure ends the run with no retry and no route, before the secret is sent")
    func hardFailure() async throws {
        let server = try ChainServer(chains, "twin")
        let pins = "tls: {pins: [\(try chains.keyPin("leaf").text), \(try chains.keyPin("middle").text)]}"
        let result = try await run(descriptor(server, pins), client: secretClient)
        #expect(!result.isSuccess)
        #expect(result.failure?.code == "transport_refused")
        #expect(server.bytesSeen == 0)
        #expect(events.checks == ["tls-pin"])
        #expect(events.tracedChecks == ["tls-pin"])
    }

    @Test("a soft pin failure is traced as critical, once, and the run goes on")
    func softFailure() async throws {
        let server = try ChainServer(chains, "twin")
        let pins =
            "tls: {failure: soft, pins: [\(try chains.keyPin("leaf").text), \(try chains.keyPin("middle").text)]}"
        let twice = Self.flow.replacing("next: { ok: done }", with: "next: { ok: second }").replacing(
            "ends:", with: "  second: { do: client_credentials, next: { ok: done } }\nends:")
        let result = try await run(descriptor(server, pins), client: secretClient, flow: twice)
        #expect(result.isSuccess)
        #expect(events.checks == ["tls-pin"])
        #expect(events.tracedChecks == ["tls-pin"])
        #expect(events.traced.withLock { $0.first?.severity } == .critical)
    }

    @Test(
        "min_version that the server does not have is a refusal; a bad certificate stays a failed connection")
    func otherFailures() async throws {
        let old = try ChainServer(chains, "leaf", .old)
        let refused = try await run(descriptor(old, "tls: {min_version: 1.3}"), client: secretClient)
        #expect(refused.failure?.code == "transport_refused")
        let gone = try ChainServer(chains, "gone")
        let failed = try await run(descriptor(gone, ""), client: secretClient)
        #expect(failed.failure?.code == "network")
        #expect(events.checks.first == "tls-version")
        #expect(events.checks.contains("tls-expired"))
    }

    // MARK: Client certificates

    private func certificateClient(_ method: ClientAuthenticationMethod = .none) throws -> ClientRegistration
    {
        let certificate = try chains.clientCertificate()
        return ClientRegistration(
            clientID: "c", authenticationMethod: method, privateKey: certificate.key,
            certificate: certificate.chain)
    }

    @Test(
        "a client proves itself by its certificate alone",
        arguments: ["tls_client_auth", "self_signed_tls_client_auth"])
    func certificate(_ method: String) async throws {
        let server = try ChainServer(chains, "leaf", .demand)
        let lines = "client: {token_endpoint_auth_method: \(method)}"
        let result = try await run(descriptor(server, lines, path: "grant/"), client: certificateClient())
        #expect(result.isSuccess)
        #expect(result.tokens?.accessToken.reveal() == "client")
    }

    @Test("a client signs with one key and shows the certificate of another")
    func twoKeys() async throws {
        let server = try ChainServer(chains, "leaf", .demand)
        let (shown, other) = (try chains.clientCertificate(), try chains.clientCertificate("rogue"))
        let lines = "client: {token_endpoint_auth_method: private_key_jwt}"
        var client = ClientRegistration(
            clientID: "c", authenticationMethod: .privateKeyJWT, privateKey: other.key,
            certificate: shown.chain, certificateKey: shown.key)
        let result = try await run(descriptor(server, lines, path: "grant/"), client: client)
        #expect(result.tokens?.accessToken.reveal() == "client")
        // Without a key of its own the certificate has the one that signs.
        client.certificateKey = nil
        let refused = try await run(descriptor(server, lines, path: "grant/"), client: client)
        #expect(!refused.isSuccess)
    }

    @Test("without a certificate the method is our own mistake, and nothing is sent")
    func noCertificate() async throws {
        let server = try ChainServer(chains, "leaf", .demand)
        let lines = "client: {token_endpoint_auth_method: tls_client_auth}"
        let result = try await run(descriptor(server, lines), client: secretClient)
        #expect(result.failure?.code == "client_key")
        #expect(server.bytesSeen == 0)
    }

    @Test("an alias stands for the endpoint where the client has a certificate, and only there [rule 85]")
    func aliases() async throws {
        let (plain, mutual) = (
            try ChainServer(chains, "leaf"), try ChainServer(chains, "leaf", .demand)
        )
        let lines = """
            client: {token_endpoint_auth_method: tls_client_auth}
            mtls_endpoint_aliases: {token_endpoint: "\(mutual.origin)/grant/"}
            """
        let result = try await run(descriptor(plain, lines), client: certificateClient())
        #expect(result.tokens?.accessToken.reveal() == "client")
        #expect(plain.bytesSeen == 0)
        let secretly = lines.replacing("tls_client_auth", with: "client_secret_basic")
        let other = try await run(descriptor(plain, secretly), client: secretClient)
        #expect(other.tokens?.accessToken.reveal() == "t")
    }

    private func token(_ claims: String) -> String {
        "e30." + Base64URL.encode(claims.utf8) + ".c2ln"
    }

    @Test("a token that is bound to another certificate is refused, one bound to the client's is taken")
    func boundTokens() async throws {
        let server = try ChainServer(chains, "leaf", .demand)
        let lines =
            "client: {token_endpoint_auth_method: tls_client_auth, tls_client_certificate_bound_access_tokens: true}"
        let own = try #require(try chains.clientCertificate().thumbprint)
        let bound = descriptor(server, lines, path: "grant/" + token(#"{"cnf":{"x5t#S256":"\#(own)"}}"#))
        #expect(try await run(bound, client: certificateClient()).isSuccess)
        #expect(events.tracedChecks.isEmpty)
        let stolen = descriptor(server, lines, path: "grant/" + token(#"{"cnf":{"x5t#S256":"AAAA"}}"#))
        let refused = try await run(stolen, client: certificateClient())
        #expect(refused.failure?.code == "insecure")
        #expect(events.traced.withLock { $0.map(\.severity) } == [.critical])
        let unbound = descriptor(server, lines, path: "grant/" + token(#"{"sub":"a"}"#))
        #expect(try await run(unbound, client: certificateClient()).isSuccess)
        #expect(events.tracedChecks == ["cnf", "cnf"])
        #expect(events.traced.withLock { $0.last?.severity } == .warning)
    }

    // MARK: Published addresses

    private final class Box: Sendable {
        let text = Mutex("")
    }

    /// A server that publishes metadata with these members.
    private func issuer(_ members: String, _ count: Int = 1) throws -> ScriptedServer {
        let box = Box()
        let server = try ScriptedServer(
            (0..<count).map { _ in [.read, .sendLater { box.text.withLock { $0 } }, .hold] })
        let body = #"{"issuer": "http://127.0.0.1:\#(server.port)", \#(members)}"#
        box.text.withLock {
            $0 = """
                HTTP/1.1 200 OK\r
                Content-Type: application/json\r
                Content-Length: \(body.utf8.count)\r
                \r
                \(body)
                """
        }
        return server
    }

    @Test("metadata that sends the client's secret to a metadata service of the cloud ends the run")
    func publishedTokenEndpoint() async throws {
        let server = try issuer(#""token_endpoint": "https://169.254.169.254/token""#)
        let provider = """
            provider: p
            protocol: oauth2
            issuer: http://127.0.0.1:\(server.port)
            discovery: required
            """
        let result = try await run(provider, client: secretClient)
        #expect(result.failure?.code == "transport_refused")
        #expect(events.checks == ["http", "address"])
        #expect(events.security.withLock { $0.last?.host } == "169.254.169.254")
    }

    @Test("keys that a metadata document places at such an address are not fetched")
    func publishedKeys() async throws {
        let server = try issuer(#""jwks_uri": "https://[fd00:ec2::254]/keys""#)
        let probe = try ProviderProbe(
            LiveConfiguration(storeDirectory: folder.path, stateDirectory: folder.path)
        )
        .asking(issuer: "http://127.0.0.1:\(server.port)")
        defer { probe.shutDown() }
        let (metadata, _) = try await probe.metadata(
            issuer: "http://127.0.0.1:\(server.port)",
            plans: Discovery.plans(issuer: "http://127.0.0.1:\(server.port)", metadataURL: nil),
            acceptedIssuers: [])
        let failure = await #expect(throws: ProbeFailure.self) {
            try await probe.keys(metadata.fields.jwksURI ?? "")
        }
        guard case .transport(let trouble) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(trouble.kind == .address(.metadata))
    }
}

@Suite("Addresses that a provider publishes")
struct PublishedAddressesTests {
    private func exchange(
        issuerHost: String?, allowsPrivate: Bool = true
    ) async throws -> Result<HTTPResponse, TransportFailure> {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        let server = try ScriptedServer([[.read, .send(answer)]])
        let loop = try CurlLoop()
        defer { loop.shutDown() }
        let published = PublishedAddresses(CurlTransport(loop: loop), allowsPrivate: allowsPrivate)
        return await published.exchange(
            HTTPRequest(method: .get, url: server.url, fields: []), TransferLimits(reach: .published),
            issuerHost: issuerHost
        ).result
    }

    @Test("keys on this machine are refused to an issuer elsewhere, and to one that cannot be found")
    func elsewhere() async throws {
        for host in [nil, "192.0.2.1", "10.0.0.1", "issuer.invalid"] {
            #expect(try await exchange(issuerHost: host).failure?.kind == .address(.loopback))
        }
    }

    @Test("an issuer that is on this machine itself may have them there, unless the host program forbids it")
    func here() async throws {
        #expect(try await exchange(issuerHost: "localhost").get().status == 200)
        #expect(
            try await exchange(issuerHost: "localhost", allowsPrivate: false).failure?.kind
                == .address(.loopback))
    }
}
