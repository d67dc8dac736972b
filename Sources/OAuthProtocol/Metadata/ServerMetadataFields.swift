/// What a server publishes about itself, or a descriptor says in its place; every member may be missing.
///
/// The names are those of RFC 8414 §2 and OIDC Discovery §3 in camel case. Nothing here has been checked.
package struct ServerMetadataFields: Sendable, Hashable {
    package var issuer: String?
    package var authorizationEndpoint: String?
    package var tokenEndpoint: String?
    package var userinfoEndpoint: String?
    package var jwksURI: String?
    package var revocationEndpoint: String?
    package var introspectionEndpoint: String?
    package var deviceAuthorizationEndpoint: String?
    package var pushedAuthorizationRequestEndpoint: String?
    package var registrationEndpoint: String?
    package var endSessionEndpoint: String?
    package var scopesSupported: [String]?
    package var responseTypesSupported: [String]?
    package var responseModesSupported: [String]?
    package var acrValuesSupported: [String]?
    package var promptValuesSupported: [String]?
    package var grantTypesSupported: [String]?
    package var codeChallengeMethodsSupported: [String]?
    package var tokenEndpointAuthMethodsSupported: [String]?
    package var idTokenSigningAlgValuesSupported: [String]?
    package var tokenEndpointAuthSigningAlgValuesSupported: [String]?
    package var requestObjectSigningAlgValuesSupported: [String]?
    package var authorizationSigningAlgValuesSupported: [String]?
    package var introspectionSigningAlgValuesSupported: [String]?
    package var dpopSigningAlgValuesSupported: [String]?
    package var authorizationDetailsTypesSupported: [String]?
    package var authorizationResponseIssParameterSupported: Bool?
    package var requirePushedAuthorizationRequests: Bool?
    package var requireSignedRequestObject: Bool?
    package var requestParameterSupported: Bool?
    package var claimsParameterSupported: Bool?
    /// Endpoints for clients with a certificate, by the wire names of those that they stand for (RFC 8705 §5).
    package var mtlsEndpointAliases: [String: String] = [:]

    package init() {}

    /// These members, each replaced by the other's where that has one.
    package func overlaid(by other: ServerMetadataFields) -> ServerMetadataFields {
        MetadataOverlay(other).over(self)
    }

    /// The same for a client with a certificate: each endpoint replaced by its alias where it has one.
    package func forMutualTLS() -> ServerMetadataFields {
        var result = self
        for (name, path) in Self.urls {
            if let alias = mtlsEndpointAliases[name] { result[keyPath: path] = alias }
        }
        return result
    }

    /// What may have an alias: the endpoints that the client itself calls (RFC 8705 §5).
    package static let aliasNames = urls.map(\.name).filter {
        !["authorization_endpoint", "end_session_endpoint", "jwks_uri"].contains($0)
    }
}

extension ServerMetadataFields {
    /// The wire name of a member and where it is kept.
    package typealias Member<Value> = (
        name: String, path: any WritableKeyPath<ServerMetadataFields, Value?> & Sendable
    )

    /// Members that are URLs of endpoints.
    package static let urls: [Member<String>] = [
        ("authorization_endpoint", \.authorizationEndpoint),
        ("token_endpoint", \.tokenEndpoint),
        ("userinfo_endpoint", \.userinfoEndpoint),
        ("jwks_uri", \.jwksURI),
        ("revocation_endpoint", \.revocationEndpoint),
        ("introspection_endpoint", \.introspectionEndpoint),
        ("device_authorization_endpoint", \.deviceAuthorizationEndpoint),
        ("pushed_authorization_request_endpoint", \.pushedAuthorizationRequestEndpoint),
        ("registration_endpoint", \.registrationEndpoint),
        ("end_session_endpoint", \.endSessionEndpoint),
    ]

    /// Members that are lists of names.
    package static let lists: [Member<[String]>] = [
        ("scopes_supported", \.scopesSupported),
        ("response_types_supported", \.responseTypesSupported),
        ("response_modes_supported", \.responseModesSupported),
        ("acr_values_supported", \.acrValuesSupported),
        ("prompt_values_supported", \.promptValuesSupported),
        ("grant_types_supported", \.grantTypesSupported),
        ("code_challenge_methods_supported", \.codeChallengeMethodsSupported),
        ("token_endpoint_auth_methods_supported", \.tokenEndpointAuthMethodsSupported),
        ("id_token_signing_alg_values_supported", \.idTokenSigningAlgValuesSupported),
        ("token_endpoint_auth_signing_alg_values_supported", \.tokenEndpointAuthSigningAlgValuesSupported),
        ("request_object_signing_alg_values_supported", \.requestObjectSigningAlgValuesSupported),
        ("authorization_signing_alg_values_supported", \.authorizationSigningAlgValuesSupported),
        ("introspection_signing_alg_values_supported", \.introspectionSigningAlgValuesSupported),
        ("dpop_signing_alg_values_supported", \.dpopSigningAlgValuesSupported),
        ("authorization_details_types_supported", \.authorizationDetailsTypesSupported),
    ]

    /// Members that are true or false.
    package static let flags: [Member<Bool>] = [
        (
            "authorization_response_iss_parameter_supported",
            \.authorizationResponseIssParameterSupported
        ),
        ("require_pushed_authorization_requests", \.requirePushedAuthorizationRequests),
        ("require_signed_request_object", \.requireSignedRequestObject),
        ("request_parameter_supported", \.requestParameterSupported),
        ("claims_parameter_supported", \.claimsParameterSupported),
    ]
}

/// The members that are there, to lay over those of others: usually few of many.
package struct MetadataOverlay: Sendable {
    private typealias Fields = ServerMetadataFields
    private typealias Change<Value> = (path: any WritableKeyPath<Fields, Value?> & Sendable, value: Value)

    private let urls: [Change<String>]
    private let lists: [Change<[String]>]
    private let flags: [Change<Bool>]
    private let aliases: [String: String]

    package init(_ fields: ServerMetadataFields) {
        urls = Self.changes(Fields.urls + [("issuer", \.issuer)], fields)
        lists = Self.changes(Fields.lists, fields)
        flags = Self.changes(Fields.flags, fields)
        aliases = fields.mtlsEndpointAliases
    }

    package func over(_ fields: ServerMetadataFields) -> ServerMetadataFields {
        var result = fields
        for (path, value) in urls { result[keyPath: path] = value }
        for (path, value) in lists { result[keyPath: path] = value }
        for (path, value) in flags { result[keyPath: path] = value }
        if !aliases.isEmpty { result.mtlsEndpointAliases.merge(aliases) { $1 } }
        return result
    }

    private static func changes<Value>(
        _ members: [Fields.Member<Value>], _ fields: Fields
    ) -> [Change<Value>] {
        members.compactMap { member in fields[keyPath: member.path].map { (member.path, $0) } }
    }
}
