import FlowLanguage
import FlowLive
import FlowSandbox
import FlowTesting
import JOSE
import Testing

@testable import FlowCLI

/// A client that proves itself with a JWT that is issued for it, as a cluster writes it into a file.
@Suite("Assertions that somebody else issues")
struct IssuedAssertionTests {
    private let place: Workplace
    private let sandbox: SandboxServer
    private let clientID: String
    private var prefix: String { "--set issuer=\(sandbox.issuer)" }

    init() async throws {
        place = try Workplace(["flowrun.yaml": "# mine\n", "key.pem": TestKey.pem])
        sandbox = try SandboxServer(port: nil, mode: .automatic)
        let made = await place.run(
            "register sandbox --set issuer=\(sandbox.issuer) --private-key-file key.pem --json"
                + " --grant client_credentials")
        clientID = try #require(JSON.parse(Array(made.output.utf8))["client_id"]?.stringValue)
        // What signs stays with the issuer.
        try place.write(
            "flowrun.yaml",
            """
            registrations:
              sandbox:
                client_id: \(clientID)
                client_assertion: {file: token}

            """)
    }

    /// Writes one that is good for so many seconds, into a file that everybody may read, as a cluster's is.
    private func issue(for lifetime: Int64, jti: String = "marker-of-the-assertion") throws -> String {
        let now = WallClock.now() / 1000
        let claims: JSONObject = [
            "iss": .string(clientID), "sub": .string(clientID), "aud": .string(sandbox.issuer),
            "jti": .string(jti), "iat": .int(now - 600), "exp": .int(now + lifetime),
        ]
        let assertion = try JWS.sign(
            header: [:], payload: claims.serializedBytes, key: try PrivateKey(pem: TestKey.pem),
            algorithm: .es256)
        try place.write("token", assertion + "\n", permissions: 0o644)
        return assertion
    }

    @Test("brings a token, and is shown nowhere")
    func token() async throws {
        let assertion = try issue(for: 300)
        let run = await place.run("run client-credentials -p sandbox \(prefix) -vv --no-save")
        #expect(run.status == 0, "\(run.error)")
        #expect(run.error.contains("client_assertion"))
        for part in assertion.split(separator: ".") {
            #expect(!run.error.contains(part))
            #expect(!run.output.contains(part))
        }
        sandbox.stop()
    }

    @Test("a variable wins over the file, and a rehearsal reads neither")
    func places() async throws {
        let variable = ["SANDBOX_CLIENT_ASSERTION": "opaque"]
        let run = await place.run(
            "run client-credentials -p sandbox \(prefix) --no-save", environment: variable)
        #expect(run.status == 3)
        #expect(run.error.contains("the client's assertion is no JWT"), "\(run.error)")
        let plan = await place.run("plan client-credentials -p sandbox \(prefix)", environment: variable)
        #expect(plan.status == 0)
        #expect(plan.output.contains("client_assertion"))
        #expect(!plan.output.contains("client_secret"))
        let explained = await place.run("config explain sandbox.client_assertion", environment: variable)
        #expect(explained.output.contains("in variable SANDBOX_CLIENT_ASSERTION"), "\(explained.output)")
        sandbox.stop()
    }

    @Test("an option says where it is, and a hint repeats that")
    func option() async throws {
        _ = try issue(for: 300)
        let registration = "registrations: { sandbox: { client_id: \(clientID) } }\n"
        try place.write("flowrun.yaml", registration)
        let words = "run client-credentials -p sandbox \(prefix) --no-save"
        let run = await place.run("\(words) --client-assertion-file token")
        #expect(run.status == 0, "\(run.error)")
        let environment = ["ISSUED": try issue(for: 300, jti: "another")]
        let other = await place.run("\(words) --client-assertion-env ISSUED", environment: environment)
        #expect(other.status == 0, "\(other.error)")
        let both = await place.run("\(words) --client-assertion-env ISSUED --client-assertion-file token")
        #expect(both.status == 2)
        #expect(both.error.contains("give one of --client-assertion-file and --client-assertion-env"))
        let token = await place.run("token sandbox \(prefix) --client-assertion-file token")
        #expect(token.error.contains("--client-assertion-file token"), "\(token.error)")
        sandbox.stop()
    }

    @Test("one that has expired is not sent, and the provider's test says by whom and about whom it was")
    func expired() async throws {
        _ = try issue(for: -100)
        let run = await place.run("run client-credentials -p sandbox \(prefix) --no-save")
        #expect(run.status == 3)
        #expect(run.error.contains("the client's assertion expired at"), "\(run.error)")
        #expect(run.error.contains("have a new one issued for each run"), "\(run.error)")
        let test = await place.run("provider test sandbox \(prefix)")
        #expect(test.status == 3)
        let words =
            "in file token, issued by \(clientID), about \(clientID), for \(sandbox.issuer): expired at"
        #expect(test.output.replacing(#/\s+/#, with: " ").contains(words), "\(test.output)")
        sandbox.stop()
    }

    @Test("the provider's test passes one that is good, and asks for a token with it")
    func tested() async throws {
        _ = try issue(for: 300)
        let test = await place.run("provider test sandbox \(prefix) --with-token")
        #expect(test.status == 0, "\(test.output)")
        #expect(test.output.contains(#/✓ token /#), "\(test.output)")
        #expect(test.output.contains("the client has an assertion"), "\(test.output)")
        sandbox.stop()
    }

    @Test("what a program prints beside it is not sent along")
    func severalLines() async throws {
        let assertion = try issue(for: 300)
        try place.write("token", "warning: deprecated\n\(assertion)\n", permissions: 0o644)
        let file = await place.run("run client-credentials -p sandbox \(prefix) --no-save")
        #expect(file.status == 3)
        let told = "holds more than one line, and a client assertion is one"
        #expect(file.error.contains(told), "\(file.error)")
        try place.write(
            "flowrun.yaml",
            "registrations: {sandbox: {client_id: c, client_assertion: {command: [/bin/cat, token]}}}\n")
        let program = await place.run("run client-credentials -p sandbox \(prefix) --no-save --trust")
        #expect(program.status == 3)
        let words = "the command \"/bin/cat\" printed more than one line, and a client assertion is one"
        #expect(program.error.contains(words), "\(program.error)")
        sandbox.stop()
    }

    @Test("where a provider refuses it, its test says to compare what the provider trusts")
    func untrusted() async throws {
        let now = WallClock.now() / 1000
        let claims: JSONObject = [
            "iss": "https://elsewhere.example", "sub": "job", "aud": .string(sandbox.issuer), "jti": "j",
            "exp": .int(now + 300),
        ]
        let assertion = try JWS.sign(
            header: [:], payload: claims.serializedBytes, key: try PrivateKey(pem: TestKey.pem),
            algorithm: .es256)
        try place.write("token", assertion, permissions: 0o644)
        let test = await place.run("provider test sandbox \(prefix) --with-token")
        #expect(test.status == 6, "\(test.output)")
        let text = test.output.replacing(#/\s+/#, with: " ")
        #expect(text.contains("fix compare issuer, subject and audience of the assertion"), "\(test.output)")
        sandbox.stop()
    }

    @Test("where nobody has trusted the file that names it, the provider's test says what does")
    func unseen() async throws {
        try place.write(
            "flowrun.yaml",
            "registrations: { sandbox: { client_id: c, client_assertion: { command: [cat, token] } } }\n")
        let test = await place.run("provider test sandbox \(prefix)")
        #expect(test.status == 3, "\(test.output)")
        let text = test.output.replacing(#/\s+/#, with: " ")
        #expect(text.contains("after a look at them: flowrun trust flowrun.yaml"), "\(test.output)")
        sandbox.stop()
    }

    @Test("a registration is added with it")
    func added() async throws {
        try place.write(
            "providers/acme.yaml",
            """
            provider: acme
            protocol: oauth2
            authorization_endpoint: https://acme.example/authorize
            token_endpoint: https://acme.example/token
            client: {token_endpoint_auth_method: client_secret_post}

            """)
        let known = await place.run(
            "provider add acme --no-input --client-id c --client-assertion-file /var/run/secrets/acme")
        #expect(known.status == 0, "\(known.error)")
        #expect(
            try place.read("flowrun.yaml").contains("client_assertion: {file: \"/var/run/secrets/acme\"}"))
        sandbox.stop()
    }
}
