import FlowTesting
import FoundationEssentials
import Testing
import YAMLText

@testable import FlowLanguage

@Suite("Reference")
struct ReferenceTests {
    private static let folder = "Sources/FlowEngine/FlowEngine.docc"

    @Test(
        "the pages of kinds, descriptors and flows are what the tables say; RECORD_GOLDEN=1 writes them anew",
        arguments: [
            ("Kinds.md", ReferencePage.markdown), ("Descriptors.md", DescriptorPage.markdown),
            ("Flows.md", FlowPage.markdown),
        ])
    func currentPage(name: String, markdown: String) throws {
        let page = "\(Self.folder)/\(name)"
        if Golden.isRecording {
            try Data(markdown.utf8).write(to: URL(filePath: Repository.path(page)))
            Issue.record("recorded \(page)")
            return
        }
        let isCurrent = try Repository.text(of: page) == markdown
        #expect(isCurrent, "RECORD_GOLDEN=1 swift test --filter ReferenceTests writes \(page) anew")
    }

    @Test("the page of descriptors has every key")
    func descriptorKeys() {
        let cells = DescriptorPage.markdown.split(separator: "\n").compactMap { line in
            line.hasPrefix("| `") ? line.dropFirst(3).prefix { $0 != "`" } : nil
        }
        let told = Set(cells.compactMap { $0.split(separator: ".").last.map(String.init) })
        for list in ProviderSchemaTests.lists {
            #expect(list.read.filter { !told.contains($0) } == [], "keys of \(list.name)")
        }
    }

    @Test("the page of flows has every key")
    func flowKeys() {
        let cells = FlowPage.markdown.split(separator: "\n").compactMap { line in
            line.hasPrefix("| `") ? line.dropFirst(3).prefix { $0 != "`" } : nil
        }
        let told = Set(cells.compactMap { $0.split(separator: ".").last.map(String.init) })
        #expect((FlowReader.keys + FlowReader.stepKeys).filter { !told.contains($0) } == [])
    }

    @Test("every rule is documented", arguments: FlowRule.all)
    func documented(rule: FlowRule) {
        #expect(RuleDocumentation.of(rule.code) != nil, "RuleDocumentation has no entry for \(rule.code)")
    }

    @Test("every right example is YAML that flowrun reads", arguments: RuleDocumentation.codes)
    func rightExamples(code: String) throws {
        let documentation = try #require(RuleDocumentation.of(code))
        let parsed = YAMLDocument.parse(SourceFile(path: code, text: documentation.right + "\n"))
        #expect(parsed.diagnostics.map(\.message) == [])
        #expect(documentation.wrong != documentation.right || code == "FL029")
    }

    @Test("an entry is wrapped to its width and keeps its examples as they are")
    func wrapping() throws {
        let rule = try #require(FlowRule.rule(of: "FL034"))
        let text = try #require(RuleDocumentation.of("FL034")).text(of: rule, width: 60)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 60 })
        #expect(text.hasPrefix("FL034 (error): unbounded loop\n\nA run could go round"))
        #expect(text.contains("\nWrong\n\n    userinfo:\n      next: { ok: store, unauthorized: refresh }\n"))
    }

    @Test("every kind is told with its outcomes by class", arguments: StepKind.allCases)
    func kinds(kind: StepKind) {
        let spec = KindTable.spec(of: kind)
        let told = KindReference.outcomes(of: spec).flatMap(\.names)
        #expect(Set(told) == Set(spec.outcomes.map(\.name)))
        #expect(ReferencePage.markdown.contains("\n### \(kind.rawValue)\n"))
        #expect(!KindReference.replay(of: spec).isEmpty)
    }
}
