internal import OAuthProtocol

/// The shape of a provider descriptor: every key with what it means, in the order in which descriptors are written.
///
/// The schema for editors and the reference page are made from it; a test holds it against the keys that the reader
/// knows.
enum ProviderShape {
    static let root: [KeyShape] =
        name + description + ancestry + ground + environments + server + halves + advice + places

    /// What may differ between environments.
    static let environment: [KeyShape] = description + ground + server + halves + advice + places

    // MARK: The provider

    private static let name = [
        KeyShape(
            "provider", .matching("^[a-z0-9][a-z0-9-]{0,62}$"),
            "name of the provider: the file's, without .yaml or .yml",
            isRequired: true)
    ]

    private static let description = [
        KeyShape("display_name", .text, "name for people", standard: "the provider's"),
        KeyShape("documentation", .text, "page that says how to sign in there"),
        KeyShape("console", .text, "page on which a client is registered"),
        KeyShape("registration_hint", .text, "what to enter there; shown when no client is registered"),
    ]

    private static let ancestry = [
        KeyShape(
            "extends", .matching("^[a-z0-9][a-z0-9-]{0,62}$"),
            "provider whose descriptor this one changes: mappings are merged, everything else is replaced"),
        KeyShape(
            "protocol", .word(ProviderDescriptor.WireProtocol.allCases.map(\.rawValue)),
            "oidc: OpenID Connect, with an ID token that is checked; oauth2: OAuth 2.0 alone"),
    ]

    private static let ground = [
        KeyShape(
            "sandbox", .bool, "whether flowrun itself serves the provider for the length of a run",
            standard: "false"),
        KeyShape(
            "variables", .ids(.named("variable", .keys(variable))),
            "what a registration fills in, as ${vars.NAME}"),
    ]

    private static let environments = [
        KeyShape(
            "environments", .names(.named("environment", .keys(environment))),
            "changes by name, such as sandbox: any key but provider, extends, environments and protocol")
    ]

    static let variable = [
        KeyShape("description", .text, "what it is"),
        KeyShape("default", .text, "value when none is given"),
        KeyShape("example", .text, "value for dry runs; never used live"),
        KeyShape(
            "required", .bool, "whether a registration must give it", standard: "true without a default"),
        KeyShape("pattern", .text, "pattern of the whole value (RFC 9485)"),
        KeyShape("enum", .list(.text), "the only values allowed"),
        KeyShape("prefix", .text, "put before the value unless it is there"),
        KeyShape("suffix", .text, "put after the value unless it is there"),
        KeyShape(
            "secret", .bool,
            "whether the value comes from a secret source and is never shown: only requests to the provider take it",
            standard: "false"),
    ]

    // MARK: Server metadata (RFC 8414, OpenID Connect Discovery)

    static let server: [KeyShape] =
        [
            KeyShape(
                "issuer", .endpoint,
                "issuer identifier; also of plain OAuth 2.0 where it is sent back (RFC 9207)"),
            KeyShape(
                "issuer_aliases", .list(.scalar),
                "further texts that the provider puts in place of the issuer: in metadata, ID tokens and "
                    + "callbacks"),
            KeyShape(
                "discovery", .word(ProviderDescriptor.DiscoveryMode.allCases.map(\.rawValue)),
                "when metadata is fetched: auto, as soon as a step needs an endpoint that the file does not "
                    + "name; off, never; required, at every sign-in",
                standard: "auto with oidc or server_metadata_url, else off"),
            KeyShape(
                "server_metadata_url", .endpoint,
                "address of the metadata, of which the issuer is needed too",
                standard: "made from the issuer"),
        ] + endpoints + [
            KeyShape("scopes_supported", .list(.text), "scopes that the provider knows"),
            KeyShape("response_types_supported", .list(.text), "response types that it knows"),
            KeyShape("response_modes_supported", .list(.text), "response modes that it knows"),
            KeyShape("acr_values_supported", .list(.text), "levels of authentication that it knows"),
            KeyShape("prompt_values_supported", .list(.text), "words of prompt that it knows"),
            KeyShape("grant_types_supported", .list(.text), "grants that it knows"),
            KeyShape("code_challenge_methods_supported", .list(.text), "methods of PKCE that it knows"),
            KeyShape(
                "token_endpoint_auth_methods_supported", .list(.text),
                "ways in which a client may prove who it is"),
            KeyShape(
                "id_token_signing_alg_values_supported", .list(.text), "algorithms of signed ID tokens"),
            KeyShape(
                "token_endpoint_auth_signing_alg_values_supported", .list(.text),
                "algorithms of the assertions by which clients prove who they are"),
            KeyShape(
                "request_object_signing_alg_values_supported", .list(.text),
                "algorithms of signed requests (RFC 9101)"),
            KeyShape(
                "authorization_signing_alg_values_supported", .list(.text),
                "algorithms of signed authorization responses (JARM)"),
            KeyShape(
                "introspection_signing_alg_values_supported", .list(.text),
                "algorithms of signed answers about tokens (RFC 9701)"),
            KeyShape(
                "dpop_signing_alg_values_supported", .list(.text), "algorithms of DPoP proofs (RFC 9449)"),
            KeyShape(
                "authorization_details_types_supported", .list(.text),
                "types of authorization details that it knows (RFC 9396)"),
            KeyShape(
                "authorization_response_iss_parameter_supported", .bool,
                "whether the callback bears the issuer (RFC 9207)"),
            KeyShape(
                "require_pushed_authorization_requests", .bool,
                "whether it takes pushed requests only (RFC 9126)"),
            KeyShape(
                "require_signed_request_object", .bool, "whether it takes signed requests only (RFC 9101)"),
            KeyShape("request_parameter_supported", .bool, "whether it takes request objects by value"),
            KeyShape("claims_parameter_supported", .bool, "whether it takes the parameter claims"),
            KeyShape(
                "mtls_endpoint_aliases", .named("mtls_endpoint_aliases", .keys(aliases)),
                "endpoints for clients with a certificate (RFC 8705 §5)"),
        ]

    static let endpoints = [
        KeyShape("authorization_endpoint", .endpoint, "where the person signs in (RFC 6749 §3.1)"),
        KeyShape("token_endpoint", .endpoint, "where tokens are given out (RFC 6749 §3.2)"),
        KeyShape(
            "userinfo_endpoint", .endpoint,
            "who signed in (OpenID Connect Core §5.3), or an interface that says so"),
        KeyShape("jwks_uri", .endpoint, "keys that verify signatures (RFC 7517)"),
        KeyShape("revocation_endpoint", .endpoint, "where tokens are revoked (RFC 7009)"),
        KeyShape("introspection_endpoint", .endpoint, "what a token is worth (RFC 7662)"),
        KeyShape("device_authorization_endpoint", .endpoint, "sign-in on another device (RFC 8628)"),
        KeyShape(
            "pushed_authorization_request_endpoint", .endpoint,
            "where requests are left beforehand (RFC 9126)"),
        KeyShape("registration_endpoint", .endpoint, "where clients register themselves (RFC 7591)"),
        KeyShape("end_session_endpoint", .endpoint, "where the person signs out (RP-Initiated Logout)"),
    ]

    // MARK: The parts of a sign-in

    static let halves = [
        KeyShape(
            "client", .named("client", .keys(client)), "how the client proves who it is (names of RFC 7591)"),
        KeyShape(
            "authorization", .named("authorization", .keys(authorization)),
            "the request that the browser brings"),
        KeyShape("callback", .named("callback", .keys(callback)), "what the browser brings back"),
        KeyShape("token", operationShape, "exchange of the code for tokens"),
        KeyShape("refresh", .named("refresh", .keys(operation + refresh)), "renewal of tokens"),
        KeyShape("userinfo", .named("userinfo", .keys(operation + userinfo)), "the question who signed in"),
        KeyShape(
            "id_token", .named("id_token", .keys(idToken)),
            "checks of the ID token (OpenID Connect Core §3.1.3.7)"),
        KeyShape(
            "claims", .named("claims", .open(claims, claim)), "how the profile is made: member by member"),
        KeyShape(
            "revocation", .named("revocation", .keys(operation + revocation)),
            "revocation of tokens (RFC 7009)"),
        KeyShape("introspection", operationShape, "questions about a token (RFC 7662)"),
        KeyShape(
            "device_authorization", .named("device_authorization", .keys(operation + deviceAuthorization)),
            "start of a sign-in on another device (RFC 8628 §3.1)"),
        KeyShape(
            "grants", operationShape,
            "every other request to the token endpoint: device, client credentials, exchange"),
        KeyShape("operations", .ids(operationShape), "further requests by name, for steps of the kind http"),
        KeyShape("logout", .named("logout", .keys(logout)), "sign-out in the browser"),
    ]

    private static let operationShape = ValueShape.named("operation", .keys(operation))

    // MARK: Advice and places

    static let advice = [
        KeyShape("errors", .list(.keys(error)), "what the provider's own error codes mean and what to do"),
        KeyShape(
            "classify", .list(.keys(classification)),
            "outcomes of failures that the usual table takes for others; a step without the outcome has the nearest, and "
                + "authorization_pending and slow_down are for device_poll alone"),
    ]

    static let error = [
        KeyShape(
            "match", .scalar,
            "a code, which must be the answer's, or a pattern that its code and description are searched with: what has "
                + "any sign beside letters, digits, - and _ is one, as .*expired", isRequired: true
        ),
        KeyShape("cause", .text, "what it means", isRequired: true),
        KeyShape("fix", .text, "what to do"),
        KeyShape("url", .text, "page about it"),
        KeyShape(
            "outcome", .word(DescriptorReader.classifiableOutcomes),
            "outcome of the step that it ends, of a callback too", standard: "by the usual table, or classify"
        ),
    ]

    static let classification = [
        KeyShape("if", .condition, "over status and body", isRequired: true),
        KeyShape(
            "outcome", .word(DescriptorReader.classifiableOutcomes), "outcome when it holds", isRequired: true
        ),
    ]

    static let places = [
        KeyShape("redirect", .named("redirect", .keys(redirect)), "redirect URIs that a client may register"),
        KeyShape(
            "tls", .named("tls", .keys(tls)), "what connections must satisfy beyond a trusted certificate"),
        KeyShape("token_lifetime", .integer(1...31_536_000), "seconds, for the dry run", standard: "3600"),
        KeyShape(
            "endpoints", .ids(.endpoint), "further addresses by name, for flows: provider.endpoints.NAME"),
        KeyShape("origins", .list(.endpoint), "origins that steps may call beside those of the endpoints"),
        KeyShape(
            "resources", .list(.endpoint),
            "resources that tokens are asked for (RFC 8707) and sent to; one that ends in /* stands for all below it"
        ),
        KeyShape(
            "allowed_redirects", .list(.endpoint),
            "where a flow may send the browser; one that ends in /* stands for all below it"),
        KeyShape("post_logout_redirects", .list(.endpoint), "where it may go after signing out"),
        KeyShape("trusted", .bool, "whether claims of the provider count as trusted", standard: "false"),
        KeyShape("values", .ids(.scalar), "further texts by name, for flows: provider.values.NAME"),
        KeyShape(
            "api_key", .keys(apiKey),
            "a key for steps of the kind http with auth: api_key; no other request bears it by itself: userinfo has query "
                + "and headers for it"),
        KeyShape(
            "hooks", .keys(hooks),
            "closures of the embedding program, by the name they are registered under, around every step of a kind; for "
                + "what no key can say"),
    ]

    static let hooks = DescriptorReader.hookKeys.map { key in
        switch key {
        case "headers":
            KeyShape(key, .list(.text), "header fields that hooks of a flow may add to requests")
        case "query":
            KeyShape(key, .list(.text), "query parameters that hooks of a flow may add to requests")
        default:
            KeyShape(
                key, .text, "closure called \(key.hasPrefix("before_") ? "before" : "after") such a step")
        }
    }

    static let redirect = [
        KeyShape("loopback", .keys(loopback), "redirects to this machine (RFC 8252 §7.3)"),
        KeyShape("schemes", .list(.text), "private-use schemes (RFC 8252 §7.1)"),
        KeyShape("https", .list(.text), "pages that hand the answer on"),
    ]

    static let loopback = [
        KeyShape(
            "hosts", .list(.word(["127.0.0.1", "[::1]", "localhost"])), "how this machine is written",
            standard: "127.0.0.1"),
        KeyShape(
            "ports", .either([.word(["any"]), .list(.integer(1...65_535))]), "ports that are registered",
            standard: "any"),
        KeyShape("path", .matching("^/[A-Za-z0-9._~/-]*$"), "path of the address", standard: "/callback"),
    ]

    static let apiKey = [
        KeyShape(
            "placement", .matching("^(header|query):[A-Za-z0-9._-]+$"), "header:NAME or query:NAME",
            isRequired: true),
        KeyShape("value", .scalar, "the key, from a variable", isRequired: true),
    ]
}
