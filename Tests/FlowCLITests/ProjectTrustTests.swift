import FlowEngine
import Testing

@testable import FlowCLI

/// Whoever enters a folder has not agreed to what its files do with secrets that are not the folder's.
@Suite("Trust in the providers and registrations of a project")
struct ProjectTrustTests {
    private static func provider(_ id: String, host: String) -> String {
        """
        provider: \(id)
        protocol: oauth2
        token_endpoint: https://\(host)/token
        client: { token_endpoint_auth_method: client_secret_post }

        """
    }

    private static let flow = """
        language: flow/1
        flow: machine
        defaults: { next: { any: failed, any.choice: failed } }
        start: token
        steps:
          token: { do: client_credentials, next: { ok: done } }
        ends:
          done: { result: success }
          failed: { result: failure, exit: 6 }

        """

    private func place(_ files: [String: String]) throws -> Workplace {
        try Workplace(["flows/machine.flow.yaml": Self.flow].merging(files) { $1 })
    }

    /// Nobody listens at the hosts of these tests: a run that is let through ends with another status than 3.
    private func run(
        _ place: Workplace, _ more: String = "", environment: [String: String] = [:]
    ) async -> Workplace.Result {
        await place.run(
            "run machine -p acme --no-input --no-save --timeout 5s \(more)", environment: environment)
    }

    @Test("the variables of a provider that the project adds for itself are taken as they are")
    func own() async throws {
        let place = try place(["providers/acme.yaml": Self.provider("acme", host: "127.0.0.1:1")])
        let result = await run(
            place, environment: ["ACME_CLIENT_ID": "c", "ACME_CLIENT_SECRET": "s"])
        #expect(result.status != 3, "\(result.error)")
    }

    @Test("a file that stands in for the user's and sends secrets elsewhere waits for somebody's word")
    func namesake() async throws {
        let place = try place([
            "providers/acme.yaml": Self.provider("acme", host: "evil.invalid"),
            "home/.config/flowrun/providers/acme.yaml": Self.provider("acme", host: "acme.invalid"),
        ])
        let variables = ["ACME_CLIENT_ID": "c", "ACME_CLIENT_SECRET": "s"]
        let refused = await run(place, environment: variables)
        #expect(refused.status == 3)
        #expect(refused.error.contains("providers/acme.yaml sends secrets to places of its own"))
        #expect(refused.error.contains("sends secrets and tokens to https://evil.invalid"))
        #expect(await run(place, "--trust", environment: variables).status != 3)
        #expect(await run(place, "--dry-run", environment: variables).status == 0)

        #expect(await place.run("trust providers/acme.yaml").status == 0)
        #expect(await run(place, environment: variables).status != 3)
        // More of the same host changes nothing; another host does.
        try place.write(
            "providers/acme.yaml",
            Self.provider("acme", host: "evil.invalid") + "revocation_endpoint: https://evil.invalid/revoke\n"
        )
        #expect(await run(place, environment: variables).status != 3)
        try place.write("providers/acme.yaml", Self.provider("acme", host: "worse.invalid"))
        let changed = await run(place, environment: variables)
        #expect(changed.status == 3)
        #expect(changed.error.contains("where it sends secrets changed since"))
    }

    @Test("a file of the user that extends one of the project is the project's too")
    func parent() async throws {
        let place = try place([
            "providers/base.yaml": Self.provider("base", host: "evil.invalid"),
            "home/.config/flowrun/providers/base.yaml": Self.provider("base", host: "acme.invalid"),
            "home/.config/flowrun/providers/acme.yaml": "provider: acme\nextends: base\n",
        ])
        let result = await run(place, environment: ["ACME_CLIENT_ID": "c", "ACME_CLIENT_SECRET": "s"])
        #expect(result.status == 3)
        #expect(result.error.contains("sends secrets and tokens to https://evil.invalid"), "\(result.error)")
    }

    @Test(
        "values of variables that a project gives make no vetted provider of a file",
        arguments: [true, false])
    func steered(byProject: Bool) throws {
        let registration = "registrations:\n  acme: { client_id: c, variables: { host: evil } }\n"
        let place = try place([
            "home/.config/flowrun/providers/acme.yaml": """
            provider: acme
            protocol: oauth2
            variables: { host: { default: acme } }
            token_endpoint: https://${vars.host}.invalid/token
            client: { token_endpoint_auth_method: none }

            """,
            byProject ? "flowrun.yaml" : "home/.config/flowrun/flowrun.yaml": registration,
        ])
        let context = CommandContext(place.surroundings(), CommonOptions())
        let resolver = RegistrationResolver(
            files: try context.registrations(), surroundings: context.surroundings, isRehearsal: false,
            gate: TrustGate(context: context, mayAsk: false))
        let binding = try ProviderBinding(
            try context.library.flow("machine").program, choices: [ProviderChoice(name: "acme")],
            client: ClientOptions(), context.library, resolver)
        #expect(binding.providers[0].isVetted == !byProject)
        #expect(binding.providers[0].destinations == ["https://evil.invalid"])
    }

    @Test("where an answer decides on the path alone, secrets go to the host that is written")
    func paths() async throws {
        func text(_ host: String, _ more: String = "") -> String {
            Self.provider("acme", host: "127.0.0.1:1")
                + "userinfo: { endpoint: \"https://\(host)/${token.id}\"\(more) }\n"
        }
        let files = [
            "providers/acme.yaml": text("evil.invalid"),
            "home/.config/flowrun/providers/acme.yaml": text("acme.invalid"),
        ]
        let place = try place(files)
        let variables = ["ACME_CLIENT_ID": "c", "ACME_CLIENT_SECRET": "s"]
        let refused = await run(place, environment: variables)
        #expect(refused.status == 3)
        #expect(refused.error.contains("https://evil.invalid"), "\(refused.error)")
        #expect(await place.run("trust providers/acme.yaml").status == 0)
        #expect(await run(place, environment: variables).status != 3)
        try place.write("providers/acme.yaml", text("worse.invalid"))
        #expect(await run(place, environment: variables).status == 3)
        // The user's own file names the host.
        try place.write("providers/acme.yaml", text("acme.invalid") + "token_lifetime: 60\n")
        let known = await run(place, environment: variables)
        #expect(known.status != 3, "\(known.error)")
        // Patterns say how far it may lead.
        for name in files.keys {
            try place.write(name, text("acme.invalid", ", allowed_hosts: [acme.invalid]"))
        }
        let bounded = await run(place, environment: variables)
        #expect(bounded.status != 3, "\(bounded.error)")
    }

    @Test("a file that stands in for the user's and goes nowhere else needs nobody's word")
    func harmless() async throws {
        let text = Self.provider("acme", host: "127.0.0.1:1")
        let place = try place([
            "providers/acme.yaml": text + "token_lifetime: 60\n",
            "home/.config/flowrun/providers/acme.yaml": text,
        ])
        let result = await run(place, environment: ["ACME_CLIENT_ID": "c", "ACME_CLIENT_SECRET": "s"])
        #expect(result.status != 3, "\(result.error)")
    }

    @Test("what the user registered goes to no project's file that nobody agreed to")
    func registered() async throws {
        let place = try place([
            "providers/acme.yaml": Self.provider("acme", host: "evil.invalid"),
            "home/.config/flowrun/flowrun.yaml":
                "registrations:\n  acme: { client_id: c, client_secret: { env: S } }\n",
        ])
        let result = await run(place, environment: ["S": "s"])
        #expect(result.status == 3)
        #expect(result.error.contains("flowrun trust providers/acme.yaml"))
    }

    @Test(
        "a project's secret that is not the project's is not read before somebody agreed to it",
        arguments: [
            ("{ command: [./leak] }", "client secret of acme: runs ./leak"),
            ("{ env: OTHER }", "client secret of acme: variable OTHER"),
            ("{ file: ../outside }", "/outside"), ("{ keyring: acme }", "keyring entry acme"),
        ])
    func secrets(source: String, told: String) async throws {
        let place = try place([
            "project/providers/acme.yaml": Self.provider("acme", host: "127.0.0.1:1"), "outside": "s\n",
            "project/flows/machine.flow.yaml": Self.flow,
            "project/flowrun.yaml": "registrations:\n  acme: { client_id: c, client_secret: \(source) }\n",
        ])
        try place.write("project/leak", "#!/bin/sh\ntouch ../ran\necho s\n", permissions: 0o700)
        let line = "run machine -p acme --no-input --no-save --timeout 5s"
        let result = await place.run(line, environment: ["OTHER": "s"], folder: "project")
        #expect(result.status == 3)
        #expect(result.error.contains(told), "\(result.error)")
        #expect(result.error.contains("flowrun trust flowrun.yaml"))
        #expect(place.permissions(of: "ran") == nil)

        guard !source.contains("keyring") else { return }
        #expect(await place.run("trust flowrun.yaml", environment: [:], folder: "project").status == 0)
        let trusted = await place.run(line, environment: ["OTHER": "s"], folder: "project")
        #expect(trusted.status != 3, "\(trusted.error)")
        #expect((place.permissions(of: "ran") != nil) == source.contains("command"))
        #expect(await place.run("untrust flowrun.yaml", folder: "project").status == 0)
        #expect(await place.run(line, environment: ["OTHER": "s"], folder: "project").status == 3)
    }

    @Test("a secret inside of the project and the provider's own variable need nobody's word")
    func ownSecrets() async throws {
        for source in ["{ file: secrets/acme }", "{ env: ACME_SECRET }"] {
            let place = try place([
                "providers/acme.yaml": Self.provider("acme", host: "127.0.0.1:1"), "secrets/acme": "s\n",
                "flowrun.yaml": "registrations:\n  acme: { client_id: c, client_secret: \(source) }\n",
            ])
            let result = await run(place, environment: ["ACME_SECRET": "s"])
            #expect(result.status != 3, "\(result.error)")
        }
    }

    @Test("what flowrun writes into a project's file at the user's word needs no second one")
    func added() async throws {
        let place = try place([
            "providers/acme.yaml": Self.provider("acme", host: "127.0.0.1:1"), "outside": "s\n",
            "flowrun.yaml": "registrations: {}\n",
        ])
        let line = "provider add acme --client-id c --client-secret-env OTHER --no-input"
        #expect(await place.run(line).status == 0)
        #expect(try place.read("flowrun.yaml").contains("OTHER"))
        let result = await run(place, environment: ["OTHER": "s"])
        #expect(result.status != 3, "\(result.error)")
    }

    @Test("registrations that several processes add at once are all kept")
    func together() async throws {
        let ids = (1...6).map { "acme\($0)" }
        var files = ["flowrun.yaml": "registrations: {}\n"]
        for id in ids { files["providers/\(id).yaml"] = Self.provider(id, host: "\(id).invalid") }
        let place = try place(files)
        await withTaskGroup(of: Void.self) { group in
            for id in ids {
                group.addTask {
                    _ = await place.run("provider add \(id) --client-id c --public --no-input")
                }
            }
        }
        let text = try place.read("flowrun.yaml")
        for id in ids { #expect(text.contains("\(id):"), "\(text)") }
    }
}
