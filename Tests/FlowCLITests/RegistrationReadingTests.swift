import FlowLanguage
import Glibc
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowCLI

@Suite("Reading registrations")
struct RegistrationReadingTests {
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
                private_key: {command: [pass, show, key]}
                environment: sandbox
                variables: {key: {keyring: acme}}
            """)
        #expect(diagnostics == [])
        let acme = try #require(registrations.first)
        #expect(acme.provider == "acme")
        #expect(acme.clientID?.value == "123")
        #expect(acme.clientID?.span.start.line == 3)
        #expect(acme.secret?.value == .environment("ACME"))
        #expect(acme.variables.map(\.name) == ["tenant", "level"])
        #expect(acme.variables.map(\.value.value) == [.text("a"), .text("2")])
        #expect(acme.scopes == ["x", "y"])
        #expect(acme.redirectURI?.value == "http://127.0.0.1:8000/callback")
        let other = try #require(registrations.last)
        #expect(other.secret?.value == .file("../secret"))
        #expect(other.privateKey?.value == .command(["pass", "show", "key"]))
        #expect(other.environment?.value == "sandbox")
        #expect(other.variables.map(\.value.value) == [.secret(.keyring("acme"))])
    }

    @Test("a client that registered itself says where that is changed, and how it proves itself")
    func managed() throws {
        let (registrations, diagnostics) = read(
            """
            registrations:
              acme:
                client_id: dyn
                token_endpoint_auth_method: private_key_jwt
                registration_client_uri: https://acme.example/register/dyn
                registration_access_token: {file: secrets/acme.registration}
            """)
        #expect(diagnostics == [])
        let acme = try #require(registrations.first)
        #expect(acme.authenticationMethod?.value == .privateKeyJWT)
        #expect(acme.managementURI?.value == "https://acme.example/register/dyn")
        #expect(acme.managementToken?.value == .file("secrets/acme.registration"))
        let wrong = read(
            """
            registrations:
              acme:
                token_endpoint_auth_method: secret_post
                registration_client_uri: http://acme.example/register/dyn
                registration_access_token: hunter2hunter2
            """
        ).diagnostics
        #expect(wrong.count == 3)
        #expect(wrong.contains { $0.contains("FL066") })
        #expect(!wrong.contains { $0.contains("hunter2") })
    }

    @Test("a client that proves itself in TLS says where its certificate is, and its key")
    func certificate() throws {
        let (registrations, diagnostics) = read(
            """
            registrations:
              bank:
                client_id: c
                private_key: {file: signing.pem}
                certificate: {file: transport.pem}
                certificate_key: {env: TRANSPORT_KEY}
            """)
        #expect(diagnostics == [])
        let bank = try #require(registrations.first)
        #expect(bank.privateKey?.value == .file("signing.pem"))
        #expect(bank.certificate?.value == .file("transport.pem"))
        #expect(bank.certificateKey?.value == .environment("TRANSPORT_KEY"))
    }

    @Test("a literal secret is an error that does not repeat it [rule 4]")
    func literal() {
        let (_, diagnostics) = read(
            """
            registrations:
              acme:
                client_secret: hunter2hunter2
                private_key: hunter2hunter2
                variables: {key: "-----BEGIN PRIVATE KEY-----"}
            """)
        #expect(
            diagnostics == [
                "3:20 FL066 a client secret stands in the file",
                "4:18 FL066 a private key stands in the file",
                "5:22 FL066 a key or token is written out here",
            ])
    }

    @Test("no line under a mistake shows a secret, whatever key it stands under [rule 4]")
    func lines() {
        let file = SourceFile(
            path: "flowrun.yaml",
            text: """
                registrations:
                  acme:
                    client_id: known
                    client_secert: hunter2
                    private_key: {evn: "hunter2", fiel: [hunter2, x]}
                    -----BEGIN hunter2
                     client_secret: hunter2: é
                  scopes: [a, b]  # hunter
                  {client_id: x, secret: hunter2, scopes: [a, b]}
                  {hunter2: , hunter2: }
                """)
        #expect(
            RegistrationReader.shown(file).text == """
                registrations:
                  acme:
                    client_id: known
                    client_secert: *******
                    private_key: {evn: *********, fiel: [*******, *]}
                    ********** *******
                     client_secret: ******** *
                  scopes: [a, b]  # hunter
                  {client_id: x, secret: *******, scopes: [a, b]}
                  {******** , ******** }
                """)
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
            ["3:20 FL011 client_secret needs exactly one of \"env\", \"file\", \"command\" and \"keyring\""]
        ),
        (
            "registrations:\n  a:\n    client_secret: {}\n",
            ["3:20 FL011 client_secret needs exactly one of \"env\", \"file\", \"command\" and \"keyring\""]
        ),
        (
            "registrations:\n  a:\n    client_secret: {command: pass show acme}\n",
            ["3:30 FL016 \"command\" in client_secret must be a list of texts, not a text"]
        ),
        (
            "registrations:\n  a:\n    private_key: {command: []}\n",
            ["3:28 FL016 \"command\" in private_key must be a program with its arguments, not an empty list"]
        ),
        (
            "registrations:\n  a:\n    variables: {key: {env: \"\"}}\n",
            ["3:28 FL016 \"env\" in key must be a name, not \"\""]
        ),
        (
            "registrations:\n  a:\n    client_secret: {env: sk-live-1}\n    private_key: {keyring: \"-----BEGIN PRIVATE KEY-----\"}\n",
            [
                "3:26 FL066 this is not the name of a variable: is it a client secret itself?",
                "4:28 FL066 this is not the name of an entry: is it a private key itself?",
            ]
        ),
        (
            "registrations:\n  a:\n    client_secret: {env: 1234}\n    private_key: {file: [hunter2]}\n",
            [
                "3:26 FL016 \"env\" in client_secret must be text, not a number",
                "4:25 FL016 \"file\" in private_key must be text, not a list",
            ]
        ),
        (
            "registrations:\n  a:\n    client_secret: {hunter2}\n  b: hunter2\n",
            [
                "3:21 FL066 this is no key of client_secret: is it a client secret itself?",
                "4:6 FL016 registration \"b\" must be a mapping, not \"…\"",
            ]
        ),
        (
            "registrations:\n  a: {client_id: x, client_secret: ${SECRET}}\n",
            ["2:36 FL066 a client secret stands in the file"]
        ),
        ("hunter2\n", ["1:1 FL016 flowrun.yaml must be a mapping, not \"…\""]),
        (
            "registrations:\n  a:\n    client_id: \"\"\n",
            ["3:16 FL016 \"client_id\" in registration \"a\" is empty"]
        ),
        ("registrations:\n  a:\n    redirect_uri: com.example.app:/callback\n", []),
        (
            "registrations:\n  a:\n    redirect_uri: \"data:text/html,a\"\n",
            ["3:19 FL016 \"redirect_uri\" in registration \"a\" has a scheme that belongs to others"]
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
}
