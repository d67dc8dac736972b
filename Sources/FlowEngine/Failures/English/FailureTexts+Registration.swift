extension FailureTexts {
    /// The registration or the request is wrong.
    static let registration: [String: FailureText] = [
        "public_client.invalid_client": FailureText(
            "the provider does not accept this client",
            why: [
                "the client is registered with a secret or a key, and this run has sent none",
                "public clients may not do this at the provider, such as ask about tokens",
                "the client_id is wrong, was deleted, or belongs to another environment or tenant",
            ],
            fix: [
                "compare client_id and the type of the client with the provider's console",
                "if it has a secret, give it: flowrun provider add {provider_word}",
                "if it was given and not sent, token_endpoint_auth_method of the registration says how it is",
            ]),
        "asserting_client.invalid_client": FailureText(
            "the provider does not accept this client",
            why: [
                "the key or secret that signs the client's assertion is not the one that is registered",
                "the provider wants another algorithm, or another client authentication method",
                "it wants another audience in the assertion",
                "the clock of this machine is wrong: an assertion holds for minutes",
                "the client_id belongs to another environment or tenant",
            ],
            fix: [
                "compare client_id and the registered key with the provider's console",
                "compare token_endpoint_auth_method and token_endpoint_auth_signing_alg below client in the provider file with what it documents",
                "for another audience, such as the address of the token endpoint: client.assertion.claims.aud in the provider file",
            ]),
        "attested_client.invalid_client": FailureText(
            "the provider does not accept this client",
            why: [
                "the provider trusts no assertion of this issuer, about this subject or for this audience",
                "it cannot read the issuer's keys, or its clock is another: an assertion holds for minutes",
                "the client_id belongs to another environment or tenant",
            ],
            fix: [
                "flowrun provider test {provider_word}   says by whom the assertion is issued, about whom and for whom",
                "compare these with what the provider trusts of this client, letter by letter",
                "for another audience: have the assertion issued for it",
            ]),
        "certified_client.invalid_client": FailureText(
            "the provider does not accept this client",
            why: [
                "the certificate is not the one that is registered, or of an authority that the provider does not trust",
                "the endpoint is not the one that asks for certificates",
                "the client_id was deleted, or belongs to another environment or tenant",
            ],
            fix: [
                "compare client_id and the registered certificate or its subject with the provider's console",
                "write the endpoints that the provider documents for certificates: mtls_endpoint_aliases in the provider file",
            ]),
        "posting_client.invalid_client": FailureText(
            "the provider does not accept this client",
            why: [
                "the client secret is wrong, expired, or has a line break at its end",
                "the provider wants another client authentication method than the one sent",
                "the client_id was deleted, or belongs to another environment or tenant",
            ],
            fix: [
                "compare client_id and secret with the provider's console",
                Self.registerAgain,
                "set client.token_endpoint_auth_method in the provider file to the one it documents, such as client_secret_basic",
            ]),
        "invalid_client": FailureText(
            "the provider does not accept this client",
            why: [
                "the client secret is wrong, expired, or has a line break at its end",
                "the provider wants another client authentication method than the one sent",
                "one of client_id and secret has a character such as / or +, which the provider does not decode",
                "the client_id was deleted, or belongs to another environment or tenant",
            ],
            fix: [
                "compare client_id and secret with the provider's console",
                Self.registerAgain,
                "for a character that is not decoded: client.basic.encoding: raw in the provider file",
                "set client.token_endpoint_auth_method in the provider file to the one it documents, such as client_secret_post",
            ]),
        "redirect_uri_mismatch": FailureText(
            "the redirect URI is not registered",
            why: [
                "the provider compares it character by character: scheme, host, port, path, trailing slash"
            ],
            fix: ["register exactly  {redirect_uri}  at {provider}"]),
        "invalid_redirect_uri": FailureText(
            "the redirect URI is not registered",
            why: [
                "the provider compares it character by character: scheme, host, port, path, trailing slash"
            ],
            fix: ["register exactly  {redirect_uri}  at {provider}"]),
        "invalid_scope": FailureText(
            "a scope is unknown, malformed or not allowed for this client",
            why: [
                "a misspelt scope", "a scope that must be enabled for the client first",
                "another separator is wanted",
            ],
            fix: [
                "compare the scopes of {plan} with the provider's list",
                "for a client of flowrun register that has not registered them: --update or --replace, with --scope for each",
                "for another separator: authorization.scope_delimiter in the provider file",
            ]),
        "unauthorized_client": Self.grantNotEnabled("the authorization code grant (or refresh tokens)"),
        "client_credentials.unauthorized_client": Self.grantNotEnabled(
            "the client credentials grant", "or the client is a public one, which cannot prove who it is"),
        "device_authorize.unauthorized_client": Self.grantNotEnabled("the device authorization grant"),
        "device_poll.unauthorized_client": Self.grantNotEnabled("the device authorization grant"),
        "token_exchange.unauthorized_client": Self.grantNotEnabled("token exchange"),
        "jwt_bearer.unauthorized_client": Self.grantNotEnabled("the JWT bearer grant"),
        "revoke.unauthorized_client": FailureText(
            "the provider does not let this client revoke the token",
            why: [
                "the client secret is wrong or missing: some say so in this way",
                "the token was issued to another client (RFC 7009 §2.1)",
            ],
            fix: ["compare client_id and secret with the provider's console"]),
        "unsupported_grant_type": FailureText(
            "the token endpoint does not know this grant",
            why: [
                "the endpoint in the provider file is not the token endpoint", "the grant is switched off",
            ],
            fix: ["compare the token endpoint with the provider's documentation"]),
        "invalid_request": FailureText(
            "the provider finds the request malformed",
            why: ["a parameter is missing, doubled or not allowed there"],
            fix: ["{plan}   shows every parameter with where it comes from"]),
        "client_credentials.invalid_request": FailureText(
            "the provider finds the request malformed",
            why: [
                "it does not know the client credentials grant: some say so in this way",
                "a parameter is missing, doubled or not allowed there",
            ],
            fix: [
                "compare grant_types_supported of the provider's metadata, or its documentation",
                "{plan}   shows every parameter with where it comes from",
            ]),
        "revoke.invalid_request": FailureText(
            "the provider finds the request malformed",
            why: [
                "it revokes tokens of clients with a secret alone: some say so in this way to one without",
                "a parameter is missing, doubled or not allowed there",
            ],
            fix: [
                "flowrun logout {provider_word}{options}   forgets the session, although its tokens stay good",
                "{plan}   shows every parameter with where it comes from",
            ]),
        "invalid_request_object": FailureText(
            "the provider does not accept the signed request",
            why: [
                "the key or the algorithm that signs it is not the one that is registered",
                "the clock of this machine is wrong: a signed request holds for minutes",
            ],
            fix: [
                "compare client.request_object_signing_alg in the provider file, and the registered key, with the provider's console",
                "{plan}   shows every parameter with where it comes from",
            ]),
        "invalid_authorization_details": FailureText(
            "the provider does not take these authorization details",
            why: [
                "a type is unknown, or not registered for the client",
                "a member is missing, or says what is not allowed",
            ],
            fix: ["compare authorization_details of {plan} with the provider's documentation"]),
        "rejected": FailureText(
            "the provider rejected the request",
            why: ["the provider says it in its own words, which the failure has as its error"],
            fix: ["{plan}   shows every parameter with where it comes from"]),
        "unsupported": FailureText(
            "the provider cannot do what the step needs",
            why: ["an endpoint or a method is missing in its file and in its metadata"],
            fix: ["add it to the provider file, or route `unsupported` in the flow"]),
        "not_found": Self.noMetadata,
        "configuration": FailureText(
            "the registration or the request does not fit the provider", why: [],
            fix: ["{plan}   shows every parameter with where it comes from"]),

        "invalid_target": FailureText(
            "the provider knows no such service",
            why: [
                "resource or audience is misspelt, or not registered at the provider",
                "none was named, and the provider wants one; or not the one that the sign-in asked for",
            ],
            fix: ["compare resource and audience of the step with the provider's list"]),
        "file_invalid": FailureText(
            "a file has mistakes", why: [], fix: ["flowrun lint FILE   shows every mistake with its place"]),
        "unknown_file": FailureText(
            "there is no such file", why: [],
            fix: ["give one of the names that `flows` or `providers` of the library has"]),
        "input_invalid": FailureText(
            "an input is unknown, missing or not of its type", why: [],
            fix: ["compare the inputs with those that the flow declares"]),
        "migration_refused": FailureText(
            "the run cannot go on with the flow as it is now",
            why: [
                "the step that the run is at, an outcome of it, or a value that the run holds is gone or has another type",
                "the steps that are done would ask for something else than the run has asked for",
            ],
            fix: [
                "flowrun resume RUN   goes on with the files that the run was begun with",
                "put back what the message names, then flowrun resume RUN --migrate",
            ]),
        "unsuccessful": FailureText(
            "the flow ended without success, as it is written", why: [],
            fix: ["see the end's message, and the condition that led there"]),
    ]

    private static let registerAgain =
        "for a client of flowrun register that the provider has forgotten: "
        + "flowrun register {provider_word} --replace"

    static let noMetadata = FailureText(
        "there is no metadata at the place the issuer says",
        why: ["the issuer is misspelt, or the provider publishes no metadata"],
        fix: [
            "correct issuer in the provider file, or say where the metadata is: server_metadata_url",
            "without any: set discovery: off and write the endpoints",
        ])

    private static func grantNotEnabled(_ grant: String, _ reason: String? = nil) -> FailureText {
        FailureText(
            "this client may not use this grant",
            why: ["the grant is not enabled in the client's registration"] + [reason].compactMap(\.self),
            fix: [
                "enable \(grant) for the client at {provider}",
                "for a client of flowrun register: --update or --replace, with --grant for each grant",
            ])
    }
}
