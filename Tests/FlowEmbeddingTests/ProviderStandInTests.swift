import FlowEngine
import FlowFiles
import FlowLanguage
import FlowLive
import FlowTesting
import Foundation
import OAuthProtocol
import Testing
import YAMLText

@Suite("A stand-in for a program's tests")
struct ProviderStandInTests {
    private let library = FlowLibrary.shipped

    private func configuration(_ folder: String) -> LiveConfiguration {
        var configuration = LiveConfiguration(
            storeDirectory: folder + "/store", stateDirectory: folder + "/state")
        configuration.store = MemoryStore()
        return configuration
    }

    private func inFolder<Result>(_ body: (LiveConfiguration) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.path + "/flowstandin-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(configuration(folder))
    }

    private func signIn(_ standIn: ProviderStandIn, _ configuration: LiveConfiguration) async throws
        -> FlowResult
    {
        var configuration = configuration
        configuration.presenter = standIn.browser
        let runner = try FlowRunner(
            flow: library.flow("login"), providers: ["main": standIn.provider], configuration: configuration)
        return try await runner.run()
    }

    @Test("the sample of the guide signs in")
    func sample() async throws {
        let result = try await inFolder { try await SampleProgram.testAtStandIn($0) }
        #expect(result.end == "signed_in")
    }

    @Test(
        "a program signs in at providers of all kinds, each with its own words",
        arguments: ["google", "slack", "wechat", "notion", "apple"])
    func kinds(_ name: String) async throws {
        let secrets = name == "apple" ? ["private_key": Secret(TestKey.pem, kind: .other)] : [:]
        let variables = name == "apple" ? ["team_id": "A1B2C3D4E5", "key_id": "K1B2C3D4E5"] : [:]
        let standIn = try ProviderStandIn(
            for: library.provider(name), variables: variables, secrets: secrets)
        let result = try await inFolder { try await signIn(standIn, $0) }
        #expect(result.end == "signed_in", "\(String(describing: result.failure))")
        #expect(result.tokens?.accessToken.reveal().isEmpty == false)
        standIn.stop()
    }

    @Test("what goes wrong there ends as it would at the provider")
    func fault() async throws {
        let standIn = try ProviderStandIn(
            for: library.provider("slack"), faults: ["token:invalid_client"])
        let result = try await inFolder { try await signIn(standIn, $0) }
        #expect(result.failure?.code == "invalid_client")
        standIn.stop()
    }

    @Test(
        "a provider that nothing can stand in for is said to be one",
        arguments: [
            ("sandbox", [:], "stands in for other providers"), ("shopline", ["shop": "a"], "behind a #"),
            ("zoho", [:], "answers fill in where it is asked"),
        ])
    func impossible(_ name: String, _ variables: [String: String], _ reason: String) throws {
        let failure = #expect(throws: SignInFailure.self) {
            try ProviderStandIn(for: library.provider(name), variables: variables)
        }
        #expect(failure?.code == "setup_failed")
        #expect(failure?.description.contains(reason) == true, "\(failure as Any)")
    }

    @Test("a file that is wrong, a variable that is missing and a fault that is none are told")
    func mistakes() throws {
        let file = SourceFile(path: "a.yaml", text: "provider: a\nprotocol: oath2\n")
        #expect(
            #expect(throws: SignInFailure.self) { try ProviderStandIn(for: file) }?.code == "file_invalid")
        let missing = #expect(throws: SignInFailure.self) {
            try ProviderStandIn(for: library.provider("shopify"))
        }
        #expect(missing?.code == "file_invalid")
        let fault = #expect(throws: SignInFailure.self) {
            try ProviderStandIn(for: library.provider("slack"), faults: ["token:nothing"])
        }
        #expect(fault?.code == "input_invalid")
    }
}
