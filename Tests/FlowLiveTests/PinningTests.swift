import OAuthProtocol
import Testing

@testable import FlowLive

@Suite("Certificate pins", WithChains())
struct PinningTests {
    private let chains: TestChains
    private let request: @Sendable (String) -> HTTPRequest = { url in
        HTTPRequest(
            method: .get, url: url, fields: [HTTPField("Authorization", "Bearer very-secret-token")])
    }

    init() throws {
        chains = try #require(TestChains.ofSuite)
    }

    private func exchange(
        _ policy: TLSPolicy, with certificate: String, _ mode: ChainServer.Mode = .plain
    ) async throws -> (report: TransportReport, server: ChainServer) {
        let server = try ChainServer(chains, certificate, mode)
        let loop = try CurlLoop(TransportConfiguration(caFile: chains.authorities))
        defer { loop.shutDown() }
        let report = await CurlTransport(loop: loop).exchange(
            request(server.url), TransferLimits(policy: ConnectionPolicy(tls: policy)))
        return (report, server)
    }

    private func policy(
        _ strategy: TLSPolicy.Strategy, _ pins: CertificatePin..., failure: TLSPolicy.FailureMode = .hard
    ) -> TLSPolicy {
        TLSPolicy(pins: TLSPolicy.PinSet(strategy: strategy, failure: failure, pins: pins))
    }

    @Test("the key, the certificate, and every member of the chain match what the openssl command computes")
    func matches() async throws {
        let policies = [
            policy(.publicKey, try chains.keyPin("leaf")),
            policy(.certificate, try chains.certificatePin("leaf")),
            policy(.chain, try chains.keyPin("leaf")), policy(.chain, try chains.certificatePin("leaf")),
            policy(.chain, try chains.keyPin("middle")),
            policy(.chain, try chains.certificatePin("middle")),
            policy(.chain, try chains.keyPin("root")), policy(.chain, try chains.certificatePin("root")),
        ]
        for policy in policies {
            let (report, _) = try await exchange(policy, with: "leaf")
            #expect(try report.result.get().status == 200)
            #expect(report.events.isEmpty)
        }
    }

    @Test("a backup pin is as good as the first")
    func backup() async throws {
        let policy = policy(.publicKey, try chains.keyPin("twin"), try chains.keyPin("leaf"))
        #expect(try await exchange(policy, with: "leaf").report.result.get().status == 200)
        #expect(try await exchange(policy, with: "twin").report.result.get().status == 200)
    }

    @Test("with a wrong pin the request never leaves, and the event shows what came in the form of a pin")
    func wrongKey() async throws {
        let pinned = try chains.keyPin("leaf")
        let (report, server) = try await exchange(policy(.publicKey, pinned), with: "twin")
        #expect(report.result.failure?.kind == .policy(.pin))
        #expect(report.result.failure?.delivery == .notDelivered)
        #expect(server.bytesSeen == 0)
        let event = try #require(report.events.first)
        #expect(report.events.count == 1)
        #expect(event.severity == .critical)
        #expect(event.check.name == "tls-pin")
        #expect(event.host == "127.0.0.1")
        #expect(event.evidence.contains(.init("expected", pinned.text)))
        #expect(event.evidence.contains(.init("presented", try chains.keyPin("twin").text)))
        #expect(event.evidence.contains(.init("subject", "CN=twin,O=Test")))
    }

    @Test("another leaf of the pinned intermediate passes by chain and not by key or certificate")
    func rightIntermediate() async throws {
        let middle = try chains.keyPin("middle")
        #expect(try await exchange(policy(.chain, middle), with: "twin").report.result.get().status == 200)
        for strategy in [TLSPolicy.Strategy.publicKey, .certificate] {
            let (report, server) = try await exchange(policy(strategy, middle), with: "twin")
            #expect(report.result.failure?.kind == .policy(.pin))
            #expect(server.bytesSeen == 0)
        }
    }

    @Test("a chain of a trusted authority that is not pinned is refused")
    func trustedButUnpinned() async throws {
        let (report, server) = try await exchange(
            policy(.chain, try chains.keyPin("root"), try chains.keyPin("middle")), with: "rogue")
        #expect(report.result.failure?.kind == .policy(.pin))
        #expect(server.bytesSeen == 0)
    }

    @Test(
        "pins replace no other check",
        arguments: [
            ("gone", TransportFailure.TLSReason.expired), ("named", .wrongHost), ("alone", .untrusted),
        ])
    func usualChecks(_ certificate: String, _ reason: TransportFailure.TLSReason) async throws {
        let policy = policy(.publicKey, try chains.keyPin(certificate), failure: .soft)
        let (report, server) = try await exchange(policy, with: certificate)
        #expect(report.result.failure?.kind == .tls(reason))
        #expect(server.bytesSeen == 0)
        #expect(report.events.map(\.severity) == [.critical])
        #expect(report.events.first?.check.name == "tls-\(reason.word)")
    }

    @Test("a soft failure is let through, and each request on the connection has the event")
    func soft() async throws {
        let server = try ChainServer(chains, "twin")
        let loop = try CurlLoop(TransportConfiguration(caFile: chains.authorities))
        defer { loop.shutDown() }
        let policy = ConnectionPolicy(
            tls: policy(.publicKey, try chains.keyPin("leaf"), failure: .soft))
        for number in 1...2 {
            let report = await CurlTransport(loop: loop).exchange(
                request(server.url), TransferLimits(policy: policy))
            #expect(try report.result.get().text == "1 \(number) -")
            #expect(report.events.map(\.check.name) == ["tls-pin"])
            #expect(report.events.map(\.severity) == [.critical])
            #expect(report.events.first?.summary.contains("soft") == true)
        }
    }

    @Test("pin_all refuses a host that has no pins")
    func pinAll() async throws {
        let pins = TLSPolicy.PinSet(pins: [try chains.keyPin("leaf")])
        let elsewhere = TLSPolicy(hosts: [.init(name: "api.example", pins: pins)], pinsAll: true)
        let (report, server) = try await exchange(elsewhere, with: "leaf")
        #expect(report.result.failure?.kind == .policy(.unlistedHost))
        #expect(report.events.map(\.check.name) == ["tls-unlisted-host"])
        #expect(server.bytesSeen == 0)
        let listed = TLSPolicy(hosts: [.init(name: "127.0.0.1", pins: pins)], pinsAll: true)
        #expect(try await exchange(listed, with: "leaf").report.result.get().status == 200)
        let open = TLSPolicy(hosts: [.init(name: "api.example", pins: pins)])
        #expect(try await exchange(open, with: "leaf").report.result.get().status == 200)
    }

    @Test("the pins of a host are its own, under the name by which it is asked for")
    func perHost() async throws {
        let server = try ChainServer(chains, "leaf")
        let loop = try CurlLoop(TransportConfiguration(caFile: chains.authorities))
        defer { loop.shutDown() }
        let policy = ConnectionPolicy(
            tls: TLSPolicy(
                pins: TLSPolicy.PinSet(pins: [try chains.keyPin("leaf")]),
                hosts: [
                    .init(
                        name: "localhost", pins: TLSPolicy.PinSet(pins: [try chains.keyPin("twin")]))
                ]))
        let limits = TransferLimits(policy: policy)
        let transport = CurlTransport(loop: loop)
        #expect(try await transport.send(request(server.url), limits).get().status == 200)
        for name in ["localhost", "LocalHost"] {
            let url = "https://\(name):\(server.port)/"
            #expect(await transport.send(request(url), limits).failure?.kind == .policy(.pin))
        }
    }

    @Test("an expired pin matches nothing; one that soon expires, and such a certificate, are warned about")
    func expiry() async throws {
        let now = WallClock.now()
        let past = policy(.publicKey, try chains.keyPin("leaf", expiresAt: now - 1_000))
        let refused = try await exchange(past, with: "leaf").report
        #expect(refused.result.failure?.kind == .policy(.pin))
        #expect(refused.events.map(\.check.name) == ["tls-pin-expiry", "tls-pin"])
        let soon = policy(.publicKey, try chains.keyPin("late", expiresAt: now + 5 * 86_400_000))
        let warned = try await exchange(soon, with: "late").report
        #expect(try warned.result.get().status == 200)
        #expect(warned.events.map(\.check.name) == ["tls-pin-expiry", "tls-certificate-expiry"])
        #expect(warned.events.allSatisfy { $0.severity == .warning })
        var silent = soon
        silent.warningDays = 0
        #expect(try await exchange(silent, with: "late").report.events.isEmpty)
    }

    @Test("min_version 1.3 refuses a server of TLS 1.2")
    func minimumVersion() async throws {
        let (report, server) = try await exchange(TLSPolicy(minimumVersion: .v1_3), with: "leaf", .old)
        #expect(report.result.failure?.kind == .tls(.version))
        #expect(report.events.map(\.check.name) == ["tls-version"])
        #expect(server.bytesSeen == 0)
        let lower = try await exchange(TLSPolicy(minimumVersion: .v1_2), with: "leaf", .old)
        #expect(try lower.report.result.get().status == 200)
        let same = try await exchange(TLSPolicy(minimumVersion: .v1_3), with: "leaf")
        #expect(try same.report.result.get().status == 200)
    }

    @Test("requests of several policies at once all end as they should")
    func atOnce() async throws {
        let server = try ChainServer(chains, "leaf")
        let loop = try CurlLoop(TransportConfiguration(caFile: chains.authorities))
        defer { loop.shutDown() }
        let policies = [
            nil, ConnectionPolicy(tls: policy(.publicKey, try chains.keyPin("leaf"))),
            ConnectionPolicy(tls: policy(.publicKey, try chains.keyPin("twin"))),
            ConnectionPolicy(certificate: try chains.clientCertificate()),
        ]
        let (request, transport) = (request(server.url), CurlTransport(loop: loop))
        let passed = await withTaskGroup(of: (Int, Bool).self) { group in
            for number in 0..<40 {
                let limits = TransferLimits(policy: policies[number % 4])
                group.addTask { (number % 4, (try? await transport.send(request, limits).get()) != nil) }
            }
            var passed = [0, 0, 0, 0]
            for await (policy, isAnswered) in group where isAnswered { passed[policy] += 1 }
            return passed
        }
        #expect(passed == [10, 10, 0, 10])
    }

    @Test("a connection of one policy is never used by another, and its own requests use it again")
    func noSharing() async throws {
        let server = try ChainServer(chains, "leaf")
        let loop = try CurlLoop(TransportConfiguration(caFile: chains.authorities))
        defer { loop.shutDown() }
        let right = ConnectionPolicy(tls: policy(.publicKey, try chains.keyPin("leaf")))
        let same = ConnectionPolicy(tls: policy(.publicKey, try chains.keyPin("leaf")))
        let wrong = ConnectionPolicy(tls: policy(.publicKey, try chains.keyPin("twin")))
        let transport = CurlTransport(loop: loop)
        var answers: [String] = []
        for policy in [nil, right, nil, right, same] {
            let limits = TransferLimits(policy: policy)
            answers.append(try await transport.send(request(server.url), limits).get().text)
        }
        #expect(answers == ["1 1 -", "2 1 -", "1 2 -", "2 2 -", "2 3 -"])
        let before = server.bytesSeen
        let refused = await transport.send(request(server.url), TransferLimits(policy: wrong))
        #expect(refused.failure?.kind == .policy(.pin))
        #expect(server.bytesSeen == before)
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
