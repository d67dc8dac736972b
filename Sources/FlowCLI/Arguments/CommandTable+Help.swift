/// The commands about flowrun itself: what is wrong around it, what it is told where, and how a shell knows it.
extension CommandTable {
    static let doctor = CommandSpec(
        "doctor", summary: "look for what keeps sign-ins from working",
        notes: """
            Looks at folders, store, keyring, browser, proxies, certificate authorities, and at the registered clients \
            with their secrets. Asks no provider unless --network is given. Status 0 whatever is found.
            """,
        options: [
            OptionSpec(
                "network", environment: false,
                help: "ask the registered providers too, and compare their clocks with this one"),
            OptionSpec("strict", environment: false, help: "status 9 when something is to be mended"),
            OptionSpec("browser", "COMMAND", help: "what would open addresses"),
            OptionSpec("cacert", "FILE", help: "certificate authorities to trust, in place of the system's"),
            OptionSpec("http-timeout", "DURATION", help: "bound of one HTTP request, as 20s"), output, json,
        ] + store)

    private static let keyNote = """
        KEY is PROVIDER.NAME of a registration: client_id, token_endpoint_auth_method, environment, redirect_uri, scopes \
        or variables.NAME.
        """

    static let configPath = CommandSpec(
        "config path", summary: "show the files and folders that are used", options: [output, json])
    static let configExplain = CommandSpec(
        "config explain", "KEY", count: 1...1, summary: "show which place a value comes from",
        notes: """
            KEY is an option such as store, a variable such as FLOWRUN_STORE, or PROVIDER.NAME of a registration, \
            secrets among them. Shows every place that may say it, in the order in which they count.
            """, options: [output, json])
    static let configGet = CommandSpec(
        "config get", "KEY", count: 1...1, summary: "show a value of a registration",
        notes: "\(keyNote) Status 3 when nothing says it. Where a secret is, flowrun config explain shows.")
    static let configSet = CommandSpec(
        "config set", "KEY VALUE", count: 2...2, summary: "write a value of a registration to flowrun.yaml",
        notes: """
            \(keyNote) Everything else in the file stays as it is. Secrets are not written: flowrun provider add says \
            where they are.
            """,
        options: [OptionSpec("user", environment: false, help: "write to the user's file, in a project too")])

    static let completion = CommandSpec(
        "completion", "bash|zsh|fish", count: 1...1, summary: "write what has a shell complete command lines",
        notes: """
            bash: source <(flowrun completion bash). zsh: source <(flowrun completion zsh), after compinit. fish: \
            flowrun completion fish | source. For everybody on a machine write it to \
            /usr/share/bash-completion/completions/flowrun, /usr/local/share/zsh/site-functions/_flowrun or \
            /usr/share/fish/vendor_completions.d/flowrun.fish.
            """)

    static let manual = CommandSpec(
        "man", summary: "write the manual page",
        notes: "flowrun man | man -l - shows it; flowrun man >~/.local/share/man/man1/flowrun.1 keeps it, "
            + "in /usr/local/share/man/man1 for everybody.")

    /// Asked by the shells; its arguments are the words before the cursor, the last one unfinished.
    static let complete = CommandSpec(
        "complete", "-- [WORD]...", count: 0...1_000, summary: "complete a line")
}
