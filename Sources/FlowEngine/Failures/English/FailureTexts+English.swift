extension FailureTexts {
    /// The texts that every other catalogue falls back on; every class has one.
    public static let english = FailureTexts(
        table.merging(successes) { own, _ in own },
        phrases: [
            "again": "start the sign-in again", "plan": "a dry run", "trace": "the trace",
            "host": "the server", "host_name": "HOST", "origin": "https://SERVER",
            "redirect_uri": "the redirect URI of the run", "options": "",
            "flow": "FLOW", "provider": "PROVIDER", "provider_word": "PROVIDER", "hook": "HOOK",
            "show": "the program has to show the address, by a presenter or a trace sink of its own",
        ])

    /// - Parameter place: Of the rules for the answer, in the provider file.
    private static func anotherSuccess(_ place: String) -> FailureText {
        FailureText(
            "the answer has a status of success, and not the one that the endpoint should have",
            why: ["the provider has a status of its own for it", "the endpoint is another one"],
            fix: [
                "if the answer is the one that was meant: set \(place).success_status to 2xx in the provider file",
                "{trace}   shows type and members of the answer",
            ])
    }

    /// By kind of step, where the rules for its answers are.
    private static let placesOfAnswers = [
        "exchange": "token.response", "refresh": "refresh.response", "userinfo": "userinfo.response",
        "introspect": "introspection.response", "device_authorize": "device_authorization.response",
        "device_poll": "grants.response", "client_credentials": "grants.response",
        "jwt_bearer": "grants.response", "token_exchange": "grants.response",
    ]

    /// Statuses that servers send in place of 200.
    private static let successes: [String: FailureText] = {
        var texts: [String: FailureText] = [:]
        for (kind, place) in placesOfAnswers {
            for status in 201...203 { texts["\(kind).http_\(status)"] = anotherSuccess(place) }
        }
        return texts
    }()

    /// Causes and fixes, as data: a key is `kind.error`, `kind.code`, an error, a code or a class.
    private static let table: [String: FailureText] = [
        credentials, registration, sessions, denials, attacks, network, answers, bounds,
    ].reduce(into: [:]) { table, part in
        table.merge(part) { _, _ in preconditionFailure("two texts have one key") }
    }
}
