import Testing

@testable import FlowCLI

@Suite("Assumptions of the command line")
struct AssumptionTests {
    /// A flow in which a port and a request have outcomes of their own.
    private static let flow = """
        language: flow/1
        flow: asking
        providers:
          main: { default: sandbox }
        calls: { find: { outcomes: [found, unknown] } }
        start: ask
        steps:
          ask: { do: call, with: { port: find }, next: { found: look, unknown: stranger, any: failed } }
          look:
            do: http
            with:
              url: "https://api.acme.example/me"
              classify: [ { if: "status == 409", outcome: taken } ]
            outcomes: { taken: choice }
            next: { ok: done, taken: stranger, any: failed }
        ends:
          done: { result: success }
          stranger: { result: failure, exit: 7 }
          failed: { result: failure }

        """

    @Test(
        "an outcome that a step declares can be assumed like those of its kind",
        arguments: [
            ("ask=found", "done"), ("ask=unknown", "stranger"), ("ask=port_failed", "failed"),
            ("look=taken", "stranger"), ("look=network", "failed"),
        ])
    func declared(assumption: String, end: String) async throws {
        let place = try Workplace(["asking.flow.yaml": Self.flow])
        let result = await place.run("plan asking.flow.yaml --assume \(assumption)")
        #expect(result.error == "")
        // The plan names every end; this is the one that it comes to.
        #expect(result.output.contains("\nend \(end) ("), "\(result.output)")
        #expect(result.output.contains(/would ask +ports \(ask\)\n/), "\(result.output)")
    }

    @Test("another is refused, and those of the step are told with those that it declares")
    func undeclared() async throws {
        let place = try Workplace(["asking.flow.yaml": Self.flow])
        let result = await place.run("plan asking.flow.yaml --assume ask=unknwon")
        #expect(result.status == 2)
        #expect(
            result.error == """
                flowrun: --assume: ask cannot end with "unknwon"; did you mean "unknown"?
                  outcomes: port_failed, found, unknown

                """)
    }
}
