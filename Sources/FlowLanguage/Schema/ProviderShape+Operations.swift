internal import JOSE
internal import OAuthProtocol

/// The client, the front channel, requests and responses.
extension ProviderShape {
    static let client = [
        KeyShape(
            "token_endpoint_auth_method", .word(ClientAuthenticationMethod.allCases.map(\.rawValue)),
            "how the client proves who it is at the token endpoint", standard: "what the metadata offers"),
        KeyShape("token_endpoint_auth_signing_alg", .word(algorithms), "algorithm of the client's assertion"),
        KeyShape("basic", .keys(basic), "how HTTP Basic is written where that differs from RFC 6749 §2.3.1"),
        KeyShape("assertion", .keys(assertion), "what the client's assertion says beside RFC 7523 §3"),
        KeyShape("client_secret", .keys(madeSecret), "a client secret that is made anew for each request"),
        KeyShape("id_token_signed_response_alg", .word(algorithms), "the only algorithm of ID tokens"),
        KeyShape("userinfo_signed_response_alg", .word(algorithms), "the algorithm of signed userinfo"),
        KeyShape(
            "require_pushed_authorization_requests", .bool,
            "whether requests are pushed before a browser is opened (RFC 9126)",
            standard: "the server's, or true where pushed_authorization_request_endpoint is written"),
        KeyShape(
            "require_signed_request_object", .bool, "whether requests are signed (RFC 9101)",
            standard: "true with request_object_signing_alg"),
        KeyShape(
            "request_object_signing_alg", .word(algorithms), "what signs them",
            standard: "what the client's key suggests"),
        KeyShape(
            "request_object_encryption_alg", .word(keyAlgorithms),
            "how signed requests are encrypted to the provider's key"),
        KeyShape(
            "request_object_encryption_enc", .word(encryptions), "how their content is encrypted",
            standard: "A128CBC-HS256"),
        KeyShape(
            "authorization_signed_response_alg", .word(algorithms),
            "what signs answers of a response mode with jwt (JARM)", standard: "RS256"),
        KeyShape(
            "authorization_encrypted_response_alg", .word(keyAlgorithms),
            "how those answers are encrypted to the registration's private_key"),
        KeyShape(
            "authorization_encrypted_response_enc", .word(encryptions), "how their content is encrypted",
            standard: "A128CBC-HS256"),
        KeyShape(
            "dpop_bound_access_tokens", .bool,
            "whether tokens are bound to a key, and every request proves to hold it (RFC 9449)",
            standard: "false"),
        KeyShape(
            "id_token_encrypted_response_alg", .word(keyAlgorithms),
            "how ID tokens are encrypted to the registration's private_key"),
        KeyShape(
            "id_token_encrypted_response_enc", .word(encryptions), "how their content is encrypted",
            standard: "A128CBC-HS256"),
        KeyShape(
            "userinfo_encrypted_response_alg", .word(keyAlgorithms),
            "how signed userinfo is encrypted to the registration's private_key"),
        KeyShape(
            "userinfo_encrypted_response_enc", .word(encryptions), "how its content is encrypted",
            standard: "A128CBC-HS256"),
        KeyShape(
            "introspection_signed_response_alg", .word(algorithms),
            "what signs answers about tokens; with it every such answer must be signed (RFC 9701)"),
        KeyShape(
            "introspection_encrypted_response_alg", .word(keyAlgorithms),
            "how signed answers about tokens are encrypted to the registration's private_key"),
        KeyShape(
            "introspection_encrypted_response_enc", .word(encryptions), "how their content is encrypted",
            standard: "A128CBC-HS256"),
        KeyShape(
            "tls_client_certificate_bound_access_tokens", .bool,
            "whether access tokens only hold with the client's certificate (RFC 8705 §3.4)", standard: "false"
        ),
    ]

    static let basic = [
        KeyShape(
            "encoding", .word(BasicCredentialsEncoding.allCases.map(\.rawValue)),
            "whether name and password are form-encoded first", standard: "form"),
        KeyShape("username", .scalar, "user name", standard: "${client.id}"),
        KeyShape("password", .scalar, "password", standard: "${client.secret}"),
    ]

    static let assertion = [
        KeyShape("header", .names(.scalar), "members of the header"),
        KeyShape(
            "claims", .names(.scalar), "claims, in place of those of the RFC where they have their names"),
        KeyShape("expires_in", .integer(1...15_777_000), "seconds that it is valid", standard: "300"),
    ]

    static let madeSecret = [
        KeyShape("jwt", .keys(madeSecretToken), "a signed JWT in place of the secret", isRequired: true)
    ]

    static let madeSecretToken = [
        KeyShape("alg", .word(algorithms), "algorithm", isRequired: true),
        KeyShape("key", .scalar, "private key as PEM, from a secret variable", isRequired: true),
        KeyShape("header", .names(.scalar), "members of the header"),
        KeyShape("claims", .names(.scalar), "claims", isRequired: true),
        KeyShape("expires_in", .integer(1...15_777_000), "seconds that it is valid", standard: "300"),
    ]

    private static let algorithms = SignatureAlgorithm.allCases.map(\.rawValue)
    private static let keyAlgorithms = KeyManagementAlgorithm.allCases.map(\.rawValue)
    private static let encryptions = ContentEncryption.allCases.map(\.rawValue)

    // MARK: The front channel

    static let authorization = [
        KeyShape(
            "scope", .list(.text),
            "scopes that are asked for when the flow names none; one may be made of `vars` and `client.id`, and "
                + "stands then for all that its value names, separated by spaces"),
        KeyShape("required_scope", .list(.text), "scopes that are always asked for"),
        KeyShape(
            "scope_delimiter", .matching("^[ -/:-@[-`{-~]+$"),
            "what stands between scopes, and in answers too where it is a comma",
            standard: "a space"),
        KeyShape(
            "repeat_scope", .bool,
            "whether the request has a parameter for each scope, as in scope[]=read&scope[]=write, whose name rename gives",
            standard: "false"),
        KeyShape("omit_empty_scope", .bool, "whether scope is left out when it is empty", standard: "true"),
        KeyShape(
            "response_type", .text,
            "response type; with code id_token the ID token of the answer is verified before the code is sent, which "
                + "needs oidc and response_mode form_post",
            standard: "code"),
        KeyShape(
            "response_mode", .word(DescriptorReader.responseModes), "how the answer comes back",
            standard: "query"),
        KeyShape("pkce", .keys(pkce), "proof key for code exchange (RFC 7636)"),
        KeyShape("state", .keys(state), "binding of the answer to the request (RFC 6749 §10.12)"),
        KeyShape(
            "nonce", .word(AuthorizationFacts.NonceMode.allCases.map(\.rawValue)),
            "binding of the ID token to the request; auto: with oidc", standard: "auto"),
        KeyShape("params", .names(.scalar), "further parameters"),
        KeyShape("allow_params", .list(.text), "parameters that a flow's extra or --param may set"),
        KeyShape("omit", .list(.text), "parameters that are left out; never state, nonce or the challenge"),
        KeyShape("rename", .names(.text), "parameters by their other names here"),
        KeyShape("raw", .list(.text), "parameters whose reserved characters are sent as they are, last"),
        KeyShape(
            "order", .list(.text),
            "parameters that come first, in this order, by the names under which they are sent; those of raw are last all "
                + "the same"),
        KeyShape("fragment", .text, "put between address and parameters, after #: where a page routes by it"),
        KeyShape("trailing_fragment", .text, "put behind the parameters, after #"),
        KeyShape("endpoint_when", .list(.keys(endpointWhen)), "another endpoint while a condition holds"),
        KeyShape(
            "claims", .keys(claimsRequest), "single claims that are asked for (OpenID Connect Core §5.5)"),
        KeyShape(
            "authorization_details", .list(.names(.template)),
            "what exactly is asked for: each with a type (RFC 9396)"),
    ]

    static let claimsRequest = [
        KeyShape("userinfo", .names(.template), "of the UserInfo endpoint"),
        KeyShape("id_token", .names(.template), "of the ID token"),
    ]

    static let deviceAuthorization = [
        KeyShape(
            "pkce", .keys(devicePKCE),
            "proof key (RFC 7636): the challenge in this request, the verifier whenever device_poll asks")
    ]

    private static let devicePKCE =
        [
            KeyShape(
                "mode", .word(DescriptorReader.devicePKCEModes),
                "required: refused where code_challenge_methods_supported is known and lacks the method",
                standard: "required")
        ] + pkce.dropFirst()

    static let pkce = [
        KeyShape(
            "mode", .word(AuthorizationFacts.PKCEMode.allCases.map(\.rawValue)),
            "auto and required: always, and refused where code_challenge_methods_supported is known and lacks the method; "
                + "off only where it breaks the sign-in",
            standard: "auto"),
        KeyShape(
            "method", .word(PKCE.Method.names),
            "plain shows the verifier in the browser's address, and is for servers that know nothing else",
            standard: "S256"),
        KeyShape(
            "challenge_encoding", .word(PKCE.ChallengeEncoding.allCases.map(\.rawValue)),
            "how the digest of S256 is written; hex_base64url: its hexadecimal text in base64url",
            standard: "base64url"),
    ]

    static let state = [
        KeyShape(
            "mode", .word(AuthorizationFacts.StateMode.allCases.map(\.rawValue)),
            "where it travels; off needs pkce: {mode: required}", standard: "required"),
        KeyShape(
            "on_error", .word(["required", "optional"]), "whether answers that are errors bear it",
            standard: "required"),
    ]

    static let endpointWhen = [
        KeyShape("if", .condition, "condition", isRequired: true),
        KeyShape("authorization_endpoint", .endpoint, "endpoint while it holds", isRequired: true),
    ]

    static let callback = [
        KeyShape(
            "method", .list(.word(["GET", "POST"])),
            "how the browser brings the answer: in the address, or as a form; in any other way it is refused",
            standard: "POST with response_mode form_post, else GET"),
        KeyShape(
            "rename", .names(.text), "the provider's names with those of the RFC, such as auth_code: code"),
        KeyShape("decode", .names(.word(["urldecode"])), "parameters that are encoded once more"),
        KeyShape(
            "iss", .word(CallbackFacts.IssuerMode.allCases.map(\.rawValue)),
            "whether the answer must name the issuer (RFC 9207); auto: where that is announced, ignore: never; an iss "
                + "that is there must be the issuer or an alias in any case", standard: "auto"),
        KeyShape("error", .keys(errorNames), "parameters of an error by their other names"),
        KeyShape(
            "capture", .ids(.either([.text, .keys(capture)])),
            "further parameters to keep, as callback.NAME; nobody vouches for them. NAME: PARAMETER is short for NAME: "
                + "{from: PARAMETER}: an answer without it is refused"),
        KeyShape("verify", .keys(verify), "signature over the parameters"),
    ]

    static let errorNames = [
        KeyShape("code", paths, "where the code is; of several the first that is there", standard: "error"),
        KeyShape(
            "description", paths, "where the description is; of several the first that is there",
            standard: "error_description"),
    ]

    static let capture = [
        KeyShape("from", .text, "name of the parameter", standard: "the name here"),
        KeyShape("decode", .word(["json"]), "how its text is read"),
        KeyShape("optional", .bool, "whether an answer may be without it", standard: "false"),
        KeyShape("trusted", .bool, "never true: it comes through the browser", standard: "false"),
        KeyShape("example", .text, "value for the dry run"),
    ]

    static let verify = [
        KeyShape("param", .text, "parameter with the signature", isRequired: true),
        KeyShape(
            "expect", .scalar,
            "what it must be; message is all other parameters, sorted, as name=value with & between",
            isRequired: true),
        KeyShape("timestamp", .text, "parameter with the seconds since 1970 at which it was made"),
        KeyShape("max_age", .integer(1...86_400), "seconds that it is valid", standard: "300"),
    ]

    // MARK: Requests and responses

    static let operation: [KeyShape] =
        request + [
            KeyShape("response", .named("response", .keys(response)), "how the answer is read"),
            KeyShape(
                "example", .names(.template),
                "members of an answer for the dry run, with or without what unwrap takes off; never sent, never stored"
            ),
        ]

    static let request = [
        KeyShape(
            "method", .word(["GET", "POST", "PUT", "PATCH", "DELETE"]),
            "method; DELETE in revocation and operations alone, PUT and PATCH in operations",
            standard: "that of the RFC"),
        KeyShape("endpoint", .endpoint, "address in place of that of the metadata"),
        KeyShape("allowed_hosts", .list(.text), "hosts that it may lead to, where an answer has a say in it"),
        KeyShape(
            "body_format", .word(BodyFormat.allCases.map(\.rawValue)), "how the parameters are sent",
            standard: "form"),
        KeyShape("grant_type", .scalar, "grant type in place of that of the RFC"),
        KeyShape(
            "params", .names(.template),
            "further parameters; in a JSON body numbers, truth values, lists, mappings and what an expression makes keep "
                + "their types"),
        KeyShape("query", .names(.scalar), "parameters in the address, beside the body"),
        KeyShape("headers", .names(.scalar), "header fields"),
        KeyShape("omit", .list(.text), "parameters that are left out"),
        KeyShape("rename", .names(.text), "parameters by their other names here"),
        KeyShape("raw", .list(.text), "parameters whose reserved characters are sent as they are, last"),
        KeyShape(
            "auth", .word(ClientAuthenticationMethod.allCases.map(\.rawValue)),
            "how the client proves who it is in this request; userinfo and operations do it with this key alone",
            standard: "client.token_endpoint_auth_method"),
        KeyShape(
            "include_client_id", .bool,
            "whether client_id is sent beside HTTP Basic, an assertion or the access token",
            standard: "false"),
    ]

    static let response = [
        KeyShape(
            "format", .word(ResponseDialect.Format.allCases.map(\.rawValue)),
            "how the body is written; auto: by its content type, then by its looks", standard: "auto"),
        KeyShape(
            "prefix", .text,
            "what stands before the body, lest a page run it as a script: taken off where it is there"),
        KeyShape(
            "success_status", .either([.word(["2xx"]), .integer(200...299)]), "status of success",
            standard: "200"),
        KeyShape("error_when", .list(.keys(condition)), "answers that are errors in spite of their status"),
        KeyShape("error", .keys(errorPaths), "paths of an error's parts"),
        KeyShape(
            "unwrap", paths, "path or paths of the object that holds everything; the first one set counts"),
        KeyShape(
            "map", .names(paths), "members of the RFC with the paths where they are; the first one set counts"
        ),
        KeyShape(
            "absent", .names(.either([.scalar, .list(.scalar)])),
            "values that mean that a member is none: expires_in: [0, -1] where a token does not expire"),
        KeyShape(
            "types", .names(.word(ResponseDialect.MemberType.allCases.map(\.rawValue))),
            "how lifetimes, times and lists are written; they become seconds, seconds since 1970 and texts; "
                + "expires_in: jwt for one that only exp of the access token says"),
        KeyShape("defaults", .names(.template), "members that are missing"),
        KeyShape(
            "tokens", .names(paths),
            "further token sets in the answer, by name with their paths; the first one set counts"),
        KeyShape(
            "keep", .list(paths),
            "members that the session keeps; of several paths the first one set counts, kept under the first"),
        KeyShape("token_types", .list(.text), "words of token_type that mean Bearer here"),
    ]

    static let condition = [
        KeyShape(
            "path", paths, "path of the member; of several the first that is there", isRequired: true),
        KeyShape("exists", .bool, "whether it is there"),
        KeyShape("equals", .template, "value that it has"),
        KeyShape("not_equals", .template, "value that it has not"),
    ]

    private static let errorPaths = [
        KeyShape("code", paths, "path or paths of the code; the first one set counts", standard: "error"),
        KeyShape(
            "description", paths, "path or paths of the description; the first one set counts",
            standard: "error_description"),
    ]

    /// One path, or several of which the first that is set counts.
    private static let paths = ValueShape.either([.text, .list(.text)])
}

/// What single operations have of their own, and what is made of their answers.
extension ProviderShape {
    static let refresh = [
        KeyShape("supported", .bool, "whether tokens can be renewed", standard: "true"),
        KeyShape(
            "subject", .word(RefreshFacts.Subject.allCases.map(\.rawValue)), "token that is presented",
            standard: "refresh_token"),
        KeyShape(
            "on_missing_refresh_token", .word(RefreshFacts.MissingRefreshToken.allCases.map(\.rawValue)),
            "what becomes of the refresh token when the answer has no new one", standard: "keep"),
        KeyShape(
            "rotation", .word(RefreshFacts.Rotation.allCases.map(\.rawValue)),
            "whether a refresh token is worth anything after its use", standard: "unknown"),
        KeyShape(
            "early_seconds", .integer(0...86_400),
            "seconds before its end at which a token counts as expired",
            standard: "left to the flow"),
        KeyShape(
            "keep_token", .bool, "whether a success without a token extends the one there is",
            standard: "false"),
        KeyShape(
            "narrow", .bool,
            "whether a token for fewer scopes may be asked for; not where the refresh token that comes with it can "
                + "do no more than it",
            standard: "true"),
    ]

    static let userinfo: [KeyShape] =
        [
            KeyShape(
                "supported", .bool, "whether there is somebody to ask; if not, other answers make the claims",
                standard: "true with an endpoint or discovery")
        ] + asking + [
            KeyShape(
                "also", .list(.named("also", .keys(also))),
                "further requests whose answers join the claims by name")
        ]

    private static let asking = [
        KeyShape("when", .condition, "asked only when this holds"),
        KeyShape(
            "token_placement", .matching("^(header|none|(header|query|body):[A-Za-z0-9._-]+)$"),
            "where the access token is: header, header:NAME, query:NAME, body:NAME or none",
            standard: "header"),
        KeyShape(
            "token_scheme", .text, "word before it in the header field",
            standard: "Bearer with header, none with header:NAME"),
    ]

    static let also: [KeyShape] =
        [
            KeyShape("name", .text, "name of the answer in claims", isRequired: true)
        ]
        + operation.map { key in
            guard key.name == "endpoint" else { return key }
            return KeyShape(key.name, key.value, "address", isRequired: true)
        } + asking

    static let revocation = [
        KeyShape(
            "token_type", .word(RevocationFacts.Token.allCases.map(\.rawValue)),
            "the only token that can be revoked", standard: "any"),
        KeyShape(
            "empty_body_ok", .bool,
            "for the reader: no answer needs a body, and only response.error_when and response.error look at one "
                + "(RFC 7009 §2.2)"),
    ]

    static let logout =
        [KeyShape("params", .names(.scalar), "further parameters")]
        + request.filter { ["omit", "rename"].contains($0.name) }

    static let idToken = [
        KeyShape(
            "issuer", .endpoint, "issuer to compare with, which may read claims.*",
            standard: "that of the provider"),
        KeyShape(
            "audience", .list(.scalar),
            "audiences accepted beside the client, which aud must name in any case; an expression may make several, with "
                + "spaces between"),
        KeyShape(
            "required", .bool, "whether there must be one", standard: "true with oidc and the scope openid"),
        KeyShape("ignore", .bool, "whether it is dropped unread", standard: "false"),
        KeyShape(
            "nonce", .word(IDTokenFacts.NonceMode.allCases.map(\.rawValue)), "whether it must bear the nonce",
            standard: "required"),
        KeyShape("clock_skew", .integer(0...600), "seconds by which clocks may differ", standard: "10"),
        KeyShape("max_age", .integer(0...31_536_000), "seconds since the person has signed in, at most"),
    ]

    static let claims = [
        KeyShape(
            "source", .word(ClaimsFacts.Source.allCases.map(\.rawValue)),
            "where paths begin that name no source; merge: userinfo over the ID token", standard: "merge")
    ]

    /// A path, a template, a list of these, or `{path, type}`.
    static let claim = ValueShape.either([.text, .list(.text), .keys(claimRule)])

    static let claimRule = [
        KeyShape("path", paths, "path or paths", isRequired: true),
        KeyShape(
            "type", .word(ClaimsFacts.ClaimType.allCases.map(\.rawValue)),
            "type that the value is turned into"),
    ]
}
