import FlowTesting
import Testing

@Suite("Providers are data")
struct ProviderNameTests {
    /// What our own code is called, or a word of the standards, may be a file in providers/ too.
    private static let ours: Set<String> = ["sandbox", "custom-oidc"]

    /// Forms of `lint --format` are named after what reads them, one of which is a provider's continuous integration.
    private static let formats: [String: Set<String>] = [
        "Sources/YAMLText/GitHubDiagnosticRenderer.swift": ["github"],
        "Sources/FlowCLI/Arguments/CommandTable+Files.swift": ["github"],
        "Sources/FlowCLI/Arguments/Command.swift": ["github"],
        "Sources/FlowCLI/Commands/LintCommand.swift": ["github"],
    ]

    @Test("no provider's name occurs in a source file")
    func names() throws {
        let names = try Repository.names(in: "providers", suffix: ".yaml").filter { !Self.ours.contains($0) }
        #expect(!names.isEmpty)
        for path in try Repository.files(below: "Sources", suffix: ".swift") {
            let words = Set(
                try Repository.text(of: path).lowercased().split { !$0.isLetter && !$0.isNumber }.map(
                    String.init))
            let found = names.filter { words.contains($0) && Self.formats[path]?.contains($0) != true }
            #expect(found.isEmpty, "\(path) names \(found.joined(separator: ", "))")
        }
    }
}
