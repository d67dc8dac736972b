extension FailureTexts {
    /// The credential is not, or no longer, good.
    static let credentials: [String: FailureText] = [
        "exchange.invalid_grant": FailureText(
            "the provider refused the authorization code",
            why: [
                "the code expired, was used before, or belongs to another client or redirect URI",
                "the local clock is wrong: providers refuse what seems to come from the past or the future",
            ],
            fix: [
                "{again}   (a code works once)",
                "compare `date -u` with the real time",
            ]),
        "refresh.invalid_grant": FailureText(
            "the provider no longer accepts the refresh token",
            why: [
                "it expired or was revoked: a password change, a removed consent, a time limit of the provider",
                "another program redeemed it, or a store that was restored or copied held it: rotating refresh tokens work once",
            ],
            fix: ["{again}"]),
        "invalid_grant": FailureText(
            "the provider refused the credential",
            why: ["it expired, was revoked or was used before"], fix: ["{again}"]
        ),
        "jwt_bearer.invalid_grant": FailureText(
            "the provider refused the assertion",
            why: [
                "it does not know the subject, or the client may not speak for it",
                "the key that signs is not the one that is registered, or the audience is another one",
                "the local clock is wrong: an assertion is good for a minute",
            ],
            fix: [
                "{plan}   shows what goes out",
                "compare the registered keys with private_key of the registration, and `date -u` with the real time",
            ]),
        "register.unauthorized": FailureText(
            "registration is not open to everybody",
            why: ["an initial access token is missing, wrong or used up"],
            fix: ["ask {provider} for one, and give --initial-access-token-file FILE"]),
        "register.rejected": FailureText(
            "the provider will not register this client",
            why: [
                "a member of the metadata is missing or not allowed; the provider says which in its own words",
                "an initial access token is missing or wrong: some say so in this way",
            ],
            fix: [
                "{plan}   shows every member that is sent",
                "for one that is missing: --metadata FILE",
                "for a grant that the provider has not: --grant for each grant that the client will use",
                "for a token: ask {provider} for one, and give --initial-access-token-file FILE",
            ]),
        "register.unsupported": FailureText(
            "the provider lets nobody register by program",
            why: ["neither its file nor its metadata names a registration_endpoint"],
            fix: ["register at {provider}'s own page, then flowrun provider add"]),
        "register.unanswered": FailureText(
            "whether a client was registered is not known",
            why: ["the answer was lost on its way"],
            fix: ["look for it at {provider}, or register once more"]),
        "unauthorized": FailureText(
            "the provider does not accept the access token",
            why: ["it expired or was revoked", "it was issued for another audience"],
            fix: ["{again}   (a fresh token)"]),
        "insufficient_scope": FailureText(
            "the access token does not allow this",
            why: [
                "a scope is missing: it was not asked for, or the person did not grant it",
                "the token was revoked: some say so in this way",
            ],
            fix: ["ask for the scope in the flow or the provider file, then sign in again"]),
        "insufficient_auth": FailureText(
            "the sign-in is not strong or not recent enough",
            why: ["the provider demands another acr or a newer auth_time (RFC 9470)"],
            fix: ["{again}   and use the stronger method at the provider's page"]),

        "inactive": FailureText(
            "the provider says that the token is not good",
            why: [
                "it expired or was revoked", "it was issued to another client",
                "the client may not ask about tokens: that is answered likewise (RFC 7662 §2.2)",
            ],
            fix: ["{again}", "if the token serves elsewhere: allow the client to introspect, at {provider}"]),
        "device_poll.expired": FailureText(
            "the code was not entered in time",
            why: ["nobody entered it before it expired"],
            fix: ["{again}   (a new code), and enter it at once"]),
        "port_failed": FailureText(
            "the program behind a port gave no usable answer",
            why: [
                "nothing is registered for the port, or its program failed, was ended or took too long",
                "its answer is not what the flow declares under calls",
            ],
            fix: [
                "compare the answer with calls in the flow file",
                "where no closure is brought, name the program that answers under calls (key exec)",
            ]),

        "http.no_url": FailureText(
            "the flow may not call this URL, so nothing was sent",
            why: [
                "the list that allowed_url() was given has no such address, with its query, nor one that ends in /* and "
                    + "stands for it",
                "it is no address of the web",
            ],
            fix: [
                "for all addresses below one, list it with /* at its end, as https://api.acme.example/v1/*",
                "{plan}   shows which URL would be called",
            ]),
        "http.secret_in_url": FailureText(
            "a secret would stand in the URL, so nothing was sent",
            why: ["URLs are written into logs and histories (RFC 6750 §5.3)"],
            fix: ["send it in the body or in a header of the step"]),
        "http.placeholder": placeholder,
        "call.placeholder": placeholder,
    ]

    private static let placeholder = FailureText(
        "a placeholder would be sent in place of a secret, so nothing was sent",
        why: ["body of an http step has \(SecretPlaceholder.text) where the answer has a secret"],
        fix: ["take the secret with out, of the type secret, and send that field of the step"])
}
