import FlowLanguage
import FlowLive
import FlowSandbox
import FlowTesting
import Glibc
import JOSE
import OAuthProtocol
import Testing

@testable import FlowCLI

/// `register` against a sandbox of its own on this machine.
@Suite("Registering a client")
struct RegisterCommandTests {
    private static let secrets = "home/.config/flowrun/secrets"

    private let place: Workplace
    private let sandbox: SandboxServer

    init() throws {
        place = try Workplace([
            "flowrun.yaml": "# mine\n", "key.pem": TestKey.pem, "token": "initial-token-1\n",
        ])
        sandbox = try SandboxServer(port: nil, mode: .automatic)
    }

    private func register(_ rest: String = "", at other: SandboxServer? = nil) async -> Workplace.Result {
        await place.run("register sandbox --set issuer=\((other ?? sandbox).issuer) \(rest)")
    }

    private func secret(_ name: String) throws -> String {
        String(try place.read("\(Self.secrets)/\(name)").dropLast())
    }

    @Test("a dry run shows the request, and neither sends nor writes")
    func rehearsal() async throws {
        let result = await register(
            "--dry-run --name Tool --auth client_secret_basic --grant client_credentials")
        #expect(result.status == 0, "\(result.error)")
        for part in [
            "POST ‹registration_endpoint›", "client_name", "Tool", "[\"client_credentials\"]",
            "[\"http://127.0.0.1/callback\"]", "client_secret_basic",
        ] {
            #expect(result.output.contains(part), "\(part)")
        }
        #expect(try place.read("flowrun.yaml") == "# mine\n")
        #expect(place.permissions(of: Self.secrets) == nil)
        sandbox.stop()
    }

    @Test("a client that signs people in registers the scopes that it will ask for, and no other does")
    func scopes() async throws {
        let scope = #/\n +scope +openid profile email offline_access/#
        #expect(await register("--scope read --dry-run").output.contains(scope))
        #expect(!(await register("--grant client_credentials --dry-run").output.contains("offline_access")))
        for grant in ["authorization_code", TokenRequest.deviceGrant] {
            #expect(await register("--grant \(grant) --dry-run").output.contains(scope), "\(grant)")
        }
        try place.write("m.json", #"{"grant_types":["authorization_code"]}"#)
        #expect(await register("--metadata m.json --dry-run").output.contains(scope))
        try place.write("m.json", #"{"scope":"openid"}"#)
        let stated = await register("--scope read --metadata m.json --dry-run")
        #expect(!stated.output.contains("offline_access"), "\(stated.output)")
        sandbox.stop()
    }

    @Test("what a file of metadata says wins over what is usual")
    func metadataFile() async throws {
        try place.write(
            "m.json",
            #"{"redirect_uris":["http://127.0.0.1/mine"],"grant_types":["client_credentials"],"#
                + #""token_endpoint_auth_method":"client_secret_post","tos_uri":"https://a.example/"}"#)
        let result = await register("--metadata m.json --dry-run")
        #expect(result.status == 0, "\(result.error)")
        for part in [
            #"["http://127.0.0.1/mine"]"#, #"["client_credentials"]"#, "client_secret_post", "tos_uri",
        ] {
            #expect(result.output.contains(part), "\(part)")
        }
        #expect(!result.output.contains("/callback\""))
        let stated = await register("--metadata m.json --grant authorization_code --dry-run")
        #expect(stated.output.contains(#"["authorization_code"]"#), "\(stated.output)")
        try place.write("m.json", #"{"client_id":"mine","client_secret":"hunter2canary"}"#)
        let given = await register("--metadata m.json")
        #expect(given.status == 3)
        #expect(given.error.contains("m.json names what the provider gives: client_id, client_secret"))
        sandbox.stop()
    }

    @Test("no other client takes the place of one that was registered from here")
    func replaced() async throws {
        #expect(await register().status == 0)
        let before = try place.read("flowrun.yaml")
        for line in [
            "provider add sandbox --client-id other --public --no-input",
            "config set sandbox.client_id other",
        ] {
            let result = await place.run(line)
            #expect(result.status == 2, "\(result.error)")
            #expect(result.error.contains("end it there first: flowrun register sandbox --delete"))
        }
        #expect(try place.read("flowrun.yaml") == before)
        sandbox.stop()
    }

    @Test("a secret that is given is used, although the provider file speaks of clients without one")
    func secretOfPublicKind() async throws {
        let added = await place.run(
            "provider add sandbox --client-id flowrun-sandbox-confidential --client-secret-env SANDBOX_SECRET "
                + "--set issuer=\(sandbox.issuer) --no-input")
        #expect(added.status == 0, "\(added.error)")
        #expect(try place.read("flowrun.yaml").contains("token_endpoint_auth_method: client_secret_basic\n"))
        sandbox.stop()
    }

    @Test("what the provider tells once is in files of its own, and nowhere else [rules 4, 69]")
    func registered() async throws {
        let result = await register(
            "--name Tool --auth client_secret_basic --grant authorization_code --grant client_credentials")
        #expect(result.status == 0, "\(result.error)")
        let file = try place.read("flowrun.yaml")
        let (secret, token) = (try self.secret("sandbox"), try self.secret("sandbox.registration"))
        #expect(secret.utf8.count == 43 && token.utf8.count == 43)
        for name in ["sandbox", "sandbox.registration"] {
            #expect(place.permissions(of: "\(Self.secrets)/\(name)") == 0o600)
        }
        #expect(file.hasPrefix("# mine\nregistrations:\n  sandbox:\n    client_id: dyn-"))
        #expect(file.contains("    token_endpoint_auth_method: client_secret_basic\n"))
        #expect(file.contains("    client_secret: {file: home/.config/flowrun/secrets/sandbox}\n"))
        #expect(file.contains("    issuer: \"\(sandbox.issuer)\"\n"))
        #expect(file.contains("    registration_client_uri: \"\(sandbox.issuer)/register/dyn-"))
        for text in [file, result.output, result.error] {
            #expect(!text.contains(secret) && !text.contains(token))
        }
        let test = await place.run("provider test sandbox --with-token")
        #expect(test.output.contains("the client gets a token for itself"), "\(test.output)")
        sandbox.stop()
    }

    @Test("a second registration is refused unless it is to take the place of the first")
    func twice() async throws {
        #expect(await register().status == 0)
        let first = try place.read("flowrun.yaml")
        let again = await register()
        #expect(again.status == 2)
        #expect(again.error.contains("has a client of flowrun sandbox already"))
        #expect(try place.read("flowrun.yaml") == first)
        let replaced = await register("--replace")
        #expect(replaced.status == 0)
        #expect(try place.read("flowrun.yaml") != first)
        #expect(replaced.error.contains("ended dyn-"), "\(replaced.error)")
        // What ends the first client has ended it.
        #expect(place.permissions(of: "\(Self.secrets)/sandbox.registration") == nil)
        #expect(try !secret("sandbox-2.registration").isEmpty)
        sandbox.stop()
    }

    @Test("a client whose place another took is no longer known to the provider (RFC 7592 §2.3)")
    func endedByReplacing() async throws {
        #expect(await register("--auth client_secret_basic").status == 0)
        let file = try place.read("flowrun.yaml")
        let kept = try ["sandbox", "sandbox.registration"].map { ($0, try secret($0)) }
        #expect(await register("--auth client_secret_basic --replace").status == 0)
        #expect(place.permissions(of: "\(Self.secrets)/sandbox") == nil)
        #expect(await place.run("register sandbox --show").status == 0)
        for (name, text) in kept { try place.write("\(Self.secrets)/\(name)", text + "\n") }
        try place.write("flowrun.yaml", file)
        let old = await place.run("register sandbox --show")
        #expect(old.status == 6, "\(old.error)")
        #expect(old.error.contains("the provider knows this registration no more"))
        sandbox.stop()
    }

    @Test("nothing that is said of a client stays where another takes its place")
    func replacedWhole() async throws {
        #expect(await register("--auth client_secret_basic").status == 0)
        #expect(try place.read("flowrun.yaml").contains("token_endpoint_auth_method: client_secret_basic\n"))
        #expect(await register("--auth none --replace").status == 0)
        let file = try place.read("flowrun.yaml")
        #expect(!file.contains("token_endpoint_auth_method"), "\(file)")
        #expect(!file.contains("client_secret"), "\(file)")
        sandbox.stop()
    }

    @Test("a client that cannot be ended is told of, and the new one is kept all the same")
    func replacedButNotEnded() async throws {
        #expect(await register().status == 0)
        let file = try place.read("flowrun.yaml")
        try place.write("\(Self.secrets)/sandbox.registration", "another-token\n")
        let result = await register("--replace")
        #expect(result.status == 6, "\(result.error)")
        #expect(result.error.contains("the new client is registered, and dyn-"), "\(result.error)")
        #expect(result.error.contains("is still registered too"))
        #expect(
            result.error.contains("what ends it is kept in home/.config/flowrun/secrets/sandbox.registration")
        )
        #expect(try secret("sandbox.registration") == "another-token")
        #expect(try place.read("flowrun.yaml") != file)
        #expect(await place.run("register sandbox --show").status == 0)
        sandbox.stop()
    }

    @Test("a client that the provider knows no more is forgotten, at once or when it is said")
    func forgotten() async throws {
        let end = "# mine\nregistrations:\n  sandbox:\n    variables:\n      issuer: \"\(sandbox.issuer)\"\n"
        #expect(await register().status == 0)
        let file = try place.read("flowrun.yaml")
        let token = try secret("sandbox.registration")
        func restore(_ text: String) throws {
            try place.write("flowrun.yaml", text)
            try place.write("\(Self.secrets)/sandbox.registration", token + "\n")
        }
        #expect(await place.run("register sandbox --delete").status == 0)
        try restore(file)
        let unsure = await place.run("register sandbox --delete")
        #expect(unsure.status == 6, "\(unsure.error)")
        #expect(unsure.error.contains("forget it here: flowrun register sandbox --delete --forget"))
        #expect(try place.read("flowrun.yaml") == file)
        let forgotten = await place.run("register sandbox --delete --forget")
        #expect(forgotten.status == 0, "\(forgotten.error)")
        #expect(forgotten.error.contains("is forgotten here all the same"))
        #expect(forgotten.output.hasPrefix("forgot  dyn-"))
        #expect(try place.read("flowrun.yaml") == end)
        #expect(place.permissions(of: "\(Self.secrets)/sandbox.registration") == nil)

        try restore(file.replacing("/register/dyn-", with: "/nowhere/dyn-"))
        let gone = await place.run("register sandbox --delete --json")
        #expect(gone.status == 0, "\(gone.error)")
        #expect(gone.error.contains("no more"))
        #expect(gone.output.contains(#""deleted":false,"forgotten":true"#))
        #expect(try place.read("flowrun.yaml") == end)
        sandbox.stop()
    }

    @Test("a client that nothing can end from here is forgotten when it is said, and only then")
    func forgottenWithoutManagement() async throws {
        let file = "registrations:\n  sandbox:\n    client_id: c-1\n"
        try place.write("flowrun.yaml", file)
        let refused = await place.run("register sandbox --delete")
        #expect(refused.status == 3)
        #expect(refused.error.contains("to forget it here all the same: --forget"))
        #expect(try place.read("flowrun.yaml") == file)
        let result = await place.run("register sandbox --delete --forget")
        #expect(result.status == 0, "\(result.error)")
        #expect(result.error.contains("cannot be changed from here; c-1 is forgotten here all the same"))
        #expect(await place.run("register sandbox --show").status == 3)
        #expect(await place.run("register sandbox --show --forget").status == 2)
        sandbox.stop()
    }

    @Test("a client with a key registers its public half, and gets tokens for whom its assertions speak")
    func keyed() async throws {
        let result = await register(
            "--private-key-file key.pem --json --grant urn:ietf:params:oauth:grant-type:jwt-bearer")
        #expect(result.status == 0, "\(result.error)")
        let json = try JSON.parse(Array(result.output.utf8))
        #expect(json["token_endpoint_auth_method"] == "private_key_jwt")
        #expect(json["metadata"]?["jwks"]?["keys"]?.arrayValue?.first?["d"] == nil)
        #expect(try place.read("flowrun.yaml").contains("    private_key: {file: key.pem}\n"))
        let run = await place.run("run jwt-bearer -p sandbox -i subject=alice -i scopes=profile -o json")
        #expect(run.status == 0, "\(run.error)")
        #expect(run.output.contains("\"end\":\"ready\""))
        let nobody = await place.run("run jwt-bearer -p sandbox -i subject=nobody")
        #expect(nobody.status == 6)
        #expect(nobody.error.contains("invalid_grant"))
        sandbox.stop()
    }

    @Test("a registration is shown, changed and ended with what was kept of it (RFC 7592)")
    func managed() async throws {
        let grants = "--grant authorization_code --grant client_credentials"
        #expect(await register("--name Tool \(grants)").status == 0)
        let shown = await place.run("register sandbox --show")
        #expect(shown.status == 0, "\(shown.error)")
        #expect(shown.output.contains("client_name                 Tool\n"))
        #expect(!shown.output.contains(try secret("sandbox.registration")))
        let changed = await place.run("register sandbox --update --name Other --auth client_secret_post")
        #expect(changed.status == 0, "\(changed.error)")
        let after = try JSON.parse(
            Array(await place.run("register sandbox --show --json").output.utf8))
        #expect(after["metadata"]?["client_name"] == "Other")
        let told = try #require(JSONForms.rows.first { $0.left == "register" }).right
        for member in try #require(after.objectValue) { #expect(told.contains(member.key), "help json") }
        #expect(after["metadata"]?["redirect_uris"] == ["http://127.0.0.1/callback"])
        let file = try place.read("flowrun.yaml")
        #expect(file.contains("    token_endpoint_auth_method: client_secret_post\n"))
        #expect(file.contains("    client_secret: {file: home/.config/flowrun/secrets/sandbox-2}\n"))
        let test = await place.run("provider test sandbox --with-token")
        #expect(test.output.contains("the client gets a token for itself"), "\(test.output)")

        let ended = await place.run("register sandbox --delete")
        #expect(ended.status == 0, "\(ended.error)")
        #expect(
            try place.read("flowrun.yaml")
                == "# mine\nregistrations:\n  sandbox:\n    variables:\n      issuer: \"\(sandbox.issuer)\"\n"
        )
        #expect(place.permissions(of: "\(Self.secrets)/sandbox.registration") == nil)
        #expect(place.permissions(of: "\(Self.secrets)/sandbox-2") == nil)
        let gone = await place.run("register sandbox --show")
        #expect(gone.status == 3)
        #expect(gone.error.contains("flowrun register sandbox"))
        sandbox.stop()
    }

    @Test("a rehearsal of a change shows it, its token hidden")
    func rehearsedChange() async throws {
        #expect(await register().status == 0)
        let result = await place.run("register sandbox --update --name Other --dry-run")
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output.hasPrefix("PUT \(sandbox.issuer)/register/dyn-"))
        #expect(result.output.contains("  client_name = Other\n"))
        #expect(!result.output.contains(try secret("sandbox.registration")))
        sandbox.stop()
    }

    @Test("the token goes nowhere but to the provider, whatever a file says [rule 28]")
    func elsewhere() async throws {
        #expect(await register().status == 0)
        var file = try place.read("flowrun.yaml")
        let start = try #require(file.firstRange(of: "registration_client_uri: \"")).upperBound
        let end = try #require(file[start...].firstIndex(of: "\""))
        file.replaceSubrange(start..<end, with: "http://127.0.0.1:9/register/x")
        try place.write("flowrun.yaml", file)
        let result = await place.run("register sandbox --show")
        #expect(result.status == 7)
        #expect(result.error.contains("nothing was sent"))
        sandbox.stop()
    }

    @Test(
        "a provider that lets no client end its registration is told of, and how to forget it (RFC 7592 §2.3)"
    )
    func unmanaged() async throws {
        #expect(await register().status == 0)
        var file = try place.read("flowrun.yaml")
        let start = try #require(file.firstRange(of: "/register/dyn-"))
        let end = try #require(file[start.lowerBound...].firstIndex(of: "\""))
        file.replaceSubrange(start.lowerBound..<end, with: "/token")
        try place.write("flowrun.yaml", file)
        let result = await place.run("register sandbox --delete")
        #expect(result.status == 6)
        #expect(result.error.contains("answers 405"), "\(result.error)")
        #expect(result.error.contains("the provider does not let clients do that"))
        #expect(result.error.contains("forget it here: flowrun register sandbox --delete --forget"))
        sandbox.stop()
    }

    @Test("a client is shown to the issuer alone that registered it (RFC 7591 §5)")
    func otherIssuer() async throws {
        #expect(await register().status == 0)
        let other = try SandboxServer(port: nil, mode: .automatic)
        for command in [
            "login sandbox", "login sandbox --dry-run", "run client-credentials --provider sandbox",
        ] {
            let result = await place.run("\(command) --set issuer=\(other.issuer) --no-input")
            #expect(result.status == 3, "\(command): \(result.error)")
            #expect(
                result.error.contains("was registered by \(sandbox.issuer), and"), "\(result.error)")
            #expect(result.error.contains("flowrun register sandbox --replace"))
        }
        let given = await place.run(
            "login sandbox --set issuer=\(other.issuer) --client-id flowrun-sandbox --dry-run")
        #expect(given.status == 0, "\(given.error)")
        let anew = await register("--replace", at: other)
        // The first client can only be ended where it is.
        #expect(anew.status == 7 && anew.error.contains("the new client is registered, and dyn-"))
        #expect(try place.read("flowrun.yaml").contains("    issuer: \"\(other.issuer)\"\n"))
        sandbox.stop()
        other.stop()
    }

    @Test("where registration is not open, an initial access token opens it")
    func initialAccessToken() async throws {
        sandbox.stop()
        let closed = try SandboxServer(
            port: nil,
            change: { $0.initialAccessToken = Secret("initial-token-1", kind: .registrationAccessToken) })
        let refused = await register(at: closed)
        #expect(refused.status == 6)
        #expect(refused.error.contains("initial access token"))
        #expect(try place.read("flowrun.yaml") == "# mine\n")
        #expect(place.permissions(of: "\(Self.secrets)/sandbox") == nil)
        let result = await register("--initial-access-token-file token", at: closed)
        #expect(result.status == 0, "\(result.error)")
        #expect(!result.error.contains("initial-token-1"))
        closed.stop()
    }

    @Test("a file that could not be written afterwards is told before anything is registered")
    func checkedFirst() async throws {
        try place.write("flowrun.yaml", "registrations: {other: {client_id: x}}\n")
        let result = await register()
        #expect(result.status == 3)
        #expect(result.error.contains("flowrun.yaml is written in a way that cannot be changed without harm"))
        #expect(place.permissions(of: "\(Self.secrets)/sandbox") == nil)
        sandbox.stop()
    }

    @Test("a registration that cannot be written is not lost: it is said where everything is")
    func unwritable() async throws {
        // The folder closes after the check: here, because the file is replaced by something that is none.
        let context = CommandContext(place.surroundings(), CommonOptions())
        let provider = try context.library.provider("sandbox").descriptor
        let file = try RegistrationFile(nil, isForUser: false, context)
        let keeper = try RegistrationKeeper(
            provider, file, RegisterRequest(provider: "sandbox"), word: "sandbox")
        let reserved = try SecretFiles.reserve("sandbox", place.surroundings())
        try place.write("flowrun.yaml", "registrations: [\n")
        let client = NewRegistration([
            ("client_id", .string("dyn-1")), ("secret", .secret(Secret("secret-1", kind: .clientSecret))),
            ("method", .string("client_secret_basic")), ("management_uri", .string("https://p.example/r/1")),
            ("management_token", .secret(Secret("token-1", kind: .registrationAccessToken))),
        ])
        let problem = #expect(throws: Problem.self) { try keeper.keep(client, reserved) }
        #expect(problem?.message.hasPrefix("client dyn-1 is registered, but") == true)
        #expect(problem?.message.contains("nothing is lost") == true)
        let hints = (problem?.hints ?? []).joined(separator: "\n")
        #expect(hints.contains("client_id: dyn-1"))
        #expect(hints.contains("registration_client_uri: \"https://p.example/r/1\""))
        #expect(!hints.contains("secret-1") && !hints.contains("token-1"))
        #expect(try secret("sandbox") == "secret-1")
        #expect(try secret("sandbox.registration") == "token-1")
        sandbox.stop()
    }

    @Test("an answer that says to come later is an answer, with the status of one")
    func overloaded() async throws {
        let busy = try SandboxServer(port: nil, faults: [Fault.parse("registration:500")], mode: .automatic)
        let result = await register(at: busy)
        #expect(result.status == 6, "\(result.error)")
        #expect(result.error.contains("cannot serve this at the moment"), "\(result.error)")
        busy.stop()
        sandbox.stop()
    }

    @Test("a provider that lets nobody register is told apart")
    func unsupported() async throws {
        let none = await place.run("register github")
        #expect(none.status == 3)
        #expect(none.error.contains("registration_endpoint"), "\(none.error)")
        sandbox.stop()
    }
}
