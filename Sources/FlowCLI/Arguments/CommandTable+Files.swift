/// The commands about flow files themselves.
extension CommandTable {
    static let lint = CommandSpec(
        "lint", "[PATH]...", count: 0...1000, summary: "check flows, providers and registrations",
        notes: """
            Without PATH checks the project's flows/, providers/ and flowrun.yaml. Status 3 when there are errors. \
            flowrun explain CODE says more about a finding.
            """,
        options: [
            OptionSpec(
                "provider", "NAME", short: "p",
                help: "say what a flow provides for that this provider never needs"),
            OptionSpec(
                "format", "FORM", choices: ["human", "short", "json", "sarif", "github"],
                help: "human, short, json, sarif (SARIF 2.1.0) or github (workflow commands)"),
            OptionSpec("coverage", help: "warn of outcomes that no test of a flow passes through (FL102)"),
            OptionSpec(
                "fix",
                help:
                    "put the nearest known names, quotes and the like into the files, each where that is all it takes"
            ),
            OptionSpec("exit-zero", help: "status 0 whatever is found"),
        ])

    static let test = CommandSpec(
        "test", "[FLOW]...", count: 0...1000, summary: "run the tests that flows bring along",
        notes: "Without FLOW tests all flows of the project. Nothing is sent. Status 12 when a test fails.",
        options: [
            OptionSpec("provider", "NAME", short: "p", help: "provider for tests that name none"),
            OptionSpec("filter", "TEXT", help: "only tests whose name holds TEXT"),
            OptionSpec(
                "format", "FORM", choices: ["text", "tap", "junit"], help: "text, tap (TAP 14) or junit (XML)"
            ),
            OptionSpec("coverage", help: "say which outcomes of which steps no test passes through"),
        ])

    static let explore = CommandSpec(
        "explore", "FLOW", count: 1...1, summary: "show where every outcome of every step leads",
        notes: """
            Rehearses a shortest run to each outcome; nothing is sent. One line each: step outcome -> end \
            [assumptions]. Status 12 when --check finds another table.
            """,
        options: [
            OptionSpec(
                "provider", "[ALIAS=]NAME", short: "p",
                help: "provider to use (default: the flow's, else sandbox)"),
            OptionSpec(
                "check", "FILE", environment: false, help: "compare the table with FILE; show what differs"),
            OptionSpec("write", "FILE", environment: false, help: "write the table to FILE"),
            output, json,
        ])

    static let format = CommandSpec(
        "fmt", "[PATH]...", count: 0...1000, summary: "write files in their canonical form",
        notes: """
            Without PATH formats the project's files; - reads standard input and writes standard output. Comments stay, \
            and what a file says never changes. Status 12 when --check finds a file to format, 3 when one cannot be \
            read.
            """,
        options: [
            OptionSpec("check", environment: false, help: "write nothing; name the files that differ"),
            OptionSpec("diff", environment: false, help: "write nothing; show the lines that would change"),
        ])

    static let kinds = CommandSpec(
        "kinds", "[KIND]", count: 0...1, summary: "show what kinds of steps there are",
        notes: "With KIND shows its arguments, fields, outcomes, and what may be sent again.",
        options: [
            output, json,
            OptionSpec(
                "markdown", environment: false,
                help: "write the reference page of all kinds, functions and checks"),
        ])

    static let graph = CommandSpec(
        "graph", "FLOW", count: 1...1, summary: "draw a flow: its steps, and where their outcomes lead",
        notes: """
            Outcomes with one target share a line, and what the defaults route is drawn once. SVG is laid out by the \
            program dot of Graphviz.
            """,
        options: [
            OptionSpec(
                "format", "FORM", choices: ["mermaid", "dot", "svg"], environment: false,
                help: "mermaid, dot or svg (default: as FILE ends, else mermaid)"),
            OptionSpec("output", "FILE", short: "o", environment: false, help: "write the picture to FILE"),
            OptionSpec("replace", environment: false, help: "take the place of FILE where there is one"),
            OptionSpec("all", environment: false, help: "draw every outcome at its step"),
        ])

    static let flowNew = CommandSpec(
        "flow new", "NAME", count: 1...1, summary: "write a flow to begin with",
        notes: "Writes flows/NAME.flow.yaml of the project, or of the working directory. Never overwrites.",
        options: [
            OptionSpec("from", "FLOW", environment: false, help: "begin with a copy of FLOW, such as login")
        ])

    static let schema = CommandSpec(
        "schema", "flow|provider|config|trace", count: 1...1,
        summary: "write the JSON Schema of flows, providers or flowrun.yaml, for editors, or of trace events",
        notes: """
            Editors with a YAML language server complete and check a file whose first line is \
            # yaml-language-server: $schema=FILE
            """)

    static let explain = CommandSpec(
        "explain", "CODE", count: 1...1, summary: "explain a code such as FL025, with examples")
}
