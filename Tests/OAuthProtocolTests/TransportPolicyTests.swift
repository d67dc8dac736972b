import Testing

@testable import OAuthProtocol

@Suite("Pins and addresses")
struct TransportPolicyTests {
    private static let digest = [UInt8](0..<32)
    private static let text = "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let hexadecimal = "000102030405060708090A0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

    @Test("a pin is sha256/ and the Base64 of 32 bytes")
    func pin() throws {
        let pin = try CertificatePin(Self.text)
        #expect(pin.digest == Self.digest)
        #expect(pin.text == Self.text)
    }

    @Test(
        "what is no pin is told from what another tool prints",
        arguments: [
            ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", CertificatePin.Problem.prefix),
            ("sha1/AAEC", .prefix), ("sha256/AAEC", .digest), ("sha256/AAE*", .digest), ("", .prefix),
            (String(repeating: "g", count: 64), .prefix),
            (hexadecimal, .hexadecimal(meant: text)), ("SHA256:" + hexadecimal, .hexadecimal(meant: text)),
            ("sha256/" + hexadecimal, .hexadecimal(meant: text)),
            (
                "00:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f:10:11:12:13:14:15:16:17:18:19:1a:1b:1c:1d:1e:1f",
                .hexadecimal(meant: text)
            ),
        ])
    func noPin(_ text: String, _ problem: CertificatePin.Problem) {
        #expect(throws: problem) { try CertificatePin(text) }
    }

    @Test(
        "a host has its own pins, those of its pattern, or those for all",
        arguments: [
            ("api.example", "exact"), ("eu.api.example", "pattern"), ("a.eu.api.example", "all"),
            ("other.example", "all"), ("example", "all"), ("us.api.example", "own"), ("us.example", "all"),
        ])
    func hosts(_ host: String, _ expected: String) {
        func pins(_ byte: UInt8) -> TLSPolicy.PinSet {
            TLSPolicy.PinSet(pins: [CertificatePin(digest: Array(repeating: byte, count: 32))])
        }
        let sets = ["exact": pins(1), "pattern": pins(2), "all": pins(3), "own": pins(4)]
        let policy = TLSPolicy(
            pins: pins(3),
            hosts: [
                .init(name: "*.api.example", pins: pins(2)), .init(name: "api.example", pins: pins(1)),
                .init(name: "us.api.example", pins: pins(4)), .init(name: "a.example", pins: pins(5)),
            ])
        #expect(policy.pins(for: host) == sets[expected])
    }

    @Test("no chain at all satisfies no pin")
    func emptyChain() {
        let policy = TLSPolicy(pins: TLSPolicy.PinSet(pins: [CertificatePin(digest: Self.digest)]))
        #expect(TLSVerdict(policy, chain: [], host: "a", now: 0).refusal == .pin)
    }

    @Test("policies with the same content are equal, and one that asks for nothing is none")
    func policies() {
        let pins = TLSPolicy.PinSet(pins: [CertificatePin(digest: Self.digest)])
        #expect(ConnectionPolicy(tls: TLSPolicy(pins: pins)) == ConnectionPolicy(tls: TLSPolicy(pins: pins)))
        #expect(ConnectionPolicy(tls: TLSPolicy(pins: pins)) != ConnectionPolicy())
        #expect(ConnectionPolicy.make(nil, nil) == nil)
        #expect(ConnectionPolicy.make(TLSPolicy(pins: pins), nil)?.tls.pins == pins)
        let certificate = ClientCertificate(
            chain: Secret("chain", kind: .other), key: Secret("key", kind: .other))
        #expect(ConnectionPolicy.make(nil, certificate)?.certificate == certificate)
    }

    @Test("certificates are looked at wherever a host is pinned, or must be")
    func looking() {
        let pins = TLSPolicy.PinSet(pins: [CertificatePin(digest: Self.digest)])
        #expect(TLSPolicy(pins: pins).pinsAnything)
        #expect(TLSPolicy(hosts: [.init(name: "a", pins: pins)]).pinsAnything)
        #expect(TLSPolicy(pinsAll: true).pinsAnything)
        #expect(!TLSPolicy(minimumVersion: .v1_3).pinsAnything)
    }

    @Test("a pin holds until it expires, and warnings begin as many days before as the policy says")
    func moments() {
        let day: Int64 = 86_400_000
        let leaf = CertificateSummary(
            subject: "CN=a", issuer: "CN=b", keyDigest: Self.digest, digest: [1], expiresAt: 100 * day)
        func told(_ end: Int64, at now: Int64, days: Int = 30) -> [String] {
            let pins = TLSPolicy.PinSet(pins: [CertificatePin(digest: Self.digest, expiresAt: end)])
            return TLSVerdict(
                TLSPolicy(pins: pins, warningDays: days), chain: [leaf], host: "a", now: now
            ).events.map(\.summary)
        }
        #expect(told(30 * day, at: 0) == [])
        #expect(told(30 * day - 1, at: 0) == ["a pin expires in 29 days"])
        #expect(told(2 * day - 1, at: 0) == ["a pin expires in 1 day"])
        #expect(told(1, at: 0) == ["a pin expires within a day"])
        #expect(told(1, at: 0, days: 0) == [])
        #expect(
            told(5, at: 5) == ["a pin has expired", "the pin that would match has expired: refused"])
        #expect(told(.max, at: 70 * day) == [])
        #expect(
            told(.max, at: 70 * day + 1) == ["the host's certificate expires in 29 days"])
    }

    @Test("the event of a wrong pin says what was expected, what came and what became of the connection")
    func evidence() {
        func certificate(_ byte: UInt8) -> CertificateSummary {
            CertificateSummary(
                subject: "CN=\(byte)", issuer: "CN=\(byte + 2)",
                keyDigest: Array(repeating: byte + 1, count: 32), digest: Array(repeating: byte, count: 32),
                expiresAt: .max)
        }
        let chain = [certificate(10), certificate(20)]
        let stale = CertificatePin(digest: chain[0].digest, expiresAt: 0)
        let other = CertificatePin(digest: Self.digest)
        func verdict(
            _ strategy: TLSPolicy.Strategy, _ failure: TLSPolicy.FailureMode
        ) -> (refusal: TLSVerdict.Rule?, event: SecurityEvent?) {
            let pins = TLSPolicy.PinSet(strategy: strategy, failure: failure, pins: [stale, other])
            let verdict = TLSVerdict(
                TLSPolicy(pins: pins, warningDays: 0), chain: chain, host: "a", now: 0)
            return (verdict.refusal, verdict.events.first)
        }
        func texts(_ event: SecurityEvent?) -> [String] {
            event?.evidence.map { "\($0.name): \($0.value)" } ?? []
        }
        let (refusal, event) = verdict(.certificate, .hard)
        #expect(refusal == .pin)
        #expect(event?.decision == .refused)
        #expect(event?.summary == "the pin that would match has expired: refused")
        #expect(
            texts(event) == [
                "strategy: certificate", "expired pin: \(stale.text)", "expected: \(other.text)",
                "presented: \(chain[0].certificatePin.text)", "subject: CN=10", "issuer: CN=12",
            ])
        let soft = verdict(.publicKey, .soft)
        #expect(soft.refusal == nil)
        #expect(soft.event?.decision == .allowed)
        #expect(
            soft.event?.summary
                == "the certificate matches none of the host's pins: used all the same, since failure is soft"
        )
        #expect(texts(soft.event)[3] == "presented: \(chain[0].keyPin.text)")
        #expect(texts(soft.event).count == 6)
        #expect(texts(verdict(.chain, .hard).event).count == 9)
        #expect([.critical, .info, .warning].sorted() == SecurityEvent.Severity.allCases)
    }

    @Test(
        "addresses belong to a kind of network",
        arguments: [
            (0x0808_0808, NetworkAddress.Kind.global), (0x7F00_0001, .loopback), (0x7FFF_FFFF, .loopback),
            (0x0A00_0001, .local), (0xAC10_0000, .local), (0xAC20_0000, .global), (0xAC0F_FFFF, .global),
            (0xC0A8_0101, .local), (0x6440_0001, .local), (0x6480_0000, .global), (0xA9FE_0001, .linkLocal),
            (0xA9FE_A9FE, .metadata), (0xA83F_8110, .metadata), (0x6464_64C8, .metadata), (0, .unusable),
            (0xE000_0001, .unusable), (0xFFFF_FFFF, .unusable),
        ] as [(UInt32, NetworkAddress.Kind)])
    func v4(_ address: UInt32, _ kind: NetworkAddress.Kind) {
        #expect(NetworkAddress(v4: address).kind == kind)
        // Mapped, behind NAT64, and by 6to4.
        let low = UInt64(address)
        #expect(NetworkAddress(v6high: 0, low: 0xFFFF_0000_0000 | low).kind == kind)
        #expect(NetworkAddress(v6high: 0x0064_FF9B_0000_0000, low: low).kind == kind)
        #expect(NetworkAddress(v6high: 0x2002 << 48 | low << 16, low: 1).kind == kind)
    }

    @Test(
        "the same for IPv6",
        arguments: [
            (0x2606_4700_0000_0000, 1, NetworkAddress.Kind.global), (0, 1, .loopback), (0, 0, .unusable),
            (0, 0x7F00_0001, .unusable), (0xFC00 << 48, 1, .local), (0xFDFF << 48, 1, .local),
            (0xFE80 << 48, 1, .linkLocal), (0xFEBF << 48, 1, .linkLocal), (0xFEC0 << 48, 1, .local),
            (0xFF02 << 48, 1, .unusable), (0xFD00_0EC2_0000_0000, 0x254, .metadata),
            (0xFD20_00CE_0000_0000, 0x254, .metadata), (0x0064_FF9B_0001_0000, 0x7F00_0001, .local),
            // What only resembles an embedded address.
            (0x2606_4700_0000_0000, 0xFFFF_7F00_0001, .global),
            (0x0064_FF9B_0000_0000, 0x1_7F00_0001, .global),
        ] as [(UInt64, UInt64, NetworkAddress.Kind)])
    func v6(_ high: UInt64, _ low: UInt64, _ kind: NetworkAddress.Kind) {
        #expect(NetworkAddress(v6high: high, low: low).kind == kind)
    }

    @Test("published addresses lead out, or to where the issuer is")
    func reach() {
        let near = AddressReach.publishedNear
        let rows: [(AddressReach, [NetworkAddress.Kind])] = [
            (.declared, [.global, .loopback, .local]), (.published, [.global]),
            (near(.local), [.global, .local]), (near(.loopback), [.global, .loopback, .local]),
            (near(.global), [.global]),
        ]
        for (reach, kinds) in rows {
            #expect(NetworkAddress.Kind.allCases.filter { reach.allows($0) } == kinds)
        }
    }
}
