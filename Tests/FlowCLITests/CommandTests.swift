import Glibc
import JOSE
import Testing

@testable import FlowCLI

@Suite("Commands")
struct CommandTests {
    @Test("secrets are shown elsewhere than on a terminal where somebody allows it, and never in CI")
    func reveal() async throws {
        let place = try Workplace(["choice.flow.yaml": ChoiceFlow.text])
        let allowed = ["FLOWRUN_ALLOW_REVEAL": "1"]
        let line = "plan choice.flow.yaml -p sandbox --reveal"
        #expect(await place.run(line, environment: allowed).status == 0)
        for environment in [allowed.merging(["CI": "true"]) { $1 }, [:]] {
            let result = await place.run(line, environment: environment)
            #expect(result.status == 2)
            #expect(result.error.contains("--reveal shows secrets on terminals only"), "\(result.error)")
        }
    }

    @Test("the only provider that is registered need not be named, and who asks is told so")
    func standardProvider() async throws {
        func provider(_ name: String) -> String {
            """
            provider: \(name)
            protocol: oauth2
            authorization_endpoint: https://\(name).example/authorize
            token_endpoint: https://\(name).example/token
            client: { token_endpoint_auth_method: none }

            """
        }
        let one = "registrations:\n  acme:\n    client_id: \"1\"\n"
        let place = try Workplace([
            "providers/acme.provider.yaml": provider("acme"),
            "providers/other.provider.yaml": provider("other"), "flowrun.yaml": one,
        ])
        let note = "provider acme: the only one that is registered\n"
        for (line, hasNote) in [
            ("plan login -vv", true), ("plan login", false), ("plan login -p acme -vv", false),
        ] {
            let result = await place.run(line)
            #expect(result.output.hasPrefix("PLAN  login v1   provider acme "), "\(result.error)")
            #expect(result.error.contains(note) == hasNote)
            #expect(result.error.contains("acme: client_id 1  (flowrun.yaml:3)\n") == line.hasSuffix("-vv"))
        }
        try place.write("flowrun.yaml", one + "  other:\n    client_id: \"2\"\n")
        let several = await place.run("plan login -vv")
        #expect(several.status == 2)
        #expect(
            several.error == """
                flowrun: flow "login" needs a provider
                  give --provider NAME
                  registered: acme, other

                """)
    }

    @Test("a flowrun.yaml that is a pipe or leads nowhere ends the run with its name, and nothing waits")
    func unreadableRegistrations() async throws {
        let place = try Workplace()
        #expect(mkfifo("\(place.path)/flowrun.yaml", 0o600) == 0)
        let pipe = await place.run("plan login -p sandbox")
        #expect(pipe.status == 3)
        #expect(pipe.error == "flowrun: flowrun.yaml: it is a pipe, not a file\n")
        let other = try Workplace()
        #expect(symlink("nowhere", "\(other.path)/flowrun.yaml") == 0)
        #expect(
            await other.run("plan login -p sandbox").error
                == "flowrun: flowrun.yaml: No such file or directory\n")
    }

    @Test("a command that prints a token as JSON says as JSON why there is none")
    func tokenFailure() async throws {
        let result = try await Workplace().run("token gogle --json")
        #expect(result.status == 2)
        #expect(
            result.output
                == #"{"result":"failure","message":"no provider is named \"gogle\"; did you mean \"google\"?","#
                + #""exit":{"code":2,"name":"usage"}}"# + "\n")
    }

    static let commandsWithoutResult: [(line: String, status: Int32, name: String)] = [
        ("resume r_none -o json", 2, "usage"), ("resume r_none --migrate --json", 2, "usage"),
        ("resume --callback-url http://127.0.0.1/?state=s -o json", 4, "auth-required"),
        ("journal r_none -o json", 2, "usage"), ("plan gogle -o json", 2, "usage"),
        ("provider test gogle -o json", 2, "usage"), ("provider hosts gogle --json", 2, "usage"),
        ("hooks list nothing -o json", 2, "usage"), ("explore nothing -o json", 2, "usage"),
        ("register gogle -o json", 2, "usage"), ("kinds nothing -o json", 2, "usage"),
        ("login --scop read -o json", 2, "usage"), ("trace lst --output=json", 2, "usage"),
        ("refresh sandbox --json --timeout soon", 2, "usage"),
    ]

    @Test("a command that is to print JSON says as JSON why it does not", arguments: commandsWithoutResult)
    func failureAsJSON(line: String, status: Int32, name: String) async throws {
        let result = try await Workplace().run(line)
        #expect(result.status == status)
        let json = try JSON.parse(Array(result.output.utf8))
        #expect(json["result"] == "failure")
        #expect(json["exit"] == ["code": .int(Int64(status)), "name": .string(name)])
        let message = try #require(json["message"]?.stringValue)
        #expect(result.error.hasPrefix("flowrun: \(message)\n"), "\(result.error)")
    }

    @Test("it says where in which file the mistakes are")
    func diagnosticsAsJSON() async throws {
        let place = try Workplace()
        try place.write("mine.flow.yaml", "flow: mine\nlanguage: flow/1\nstart: one\nstpes: {}\n")
        let result = await place.run("plan ./mine.flow.yaml -p sandbox -o json")
        #expect(result.status == 3)
        let json = try JSON.parse(Array(result.output.utf8))
        let list = try #require(json["diagnostics"]?.arrayValue)
        let unknown = try #require(list.first { $0["line"] == 4 })
        #expect(unknown["file"] == "mine.flow.yaml" || unknown["file"] == "./mine.flow.yaml")
        #expect(unknown["code"] == "FL010")
    }

    @Test("what has begun to write its result is not told a second one")
    func failureAfterOutput() async throws {
        let place = try Workplace()
        let result = await place.run("trace verify nothing -o json")
        #expect(result.status == 3)
        #expect(result.output == "[]\n")
    }
}
