internal import OAuthProtocol

/// The commands about providers.
extension CommandTable {
    static let providerList = CommandSpec(
        "provider list", "[WORD]...", count: 0...10, summary: "list providers",
        notes: "With WORDs only those whose name holds all of them.", options: [output, json])

    static let providerShow = CommandSpec(
        "provider show", "NAME", count: 1...1, summary: "show a provider",
        notes: """
            With --json every field as the file, what it extends and the environment of the registration make it, each \
            with the place that says it. Secrets are not shown, only where they are.
            """, options: [output, json])

    static let providerDiscover = CommandSpec(
        "provider discover", "ISSUER|RESOURCE", count: 1...1,
        summary: "show what a provider publishes of itself",
        notes: """
            Fetches the metadata of OpenID Connect Discovery or RFC 8414 and checks it as a run would. ISSUER is an \
            https address; a host alone will do. So will the address of a RESOURCE, an API that says whose tokens it \
            takes (RFC 9728). --write makes a provider file of it.
            """,
        options: [
            OptionSpec(
                "write", "FILE", environment: false,
                help: "write a provider file, which must not exist yet; - is standard output"),
            OptionSpec(
                "name", "NAME", environment: false,
                help: "name of the provider (default: that of the file, or one made of the host)"),
            OptionSpec(
                "resource", "URL", environment: false,
                help: "API that the tokens are for, when it takes those of several"),
            OptionSpec(
                "metadata-url", "URL", environment: false, help: "where the metadata is, if at no usual place"
            ),
            httpTimeout, cacert, output, json,
        ])

    static let providerTest = CommandSpec(
        "provider test", "NAME", count: 1...1, summary: "check everything that needs no person",
        notes: """
            Reads the provider file, the registration and its secrets, fetches metadata and keys, compares them with the \
            file and reaches every endpoint. Nobody signs in and nothing is changed at the provider. The status is that \
            of the first check that fails.
            """,
        options: client + [
            OptionSpec(
                "with-token", environment: false,
                help: "also ask for a token for the client itself"),
            httpTimeout, cacert, output, json,
        ])

    static let providerAdd = CommandSpec(
        "provider add", "NAME", count: 1...1, summary: "write a client's registration to flowrun.yaml",
        notes: """
            Asks for what is missing: client identifier, where its secret is, variables. A secret itself is never \
            written to flowrun.yaml; --set gives the place of a secret variable, as key=env:NAME, key=file:FILE, \
            key=command:COMMAND or key=keyring:NAME. Writes the project's file, or the user's where there is no project; \
            the rest of the file stays as it is.
            """,
        options: client.filter { $0.name != "client-secret-stdin" } + [
            OptionSpec(
                "client-secret-command", "COMMAND", environment: false,
                help: "program that prints the client secret, with its arguments"),
            OptionSpec(
                "client-secret-keyring", "NAME", environment: false,
                help: "keyring entry with the client secret"),
            OptionSpec(
                "certificate-file", "FILE", environment: false,
                help: "file with the certificate that the client shows in TLS, PEM"),
            OptionSpec(
                "certificate-key-file", "FILE", environment: false,
                help: "file with the certificate's key, where that is not the private key"),
            OptionSpec("public", environment: false, help: "the client has no secret"),
            OptionSpec(
                "replace", environment: false, help: "although flowrun.yaml has another client already"),
            OptionSpec("user", environment: false, help: "write the user's flowrun.yaml"),
            OptionSpec("no-input", help: "ask nothing; status 4 when something is missing"),
        ])

    static let register = CommandSpec(
        "register", "PROVIDER", count: 1...1,
        summary: "register a client with a provider that lets programs do so",
        notes: """
            Registers a client (RFC 7591) and writes it to flowrun.yaml. What the provider's file says of clients is \
            registered with it, such as id_token_signed_response_alg, and the scopes that a sign-in asks for. Its \
            secret, and the token that lets it change the registration, go into files of their own that only you can \
            read, never into flowrun.yaml. --dry-run shows the request and sends nothing. --show, --update and --delete \
            look after a client that was registered so (RFC 7592). --replace ends the client that was there once the new \
            one is kept; where the provider does not end it, the new one is kept all the same, and the status tells. \
            With --document no provider is asked: the client is known by the address of a document, which is printed for \
            you to publish there; a provider reads it where its metadata has client_id_metadata_document_supported.
            """,
        options: [
            OptionSpec("dry-run", environment: false, help: "show the request, send and write nothing"),
            OptionSpec("show", environment: false, help: "show what the provider has registered"),
            OptionSpec("update", environment: false, help: "change what the other options say"),
            OptionSpec("delete", environment: false, help: "end the registration, and forget the client"),
            OptionSpec(
                "forget", environment: false,
                help: "with --delete: forget the client although the provider does not end it"),
            OptionSpec("name", "NAME", environment: false, help: "what people read when they are asked"),
            OptionSpec(
                "grant", "TYPE", environment: false,
                help: "grant that the client will use (default: authorization_code, refresh_token)"),
            OptionSpec(
                "auth", "METHOD", choices: ClientAuthenticationMethod.allCases.map(\.rawValue),
                environment: false,
                help: "how the client will prove who it is (default: the provider's usual way)"),
            OptionSpec(
                "metadata", "FILE", environment: false, help: "JSON with further members of the request"),
            OptionSpec(
                "document", "URL", environment: false,
                help: "print the document to publish there, and be known by its address; send nothing"),
        ]
            + client.filter {
                ["private-key-file", "private-key-env", "environment", "scope", "set", "redirect-uri"]
                    .contains(
                        $0.name)
            } + initialAccessToken + [
                OptionSpec(
                    "initial-access-token-stdin", environment: false,
                    help: "read that token from standard input"),
                OptionSpec(
                    "replace", environment: false,
                    help: "although flowrun.yaml has a client already, which is ended then"),
                OptionSpec("user", environment: false, help: "write the user's flowrun.yaml"),
                httpTimeout, cacert, output, json,
            ])

    static let providerHosts = CommandSpec(
        "provider hosts", "NAME", count: 1...1,
        summary: "list the hosts that a provider needs, for firewalls",
        notes: "Without any request: from the provider file and from metadata that is cached.",
        options: client.filter { ["set", "environment"].contains($0.name) } + [output, json])

    static let providerPins = CommandSpec(
        "provider pins", "NAME", count: 1...1,
        summary: "show the certificates of a provider's hosts, as pins",
        notes: """
            Shakes hands with every host that flowrun itself asks, and prints each certificate of its verified chain \
            with the pins of key and certificate, and a tls mapping for the provider file. Nothing is sent.
            """,
        options: client.filter { ["set", "environment"].contains($0.name) } + [
            httpTimeout, cacert, output, json,
        ])

    static let httpTimeout = OptionSpec(
        "http-timeout", "DURATION", help: "bound of one HTTP request, as 20s")
    static let cacert = OptionSpec(
        "cacert", "FILE", help: "certificate authorities to trust, in place of the system's")
}
