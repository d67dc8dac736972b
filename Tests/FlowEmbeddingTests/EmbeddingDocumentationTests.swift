import FlowEngine
import FlowFiles
import FlowLanguage
import FlowLive
import FlowTesting
import Foundation
import OAuthProtocol
import Testing

@Suite("The guide to embedding")
struct EmbeddingDocumentationTests {
    @Test("every Swift sample of the guide and of the README is compiled as it stands")
    func samples() throws {
        let source = Self.plain(try Repository.text(of: "Tests/FlowEmbeddingTests/EmbeddingSamples.swift"))
        let guide = try Repository.text(of: "Sources/FlowEngine/FlowEngine.docc/Embedding.md")
        let readme = try Repository.text(of: "README.md")
        let samples = Self.samples(guide) + Self.samples(readme)
        #expect(samples.count == 21)
        for sample in samples {
            let lines = sample.split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines where line.hasPrefix("import ") {
                let isImported = source.contains(Self.plain(String(line)))
                #expect(isImported, "\(line)")
            }
            let rest = lines.filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
            let isCompiled = source.contains(Self.plain(rest))
            #expect(isCompiled, "\(sample)")
        }
    }

    private static func samples(_ text: String) -> [String] {
        text.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
    }

    /// Without comments and white space, which the formatter decides about.
    private static func plain(_ code: String) -> String {
        code.replacing(/(^|\s)\/\/[^\n]*/, with: "").filter { !$0.isWhitespace }
    }

    @Test("the test that the guide shows signs in, with what the package brings along")
    func sandbox() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/flowembedding-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let result = try await SampleProgram.test(in: folder)
        #expect(result.failure == nil)
        #expect(result.tokens?.subject == "sandbox-user-1")
        #expect(result.tokens?.idToken?.reveal().split(separator: ".").count == 3)
        #expect(result.outputs["subject"]?.text == "sandbox-user-1")
    }

    @Test("the browser of the sandbox says that it is refused, and nobody waits for an answer")
    func refused() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/flowembedding-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sandbox = try Sandbox()
        var configuration = LiveConfiguration(
            storeDirectory: folder + "/store", stateDirectory: folder + "/state")
        configuration.presenter = sandbox.browser
        let runner = try FlowRunner(
            flow: FlowLibrary.shipped.flow("login"), provider: FlowLibrary.shipped.provider("sandbox"),
            client: ClientRegistration(clientID: "nobody"), variables: ["issuer": sandbox.issuer],
            configuration: configuration)
        let result = try await runner.run()
        #expect(result.failure?.code == "headless")
        let reason =
            "the program does not show the address: the sandbox refuses the request: "
            + "No client is registered as “nobody”."
        #expect(result.failure?.detail == reason)
        sandbox.stop()
    }
}
