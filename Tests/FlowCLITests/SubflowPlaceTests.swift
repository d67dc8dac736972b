import Testing

@testable import FlowCLI

/// Where a mistake is that only the provider makes one, in a flow that another flow runs.
@Suite("Places in sub-flows")
struct SubflowPlaceTests {
    private static let inner = """
        language: flow/1
        flow: inner
        summary: Signs in by a code, further down in its file than the other flow has lines.


        start: device_authorize
        defaults: { next: { any: failed } }
        steps:
          device_authorize: { next: device_poll }
          device_poll: { next: verify }
          verify:
            do: verify_id_token
            next:
              ok: done
              absent: done
              insufficient_auth: failed
        ends: { done: { result: success }, failed: { result: failure } }
        """

    private static let outer = """
        language: flow/1
        flow: outer
        start: sign_in
        steps: { sign_in: { do: subflow, with: { flow: inner, into: main }, next: { done: done, any: failed } } }
        ends: { done: { result: success }, failed: { result: failure } }
        """

    private static let provider = """
        provider: acme
        protocol: oauth2
        authorization_endpoint: https://acme.example/authorize
        token_endpoint: https://acme.example/token
        """

    private func place() throws -> Workplace {
        try Workplace([
            "flows/inner.flow.yaml": Self.inner, "flows/outer.flow.yaml": Self.outer,
            "providers/acme.yaml": Self.provider,
        ])
    }

    @Test("lint names the sub-flow's file, and shows its line")
    func lint() async throws {
        let result = try await place().run("lint flows/outer.flow.yaml -p acme")
        #expect(result.status == ExitStatus.config.rawValue)
        let missing = "flows/inner.flow.yaml:9:3: error[FL090]: device_authorize step \"sign_in/"
        #expect(result.output.contains(missing), "\(result.output)")
        #expect(result.output.contains("   9 |   device_authorize: { next: device_poll }\n"))
        let idle = "flows/inner.flow.yaml:16:26: info[FL029]: step \"sign_in/verify\" never ends"
        #expect(result.output.contains(idle), "\(result.output)")
        #expect(!result.output.contains("flows/outer.flow.yaml:"), "\(result.output)")
    }

    @Test("so does a run that cannot begin")
    func run() async throws {
        let result = try await place().run("plan outer -p acme --client-id a")
        #expect(result.status == ExitStatus.config.rawValue)
        #expect(result.error.contains("flows/inner.flow.yaml:9:3: error[FL090]"), "\(result.error)")
    }
}
