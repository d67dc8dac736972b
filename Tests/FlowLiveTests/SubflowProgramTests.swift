import FlowEngine
import FlowLanguage
import FlowTesting
import Glibc
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLive

/// Programs of a flow that another one runs: they are those beside its own file.
@Suite("Programs of sub-flows")
struct SubflowProgramTests {
    private static let inner = """
        language: flow/1
        flow: inner
        calls: { find: { exec: { argv: [./find] } } }
        hooks:
          - { id: look, at: step.after, exec: { argv: [./look] } }
        start: find
        steps:
          find: { do: call, with: { port: find }, next: { ok: found, any: failed } }
        ends:
          found: { result: success }
          failed: { result: failure }
        """

    /// Its own folder is that of a flow between, which has programs of the same names.
    private static let middle = FlowTexts.flow(
        "  go: { do: subflow, with: { flow: inner }, next: { found: done, any: failed } }", start: "go",
        ends: "  done: { result: success }\n  failed: { result: failure }"
    ).replacing("flow: example", with: "flow: middle")

    private static let outer = FlowTexts.flow(
        "  go: { do: subflow, with: { flow: middle }, next: { done: done, any: failed } }",
        start: "go", ends: "  done: { result: success }\n  failed: { result: failure }")

    private static let importing = """
        language: flow/1
        flow: outer
        import: { parts: middle/parts.flow.yaml }
        hooks: [ parts.look ]
        start: ask
        steps:
          ask: { do: call, with: { port: parts.find }, next: { ok: done, any: failed } }
        ends:
          done: { result: success }
          failed: { result: failure }
        """

    @Test("what is imported starts beside the file that it is imported from")
    func imported() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        write(["flows", "flows/middle"], programsIn: "flows/middle", below: directory.path)
        let runner = try FlowRunner(
            flow: SourceFile(path: "flows/outer.flow.yaml", text: Self.importing),
            provider: .init(path: "p.yaml", text: ProviderText.standard),
            client: ClientRegistration(clientID: "client", authenticationMethod: .none),
            configuration: LiveConfiguration(
                storeDirectory: directory.path + "/store", stateDirectory: directory.path + "/state"),
            directory: directory.path + "/flows",
            sources: FlowSources(
                flow: { _, _ in nil },
                imported: { path, _ in SourceFile(path: "flows/" + path, text: Self.inner) }))
        let result = try await runner.run()
        #expect(result.failure == nil, "\(result.failure?.detail ?? "")")
    }

    /// Makes folders with programs of the same names, of which those of one folder work.
    private func write(_ folders: [String], programsIn own: String, below directory: String) {
        for folder in folders {
            #expect(mkdir(directory + "/" + folder, 0o755) == 0)
            for name in ["look", "find"] {
                #expect(
                    ProgramFile.write(
                        "\(directory)/\(folder)/\(name)",
                        folder == own ? "#!/bin/sh\n[ -x ./\(name) ] && echo '{}'\n" : "#!/bin/sh\nexit 1\n",
                        mode: 0o755))
            }
        }
    }

    @Test(
        "each flow's start in its folder, however its path is written",
        arguments: [("flows", "flows/middle", "shared"), ("flows", "flows/middle", "flows/middle/deep")])
    func folders(outer: String, middle: String, inner: String) async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        write(
            ["flows", "flows/middle", "shared", "flows/middle/deep"], programsIn: inner, below: directory.path
        )
        let sources = FlowSources(
            flow: { id, _ in
                switch id {
                case "middle": SourceFile(path: "\(middle)/middle.flow.yaml", text: Self.middle)
                case "inner": SourceFile(path: "\(inner)/inner.flow.yaml", text: Self.inner)
                default: nil
                }
            }, imported: { _, _ in nil })
        let runner = try FlowRunner(
            flow: SourceFile(path: "\(outer)/outer.flow.yaml", text: Self.outer),
            provider: .init(path: "p.yaml", text: ProviderText.standard),
            client: ClientRegistration(clientID: "client", authenticationMethod: .none),
            configuration: LiveConfiguration(
                storeDirectory: directory.path + "/store", stateDirectory: directory.path + "/state"),
            directory: "\(directory.path)/\(outer)", sources: sources)
        let result = try await runner.run()
        #expect(result.failure == nil, "\(result.failure?.detail ?? "")")
    }
}
