import FlowTesting
import JOSE
import Testing

@testable import FlowCLI
@testable import FlowLive

/// The commands about providers against a real server over TLS.
@Suite("Provider commands, live")
struct ProviderCommandTests {
    private let provider: PublishedProvider
    private let place: Workplace

    init() throws {
        provider = try PublishedProvider()
        place = try Workplace([
            "providers/acme.yaml": """
            provider: acme
            display_name: Acme
            console: https://acme.example/console
            protocol: oidc
            issuer: \(provider.issuer)
            variables: {tenant: {default: common, pattern: "[a-z]+"}}
            authorization: {scope: [openid, email]}
            """,
            "flowrun.yaml": "registrations:\n  acme:\n    client_id: my-app\n",
        ])
    }

    private func run(_ line: String, environment: [String: String] = [:]) async -> Workplace.Result {
        await place.run("\(line) --cacert \(provider.authority)", environment: environment)
    }

    /// With the parts that differ from run to run replaced.
    private func stable(_ text: String) -> String {
        text.replacing(provider.issuer, with: "https://ISSUER").replacing(place.path, with: "PLACE")
    }

    // MARK: discover

    @Test("discover shows what a provider publishes")
    func discover() async throws {
        let result = await run("provider discover \(provider.issuer)")
        #expect(result.status == 0)
        try expectGolden(stable(result.output), named: "providers/discover.txt")
        let json = try JSON.parse(Array(await run("provider discover \(provider.issuer) --json").output.utf8))
        #expect(json["issuer"]?.stringValue == provider.issuer)
        #expect(json["metadata"]?["subject_types_supported"]?.arrayValue?.count == 1)
    }

    @Test("where nothing is published, the first place that was looked at is named")
    func nothingPublished() async throws {
        let result = await run("provider discover \(provider.issuer)/nowhere")
        #expect(result.status == 6)
        let place = "\(provider.issuer)/nowhere/.well-known/openid-configuration"
        #expect(result.error.contains("\(place) answers 404"), "\(result.error)")
    }

    @Test("discover writes a provider file that the linter and provider test find nothing wrong with")
    func draft() async throws {
        let words = "provider discover \(provider.issuer)/.well-known/openid-configuration"
        let result = await run("\(words) --name fresh --write providers/fresh.yaml")
        #expect(result.status == 0)
        #expect(result.output == "wrote providers/fresh.yaml\n")
        try expectGolden(stable(try place.read("providers/fresh.yaml")), named: "providers/draft.yaml")
        let lint = await place.run("lint providers/fresh.yaml")
        #expect(lint.output == "1 file(s) checked, 1 without a finding\n")
        let test = await run("provider test fresh --client-id a")
        #expect(test.status == 0)
        #expect(test.output.contains("file and metadata agree"))
        let again = await run("\(words) --name fresh --write providers/fresh.yaml")
        #expect(again.status == 2)
        #expect(again.error.hasPrefix("flowrun: providers/fresh.yaml exists already\n"), "\(again.error)")
    }

    @Test("a provider that is written is called like its file")
    func draftName() async throws {
        let words = "provider discover \(provider.issuer)"
        #expect(await run("\(words) --write providers/acme-two.yaml").status == 0)
        #expect(try place.read("providers/acme-two.yaml").contains("\nprovider: acme-two\n"))
        let contrary = await run("\(words) --name three --write providers/four.yaml")
        #expect(contrary.status == 2)
        #expect(contrary.error.contains("leave out --name, or write three.yaml"))
        #expect(await run("\(words) --write providers/Acme.yaml").status == 2)
    }

    @Test("a provider is written into a new folder, and what comes next knows its certificate authority")
    func draftFolder() async throws {
        let words = "provider discover \(provider.issuer)"
        #expect(await run("\(words) --write a/new/acme.yaml").status == 0)
        #expect(try place.read("a/new/acme.yaml").contains("\nprovider: acme\n"))
        let shown = await run("\(words) --write providers/other.yaml").error
        #expect(shown.contains("flowrun login other --cacert \(provider.authority)"), "\(shown)")
    }

    @Test("that requests must be pushed is worth a word only where there is no place for them (RFC 9126 §5)")
    func pushed() async throws {
        #expect(await run("provider discover \(provider.issuer) --write providers/fresh.yaml").status == 0)
        for (endpoint, words) in [
            (.string("\(provider.issuer)/par"), "file and metadata agree"), (.null, "and names no endpoint"),
        ] as [(JSONValue, String)] {
            provider.change([
                "require_pushed_authorization_requests": true,
                "pushed_authorization_request_endpoint": endpoint,
            ])
            let test = await run("provider test fresh --client-id a")
            let said = test.output.split { $0.isWhitespace }.joined(separator: " ")
            #expect(said.contains(words), "\(said)")
        }
    }

    @Test("discover warns of what provider test would, and names itself as it was given")
    func remarks() async throws {
        provider.change([
            "token_endpoint_auth_methods_supported": ["attest_jwt_client_auth"],
            "response_types_supported": ["token"],
        ])
        let shown = await run("provider discover \(provider.issuer) --name other")
        #expect(shown.status == 0)
        let remarks = [
            "authentication: the provider lists attest_jwt_client_auth, of which flowrun knows none",
            "response_type: the provider lists no \"code\", only token",
        ]
        for remark in remarks { #expect(shown.error.contains(remark), "\(shown.error)") }
        let again = "flowrun provider discover \(provider.issuer) --name other --write FILE"
        #expect(shown.error.contains(again), "\(shown.error)")
        let written = await run("provider discover \(provider.issuer) --write providers/other.yaml")
        let test = await run("provider test other --client-id a")
        for remark in remarks {
            #expect(written.error.contains(remark), "\(written.error)")
            #expect(test.output.contains(remark.split(separator: ": ").last ?? ""), "\(test.output)")
        }
    }

    @Test("metadata without endpoints makes no provider, and is told by discover and by test")
    func noEndpoints() async throws {
        provider.change(["token_endpoint": .null, "authorization_endpoint": .null])
        let words = "provider discover \(provider.issuer)"
        #expect(await run(words).error.contains("it names no token_endpoint"))
        let written = await run("\(words) --write providers/empty.yaml")
        #expect(written.status == 6)
        #expect(written.error.contains("names no endpoint at which anybody could sign in"))
        let test = await run("provider test acme --client-id a")
        #expect(test.status == 3)
        #expect(test.output.contains("neither the metadata nor the file names one"))
    }

    @Test("each endpoint is asked by its own method, and nothing is registered or deleted")
    func methods() async throws {
        provider.change([
            "registration_endpoint": .string("\(provider.issuer)/register"),
            "device_authorization_endpoint": .string("\(provider.issuer)/device"),
            "introspection_endpoint": .string("\(provider.issuer)/introspect"),
        ])
        let file = try place.read("providers/acme.yaml")
        try place.write(
            "providers/acme.yaml",
            file + """

                userinfo: {method: POST}
                device_authorization: {method: GET, body_format: query}
                revocation: {method: DELETE}
                """)
        let result = await run("provider test acme --json")
        #expect(result.status == 0, "\(result.output)")
        let asked = [
            "GET /authorize 400", "POST /token 401", "POST /userinfo 401", "GET /revoke 404",
            "POST /introspect 404", "GET /device 404", "GET /register 404",
        ]
        for request in asked { #expect(provider.requests.contains(request), "\(provider.requests)") }
        #expect(provider.requests.count == asked.count + 2)
        let checks = try JSON.parse(Array(result.output.utf8))["checks"]?.arrayValue ?? []
        let nothing = checks.filter { $0["detail"]?.stringValue?.contains("answers 404") == true }
        #expect(
            nothing.map { $0["check"]?.stringValue } == [
                "introspection_endpoint", "device_authorization_endpoint",
            ])
    }

    @Test("a private key that cannot sign with the provider's algorithm fails")
    func keyType() async throws {
        try place.write("key.pem", try PrivateKey.generate(.ec(.p256)).privatePEM())
        try place.write(
            "providers/acme.yaml",
            """
            provider: acme
            protocol: oidc
            issuer: \(provider.issuer)
            client: {token_endpoint_auth_method: private_key_jwt, token_endpoint_auth_signing_alg: RS256}
            """)
        let words = "provider test acme --private-key-file key.pem --client-id a"
        let result = await run("\(words) --with-token")
        #expect(result.status == 3)
        #expect(result.output.contains("a key of type EC P-256 cannot sign with RS256"))
        #expect(result.output.contains("client_key: the client's private key cannot sign with RS256"))
        try place.write("key.pem", try PrivateKey.generate(.rsa).privatePEM())
        #expect(await run(words).output.contains("in file key.pem, RSA"))
    }

    @Test("an issuer that differs by a slash at its end is told and taken")
    func slash() async {
        provider.change(["issuer": .string(provider.issuer + "/")])
        let result = await run("provider discover \(provider.issuer) --write -")
        #expect(result.status == 0)
        #expect(result.output.contains("issuer: \(provider.issuer)/\n"))
        #expect(result.error.contains("the provider writes its issuer as \(provider.issuer)/"))
    }

    @Test("another issuer, a server without metadata and one that is away have statuses of their own")
    func failures() async {
        provider.change(["issuer": "https://evil.example"])
        let forged = await run("provider discover \(provider.issuer)")
        #expect(forged.status == 7)
        #expect(forged.error.contains("if the provider is right, its issuer is https://evil.example"))
        provider.change(["issuer": .null])
        let nameless = await run("provider discover \(provider.issuer)")
        #expect(nameless.status == 7)
        #expect(nameless.error.contains("got no issuer"))
        #expect(nameless.error.contains("  metadata without an issuer cannot be used (RFC 8414 §2): write"))
        let silent = await run("provider discover \(provider.issuer)/nothing")
        #expect(silent.status == 6)
        #expect(silent.error.contains("where it publishes none, write its endpoints into a provider file"))
        let away = await run("provider discover https://127.0.0.1:1")
        #expect(away.status == 8)
        #expect(away.error.hasPrefix("flowrun: https://127.0.0.1:1: "))
        for (status, fix) in [
            (500, "the server has a problem"), (302, "nobody follows a redirect: "),
            (403, "correct the issuer"),
        ] {
            provider.answerWith(status: status)
            #expect(await run("provider discover \(provider.issuer)").error.contains("  \(fix)"), "\(status)")
        }
        #expect(await run("provider discover http://acme.example").status == 2)
        let untrusted = await place.run("provider discover \(provider.issuer)")
        #expect(untrusted.status == 8)
        #expect(untrusted.error.contains("give its certificate authority with --cacert FILE"))
    }

    // MARK: test

    @Test("a provider and a registration that are right pass every check")
    func passes() async throws {
        let result = await run("provider test acme")
        #expect(result.status == 0)
        try expectGolden(stable(result.output), named: "providers/test-good.txt")
        #expect(provider.requests.filter { $0.contains(PublishedProvider.document) }.count == 1)
    }

    @Test("each difference between file and metadata is a line of its own, with what to do")
    func differences() async throws {
        try place.write(
            "providers/acme.yaml",
            """
            provider: acme
            protocol: oidc
            issuer: \(provider.issuer)
            token_endpoint: \(provider.issuer)/old-token
            client: {token_endpoint_auth_method: client_secret_post, id_token_signed_response_alg: RS256}
            authorization: {scope: [openid, emails], pkce: {mode: "off"}}
            """)
        try place.write("secret", " spaced\n")
        try place.write(
            "flowrun.yaml",
            "registrations:\n  acme:\n    client_id: my-app\n    client_secret: {file: secret}\n    scopes: [api]\n"
        )
        provider.change([
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            "grant_types_supported": ["authorization_code"],
        ])
        let result = await run("provider test acme")
        #expect(result.status == 0)
        try expectGolden(stable(result.output), named: "providers/test-different.txt")
    }

    @Test("an endpoint that takes another client authentication than the token endpoint is told")
    func furtherMethods() async throws {
        let descriptor = """
            provider: acme
            protocol: oidc
            issuer: \(provider.issuer)
            client: {token_endpoint_auth_method: client_secret_post}
            """
        try place.write("providers/acme.yaml", descriptor)
        let listed: JSONValue = ["client_secret_basic", "private_key_jwt"]
        provider.change([
            "introspection_endpoint_auth_methods_supported": listed,
            "revocation_endpoint_auth_methods_supported": ["client_secret_post"],
        ])
        let told = await run("provider test acme --client-id a")
        let words = told.output.replacing(/\s+/, with: " ")
        let listing = "the provider lists client_secret_basic, private_key_jwt"
        #expect(words.contains("! introspection the file says client_secret_post, \(listing)"), "\(words)")
        #expect(!told.output.contains("! revocation "))
        try place.write(
            "providers/acme.yaml", descriptor + "\nintrospection: {auth: client_secret_basic}\n")
        let said = await run("provider test acme --client-id a")
        #expect(said.output.contains("file and metadata agree"), "\(said.output)")
    }

    @Test("a provider that signs ID tokens with the client secret alone says what the file lacks")
    func macs() async throws {
        let descriptor = """
            provider: acme
            protocol: oidc
            issuer: \(provider.issuer)

            """
        try place.write("providers/acme.yaml", descriptor)
        provider.change(["id_token_signing_alg_values_supported": ["HS256"], "jwks_uri": .null])
        let client = "provider test acme --client-id a --client-secret-env S"
        let lacking = await run(client, environment: ["S": "canary"])
        #expect(lacking.status == 6)
        #expect(
            lacking.output.contains("say client.id_token_signed_response_alg: HS256"), "\(lacking.output)")
        let method = "token_endpoint_auth_method: client_secret_basic"
        try place.write(
            "providers/acme.yaml",
            descriptor + "client: {\(method), id_token_signed_response_alg: HS256}\n")
        let said = await run(client, environment: ["S": "canary"])
        #expect(said.status == 0, "\(said.output)")
        #expect(said.output.contains("the client secret verifies ID tokens (HS256)"), "\(said.output)")
    }

    @Test("the first failure is the status, and JSON says the same")
    func failing() async throws {
        try place.write("flowrun.yaml", "")
        let nobody = await run("provider test acme --json")
        #expect(nobody.status == 3)
        let json = try JSON.parse(Array(nobody.output.utf8))
        #expect(json["exit"]?["name"]?.stringValue == "config")
        let failed = json["checks"]?.arrayValue?.filter { $0["verdict"]?.stringValue == "fail" } ?? []
        #expect(failed.map { $0["check"]?.stringValue } == ["client"])
        #expect(
            failed.first?["fix"]?.stringValue
                == "flowrun provider add acme after registering at https://acme.example/console")
        // Another command finds it under that path alone.
        let file = await run("provider test ./providers/acme.yaml")
        #expect(file.output.contains("flowrun provider add ./providers/acme.yaml after"), "\(file.output)")
        let login = await run("login ./providers/acme.yaml --no-input")
        #expect(login.error.contains("flowrun provider add ./providers/acme.yaml, give"), "\(login.error)")

        provider.change(["issuer": "https://evil.example"])
        #expect(await run("provider test acme --client-id a").status == 7)
        provider.answerWith(status: 500)
        #expect(await run("provider test acme --client-id a").status == 6)
        #expect(await place.run("provider test acme --client-id a").status == 8)
        #expect(await run("provider test acme --client-id a --set tenant=A1").status == 3)
        #expect(await run("provider test nobody").status == 2)
        try place.write("providers/broken.yaml", "provider: broken\nprotocol: none\n")
        #expect(await run("provider test broken").status == 3)
    }

    @Test("a secret that cannot be read fails, and is never shown when it can")
    func secrets() async throws {
        let environment = ["ACME_CLIENT_SECRET": "canary"]
        let good = await run("provider test acme", environment: environment)
        #expect(good.output.contains("in variable ACME_CLIENT_SECRET, 6 bytes"))
        #expect(!(good.output + good.error).contains("canary"))
        #expect(await run("provider test acme --client-secret-env NOPE").status == 3)
        let key = try PrivateKey.generate(.ec(.p256)).privatePEM()
        try place.write("key.pem", key)
        #expect(await run("provider test acme --private-key-file key.pem").output.contains("private key"))
        try place.write("key.pem", "no key")
        #expect(await run("provider test acme --private-key-file key.pem").status == 3)
    }

    private func writeTestBox(_ sandbox: RecordingProvider) throws {
        try place.write(
            "providers/test-box.yaml",
            """
            provider: test-box
            protocol: oidc
            issuer: \(sandbox.issuer)
            client: {token_endpoint_auth_method: client_secret_basic}
            authorization: {scope: [openid, email, for-people-alone]}
            """)
    }

    @Test("with-token asks for a token, and says when identifier or secret are wrong")
    func token() async throws {
        let sandbox = try RecordingProvider()
        defer { sandbox.stop() }
        try writeTestBox(sandbox)
        let line = "provider test test-box --with-token"
        let client = "--client-id flowrun-sandbox-confidential --client-secret-env S"
        let good = await place.run(
            "\(line) \(client)", environment: ["S": "sandbox-secret-that-everybody-knows"])
        #expect(good.status == 0)
        #expect(good.output.contains("the client gets a token for itself"))
        // As `token --client-credentials` asks, without the scopes of a sign-in.
        #expect(sandbox.grants("client_credentials").map { $0.value("scope") } == [nil])
        let wrong = await place.run("\(line) \(client)", environment: ["S": "wrong"])
        #expect(wrong.status == 6)
        #expect(wrong.output.contains("fix compare identifier and secret"))
        for secret in sandbox.secrets { #expect(!(good.output + wrong.output).contains(secret)) }
    }

    @Test("with-token runs the command that gives the secret once")
    func secretCommand() async throws {
        let sandbox = try RecordingProvider()
        defer { sandbox.stop() }
        try place.write(
            "flowrun.yaml",
            """
            registrations:
              test-box:
                client_id: flowrun-sandbox-confidential
                client_secret:
                  command: [sh, -c, "echo run >>runs; echo sandbox-secret-that-everybody-knows"]
            """)
        try writeTestBox(sandbox)
        let path = ["PATH": "/usr/bin:/bin"]
        #expect(await place.run("trust flowrun.yaml", environment: path).status == 0)
        let result = await place.run("provider test test-box --with-token", environment: path)
        #expect(result.output.contains("the client gets a token for itself"), "\(result.output)")
        #expect(try place.read("runs") == "run\n")
    }

    @Test("with-token warns of a lifetime that is read in the wrong unit, with the type that would mend it")
    func lifetime() async throws {
        let sandbox = try RecordingProvider()
        defer { sandbox.stop() }
        try place.write(
            "providers/test-box.yaml",
            """
            provider: test-box
            protocol: oidc
            issuer: \(sandbox.issuer)
            client: {token_endpoint_auth_method: client_secret_basic}
            token: {response: {types: {expires_in: epoch}}}
            """)
        let result = await place.run(
            "provider test test-box --with-token --client-id flowrun-sandbox-confidential --client-secret-env S",
            environment: ["S": "sandbox-secret-that-everybody-knows"])
        #expect(result.status == 0, "\(result.output)")
        let words = result.output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains("but expires_in is read as"), "\(result.output)")
        #expect(words.contains("if it means seconds: types: { expires_in: seconds } in"), "\(result.output)")
    }

    // MARK: hosts, list

    @Test("hosts lists what the file names, and what cached metadata adds")
    func hosts() async throws {
        provider.change(["userinfo_endpoint": "https://api.acme.example/me"])
        let port = provider.issuer.split(separator: ":").last ?? ""
        let before = await place.run("provider hosts acme")
        #expect(before.output == "127.0.0.1:\(port)  metadata\n")
        #expect(before.error.contains("its metadata may name further hosts and is not cached"))
        _ = await run("provider test acme")
        let after = await place.run("provider hosts acme")
        #expect(
            after.output.replacing(String(port), with: "PORT")
                == "127.0.0.1:PORT       metadata, browser, token, keys, revocation\napi.acme.example:443  userinfo\n"
                .replacing(
                    "127.0.0.1:PORT       ",
                    with: "127.0.0.1:PORT\(String(repeating: " ", count: 22 - 10 - port.count))"))
        let json = try JSON.parse(Array(await place.run("provider hosts acme --json").output.utf8))
        #expect(json.arrayValue?.last?["host"]?.stringValue == "api.acme.example")
    }

    @Test("a list can be narrowed by words, and shows what is registered")
    func list() async throws {
        let all = await place.run("provider list")
        #expect(all.output.contains("acme "))
        #expect(all.output.contains("registered, project"))
        let some = await place.run("provider list goog LE")
        #expect(some.output == "google  Google  oidc\n")
        #expect(some.error.hasSuffix(" providers\n"))
        let json = try JSON.parse(Array(await place.run("provider list acme --json").output.utf8))
        #expect(json.arrayValue?.first?["registered"]?.boolValue == true)
    }
}
