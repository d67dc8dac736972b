import FlowLanguage
import Glibc
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowCLI

@Suite("Registrations")
struct RegistrationTests {
    private static let acme = """
        provider: acme-id
        display_name: Acme
        protocol: oidc
        issuer: https://acme.example
        discovery: auto
        variables: {tenant: {default: a}, key: {required: false}}
        console: https://acme.example/console
        registration_hint: choose a desktop app
        """

    private func place(_ registrations: String = "") throws -> Workplace {
        try Workplace(["providers/acme-id.yaml": Self.acme, "flowrun.yaml": registrations])
    }

    private func resolve(
        _ place: Workplace, _ options: ClientOptions = ClientOptions(), environment: [String: String] = [:],
        input: String = "", isRehearsal: Bool = false
    ) throws -> ResolvedRegistration {
        let surroundings = place.surroundings(environment, input: input)
        let library = Library(surroundings, providersDirectory: nil)
        let files = try RegistrationFiles(library, directory: place.path)
        let resolver = RegistrationResolver(
            files: files, surroundings: surroundings, isRehearsal: isRehearsal,
            gate: TrustGate(context: CommandContext(surroundings, CommonOptions()), isOpen: true))
        return try resolver.resolve(try library.provider("acme-id").descriptor, options)
    }

    @Test("an option wins over the variable, the variable over the project's file")
    func precedence() throws {
        let place = try place("registrations:\n  acme-id:\n    client_id: file\n")
        #expect(try resolve(place).clientID == "file")
        #expect(try resolve(place, environment: ["ACME_ID_CLIENT_ID": "variable"]).clientID == "variable")
        var options = ClientOptions()
        options.clientID = "option"
        #expect(
            try resolve(place, options, environment: ["ACME_ID_CLIENT_ID": "variable"]).clientID == "option")
    }

    @Test("the project's file wins over the user's")
    func userFile() throws {
        let place = try place("registrations:\n  acme-id:\n    client_id: project\n")
        try place.write(
            "home/.config/flowrun/flowrun.yaml", "registrations:\n  acme-id:\n    client_id: user\n")
        #expect(try resolve(place).clientID == "project")
        try place.write("flowrun.yaml", "")
        #expect(try resolve(place).clientID == "user")
    }

    @Test("a secret comes from a variable, a file or standard input, without its line break")
    func secrets() throws {
        let place = try place("registrations:\n  acme-id:\n    client_id: a\n    client_secret: {file: s}\n")
        try place.write("s", "from file\n")
        #expect(try resolve(place).secret?.reveal() == "from file")
        let environment = ["ACME_ID_CLIENT_SECRET": "from variable", "OTHER": "from option"]
        #expect(try resolve(place, environment: environment).secret?.reveal() == "from variable")
        var options = ClientOptions()
        options.secret = .environment("OTHER")
        #expect(try resolve(place, options, environment: environment).secret?.reveal() == "from option")
        options.secret = .standardInput
        #expect(try resolve(place, options, input: "typed\r\n").secret?.reveal() == "typed")
    }

    @Test("a client secret is one line: what follows it is no part of it that anybody meant")
    func severalLines() throws {
        let place = try place(
            "registrations:\n  acme-id: {client_id: a, client_secret: {command: [./print]}}\n")
        try place.write("s", "secret\n\n")
        var options = ClientOptions()
        options.secret = .file("s")
        #expect(try resolve(place, options).secret?.reveal() == "secret")
        try place.write("s", "secret\nuser: me\n")
        let problem = #expect(throws: Problem.self) { try resolve(place, options) }
        #expect(problem?.message.contains("holds more than one line") == true)
        try place.write("print", "#!/bin/sh\necho secret; echo user\n", permissions: 0o700)
        let printed = #expect(throws: Problem.self) { try resolve(place) }
        #expect(printed?.message.contains("printed more than one line") == true)
        #expect(printed?.hints.contains { $0.contains("secret") } == false)
    }

    @Test("a secret file that everybody can read is refused [rule 4]")
    func worldReadable() throws {
        let place = try place()
        try place.write("s", "x", permissions: 0o644)
        var options = ClientOptions()
        options.clientID = "a"
        options.secret = .file("s")
        let problem = #expect(throws: Problem.self) { try resolve(place, options) }
        #expect(problem?.status == .config)
        let path = "\(place.path)/s"
        #expect(problem?.message == "\(path): everybody can read this secret; run: chmod 600 \(path)")
    }

    @Test("a variable that should hold the secret and is not set is an error")
    func missingVariable() throws {
        let place = try place(
            "registrations:\n  acme-id:\n    client_id: a\n    client_secret: {env: NOPE}\n")
        let problem = #expect(throws: Problem.self) { try resolve(place) }
        #expect(problem?.message == "the client secret should be in the variable NOPE, which is not set")
    }

    @Test("a variable that is there and empty is told apart, as where a job was not given the secret")
    func emptyVariable() throws {
        let place = try place(
            "registrations:\n  acme-id:\n    client_id: a\n    client_secret: {env: NOPE}\n")
        let problem = #expect(throws: Problem.self) { try resolve(place, environment: ["NOPE": ""]) }
        #expect(
            problem?.message == "the client secret should be in the variable NOPE, which is set and empty")
    }

    @Test("without a client the person is told where and how to register one")
    func missingClient() throws {
        let problem = #expect(throws: Problem.self) { try resolve(place()) }
        #expect(problem?.status == .config)
        #expect(problem?.message == "no client is registered with provider \"acme-id\"")
        #expect(
            problem?.hints == [
                "register a client at https://acme.example/console",
                "choose a desktop app",
                "then run flowrun provider add acme-id, give --client-id ID, or set ACME_ID_CLIENT_ID",
                "to see what would be sent, without a client: flowrun plan FLOW --provider acme-id",
            ])
    }

    @Test("where the provider registers clients itself, that is said first")
    func selfService() throws {
        let file = Self.acme + "\nregistration_endpoint: https://acme.example/register\n"
        let place = try Workplace(["providers/acme-id.yaml": file, "flowrun.yaml": ""])
        let problem = #expect(throws: Problem.self) { try resolve(place) }
        #expect(problem?.hints.first == "it registers clients itself: flowrun register acme-id")
    }

    @Test("what another command has to call a provider says the folder that it was found in")
    func folder() async throws {
        let place = try Workplace(["my own/acme-id.yaml": Self.acme])
        let words = ["login", "acme-id", "--no-input", "--providers", "my own"]
        let result = await Workplace.run(words, place.surroundings())
        #expect(result.error.contains("run flowrun provider add acme-id --providers 'my own', give"))
    }

    @Test("a rehearsal invents a missing client and never reads a secret")
    func rehearsal() throws {
        let place = try place("registrations:\n  acme-id:\n    client_secret: {env: NOPE}\n")
        let registration = try resolve(
            place, environment: ["ACME_ID_CLIENT_SECRET": "canary"], isRehearsal: true)
        #expect(registration.isInvented)
        #expect(registration.clientID == "<client-id>")
        #expect(registration.secret?.reveal() != "canary")
    }

    @Test("variables that the descriptor does not have are refused")
    func unknownVariable() throws {
        var options = ClientOptions()
        options.clientID = "a"
        options.variables = [NamedText(name: "tenent", text: "x")]
        let problem = #expect(throws: Problem.self) { try resolve(self.place(), options) }
        #expect(problem?.status == .usage)
        #expect(
            problem?.message
                == "provider \"acme-id\" has no variable \"tenent\"; did you mean \"tenant\"?")
        let place = try place("registrations:\n  acme-id:\n    client_id: a\n    variables: {ky: {env: K}}\n")
        let other = #expect(throws: Problem.self) { try resolve(place) }
        #expect(other?.status == .config)
        #expect(
            other?.message
                == "flowrun.yaml:4: provider \"acme-id\" has no variable \"ky\"; did you mean \"key\"?")
    }

    @Test("every value is told with the place that won")
    func places() throws {
        let place = try place(
            """
            registrations:
              acme-id:
                client_id: a
                client_secret: {command: [pass, show, canary]}
                private_key: {file: key.pem}
                environment: test
                variables: {tenant: b, key: {env: KEY}}
                redirect_uri: http://127.0.0.1:8000/callback
            """)
        let surroundings = place.surroundings([
            "ACME_ID_CLIENT_ID": "variable", "ACME_ID_PRIVATE_KEY": "canary",
        ])
        let library = Library(surroundings, providersDirectory: nil)
        let search = RegistrationSearch(
            files: try RegistrationFiles(library, directory: place.path), surroundings: surroundings)
        var options = ClientOptions()
        options.variables = [NamedText(name: "tenant", text: "c")]
        let found = search.find(try library.provider("acme-id").descriptor, options)
        #expect(
            found.rows.map { "\($0.name): \($0.value)" } == [
                "client_id: variable  (variable ACME_ID_CLIENT_ID)",
                "client_secret: in command pass  (flowrun.yaml:4)",
                "private_key: in variable ACME_ID_PRIVATE_KEY",
                "environment: test  (flowrun.yaml:6)",
                "redirect_uri: http://127.0.0.1:8000/callback  (flowrun.yaml:8)",
                "tenant: c  (--set)",
                "key: in variable KEY  (flowrun.yaml:7)",
            ])
        #expect(search.environment(of: "acme-id", ClientOptions())?.value == "test")
        options.environment = "live"
        #expect(search.environment(of: "acme-id", options)?.place == .option("environment"))
    }

    // MARK: Sources

    @Test("a private key and secret variables are read, a rehearsal reads none")
    func furtherSecrets() throws {
        let place = try place(
            """
            registrations:
              acme-id:
                client_id: a
                private_key: {file: keys/key.pem}
                variables: {key: {command: [./print-key]}}
            """)
        try place.write("keys/key.pem", "-----BEGIN\nkey\n-----END\n")
        try place.write("print-key", "#!/bin/sh\necho printed; echo canary >&2\n", permissions: 0o700)
        let resolved = try resolve(place)
        #expect(resolved.privateKey?.reveal() == "-----BEGIN\nkey\n-----END")
        #expect(resolved.secretVariables["key"]?.reveal() == "printed")
        #expect(resolved.variables == [:])
        try place.write("print-key", "#!/bin/sh\ntouch ran\n", permissions: 0o700)
        let rehearsed = try resolve(place, isRehearsal: true)
        #expect(rehearsed.privateKey?.reveal() == "rehearsed private key, which opens nothing")
        #expect(
            rehearsed.secretVariables["key"]?.reveal()
                == "rehearsed value of variable key, which opens nothing")
        #expect(place.permissions(of: "ran") == nil)
        let environment = ["ACME_ID_PRIVATE_KEY_FILE": "other.pem"]
        try place.write("other.pem", "other")
        try place.write("print-key", "#!/bin/sh\necho printed\n", permissions: 0o700)
        #expect(try resolve(place, environment: environment).privateKey?.reveal() == "other")
    }

    private func resolveCommand(_ script: String, environment: [String: String] = [:]) throws -> String? {
        let place = try place(
            "registrations:\n  acme-id:\n    client_id: a\n    client_secret: {command: [bin/show, a b]}\n")
        try place.write("bin/show", "#!/bin/sh\n\(script)\n", permissions: 0o700)
        return try resolve(place, environment: environment).secret?.reveal()
    }

    @Test("a command gets its words as they are written, and no secrets in its environment [rule 49]")
    func command() throws {
        #expect(try resolveCommand("printf '%s|' \"$@\"") == "a b|")
        // The variable is not the one that would win: it belongs to another provider.
        let environment = ["OTHER_CLIENT_SECRET": "canary", "PASS_HOME": "/p", "PATH": "/usr/bin:/bin"]
        #expect(
            try resolveCommand("echo $OTHER_CLIENT_SECRET$PASS_HOME", environment: environment) == "/p")
    }

    static let failures: [(script: String, message: String)] = [
        ("exit 3", "the command \"bin/show\" gave no client secret: it ended with status 3"),
        ("kill -9 $$", "the command \"bin/show\" gave no client secret: signal 9 ended it"),
        ("true", "the command \"bin/show\" printed no client secret"),
        ("head -c 70000 /dev/zero", "the command \"bin/show\" printed more than 65536 bytes"),
    ]

    @Test("a command that fails is named without what it printed", arguments: failures)
    func commandFailure(script: String, message: String) throws {
        let problem = #expect(throws: Problem.self) { try resolveCommand(script) }
        #expect(problem?.status == .config)
        #expect(problem?.message == message)
    }

    @Test("a command that takes long is told of, and goes on")
    func slowCommand() throws {
        let place = try Workplace()
        let go = "\(place.path)/go"
        #expect(mkfifo(go, 0o600) == 0)
        try place.write("show", "#!/bin/sh\nread word <go; echo \"secret-$word\"\n", permissions: 0o700)
        // The command ends only once somebody has been told.
        let error = TextStream { _ in
            guard let file = fopen(go, "w") else { return }
            fputs("told\n", file)
            fclose(file)
        }
        let reader = SecretReader(
            surroundings: place.surroundings(error: error), hiddenVariables: [], commandPatience: 0)
        let secret = try reader.read(
            .command(["./show"], directory: "."), "client secret", kind: .clientSecret)
        #expect(secret.reveal() == "secret-told")
        #expect(
            error.text == "  waiting for the command \"./show\" to give the client secret, up to 60 s\n")
    }

    @Test("a command that anybody can replace is not started", arguments: [false, true])
    func openCommand(isFolder: Bool) throws {
        let place = try place(
            "registrations:\n  acme-id:\n    client_id: a\n    client_secret: {command: [bin/show]}\n")
        try place.write(
            "bin/show", "#!/bin/sh\ntouch ran; echo secret\n", permissions: isFolder ? 0o755 : 0o777)
        if isFolder { chmod("\(place.path)/bin", 0o1777) }
        let problem = #expect(throws: Problem.self) { try resolve(place) }
        #expect(problem?.status == .config)
        #expect(
            problem?.message
                == "the client secret should come from \(place.path)/bin/show, "
                + "which anybody on this machine can replace")
        #expect(place.permissions(of: "ran") == nil)
    }

    @Test("a command that is not there is told as such")
    func missingCommand() throws {
        let place = try place(
            "registrations:\n  acme-id:\n    client_id: a\n    client_secret: {command: [no-such-program]}\n")
        let problem = #expect(throws: Problem.self) { try resolve(place, environment: ["PATH": "/bin"]) }
        #expect(
            problem?.message
                == "the client secret should come from the command \"no-such-program\", which is not there")
    }
}
