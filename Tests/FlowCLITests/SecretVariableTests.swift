import FlowLanguage
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowCLI

/// `--set` of a variable that is secret, for a single run.
@Suite("Secret variables of the command line")
struct SecretVariableTests {
    private static let acme = """
        provider: acme
        protocol: oauth2
        authorization_endpoint: https://acme.example/authorize
        token_endpoint: https://acme.example/token
        variables: {tenant: {default: a}, key: {secret: true}}
        token: {headers: {X-Key: "${vars.key}", X-Tenant: "${vars.tenant}"}}
        """
    private static let pem = "-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----"

    private func place() throws -> Workplace {
        let place = try Workplace(["providers/acme.yaml": Self.acme, "flowrun.yaml": ""])
        try place.write("keys/key.pem", Self.pem + "\n")
        return place
    }

    private func resolve(
        _ place: Workplace, _ values: [String], environment: [String: String] = [:], isRehearsal: Bool = false
    ) throws -> ResolvedRegistration {
        let surroundings = place.surroundings(environment)
        let library = Library(surroundings, providersDirectory: nil)
        let resolver = RegistrationResolver(
            files: try RegistrationFiles(library, directory: place.path), surroundings: surroundings,
            isRehearsal: isRehearsal,
            gate: TrustGate(context: CommandContext(surroundings, CommonOptions()), isOpen: true))
        var options = ClientOptions()
        options.clientID = "c"
        options.variables = values.map { NamedText(name: "key", text: $0) }
        return try resolver.resolve(try library.provider("acme").descriptor, options)
    }

    @Test("the value is read where --set says that it is, a key of several lines too")
    func read() throws {
        let place = try place()
        let given = try resolve(place, ["env:SOME_KEY"], environment: ["SOME_KEY": "from variable"])
        #expect(given.secretVariables["key"]?.reveal() == "from variable")
        #expect(given.variables["key"] == nil)
        #expect(try resolve(place, ["file:keys/key.pem"]).secretVariables["key"]?.reveal() == Self.pem)
        let last = try resolve(place, ["file:nowhere", "file:keys/key.pem"])
        #expect(last.secretVariables["key"]?.reveal() == Self.pem)
        let missing = #expect(throws: Problem.self) { try resolve(place, ["env:SOME_KEY"]) }
        #expect(missing?.message.contains("variable SOME_KEY, which is not set") == true)
    }

    @Test("the secret itself is refused and not repeated, in a rehearsal too", arguments: [false, true])
    func literal(isRehearsal: Bool) throws {
        for text in ["hunter2", "env:hunter-2", "vault:hunter2", ""] {
            let problem = #expect(throws: Problem.self) {
                try resolve(place(), [text], isRehearsal: isRehearsal)
            }
            #expect(problem?.status == .usage)
            #expect(problem?.message == SecretPlaceText.problem(with: "key"))
            #expect(problem?.message.contains("hunter") == false)
        }
    }

    @Test("the variable that holds it is kept from programs")
    func hidden() throws {
        let surroundings = try place().surroundings()
        let resolver = RegistrationResolver(
            files: try RegistrationFiles(
                Library(surroundings, providersDirectory: nil), directory: surroundings.directory),
            surroundings: surroundings, isRehearsal: false,
            gate: TrustGate(context: CommandContext(surroundings, CommonOptions()), isOpen: true))
        var options = ClientOptions()
        options.variables = [NamedText(name: "key", text: "env:SOME_KEY")]
        #expect(resolver.secretVariables(options) == ["SOME_KEY"])
    }

    @Test("a rehearsal reads no such place and says where the value would come from")
    func rehearsal() async throws {
        let place = try place()
        let result = await place.run("plan login -p acme --client-id c --set key=file:nowhere -v")
        #expect(result.status == 0, "\(result.error)")
        let refused = await place.run("plan login -p acme --client-id c --set key=hunter2")
        #expect(refused.status == 2)
        #expect(!(refused.output + refused.error).contains("hunter2"))
    }

    @Test("a value of two lines that a header field is made of is named before anything is sent")
    func lines() async throws {
        let place = try place()
        let result = await place.run(
            "run login -p acme --client-id c --no-input --no-browser --set key=file:keys/key.pem")
        #expect(result.status == 3)
        #expect(
            result.error.contains(
                "variable \"key\" holds more than one line, and header field X-Key (acme.yaml:6) is made of it: "
                    + "nothing was sent"),
            "\(result.error)")
        #expect(!result.error.contains("abc"))
    }
}
