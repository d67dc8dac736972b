import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

@Suite("Reading tls of a descriptor")
struct TLSReadingTests {
    private static let one = "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let two = "sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4="

    @Test("pins of all hosts and of single ones, what a host leaves out being that of all")
    func whole() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            tls:
              min_version: 1.3
              warn_days: 7
              pin_all: true
              failure: soft
              pins: [\(Self.one), {pin: \(Self.two), expires: 2027-01-31}]
              hosts:
                api.example:
                  strategy: chain
                  failure: hard
                  pins: [\(Self.two), \(Self.one)]
                "*.eu.example":
                  pins: [\(Self.one), \(Self.two)]

            """)
        #expect(report == [])
        let tls = try #require(descriptor?.tls)
        let (one, two) = (try CertificatePin(Self.one), try CertificatePin(Self.two))
        // 2027-02-01T00:00:00Z
        let dated = try CertificatePin(Self.two, expiresAt: 1_801_440_000_000)
        #expect(
            tls.policy
                == TLSPolicy(
                    minimumVersion: .v1_3, pins: .init(failure: .soft, pins: [one, dated]),
                    hosts: [
                        .init(name: "api.example", pins: .init(strategy: .chain, pins: [two, one])),
                        .init(name: "*.eu.example", pins: .init(failure: .soft, pins: [one, two])),
                    ], pinsAll: true, warningDays: 7))
        #expect(tls.datedPins.map(\.day) == ["2027-01-31"])
        #expect(tls.datedPins.map(\.pin) == [dated])
    }

    @Test("a descriptor without tls asks for nothing")
    func absent() {
        #expect(DescriptorFixture.read("").descriptor?.tls == nil)
    }

    private static let mistakes: [(lines: String, report: String)] = [
        (
            "tls: {min_verson: 1.3}",
            "FL010 4:7: unknown key \"min_verson\" in \"tls\"; did you mean \"min_version\"?"
        ),
        (
            "tls: {min_version: 1.1}",
            "FL016 4:20: \"min_version\" in \"tls\" must be one of 1.2, 1.3, not the number 1.1"
        ),
        (
            "tls: {strategy: spki, pins: [\(one), \(two)]}",
            "FL016 4:17: \"strategy\" in \"tls\" must be one of public_key, certificate, chain, not \"spki\""
        ),
        (
            "tls: {failure: off, pins: [\(one), \(two)]}",
            "FL016 4:16: \"failure\" in \"tls\" must be one of hard, soft, not \"off\""
        ),
        ("tls: {pin_all: true}", "FL011 4:6: \"tls\" needs the key \"hosts\""),
        ("tls: {pins: []}", "FL016 4:13: \"pins\" in \"tls\" must be a list with a pin, not an empty list"),
        (
            "tls: {pins: [sha1/AAEC, \(two)]}",
            "FL016 4:14: a pin begins with sha256/, unlike \"sha1/AAEC\""
        ),
        (
            "tls: {pins: [sha256/AAEC, \(two)]}",
            "FL016 4:14: after sha256/ comes the Base64 of 32 bytes, unlike \"sha256/AAEC\""
        ),
        (
            "tls: {pins: ['00:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f:10:11:12:13:14:15:16:17:18:19:1a:1b:1c:1d:1e:1f', \(two)]}",
            "FL016 4:14: a pin is written in Base64, not in hexadecimal digits"
        ),
        (
            "tls: {pins: [{pn: \(one)}, \(two)]}",
            "FL010 4:15: unknown key \"pn\" in a pin; did you mean \"pin\"?"
        ),
        (
            "tls: {pins: [{pin: \(one), expires: soon}, \(two)]}",
            "FL016 4:82: \"expires\" in a pin must be a day such as 2027-01-31, not \"soon\""
        ),
        (
            "tls: {hosts: {a.example: {pin: x}}}",
            "FL010 4:27: unknown key \"pin\" in host \"a.example\"; did you mean \"pins\"?"
        ),
        (
            "tls: {hosts: {A.example: {pins: [\(one), \(two)]}}}", "FL016 4:15: \"A.example\" is no host"
        ),
        (
            "tls: {hosts: {'a.example:443': {pins: [\(one), \(two)]}}}",
            "FL016 4:15: \"a.example:443\" is no host"
        ),
        (
            "mtls_endpoint_aliases: {token: 'https://m.example/t'}",
            "FL010 4:25: unknown key \"token\" in \"mtls_endpoint_aliases\""
        ),
        (
            "mtls_endpoint_aliases: {token_endpoint: 'http://m.example/t'}",
            "FL067 4:41: \"http://m.example/t\" is not https"
        ),
    ]

    @Test("every mistake is reported with its place", arguments: mistakes)
    func reports(_ lines: String, _ report: String) {
        let (descriptor, found) = DescriptorFixture.read(lines)
        #expect(found.joined(separator: "\n") == report)
        #expect(descriptor == nil)
    }

    @Test("a fingerprint of another tool is translated in the hint")
    func hint() throws {
        let hexadecimal = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        let text =
            "provider: p\nprotocol: oidc\nissuer: https://p.example\ntls: {pins: [\(hexadecimal), \(Self.two)]}\n"
        let reading = ProviderReader.read(SourceFile(path: "p.yaml", text: text))
        #expect(reading.diagnostics.map(\.hint) == ["if that is what it stands for: \(Self.one)"])
    }

    @Test("one pin without another is warned about, and only that")
    func singlePin() {
        let (descriptor, report) = DescriptorFixture.read("tls: {pins: [\(Self.one)]}")
        #expect(descriptor != nil)
        #expect(
            report == [
                "FL097 4:13: one pin without a backup: a new key of the host ends every sign-in"
            ])
    }

    @Test("an expired pin is found by whoever knows the date")
    func expired() throws {
        let descriptor = try #require(
            DescriptorFixture.read(
                "tls: {pins: [{pin: \(Self.one), expires: 2027-01-31}, \(Self.two)]}"
            ).descriptor)
        let lastMoment: Int64 = 1_801_439_999_999
        #expect(PinDates.check(descriptor, now: lastMoment) == [])
        let found = PinDates.check(descriptor, now: lastMoment + 1)
        #expect(
            found.map { "\($0.code) \($0.file):\($0.span.start)" } == ["FL098 x/p.yaml:4:82"])
    }

    @Test("an environment changes the pins of a host and keeps the rest")
    func environment() throws {
        let text = """
            provider: p
            protocol: oidc
            issuer: https://p.example
            tls:
              min_version: "1.3"
              hosts:
                a.example: {pins: [\(Self.one), \(Self.two)]}
            environments:
              test:
                tls:
                  hosts:
                    a.example: {strategy: chain}
            """
        let reading = ProviderReader.read(SourceFile(path: "p.yaml", text: text), environment: "test")
        let policy = try #require(reading.descriptor?.tls?.policy)
        #expect(policy.minimumVersion == .v1_3)
        #expect(policy.hosts.map(\.pins.strategy) == [.chain])
        #expect(policy.hosts.map(\.pins.pins.count) == [2])
    }

    @Test("aliases are evaluated and checked like other endpoints")
    func aliases() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables: {host: {default: mtls.example}}
            token_endpoint: https://p.example/token
            mtls_endpoint_aliases: {token_endpoint: "https://${vars.host}/token"}

            """)
        #expect(report == [])
        let bound = try #require(descriptor).bind(variables: [:])
        let fields = bound.serverFields()
        #expect(fields.tokenEndpoint == "https://p.example/token")
        #expect(fields.forMutualTLS().tokenEndpoint == "https://mtls.example/token")
        #expect(throws: BindingError.self) {
            try descriptor?.bind(variables: ["host": "a b"])
        }
    }

    @Test("tokens can be bound to the client's certificate")
    func bound() {
        let lines = "client: {tls_client_certificate_bound_access_tokens: true}"
        #expect(DescriptorFixture.read(lines).descriptor?.client.bindsTokensToCertificate == true)
    }

    @Test("a registration says where the client's certificate is, and never holds it")
    func registration() {
        func read(_ certificate: String) -> ([Registration], [String]) {
            let text = "registrations:\n  p:\n    client_id: c\n    certificate: \(certificate)\n"
            let found = RegistrationReader.read(SourceFile(path: "flowrun.yaml", text: text))
            return (found.registrations, found.diagnostics.map { "\($0.code) \($0.span.start)" })
        }
        let (registrations, none) = read("{file: client.pem}")
        #expect(registrations.first?.certificate?.value == .file("client.pem"))
        #expect(none == [])
        #expect(read("client.pem").1 == ["FL066 4:18"])
    }
}
