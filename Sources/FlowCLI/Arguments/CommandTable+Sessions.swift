/// The commands of every day, and those of the store.
extension CommandTable {
    private static let provider = "[PROVIDER]"
    private static let providerNote = """
        PROVIDER is the name of a provider; left out, it is the only one that flowrun.yaml registers.
        """

    static let login = CommandSpec(
        "login", provider, count: 0...1, summary: "sign in, as little asking as possible",
        notes: """
            Runs the flow "login": a stored session is reused, an expired one refreshed, and the browser opened only \
            when it must be. \(providerNote)
            """, options: binding + rehearsal + live + reporting)

    static let logout = CommandSpec(
        "logout", provider, count: 0...1, summary: "forget the session",
        notes: """
            Runs the flow "logout". Whatever goes wrong at the provider, the session on this machine is deleted, with \
            the file of flowrun credential aws-file where that was written without --file. \(providerNote) With --all \
            it narrows down which sessions are meant, as --profile does; --set and the like hold for each. Status 6 \
            with --revoke: the session is gone, but its provider has not revoked all of its tokens; one that cannot \
            revoke any is not meant.
            """,
        options: [
            OptionSpec("all", environment: false, help: "every stored session, each at its own provider"),
            OptionSpec("revoke", help: "have the provider revoke the tokens"),
            OptionSpec("everywhere", help: "sign out at the provider too, in the browser"),
        ] + binding + rehearsal + live + reporting)

    static let token = CommandSpec(
        "token", provider, count: 0...1, summary: "print an access token that is good, refreshed if need be",
        notes: """
            Runs the flow "refresh" and prints nothing but the token, for scripts. Status 4: somebody has to sign in. \
            An ID token is for services that look at who signed in to this client. \
            With --client-credentials it runs the flow "client-credentials", for which nobody signs in. \(providerNote)
            """,
        options: [
            OptionSpec("header", help: "print it as the header field of a request"), kind("access"), minimum,
            OptionSpec("force-refresh", help: "refresh even a token that is good"), ownToken,
        ] + narrowing + sessionBinding + live + reporting)

    static let refresh = CommandSpec(
        "refresh", provider, count: 0...1, summary: "refresh the session now",
        notes: "Runs the flow \"refresh\". \(providerNote)",
        options: narrowing + sessionBinding + rehearsal + live + reporting)

    static let userinfo = CommandSpec(
        "userinfo", provider, count: 0...1, summary: "ask the provider who is signed in",
        notes: "Runs the flow \"userinfo\". \(providerNote)", options: binding + rehearsal + live + reporting)

    static let exec = CommandSpec(
        "exec", "-- PROGRAM [ARGUMENT]...", count: 1...1_000,
        summary: "run a program that has a good access token",
        notes: """
            Runs the flow "refresh", then the program in place of flowrun, with the token in the variable \
            FLOWRUN_ACCESS_TOKEN, an ID token in FLOWRUN_ID_TOKEN. Its status is the program's. Status 4: somebody has to sign in; 126: the program \
            cannot be run; 127: there is none. With --client-credentials it runs the flow \
            "client-credentials", for which nobody signs in.
            """,
        options: [
            OptionSpec("variable", "NAME", help: "another variable for the token"), kind("access"), minimum,
            ownToken,
        ] + narrowing + sessionBinding + live)

    /// Whose token it is.
    static let ownToken = OptionSpec(
        "client-credentials", environment: false,
        help: "the client's own token, kept by the flow client-credentials, or asked for anew")

    /// Which token.
    static func kind(_ standard: String) -> OptionSpec {
        OptionSpec(
            "kind", "KIND", choices: ["access", "id"], environment: false,
            help: "access token or ID token (default: \(standard))")
    }

    static let minimum = OptionSpec(
        "min-ttl", "DURATION",
        help: "life that the token must have left (default: 5m, at most half of its life)")

    static let status = CommandSpec(
        "status", provider, count: 0...1, summary: "show the stored sessions",
        notes: "With PROVIDER only the sessions there. Asks nobody: what is shown is what is stored.",
        options: [
            output, json,
            OptionSpec(
                "provider", "NAME", short: "p", environment: false, help: "the same as PROVIDER"),
            OptionSpec("check", help: "status 4 unless each session shown can be used and none is in doubt"),
            OptionSpec("profile", "NAME", help: "only the sessions of this profile"),
        ] + store)

    // MARK: Store

    static let store = [
        OptionSpec(
            "store", "WHERE", choices: StoreChoice.words,
            help: "what keeps the key of the sessions: keyring, passphrase, file, auto or none")
    ]

    static let storeStatus = CommandSpec(
        "store status", summary: "show where sessions are kept and how they are sealed",
        options: [output, json] + store)
    static let storeCheck = CommandSpec(
        "store check", summary: "read every session of the store",
        notes: "Status 9 when one of them cannot be read, or when the database is damaged.", options: store)
    static let storeSeal = CommandSpec(
        "store seal", "METHOD", count: 1...1, summary: "seal the store with another key",
        notes: """
            METHOD is keyring, passphrase or file. Every session is sealed anew in one transaction; the old key is \
            given up last. A key file is not replaced by another one: for a new key seal with a passphrase first. A \
            passphrase comes from \(StoreSetup.variable), from the file that \
            \(StoreSetup.variable)_FILE names, from the command in \(StoreSetup.variable)_COMMAND, or is asked for; \
            the one that another passphrase takes the place of comes from the same with _OLD behind it.
            """)
    static let storeExport = CommandSpec(
        "store export", "FILE", count: 1...1, summary: "write all sessions to a file that a passphrase seals",
        notes: """
            For another machine, where flowrun store import FILE takes them over. Refresh tokens that work once are used \
            in one place alone from then on: the copy that comes second is refused, and many providers then end the \
            session for both. So it is with a store that comes back from a backup.
            """,
        options: [passphraseFile] + store)
    static let storeImport = CommandSpec(
        "store import", "FILE", count: 1...1, summary: "take over the sessions of such a file",
        notes: "A session that is here already is kept unless --replace is given.",
        options: [
            passphraseFile,
            OptionSpec("replace", environment: false, help: "take the file's session where both have one"),
        ] + store)
    static let storeReset = CommandSpec(
        "store reset", summary: "delete every session and the key",
        options: [OptionSpec("yes", environment: false, help: "do it")])

    private static let passphraseFile = OptionSpec(
        "passphrase-file", "FILE", environment: false,
        help: "file with the passphrase of the export; asked for when left out")
}
