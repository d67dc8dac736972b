extension FailureTexts {
    /// What is true of a store of the program's own, in place of what is true of the database.
    static let programStore: [String: FailureText] = [
        "corrupt": FailureText(
            "the stored session cannot be read",
            why: ["the program's store says that it is damaged, or gave other bytes than it was given"],
            fix: [
                "route `corrupt` to a `clear` step, or delete the session in the program's store, then sign in again"
            ]),
        "store_failed": FailureText(
            "the session store cannot be used",
            why: [
                "the program's store does not answer in time, or says that it cannot be used",
                "the locks in stateDirectory cannot be had",
            ],
            fix: ["see the message, and mend what it names"]),
    ]

    /// There is no session, or none that is good enough.
    static let sessions: [String: FailureText] = [
        "absent": FailureText(
            "there is nothing to go on with", why: ["nobody has signed in yet, or the provider issued none"],
            fix: ["{again}"]),
        "restore.elsewhere": FailureText(
            "the session was signed in for other hosts",
            why: [
                "a provider file of this project names a host that the file of the sign-in did not",
                "an answer chooses the host of one of its endpoints, and no allowed_hosts bounds that",
            ],
            fix: [
                "after a look at that file: flowrun trust FILE",
                "name the hosts of the endpoint in its file: allowed_hosts: [HOST]", "{again}",
            ]),
        "refresh.ended": FailureText(
            "the session was ended while this run waited for it",
            why: ["somebody signed out, or a refresh of another process was refused"], fix: ["{again}"]),
        "refresh.invalid_request": FailureText(
            "the provider finds the renewal malformed",
            why: [
                "it no longer knows the refresh token: some say so in this way",
                "a parameter is missing, doubled or not allowed there",
            ],
            fix: [
                Self.signInAnew,
                "if that helps: name that answer invalid_grant below classify in the provider file",
                "{plan}   shows every parameter with where it comes from",
            ]),
        "refresh.narrowing": FailureText(
            "a token for fewer scopes would take the others from the session",
            why: [
                "the provider's file says refresh.narrow: false: the refresh token that comes with such a token can do no more than it"
            ],
            fix: [
                "take the token for all scopes: leave out --scope",
                "for one that can do less: a client of its own that is registered with fewer scopes",
            ]),
        "refresh.refresh_ended": FailureText(
            "the session is older than its provider lets it get",
            why: [
                "the provider said how long the refresh token lives (refresh_token_expires_in), and that is over"
            ],
            fix: [Self.signInAnew]),
        "refresh.never_renewed": FailureText(
            "the provider renews no tokens", why: ["its file says refresh.supported: false"],
            fix: [Self.signInAnew]),
        "refresh.absent": FailureText(
            "there is no refresh token",
            why: [
                "the provider issued none",
                "it was given up: it had been sent, and nobody knew what became of it",
            ],
            fix: [Self.signInAnew, Self.askForRefreshToken]),
        "expired": FailureText(
            "the session has expired", why: ["its access token is too old"], fix: ["{again}"]),
        "unrefreshable": FailureText(
            "the session has expired and cannot be renewed",
            why: ["the provider issued no refresh token, or its file says refresh.supported: false"],
            fix: ["{again}", Self.askForRefreshToken]),
        "insufficient": FailureText(
            "the session is not good enough for this",
            why: ["a scope is missing, or the sign-in is not strong or not recent enough"], fix: ["{again}"]),
        "session": FailureText(
            "there is no usable session", why: [], fix: ["{again}"]),
    ]

    /// Why a sign-in may bring none (OIDC Core §11).
    static let askForRefreshToken =
        "if none comes then either: many providers issue one only for the scope offline_access, some with "
        + "prompt: consent or a parameter of their own"

    /// A sign-in alone may find the access token still good, and ask nobody.
    static let signInAnew =
        "flowrun logout {provider_word}{options}, then flowrun login {provider_word}{options}   signs in anew"
}
