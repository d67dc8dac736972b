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
        "trust", "[FLOW]", count: 0...1,
        summary: "let a flow run its programs, or list the flows that may",
        notes: """
            A flow may name programs and servers: exec and http hooks, and ports with exec. They are run only after \
            somebody has trusted the flow as it is: the file, what it imports and the programs, by their SHA-256. When \
            one of them changes, the flow must be trusted again. Without a terminal a run of a flow that is not trusted \
            ends with status 3; --trust lets it run this time. A dry run starts nothing and needs no trust.
            """,
        options: [output, json])

    static let untrust = CommandSpec(
        "untrust", "FLOW", count: 1...1, summary: "let a flow run its programs no longer")
}
