/// The one table of step kinds: arguments, fields, outcomes with classes, replay class.
///
/// The linter, the compiler, did-you-mean, the schema and the reference page all read it (flow/1 §6). Kinds that may
/// have to fetch the provider's metadata first have the outcome `metadata_untrusted`, which flow/1 leaves out: a
/// forged discovery document must not look like a mere configuration mistake.
package enum KindTable {
    package static func spec(of kind: StepKind) -> KindSpec {
        switch kind {
        case .restore: restore
        case .discover: discover
        case .authorize: authorize
        case .callback: callback
        case .exchange: exchange
        case .verifyIDToken: verifyIDToken
        case .userinfo: userinfo
        case .refresh: refresh
        case .revoke: revoke
        case .introspect: introspect
        case .deviceAuthorize: deviceAuthorize
        case .devicePoll: devicePoll
        case .clientCredentials: clientCredentials
        case .tokenExchange: tokenExchange
        case .jwtBearer: jwtBearer
        case .register: register
        case .http: http
        case .store: store
        case .clear: clear
        case .logout: logout
        case .wait: wait
        case .choose: choose
        case .set: set
        case .subflow: subflow
        case .call: call
        }
    }

    /// Every name that some kind gives to an outcome, for suggestions.
    static var outcomeNames: Set<String> {
        Set(StepKind.allCases.flatMap { spec(of: $0).outcomes.map(\.name) })
    }

    static let texts = FlowType.list(.string)
    /// Of an argument for which null is as good as leaving it out.
    static let optionalTexts = FlowType.optional(.list(.string))

    static let tokenFields = [
        FieldSpec(name: "access_token", type: .secret),
        FieldSpec(name: "token_type", type: .string),
        FieldSpec(name: "expires_at", type: .optional(.time)),
        FieldSpec(name: "expires_in", type: .optional(.int)),
        FieldSpec(name: "refresh_token", type: .optional(.secret)),
        FieldSpec(name: "id_token", type: .optional(.secret)),
        FieldSpec(name: "scopes", type: texts),
        FieldSpec(name: "missing_scopes", type: texts),
        FieldSpec(name: "source", type: .string),
    ]

    private static let restore = KindSpec(
        kind: .restore, summary: "load a stored session into a token set",
        arguments: [
            ArgumentSpec(
                name: "key", form: .expression(.string), standard: nil,
                summary: "distinguishes sessions of one client"),
            ArgumentSpec(name: "into", form: .tokenSet, standard: "main", summary: "token set to load into"),
            ArgumentSpec(
                name: "min_ttl", form: .expression(.optional(.duration)), standard: "5m",
                summary:
                    "life that the access token must have left; at most half of its life unless it is given"),
            ArgumentSpec(
                name: "scopes", form: .expression(optionalTexts), standard: nil,
                summary: "scopes the session must cover"),
            ArgumentSpec(
                name: "narrow", form: .expression(.bool), standard: "false",
                summary: "whether the access token must be for these scopes alone"),
            ArgumentSpec(
                name: "resource", form: .expression(optionalTexts), standard: nil,
                summary: "resources that the access token must be for (RFC 8707)"),
            ArgumentSpec(
                name: "acr", form: .expression(optionalTexts), standard: nil,
                summary: "one of these levels must have been reached"),
            ArgumentSpec(
                name: "max_auth_age", form: .expression(.optional(.duration)), standard: nil,
                summary: "how long ago the person may have signed in"),
            ArgumentSpec(
                name: "lock", form: .duration, standard: nil,
                summary: "how long to wait for another process before what will not do is replaced"),
        ],
        fields: [
            FieldSpec(name: "subject", type: .optional(.string), label: .verified),
            FieldSpec(name: "scopes", type: texts),
            FieldSpec(name: "expires_at", type: .optional(.time)),
            FieldSpec(name: "refreshable", type: .bool),
            FieldSpec(name: "refreshed_at", type: .optional(.time)),
            FieldSpec(name: "auth_time", type: .optional(.time)),
        ],
        outcomes: outcomes(
            [
                .ok: .success, .expired: .choice, .unrefreshable: .choice, .absent: .choice,
                .insufficient: .choice,
            ],
            [.corrupt: .data, .storeFailed: .internal]),
        replay: .local, isInteractive: false, tokens: .loads)

    private static let discover = KindSpec(
        kind: .discover, summary: "fetch and validate provider metadata",
        arguments: [
            ArgumentSpec(
                name: "issuer", form: .expression(.optional(.string)), standard: "the descriptor's",
                summary: "whose metadata to fetch"),
            ArgumentSpec(
                name: "max_age", form: .duration, standard: "24h",
                summary: "age up to which a kept copy serves"),
            ArgumentSpec(
                name: "allow_stale", form: .bool, standard: "true",
                summary: "use an older copy when the provider cannot be reached"),
        ],
        fields: [FieldSpec(name: "source", type: .string), FieldSpec(name: "endpoints", type: .json)],
        outcomes: outcomes(
            [.ok: .success, .network: .transient, .serverError: .transient, .rateLimited: .transient],
            [.malformed: .data, .notFound: .config, .unsupported: .config],
            [.issuerMismatch: .security, .insecure: .security]),
        replay: .idempotent, isInteractive: false)

    private static let authorize = KindSpec(
        kind: .authorize, summary: "open an authorization transaction and present its URL",
        arguments: [
            ArgumentSpec(
                name: "scopes", form: .expression(optionalTexts), standard: "the descriptor's",
                summary: "scopes to ask for"),
            ArgumentSpec(
                name: "prompt", form: .expression(.optional(.string)), standard: nil,
                summary: "none, login, consent or select_account", isOpenToHooks: true),
            ArgumentSpec(
                name: "max_age", form: .expression(.optional(.duration)), standard: nil,
                summary: "how long ago the person may have signed in"),
            ArgumentSpec(
                name: "acr_values", form: .expression(optionalTexts), standard: nil,
                summary: "authentication levels wished for"),
            ArgumentSpec(
                name: "login_hint", form: .expression(.optional(.string)), standard: nil,
                summary: "who is expected to sign in", isOpenToHooks: true),
            ArgumentSpec(
                name: "ui_locales", form: .expression(optionalTexts), standard: nil,
                summary: "languages of the provider's pages", isOpenToHooks: true),
            ArgumentSpec(
                name: "response_mode", form: .word(["auto"] + DescriptorReader.responseModes),
                standard: "auto",
                summary: "how the answer comes back"),
            ArgumentSpec(
                name: "redirect", form: .openWord(["auto", "loopback", "scheme"]), standard: "auto",
                summary: "where the answer comes back"),
            ArgumentSpec(
                name: "resource", form: .expression(optionalTexts), standard: nil,
                summary: "services that the tokens are for (RFC 8707)"),
            ArgumentSpec(
                name: "claims", form: .expression(.optional(.json)), standard: "the descriptor's",
                summary: "single claims that are asked for (OIDC Core §5.5)"),
            ArgumentSpec(
                name: "authorization_details", form: .expression(.optional(.json)),
                standard: "the descriptor's",
                summary: "what exactly is asked for (RFC 9396)"),
            ArgumentSpec(
                name: "push", form: .word(["auto", "never", "require"]), standard: "auto",
                summary: "whether the request is pushed first (RFC 9126)"),
            ArgumentSpec(
                name: "present", form: .word(["browser", "emit", "none"]), standard: "browser",
                summary: "how a person sees the URL"),
            ArgumentSpec(
                name: "extra", form: .templates, standard: nil,
                summary: "further parameters that the descriptor allows"),
        ],
        fields: [
            FieldSpec(name: "url", type: .url, label: .sensitive),
            FieldSpec(name: "redirect_uri", type: .url),
            FieldSpec(name: "expires_at", type: .time),
        ],
        outcomes: outcomes(
            [
                .ok: .success, .headless: .choice, .unsupported: .config, .invalidClient: .config,
                .rejected: .config,
            ],
            [
                .network: .transient, .unanswered: .transient, .serverError: .transient,
                .rateLimited: .transient,
            ],
            [.malformed: .data, .metadataUntrusted: .security, .insecure: .security]),
        replay: .idempotent, isInteractive: false, transaction: .opens)

    private static let callback = KindSpec(
        kind: .callback, summary: "wait for and validate the authorization response",
        arguments: [
            ArgumentSpec(
                name: "from", form: .step(.authorize), standard: "the only authorize",
                summary: "whose answer to wait for"),
            ArgumentSpec(
                name: "channels", form: .words(["loopback", "scheme", "form_post", "host_get", "paste"]),
                standard: "every way",
                summary: "ways an answer may come"),
        ],
        fields: [
            FieldSpec(name: "iss", type: .optional(.url)),
            FieldSpec(name: "extra", type: .map, label: .untrusted),
            FieldSpec(name: "received_at", type: .time),
        ],
        outcomes: outcomes(
            [.ok: .success, .accessDenied: .denied, .interactionRequired: .denied, .cancelled: .denied],
            [.rejected: .config, .serverError: .transient, .timeout: .limit, .malformed: .data],
            [
                .stateMismatch: .security, .issuerMismatch: .security, .signatureInvalid: .security,
                .replayed: .security,
            ]),
        replay: .local, isInteractive: true, transaction: .answers)

    private static let exchange = KindSpec(
        kind: .exchange, summary: "redeem the authorization code",
        arguments: [
            ArgumentSpec(
                name: "from", form: .step(.callback), standard: "the only callback",
                summary: "whose code to redeem"),
            ArgumentSpec(name: "into", form: .tokenSet, standard: "main", summary: "token set to write"),
            ArgumentSpec(
                name: "resource", form: .expression(optionalTexts), standard: nil,
                summary: "services that the tokens are for (RFC 8707)"),
            ArgumentSpec(
                name: "extra", form: .templates, standard: nil,
                summary: "further parameters that the descriptor allows"),
        ],
        fields: tokenFields,
        outcomes: outcomes(
            [.ok: .success, .invalidGrant: .grant, .invalidClient: .config, .rejected: .config],
            [
                .network: .transient, .unanswered: .transient, .serverError: .transient,
                .rateLimited: .transient,
            ],
            [.malformed: .data, .insecure: .security]),
        replay: .burning, isInteractive: false, tokens: .signsIn, transaction: .redeems)

    private static let verifyIDToken = KindSpec(
        kind: .verifyIDToken, summary: "validate the ID token of a token set",
        arguments: [
            ArgumentSpec(
                name: "use", form: .tokenSet, standard: "main", summary: "token set whose ID token is checked"
            ),
            ArgumentSpec(
                name: "max_age", form: .expression(.optional(.duration)), standard: "authorize's",
                summary: "how long ago the person may have signed in"),
            ArgumentSpec(
                name: "acr", form: .expression(optionalTexts), standard: nil,
                summary: "one of these levels must be reached; empty demands none"),
            ArgumentSpec(
                name: "expect_sub", form: .expression(.optional(.string)), standard: nil,
                summary: "who must have signed in"),
            ArgumentSpec(
                name: "leeway", form: .duration, standard: "60s", summary: "how far clocks may differ"),
            ArgumentSpec(
                name: "require", form: .expression(optionalTexts), standard: nil,
                summary: "claims that must be there"),
        ],
        fields: [
            FieldSpec(name: "claims", type: .json, label: .verified),
            FieldSpec(name: "subject", type: .string, label: .verified),
            FieldSpec(name: "auth_time", type: .optional(.time)),
            FieldSpec(name: "acr", type: .optional(.string)),
            FieldSpec(name: "amr", type: .optional(texts)),
        ],
        outcomes: outcomes(
            [
                .ok: .success, .absent: .choice, .insufficientAuth: .grant, .keysUnavailable: .transient,
                .malformed: .data,
            ],
            [.signatureInvalid: .security, .issuerMismatch: .security, .audienceMismatch: .security],
            [.nonceMismatch: .security, .subjectMismatch: .security, .claimsInvalid: .security],
            [.metadataUntrusted: .security]),
        replay: .idempotent, isInteractive: false, tokens: .uses)

    private static let userinfo = KindSpec(
        kind: .userinfo, summary: "call the UserInfo endpoint",
        arguments: [
            ArgumentSpec(
                name: "use", form: .tokenSet, standard: "main",
                summary: "token set whose access token is sent"),
            ArgumentSpec(
                name: "expect_sub", form: .expression(.optional(.string)), standard: "the set's subject",
                summary: "whom the answer must be about"),
        ],
        fields: [
            FieldSpec(name: "claims", type: .json, label: .asserted),
            FieldSpec(name: "profile", type: .json, label: .asserted),
        ],
        outcomes: outcomes(
            [.ok: .success, .unauthorized: .grant, .insufficientScope: .grant, .insufficientAuth: .grant],
            [
                .unsupported: .config, .subjectMismatch: .security, .network: .transient,
                .serverError: .transient,
            ],
            [
                .rateLimited: .transient, .malformed: .data, .metadataUntrusted: .security,
                .insecure: .security,
            ]),
        replay: .idempotent, isInteractive: false, tokens: .uses)

    private static let refresh = KindSpec(
        kind: .refresh, summary: "redeem the refresh token, one process at a time",
        arguments: [
            ArgumentSpec(name: "use", form: .tokenSet, standard: "main", summary: "token set to renew"),
            ArgumentSpec(
                name: "scopes", form: .expression(optionalTexts), standard: nil,
                summary: "scopes to narrow to"),
            ArgumentSpec(
                name: "resource", form: .expression(optionalTexts), standard: nil,
                summary: "services that the tokens are for (RFC 8707)"),
            ArgumentSpec(
                name: "lock", form: .duration, standard: "10s",
                summary: "how long to wait for another process"),
        ],
        fields: tokenFields + [FieldSpec(name: "rotated", type: .bool)],
        outcomes: outcomes(
            [
                .ok: .success, .absent: .choice, .invalidGrant: .grant, .invalidClient: .config,
                .rejected: .config,
            ],
            [
                .network: .transient, .unanswered: .transient, .serverError: .transient,
                .rateLimited: .transient,
            ],
            [.malformed: .data, .metadataUntrusted: .security, .insecure: .security]),
        replay: .burning, isInteractive: false, tokens: .renews)

    private static let store = KindSpec(
        kind: .store, summary: "persist a token set",
        arguments: [
            ArgumentSpec(name: "use", form: .tokenSet, standard: "main", summary: "token set to persist"),
            ArgumentSpec(
                name: "key", form: .expression(.string), standard: nil,
                summary: "distinguishes sessions of one client"),
            ArgumentSpec(
                name: "meta", form: .templates, standard: nil, summary: "public values to keep beside it"),
        ],
        fields: [FieldSpec(name: "revision", type: .int)],
        outcomes: outcomes([.ok: .success, .conflict: .choice, .storeFailed: .internal]),
        replay: .local, isInteractive: false, tokens: .uses)

    private static let clear = KindSpec(
        kind: .clear, summary: "delete the stored session and the token set",
        arguments: [
            ArgumentSpec(name: "use", form: .tokenSet, standard: "main", summary: "token set to forget"),
            ArgumentSpec(
                name: "key", form: .expression(.string), standard: nil,
                summary: "distinguishes sessions of one client"),
        ],
        fields: [],
        outcomes: outcomes([.ok: .success, .storeFailed: .internal]),
        replay: .local, isInteractive: false, tokens: .forgets)

    private static let choose = KindSpec(
        kind: .choose, summary: "pure branch: the first edge whose guard holds", arguments: [], fields: [],
        outcomes: outcomes([.ok: .success]), replay: .local, isInteractive: false)

    private static let set = KindSpec(
        kind: .set, summary: "pure assignment", arguments: [], fields: [],
        outcomes: outcomes([.ok: .success]), replay: .local, isInteractive: false)

    static func outcomes(_ groups: KeyValuePairs<Outcome, OutcomeClass>...) -> [OutcomeSpec] {
        groups.flatMap { group in group.map { OutcomeSpec(outcome: $0.key, outcomeClass: $0.value) } }
    }
}
