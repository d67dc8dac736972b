extension FailureTexts {
    /// A check against attackers has failed.
    static let attacks: [String: FailureText] = [
        "state_mismatch": FailureText(
            "the answer belongs to another sign-in",
            why: [
                "an old tab or another run answered at this redirect URI",
                "the provider leaves out state, as some do where the person refuses, or changes it",
                "somebody tries to slip in a foreign answer (RFC 6749 §10.12)",
            ],
            fix: [
                "close old sign-in tabs, then   {again}",
                "if somebody refused there: authorization.state.on_error: optional in the provider file",
            ]),
        "issuer_mismatch": FailureText(
            "the answer comes from another issuer than the expected one",
            why: [
                "issuer in the provider file differs from what the provider calls itself, often by a tenant or a slash",
                "it bears no iss, although the metadata says so: authorization_response_iss_parameter_supported",
                "a mix-up attack: another server's answer is passed off as this one's (RFC 9207)",
            ],
            fix: [
                "compare issuer in the provider file with the provider's documentation, do not relax the check"
            ]),
        "nonce_mismatch": FailureText(
            "the ID token was not issued for this sign-in, as far as its nonce tells",
            why: [
                "an old answer was replayed, or came from a cache",
                "where it has none: the provider loses it, such as on a page of its own that does not pass it on",
            ],
            fix: [
                "{again}   (an old answer does not come twice)",
                "if it never has one: tell the provider, or set id_token.nonce: when_present in the provider file",
            ]),
        "signature_invalid": FailureText(
            "the ID token's signature does not verify",
            why: ["the keys at jwks_uri are not those of the issuer", "the token was changed on its way"],
            fix: ["compare jwks_uri in the provider file with the provider's metadata"]),
        "aud-others": FailureText(
            "the ID token is meant for the client and for others that nobody has named",
            why: ["some providers name every client of a project, or their own interface, in aud"],
            fix: ["if these belong to you, name them in id_token.audience of the provider file"]),
        "audience_mismatch": FailureText(
            "the ID token is meant for another client",
            why: [
                "client_id is not the one the provider put into aud",
                "the provider put nobody into aud: some take that from the client's registration",
                "a token of another client was slipped in",
            ],
            fix: ["compare client_id, and the client's audience if it has one, with the provider's console"]),
        "subject_mismatch": FailureText(
            "the answer does not speak of the person who signed in",
            why: ["UserInfo's sub is missing, or differs from the ID token's (OIDC Core §5.3.2)"],
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
            "the ID token has expired, or does not say when it does",
            "the provider sent a token that is old already, such as one from a cache, or one without exp",
            "the clock of this machine is ahead of the real time"),
        "iat": Self.wrongTime(
            "the time at which the ID token was issued is not about now, or missing",
            "the provider sent an old token, such as one from a cache, or one without iat",
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
                "the provider writes it in another type than OIDC Core §2 says, such as amr as one text",
            ],
            fix: [
                "{trace}   shows the claims that came",
                "compare require of the step with claims_supported of the provider's metadata",
                "for another type: tell the provider; the check cannot be relaxed",
            ]),
        "id_token-present": FailureText(
            "the token response brought no ID token",
            why: [
                "the provider does not issue one to this client or for this grant, although the scope openid was asked for",
                "the client may not have the scope openid",
                "the token endpoint is that of another provider or interface",
            ],
            fix: [
                "{trace}   shows what came",
                "allow the client the scope openid at {provider}; one of flowrun register by --update or --replace, with --scope for each",
                "where none is issued for this grant: id_token.required: false in the provider file",
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
            fix: [
                "{trace}   shows the address that was asked; curl -si with it shows where it leads",
                "name the address that it has now",
            ]),
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
                "the provider says none, has a name of its own for Bearer, or tokens of a kind that flowrun does not know",
                "DPoP was demanded, and the server does not bind tokens or does not know that this client wants it",
            ],
            fix: [
                "for none at all: set token.response.defaults.token_type to Bearer in the provider file",
                "for another name of Bearer: list it there under token.response.token_types",
                "for DPoP: have the server bind the tokens of this client, or do not demand it in its registration",
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
        "typ": FailureText(
            "what is signed says that it is something else than was asked for",
            why: [
                "the provider gave a type of its own, or another kind of token, in place of what was asked for",
                "somebody tries to pass off an access token or another signed message (RFC 8725 §3.11)",
            ],
            fix: ["{trace}   shows the type in typ; do not relax the check, tell the provider"]),
        "crit": FailureText(
            "the signature demands something that this client does not know",
            why: ["an extension in crit must be understood by whoever reads it (RFC 7515 §4.1.11)"],
            fix: ["{trace}   shows its name; ask the provider to sign without it for this client"]),
        "verify_id_token.id_token-format": FailureText(
            "what came as the ID token is not a signed token",
            why: [
                "the client is registered for ID tokens without a signature (alg none), which prove nothing",
                "the provider puts something else into id_token",
            ],
            fix: [
                "have id_token_signed_response_alg of the client set to RS256 or the like at {provider}",
                "if it never sends one: set id_token.ignore: true in the provider file",
                "{trace}   shows what can be read of it",
            ]),
        "verify_id_token.alg": FailureText(
            "the ID token is signed by another algorithm than the client expects",
            why: [
                "the client registered another algorithm at the provider",
                "the provider signs with the client secret (HS256), which must be said",
                "none: the client is registered for ID tokens without a signature, which prove nothing",
                "somebody tries to have a weaker signature accepted (RFC 8725 §2.1)",
            ],
            fix: [
                "if the provider documents it: set client.id_token_signed_response_alg in the provider file, such as HS256",
                "if there is none: have id_token_signed_response_alg of the client set to RS256 at {provider}",
            ]),
        "encryption": unencrypted,
        "jwe-alg": unencrypted,
        "decryption": FailureText(
            "what is encrypted cannot be decrypted with the client's private key",
            why: [
                "the provider has another public key of this client, or an older one",
                "it was changed on its way",
            ],
            fix: [
                "register the public half of private_key anew: flowrun register {provider_word} --replace, or in the provider's "
                    + "console"
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
                "the provider is behind a proxy, and makes its issuer of the host that the proxy asks for",
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
            "the provider is not known to take PKCE with the method that is used",
            why: [
                "code_challenge_methods_supported, in its metadata or its file, does not list S256, or what authorization.pkce.method "
                    + "says instead",
                "somebody has changed the metadata to weaken the sign-in",
            ],
            fix: [
                "if it takes S256 all the same: set code_challenge_methods_supported to [S256] in the provider file",
                "if it takes plain challenges only, as its documentation says: set authorization.pkce.method to plain there",
                "if it takes no challenge at all: set authorization.pkce.mode to off there",
            ]),
        "metadata_untrusted": FailureText(
            "the provider's metadata failed a check",
            why: ["it names another issuer, or an endpoint that is not secure"],
            fix: ["compare issuer in the provider file with the metadata document, do not relax the check"]),
        "security": FailureText(
            "a check against attackers failed", why: [],
            fix: ["{trace}   shows the check; do not relax it"]),
    ]

    private static let unencrypted = FailureText(
        "what was sent is not encrypted as the provider file says, or is although it says nothing of that",
        why: [
            "the client is registered for other answers: in the clear, encrypted, or by another algorithm",
            "somebody has put another token in its place",
        ],
        fix: [
            "flowrun register {provider_word} --show   tells what is registered; --replace registers what the file says",
            "if it is to be encrypted: say so by the encrypted_response members of client in the provider file, and give "
                + "private_key",
            "if nothing is to be encrypted: take the encrypted_response members out of client in the provider file",
        ])

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
}
