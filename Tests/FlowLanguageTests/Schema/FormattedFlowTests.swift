import FlowLanguage
import FlowTesting
import Testing
import YAMLText

@Suite("Canonical form of flows")
struct FormattedFlowTests {
    /// Every flow in the repository that is YAML: the shipped ones, and those with mistakes of other kinds.
    static func flows() throws -> [(name: String, text: String)] {
        let shipped = try Repository.files(below: "flows", suffix: ".flow.yaml").map {
            ($0, try Repository.text(of: $0))
        }
        return shipped + (try DiagnosticGolden.all().map { ($0.name, $0.flow) })
    }

    @Test("says what the flow says, keeps its comments, and is its own canonical form")
    func keepsMeaning() throws {
        var formatted = 0
        for (name, text) in try Self.flows() {
            let file = SourceFile(path: name, text: text)
            let parsed = YAMLDocument.parse(file)
            guard let root = parsed.root, !parsed.diagnostics.contains(where: { $0.severity == .error })
            else {
                continue
            }
            let result = try YAMLFormatter.format(file, FlowKeyOrder.flow)
            let again = SourceFile(path: name, text: result)
            #expect(try YAMLFormatter.format(again, FlowKeyOrder.flow) == result, "\(name) changes again")
            #expect(try #require(YAMLDocument.parse(again).root).says(root))
            let codes = { (file: SourceFile) in FlowCompiler.compile(file).diagnostics.map(\.code).sorted() }
            #expect(codes(again) == codes(file), "\(name) has other mistakes")
            formatted += 1
        }
        #expect(formatted > 50)
    }

    @Test("the shipped flows and providers are in canonical form")
    func shipped() throws {
        for name in try Repository.files(below: "flows", suffix: ".yaml") {
            let text = try Repository.text(of: name)
            let isCanonical =
                try YAMLFormatter.format(SourceFile(path: name, text: text), FlowKeyOrder.flow) == text
            #expect(isCanonical, "run: flowrun fmt \(name)")
        }
    }

    @Test("arguments stand in the order of their kind, whether do or the id says which")
    func arguments() throws {
        let text =
            "steps:\n  restore: { with: { min_ttl: 1m, key: a }, note: n, timeout: 1s }\n"
            + "  other: { with: { use: b, key: a }, do: store }\n"
        let result = try YAMLFormatter.format(SourceFile(path: "f", text: text), FlowKeyOrder.flow)
        #expect(
            result == "steps:\n  restore: { with: { key: a, min_ttl: 1m }, timeout: 1s, note: n }\n"
                + "  other: { do: store, with: { use: b, key: a } }\n")
    }
}
