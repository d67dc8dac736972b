import FlowLive
import FlowSandbox
import JOSE
import Testing

@testable import FlowCLI

/// Real ID tokens of a sandbox, whose keys the command fetches.
@Suite("jwt verify")
struct VerifyTokenCommandTests {
    private let place: Workplace
    private let sandbox: SandboxServer

    init() throws {
        place = try Workplace(["token.flow.yaml": Self.flow])
        sandbox = try SandboxServer(port: nil, mode: .automatic)
    }

    private static let flow = """
        language: flow/1
        flow: token
        outputs: { id_token: optional secret }
        defaults: { next: { any: failed, any.choice: failed } }
        start: authorize
        steps:
          authorize: { next: callback }
          callback: { next: exchange }
          exchange: { next: verify_id_token }
          verify_id_token: { next: done }
        ends:
          done: { result: success, outputs: { id_token: "${steps.exchange.id_token}" } }
          failed: { result: failure }

        """

    /// A token that the sandbox has really issued, in the file `token`.
    private func issue() async throws -> String {
        let browser = try AddressBrowser()
        let surroundings = place.surroundings(
            ["FLOWRUN_ALLOW_REVEAL": "1"], error: TextStream { browser.read($0) })
        let result = await Workplace.run(
            "run token.flow.yaml -p sandbox --set issuer=\(sandbox.issuer) --no-browser --reveal -o json",
            surroundings)
        browser.close()
        let outputs = try JSON.parse(Array(result.output.utf8))["outputs"]
        let token = try #require(outputs?["id_token"]?.stringValue, "\(result.error)")
        try place.write("token", token)
        return token
    }

    @Test("one that is good is, by the issuer's address and by the name of a provider")
    func good() async throws {
        _ = try await issue()
        for whose in [
            "--issuer \(sandbox.issuer)",
            "-p sandbox --set issuer=\(sandbox.issuer) --audience flowrun-sandbox",
        ] {
            let result = await place.run("jwt verify token \(whose)")
            #expect(result.status == 0, "\(result.error)")
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(lines.contains("✓ alg         RS256, RFC 8725 §3.1"))
            #expect(lines.contains("✓ iss         \(sandbox.issuer), RFC 9068 §4"))
            #expect(lines.contains { $0.hasPrefix("✓ exp ") && $0.contains(", still good, ") })
            #expect(lines.contains { $0.hasPrefix(whose.contains("audience") ? "✓ aud " : "· aud ") })
            #expect(lines.last?.hasPrefix("token of ") == true)
        }
        sandbox.stop()
    }

    @Test("one that is not is refused with status 7, and what it says is shown only if it was signed")
    func bad() async throws {
        let token = try await issue()
        let other = await place.run("jwt verify token --issuer \(sandbox.issuer) --audience api --json")
        #expect(other.status == 7)
        let object = try JSON.parse(Array(other.output.utf8))
        #expect(object["claims"]?["sub"] == "sandbox-user-1")
        let failed = object["checks"]?.arrayValue?.filter { $0["verdict"] == "fail" }
        #expect(failed?.map { $0["check"] } == ["aud"])
        #expect(failed?.first?["detail"] == "expected api, got flowrun-sandbox, RFC 9068 §4")

        let parts = token.split(separator: ".")
        let forged = "\(parts[0]).\(Base64URL.encode(#"{"sub":"mallory"}"#.utf8)).\(parts[2])"
        let result = await place.run("jwt verify --issuer \(sandbox.issuer) --json", input: forged)
        #expect(result.status == 7)
        #expect(try JSON.parse(Array(result.output.utf8))["claims"] == nil)
        #expect(!result.output.contains("mallory"))
        sandbox.stop()
    }

    @Test(
        "who does not say whose it must be, or names nobody with keys, is told so",
        arguments: [
            ("jwt verify", "a.b.c", 2, "say whose it must be by --issuer or --provider"),
            ("jwt verify -p sandbox --issuer https://op.example", "a.b.c", 2, "both say whose token"),
            ("jwt verify -p github", "a.b.c", 3, "nobody says where the keys of the issuer are"),
            ("jwt verify -p github", "a.b.c.d.e", 3, "it is encrypted"),
            ("jwt verify -p github", "opaque", 3, "it has 1 part"),
            ("jwt verify eyJhbGciOiJub25lIn0.e30. -p github", "", 2, "flowrun token | flowrun jwt verify"),
        ] as [(String, String, Int32, String)])
    func refused(_ line: String, _ input: String, _ status: Int32, _ words: String) async throws {
        sandbox.stop()
        let result = await place.run(line, input: input)
        #expect(result.status == status, "\(result.error)")
        #expect(result.error.contains(words), "\(result.error)")
        #expect(result.output == "")
    }
}
