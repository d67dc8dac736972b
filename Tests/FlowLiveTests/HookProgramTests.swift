import FlowEngine
import FlowLanguage
import FlowTesting
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLive

@Suite("Programs of hooks and ports")
struct HookProgramTests {
    private static let hook = """
        language: flow/1
        flow: example
        hooks:
          - { id: look, at: step.after, exec: { argv: [./program] } }
        start: set
        steps:
          set: { next: done }
        ends:
          done: { result: success }
        """

    private static let port = """
        language: flow/1
        flow: example
        inputs: { key: secret }
        calls: { find: { args: { key: secret }, exec: { argv: [./program] } } }
        start: find
        steps:
          find: { do: call, with: { port: find, args: { key: "${inputs.key}" } }, next: { ok: done, any: failed } }
        ends:
          done: { result: success }
          failed: { result: failure }
        """

    private func run(
        _ program: String, flow: String = hook, inputs: [String: Value] = [:], isSecond: Bool = false
    ) async throws -> FlowResult {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        #expect(ProgramFile.write(directory.path + "/program", program, mode: 0o755))
        let configuration = LiveConfiguration(
            storeDirectory: directory.path + "/store", stateDirectory: directory.path + "/state")
        let file = SourceFile(path: directory.path + "/example.flow.yaml", text: flow)
        let first =
            isSecond
            ? SourceFile(path: "first.flow.yaml", text: FlowTexts.flow("  set: { next: done }", start: "set"))
            : file
        var runner = try FlowRunner(
            flow: first, provider: .init(path: "p.yaml", text: ProviderText.standard),
            client: ClientRegistration(clientID: "client", authenticationMethod: .none),
            configuration: configuration)
        if isSecond { runner = try runner.running(file) }
        return try await runner.run(inputs: inputs)
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
        #expect(failure.text.fixes.contains { $0.contains("of a program the last lines too") })
    }

    @Test(
        "one that says nothing is told by its status; each flow's programs start in its own folder",
        arguments: [false, true])
    func silent(isSecond: Bool) async throws {
        let failure = try #require(try await run("#!/bin/sh\nexit 4\n", isSecond: isSecond).failure)
        #expect(failure.detail == "hook \"look\" failed: it exited with status 4")
    }

    @Test("so is a port's, without the secrets that it was handed")
    func port() async throws {
        let key = "marker-port-key-7d20c41e"
        let result = try await run(
            "#!/bin/sh\nread -r line\necho \"nothing for $line\" >&2\nexit 1\n", flow: Self.port,
            inputs: ["key": .secret(Secret(key, kind: .other))])
        let detail = try #require(result.failure?.detail)
        #expect(detail.hasPrefix("it exited with status 1: nothing for {\"port\":\"1\","), "\(detail)")
        #expect(!detail.contains(key))
    }

    @Test(
        "a program that writes without end is ended for that, long before its time is over",
        .timeLimit(.minutes(1)))
    func endless() async throws {
        let flow = Self.hook.replacing("exec:", with: "timeout: 50s, exec:")
        let failure = try #require(try await run("#!/bin/sh\nexec yes\n", flow: flow).failure)
        #expect(failure.detail == "hook \"look\" failed: it wrote more than 1 MiB")
    }

    @Test("half a secret at the end of what was kept is none that is shown")
    func cut() {
        let key = "marker-cut-key-90ab12cd34ef"
        let bytes = Array("line one\nfailed for \(key.prefix(20))".utf8)
        let remarks = ProgramRemarks(
            ProcessResult.Output(bytes: bytes, isTruncated: true), hiding: [Secret(key, kind: .accessToken)])
        #expect(remarks.lastWords?.hasPrefix("failed for ‹") == true, "\(remarks.lastWords ?? "")")
        #expect(remarks.lastWords?.contains("marker-cut") == false)
        #expect(remarks.text?.contains("marker-cut") == false)
    }
}
