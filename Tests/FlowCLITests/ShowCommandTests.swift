import Testing

@testable import FlowCLI

@Suite("list and show")
struct ShowCommandTests {
    @Test("list shows names, summaries, origins and what is hidden")
    func list() async throws {
        let place = try Workplace([
            "flows/login.flow.yaml": ChoiceFlow.text, "flows/bad.flow.yaml": "flow: bad\n",
        ])
        let result = await place.run("flow list")
        let lines = result.output.split(separator: "\n")
        #expect(result.status == 0)
        let bad = try #require(lines.first { $0.hasPrefix("bad  ") })
        #expect(bad.hasSuffix("project: flows/bad.flow.yaml"))
        let logins = lines.filter { $0.hasPrefix("login  ") }
        #expect(logins.count == 2)
        #expect(logins.first?.contains("Chooses. ") == true)
        #expect(
            logins.last?.hasSuffix(
                "installed, hidden by project: \(Workplace.packageFolder)/flows/login.flow.yaml") == true)
        let json = await place.run("flow list --json")
        #expect(json.output.contains("\"name\": \"login\""))
        #expect(json.output.contains("\"hidden_by\": \"project\""))
    }

    @Test("flow show lists what the flow takes, does and gives")
    func showFlow() async throws {
        let place = try Workplace(["flows/choice.flow.yaml": ChoiceFlow.text])
        let result = await place.run("flow show choice")
        #expect(
            result.output == """
                flow choice v1  flows/choice.flow.yaml
                Chooses.

                providers
                  main  default sandbox

                inputs
                  go    bool, has a default
                  note  optional secret, from NOTE

                outputs
                  where  string

                steps
                  pick  choose to left, right

                ends
                  left       success
                  right      failure, status 5
                  failed     failure
                  cancelled  cancelled

                tests
                  goes left
                  goes right

                """)
    }

    @Test("provider show says where the client is registered and never shows its secret")
    func showProvider() async throws {
        let place = try Workplace()
        let environment = ["GOOGLE_CLIENT_ID": "canary-id", "GOOGLE_CLIENT_SECRET": "canary-secret"]
        let result = await place.run("provider show google", environment: environment)
        #expect(result.status == 0)
        #expect(result.output.contains("  client_id       canary-id  (variable GOOGLE_CLIENT_ID)\n"))
        #expect(result.output.contains("  client_secret   in variable GOOGLE_CLIENT_SECRET\n"))
        #expect(!(result.output + result.error).contains("canary-secret"))
        let other = await place.run("provider show google")
        #expect(other.output.contains("  registered      no; see: flowrun provider add google\n"))
    }
}
