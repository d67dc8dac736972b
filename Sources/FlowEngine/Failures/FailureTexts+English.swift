// Causes and fixes by error and code, as data. Longer than other files, since it is one table; a key is
// `kind.error`, `kind.code`, an error, a code or a class.
extension FailureTexts {
    /// The texts that every other catalogue falls back on; every class has one.
    public static let english = FailureTexts(
        table.merging(successes) { own, _ in own },
        phrases: [
            "again": "start the sign-in again", "plan": "a dry run", "trace": "the trace",
            "host": "the server", "origin": "https://SERVER",
            "redirect_uri": "the redirect URI of the run", "options": "",
        ])

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

    private static let noMetadata = FailureText(
        "there is no metadata at the place the issuer says",
        why: ["the issuer is misspelt, or the provider publishes no metadata"],
        fix: [
            "correct issuer in the provider file, or say where the metadata is: server_metadata_url",
            "without any: set discovery: off and write the endpoints",
        ])

    private static let notThere = FailureText(
        "the endpoint is not there, or takes no such requests",
        why: [
            "its address in the provider file or the metadata is wrong", "the provider wants another method",
        ],
        fix: [
            "compare address and method with the provider's documentation",
            "flowrun provider test {provider}",
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

    private static let anotherForm = FailureText(
        "the endpoint wants its parameters in another form",
        why: ["the provider takes JSON where OAuth sends a form"],
        fix: ["set token.body_format to json in the provider file"])

    private static let table: [String: FailureText] = [
        // The credential is not good.
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
                "another program redeemed it: rotating refresh tokens work once",
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
                "flowrun plan {flow}   shows what goes out",
                "compare the registered keys with private_key of the registration, and `date -u` with the real time",
            ]),
        "register.unauthorized": FailureText(
            "registration is not open to everybody",
            why: ["an initial access token is missing, wrong or used up"],
            fix: ["ask {provider} for one, and give --initial-access-token-file FILE"]),
        "register.rejected": FailureText(
            "the provider will not register this client",
            why: [
                "a member of the metadata is not allowed there; the provider says which in its own words"
            ],
            fix: ["flowrun register --dry-run   shows every member that is sent"]),
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
            why: ["a scope is missing: it was not asked for, or the person did not grant it"],
            fix: ["ask for the scope in the flow or the provider file, then sign in again"]),
        "insufficient_auth": FailureText(
            "the sign-in is not strong or not recent enough",
            why: ["the provider demands another acr or a newer auth_time (RFC 9470)"],
            fix: ["{again}   and use the stronger method at the provider's page"]),

        "inactive": FailureText(
            "the provider says that the token is not good",
            why: ["it expired or was revoked", "it was issued to another client"],
            fix: ["{again}"]),
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
                "it is none of the web, or its origin is none of those that allowed_url() was given",
                "the provider file lists no origin of that name under resources",
            ],
            fix: [
                "name the origin under resources in the provider file, or as a literal in the flow",
                "flowrun plan {flow}   shows which URL would be called",
            ]),
        "http.secret_in_url": FailureText(
            "a secret would stand in the URL, so nothing was sent",
            why: ["URLs are written into logs and histories (RFC 6750 §5.3)"],
            fix: ["send it in the body or in a header of the step"]),

        // The registration or the request is wrong.
        "public_client.invalid_client": FailureText(
            "the provider does not accept this client",
            why: [
                "the client is registered with a secret or a key, and this run has sent none",
                "the client_id is wrong, was deleted, or belongs to another environment or tenant",
            ],
            fix: [
                "compare client_id and the type of the client with the provider's console",
                "if it has a secret, give it: flowrun provider add {provider}",
                "if it was given and not sent, token_endpoint_auth_method of the registration says how it is",
            ]),
        "invalid_client": FailureText(
            "the provider does not accept this client",
            why: [
                "the client secret is wrong, expired, or has a line break at its end",
                "the provider wants another client authentication method than the one sent",
                "the client_id belongs to another environment or tenant",
            ],
            fix: [
                "compare client_id and secret with the provider's console",
                "set client.token_endpoint_auth_method in the provider file to the one it documents, such as client_secret_basic",
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
                "for another separator: authorization.scope_delimiter in the provider file",
            ]),
        "unauthorized_client": Self.grantNotEnabled("the authorization code grant (or refresh tokens)"),
        "client_credentials.unauthorized_client": Self.grantNotEnabled(
            "the client credentials grant", "or the client is a public one, which cannot prove who it is"),
        "device_authorize.unauthorized_client": Self.grantNotEnabled("the device authorization grant"),
        "device_poll.unauthorized_client": Self.grantNotEnabled("the device authorization grant"),
        "token_exchange.unauthorized_client": Self.grantNotEnabled("token exchange"),
        "jwt_bearer.unauthorized_client": Self.grantNotEnabled("the JWT bearer grant"),
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
            why: ["resource or audience is misspelt, or not registered at the provider"],
            fix: ["compare resource and audience of the step with the provider's list"]),
        "file_invalid": FailureText(
            "a file has mistakes", why: [], fix: ["flowrun lint FILE   shows every mistake with its place"]),
        "input_invalid": FailureText(
            "an input is unknown, missing or not of its type", why: [],
            fix: ["compare the inputs with those that the flow declares"]),
        "unsuccessful": FailureText(
            "the flow ended without success, as it is written", why: [],
            fix: ["see the end's message, and the condition that led there"]),

        // There is no session.
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
        "refresh.absent": FailureText(
            "there is no refresh token",
            why: [
                "the provider issued none, or its file says refresh.supported: false",
                "it was given up: it had been sent, and nobody knew what became of it",
            ],
            fix: [Self.signInAnew]),
        "expired": FailureText(
            "the session has expired", why: ["its access token is too old"], fix: ["{again}"]),
        "unrefreshable": FailureText(
            "the session has expired and cannot be renewed",
            why: ["the provider issued no refresh token, or its file says refresh.supported: false"],
            fix: ["{again}"]),
        "insufficient": FailureText(
            "the session is not good enough for this",
            why: ["a scope is missing, or the sign-in is not strong or not recent enough"], fix: ["{again}"]),
        "session": FailureText(
            "there is no usable session", why: [], fix: ["{again}"]),

        // The person or the provider said no.
        "denied": FailureText(
            "the sign-in was refused", why: ["the person, a policy or a hook said no"], fix: ["{again}"]),
        "access_denied": FailureText(
            "the sign-in was refused",
            why: ["the person pressed cancel, or a policy of the provider forbids it"],
            fix: ["{again}   to try again; ask the provider's administrator about policies"]),
        "interaction_required": FailureText(
            "the provider wants to talk to the person",
            why: ["prompt=none was asked for and there is no session, consent or chosen account"],
            fix: ["run the flow without prompt=none"]),
        "cancelled": FailureText(
            "the run was cancelled", why: ["it was interrupted, at the terminal or by the host program"],
            fix: ["{again}"], isRetryable: true),

        // Checks against attackers.
        "state_mismatch": FailureText(
            "the answer belongs to another sign-in",
            why: [
                "an old tab or another run answered at this redirect URI",
                "somebody tries to slip in a foreign answer (RFC 6749 §10.12)",
            ],
            fix: ["close old sign-in tabs, then   {again}"]),
        "issuer_mismatch": FailureText(
            "the answer comes from another issuer than the expected one",
            why: [
                "issuer in the provider file differs from what the provider calls itself, often by a tenant or a slash",
                "a mix-up attack: another server's answer is passed off as this one's (RFC 9207)",
            ],
            fix: [
                "compare issuer in the provider file with the provider's documentation, do not relax the check"
            ]),
        "nonce_mismatch": FailureText(
            "the ID token was issued for another sign-in",
            why: ["an old answer was replayed", "the provider answered from a cache"],
            fix: ["{again}   (if it repeats, the provider does not return the nonce)"]),
        "signature_invalid": FailureText(
            "the ID token's signature does not verify",
            why: ["the keys at jwks_uri are not those of the issuer", "the token was changed on its way"],
            fix: ["compare jwks_uri in the provider file with the provider's metadata"]),
        "verify_id_token.aud_others": FailureText(
            "the ID token is meant for the client and for others that nobody has named",
            why: ["some providers name every client of a project, or their own interface, in aud"],
            fix: ["if these belong to you, name them in id_token.audience of the provider file"]),
        "audience_mismatch": FailureText(
            "the ID token is meant for another client",
            why: [
                "client_id is not the one the provider put into aud",
                "a token of another client was slipped in",
            ],
            fix: ["compare client_id with the provider's console"]),
        "subject_mismatch": FailureText(
            "the answer speaks of another person than the sign-in",
            why: ["UserInfo's sub differs from the ID token's (OIDC Core §5.3.2)"],
            fix: ["{again}   (nothing of this answer was used)"]),
        "claims_invalid": FailureText(
            "a claim of the ID token does not hold",
            why: [
                "a time in it (exp, iat, nbf) does not fit the clock of this machine",
                "a hash in it (at_hash, c_hash, s_hash) is not that of what came with it",
                "a claim is missing, or not of the type that it should be",
            ],
            fix: [
                "{trace}   shows the claims, and the check that failed; do not relax it",
                "where the check is one of a time: compare `date -u` with the real time",
            ]),
        "exp": Self.wrongTime(
            "the ID token has expired",
            "the provider sent a token that is old already, such as one from a cache",
            "the clock of this machine is ahead of the real time"),
        "iat": Self.wrongTime(
            "the time at which the ID token was issued is not about now",
            "the provider sent an old token, such as one from a cache",
            "the clock of this machine, or that of the provider, is wrong"),
        "nbf": Self.wrongTime(
            "the ID token is not valid yet",
            "the clock of the provider is ahead of the real time", "the clock of this machine is behind it"),
        "at_hash": Self.wrongHash("at_hash", of: "access token"),
        "c_hash": Self.wrongHash("c_hash", of: "authorization code"),
        "s_hash": Self.wrongHash("s_hash", of: "state"),
        "sub": FailureText(
            "the ID token does not say who signed in, or not in a way that is allowed",
            why: ["the provider sends no sub, or one that is longer than 255 characters or not ASCII"],
            fix: ["{trace}   shows the claims; tell the provider: OIDC Core §2 asks for it"]),
        "required-claims": FailureText(
            "the ID token lacks a claim that the flow asks for, or has one of another type",
            why: [
                "the scope that brings the claim was not asked for, or not granted",
                "the provider does not put it into the ID token of this client",
            ],
            fix: [
                "{trace}   shows the claims that came",
                "compare require of the step with claims_supported of the provider's metadata",
            ]),
        "id_token-present": FailureText(
            "the token response brought no ID token",
            why: [
                "the provider does not issue one to this client, although the scope openid was asked for",
                "the token endpoint is that of another provider or interface",
            ],
            fix: [
                "{trace}   shows what came",
                "where the provider has no OpenID Connect: take openid out of the scopes",
            ]),
        "expected-sub": FailureText(
            "somebody else signed in than the one who was asked for",
            why: ["the browser has the session of another account at the provider"],
            fix: ["sign out at the provider, or choose the right account, then   {again}"]),
        "refresh-sub": Self.anotherToken("about another person"),
        "refresh-iss": Self.anotherToken("of another issuer"),
        "refresh-aud": Self.anotherToken("for other clients"),
        "refresh-azp": Self.anotherToken("for another client"),
        "refresh-auth_time": Self.anotherToken("of another sign-in"),
        "introspect.claims_invalid": FailureText(
            "the signed answer about the token does not hold",
            why: [
                "it was issued at another time: the clock of this machine or of the provider is wrong",
                "it has no token_introspection, or another body than it should (RFC 9701 §5)",
            ],
            fix: [
                "{trace}   shows the check; do not relax it", "compare `date -u` with the real time",
            ]),
        "replayed": FailureText(
            "a second answer to the same sign-in arrived",
            why: ["the browser repeated the redirect", "somebody replayed it"], fix: ["{again}"]),
        "insecure": FailureText(
            "the server demands or sends what is not safe",
            why: [
                "the endpoint redirects: a request that bears secrets is never sent elsewhere",
                "the answer is not what this client demands: a token that is not bound to it, a signature that does not fit",
                "the metadata names an address without https",
            ],
            fix: [
                "{trace}   shows the check; do not relax it",
                "correct the endpoint in the provider file; flowrun provider test compares it with the metadata",
            ]),
        "redirect": FailureText(
            "the server redirects the request, and nobody follows it",
            why: [
                "the address in the provider file or the metadata has moved",
                "a proxy or a sign-in page of the network answers in the provider's place",
            ],
            fix: ["name the address that it has now", "curl -sI {origin}   shows where it leads"]),
        "access_token": FailureText(
            "the answer has no access token that can be used",
            why: [
                "the provider wraps it, or has a name of its own for it",
                "the endpoint is wrong: something else answered",
            ],
            fix: [
                "{trace}   shows type and members of the answer",
                "name its place in the provider file: token.response.unwrap, or token.response.map.access_token",
            ]),
        "expires_in": FailureText(
            "the answer's lifetime is not written in seconds",
            why: ["the provider has a form of its own for it"],
            fix: [
                "name it in the provider file: token.response.types.expires_in, such as milliseconds or iso8601"
            ]),
        "unspecified": FailureText(
            "the provider tells of an error in a form of its own", why: [],
            fix: [
                "{trace}   shows type and members of the answer",
                "name the places in the provider file: token.response.error.code and .description, such as error.message",
            ]),
        "token_type": FailureText(
            "the token is of another type than this client takes",
            why: [
                "DPoP was demanded, and the server does not bind tokens or does not know that this client wants it",
                "the provider has a name of its own for Bearer, or tokens of a kind that flowrun does not know",
            ],
            fix: [
                "for DPoP: have the server bind the tokens of this client, or do not demand it in its registration",
                "for another name of Bearer: list it under token.response.token_types in the provider file",
                "for none at all: set token.response.defaults.token_type to Bearer",
            ]),
        "userinfo.signature": FailureText(
            "the signature of the userinfo answer does not verify",
            why: ["the keys at jwks_uri are not those of the issuer", "the answer was changed on its way"],
            fix: ["compare jwks_uri in the provider file with the provider's metadata"]),
        "userinfo.userinfo-content-type": FailureText(
            "the userinfo answer is a signed token, which the provider file does not say",
            why: ["the provider signs its answers, or the client registered for signed ones"],
            fix: [
                "set client.userinfo_signed_response_alg in the provider file to the algorithm that the provider "
                    + "documents, such as RS256; the signature is verified then"
            ]),
        "verify_id_token.alg": FailureText(
            "the ID token is signed by another algorithm than the client expects",
            why: [
                "the client registered another algorithm at the provider",
                "the provider signs with the client secret (HS256), which must be said",
                "somebody tries to have a weaker signature accepted (RFC 8725 §2.1)",
            ],
            fix: [
                "if the provider documents it: set client.id_token_signed_response_alg in the provider file, such as HS256"
            ]),
        "mac-key": FailureText(
            "the client secret is too short for the algorithm that the provider signs with",
            why: [
                "HS256 needs a key of 32 bytes, HS384 of 48, HS512 of 64 (RFC 7518 §3.2)",
                "the secret in the registration is not the whole one",
            ],
            fix: [
                "compare the secret with the provider's console, or have a longer one issued",
                "choose RS256 or ES256 in the client's registration at the provider",
            ]),
        "metadata-issuer": FailureText(
            "the provider's metadata names another issuer",
            why: [
                "issuer in the provider file is misspelt, often by a tenant or a slash",
                "the provider has one document for many tenants, with a placeholder for theirs",
                "somebody has put a document of another server in its place (RFC 8414 §6.2)",
            ],
            fix: [
                "compare issuer in the provider file with the metadata document, do not relax the check",
                "for a placeholder, or another name that the provider documents: list the text under issuer_aliases in the "
                    + "provider file, and say under id_token.issuer what ID tokens name",
            ]),
        "metadata_missing": Self.noMetadata,
        "pkce-method": FailureText(
            "the provider is not known to take PKCE with S256",
            why: [
                "code_challenge_methods_supported, in its metadata or its file, does not list S256",
                "somebody has changed the metadata to weaken the sign-in",
            ],
            fix: [
                "if it takes S256 all the same: set code_challenge_methods_supported to [S256] in the provider file",
                "if it takes no challenge at all, or plain ones only: set authorization.pkce.mode to off there",
            ]),
        "metadata_untrusted": FailureText(
            "the provider's metadata failed a check",
            why: ["it names another issuer, or an endpoint that is not secure"],
            fix: ["compare issuer in the provider file with the metadata document, do not relax the check"]),
        "security": FailureText(
            "a check against attackers failed", why: [],
            fix: ["{trace}   shows the check; do not relax it"]),

        // The network.
        "resolve": FailureText(
            "{host} has no address", why: ["the name is misspelt", "there is no network or no DNS"],
            fix: ["getent hosts {host}"], isRetryable: true),
        "connect": FailureText(
            "{host} cannot be reached", why: ["the server is down", "a firewall or proxy is in between"],
            fix: ["curl -v {origin}/   ; set HTTPS_PROXY if a proxy is needed"], isRetryable: true),
        "tls": FailureText(
            "no trusted connection to {host}",
            why: [
                "the certificate is expired, or made out to another name",
                "its authority is not trusted here: a private authority or an inspecting proxy",
                "the local clock is wrong",
            ],
            fix: ["curl -v {origin}/   ; trust a private authority with --cacert FILE"]),
        "wait.timeout": FailureText(
            "the event that the flow waits for did not come in time",
            why: [
                "the host program did not report it",
                "the flow is run by flowrun itself, which reports no events: that is for programs that embed the engine",
            ],
            fix: ["raise `timeout` of the step, or have the program report the event"]),
        "timeout": FailureText(
            "the answer did not come in time", why: ["the network or the server is slow"],
            fix: ["run it again, or raise `timeout` of the step"], isRetryable: true),
        "reset": FailureText(
            "the connection broke", why: ["the server or a proxy closed it"], fix: ["{again}"],
            isRetryable: true),
        "truncated": FailureText(
            "the answer broke off", why: ["the server or a proxy closed the connection early"],
            fix: ["{again}"], isRetryable: true),
        "compressed": FailureText(
            "the answer is compressed in a way that cannot be undone",
            why: ["a proxy or the server compresses by itself, and neither as gzip nor as deflate"],
            fix: ["call the endpoint without the proxy", "tell whoever runs the server"]),
        "too_large": FailureText(
            "the answer is larger than the flow allows", why: ["the endpoint is not the one that was meant"],
            fix: ["compare the endpoint, or raise limits.response_bytes"]),
        "exchange.unanswered": FailureText(
            "nobody knows whether the code was redeemed",
            why: [
                "the connection broke after the request was sent; a code is never sent twice (RFC 6749 §4.1.2)"
            ],
            fix: ["{again}"]),
        "refresh.in_doubt": FailureText(
            "nobody knows whether the session can still be renewed",
            why: [
                "an earlier run was interrupted after it may have sent the refresh token; a second use of it could "
                    + "make the provider revoke the session (RFC 9700 §4.14.2)"
            ],
            fix: [Self.signInAnew]),
        "key_set": FailureText(
            "the provider's key set cannot be read",
            why: ["jwks_uri leads to something else: a page, or an error that says 200"],
            fix: [
                "{trace}   shows where it was asked for",
                "compare jwks_uri in the provider file with the metadata",
            ]),
        "jwks_uri": FailureText(
            "the provider names no keys that its signatures could be verified with",
            why: ["neither its metadata nor the provider file has jwks_uri"],
            fix: [
                "say jwks_uri in the provider file, or protocol: oauth2 where there are no ID tokens",
                "for ID tokens that are signed with the client secret: client.id_token_signed_response_alg: HS256",
            ]),
        "refresh.unreadable": FailureText(
            "nobody knows whether the refresh token was redeemed",
            why: [
                "the provider's answer holds neither tokens nor an error; a rotating token is not sent twice",
                "a proxy or a captive portal answered in its place",
            ],
            fix: ["{trace}   shows type and members of the answer", Self.signInAnew]),
        "refresh.unanswered": FailureText(
            "nobody knows whether the refresh token was redeemed",
            why: ["the connection broke after the request was sent; a rotating token is not sent twice"],
            fix: [Self.signInAnew]),
        "rate_limited": FailureText(
            "the provider asks to slow down", why: ["too many requests of this client or address"],
            fix: ["wait a while, then   {again}"], isRetryable: true),
        "server_error": FailureText(
            "the provider has a problem of its own",
            why: [
                "its server is overloaded, being maintained or broken",
                "a gateway in front of it cannot reach it",
            ],
            fix: ["wait a while, then   {again}", "if it stays so, see the status page of the provider"],
            isRetryable: true),
        "keys_unavailable": FailureText(
            "the provider's keys cannot be had",
            why: ["jwks_uri cannot be reached", "the token's key is not among the keys published there"],
            fix: ["curl -v the jwks_uri of {plan}"], isRetryable: true),
        "network": FailureText(
            "the provider could not be asked", why: [], fix: ["wait a while, then   {again}"],
            isRetryable: true),

        // Contents.
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
        "callback.malformed": FailureText(
            "what the browser brought back is no answer to the sign-in",
            why: [
                "the provider answers in a shape of its own",
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
                "register on the provider's own pages, then   flowrun provider add {provider}",
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

        // Time, bounds and this machine.
        "conflict": FailureText(
            "another process has stored the session meanwhile", why: ["two runs at once"], fix: ["{again}"],
            isRetryable: true),
        "setup_failed": FailureText(
            "this machine lacks what a run needs",
            why: ["a library is missing or of the wrong kind, or certificates cannot be read"],
            fix: ["see the message, and install what it names"]),
        "storage": FailureText(
            "something on this machine stands in the way", why: [], fix: ["{trace}   shows the step"]),
        "callback.timeout": FailureText(
            "nobody came back from the provider in time",
            why: [
                "the page was closed, or shows an error of the provider",
                "the browser runs on another machine and cannot reach this one's loopback address",
            ],
            fix: [
                "{again}   and look at the provider's page",
                "over SSH choose a port with --port N and forward it: ssh -L N:127.0.0.1:N HOST",
            ]),
        "deadline": FailureText(
            "the run took longer than it may",
            why: ["limits.deadline of the flow, --timeout, or --wait for a code, is over"],
            fix: ["{again}   and be faster, or raise the limit"],
            isRetryable: true),
        "transitions": FailureText(
            "the run made more transitions than allowed", why: ["a loop in the flow does not end"],
            fix: ["give an edge of the loop a `max`"]),
        "visits": FailureText(
            "a step was entered more often than limits.visits allows",
            why: ["a loop of the flow went round more often than that"],
            fix: ["give an edge of the loop a smaller `max`, or raise limits.visits"]),
        "exhausted": FailureText(
            "a step was entered more often than its `visits` allows",
            why: ["what the loop waits for did not happen in so many rounds"],
            fix: ["see where the flow leads `exhausted` of the step, or raise its `visits`"]),
        "headless": FailureText(
            "a person must open a page, and there is nowhere to show it",
            why: ["no display, no terminal, or --no-input"],
            fix: ["run it at a terminal, or with --no-browser and open the address elsewhere"]),
        "suspended": FailureText(
            "the run waits for an answer that somebody must give in a browser",
            why: ["nobody can be asked here, and the run can go on in another process"],
            fix: [
                "open the address that was shown, and hand over where the browser lands or enter the code there: see flowrun help "
                    + "resume"
            ]),
        "journal_failed": FailureText(
            "the run cannot be kept safe against a crash",
            why: ["no room on the disk, no right to write, or the run belongs to another flow"],
            fix: ["make room or mend the rights, then run it again: nothing was sent that is lost"],
            isRetryable: true),
        "redirect_unavailable": FailureText(
            "the redirect address cannot be opened here",
            why: [
                "another program holds the port",
                "the redirect URI is the page of a server, whose answers this machine does not see",
            ],
            fix: [
                "end the other run, or choose another port with --port",
                "give a redirect URI of this machine, such as http://127.0.0.1:PORT/callback, or hand the answer over: "
                    + "see flowrun help resume",
            ]),
        "authorize.client_key": FailureText(
            "a key or secret that this sign-in needs is missing, or does not fit",
            why: [
                "the answer in the browser is verified with the client secret, and none is registered",
                "the request is signed with the client's private key, and none is registered",
                "the key is of another type than the algorithm",
            ],
            fix: ["give what is missing in the registration: flowrun provider add {provider}"]),
        "client_key": FailureText(
            "what proves the client cannot be made",
            why: [
                "the secret or the private key is missing, or cannot be read where it should be",
                "the private key is of another type than the algorithm, or the secret is too short",
            ],
            fix: [
                "flowrun provider test {provider}   shows where each part of the registration comes from",
                "give what is missing: flowrun provider add {provider}",
            ]),
        "endpoint_refused": FailureText(
            "an answer leads to an address that the descriptor does not allow",
            why: [
                "somebody else sent the browser back", "the provider has a host that is not in allowed_hosts",
            ],
            fix: ["add the host to allowed_hosts of the descriptor, if it is the provider's own"]),
        "host_not_allowed": FailureText(
            "the access token is not sent to a server that the provider does not name",
            why: [
                "the address belongs to somebody else, who could use the token as its owner does",
                "it is a resource server that the provider's file does not name",
            ],
            fix: [
                "flowrun http METHOD URL --allow-host HOST   sends it there this time",
                "name the server for good under resources or origins of the provider's file",
                "flowrun provider hosts {provider}   shows the servers that are named",
            ]),
        "transport_refused": FailureText(
            "the connection is not safe, so nothing was sent",
            why: [
                "somebody stands between this machine and the provider",
                "the provider has a new key or certificate that the descriptor does not pin",
                "its metadata names an address in a network where it has no business",
            ],
            fix: [
                "flowrun provider pins {provider}   (what its hosts show now)",
                "compare that over another connection, or with the provider, before you pin it",
            ]),
        "store_failed": FailureText(
            "the session store cannot be used",
            why: [
                "permissions or space on the disk", "another process holds the file",
                "a file of it is damaged",
            ],
            fix: [
                "flowrun doctor   looks at the store and says what helps",
                "check owner and mode of the store's folder (it must be 0700)",
            ]),
        "wrong_passphrase": FailureText(
            "the passphrase does not open the session store",
            why: ["the store was sealed with another one"],
            fix: [
                "give the passphrase that it was sealed with   (flowrun store status says where the store is)",
                "where that is lost: flowrun store reset --yes, then sign in again",
            ]),
        "lock_timeout": FailureText(
            "another process renews this session and does not finish", why: [],
            fix: ["wait for it, or end it"],
            isRetryable: true),
        "hook_failed": FailureText(
            "a hook failed",
            why: [
                "its program or server cannot be reached, took too long, or reported an error",
                "its answer is not of the form that hooks have, or not one that its point and its may allow",
                "it did not set what it declares under writes",
            ],
            fix: [
                "{trace}   shows the last lines that its program wrote",
                "flowrun hooks list {flow}   shows what it is given, and what it may answer",
                "run the program by hand with a call on its standard input; the page Hooks of the documentation, Sources/FlowEngine/FlowEngine.docc/Hooks.md, has one under \"Wire contract\"",
            ]),
        "crashed": FailureText(
            "the process ended in the midst of the run",
            why: ["flowrun itself has crashed, or something killed it", "the machine was shut down"],
            fix: [
                "flowrun journal   lists the runs that can go on",
                "flowrun resume RUN   goes on with the one of that name, where its step can be repeated",
                "{again}   begins anew",
            ]),
        "skipped": FailureText(
            "the step was passed over",
            why: [
                "its `if` did not hold, or a hook passed it over, and the flow routes that to a failure end"
            ],
            fix: ["{trace}   shows the condition, and what hooks decided"]),
        "failure": FailureText(
            "the flow came to an end of failure by itself",
            why: ["the flow routes that outcome there; nothing went wrong that has a code of its own"],
            fix: ["{trace}   shows the way that led there"]),
        "hook_outcome": FailureText(
            "a hook gave the answer this outcome",
            why: ["the hook looked at the answer and judged it so; the other side did not fail by itself"],
            fix: [
                "{trace}   shows the answer, and what hooks made of it",
                "{again} --no-hooks   shows the outcome without hooks",
            ]),
        "hook_refused": FailureText(
            "a hook refused to go on", why: ["it decided so, and its message says why"],
            fix: ["{trace}   shows what it was given"]),
        "randomness": FailureText(
            "the system gave no random bytes", why: [], fix: ["run it again"], isRetryable: true),
    ]

    /// A sign-in alone may find the access token still good, and ask nobody.
    private static let signInAnew =
        "flowrun logout {provider}{options}, then flowrun login {provider}{options}   signs in anew"

    private static func wrongTime(_ headline: String, _ causes: String...) -> FailureText {
        FailureText(
            headline, why: causes,
            fix: ["compare `date -u` with the real time; timedatectl set-ntp true", "{again}"])
    }

    private static func wrongHash(_ claim: String, of value: String) -> FailureText {
        FailureText(
            "the ID token does not belong to the \(value) of this sign-in",
            why: [
                "a cache or a proxy has put two answers together, or somebody has slipped in a foreign \(value)",
                "the provider does not make \(claim) with the hash of the token's alg (OIDC Core §3.1.3.8)",
            ],
            fix: [
                "{again}   (nothing of this answer was used)",
                "if it repeats, it is a mistake of the provider: report it there, do not relax the check",
            ])
    }

    private static func anotherToken(_ whose: String) -> FailureText {
        FailureText(
            "the ID token of the refresh is \(whose) than the first one",
            why: [
                "the refresh token belongs to another session: two stores were mixed up",
                "the provider does not keep to OIDC Core §12.2",
            ],
            fix: [Self.signInAnew])
    }

    private static func grantNotEnabled(_ grant: String, _ reason: String? = nil) -> FailureText {
        FailureText(
            "this client may not use this grant",
            why: ["the grant is not enabled in the client's registration"] + [reason].compactMap(\.self),
            fix: ["enable \(grant) for the client at {provider}"])
    }

    private static func malformed(describedUnder key: String) -> FailureText {
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
