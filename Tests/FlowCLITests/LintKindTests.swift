import FlowLanguage
import FoundationEssentials
import Testing
import YAMLText

@testable import FlowCLI

/// How `lint` tells what a file is.
@Suite("Kinds of files")
struct LintKindTests {
    private static let provider = "provider: acme\nprotocol: oidc\nissuer: https://acme.example\n"
    private static let registrations = "registrations:\n  sandbox: {client_id: a}\n"

    @Test("lint knows flows, providers and registrations by their keys and leaves other YAML alone")
    func lintKinds() async throws {
        let place = try Workplace([
            "x/one.yaml": ChoiceFlow.text, "x/two.yaml": "provider: two\n", "x/three.yaml": "services: {}\n",
            "x/flowrun.yaml": "registrations: {a: {client_secret: canary-secret}}\n",
        ])
        let result = await place.run("lint x --format json")
        #expect(result.status == 3)
        #expect(!result.output.contains("three.yaml"))
        #expect(
            result.output.contains(
                "\"code\":\"FL066\",\"severity\":\"error\",\"file\":\"x/flowrun.yaml\",\"line\":1"))
        #expect(result.output.contains("\"code\":\"FL011\",\"severity\":\"error\",\"file\":\"x/two.yaml\""))
        #expect(!result.output.contains("canary-secret"))
    }

    @Test(
        "a file whose first key is misspelt is what its other keys say, and has no other unknown key",
        arguments: [
            ("provder", provider.replacing("provider:", with: "provder:"), "provider"),
            ("langauge", ChoiceFlow.text.replacing("language:", with: "langauge:"), "language"),
            (
                "registratons", registrations.replacing("registrations:", with: "registratons:"),
                "registrations"
            ),
        ])
    func misspelt(key: String, text: String, meant: String) async throws {
        let place = try Workplace(["x/file.yaml": text])
        let result = await place.run("lint x/file.yaml --format short")
        #expect(result.status == 3)
        let first = try #require(result.output.split(separator: "\n").first)
        #expect(first.hasPrefix("x/file.yaml:1:1: error[FL010]: unknown key \"\(key)\" in "))
        #expect(first.hasSuffix("; did you mean \"\(meant)\"?"))
        #expect(result.output.components(separatedBy: "unknown key").count == 2, "\(result.output)")
    }

    @Test("a provider whose name is misspelt has no other mistake, in a folder of any name")
    func misspeltProvider() async throws {
        let text = Self.provider.replacing("provider:", with: "provder:")
        let place = try Workplace(["x/acme.yaml": text, "flows/acme.yaml": text])
        for folder in ["x", "flows"] {
            let result = await place.run("lint \(folder) --format short")
            #expect(
                result.output == """
                    \(folder)/acme.yaml:1:1: error[FL010]: unknown key "provder" in provider; \
                    did you mean "provider"?
                    \(folder)/acme.yaml: 1 error(s), 0 warning(s)

                    """)
        }
    }

    @Test(
        "all mistakes of a file are told, though most of its keys are mistakes",
        arguments: ["provder: acme\n", "publisher: acme\n", ""])
    func mostlyWrong(first: String) async throws {
        let rest = "protocol: oidc\nissuer: https://acme.example\n" + "token_url: a\nscop: [a]\nlogo: b\n"
        let place = try Workplace(["acme.yaml": first + rest])
        let output = await place.run("lint acme.yaml --format short").output
        let wrong = first.split(separator: ":").prefix(1).map(String.init) + ["token_url", "scop", "logo"]
        for key in wrong {
            #expect(output.contains("unknown key \"\(key)\" in provider"), "\(output)")
        }
    }

    @Test("a key that one kind has as it is written is no misspelt key of another")
    func rightKeys() async throws {
        let place = try Workplace(["one.yaml": "provider: one\nversion: 2\n"])
        let provider = await place.run("lint one.yaml --format short")
        #expect(provider.output.contains("unknown key \"version\" in provider"), "\(provider.output)")
        try place.write("two.yaml", "providers: {main: {}}\nlangage: flow/1\n")
        let flow = await place.run("lint two.yaml --format short")
        #expect(flow.output.contains("unknown key \"langage\" in flow"), "\(flow.output)")
    }

    @Test(
        "a file that is named and is nothing of ours has one mistake, which says so",
        arguments: [
            ("", "1:1: error[FL016]: the file is empty"), ("{}\n", "1:1: error[FL016]: the file is empty"),
            (
                "- a\n- b\n",
                "1:1: error[FL016]: the file holds a list, not the keys of a flow, a provider or flowrun.yaml"
            ),
            (
                "canary-text\n",
                "1:1: error[FL016]: the file holds a text, not the keys of a flow, a provider or flowrun.yaml"
            ),
            (
                "services: {}\nvolumes: {}\n",
                "1:1: error[FL010]: most keys of this file are of no flow, provider or flowrun.yaml"
            ),
            (
                "version: 3\nservices: {}\nvolumes: {}\n",
                "1:1: error[FL010]: most keys of this file are of no flow, provider or flowrun.yaml"
            ),
        ])
    func foreign(text: String, mistake: String) async throws {
        let place = try Workplace(["x/file.yaml": text])
        let result = await place.run("lint x/file.yaml --format short")
        #expect(result.status == 3)
        #expect(result.output == "x/file.yaml:\(mistake)\nx/file.yaml: 1 error(s), 0 warning(s)\n")
        #expect(await place.run("lint x").error.contains("there is nothing to check in x"))
    }

    @Test("YAML of other tools has keys like ours and is left alone all the same")
    func otherTools() async throws {
        let place = try Workplace([
            "x/action.yaml": "name: a\ndescription: b\ninputs: {}\noutputs: {}\nruns: {}\n",
            "x/compose.yaml": "version: 3\nservices: {}\n",
            "x/workflow.yaml": "name: a\non: push\ndefaults: {}\njobs: {}\n",
            "x/pipeline.yaml": "variables: {}\nstages: []\ndefault: {}\nflwo: {}\n",
        ])
        #expect(await place.run("lint x").error.contains("there is nothing to check in x"))
    }

    @Test("every flow and every provider that comes with flowrun is known without its first key")
    func shipped() throws {
        for (folder, kind) in [("flows", FileKind.flow), ("providers", .provider)] {
            let names = try FileAccess.contents(of: "\(Workplace.packageFolder)/\(folder)")
            #expect(!names.isEmpty)
            for name in names where name.hasSuffix(".yaml") {
                let text = try #require(Workplace.shipped("\(folder)/\(name)"))
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                let first = try #require(lines.firstIndex { !$0.isEmpty && !$0.hasPrefix("#") })
                var changed = lines
                changed[first] = "z" + changed[first]
                let source = SourceFile(path: "x/file.yaml", text: changed.joined(separator: "\n"))
                #expect(LintFiles.kind(of: source, isNamed: true) == kind, "\(name)")
            }
        }
    }
}
