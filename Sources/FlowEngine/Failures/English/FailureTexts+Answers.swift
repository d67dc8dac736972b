extension FailureTexts {
    /// An answer is not what it should be.
    static let answers: [String: FailureText] = [
        "exchange.http_404": notThere, "refresh.http_404": notThere, "userinfo.http_404": notThere,
        "client_credentials.http_404": notThere, "device_authorize.http_404": notThere,
        "exchange.http_405": notThere, "refresh.http_405": notThere, "userinfo.http_405": notThere,
        "client_credentials.http_405": notThere, "device_authorize.http_405": notThere,
        "exchange.http_415": anotherForm, "refresh.http_415": anotherForm,
        "client_credentials.http_415": anotherForm,
        "malformed": Self.malformed(describedUnder: "token.response"),
        "discover.malformed": unreadableMetadata, "metadata_unreadable": unreadableMetadata,
        "authorize.metadata_unreadable": unreadableMetadata,
        "refresh.metadata_unreadable": unreadableMetadata,
        "userinfo.metadata_unreadable": unreadableMetadata,
        "discover.metadata-member": mistypedMetadata, "metadata-member": mistypedMetadata,
        "authorize.metadata-member": mistypedMetadata, "refresh.metadata-member": mistypedMetadata,
        "userinfo.metadata-member": mistypedMetadata,
        "authorize.malformed": FailureText(
            "the answer to the pushed request is not what the endpoint should send",
            why: [
                "pushed_authorization_request_endpoint is another one: a page or an error page answered",
                "a proxy or a captive portal answered in its place",
            ],
            fix: [
                "{trace}   shows type and members of the answer",
                "compare pushed_authorization_request_endpoint with the provider's documentation",
            ]),
        "callback.callback-signature": FailureText(
            "the signature over the answer in the browser does not verify",
            why: [
                "the client secret in the registration is not the one that the provider signs with",
                "the answer was changed on its way, is an old one, or is somebody else's",
                "callback.verify in the provider file does not say how this provider signs",
                "the local clock is wrong",
            ],
            fix: [
                "compare the client secret with the provider's console, and `date -u` with the real time",
                "{trace}   shows the check; nothing of this answer was used",
            ]),
        "callback.signature_invalid": FailureText(
            "the signature over the answer in the browser does not verify",
            why: [
                "the keys at jwks_uri are not those of the issuer", "the answer was changed on its way",
                "the client registered another authorization_signed_response_alg",
            ],
            fix: [
                "compare jwks_uri and client.authorization_signed_response_alg in the provider file with the provider's metadata"
            ]),
        "callback.answer-id_token": FailureText(
            "the answer in the browser lacks the ID token that was asked for",
            why: [
                "the client is not registered for the response type code id_token",
                "the provider does not know that response type, or sends the token in a way of its own",
            ],
            fix: [
                "{trace}   shows the parameters that came; the code was not sent",
                "compare authorization.response_type in the provider file with the provider's console",
            ]),
        "callback.nonce": Self.answeredToken(
            "was issued for another sign-in",
            "an old answer was replayed, or one of another sign-in was slipped in"),
        "callback.c_hash": Self.answeredToken(
            "belongs to another code than the one that came with it",
            "a code of somebody else was put into the answer"),
        "callback.aud": Self.answeredToken(
            "is meant for another client", "client_id is not the one that the provider puts into aud"),
        "callback.exp": Self.answeredToken(
            "has expired, or does not say when it does", "the clock of this machine is ahead of the real time"
        ),
        "callback.iat": Self.answeredToken(
            "was not issued about now", "the clock of this machine, or that of the provider, is wrong"),
        "callback.duplicate-parameter": FailureText(
            "what the browser brought back has a parameter more than once",
            why: [
                "the provider writes it so, as one does with error_description where the person refuses",
                "something was added to the answer on its way",
            ],
            fix: [
                "{trace}   shows the parameters that came",
                "tell the provider: each may be there once (RFC 6749 §3.1), and no file can relax that",
                "{again}",
            ]),
        "callback.malformed": FailureText(
            "what the browser brought back is no answer to the sign-in",
            why: [
                "the provider answers in a shape of its own",
                "it answers with a token, whatever response_type says: no flow takes the implicit grant (RFC 9700 §2.1.2)",
                "something else opened the redirect URI",
            ],
            fix: [
                "{trace}   shows the parameters that came",
                "describe the shape under callback in the provider file",
                "{again}",
            ]),
        "refresh.malformed": Self.malformed(describedUnder: "refresh.response"),
        "userinfo.malformed": Self.malformed(describedUnder: "userinfo.response"),
        "userinfo.unauthorized": FailureText(
            "the provider does not accept the access token",
            why: [
                "it expired or was revoked", "it was issued for another audience",
                "it is looked for elsewhere",
            ],
            fix: [
                "{again}   (a fresh token)",
                "if it repeats: say where the interface wants it, by userinfo.token_placement in the provider file",
            ]),
        "userinfo.http_400": FailureText(
            "the UserInfo endpoint does not take the request",
            why: ["it wants a header or a parameter more than OpenID Connect says"],
            fix: ["name it under userinfo.headers or userinfo.params in the provider file"]),
        "introspect.malformed": Self.malformed(describedUnder: "introspection.response"),
        "device_authorize.malformed": Self.malformed(describedUnder: "device_authorization.response"),
        "register.malformed": FailureText(
            "the answer is not what the registration endpoint should send",
            why: [
                "registration_endpoint is another one: a page or an error page answered",
                "a proxy or a captive portal answered in its place",
            ],
            fix: [
                "{trace}   shows type and members of the answer",
                "register on the provider's own pages, then   flowrun provider add {provider_word}",
            ]),
        "http.malformed": FailureText(
            "the answer is not what the step expects",
            why: [
                "the address is another one: a page or an error page answered",
                "the service answers in another form",
            ],
            fix: [
                "{trace}   shows type and members of the answer",
                "compare it with what the step in the flow file says of the answer",
            ]),
        "use_dpop_nonce": FailureText(
            "the server refuses the DPoP nonce that it gave itself",
            why: [
                "several servers answer behind one address, and do not know each other's nonces",
                "DPoP-Nonce is missing, sent twice, or has characters that no nonce may have (RFC 9449 §8.1)",
            ],
            fix: ["{trace}   shows the answer", "{again}", "tell whoever runs the server"]),
        "invalid_dpop_proof": FailureText(
            "the server does not accept the proof that this client holds the key (RFC 9449 §4.3)",
            why: [
                "the clock of this machine is wrong: a proof is good for moments",
                "the server knows its endpoint by another address than clients do, as behind a proxy",
                "it takes other algorithms than its metadata names in dpop_signing_alg_values_supported",
            ],
            fix: [
                "compare `date -u` with the real time; timedatectl set-ntp true",
                "for another algorithm: dpop_signing_alg_values_supported in the provider file",
                "for another address: tell whoever runs the server",
            ]),
        "answered_error": FailureText(
            "the provider answered with an error",
            why: ["the provider says it in its own words, which the failure has as its error"],
            fix: [
                "{trace}   shows the request that it refused",
                "give such an error another outcome under errors in the provider file, as unauthorized",
            ]),
        "headers_too_large": FailureText(
            "the header fields of the answer are larger than any server needs",
            why: [
                "the endpoint is not the one that was meant", "the server sets more cookies than it should",
            ],
            fix: ["curl -sI {origin}   shows them", "tell whoever runs the server"]),
        "assertion_failed": FailureText(
            "an assertion of the flow does not hold", why: [],
            fix: ["see `assert` of the step in the flow file"]),
        "corrupt": FailureText(
            "the stored session cannot be read",
            why: ["it was written with another key", "the file was damaged or changed"],
            fix: ["route `corrupt` to a `clear` step, or delete the session, then sign in again"]),

        "provider": FailureText(
            "the provider's answer is no success", why: [],
            fix: ["{trace}   shows every request, answer and check"]),
        "partial": FailureText(
            "the provider did only a part of it", why: ["it does not know one of the tokens, or keeps it"],
            fix: ["{trace}   shows which"]),
    ]

    private static let unreadableMetadata = FailureText(
        "the provider's metadata cannot be read",
        why: [
            "the issuer is not the one that was meant: a page or an error page answered",
            "a proxy or a captive portal answered in its place",
        ],
        fix: [
            "{trace}   shows the address, type and members of the answer",
            "compare issuer in the provider file with the provider's documentation; without metadata: discovery: off, and the endpoints in the file",
        ])

    private static let mistypedMetadata = FailureText(
        "a member of the provider's metadata is not of the type that it should be",
        why: ["the provider writes it in a way of its own (RFC 8414 §2)"],
        fix: [
            "write the member into the provider file as it should be, by the same name: then the provider's is not read",
            "tell the provider",
        ])

    private static let notThere = FailureText(
        "the endpoint is not there, or takes no such requests",
        why: [
            "its address in the provider file or the metadata is wrong", "the provider wants another method",
        ],
        fix: [
            "compare address and method with the provider's documentation",
            "flowrun provider test {provider_word}",
        ])

    private static let anotherForm = FailureText(
        "the endpoint wants its parameters in another form",
        why: ["the provider takes JSON where OAuth sends a form"],
        fix: ["set token.body_format to json in the provider file"])

    /// About the ID token that came beside the code.
    private static func answeredToken(_ finding: String, _ cause: String) -> FailureText {
        FailureText(
            "the ID token in the answer of the browser \(finding)",
            why: [cause, "the provider makes the token in a way of its own (OIDC Core §3.3.2.11)"],
            fix: [
                "{again}   (the code was not sent)", "{trace}   shows the check that failed; do not relax it",
            ])
    }

    static func malformed(describedUnder key: String) -> FailureText {
        FailureText(
            "the answer is not what the endpoint should send",
            why: [
                "the endpoint is wrong: a login page or an error page answered",
                "a proxy or a captive portal answered in its place",
                "the provider answers in a shape of its own",
            ],
            fix: [
                "{trace}   shows type and members of the answer",
                "describe the shape under \(key) in the provider file",
            ])
    }
}
