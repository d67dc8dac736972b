internal import JOSE

/// The commands that use a session: what asks about its tokens, what calls with them, and what hands them to other
/// programs.
extension CommandTable {
    private static let providerNote = """
        PROVIDER is the name of a provider; left out, it is the only one that flowrun.yaml registers.
        """

    static let revoke = CommandSpec(
        "revoke", "[PROVIDER]", count: 0...1, summary: "have the provider revoke the tokens",
        notes: """
            Runs the flow "revoke". The session is forgotten when the provider has revoked all of it, and kept when it \
            has not; flowrun logout forgets it in any case. \(providerNote)
            """, options: binding + rehearsal + live + reporting)

    static let jwtDecode = CommandSpec(
        "jwt decode", "[FILE]", count: 0...1, summary: "show what a token says, without asking anybody",
        notes: """
            Reads a JWT from FILE or from standard input, never from an argument, and shows its header and its claims, \
            times as dates. Nothing leaves this machine. The signature is not checked; of an encrypted token only the \
            header is shown.
            """, options: [output, json])

    static let jwtVerify = CommandSpec(
        "jwt verify", "[FILE]", count: 0...1, summary: "check that a token is an issuer's, and still good",
        notes: """
            Reads a JWT from FILE or from standard input, fetches the keys that its issuer publishes, and checks the \
            signature, the issuer and the times. Give the audience that an API takes: a token for another is no token \
            for it. Whether a token was revoked only its issuer knows: flowrun introspect. Status 7: it is not good.
            """,
        options: [
            OptionSpec("issuer", "URL", environment: false, help: "whose token it must be"),
            OptionSpec(
                "provider", "NAME", short: "p", help: "the same by the name or the path of a provider file"),
            OptionSpec("audience", "TEXT", environment: false, help: "for whom it must be"),
        ] + client.filter { $0.name == "set" || $0.name == "environment" } + [
            httpTimeout, cacert, output, json,
        ])

    static let jwtSign = CommandSpec(
        "jwt sign", "[FILE]", count: 0...1, summary: "sign claims, as a client's assertion",
        notes: """
            Signs the claims of FILE, a JSON object, or of standard input for -, and those of --claim, and prints the JWT. \
            What is not there is added: iat, exp and jti. What proves a client has its identifier as iss and sub, and the \
            issuer as aud (RFC 7523 §3).
            """,
        options: [
            OptionSpec(
                "claim", "NAME=VALUE", environment: false,
                help: "claim that is a text; of the same name again: a list")
        ] + client.filter { $0.name.hasPrefix("private-key-") } + [
            OptionSpec(
                "algorithm", "ALG",
                choices: SignatureAlgorithm.allCases.filter { $0.keyType != nil }.map(\.rawValue),
                environment: false, help: "what signs (default: what the key is for)"),
            OptionSpec(
                "kid", "ID", environment: false,
                help: "name of the key in the header (default: that of a JWK)"),
            OptionSpec("type", "TYP", environment: false, help: "typ of the header (default: JWT)"),
            OptionSpec(
                "lifetime", "DURATION", environment: false, help: "how long it is good (default: 5m)"),
        ])

    static let pkce = CommandSpec(
        "pkce", "[FILE]", count: 0...1, summary: "make a code verifier and its challenge",
        notes: """
            For a request made by hand; a flow makes its own (RFC 7636). With FILE, or - for standard input, the challenge \
            is that of the verifier there.
            """, options: [output, json])

    static let introspect = CommandSpec(
        "introspect", "[PROVIDER]", count: 0...1, summary: "ask the provider about the stored token",
        notes: """
            Runs the flow "introspect" (RFC 7662). Nothing is refreshed first. Status 4: the token is not good, or \
            nobody is signed in. \(providerNote)
            """,
        options: [OptionSpec("refresh-token", environment: false, help: "ask about the refresh token")]
            + binding + rehearsal + live + reporting)

    /// Whose session it is.
    ///
    /// Standard input belongs to the other program, or to a body.
    private static let session = binding.filter {
        !["input", "var", "client-secret-stdin"].contains($0.name)
    }

    /// Of a run in which nobody is asked.
    private static let unattended = live.filter {
        ["timeout", "http-timeout", "cacert", "refresh-metadata", "store"].contains($0.name)
    }

    // MARK: http

    static let http = CommandSpec(
        "http", "METHOD URL", count: 2...2, summary: "send a request that bears the access token",
        notes: """
            METHOD is \(HTTPCallRequest.methods). The token is refreshed first if need be, and once more when the server \
            refuses it (401, or what the provider's file takes for that); one that is bound to a key is proven (DPoP). \
            https only, http to this machine; redirects are not followed. The token goes only to servers that the provider's file or metadata names, to the one of \
            --resource, and to those of --allow-host. The body of the answer goes to standard output as it is, at most 64 MiB. Status 4: the \
            token is refused, or somebody has to sign in; 6: the server answers 4xx or 5xx; 7: the token is not for it.
            """,
        options: [
            OptionSpec(
                "allow-host", "HOST[:PORT]", environment: false,
                help: "server that may have the token although the provider does not name it"),
            OptionSpec(
                "header", "NAME: VALUE", short: "H", environment: false,
                help: "further header field"),
            OptionSpec(
                "data", "TEXT|@FILE|-", short: "d", environment: false,
                help: "body, from a file or standard input; a form unless --header says otherwise"),
            OptionSpec(
                "json-body", "TEXT|@FILE|-", environment: false,
                help: "body that is JSON, and is checked to be"),
            OptionSpec("include", short: "i", environment: false, help: "status and header fields as well"),
            OptionSpec(
                "output", "FILE", short: "o", environment: false,
                help: "write the body to FILE, which is made for you alone"),
            minimum, ownToken,
        ] + narrowing + session.filter(sessionBinding.contains) + unattended)

    // MARK: credential

    static func credential(_ helper: CredentialRequest.Helper) -> CommandSpec {
        CommandSpec(
            "credential \(helper.rawValue)", helper.arguments, count: 0...1, summary: helper.summary,
            notes: helper.notes,
            options: options(of: helper) + [minimum, ownToken]
                + (helper == .kubectl
                    // Its scopes may be those of a sign-in.
                    ? session + live : narrowing + session.filter(sessionBinding.contains) + unattended))
    }

    private static func options(of helper: CredentialRequest.Helper) -> [OptionSpec] {
        let token = kind("\(helper.standardToken.rawValue); of a client's own: access")
        let host = OptionSpec(
            "host", "HOST[:PORT]", environment: false,
            help: "host that may have the token (default: those that the provider's file names)")
        let user = OptionSpec(
            "user", "NAME", environment: false, help: "user name that goes with it (default: oauth2)")
        let file = OptionSpec("file", "FILE", environment: false, help: helper.fileHelp)
        switch helper {
        case .git, .docker: return [host, user]
        case .netrc:
            return [
                OptionSpec(
                    "host", "HOST", environment: false, help: "machine of the entry"), user,
                file,
            ]
        case .awsFile: return [token, file]
        case .githubActions:
            return [
                token,
                OptionSpec(
                    "name", "NAME", environment: false, help: "what the token is called (default: token)"),
                OptionSpec(
                    "to", "WHERE", choices: CredentialRequest.Reach.allCases.map(\.rawValue),
                    environment: false,
                    help: "output: steps that ask for it; env: every later step (default: output)"),
            ]
        case .kubectl:
            return [
                token,
                OptionSpec(
                    "sign-in", environment: false,
                    help: "sign in with the browser when kubectl lets a person be asked"),
            ]
        }
    }

    // MARK: setup

    private static let replace = OptionSpec(
        "replace", environment: false, help: "take the place of what somebody else wrote there")
    private static let show = OptionSpec(
        "print", environment: false, help: "write nothing; show what would be written")
    private static let hosts = OptionSpec(
        "host", "HOST[:PORT]", environment: false,
        help: "host that flowrun answers for (default: those that the provider's file names)")
    private static let user = OptionSpec(
        "user", "NAME", environment: false, help: "user name that goes with the token (default: oauth2)")

    private static let setupSession =
        [
            ownToken,
            OptionSpec("profile", "NAME", help: "whose session it is (default: default)"),
            OptionSpec("client-id", "ID", help: "client identifier"),
            OptionSpec("environment", "NAME", help: "environment of the provider, as sandbox"),
            OptionSpec(
                "set", "NAME=VALUE", environment: false,
                help: "value of a variable of the provider; of a secret one its place: env:NAME, file:FILE"),
            OptionSpec("cacert", "FILE", help: "certificate authorities to trust, in place of the system's"),
        ]

    static let setupGit = CommandSpec(
        "setup git", "PROVIDER", count: 1...1, summary: "have git take tokens from flowrun",
        notes: """
            Writes credential.https://HOST.helper into git's global configuration, for each host. Other helpers are not \
            asked for these hosts any more: they would keep the token.
            """, options: [hosts, user, replace, show] + narrowing + setupSession)

    static let setupDocker = CommandSpec(
        "setup docker", "PROVIDER", count: 1...1, summary: "have docker take tokens from flowrun",
        notes: """
            Writes the program docker-credential-flowrun-PROVIDER, which runs flowrun, and names it for each registry \
            under credHelpers of docker's config.json.
            """,
        options: [
            OptionSpec("host", "HOST[:PORT]", environment: false, help: "registry"), user,
            OptionSpec(
                "bin-dir", "DIR", environment: false,
                help: "where that program goes, a folder of PATH (default: ~/.local/bin)"), replace, show,
        ] + narrowing + setupSession)

    static let setupKubectl = CommandSpec(
        "setup kubectl", "PROVIDER", count: 1...1, summary: "have kubectl take tokens from flowrun",
        notes: """
            Shows a kubeconfig with the user flowrun-PROVIDER, or writes it to a file of its own, to be named in \
            KUBECONFIG beside the others: KUBECONFIG=~/.kube/config:FILE. Then: kubectl config set-context --current \
            --user=flowrun-PROVIDER
            """,
        options: [
            OptionSpec("file", "FILE", environment: false, help: "write it to FILE"),
            OptionSpec(
                "exec-version", "VERSION", choices: ["v1", "v1beta1"], environment: false,
                help: "of the plug-in's protocol: v1, or v1beta1 for a kubectl before 1.22 (default: v1)"),
            kind("id; of a client's own: access"),
            OptionSpec(
                "sign-in", environment: false,
                help: "let kubectl open the browser where it lets a person be asked"), replace,
            OptionSpec("scope", "SCOPE", environment: false, help: "further scope to ask for"),
        ] + setupSession)
}
