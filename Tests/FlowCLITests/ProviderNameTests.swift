import FlowLanguage
import FlowTesting
import Testing

@Suite("Providers are data")
struct ProviderNameTests {
    /// What our own code is called, or a word of the standards, may be a file in providers/ too.
    private static let ours: Set<String> = ["sandbox", "custom-oidc"]

    /// Forms of `lint --format` and of `credential` are named after what reads them, one of which is a provider's continuous
    /// integration; and a font of a browser bears the name of its maker.
    private static let uses: [String: Set<String>] = [
        "Sources/YAMLText/GitHubDiagnosticRenderer.swift": ["github"],
        "Sources/FlowCLI/Arguments/CommandTable+Files.swift": ["github"],
        "Sources/FlowCLI/Arguments/Command.swift": ["github"],
        "Sources/FlowCLI/Commands/LintCommand.swift": ["github"],
        "Sources/FlowCLI/Arguments/CredentialRequests.swift": ["github"],
        "Sources/FlowCLI/Arguments/CommandTable+Credentials.swift": ["github"],
        "Sources/FlowCLI/Commands/Credentials/CredentialCommand.swift": ["github"],
        "Sources/FlowCLI/Commands/Credentials/JobToken.swift": ["github"],
        "Sources/FlowLive/Server/CallbackPage.swift": ["apple"],
        "Sources/FlowSandbox/Pages/PageStyle.swift": ["apple"],
    ]

    /// Providers that are called like something that any program may speak of: in the code they mean that thing.
    private static let ordinary: Set<String> = [
        // things of programs and of pages
        "box", "buffer", "line", "linear", "live", "slice", "square", "threads", "nest", "passage", "stripe",
        // words of sentences
        "backlog", "clever", "delivery", "exist", "front", "genius", "groove", "harvest", "huddle",
        "intercom", "medium", "mention", "notion", "outline", "vend",
    ]

    /// Names shorter than this are as likely an abbreviation of something else.
    private static let shortest = 5

    private struct Name {
        let id: String
        /// The parts of what the provider calls itself, in lower case.
        let words: [String]
        let display: String
    }

    /// Read once for all tests.
    private static let all = Result {
        try Shipped.providers().filter { !ours.contains($0) && !ordinary.contains($0) }.map { id in
            let display = try Shipped.descriptor(id).displayName
            return Name(id: id, words: words(display), display: display)
        }
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    @Test("no provider's name occurs in a source file")
    func names() throws {
        let names = try Self.all.get()
        #expect(["google", "github", "slack", "spotify"].allSatisfy { id in names.contains { $0.id == id } })
        for path in try Repository.files(below: "Sources", suffix: ".swift") {
            let text = try Repository.text(of: path)
            let found = Self.found(names, text).filter { Self.uses[path]?.contains($0) != true }
            #expect(found.isEmpty, "\(path) names \(found.joined(separator: ", "))")
        }
    }

    /// Ids that a file has as words, and those whose display name stands in it.
    private static func found(_ names: [Name], _ text: String) -> [String] {
        let words = Set(words(text))
        return names.filter { name in
            // "azure-devops" is found as such, as AzureDevOps and as "Azure DevOps".
            let joined = name.id.filter { $0 != "-" }
            if joined.count >= shortest, words.contains(joined) { return true }
            guard name.display.count >= shortest, name.words.allSatisfy(words.contains) else { return false }
            return text.contains(name.display) || name.id.contains("-") && text.lowercased().contains(name.id)
        }.map(\.id)
    }

    @Test(
        "a source file that names a provider is found out",
        arguments: [
            (#"if provider.id == "spotify" { }"#, ["spotify"]), ("case google", ["google"]),
            (#"message: "Azure DevOps wants an assertion""#, ["azure-devops"]), ("struct SlackAnswer {}", []),
            ("let azureDevOps = 1", ["azure-devops"]), ("the next line of a buffer", []),
        ])
    func finds(_ text: String, _ ids: [String]) throws {
        #expect(Self.found(try Self.all.get(), text) == ids)
    }
}
