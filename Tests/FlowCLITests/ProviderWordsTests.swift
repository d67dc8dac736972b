import Testing

@testable import FlowCLI

@Suite("Failures of flows with several providers")
struct ProviderWordsTests {
    private static let flow = """
        language: flow/1
        flow: ask
        providers: { home: {}, work: {} }
        start: ask
        defaults: { next: { any: failed } }
        steps:
          ask:
            do: http
            provider: work
            with: { url: "${allowed_url('https://b.example/', ['https://a.example/*'])}" }
            next: done
        ends:
          done: { result: success }
          failed: { result: failure }

        """

    private static func provider(_ name: String) -> String {
        "provider: \(name)\nprotocol: oauth2\ntoken_endpoint: https://\(name).example/token\n"
    }

    @Test("the commands that help name every provider of the run")
    func words() async throws {
        let place = try Workplace([
            "flows/ask.flow.yaml": Self.flow, "providers/p.yaml": Self.provider("p"),
            "providers/q.yaml": Self.provider("q"),
            "flowrun.yaml": "registrations: { p: { client_id: c }, q: { client_id: c } }\n",
        ])
        let result = await place.run("run ask -p home=p -p work=q --no-input")
        #expect(result.status == 6)
        let words = result.error.split { $0.isNewline || $0 == " " }.joined(separator: " ")
        #expect(
            words.contains("`flowrun plan ask --provider home=p --provider work=q` shows which URL"),
            "\(result.error)")
    }
}
