import Testing

@testable import FlowCLI

@Suite("provider add")
struct ProviderAddTests {
    private let place: Workplace

    init() throws {
        place = try Workplace([
            "providers/acme.yaml": """
            provider: acme
            display_name: Acme
            console: https://acme.example/console
            protocol: oidc
            issuer: https://acme.example
            variables: {tenant: {default: common, pattern: "[a-z]+"}}
            authorization: {scope: [openid, email]}
            """,
            "flowrun.yaml": "registrations:\n  acme:\n    client_id: my-app\n",
        ])
    }

    @Test("a registration is added without questions, and says what to register")
    func add() async throws {
        try place.write("flowrun.yaml", "# mine\n")
        let result = await place.run(
            "provider add acme --no-input --client-id app --client-secret-file keys/s --set tenant=abc --scope mail"
        )
        #expect(result.status == 0)
        #expect(
            result.output == """
                wrote         flowrun.yaml
                redirect URI  http://127.0.0.1/callback  (any port; where the provider compares it: --redirect-uri with one)
                register at   https://acme.example/console
                next          flowrun provider test acme

                """)
        #expect(
            try place.read("flowrun.yaml") == """
                # mine
                registrations:
                  acme:
                    client_id: app
                    client_secret: {file: keys/s}
                    variables:
                      tenant: abc
                    scopes: [mail]

                """)
    }

    @Test(
        "the place of a secret variable is given without questions, and never the secret",
        arguments: [
            ("env:APPLE_KEY", "{env: APPLE_KEY}"), ("file:keys/k.pem", "{file: keys/k.pem}"),
            ("command:pass", "{command: [pass]}"), ("keyring:apple", "{keyring: apple}"),
        ])
    func secretVariable(text: String, written: String) async throws {
        try place.write("flowrun.yaml", "")
        let result = await place.run(
            "provider add apple --no-input --client-id app --set team_id=ABCDE12345 --set key_id=ABCDE12345 "
                + "--set private_key=\(text)")
        #expect(result.status == 0, "\(result.error)")
        #expect(try place.read("flowrun.yaml").contains("private_key: \(written)\n"))
    }

    @Test("what is no place of a secret is refused and not repeated")
    func misplacedSecret() async throws {
        try place.write("flowrun.yaml", "")
        let line =
            "provider add apple --no-input --client-id app --set team_id=ABCDE12345 --set key_id=ABCDE12345"
        for text in ["hunter2", "env:hunter-2", "vault:hunter2", "file:"] {
            let result = await place.run("\(line) --set private_key=\(text)")
            #expect(result.status == 2)
            #expect(
                result.error.contains(
                    "--set private_key=env:NAME, file:FILE, command:COMMAND or keyring:NAME"))
            #expect(!result.error.contains("hunter"))
        }
        let missing = await place.run(line)
        #expect(missing.status == 4)
        #expect(
            missing.error.contains(
                "give --set private_key=env:NAME, file:FILE, command:COMMAND or keyring:NAME"))
        #expect(try place.read("flowrun.yaml") == "")
    }

    @Test("what nobody can be asked for is status 4, what is wrong is status 2")
    func missing() async throws {
        try place.write("flowrun.yaml", "")
        let result = await place.run("provider add acme")
        #expect(result.status == 4)
        #expect(
            result.error == """
                flowrun: a registration with Acme needs more, and nobody can be asked
                  register a client at https://acme.example/console
                  give --client-id ID

                """)
        #expect(await place.run("provider add acme --client-id a --set tenant=A1").status == 2)
        let both = await place.run("provider add acme --client-id a --set tenent=a --set tenant=A1")
        #expect(both.status == 2)
        #expect(both.error.contains("no variable \"tenent\""))
        #expect(both.error.contains("variable \"tenant\" must"))
        let environment = await place.run("provider add acme --client-id a --set tenant=a --environment nope")
        #expect(environment.status == 2)
        #expect(environment.error.contains("has no environment \"nope\""))
        #expect(await place.run("provider add acme --client-id a --public --client-secret-env B").status == 2)
        #expect(try place.read("flowrun.yaml") == "")
    }

    @Test("the user's file is made with a folder of its own")
    func user() async throws {
        let result = await place.run("provider add github --user --client-id a --client-secret-command pass")
        #expect(result.status == 0)
        #expect(
            try place.read("home/.config/flowrun/flowrun.yaml").contains("client_secret: {command: [pass]}"))
        #expect(place.permissions(of: "home/.config/flowrun") == 0o700)
        let found = await place.run("provider show github")
        #expect(found.output.contains("home/.config/flowrun/flowrun.yaml:4"))
    }
}
