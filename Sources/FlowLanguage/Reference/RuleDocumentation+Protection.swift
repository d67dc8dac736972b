/// Rules that keep the protocol and its secrets safe.
extension RuleDocumentation {
    static let protection: [RuleDocumentation] = [
        RuleDocumentation(
            "FL050",
            meaning: """
                The step is tried again after unanswered, or exchange after server_error, but the
                credential it sends works only once.
                """,
            reason: """
                unanswered means that the request was written and no answer came: the code or the
                refresh token may be used up. Servers take a second use for theft and revoke the whole
                grant (RFC 6749 §4.1.2, RFC 9700 §4.14). A server that fails may have taken the code
                before. A refresh token is the only one that a session has, so after server_error it may
                be sent again; a new code is one sign-in away.
                """,
            wrong: """
                exchange:
                  retry: { outcomes: [network, unanswered], attempts: 3 }
                """,
            right: """
                exchange:
                  retry: { outcomes: [network], attempts: 3 }
                """),
        RuleDocumentation(
            "FL051",
            meaning: """
                retry lists an outcome of class security.
                """,
            reason: """
                A failed check is final. Trying the same thing again helps only the one who tries to get
                past it.
                """,
            wrong: """
                verify:
                  do: verify_id_token
                  retry: { outcomes: [signature_invalid], attempts: 2 }
                """,
            right: """
                verify:
                  do: verify_id_token
                  retry: { outcomes: [keys_unavailable], attempts: 2 }
                """),
        RuleDocumentation(
            "FL052",
            meaning: """
                The edge leads back to the step with the credential that may just have been used: after
                unanswered nobody knows.
                """,
            reason: """
                The same as for retry: a code or a rotating refresh token works once, and its second use
                can revoke the grant.
                """,
            wrong: """
                refresh:
                  next: { ok: verify, unanswered: refresh, absent: authorize }
                """,
            right: """
                refresh:
                  next: { ok: verify, unanswered: authorize, absent: authorize }
                """),
        RuleDocumentation(
            "FL053",
            meaning: """
                No outcome of the step is ever tried again under this policy: attempts is 1, the outcomes
                are not the step's, or steps of its kind are tried once.
                """,
            reason: """
                The policy promises a patience that is not there.
                """,
            wrong: """
                store:
                  retry: { outcomes: [any.transient], attempts: 3 }
                """,
            right: """
                userinfo:
                  retry: { outcomes: [any.transient], attempts: 3 }
                """),
        RuleDocumentation(
            "FL058",
            meaning: """
                extra names a parameter that the engine sets itself: state, nonce, code_challenge,
                code_challenge_method, redirect_uri, client_id, response_type, request or request_uri.
                """,
            reason: """
                These parameters tie the answer to the request. A fixed state or nonce would protect
                nobody.
                """,
            wrong: """
                authorize:
                  with: { extra: { state: fixed } }
                """,
            right: """
                authorize:
                  with: { extra: { audience: https://api.example } }
                """),
        RuleDocumentation(
            "FL060",
            meaning: """
                Tokens of a sign-in or of a refresh, or an ID token that an http step puts into a token set,
                reach store or a success end without passing a verify_id_token step. What token_exchange, http
                or jwt_bearer obtain with such tokens counts as unverified as well.
                Say oidc: false under providers if the provider issues no ID token; one that comes all the
                same is dropped then.
                """,
            reason: """
                Only the checks of the ID token say that it was made by this issuer, for this client, in
                answer to this request. Without them a token of somebody else signs that somebody in, or takes
                the place of the token of the person who did.
                """,
            wrong: """
                exchange: { next: store }
                """,
            right: """
                exchange: { next: verify }
                verify:
                  do: verify_id_token
                  next: { ok: store, absent: refused, any: refused }
                """),
        RuleDocumentation(
            "FL061",
            meaning: """
                An expression names the client's secret or key, or, in a provider file, a token or a
                secret variable where it would not go into a request to the provider.
                """,
            reason: """
                The engine authenticates the client itself, by the method of the registration. A flow
                that never sees the secret cannot leak it.
                """,
            wrong: """
                with: { form: { client_secret: "${client.secret}" } }
                """,
            right: """
                with: { auth: client }
                """),
        RuleDocumentation(
            "FL062",
            meaning: """
                A value flows where more people see it than may. A secret goes into no text, no URL, no
                output that is not declared secret; a user code into no URL and no event; what is known
                of a person into no message. A condition asks of a secret only whether it is there, or
                whether it equals another one. The label secret is for values of the type secret, since
                traces go by the types.
                """,
            reason: """
                Messages end in logs and tickets, URLs in histories and in other servers' logs.
                fingerprint(x) shows that two values are the same without showing them.
                """,
            wrong: """
                ends:
                  done: { result: success, message: "Token ${tokens.main.access_token}" }
                """,
            right: """
                ends:
                  done: { result: success, message: "Signed in as ${fingerprint(tokens.main.subject ?? '')}" }
                """),
        RuleDocumentation(
            "FL063",
            meaning: """
                A value from outside decides where a request or a browser goes.
                """,
            reason: """
                Whoever controls the value controls who gets the tokens. allowed_url(value, list) lets
                only listed addresses pass.
                """,
            wrong: """
                logout:
                  with: { post_logout_redirect: "${inputs.return_to}" }
                """,
            right: """
                logout:
                  with: { post_logout_redirect: "${allowed_url(inputs.return_to, ['https://app.example/']) ?? null}" }
                """),
        RuleDocumentation(
            "FL064",
            meaning: """
                After a failed security check a path leads to a success end without a new authorization.
                The path is printed.
                """,
            reason: """
                The check failed because something may be forged. Only an authorization with fresh
                state, nonce and PKCE starts over; everything else goes on with what could not be
                trusted.
                """,
            wrong: """
                verify:
                  do: verify_id_token
                  next: { ok: done, nonce_mismatch: userinfo }
                """,
            right: """
                verify:
                  do: verify_id_token
                  next:
                    ok: done
                    nonce_mismatch:
                      - { to: authorize, max: 1 }
                      - blocked
                """),
        RuleDocumentation(
            "FL065",
            meaning: """
                Whether the flow comes to a success end is decided by claims that nobody has verified,
                such as an e-mail address without email_verified, or by parameters of the callback: on
                the edge to that end, or where the ways to it and to other ends part.
                """,
            reason: """
                A person can write any address into most profiles. Whoever admits by it admits anybody.
                """,
            wrong: """
                next:
                  - { to: done, if: "ends_with(steps.userinfo.claims.email ?? '', '@example.com')" }
                  - refused
                """,
            right: """
                next:
                  - to: done
                    if: >-
                      (bool(steps.verify.claims.email_verified) ?? false)
                      && ends_with(string(steps.verify.claims.email) ?? '', '@example.com')
                  - refused
                """),
        RuleDocumentation(
            "FL066",
            meaning: """
                A credential stands in the file: a client secret, a private key, a token, the value of a
                header field such as X-Api-Key.
                """,
            reason: """
                Files are shared, copied and kept in version control. Credentials belong to the
                registration, which reads them from the environment, a file or a store.
                """,
            wrong: """
                client_secret: d9f1c0a7b2e84f5d
                """,
            right: """
                client_secret: { env: ACME_CLIENT_SECRET }
                """),
        RuleDocumentation(
            "FL067",
            meaning: """
                A URL begins with http:// and does not surely point to this machine, which is 127.0.0.1, [::1]
                or localhost, written out up to the path: what a template fills in could be another host.
                """,
            reason: """
                Without TLS everybody on the way reads the tokens and can change the answers.
                """,
            wrong: """
                with: { url: "http://api.example/v1/me" }
                """,
            right: """
                with: { url: "https://api.example/v1/me" }
                """),
        RuleDocumentation(
            "FL068",
            meaning: """
                The file asks for something that weakens the protocol: the implicit grant, push: never
                for a client that must push its requests, or the algorithms none and HS*.
                """,
            reason: """
                These protections are not a matter of configuration (RFC 9700).
                """,
            wrong: """
                authorize:
                  with: { response_type: token }
                """,
            right: """
                authorize:
                  next: { ok: callback, headless: failed }
                """),
        RuleDocumentation(
            "FL069",
            meaning: """
                An identifier such as a subject or an issuer is compared after lower() or trim().
                """,
            reason: """
                Identifiers are compared character by character. Two subjects that differ in case are
                two people.
                """,
            wrong: """
                if: lower(steps.verify.subject) == lower(inputs.subject)
                """,
            right: """
                if: steps.verify.subject == inputs.subject
                """),
    ]
}
