import FlowLanguage
import FlowTesting
import Testing
import YAMLText

/// Mistakes in the shipped flows that the linter must never let pass; Tests/Mutation/run makes many more.
@Suite("Mistakes in the shipped flows")
struct MutationTests {
    private static func isRefused(_ text: String) -> Bool {
        let sources = FlowSources(
            flow: { id, _ in source("flows/\(id).flow.yaml") },
            imported: { path, _ in source("flows/\(path)") })
        return FlowCompiler.compile(SourceFile(path: "mutant.flow.yaml", text: text), sources: sources)
            .program == nil
    }

    private static func source(_ path: String) -> SourceFile? {
        // A file that is not there is one that the flow cannot name.
        (try? Repository.text(of: path)).map { SourceFile(path: path, text: $0) }
    }

    @Test("a flow that loses a step is refused", arguments: try Shipped.flows())
    func steps(name: String) throws {
        let text = try Repository.text(of: "flows/\(name).flow.yaml")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let root: YAMLNode = try #require(YAMLDocument.parse(SourceFile(path: name, text: text)).root)
        let steps: [YAMLMapping.Entry] = root["steps"]?.mapping?.entries ?? []
        #expect(!steps.isEmpty)
        for step in steps {
            let range = (step.keySpan.start.line - 1)...(step.value.span.end.line - 1)
            let rest: [String] = lines.indices.filter { !range.contains($0) }.map { lines[$0] }
            #expect(Self.isRefused(rest.joined(separator: "\n")), "without step \(step.key)")
        }
    }

    @Test("a flow that loses a budget is refused", arguments: try Shipped.flows())
    func budgets(name: String) throws {
        let text = try Repository.text(of: "flows/\(name).flow.yaml")
        for match in text.matches(of: /, max: [0-9]+(?= \})|\n +(max|visits): [0-9]+(?=\n)/) {
            let rest = text[..<match.range.lowerBound] + text[match.range.upperBound...]
            #expect(Self.isRefused(String(rest)), "without \(match.output.0)")
        }
    }
}
