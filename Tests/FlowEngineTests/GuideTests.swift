import FlowEngine
import FlowLanguage
import FlowTesting
import Testing
import YAMLText

/// The flows of the guide, as somebody copies them from it.
@Suite("The guide to flows")
struct GuideTests {
    static let flows: [String] = blocks(of: "Sources/FlowEngine/FlowEngine.docc/WriteAFlow.md")

    /// What stands between fences in a page; whole flows only.
    private static func blocks(of page: String) -> [String] {
        let lines = ((try? Repository.text(of: page)) ?? "").split(
            separator: "\n", omittingEmptySubsequences: false)
        var blocks: [String] = []
        var open: [Substring]?
        for line in lines {
            if let block = open, line == "```" {
                blocks.append(block.map { "\($0)\n" }.joined())
                open = nil
            } else if line == "```yaml" {
                open = []
            } else {
                open?.append(line)
            }
        }
        return blocks.filter { $0.contains("language: flow/1") }
    }

    private static let sources = FlowSources(
        flow: { id, _ in
            (try? Repository.text(of: "flows/\(id).flow.yaml")).map {
                SourceFile(path: "\(id).flow.yaml", text: $0)
            }
        }, imported: { _, _ in nil })

    @Test("there are some")
    func some() { #expect(Self.flows.count == 3) }

    @Test("each is without a finding, and its tests pass", arguments: flows)
    func sound(text: String) async throws {
        let compilation = FlowCompiler.compile(
            SourceFile(path: "guide.flow.yaml", text: text), sources: Self.sources)
        #expect(compilation.diagnostics.map { "\($0.code) \($0.message)" } == [])
        let program = try #require(compilation.program)
        for test in program.tests {
            let plan = try Shipped.rehearsal(
                program, provider: "sandbox", inputs: test.inputs, test.assumptions, given: test.given)
            let run = await EmbeddedTestRun.run(test, plan)
            #expect(run.failures == [], "\(test.name)")
        }
    }
}
