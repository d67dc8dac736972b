import FlowLanguage
import OAuthProtocol
import Testing

@testable import FlowCLI

/// `flowrun.yaml` with a registration put into it, every other byte as before.
@Suite("Editing registrations")
struct RegistrationEditTests {
    private static var acme: RegistrationDraft {
        var draft = RegistrationDraft(provider: "acme")
        draft.clientID = "my-app"
        draft.secret = .environment("ACME_CLIENT_SECRET")
        return draft
    }

    private static let entry = """
          acme:
            client_id: my-app
            client_secret: {env: ACME_CLIENT_SECRET}

        """

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let before: String?
        let after: String
        var draft = RegistrationEditTests.acme

        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "no file", before: nil,
            after: "# Client registrations. Secrets are kept elsewhere: see flowrun help files.\n"
                + "registrations:\n" + entry),
        Case(name: "an empty file", before: "", after: "registrations:\n" + entry),
        Case(
            name: "a comment without its line break", before: "# mine",
            after: "# mine\nregistrations:\n" + entry),
        Case(
            name: "the key alone, a comment after it", before: "registrations:  # all\n\n# end\n",
            after: "registrations:  # all\n" + entry + "\n# end\n"),
        Case(name: "an empty mapping", before: "registrations: {}\n", after: "registrations: \n" + entry),
        Case(
            name: "after the last entry, its comment kept, with its indentation",
            before: "registrations:\n    other:   # first\n        client_id: x   # id\n\n# end\n",
            after: "registrations:\n    other:   # first\n        client_id: x   # id\n"
                + entry.split(separator: "\n").enumerated().map {
                    "  \($0.offset == 0 ? "" : "")" + $0.element + "\n"
                }.joined() + "\n# end\n"),
        Case(
            name: "no line break at the end", before: "registrations:\n  other: {client_id: x}",
            after: "registrations:\n  other: {client_id: x}\n" + entry),
        Case(
            name: "values are replaced, comments and order stay",
            before: """
                registrations:
                  acme:               # the one
                    client_secret:    # somewhere
                      file: x
                    client_id: "old"  # from the console
                    scopes: [a]
                  other: {client_id: x}

                """,
            after: """
                registrations:
                  acme:               # the one
                    client_secret:    # somewhere
                      {env: ACME_CLIENT_SECRET}
                    client_id: my-app  # from the console
                    scopes: [a]
                  other: {client_id: x}

                """),
        Case(
            name: "missing keys come after the last one",
            before: "registrations:\n  acme:\n    client_id: x\n    # why\n  other: {client_id: y}\n",
            after:
                "registrations:\n  acme:\n    client_id: my-app\n    client_secret: {env: ACME_CLIENT_SECRET}\n"
                + "    # why\n  other: {client_id: y}\n"),
        Case(
            name: "an entry on one line", before: "registrations:\n  acme: {client_id: x}\n",
            after: "registrations:\n  acme: {client_id: my-app, client_secret: {env: ACME_CLIENT_SECRET}}\n"),
        Case(
            name: "the line breaks of Windows", before: "registrations:\r\n  other:\r\n    client_id: x\r\n",
            after: "registrations:\r\n  other:\r\n    client_id: x\r\n"
                + entry.split(separator: "\n").map { $0 + "\r\n" }.joined()),
        Case(
            name: "a byte order mark", before: "\u{FEFF}registrations:\n  other: {client_id: x}\n",
            after: "\u{FEFF}registrations:\n  other: {client_id: x}\n" + entry),
    ]

    @Test("only what is asked for changes", arguments: cases)
    func edit(_ given: Case) throws {
        let text = try RegistrationEdit.apply(given.draft, to: given.before, path: "flowrun.yaml")
        #expect(text == given.after)
    }

    @Test("variables join those that are there")
    func variables() throws {
        var draft = RegistrationDraft(provider: "acme")
        draft.variables = [("tenant", .text("b")), ("key", .secret(.command(["pass", "show", "a b"])))]
        let text = try RegistrationEdit.apply(
            draft,
            to:
                "registrations:\n  acme:\n    variables:\n      tenant: a  # mine\n      host: h\n    client_id: x\n",
            path: "flowrun.yaml")
        #expect(
            text == """
                registrations:
                  acme:
                    variables:
                      tenant: b  # mine
                      host: h
                      key: {command: [pass, show, "a b"]}
                    client_id: x

                """)
    }

    @Test("a client that becomes public loses its secret")
    func dropped() throws {
        var draft = RegistrationDraft(provider: "acme")
        draft.drops = ["client_secret"]
        draft.clientID = "x"
        let text = try RegistrationEdit.apply(
            draft, to: "registrations:\n  acme:\n    client_secret:\n      env: A\n    client_id: a\n",
            path: "flowrun.yaml")
        #expect(text == "registrations:\n  acme:\n    client_id: x\n")
    }

    private static let managed = """
        # mine
        registrations:
          acme:
            client_id: dyn       # given
            registration_client_uri: "https://acme.example/register/dyn"
            registration_access_token: {file: secrets/acme.registration}
          other: {client_id: x}

        """

    @Test("what manages a client is written and replaced like everything else")
    func management() throws {
        var draft = RegistrationDraft(provider: "acme")
        draft.clientID = "dyn"
        draft.authenticationMethod = .clientSecretPost
        draft.managementURI = "https://acme.example/register/dyn"
        draft.managementToken = .file("secrets/acme-2.registration")
        let text = try RegistrationEdit.apply(draft, to: Self.managed, path: "flowrun.yaml")
        #expect(
            text == """
                # mine
                registrations:
                  acme:
                    client_id: dyn       # given
                    registration_client_uri: "https://acme.example/register/dyn"
                    registration_access_token: {file: secrets/acme-2.registration}
                    token_endpoint_auth_method: client_secret_post
                  other: {client_id: x}

                """)
    }

    @Test("a client that is gone takes its keys along, and the entry when there are no others")
    func removed() throws {
        let all: Set = ["client_id", "registration_client_uri", "registration_access_token"]
        #expect(
            try RegistrationEdit.remove(all, of: "acme", from: Self.managed, path: "flowrun.yaml")
                == "# mine\nregistrations:\n  other: {client_id: x}\n")
        let kept = Self.managed.replacing("    client_id", with: "    scopes: [a]\n    client_id")
        #expect(
            try RegistrationEdit.remove(all, of: "acme", from: kept, path: "flowrun.yaml")
                == "# mine\nregistrations:\n  acme:\n    scopes: [a]\n  other: {client_id: x}\n")
        #expect(throws: RegistrationEdit.Failure.self) {
            try RegistrationEdit.remove(all, of: "other", from: Self.managed, path: "flowrun.yaml")
        }
    }

    @Test("texts that YAML would read as something else are quoted")
    func quoted() throws {
        var draft = RegistrationDraft(provider: "acme")
        draft.clientID = "123"
        draft.environment = "yes"
        draft.scopes = ["https://api.example/a b", "x: y", "\"q\" # c"]
        draft.redirectURI = "http://127.0.0.1:8400/callback"
        let text = try RegistrationEdit.apply(draft, to: nil, path: "flowrun.yaml")
        #expect(
            text.split(separator: "\n").dropFirst(3).map(String.init) == [
                "    client_id: \"123\"", "    environment: \"yes\"",
                "    scopes: [\"https://api.example/a b\", \"x: y\", \"\\\"q\\\" # c\"]",
                "    redirect_uri: \"http://127.0.0.1:8400/callback\"",
            ])
    }

    @Test(
        "a file that cannot be changed without harm is left alone",
        arguments: [
            "registrations: {other: {client_id: x}}\n", "registrations: [a]\n", "- a\n",
            "registrations:\n  acme: {client_id: x\n", "registrations:\n  acme:\n",
        ])
    func refused(text: String) {
        #expect(throws: RegistrationEdit.Failure()) {
            try RegistrationEdit.apply(Self.acme, to: text, path: "flowrun.yaml")
        }
    }

    @Test("a command line is split at spaces, quotes keep words together")
    func words() {
        #expect(WordSplitting.words("pass  show 'a b' c\"d e\"f ''") == ["pass", "show", "a b", "cd ef", ""])
        #expect(WordSplitting.words("op read \"x") == nil)
        #expect(WordSplitting.words("  ") == nil)
    }
}
