import Testing

@testable import FlowCLI

/// The program behind a port that gives no answer is no mistake of a file: the run ends with the status of hooks.
@Suite("Programs of ports that fail")
struct PortProgramTests {
    private static let flow = """
        language: flow/1
        flow: asking
        calls: { find: { exec: { argv: [./find] } } }
        start: ask
        steps:
          ask: { do: call, with: { port: find }, timeout: 300ms, next: { ok: done, any: failed } }
        ends:
          done: { result: success }
          failed: { result: failure }

        """
    private static let provider = """
        provider: p
        protocol: oidc
        issuer: https://p.example
        client: { token_endpoint_auth_method: none }

        """

    @Test(
        "one that crashes, refuses or takes too long ends the run with 11",
        arguments: [
            ("exit 7", "it exited with status 7"), ("kill -9 $$", "signal 9 ended it"),
            ("sleep 5", "it took longer than 300 ms"),
            ("echo no", "its standard output is not one JSON object: syntax error at byte"),
        ])
    func failing(line: String, reason: String) async throws {
        let place = try Workplace(["asking.flow.yaml": Self.flow, "providers/p.yaml": Self.provider])
        try place.write("find", "#!/bin/sh\n\(line)\n", permissions: 0o700)
        let result = await place.run("run asking.flow.yaml -p p --client-id c --no-input --trust")
        #expect(result.status == 11, "\(result.error)")
        #expect(result.error.contains("port_failed") && result.error.contains(reason), "\(result.error)")
    }
}
