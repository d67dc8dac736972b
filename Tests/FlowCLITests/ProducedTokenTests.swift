import FlowLive
import FlowSandbox
import OAuthProtocol
import Testing

@testable import FlowCLI

/// Which of the tokens of a run `-o token` writes.
@Suite("The token of a run")
struct ProducedTokenTests {
    private let sandbox: SandboxServer
    private let secret: String

    init() throws {
        sandbox = try SandboxServer(port: nil, mode: .automatic)
        secret = try #require(SandboxClient.standard.lazy.compactMap(\.secret).first).reveal()
    }

    /// Obtains a token for each of two services, and stops after the first where the input says so.
    private func flow(into first: String, _ second: String) -> String {
        """
        language: flow/1
        flow: two
        inputs: { last: { type: string, default: second, values: [first, second, second_alone] } }
        start: which
        defaults: { next: { any: failed } }
        steps:
          which: { do: choose, next: [{ to: second, if: "inputs.last == 'second_alone'" }, first] }
          first:
            do: client_credentials
            with: { scopes: [email], resource: ["https://one.example/"], into: \(first) }
            next: { ok: [{ to: done, if: "inputs.last == 'first'" }, second] }
          second:
            do: client_credentials
            with: { scopes: [email], resource: ["https://two.example/"], into: \(second) }
            next: done
        ends: { done: { result: success }, failed: { result: failure } }
        """
    }

    private func run(_ flow: String, _ options: String) async throws -> Workplace.Result {
        let place = try Workplace([
            "two.flow.yaml": flow,
            "flowrun.yaml": """
            registrations:
              sandbox:
                client_id: flowrun-sandbox-confidential
                client_secret: { env: SANDBOX_CLIENT_SECRET }
                token_endpoint_auth_method: client_secret_basic
            """,
        ])
        let surroundings = place.surroundings(["SANDBOX_CLIENT_SECRET": secret])
        let line = "run two.flow.yaml -p sandbox --set issuer=\(sandbox.issuer) -q -o token \(options)"
        return await Workplace.run(line, surroundings)
    }

    @Test("of several, none of which is main, none is written")
    func several() async throws {
        let result = try await run(flow(into: "one", "two"), "")
        #expect(result.status == ExitStatus.usage.rawValue)
        #expect(result.output == "")
        #expect(result.error.contains("the run has brought the tokens one, two"), "\(result.error)")
        sandbox.stop()
    }

    @Test("the only one that the run has brought is, whichever it is", arguments: ["first", "second_alone"])
    func only(last: String) async throws {
        let result = try await run(flow(into: "one", "two"), "--input last=\(last)")
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output.split(separator: "\n").count == 1)
        sandbox.stop()
    }

    @Test("that of main is, whatever else there is")
    func main() async throws {
        let result = try await run(flow(into: "one", "main"), "")
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output.split(separator: "\n").count == 1)
        sandbox.stop()
    }
}
