import FlowLanguage
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowCLI

@Suite("Registrations")
struct RegistrationTests {
    private func read(_ text: String) -> (registrations: [Registration], diagnostics: [String]) {
        let (registrations, diagnostics) = RegistrationReader.read(
            SourceFile(path: "flowrun.yaml", text: text))
        return (registrations, diagnostics.map { "\($0.span.start) \($0.code) \($0.message)" })
    }

    @Test("a registration says where its secret is")
    func reading() throws {
        let (registrations, diagnostics) = read(
            """
            registrations:
              acme:
                client_id: "123"
                client_secret: {env: ACME}
                variables: {tenant: a, level: 2}
                scopes: [x, y]
                redirect_uri: http://127.0.0.1:8000/callback
              other:
                client_id: "9"
                client_secret: {file: ../secret}
            """)
        #expect(diagnostics == [])
        let acme = try #require(registrations.first)
        #expect(acme.provider == "acme")
        #expect(acme.clientID == "123")
        #expect(acme.secret == .environment("ACME"))
        #expect(acme.variables.map { "\($0.name)=\($0.value)" } == ["tenant=a", "level=2"])
        #expect(acme.scopes == ["x", "y"])
        #expect(acme.redirectURI == "http://127.0.0.1:8000/callback")
        #expect(registrations.last?.secret == .file("../secret"))
    }

    @Test("a literal secret is an error that does not repeat it")
    func literal() {
        let (_, diagnostics) = read("registrations:\n  acme:\n    client_secret: hunter2hunter2\n")
        #expect(diagnostics == ["3:20 FL066 a client secret stands in the file"])
    }

    static let mistakes: [(text: String, diagnostics: [String])] = [
        (
            "regstrations: {}",
            ["1:1 FL010 unknown key \"regstrations\" in flowrun.yaml; did you mean \"registrations\"?"]
        ),
        (
            "registrations:\n  a:\n    client_idd: x\n",
            ["3:5 FL010 unknown key \"client_idd\" in registration \"a\"; did you mean \"client_id\"?"]
        ),
        (
            "registrations:\n  a:\n    client_id: 12\n",
            ["3:16 FL016 \"client_id\" in registration \"a\" must be text, not the number 12"]
        ),
        (
            "registrations:\n  a:\n    client_secret: {env: A, file: b}\n",
            ["3:20 FL011 client_secret needs one of \"env\" and \"file\""]
        ),
        (
            "registrations:\n  a:\n    client_secret: {}\n",
            ["3:20 FL011 client_secret needs one of \"env\" and \"file\""]
        ),
        (
            "registrations:\n  a:\n    redirect_uri: http://example.com/\n",
            ["3:19 FL016 \"redirect_uri\" in registration \"a\" is not https"]
        ),
    ]

    @Test("mistakes are reported with their places", arguments: mistakes)
    func mistake(text: String, diagnostics: [String]) {
        #expect(read(text).diagnostics == diagnostics)
    }

    @Test("an empty file registers nothing")
    func empty() {
        #expect(read("").diagnostics == [])
    }

    // MARK: Resolving

    private static let acme = """
        provider: acme-id
        display_name: Acme
        protocol: oidc
        issuer: https://acme.example
        discovery: auto
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
            files: files, surroundings: surroundings, isRehearsal: isRehearsal)
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

    @Test("a secret file that everybody can read is refused")
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

    @Test("without a client the person is told where and how to register one")
    func missingClient() throws {
        let problem = #expect(throws: Problem.self) { try resolve(place()) }
        #expect(problem?.status == .config)
        #expect(problem?.message == "no client is registered with provider \"acme-id\"")
        #expect(
            problem?.hints == [
                "register a client at https://acme.example/console",
                "choose a desktop app",
                "then give --client-id ID, set ACME_ID_CLIENT_ID, or write registrations.acme-id.client_id in flowrun.yaml",
                "to see what would be sent, without a client: --dry-run",
            ])
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
        options.variables = [NamedText(name: "tenant", text: "x")]
        let problem = #expect(throws: Problem.self) { try resolve(place(), options) }
        #expect(problem?.status == .usage)
        #expect(problem?.message == "provider \"acme-id\" has no variable \"tenant\"")
    }
}
