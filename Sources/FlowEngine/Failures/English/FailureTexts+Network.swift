extension FailureTexts {
    /// The other side could not be reached, or not now.
    static let network: [String: FailureText] = [
        "resolve": FailureText(
            "{host} has no address", why: ["the name is misspelt", "there is no network or no DNS"],
            fix: ["getent hosts {host_name}"], isRetryable: true),
        "connect": FailureText(
            "{host} cannot be reached", why: ["the server is down", "a firewall or proxy is in between"],
            fix: ["curl -v {origin}/   ; set HTTPS_PROXY if a proxy is needed"], isRetryable: true),
        "proxy": FailureText(
            "{host} cannot be reached through the proxy",
            why: [
                "HTTPS_PROXY or ALL_PROXY names a proxy that is not there",
                "the proxy lets nothing through to this host",
            ],
            fix: [
                "curl -v {origin}/   shows what the proxy says",
                "correct HTTPS_PROXY, or name the host in NO_PROXY where it is reached without",
            ], isRetryable: true),
        "proxy_credentials": FailureText(
            "the proxy on the way to {host} wants credentials",
            why: ["HTTPS_PROXY or ALL_PROXY has none, or others than the proxy knows"],
            fix: [
                "write them into its address, percent-encoded: HTTPS_PROXY=http://USER:PASSWORD@PROXY:PORT",
                "name the host in NO_PROXY where it is reached without",
            ]),
        "unprepared": FailureText(
            "nothing can be sent from this machine",
            why: [
                "libcurl is missing or cannot be used",
                "this process may have no more threads, files or memory",
            ],
            fix: ["flowrun doctor   looks at it"]),
        "tls": FailureText(
            "no trusted connection to {host}",
            why: [
                "the certificate is expired, or made out to another name",
                "its authority is not trusted here: a private authority or an inspecting proxy",
                "the local clock is wrong",
            ],
            fix: ["curl -v {origin}/   ; trust a private authority with --cacert FILE"]),
        "tls_untrusted": FailureText(
            "no authority that is trusted here issued the certificate of {host}",
            why: [
                "a private authority, or a proxy that inspects connections",
                "the server does not send the certificates in between",
            ],
            fix: [
                "trust a private authority with --cacert FILE, or SSL_CERT_FILE=FILE where flowrun is a service",
                "curl -v {origin}/   shows who issued the certificate",
            ]),
        "tls_expired": FailureText(
            "the certificate of {host} has expired",
            why: ["nobody has renewed it", "the local clock is ahead of the real time"],
            fix: ["compare `date -u` with the real time", "tell whoever runs the server"]),
        "tls_not_yet_valid": FailureText(
            "the certificate of {host} is not valid yet", why: ["the local clock is behind the real time"],
            fix: ["compare `date -u` with the real time; timedatectl set-ntp true"]),
        "tls_wrong_host": FailureText(
            "the certificate that came is made out to another name than {host}",
            why: [
                "the server is called by another name, or by its IP address",
                "a sign-in page of the network, or somebody else in between, answered in its place",
            ],
            fix: [
                "curl -v {origin}/   shows whom it is made out to",
                "compare the address in the provider file with the provider's documentation",
            ]),
        "tls_client_certificate": FailureText(
            "{host} wants a client certificate, or another one",
            why: [
                "the registration has no certificate, or one that the server does not trust",
                "the server wants it of everybody: metadata and keys are asked for without it, and userinfo where tokens are not bound to it",
            ],
            fix: [
                "give certificate and certificate_key in the registration: flowrun help files",
                "where metadata wants it too: discovery: off in the provider file, with the endpoints",
            ]),
        "tls_version": FailureText(
            "{host} speaks no version of TLS that is allowed",
            why: ["the server is older than tls.min_version of the provider file, or than TLS 1.2"],
            fix: ["tell whoever runs the server", "lower tls.min_version in the provider file to 1.2"]),
        "tls_plaintext": FailureText(
            "what answers at {host} speaks no TLS",
            why: [
                "a server for plain http listens there, which OpenSSL calls a wrong version number",
                "the address names another port than that of https, or something in between answers",
            ],
            fix: [
                "compare the address and its port with the provider's documentation",
                "a server on this machine may be asked without: http://127.0.0.1:PORT",
            ]),
        "tls_local_setup": FailureText(
            "the certificate authorities to trust cannot be read",
            why: ["the file of --cacert or SSL_CERT_FILE is missing, or holds no certificate in PEM"],
            fix: ["flowrun doctor   looks at it"]),
        "wait.timeout": FailureText(
            "the event that the flow waits for did not come in time",
            why: [
                "the host program did not report it",
                "the flow is run by flowrun itself, which reports no events: that is for programs that embed the engine",
            ],
            fix: ["raise `timeout` of the step, or have the program report the event"]),
        "timeout": FailureText(
            "the answer did not come in time", why: ["the network or the server is slow"],
            fix: ["run it again, or raise `timeout` of the step, and --http-timeout where it was given"],
            isRetryable: true),
        "reset": FailureText(
            "the connection broke",
            why: [
                "the server or a proxy closed it",
                "the server wants a client certificate, and closes the connection of whoever shows none",
            ],
            fix: [
                "{again}",
                "where it wants one: certificate and certificate_key in the registration, flowrun help files",
            ], isRetryable: true),
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
                "a run was interrupted after it may have sent the refresh token; a second use of it could make the "
                    + "provider revoke the session (RFC 9700 §4.14.2)"
            ],
            fix: [Self.signInAnew]),
        "key_set": FailureText(
            "the provider's key set cannot be read",
            why: ["jwks_uri leads to something else: a page, or an error that says 200"],
            fix: [
                "{trace}   shows where it was asked for",
                "compare jwks_uri in the provider file with the metadata",
            ]),
        "encryption_key": FailureText(
            "the provider publishes no key that the request could be encrypted to",
            why: [
                "none of its keys is for client.request_object_encryption_alg of the provider file",
                "its keys for encryption are published elsewhere than at jwks_uri",
            ],
            fix: [
                "compare the algorithm with request_object_encryption_alg_values_supported of its metadata",
                "leave request_object_encryption_alg out of the provider file if the client did not register it",
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
    ]
}
