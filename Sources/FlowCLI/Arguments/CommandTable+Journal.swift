/// Commands about runs that were interrupted.
extension CommandTable {
    static let journals = [resume, journal]

    static let resume = CommandSpec(
        "resume", "[RUN]", count: 0...1, summary: "go on with a run that was interrupted or waits for an answer",
        notes: """
            RUN is the identifier that the run showed (flowrun journal lists them); with --callback-url it may be left \
            out: the answer says whose it is. The run goes on from its last record with the files that it was begun \
            with. Nothing is sent a second time that must not be: what nobody knows the fate of ends as "unanswered". \
            One process at a time goes on with a run.
            """,
        options: [
            OptionSpec(
                "callback-url", "URL", environment: false,
                help: "where the browser ended, with its code; - reads it from standard input")
        ] + live + reporting)

    static let journal = CommandSpec(
        "journal", "[RUN]", count: 0...1, summary: "show the records of a run, or list the runs that are kept",
        notes: """
            A run that does something that must not be done twice writes down what it is about to do, and what came of \
            it. No secret is shown; those of a run that has ended are deleted, its records after a day.
            """,
        options: [output, json] + store)
}
