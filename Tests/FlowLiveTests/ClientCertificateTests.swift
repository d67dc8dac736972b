import JOSE
import OAuthProtocol
import Testing

@testable import FlowLive

@Suite("Client certificates in TLS", WithChains())
struct ClientCertificateTests {
    private let chains: TestChains

    init() throws {
        chains = try #require(TestChains.ofSuite)
    }

    private func send(
        _ server: ChainServer, _ certificate: ClientCertificate?, _ loop: CurlLoop
    ) async -> Result<HTTPResponse, TransportFailure> {
        await CurlTransport(loop: loop).send(
            HTTPRequest(method: .post, url: server.url, fields: [], body: Array("code=secret".utf8)),
            TransferLimits(policy: ConnectionPolicy.make(nil, certificate)))
    }

    private func loop() throws -> CurlLoop {
        try CurlLoop(TransportConfiguration(caFile: chains.authorities))
    }

    @Test("a server that demands a certificate gets the client's, from memory", arguments: ["plain", "old"])
    func demanded(_ version: String) async throws {
        let loop = try loop()
        defer { loop.shutDown() }
        let server = try ChainServer(chains, "leaf", version == "old" ? .oldDemand : .demand)
        let response = try await send(server, chains.clientCertificate(), loop).get()
        #expect(response.text == "1 1 client")
    }

    @Test("without one, or with one of a stranger, the server refuses before it reads anything")
    func refused() async throws {
        let loop = try loop()
        defer { loop.shutDown() }
        let server = try ChainServer(chains, "leaf", .demand)
        let none = await send(server, nil, loop).failure
        #expect(none?.kind == .tls(.clientCertificate))
        #expect(none?.delivery == .notDelivered)
        let stranger = await send(server, try chains.clientCertificate("rogue"), loop).failure
        #expect(stranger?.kind == .tls(.clientCertificate))
        #expect(server.bytesSeen == 0)
    }

    @Test("a connection with a certificate is not used without it, nor with another [rule 171]")
    func noSharing() async throws {
        let loop = try loop()
        defer { loop.shutDown() }
        let server = try ChainServer(chains, "leaf", .demand)
        #expect(try await send(server, chains.clientCertificate(), loop).get().text == "1 1 client")
        #expect(await send(server, nil, loop).failure?.kind == .tls(.clientCertificate))
        #expect(
            await send(server, try chains.clientCertificate("rogue"), loop).failure?.kind
                == .tls(.clientCertificate))
        #expect(try await send(server, chains.clientCertificate(), loop).get().text == "1 2 client")
    }

    @Test("a pair that does not fit is our own mistake, told before any connection")
    func mismatch() async throws {
        let loop = try loop()
        defer { loop.shutDown() }
        let server = try ChainServer(chains, "leaf", .demand)
        let broken: [(ClientCertificate, String)] = [
            (try chains.clientCertificate(key: "rogue"), "does not belong"),
            (
                ClientCertificate(
                    chain: Secret("none", kind: .other), key: Secret("none", kind: .other)),
                "certificate is no PEM"
            ),
            (
                ClientCertificate(
                    chain: try chains.clientCertificate().chain, key: Secret("{}", kind: .other)),
                "key for TLS is no PEM"
            ),
        ]
        for (certificate, words) in broken {
            let failure = await send(server, certificate, loop).failure
            #expect(failure?.kind == .tls(.localSetup))
            #expect(failure?.message.contains(words) == true)
        }
    }

    @Test("a key with a passphrase is refused and asks nobody")
    func passphrase() async throws {
        try await shell(
            "openssl pkcs8 -topk8 -in client.key -passout pass:word -out locked.key",
            in: chains.directory.path)
        let loop = try loop()
        defer { loop.shutDown() }
        let server = try ChainServer(chains, "leaf", .demand)
        let failure = await send(server, try chains.clientCertificate(key: "locked"), loop).failure
        #expect(failure?.kind == .tls(.localSetup))
        #expect(failure?.message.contains("passphrase") == true)
    }

    @Test("the thumbprint is the digest of the certificate, in base64url")
    func thumbprint() throws {
        let digest = try chains.certificatePin("client").digest
        #expect(try chains.clientCertificate().thumbprint == Base64URL.encode(digest))
    }
}
