internal import FlowReport

/// Commands about traces of runs.
extension CommandTable {
    private static let whichTrace = """
        TRACE is a file, the identifier of a run or the end of one, or - for standard input; left out, it is the \
        newest. The last hundred runs that sent something are kept, without their secrets.
        """
    private static let forms = "text, " + ReportFormat.allCases.map(\.rawValue).joined(separator: ", ")

    static let traceList = CommandSpec(
        "trace list", summary: "list the traces that are kept", options: [output, json])

    static let traceShow = CommandSpec(
        "trace show", "[TRACE]", count: 0...1, summary: "show a trace",
        notes: """
            Writes to standard output; with --verbose the text says everything. With --why only what was looked at to \
            find the way on from one step, as text or json; status 12 when the run never came to it. \(whichTrace)
            """,
        options: [
            OptionSpec(
                "output", "FORM", short: "o",
                choices: ["text"] + ReportFormat.allCases.map(\.rawValue) + ["json"],
                help: "\(forms); with --why text or json"),
            WhyQuestion.option,
        ])

    static let traceExport = CommandSpec(
        "trace export", "FORM=FILE... ", count: 1...20, summary: "write reports of a trace to files",
        notes: "FORM is one of \(forms). \(whichTrace)",
        options: [OptionSpec("trace", "TRACE", environment: false, help: "which trace (default: the newest)")]
    )

    static let traceDiff = CommandSpec(
        "trace diff", "TRACE [TRACE]", count: 1...2,
        summary: "show where two runs part, and the first difference that matters",
        notes: """
            With one TRACE it is compared with the newest. What is random or a time differs between any two runs and \
            does not matter. Status 12 when something that matters differs. \(whichTrace)
            """, options: [output, json])

    static let traceRedact = CommandSpec(
        "trace redact", "[TRACE]", count: 0...1, summary: "write a trace that strangers may read",
        notes: """
            Leaves out lengths and fingerprints of secrets, what is known of the person, and every text that a server, \
            a hook or a person wrote. Names, hosts, addresses, outcomes and checks stay. \(whichTrace)
            """)

    static let traceVerify = CommandSpec(
        "trace verify", "FILE...", count: 1...1_000,
        summary: "look for secrets in a trace, a report or any other text",
        notes: """
            Finds the secrets that the options name, raw or encoded, and whatever looks like a token, a private key or \
            the value of a secret parameter. FILE may be the identifier of a run, for its trace; - is standard input. \
            Status 7 when there is one.
            """,
        options: [
            OptionSpec(
                "secret-env", "NAME", environment: false,
                help: "variable with a value that must not be there"),
            OptionSpec(
                "secret-file", "FILE", environment: false,
                help: "file with a value that must not be there"),
            OptionSpec("strict", environment: false, help: "status 7 also for what only looks like a key"),
            output, json,
        ])

    static let traceReplay = CommandSpec(
        "trace replay", "[TRACE]", count: 0...1,
        summary: "run the machine again with the answers of a trace, and say where it goes another way",
        notes: """
            Nothing is sent: the answers are those of the trace, as far as it shows them, and made up where it hides \
            them. The flow is the one in the trace, or with --flow the one of today. Status 12 when the run takes \
            another path. \(whichTrace)
            """,
        options: [
            OptionSpec("flow", "FLOW", environment: false, help: "flow to run in place of the recorded one"),
            OptionSpec("provider", "NAME", short: "p", environment: false, help: "provider, by name or path"),
        ] + client + [output, json])
}
