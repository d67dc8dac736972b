/// Commands about runs that were interrupted.
extension CommandTable {
    static let resume = CommandSpec(
        "resume", "[RUN]", count: 0...1,
        summary: "go on with a run that was interrupted or waits for an answer",
        notes: """
            RUN is the identifier that the run showed (flowrun journal lists them); with --callback-url it may be left \
            out: the answer says whose it is. The run goes on from its last record with the files that it was begun \
            with. A sign-in by code asks whether the code was entered, with --no-input once. Nothing is sent a second \
            time that must not be: what nobody knows the fate of ends as "unanswered". One process at a time goes on \
            with a run. With --migrate it goes on with the flow as it is now, from then on, when the step that it is \
            at and everything that it holds are still there; status 3 and every difference when not, and the run can \
            still go on without.
            """,
        options: [
            OptionSpec(
                "migrate", environment: false,
                help: "go on with the flow and the provider as they are now, where the run can"),
            OptionSpec(
                "callback-url", "URL", environment: false,
                help: "where the browser ended, with its code; - reads it from standard input"),
        ] + live + reporting)

    static let journal = CommandSpec(
        "journal", "[RUN]", count: 0...1,
        summary: "show the records of a run, or list the runs that are kept",
        notes: """
            A run that does something that must not be done twice writes down what it is about to do, and what came of \
            it. No secret is shown; those of a run that has ended are deleted, its records after a day.
            """,
        options: [output, json] + store)

    static let callback = CommandSpec(
        "callback", "URL", count: 1...1, summary: "hand the address that a browser was sent to to its run",
        notes: """
            What the desktop calls for a scheme that is registered. A run that waits in another process takes the \
            answer; one that was put aside goes on here.
            """, options: live + reporting)

    static let schemeRegister = CommandSpec(
        "scheme register", "SCHEME", count: 1...1,
        summary: "have the desktop hand a scheme's addresses to flowrun",
        notes: """
            SCHEME is the reverse of a domain, as com.example.app; its redirect URI is com.example.app:/oauthredirect. \
            A desktop entry and the association of its media type are written for this user. A build under \
            development takes a scheme beside it, as com.example.app.dev: each is opened by the program that \
            registered it.
            """,
        options: [
            OptionSpec("replace", environment: false, help: "take the scheme over from another program")
        ])
    static let schemeUnregister = CommandSpec(
        "scheme unregister", "SCHEME", count: 1...1, summary: "give a scheme up")
    static let schemeList = CommandSpec(
        "scheme list", summary: "list the schemes that flowrun opens", options: [output, json])
}
