internal import FlowSandbox

/// The help, made of `CommandTable` alone.
enum HelpText {
    static let topics = ["exit-codes", "environment", "files", "json", "faults"]

    /// - Throws: When no command or topic has that name.
    static func text(of topic: [String]) throws(UsageError) -> String {
        guard let first = topic.first else { return overview }
        let name = topic.joined(separator: " ")
        if let spec = CommandTable.spec(name) { return help(of: spec) }
        let subcommands = CommandTable.all.filter { $0.name.hasPrefix(first + " ") }
        if topic.count == 1, !subcommands.isEmpty {
            return subcommands.map(own).joined(separator: "\n") + common
        }
        switch name {
        case "commands": return overview
        case "exit-codes": return exitCodes
        case "environment": return environment
        case "files": return files
        case "json": return json
        case "faults": return faults
        default:
            let known = CommandTable.all.map(\.name) + CommandTable.words + topics
            throw UsageError("no help on \"\(name)\"\(ArgumentReader.suggestion(name, known))")
        }
    }

    static var overview: String {
        let groups = CommandTable.groups.map { group in
            let rows = group.commands.map { spec -> (left: String, right: String) in
                (spec.arguments.isEmpty ? spec.name : "\(spec.name) \(spec.arguments)", spec.summary)
            }
            return "\(group.title)\n\(table(rows, width: 30))\n"
        }
        return """
            flowrun runs sign-in flows that are written in YAML.

            usage: flowrun COMMAND [OPTION]...
                   flowrun FLOW [OPTION]...      the same as: flowrun run FLOW

            to begin with
            \(table(beginning, width: 30))

            \(groups.joined(separator: "\n"))
            flowrun help COMMAND shows a command's options; further topics: \(topics.joined(separator: ", "))

            """
    }

    private static let beginning = [
        (
            left: "flowrun provider list acme",
            right: "is the provider known? Otherwise: flowrun provider discover"
        ),
        (left: "flowrun provider add acme", right: "name the client that is registered with it"),
        (left: "flowrun login acme", right: "sign in, with a browser"),
        (left: "flowrun token acme", right: "print a token, for scripts"),
    ]

    private static func help(of spec: CommandSpec) -> String {
        own(spec) + common
    }

    private static var common: String {
        "\noptions of every command\n\(table(CommandTable.common))\n"
    }

    /// What the help of this command alone says.
    private static func own(_ spec: CommandSpec) -> String {
        let own = spec.options.dropLast(CommandTable.common.count)
        var text = "\(spec.summary)\n\nusage: flowrun \(spec.name)"
        if !spec.arguments.isEmpty { text += " \(spec.arguments)" }
        text += " [OPTION]...\n"
        if !spec.notes.isEmpty { text += "\n\(wrapped(spec.notes))\n" }
        if !own.isEmpty { text += "\noptions\n\(table(own))\n" }
        return text
    }

    private static func table(_ options: some Sequence<OptionSpec>) -> String {
        table(options.map { (left: $0.usage, right: $0.help) })
    }

    /// Two columns; a long left side has its right side on the next line.
    private static func table(_ rows: [(left: String, right: String)], width: Int? = nil) -> String {
        let width = width ?? min(30, rows.map(\.left.count).max() ?? 0)
        let margin = "\n" + String(repeating: " ", count: width + 4)
        let lines = rows.map { left, right -> String in
            left.count > width ? "  \(left)\(margin)\(right)" : "  \(left.padded(to: width))  \(right)"
        }
        return lines.joined(separator: "\n")
    }

    private static func wrapped(_ text: String) -> String {
        var lines = [""]
        for word in text.split(whereSeparator: \.isWhitespace) {
            if lines[lines.count - 1].count + word.count > 78 { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        return lines.joined(separator: "\n")
    }

    private static var exitCodes: String {
        let rows = ExitStatus.allCases.map { status -> (left: String, right: String) in
            ("\(status.rawValue)".leftPadded(to: 3) + "  \(status.name)", status.meaning)
        }
        return "exit statuses\n\n\(table(rows))\n"
    }

    private static var faults: String {
        let rows = Fault.spellingsByTarget.map { target, spellings in
            (left: target, right: spellings.joined(separator: ", "))
        }
        let text = """
            What may go wrong at the sandbox, for --fault SPEC of flowrun sandbox and of --dry-run=sandbox. SPEC is \
            TARGET:NAME of this table, with @N behind it for the Nth request alone, or xN for the first N.

            \(table(rows))

            """
        // The rows have no end of their own.
        return FittedText.fitted(text, to: 100)
    }

    private static var json: String {
        // The rows have no end of their own.
        FittedText.fitted("\(JSONForms.introduction)\n\n\(table(JSONForms.rows, width: 18))\n", to: 100)
    }

    private static var environment: String {
        """
        These options have a variable; the option wins. Options without a value take 1, true, yes or on, and
        0, false, no or off. What is done or let through this once, lists of NAME=VALUE and what is asked of one command
        alone have none.

        \(table(environmentRows.filter { $0.right.hasPrefix("--") }))

        others
        \(table(environmentRows.filter { !$0.right.hasPrefix("--") }))

        """
    }

    /// Variables, those of options first.
    static var environmentRows: [(left: String, right: String)] {
        var names: [String: String] = [:]
        for option in CommandTable.all.flatMap(\.options) where option.readsEnvironment {
            names[option.variable] = "--\(option.name)"
        }
        let variables = names.sorted { $0.key < $1.key }.map { (left: $0.key, right: $0.value) }
        let others = [
            ("<PROVIDER>_CLIENT_ID", "client identifier, as ACME_CLIENT_ID, or _4SHARED_CLIENT_ID"),
            ("<PROVIDER>_CLIENT_SECRET", "client secret; or <PROVIDER>_CLIENT_SECRET_FILE, its file"),
            ("<PROVIDER>_PRIVATE_KEY", "key that signs assertions; or <PROVIDER>_PRIVATE_KEY_FILE, its file"),
            (
                "<PROVIDER>_CLIENT_ASSERTION",
                "JWT that somebody else issued for the client; or <PROVIDER>_CLIENT_ASSERTION_FILE, its file"
            ),
            (
                "<PROVIDER>_CERTIFICATE, <PROVIDER>_CERTIFICATE_KEY",
                "what the client shows in TLS, and its key; or each with _FILE, its file"
            ),
            (
                StoreSetup.variable,
                "passphrase of the sessions; or with _FILE, its file, or with _COMMAND, a program that prints it"
            ),
            (
                "FLOWRUN_ALLOW_REVEAL",
                "1 lets --reveal write elsewhere than to a terminal, where CI is not set"
            ),
            ("CI", "set: nobody is asked without a terminal, and nothing is revealed"),
            (
                "HTTPS_PROXY, ALL_PROXY, NO_PROXY",
                "proxy, and hosts that go without; https_proxy and so on win. Never used for this machine itself"
            ),
            (
                "SSL_CERT_FILE, SSL_CERT_DIR",
                "certificate authorities to trust in place of the system's; --cacert wins"
            ),
            ("BROWSER", "program that opens addresses"),
            (
                "DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION, SSH_TTY, WSL_DISTRO_NAME, container",
                "whether a browser can be opened here"
            ),
            (
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "collector that runs send their spans to; or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
            ),
            ("TRACEPARENT", "span that those of a run belong to"),
            ("NO_COLOR, CLICOLOR, CLICOLOR_FORCE", "colours off and on"),
            ("LC_ALL, LC_CTYPE, LANG", "symbols where they name UTF-8, else ASCII"),
            ("XDG_CONFIG_HOME", "where flowrun/flows, flowrun/providers and flowrun/flowrun.yaml are"),
            ("XDG_DATA_HOME, XDG_STATE_HOME", "where sessions, locks and the sandbox are kept"),
            ("XDG_CACHE_HOME", "where flowrun/metadata keeps what providers publish"),
            ("HOME", "where these are by default; without it, the home of the user database"),
        ]
        return variables + others
    }

    static let files = """
        Flows and providers are named by a path or by a name. Names are looked up, in this order, in

          --providers DIR (providers only)
          flows/ and providers/ of the project: the nearest folder upwards that has flowrun.yaml, flows/ or providers/
          flows/ and providers/ of $XDG_CONFIG_HOME/flowrun (~/.config/flowrun)
          what comes with flowrun

        A folder that everybody may write to, or that is another user's, is no project.

        flowrun.yaml of the project and of $XDG_CONFIG_HOME/flowrun hold client registrations (flowrun provider add
        writes them). Of a provider the project's entry counts alone:

          registrations:
            acme:
              client_id: my-app
              client_secret: {env: ACME_SECRET}
              environment: sandbox                 # of those that the provider has
              variables: {tenant: example}
              scopes: [mail.read]                  # asked for as well
              redirect_uri: http://127.0.0.1:8400/callback

        flowrun register writes how the client proves itself, who registered it (no other issuer is shown it) and where
        it changes its registration besides:

              token_endpoint_auth_method: client_secret_basic
              issuer: https://acme.example
              registration_client_uri: https://acme.example/register/my-app
              registration_access_token: {file: secrets/acme.registration}

        client_secret, private_key (PEM or JWK, for clients that sign assertions), client_assertion (a JWT that a build
        service or a cluster issues for what runs there, and the provider trusts), certificate with certificate_key (PEM,
        for clients that prove themselves in TLS; the key may be private_key too), registration_access_token and secret
        variables say where the secret is, never what it is:

          {env: NAME}                    a variable
          {file: PATH}                   a file that not everybody may read, from the folder of flowrun.yaml
          {command: [pass, show, acme]}  what a program prints, without a shell, within 60 s
          {keyring: NAME}                the keyring of the desktop; keep it there with
                                         secret-tool store --label="flowrun NAME" flowrun NAME

        """
}

extension String {
    func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }

    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
