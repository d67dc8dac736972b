// Causes and fixes by error and outcome, as data. Longer than other files, since it is one table; a key is
// `kind.error`, `kind.outcome`, an error, an outcome or a class of outcomes.
extension FailureAdvice {
    static let table: [String: FailureAdvice] = [
        // The credential is not good.
        "exchange.invalid_grant": FailureAdvice(
            "the provider refused the authorization code",
            why: [
                "the code expired, was used before, or belongs to another client or redirect URI",
                "the local clock is wrong: providers refuse what seems to come from the past or the future",
            ],
            fix: [
                "flowrun run {flow}   (a code works once: sign in again)",
                "compare `date -u` with the real time",
            ]),
        "refresh.invalid_grant": FailureAdvice(
            "the provider no longer accepts the refresh token",
            why: [
                "it expired or was revoked: a password change, a removed consent, a time limit of the provider",
                "another program redeemed it: rotating refresh tokens work once",
            ],
            fix: ["flowrun run {flow}   (sign in again)"]),
        "invalid_grant": FailureAdvice(
            "the provider refused the credential",
            why: ["it expired, was revoked or was used before"], fix: ["flowrun run {flow}   (sign in again)"]
        ),
        "unauthorized": FailureAdvice(
            "the provider does not accept the access token",
            why: ["it expired or was revoked", "it was issued for another audience"],
            fix: ["flowrun run {flow}   (a fresh token)"]),
        "insufficient_scope": FailureAdvice(
            "the access token does not allow this",
            why: ["a scope is missing: it was not asked for, or the person did not grant it"],
            fix: ["ask for the scope in the flow or the provider file, then sign in again"]),
        "insufficient_auth": FailureAdvice(
            "the sign-in is not strong or not recent enough",
            why: ["the provider demands another acr or a newer auth_time (RFC 9470)"],
            fix: ["flowrun run {flow}   and use the stronger method at the provider's page"]),

        "inactive": FailureAdvice(
            "the provider says that the token is not good",
            why: ["it expired or was revoked", "it was issued to another client"],
            fix: ["flowrun run {flow}   (sign in again)"]),
        "device_poll.expired": FailureAdvice(
            "the code was not entered in time",
            why: ["nobody entered it before it expired"],
            fix: ["flowrun run {flow}   (a new code), and enter it at once"]),
        "port_failed": FailureAdvice(
            "the program behind a port gave no usable answer",
            why: [
                "nothing is registered for the port, or its program failed",
                "its answer is not what the flow declares under calls",
            ],
            fix: ["compare the answer with calls in the flow file"]),

        // The registration or the request is wrong.
        "invalid_client": FailureAdvice(
            "the provider does not accept this client",
            why: [
                "the client secret is wrong, expired, or has a line break at its end",
                "the provider wants another client authentication method than the one sent",
                "the client_id belongs to another environment or tenant",
            ],
            fix: [
                "compare client_id and secret with the provider's console",
                "set client.auth in the provider file to the method it documents: basic, post or none",
            ]),
        "redirect_uri_mismatch": FailureAdvice(
            "the redirect URI is not registered",
            why: [
                "the provider compares it character by character: scheme, host, port, path, trailing slash"
            ],
            fix: ["register exactly  {redirect_uri}  at {provider}"]),
        "invalid_redirect_uri": FailureAdvice(
            "the redirect URI is not registered",
            why: [
                "the provider compares it character by character: scheme, host, port, path, trailing slash"
            ],
            fix: ["register exactly  {redirect_uri}  at {provider}"]),
        "invalid_scope": FailureAdvice(
            "a scope is unknown, malformed or not allowed for this client",
            why: [
                "a misspelt scope", "a scope that must be enabled for the client first",
                "another separator is wanted",
            ],
            fix: ["compare the scopes of `flowrun plan {flow}` with the provider's list"]),
        "unauthorized_client": FailureAdvice(
            "this client may not use this grant",
            why: ["the grant is not enabled in the client's registration"],
            fix: ["enable the authorization code grant (or refresh tokens) for the client at {provider}"]),
        "unsupported_grant_type": FailureAdvice(
            "the token endpoint does not know this grant",
            why: [
                "the endpoint in the provider file is not the token endpoint", "the grant is switched off",
            ],
            fix: ["compare the token endpoint with the provider's documentation"]),
        "invalid_request": FailureAdvice(
            "the provider finds the request malformed",
            why: ["a parameter is missing, doubled or not allowed there"],
            fix: ["flowrun plan {flow}   shows every parameter with where it comes from"]),
        "rejected": FailureAdvice(
            "the provider rejected the request",
            why: ["the error above is in the provider's own words"],
            fix: ["flowrun plan {flow}   shows every parameter with where it comes from"]),
        "unsupported": FailureAdvice(
            "the provider cannot do what the step needs",
            why: ["an endpoint or a method is missing in its file and in its metadata"],
            fix: ["add it to the provider file, or route `unsupported` in the flow"]),
        "not_found": FailureAdvice(
            "there is no metadata at the place the issuer says",
            why: ["the issuer is misspelt, or the provider publishes no metadata"],
            fix: ["correct issuer in the provider file, or set discovery: off and write the endpoints"]),
        "config": FailureAdvice(
            "the registration or the request does not fit the provider", why: [],
            fix: ["flowrun plan {flow}   shows every parameter with where it comes from"]),

        // The person or the provider said no.
        "access_denied": FailureAdvice(
            "the sign-in was refused",
            why: ["the person pressed cancel, or a policy of the provider forbids it"],
            fix: ["flowrun run {flow}   to try again; ask the provider's administrator about policies"]),
        "interaction_required": FailureAdvice(
            "the provider wants to talk to the person",
            why: ["prompt=none was asked for and there is no session, consent or chosen account"],
            fix: ["run the flow without prompt=none"]),
        "cancelled": FailureAdvice(
            "the run was cancelled", why: ["it was interrupted, at the terminal or by the host program"],
            fix: ["flowrun run {flow}"], isRetryable: true),

        // Checks against attackers.
        "state_mismatch": FailureAdvice(
            "the answer belongs to another sign-in",
            why: [
                "an old tab or another run answered at this redirect URI",
                "somebody tries to slip in a foreign answer (RFC 6749 §10.12)",
            ],
            fix: ["close old sign-in tabs, then   flowrun run {flow}"]),
        "issuer_mismatch": FailureAdvice(
            "the answer comes from another issuer than the expected one",
            why: [
                "issuer in the provider file differs from what the provider calls itself, often by a tenant or a slash",
                "a mix-up attack: another server's answer is passed off as this one's (RFC 9207)",
            ],
            fix: [
                "compare issuer in the provider file with the provider's documentation, do not relax the check"
            ]),
        "nonce_mismatch": FailureAdvice(
            "the ID token was issued for another sign-in",
            why: ["an old answer was replayed", "the provider answered from a cache"],
            fix: ["flowrun run {flow}   (if it repeats, the provider does not return the nonce)"]),
        "signature_invalid": FailureAdvice(
            "the ID token's signature does not verify",
            why: ["the keys at jwks_uri are not those of the issuer", "the token was changed on its way"],
            fix: ["compare jwks_uri in the provider file with the provider's metadata"]),
        "audience_mismatch": FailureAdvice(
            "the ID token is meant for another client",
            why: [
                "client_id is not the one the provider put into aud",
                "a token of another client was slipped in",
            ],
            fix: ["compare client_id with the provider's console"]),
        "subject_mismatch": FailureAdvice(
            "the answer speaks of another person than the sign-in",
            why: ["UserInfo's sub differs from the ID token's (OIDC Core §5.3.2)"],
            fix: ["flowrun run {flow}   (nothing of this answer was used)"]),
        "claims_invalid": FailureAdvice(
            "the ID token's claims do not hold",
            why: ["it is expired, not yet valid or lacks a claim", "the local clock is wrong"],
            fix: ["compare `date -u` with the real time"]),
        "replayed": FailureAdvice(
            "a second answer to the same sign-in arrived",
            why: ["the browser repeated the redirect", "somebody replayed it"], fix: ["flowrun run {flow}"]),
        "insecure": FailureAdvice(
            "an endpoint is not reached through https",
            why: ["the metadata names an http address"], fix: ["correct the endpoint at the provider"]),
        "metadata_untrusted": FailureAdvice(
            "the provider's metadata failed a check",
            why: ["it names another issuer, or an endpoint that is not secure"],
            fix: ["compare issuer in the provider file with the metadata document, do not relax the check"]),
        "security": FailureAdvice(
            "a check against attackers failed", why: [],
            fix: ["flowrun run {flow} -vv   shows the check; do not relax it"]),

        // The network.
        "resolve": FailureAdvice(
            "{host} has no address", why: ["the name is misspelt", "there is no network or no DNS"],
            fix: ["getent hosts {host}"], isRetryable: true),
        "connect": FailureAdvice(
            "{host} cannot be reached", why: ["the server is down", "a firewall or proxy is in between"],
            fix: ["curl -v https://{host}/   ; set HTTPS_PROXY if a proxy is needed"], isRetryable: true),
        "tls": FailureAdvice(
            "no trusted connection to {host}",
            why: [
                "the certificate is expired, or made out to another name",
                "its authority is not trusted here: a private authority or an inspecting proxy",
                "the local clock is wrong",
            ],
            fix: ["curl -v https://{host}/   ; trust a private authority with --cacert FILE"]),
        "timeout": FailureAdvice(
            "the answer did not come in time", why: ["the network or the server is slow"],
            fix: ["run it again, or raise `timeout` of the step"], isRetryable: true),
        "reset": FailureAdvice(
            "the connection broke", why: ["the server or a proxy closed it"], fix: ["flowrun run {flow}"],
            isRetryable: true),
        "truncated": FailureAdvice(
            "the answer broke off", why: ["the server or a proxy closed the connection early"],
            fix: ["flowrun run {flow}"], isRetryable: true),
        "too_large": FailureAdvice(
            "the answer is larger than the flow allows", why: ["the endpoint is not the one that was meant"],
            fix: ["compare the endpoint, or raise limits.response_bytes"]),
        "exchange.unanswered": FailureAdvice(
            "nobody knows whether the code was redeemed",
            why: [
                "the connection broke after the request was sent; a code is never sent twice (RFC 6749 §4.1.2)"
            ],
            fix: ["flowrun run {flow}   (sign in again)"]),
        "refresh.unanswered": FailureAdvice(
            "nobody knows whether the refresh token was redeemed",
            why: ["the connection broke after the request was sent; a rotating token is not sent twice"],
            fix: ["flowrun run {flow}   (sign in again)"]),
        "rate_limited": FailureAdvice(
            "the provider asks to slow down", why: ["too many requests of this client or address"],
            fix: ["wait a while, then   flowrun run {flow}"], isRetryable: true),
        "server_error": FailureAdvice(
            "the provider has a problem of its own", why: ["see its status page"],
            fix: ["wait a while, then   flowrun run {flow}"], isRetryable: true),
        "keys_unavailable": FailureAdvice(
            "the provider's keys cannot be had",
            why: ["jwks_uri cannot be reached", "the token's key is not among the keys published there"],
            fix: ["curl -v the jwks_uri of `flowrun plan {flow}`"], isRetryable: true),
        "transient": FailureAdvice(
            "the provider could not be asked", why: [], fix: ["wait a while, then   flowrun run {flow}"],
            isRetryable: true),

        // Contents.
        "malformed": FailureAdvice(
            "the answer is not what the endpoint should send",
            why: [
                "the endpoint is wrong: a login page or an error page answered",
                "a proxy or a captive portal answered in its place",
                "the provider answers in a shape of its own",
            ],
            fix: [
                "flowrun run {flow} -vv   shows type and members of the answer",
                "describe the shape under token.response in the provider file",
            ]),
        "assertion_failed": FailureAdvice(
            "an assertion of the flow does not hold", why: [], fix: ["see `assert` at the place above"]),
        "corrupt": FailureAdvice(
            "the stored session cannot be read",
            why: ["it was written with another key", "the file was damaged or changed"],
            fix: ["route `corrupt` to a `clear` step, or delete the session, then sign in again"]),

        // Time, bounds and this machine.
        "callback.timeout": FailureAdvice(
            "nobody came back from the provider in time",
            why: [
                "the page was closed, or shows an error of the provider",
                "the browser runs on another machine and cannot reach this one's loopback address",
            ],
            fix: [
                "flowrun run {flow}   and look at the provider's page",
                "over SSH choose a port with --port N and forward it: ssh -L N:127.0.0.1:N HOST",
            ]),
        "deadline": FailureAdvice(
            "the run took longer than limits.deadline", why: [], fix: ["run it again, or raise the limit"],
            isRetryable: true),
        "transitions": FailureAdvice(
            "the run made more transitions than allowed", why: ["a loop in the flow does not end"],
            fix: ["give an edge of the loop a `max`"]),
        "visits": FailureAdvice(
            "a step was entered more often than allowed", why: ["a loop in the flow does not end"],
            fix: ["give an edge of the loop a `max`"]),
        "exhausted": FailureAdvice(
            "a step was entered more often than allowed", why: ["a loop in the flow does not end"],
            fix: ["give an edge of the loop a `max`"]),
        "headless": FailureAdvice(
            "a person must open a page, and there is nowhere to show it",
            why: ["no display, no terminal, or --no-input"],
            fix: ["run it at a terminal, or with --no-browser and open the address elsewhere"]),
        "redirect_unavailable": FailureAdvice(
            "the redirect address cannot be opened here", why: ["another program holds the port"],
            fix: ["end the other run, or choose another port with --port"]),
        "client_key": FailureAdvice(
            "what proves the client cannot be made",
            why: [
                "the private key is missing, or of another type than the algorithm",
                "the secret is too short",
            ],
            fix: ["give private_key in the registration: flowrun provider add {provider}"]),
        "endpoint_refused": FailureAdvice(
            "an answer leads to an address that the descriptor does not allow",
            why: [
                "somebody else sent the browser back", "the provider has a host that is not in allowed_hosts",
            ],
            fix: ["add the host to allowed_hosts of the descriptor, if it is the provider's own"]),
        "transport_refused": FailureAdvice(
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
        "store_failed": FailureAdvice(
            "the session store cannot be used",
            why: ["permissions or space on the disk", "another process holds the file"],
            fix: ["check owner and mode of the store's folder (it must be 0700)"]),
        "lock_timeout": FailureAdvice(
            "another process renews this session and does not finish", why: [],
            fix: ["wait for it, or end it"],
            isRetryable: true),
        "hook_failed": FailureAdvice(
            "a hook failed", why: ["see its message above"], fix: ["run the hook by hand with the same input"]
        ),
        "hook_refused": FailureAdvice(
            "a hook refused to go on", why: ["that is its right: see its message above"], fix: []),
        "randomness": FailureAdvice(
            "the system gave no random bytes", why: [], fix: ["run it again"], isRetryable: true),
    ]
}
