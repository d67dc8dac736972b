import Testing

@testable import FlowCLI

/// A failure inside of a flow that runs as a step shows that flow's line, and the line that runs it.
@Suite("Failures of sub-flows")
struct SubflowFailureTests {
    private static let provider = """
        provider: p
        protocol: oidc
        issuer: https://p.example
        client: { token_endpoint_auth_method: none }

        """
    private static let inner = """
        language: flow/1
        flow: inner
        calls: { find: { outcomes: [ok] } }
        start: find
        steps:
          find: { do: call, with: { port: find }, next: { ok: found, any: lost } }
        ends:
          found: { result: success }
          lost: { result: failure }

        """
    private static let outer = """
        language: flow/1
        flow: outer
        start: go
        steps:
          go: { do: subflow, with: { flow: parts/inner }, next: { found: done, any: failed } }
        ends:
          done: { result: success }
          failed: { result: failure }

        """

    private func run(_ more: String = "") async throws -> Workplace.Result {
        let place = try Workplace([
            "outer.flow.yaml": Self.outer, "parts/inner.flow.yaml": Self.inner,
            "providers/p.yaml": Self.provider,
        ])
        return await place.run("run outer.flow.yaml -p p --client-id c --no-input \(more)")
    }

    @Test("the form has both lines with their files, the inner one first")
    func form() async throws {
        let result = try await run()
        #expect(result.status != 0)
        let lines = result.error.split(separator: "\n").map(String.init)
        let first = try #require(lines.firstIndex { $0.contains("--> ./parts/inner.flow.yaml:6:3") })
        #expect(lines[first + 2].hasPrefix("6 |   find: { do: call, with: { port: find }"))
        #expect(lines[first + 3].contains("^^^^"), "\(result.error)")
        let second = try #require(lines.firstIndex { $0.contains("--> outer.flow.yaml:5:3") })
        #expect(second > first)
        #expect(lines[second + 2].hasPrefix("5 |   go: { do: subflow"))
        #expect(lines[second + 3].contains("^^ this step runs that flow"), "\(result.error)")
    }

    @Test("its JSON has both places")
    func json() async throws {
        let result = try await run("--json")
        let place = #""where":{"file":"./parts/inner.flow.yaml","line":6,"col":3}"#
        #expect(result.output.contains(place), "\(result.output)")
        #expect(result.output.contains(#""called_from":[{"file":"outer.flow.yaml","line":5,"col":3}]"#))
    }
}
