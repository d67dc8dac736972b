import JOSE
import Testing

@testable import FlowCLI

/// How provider files are found, and what commands say of their registrations.
@Suite("Provider files and their registrations")
struct ProviderFileTests {
    private static let acme = """
        provider: acme
        protocol: oauth2
        authorization_endpoint: https://acme.example/authorize
        token_endpoint: https://acme.example/token
        environments:
          sandbox: {token_endpoint: "https://sandbox.acme.example/token"}
        """

    // MARK: Names of files

    @Test("files that end in .yml are linted, listed and run like those that end in .yaml")
    func shortEnding() async throws {
        let place = try Workplace([
            "providers/acme.yml": Self.acme.replacing("oauth2", with: "oauth3"), "flowrun.yaml": "",
            "flows/mine.flow.yml": "flow: mine\n",
        ])
        let lint = await place.run("lint")
        #expect(lint.status == 3)
        let said = lint.output + lint.error
        #expect(said.contains("providers/acme.yml:2:11"))
        #expect(said.contains("flows/mine.flow.yml:1:1"))
        try place.write("providers/acme.yml", Self.acme)
        #expect(await place.run("lint providers").status == 0)
        #expect(await place.run("provider list acme").output.contains("acme"))
        #expect(await place.run("plan login -p acme --client-id c").status == 0)
        let library = Library(place.surroundings(), providersDirectory: nil)
        #expect(try library.path(.provider, "acme") == "providers/acme.yml")
        #expect(library.entries(of: .flow).contains { $0.name == "mine" && $0.path == "flows/mine.flow.yml" })
    }

    @Test("what is no mistake of a provider file is told by lint alone, and with -v")
    func information() async throws {
        let me = "userinfo: {endpoint: https://acme.example/me, query: {s: '${hex(md5(scope))}'}}"
        let signed = "\(Self.acme)\n\(me)\n"
        let place = try Workplace(["providers/acme.yaml": signed, "flowrun.yaml": ""])
        #expect(await place.run("lint providers/acme.yaml").output.contains("FL107"))
        #expect(!(await place.run("plan login -p acme --client-id c").error.contains("FL107")))
        #expect(await place.run("plan login -p acme --client-id c -v").error.contains("FL107"))
    }

    @Test("where nobody is, a sign-in that comes back to a page of a server is put aside")
    func pageOfOnesOwn() async throws {
        let place = try Workplace(["providers/acme.yaml": Self.acme, "flowrun.yaml": ""])
        let page = "https://app.example/back"
        let login = await place.run("login -p acme --client-id c --redirect-uri \(page) --no-input -o json")
        #expect(login.status == 4)
        #expect(login.output.contains("suspended"))
        let written = try JSON.parse(Array(login.output.utf8))
        let awaited = try #require(written["awaited"])
        let base = try #require(awaited["base"]?.stringValue)
        #expect(awaited["url"]?.stringValue?.hasPrefix("\(base)?") == true)
        #expect(awaited["url"]?.stringValue?.contains("state=") == true)
        #expect(awaited["expires_at"]?.stringValue?.hasSuffix("Z") == true)
        let run = try #require(written["run"])
        #expect(awaited["resume"] == .array(["flowrun", "resume", run, "--callback-url", "-"]))
        let resumed = await place.run("resume --callback-url \(page)?error=access_denied&state=x -o json")
        #expect(!resumed.output.contains("redirect_unavailable"))
    }

    // MARK: Registrations

    @Test("another client takes the place of a registered one only where somebody says so")
    func replacement() async throws {
        let place = try Workplace(["providers/acme.yaml": Self.acme, "flowrun.yaml": ""])
        let add = "provider add acme --no-input --public"
        #expect(await place.run("\(add) --client-id one").status == 0)
        let refused = await place.run("\(add) --client-id two")
        #expect(refused.status == 2)
        #expect(refused.error.contains("flowrun.yaml has the client one for acme"))
        #expect(refused.error.contains("--replace"))
        #expect(try place.read("flowrun.yaml").contains("client_id: one"))
        // The same client may be told more of.
        #expect(await place.run("\(add) --client-id one --scope mail").status == 0)
        #expect(await place.run("\(add) --client-id two --replace").status == 0)
        #expect(try place.read("flowrun.yaml").contains("client_id: two"))
    }

    @Test("provider show shows the environment that the registration asks for")
    func environment() async throws {
        let place = try Workplace([
            "providers/acme.yaml": Self.acme,
            "flowrun.yaml": "registrations:\n  acme: {client_id: c, environment: sandbox}\n",
        ])
        let shown = await place.run("provider show acme")
        #expect(shown.output.contains("https://sandbox.acme.example/token"), "\(shown.output)")
        #expect(!shown.output.contains("https://acme.example/token"))
        try place.write("flowrun.yaml", "")
        #expect(await place.run("provider show acme").output.contains("https://acme.example/token"))
    }

    @Test("config explain names the line of the very key")
    func lines() async throws {
        let place = try Workplace([
            "providers/acme.yaml": Self.acme.replacing(
                "environments:", with: "variables: {tenant: {}}\nenvironments:"),
            "flowrun.yaml": """
            registrations:
              acme:
                client_id: c
                client_secret: {env: ACME_SECRET}
                scopes: [a, b]
                variables:
                  tenant: t

            """,
        ])
        for (key, line) in [("client_id", 3), ("client_secret", 4), ("scopes", 5), ("variables.tenant", 7)] {
            let told = await place.run("config explain acme.\(key)")
            #expect(told.output.contains("flowrun.yaml:\(line)"), "\(key): \(told.output)")
        }
        #expect(await place.run("config explain acme.redirect_uri").output.contains("flowrun.yaml:2"))
    }

    @Test("a provider whose name begins with a digit has variables that a shell can export")
    func digit() async throws {
        let place = try Workplace([
            "providers/4shared.yaml": Self.acme.replacing("acme\n", with: "4shared\n"), "flowrun.yaml": "",
        ])
        #expect(RegistrationResolver.variablePrefix("4shared") == "_4SHARED")
        let plan = await place.run(
            "plan login -p 4shared", environment: ["_4SHARED_CLIENT_ID": "from-variable"])
        #expect(plan.output.contains("from-variable"), "\(plan.output)\(plan.error)")
        let missing = await place.run("run login -p 4shared --no-input")
        #expect(missing.error.contains("or set _4SHARED_CLIENT_ID"))
    }

    // MARK: Provenance

    @Test("a plan names the layer that each scope and the client's identifier come from")
    func provenance() async throws {
        let scoped = Self.acme + "\nauthorization: {scope: [read]}\n"
        let place = try Workplace([
            "providers/acme.yaml": scoped,
            "flowrun.yaml": "registrations:\n  acme: {client_id: c, scopes: [mail]}\n",
        ])
        let wide = ["COLUMNS": "200"]
        let registered = await place.run("plan login -p acme", environment: wide)
        #expect(row("scope ", registered.output).contains("acme.yaml:7, registration"))
        #expect(row("client_id", registered.output).contains("registration"))
        let flagged = await place.run(
            "plan login -p acme --client-id other --scope more",
            environment: wide.merging(["ACME_CLIENT_ID": "third"]) { $1 })
        #expect(row("scope ", flagged.output).contains("acme.yaml:7, registration, flag"))
        #expect(row("client_id", flagged.output).contains("flag"))
        let variable = await place.run(
            "plan login -p acme", environment: wide.merging(["ACME_CLIENT_ID": "third"]) { $1 })
        #expect(row("client_id", variable.output).contains("variable ACME_CLIENT_ID"))
    }

    /// The first parameter of the name: that of the authorization request.
    private func row(_ name: String, _ text: String) -> String {
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        return lines.first { $0.hasPrefix(name) }.map(String.init) ?? ""
    }
}
