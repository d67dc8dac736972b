internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// Lets a client keep metadata and keys for five minutes, as providers do.
private let cached = [HTTPField("Cache-Control", "public, max-age=300")]

extension SandboxProvider {
    /// - SeeAlso: OIDC Discovery §4, RFC 8414 §3
    func discovery() -> SandboxReply {
        let actions = state.withLock { $0.faults.hit(.discovery) }
        return FaultedAnswer(actions).reply {
            Answer.json(Self.metadata(configuration), fields: cached)
        }
    }

    /// - SeeAlso: RFC 7517 §5
    func keySet() -> SandboxReply {
        let (actions, keys) = state.withLock { ($0.faults.hit(.jwks), $0.keys) }
        return FaultedAnswer(actions).reply {
            Answer.json(keys.publicSet(actions, configuration.algorithm), fields: cached)
        }
    }

    private static func metadata(_ configuration: SandboxConfiguration) -> JSONObject {
        // RS256 is always named, as OIDC Discovery §3 demands; the first is what is used.
        var algorithms = [configuration.algorithm]
        if configuration.algorithm != .rs256 { algorithms.append(.rs256) }
        return [
            "issuer": .string(configuration.issuer),
            "authorization_endpoint": .string(Route.authorization.url(configuration)),
            "token_endpoint": .string(Route.token.url(configuration)),
            "userinfo_endpoint": .string(Route.userInfo.url(configuration)),
            "jwks_uri": .string(Route.keys.url(configuration)),
            "scopes_supported": strings(Scope.known),
            "response_types_supported": ["code", "code id_token"],
            "response_modes_supported": strings(ResponseMode.allCases.map(\.rawValue)),
            "grant_types_supported": strings(Self.grantTypes + [Self.hybridGrant]),
            "pushed_authorization_request_endpoint": .string(Route.pushed.url(configuration)),
            "require_pushed_authorization_requests": .bool(configuration.requiresPushedRequests),
            "registration_endpoint": .string(Route.registration.url(configuration)),
            "revocation_endpoint": .string(Route.revocation.url(configuration)),
            "introspection_endpoint": .string(Route.introspection.url(configuration)),
            "device_authorization_endpoint": .string(Route.deviceAuthorization.url(configuration)),
            "end_session_endpoint": .string(Route.logout.url(configuration)),
            "prompt_values_supported": ["none", "login", "consent", "select_account"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": strings(algorithms.map(\.rawValue)),
            "token_endpoint_auth_methods_supported": strings(authenticationMethods),
            "token_endpoint_auth_signing_alg_values_supported": clientAlgorithms,
            "revocation_endpoint_auth_methods_supported": strings(authenticationMethods),
            "revocation_endpoint_auth_signing_alg_values_supported": clientAlgorithms,
            "introspection_endpoint_auth_methods_supported": strings(authenticationMethods),
            "introspection_endpoint_auth_signing_alg_values_supported": clientAlgorithms,
            "introspection_signing_alg_values_supported": [.string(configuration.algorithm.rawValue)],
            "authorization_signing_alg_values_supported": [.string(configuration.algorithm.rawValue)],
            "request_object_signing_alg_values_supported": clientAlgorithms,
            "require_signed_request_object": false,
            "dpop_signing_alg_values_supported": strings(ClientJWT.asymmetric.map(\.rawValue)),
            "authorization_details_types_supported": strings(configuration.authorizationDetailsTypes),
            "code_challenge_methods_supported": ["S256"],
            "claims_supported": strings(SandboxUser.claimNames),
            "authorization_response_iss_parameter_supported": true,
            "claims_parameter_supported": true,
            "request_parameter_supported": true,
            "request_uri_parameter_supported": false,
        ]
    }

    /// Those of the token endpoint.
    static let grantTypes = [
        "authorization_code", "refresh_token", "client_credentials", TokenRequest.deviceGrant,
        TokenRequest.exchangeGrant, TokenRequest.jwtBearerGrant,
    ]

    /// That of an ID token beside the code (OpenID Connect Registration §2), which the token endpoint never sees.
    static let hybridGrant = "implicit"

    private static let authenticationMethods = [
        "none", "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt",
    ]

    private static let clientAlgorithms = strings(
        (ClientJWT.asymmetric + ClientJWT.symmetric).map(\.rawValue))

    private static func strings(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}

/// What a fault puts in place of a right value.
enum Wrong {
    /// A host of a reserved top-level domain (RFC 2606).
    static let issuer = "https://other.invalid"
    static let audience = "other-client"
    static let subject = "other-subject"
    static let nonce = "wrong-nonce"
    static let state = "wrong-state"
    static let level = "wrong-level"
    /// As long as the left half of a SHA-256 digest.
    static let hash = "AAAAAAAAAAAAAAAAAAAAAA"
}
