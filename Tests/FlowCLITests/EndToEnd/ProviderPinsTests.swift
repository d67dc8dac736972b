import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@testable import FlowCLI
@testable import FlowLive

/// Pins of a provider from the command line, against a real server over TLS.
@Suite("Provider pins, live")
struct ProviderPinsTests {
    private let provider: PublishedProvider

    init() throws {
        provider = try PublishedProvider()
    }

    private func place(_ tls: String = "") throws -> Workplace {
        try Workplace([
            "providers/acme.yaml": """
            provider: acme
            display_name: Acme
            protocol: oidc
            issuer: \(provider.issuer)
            token_endpoint: \(provider.issuer)/token
            \(tls)
            """,
            "flows/grant.flow.yaml": RegisteredCertificateTests.flow,
            "flowrun.yaml": "registrations:\n  acme:\n    client_id: my-app\n",
        ])
    }

    private func run(_ line: String, _ place: Workplace) async -> Workplace.Result {
        await place.run("\(line) --cacert \(provider.authority)")
    }

    private static let wrong = """
        tls:
          pins:
            - sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=
            - sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=

        """

    @Test("what pins prints to paste holds for the very host, and lints without a finding")
    func paste() async throws {
        let shown = await run("provider pins acme", try place())
        #expect(shown.status == 0)
        let start = try #require(shown.output.firstRange(of: "tls:\n"))
        let block = String(shown.output[start.lowerBound...])
        #expect(block.contains("  strategy: chain\n  hosts:\n    127.0.0.1:\n      pins:\n        - sha256/"))
        let pinned = try place(block)
        let lint = await pinned.run("lint providers/acme.yaml")
        #expect(lint.status == 0)
        #expect(lint.output.contains("1 without a finding"))
        let test = await run("provider test acme", pinned)
        #expect(test.output.contains("✓ metadata"))
        #expect(!test.error.contains("SECURITY CRITICAL"))
    }

    @Test("in JSON each host has its chain, the host's own certificate first")
    func json() async throws {
        let json = try JSON.parse(Array(await run("provider pins acme --json", try place()).output.utf8))
        let host = try #require(json.arrayValue?.first)
        #expect(host["host"]?.stringValue == "127.0.0.1")
        let leaf = try #require(host["chain"]?.arrayValue?.first)
        #expect(leaf["public_key"]?.stringValue?.hasPrefix("sha256/") == true)
        #expect(leaf["certificate"] != leaf["public_key"])
        #expect(host["chain"]?.arrayValue?.dropFirst().first?["subject"] == leaf["issuer"])
    }

    @Test("a host that is not trusted shows no pins to paste")
    func untrusted() async throws {
        let result = try await place().run("provider pins acme")
        #expect(result.status == ExitStatus.network.rawValue)
        #expect(!result.output.contains("tls:"))
    }

    @Test("a wrong pin is a failed security check, and the host is never asked")
    func wrongPin() async throws {
        let result = await run("provider test acme", try place(Self.wrong))
        #expect(result.status == ExitStatus.security.rawValue)
        #expect(result.output.contains("✗ metadata"))
        #expect(result.error.contains("SECURITY CRITICAL 127.0.0.1: "))
    }

    @Test("a run with a wrong pin ends with the status of failed security checks, and shows what came")
    func refusedRun() async throws {
        let place = try place(Self.wrong)
        let result = await place.run(
            "run grant --provider acme --cacert \(provider.authority)",
            environment: ["ACME_CLIENT_SECRET": "very-secret"])
        #expect(result.status == ExitStatus.security.rawValue)
        #expect(result.error.contains("! SECURITY CRITICAL 127.0.0.1: "))
        #expect(result.error.contains("presented: sha256/"))
        #expect(!result.error.contains("very-secret"))
    }

    @Test("a soft failure goes on, and standard error says so once")
    func softPin() async throws {
        let soft = Self.wrong.replacing("tls:\n", with: "tls:\n  failure: soft\n")
        let result = await run("provider test acme", try place(soft))
        #expect(result.output.contains("✓ metadata"))
        #expect(result.error.components(of: "SECURITY CRITICAL") == 1)
    }
}

@Suite("Certificates of registrations")
struct RegisteredCertificateTests {
    static let flow = """
        language: flow/1
        flow: grant
        version: 1
        defaults: { next: { any: failed, any.choice: failed } }
        start: token
        steps:
          token: { do: client_credentials, next: { ok: done } }
        ends:
          done: { result: success }
          failed: { result: failure }
        """

    private func place(_ registration: String, client: String = "acme") throws -> Workplace {
        try Workplace([
            "providers/acme.yaml": """
            provider: acme
            protocol: oauth2
            token_endpoint: https://127.0.0.1:9/token
            client: {token_endpoint_auth_method: tls_client_auth}
            """,
            "flows/grant.flow.yaml": Self.flow,
            "flowrun.yaml": "registrations:\n  \(client):\n    client_id: my-app\n\(registration)",
        ])
    }

    @Test("a certificate without its key, or that is none, ends a run before anything is sent")
    func unusable() async throws {
        let alone = try place("    certificate: {env: ACME_CERTIFICATE_TEXT}\n")
        let missing = await alone.run(
            "run grant --provider acme", environment: ["ACME_CERTIFICATE_TEXT": "x"])
        #expect(missing.status == ExitStatus.config.rawValue)
        #expect(missing.error.contains("has a certificate and no key for it"))
        let both = try place(
            "    certificate: {env: ACME_CERTIFICATE_TEXT}\n    private_key: {env: ACME_KEY}\n")
        let broken = await both.run(
            "run grant --provider acme",
            environment: ["ACME_CERTIFICATE_TEXT": "x-certificate", "ACME_KEY": "y-key-y"])
        #expect(broken.status == ExitStatus.config.rawValue)
        #expect(broken.error.contains("certificate is no PEM text"))
        #expect(!broken.error.contains("y-key-y"))
    }

    @Test("a rehearsal invents one for a client that nobody has registered")
    func rehearsal() async throws {
        let result = try await place("", client: "another").run("plan grant --provider acme")
        #expect(result.status == 0)
        #expect(result.output.contains("RFC 8705 §2"))
    }

    @Test("provider test says that the certificate is missing")
    func check() async throws {
        let result = try await place("").run("provider test acme")
        #expect(result.output.contains("✗ certificate"))
    }
}

extension String {
    /// How often a text comes in it.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
