/// Commands about hooks, and about the programs that flows run.
extension CommandTable {
    static let hooksList = CommandSpec(
        "hooks list", "FLOW", count: 1...1,
        summary: "list the hooks of a flow in the order in which they fire",
        notes: """
            For each hook: its point, the steps it fires at, what it does, what it reads, which secrets it is given, \
            what it may change, and whether its program is trusted. With --provider those of the descriptor too.
            """,
        options: [
            OptionSpec(
                "provider", "NAME", short: "p", help: "provider whose hooks come around those of the flow"),
            output, json,
        ])

    static let trust = CommandSpec(
        "trust", "[FILE]", count: 0...1,
        summary: "let a file do what reaches beyond it, or list the files that may",
        notes: """
            A flow may name programs and servers: exec and http hooks, and ports with exec. They are run only after \
            somebody has trusted the flow as it is: the file, what it imports and the programs, by their SHA-256. \
            A project's flowrun.yaml needs it for secrets that are not the project's: what a command prints, files \
            elsewhere, the keyring, and variables that do not begin as the provider's do. A project's provider file \
            needs it to send secrets elsewhere than the user's or flowrun's own file of that provider does, and to get \
            those that the user registered, or a session of a sign-in that went to other places. When any of this \
            changes, the file must be trusted again. Without a terminal a run that needs it ends with status 3; --trust \
            allows it this time. A dry run reads no secret, starts nothing and needs no trust.
            """,
        options: [output, json])

    static let untrust = CommandSpec(
        "untrust", "FILE", count: 1...1, summary: "take that back")
}
