import FlowEngine
import FlowTesting
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLive

@Suite("Hooks that run a program")
struct HookProgramTests {
    private func run(_ program: String) async throws -> FlowResult {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        #expect(ProgramFile.write(directory.path + "/hook", program, mode: 0o755))
        let flow = """
            language: flow/1
            flow: example
            hooks:
              - { id: look, at: step.after, exec: { argv: [./hook] } }
            start: set
            steps:
              set: { next: done }
            ends:
              done: { result: success }
            """
        let configuration = LiveConfiguration(
            storeDirectory: directory.path + "/store", stateDirectory: directory.path + "/state")
        let runner = try FlowRunner(
            flow: .init(path: directory.path + "/example.flow.yaml", text: flow),
            provider: .init(path: "p.yaml", text: ProviderText.standard),
            client: ClientRegistration(clientID: "client", authenticationMethod: .none),
            configuration: configuration)
        return try await runner.run()
    }

    @Test("a program that fails is told by its last words, which say why")
    func lastWords() async throws {
        let result = try await run(
            """
            #!/bin/sh
            for i in 1 2 3 4 5 6 7 8 9; do
                echo "  File hook, line $i, in a function of quite some length that is called by another one" >&2
            done
            echo "KeyError: 'email'" >&2
            echo >&2
            exit 3
            """)
        let failure = try #require(result.failure)
        #expect(failure.code == "hook_failed")
        #expect(failure.detail == "hook \"look\" failed: it exited with status 3: KeyError: 'email'")
        #expect(failure.text.fixes.contains { $0.contains("shows the last lines") })
    }

    @Test("one that says nothing is told by its status")
    func silent() async throws {
        let failure = try #require(try await run("#!/bin/sh\nexit 4\n").failure)
        #expect(failure.detail == "hook \"look\" failed: it exited with status 4")
    }
}
