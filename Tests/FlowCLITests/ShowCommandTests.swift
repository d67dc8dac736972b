import JOSE
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

    @Test("provider show --json names for each field the file and the environment that says it")
    func showFields() async throws {
        let place = try Workplace([
            "providers/below.yaml": """
            provider: below
            protocol: oauth2
            issuer: https://below.example
            discovery: off
            token_endpoint: https://below.example/token
            authorization_endpoint: https://below.example/authorize
            revocation_endpoint: https://below.example/revoke
            authorization: { scope: [a, b], params: { prompt: consent } }
            environments:
              test: { issuer: https://test.example }
            """,
            "providers/above.yaml": """
            provider: above
            extends: below
            revocation_endpoint:
            authorization:
              scope: [c]
              params: { hint: "Bearer canarycanarycanarycanary" }
            """,
            "flowrun.yaml": """
            registrations:
              above:
                client_id: c1
                client_secret: { env: SECRET }
                environment: test
            """,
        ])
        let result = await place.run("provider show above --json", environment: ["SECRET": "canary"])
        #expect(result.status == 0, "\(result.error)")
        #expect(!(result.output + result.error).contains("canary"))
        let written = try JSON.parse(Array(result.output.utf8))
        func field(_ path: JSONValue...) throws -> JSONValue {
            let fields = try #require(written["fields"]?.arrayValue)
            return try #require(fields.first { $0["field"] == .array(path) })
        }
        #expect(
            try field("authorization", "scope") == [
                "field": ["authorization", "scope"], "value": ["c"], "file": "providers/above.yaml",
                "line": 5,
                "col": 10,
            ])
        #expect(
            try field("authorization", "params", "prompt") == [
                "field": ["authorization", "params", "prompt"], "value": "consent",
                "file": "providers/below.yaml", "line": 8, "col": 51,
            ])
        #expect(
            try field("issuer") == [
                "field": ["issuer"], "value": "https://test.example", "file": "providers/below.yaml",
                "line": 10, "col": 19, "environment": "test",
            ])
        #expect(written["removed"] == ["revocation_endpoint"])
        #expect(written["environment"] == "test")
        #expect(written["files"] == ["providers/above.yaml", "providers/below.yaml"])
        #expect(
            written["registration"]?.arrayValue?.contains([
                "name": "client_secret", "value": "in variable SECRET", "source": "flowrun.yaml:4",
            ]) == true)
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
        // No line ends in nothing.
        let scopeless = await place.run("provider show jupyterhub")
        #expect(scopeless.output.contains("  scopes     none\n"), "\(scopeless.output)")
    }
}
