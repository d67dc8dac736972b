import FlowEngine
import FlowReport
import FlowSandbox
import OAuthProtocol
import Testing

@testable import FlowLive

@Suite("nothing that is written anywhere holds a secret")
struct LeakTests {
    private static let secret = "marker/client+secret=5e0c2f"

    /// A confidential client whose secret is found again wherever it is written.
    private func provider(_ faults: [String] = []) throws -> RecordingProvider {
        let client = SandboxClient(
            id: "leak-client", name: "leak", secret: Secret(Self.secret, kind: .clientSecret),
            redirectURIs: ["http://127.0.0.1/callback"])
        return try RecordingProvider(faults, clients: [client])
    }

    /// A program for the folder that writes its arguments and environment to `log`, then does the rest.
    private func spy(_ folder: ScratchFolder, _ name: String, _ rest: String) -> String {
        folder.write(
            name,
            """
            #!/bin/sh
            { printf '%s\\n' "$0" "$@"; env; ps -eo args; } >> \(folder.path)/\(name).log
            \(rest)

            """, mode: 0o700)
    }

    private func flow(_ folder: ScratchFolder, hook: String) -> String {
        let text = ScratchFolder.read(Project.path("flows/login.flow.yaml")).utf8Text
        let hooks = """
            hooks:
              - id: audit
                at: step.after
                steps: [exchange, verify, store]
                exec: { argv: ["\(hook)"], env: [LANG] }
                reads: [run.id]

            ends:
            """
        return folder.write("login.flow.yaml", text.replacing("\nends:\n", with: "\n\(hooks)\n"))
    }

    private static let detail: [[String]] = [
        ["-q"], [], ["-v"], ["-vv"], ["--json"], ["--trace", "-"],
        ["--trace", "-", "--trace-format", "jsonl"],
        ["-vv", "--output", "json"],
    ]

    @Test(
        "not the outputs, the traces, the store, the arguments of children [rules 49, 69, 175]",
        arguments: detail,
        [nil, "exchange", "userinfo"])
    func leaks(_ detail: [String], _ failing: String?) async throws {
        let faults = ["exchange": ["token:invalid_client@2"], "userinfo": ["userinfo:html@2"]]
        let provider = try provider(["access:expires=30"] + (failing.flatMap { faults[$0] } ?? []))
        let folder = ScratchFolder()
        let browser = spy(folder, "browser", "exec curl -sL -o /dev/null \"$1\"")
        let flow = flow(folder, hook: spy(folder, "hook", "cat > \(folder.path)/hook.input"))
        var flowrun = BuiltFlowrun(folder)
        flowrun.environment["CUSTOM_OIDC_CLIENT_SECRET"] = Self.secret
        var written: [String] = []
        // The second run refreshes, and there the fault is.
        for run in 1...2 {
            var more = ["--client-id", "leak-client", "--scope", "offline_access"] + detail
            if !detail.contains("--trace") {
                more += [
                    "--trace", folder.path + "/trace\(run)", "--trace-format", run == 1 ? "text" : "jsonl",
                ]
            }
            for format in ReportFormat.allCases {
                more += ["--report", "\(format.rawValue)=\(folder.path)/report\(run).\(format.rawValue)"]
            }
            let ended = try await flowrun(
                [
                    "run", flow, "--provider", "custom-oidc", "--set", "issuer=\(provider.issuer)",
                    "--browser", browser, "--trust",
                ]
                    + more)
            #expect(ended.status == (run == 1 || failing == nil ? 0 : 6), "\(ended.errors)")
            written += [ended.output, ended.errors]
        }

        let secrets = provider.secrets.union([Self.secret])
        // A code, a verifier, a credential, and the tokens of two answers.
        #expect(secrets.count >= (failing == "exchange" ? 7 : 10))
        for file in folder.files() { written.append(ScratchFolder.read(file)) }
        #expect(folder.files().contains { $0.hasSuffix("sessions.db") })
        #expect(ScratchFolder.read(folder.path + "/hook.log").contains("/hook"))
        #expect(ScratchFolder.read(folder.path + "/browser.log").contains("/authorize?"))
        #expect(folder.files().contains { $0.contains("/traces/") })
        #expect(folder.files().count { $0.contains("/report") } == 2 * ReportFormat.allCases.count)
        let index = SecretIndex(secrets.map { Secret($0, kind: .other) })
        for text in written {
            let replaced = index.replaced(in: text)
            #expect(replaced == text, "a secret was written")
        }
        // The descriptor of the address on a live standard error; traces that are kept leave its state out.
        let trace = ScratchFolder.read(folder.path + "/trace1")
        #expect(!trace.contains("/authorize?"))
    }
}
