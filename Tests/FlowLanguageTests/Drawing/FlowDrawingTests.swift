import FlowLanguage
import FlowTesting
import Testing
import YAMLText

@Suite("Drawings of flows")
struct FlowDrawingTests {
    private static let flow = """
        language: flow/1
        flow: drawn
        inputs: { again: bool, name: { type: string, default: "<x>" } }
        defaults: { next: { any.security: blocked, any: failed } }
        start: restore
        steps:
          restore:
            next:
              ok:
                - { to: userinfo, if: "inputs.again && inputs.name == '#1'" }
                - done
              any.choice: authorize
          authorize: { next: { ok: callback, headless: failed } }
          callback: { next: { ok: exchange, any.denied: failed } }
          exchange: { next: check }
          check: { do: verify_id_token, next: { ok: userinfo, absent: failed } }
          userinfo:
            next: { ok: done, unauthorized: [ { to: authorize, max: 1 }, failed ] }
        ends:
          done: { result: success }
          blocked: { result: failure }
        """

    private static func drawing(showsAll: Bool = false) throws -> FlowDrawing {
        let source = SourceFile(path: "drawn.flow.yaml", text: flow)
        let compilation = FlowCompiler.compile(source)
        #expect(compilation.diagnostics.map(\.message) == [])
        return FlowDrawing(try #require(compilation.program), showsAll: showsAll)
    }

    @Test("as Mermaid: outcomes with one target share a line, and defaults are drawn once")
    func mermaid() throws {
        try expectGolden(MermaidDrawing(try Self.drawing()).text, named: "reports/drawn.mmd")
    }

    @Test("for Graphviz")
    func graphviz() throws {
        try expectGolden(GraphvizDrawing(try Self.drawing()).text, named: "reports/drawn.dot")
    }

    @Test("with everything, every outcome is drawn at its step by its name")
    func all() throws {
        let text = MermaidDrawing(try Self.drawing(showsAll: true)).text
        #expect(!text.contains("any.") && !text.contains("any step"))
        #expect(text.contains("signature_invalid"))
        #expect(text.contains("\"expired, unrefreshable,<br/>absent, insufficient\""))
    }

    @Test("a condition can neither end a label nor begin a tag")
    func escaping() throws {
        let text = MermaidDrawing(try Self.drawing()).text
        #expect(text.contains("ok if inputs.again && inputs.name == '#35;1'"))
    }
}
