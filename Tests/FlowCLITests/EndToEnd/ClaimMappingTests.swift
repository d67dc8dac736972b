import FlowEngine
import FlowLanguage
import FlowSandbox
import Glibc
import JOSE
import OAuthProtocol
import Synchronization
import Testing
import YAMLText

@testable import FlowLive

/// The claim mapping of the README.
@Suite("a program that maps claims")
struct ClaimMappingTests {
    private let folder = ScratchFolder()

    @Test("a closure of the program maps a claim of the provider's own into the profile")
    func mappedClaim() async throws {
        let provider = try RecordingProvider()
        var hooks = HookRegistry()
        hooks.register("department") { call in
            var profile = call.values["steps.userinfo.profile"]?.objectValue ?? [:]
            profile["nickname"] = profile["preferred_username"]
            return .init(.continue, set: ["steps.userinfo.profile": .object(profile)])
        }
        var configuration = LiveConfiguration(
            storeDirectory: folder.path + "/store", stateDirectory: folder.path + "/state", wait: 600_000,
            hooks: hooks)
        configuration.presenter = try ProgramBrowser(.loopback)
        let hook = """
            hooks:
              - id: department
                at: step.after
                steps: [userinfo]
                outcomes: [ok]
                native: { name: department }
                reads: [steps.userinfo.profile]
                writes: [steps.userinfo.profile]

            ends:
            """
        let login = ScratchFolder.read(Project.path("flows/login.flow.yaml")).replacing(
            "\nends:\n", with: "\n\(hook)\n")
        let runner = try FlowRunner(
            flow: SourceFile(path: "login.flow.yaml", text: login),
            provider: SourceFile(
                path: "sandbox.yaml", text: ScratchFolder.read(Project.path("providers/sandbox.yaml"))),
            client: ClientRegistration(clientID: "flowrun-sandbox", authenticationMethod: .none),
            variables: ["issuer": provider.issuer], configuration: configuration)
        let result = try await runner.run()
        #expect(result.failure == nil)
        guard case .json(let profile)? = result.outputs["profile"] else {
            Issue.record("the flow gave no profile")
            return
        }
        #expect(profile["preferred_username"]?.stringValue == "alice")
        #expect(profile["nickname"]?.stringValue == "alice")
        provider.stop()
    }
}
