import FlowSandbox
import OAuthProtocol
import Testing

@testable import FlowLive

@Suite("the built program as a process")
struct BuiltProgramTests {
    @Test(
        "two processes refresh the same expired session at once: the provider sees exactly one refresh [rule 144]"
    )
    func refresh() async throws {
        let provider = try RecordingProvider(["access:expires=30@1"])
        let flowrun = BuiltFlowrun(ScratchFolder())
        let arguments = [
            "run", "flows/login.flow.yaml", "--provider", "sandbox", "--set", "issuer=\(provider.issuer)",
            "--browser", "curl -sL -o /dev/null",
        ]
        let first = try await flowrun(arguments)
        #expect(first.status == 0, "\(first.errors)")
        async let left = flowrun(arguments)
        async let right = flowrun(arguments)
        let ended = try await [left, right]
        #expect(ended.map(\.status) == [0, 0], "\(ended.map(\.errors))")
        #expect(ended[0].output == ended[1].output)
        #expect(provider.grants("refresh_token").count == 1)
        #expect(provider.hits("/authorize").count == 1)
    }

    @Test(
        "the program that exec runs has the token, and no variable that holds the client's secret [rule 49]"
    )
    func executed() async throws {
        let provider = try RecordingProvider()
        let secret = try #require(SandboxClient.standard.lazy.compactMap(\.secret).first)
        let folder = ScratchFolder()
        let file = folder.write(
            "confidential.provider.yaml",
            """
            provider: confidential
            extends: sandbox
            client: { token_endpoint_auth_method: client_secret_basic }

            """)
        let flowrun = BuiltFlowrun(
            folder, environment: ["THE_SECRET": secret.reveal(), "OTHER": "is passed on"])
        let ended = try await flowrun([
            "exec", "--provider", file, "--set", "issuer=\(provider.issuer)", "--client-credentials",
            "--client-id", "flowrun-sandbox-confidential", "--client-secret-env", "THE_SECRET", "--", "env",
        ])
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains("FLOWRUN_ACCESS_TOKEN=") && ended.output.contains("OTHER=is passed on"))
        #expect(!ended.output.contains(secret.reveal()))
    }

    @Test(
        "a browser that was named and cannot be opened is said to be missing",
        arguments: [
            ("/nonexistent/browser", "there is no program /nonexistent/browser"),
            ("/bin/false", "/bin/false: exit status 1"),
        ])
    func missingBrowser(_ browser: String, _ words: String) async throws {
        let provider = try RecordingProvider()
        let ended = try await BuiltFlowrun(ScratchFolder())([
            "run", "flows/login.flow.yaml", "--provider", "sandbox", "--set", "issuer=\(provider.issuer)",
            "--browser", browser, "--wait", "300ms",
        ])
        #expect(ended.status == 10)
        #expect(ended.errors.contains("the browser did not open: \(words)"))
        #expect(ended.errors.contains("Sign in: \(provider.issuer)/authorize?"))
    }

    @Test("a hook that fails is no success where the process was started with SIGCHLD ignored")
    func ignoredChildren() async throws {
        let folder = ScratchFolder()
        let flow = folder.write(
            "hooked.flow.yaml",
            """
            language: flow/1
            flow: hooked
            hooks: [{ id: look, at: step.after, exec: { argv: [./fail] } }]
            start: set
            steps: { set: { next: done } }
            ends: { done: { result: success } }

            """)
        _ = folder.write("fail", "#!/bin/sh\nexit 3\n", mode: 0o700)
        let script = """
            trap '' CHLD
            exec \(BuiltFlowrun.path) run \(flow) --provider sandbox --set issuer=http://127.0.0.1:1 --trust
            """
        let result = try await shell(script, folder)
        let errors = String(decoding: result.errors.bytes, as: UTF8.self)
        #expect(result.end != .exited(0), "\(errors)")
        #expect(errors.contains("it exited with status 3"), "\(errors)")
    }

    @Test("a stopped process ends at once with the signal's status")
    func interrupted() async throws {
        let provider = try RecordingProvider(clients: [])
        let folder = ScratchFolder()
        // Waits for an answer that never comes, until `timeout` interrupts it.
        let script = """
            exec timeout --preserve-status --signal=INT 1 \(BuiltFlowrun.path) run flows/login.flow.yaml --provider sandbox \
            --set issuer=\(provider.issuer) --no-browser
            """
        let result = try await shell(script, folder)
        #expect(result.end == .exited(130), "\(String(decoding: result.errors.bytes, as: UTF8.self))")
        #expect(result.interruption == nil)
    }

    /// Runs a script of the shell with places of its own.
    private func shell(_ script: String, _ folder: ScratchFolder) async throws -> ProcessResult {
        try await ProcessRunner.run(
            ProcessRequest(
                arguments: ["/bin/sh", "-c", script],
                environment: [
                    ("PATH", "/usr/bin:/bin"), ("HOME", folder.path),
                    ("XDG_DATA_HOME", folder.path + "/data"),
                    ("XDG_STATE_HOME", folder.path + "/state"),
                ], directory: Project.path(""), timeoutMilliseconds: 600_000))
    }
}
