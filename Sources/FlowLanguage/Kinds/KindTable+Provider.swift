/// Further requests to the provider: other grants, and the end of a session (flow/1 §6).
extension KindTable {
    private static let use = ArgumentSpec(
        name: "use", form: .tokenSet, standard: "main", summary: "token set that it is about")
    private static let into = ArgumentSpec(
        name: "into", form: .tokenSet, standard: "main", summary: "token set to write")
    private static let scopes = ArgumentSpec(
        name: "scopes", form: .expression(optionalTexts), standard: "the descriptor's",
        summary: "scopes to ask for")
    private static let resource = ArgumentSpec(
        name: "resource", form: .expression(optionalTexts), standard: nil,
        summary: "services that the tokens are for (RFC 8707)")
    private static let extra = ArgumentSpec(
        name: "extra", form: .templates, standard: nil,
        summary: "further parameters that the descriptor allows")

    static let refusals = outcomes([.invalidClient: .config, .rejected: .config])
    static let troubles = outcomes([
        .network: .transient, .serverError: .transient, .rateLimited: .transient, .malformed: .data,
        .metadataUntrusted: .security, .insecure: .security,
    ])
    static let lost = outcomes([.unanswered: .transient])

    static let revoke = KindSpec(
        kind: .revoke, summary: "revoke tokens (RFC 7009)",
        arguments: [
            use,
            ArgumentSpec(
                name: "tokens", form: .words(["refresh_token", "access_token"]),
                standard: "[refresh_token, access_token]", summary: "which tokens, in this order"),
        ],
        fields: [FieldSpec(name: "revoked", type: texts), FieldSpec(name: "kept", type: texts)],
        outcomes: outcomes([
            .ok: .success, .partial: .choice, .absent: .choice, .unsupported: .config,
        ]) + refusals + troubles,
        replay: .idempotent, isInteractive: false, tokens: .uses)

    static let introspect = KindSpec(
        kind: .introspect, summary: "ask the server about a token (RFC 7662)",
        arguments: [
            use,
            ArgumentSpec(
                name: "token", form: .word(["access_token", "refresh_token"]), standard: "access_token",
                summary: "which token to ask about"),
            ArgumentSpec(
                name: "signed", form: .bool,
                standard: "whether the client registered introspection_signed_response_alg",
                summary: "whether the answer must be signed by the provider (RFC 9701)"),
        ],
        fields: [
            FieldSpec(name: "claims", type: .json, label: .asserted), FieldSpec(name: "scopes", type: texts),
        ],
        outcomes: outcomes([.ok: .success, .inactive: .grant, .unsupported: .config]) + refusals + troubles
            + outcomes([
                .keysUnavailable: .transient, .signatureInvalid: .security, .issuerMismatch: .security,
                .audienceMismatch: .security, .claimsInvalid: .security,
            ]),
        replay: .idempotent, isInteractive: false, tokens: .uses)

    static let deviceAuthorize = KindSpec(
        kind: .deviceAuthorize, summary: "start a device authorization and present its user code (RFC 8628)",
        arguments: [
            scopes,
            ArgumentSpec(
                name: "present", form: .word(["terminal", "browser", "emit"]), standard: "terminal",
                summary: "how a person sees the code"),
            extra,
        ],
        fields: [
            FieldSpec(name: "user_code", type: .sensitive),
            FieldSpec(name: "verification_uri", type: .url),
            FieldSpec(name: "verification_uri_complete", type: .optional(.url), label: .sensitive),
            FieldSpec(name: "expires_at", type: .time),
            FieldSpec(name: "interval", type: .duration),
        ],
        outcomes: outcomes([.ok: .success, .unsupported: .config]) + refusals + lost + troubles,
        replay: .idempotent, isInteractive: false, transaction: .opens)

    static let devicePoll = KindSpec(
        kind: .devicePoll, summary: "poll until the person has decided on another device (RFC 8628)",
        arguments: [
            ArgumentSpec(
                name: "from", form: .step(.deviceAuthorize), standard: "the only device_authorize",
                summary: "whose code the person enters"),
            into,
        ],
        fields: tokenFields,
        outcomes: outcomes([
            .ok: .success, .accessDenied: .denied, .cancelled: .denied, .expired: .limit,
            .invalidGrant: .grant,
        ]) + refusals + troubles,
        replay: .idempotent, isInteractive: true, tokens: .signsIn, transaction: .polls)

    static let clientCredentials = KindSpec(
        kind: .clientCredentials, summary: "obtain tokens for the client itself (RFC 6749 §4.4)",
        arguments: [scopes, resource, into, extra],
        fields: tokenFields,
        outcomes: outcomes([.ok: .success]) + refusals + troubles,
        replay: .idempotent, isInteractive: false, tokens: .obtains)

    static let tokenExchange = KindSpec(
        kind: .tokenExchange, summary: "exchange one token for another (RFC 8693)",
        arguments: [
            ArgumentSpec(
                name: "use", form: .optionalTokenSet, standard: "main without subject_token",
                summary: "token set whose token speaks for the subject"),
            ArgumentSpec(
                name: "subject", form: .word(["access_token", "id_token", "refresh_token"]),
                standard: "access_token", summary: "which token of the set does"),
            ArgumentSpec(
                name: "subject_token", form: .expression(.secret), standard: nil,
                summary: "in place of both, a token that somebody else brought or issued"),
            ArgumentSpec(
                name: "subject_token_type", form: .expression(.optional(.string)),
                standard: "that of an access token", summary: "its token type identifier (RFC 8693 §3)"),
            ArgumentSpec(
                name: "actor", form: .optionalTokenSet, standard: nil,
                summary: "token set whose access token speaks for the acting party"),
            ArgumentSpec(
                name: "audience", form: .expression(optionalTexts), standard: nil,
                summary: "names of the services that the token is for"),
            resource,
            ArgumentSpec(
                name: "scopes", form: .expression(optionalTexts), standard: nil,
                summary: "scopes to ask for"),
            ArgumentSpec(
                name: "requested_type", form: .expression(.optional(.string)), standard: nil,
                summary: "token type identifier (RFC 8693 §3)"),
            into,
        ],
        fields: tokenFields + [FieldSpec(name: "issued_token_type", type: .string)],
        outcomes: outcomes([.ok: .success, .invalidGrant: .grant, .invalidTarget: .config]) + refusals + lost
            + troubles,
        replay: .once, isInteractive: false, tokens: .obtains)

    static let jwtBearer = KindSpec(
        kind: .jwtBearer, summary: "obtain tokens for what an assertion speaks for (RFC 7523 §2.1)",
        arguments: [
            ArgumentSpec(
                name: "assertion", form: .expression(.optional(.secret)),
                standard: "made here and signed with the client's private key",
                summary: "a JWT that somebody else issued"),
            ArgumentSpec(
                name: "subject", form: .expression(.optional(.string)), standard: "the client itself",
                summary: "whom the assertion that is made here speaks for"),
            ArgumentSpec(
                name: "audience", form: .expression(.optional(.string)), standard: "the issuer",
                summary: "to whom that assertion is addressed, where the provider wants another text"),
            ArgumentSpec(
                name: "claims", form: .values, standard: nil,
                summary: "further claims of it, beside iss, sub, aud, jti, iat and exp"),
            ArgumentSpec(
                name: "expires_in", form: .duration, standard: "60s",
                summary: "how long it is good, 5m at most"),
            ArgumentSpec(
                name: "scopes", form: .expression(optionalTexts), standard: nil,
                summary: "scopes to ask for"),
            resource, into, extra,
        ],
        fields: tokenFields,
        outcomes: outcomes([.ok: .success, .invalidGrant: .grant]) + refusals + troubles,
        replay: .idempotent, isInteractive: false, tokens: .obtains)

    static let logout = KindSpec(
        kind: .logout, summary: "end the session at the provider (RP-Initiated Logout)",
        arguments: [
            use,
            ArgumentSpec(
                name: "post_logout_redirect", form: .expression(.optional(.url)), standard: nil,
                summary: "where the browser goes afterwards"),
            ArgumentSpec(
                name: "present", form: .word(["browser", "emit", "none"]), standard: "browser",
                summary: "how a person sees the URL"),
            ArgumentSpec(
                name: "await_return", form: .bool, standard: "false",
                summary: "whether to wait until the browser is back"),
            ArgumentSpec(
                name: "timeout", form: .duration, standard: "the step's", summary: "how long to wait for it"),
        ],
        fields: [FieldSpec(name: "url", type: .optional(.url), label: .sensitive)],
        outcomes: outcomes([
            .ok: .success, .unsupported: .config, .headless: .choice, .timeout: .limit, .cancelled: .denied,
            .stateMismatch: .security, .metadataUntrusted: .security,
        ]),
        replay: .local, isInteractive: true, tokens: .uses)
}
