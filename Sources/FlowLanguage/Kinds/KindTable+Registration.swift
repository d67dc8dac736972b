internal import OAuthProtocol

/// Making a client known to a provider (RFC 7591).
extension KindTable {
    static let register = KindSpec(
        kind: .register, summary: "register a client (RFC 7591)",
        arguments: [
            ArgumentSpec(
                name: "redirect_uris", form: .expression(optionalTexts),
                standard: "the redirect URI of the run, or the provider file's on this machine",
                summary: "redirect URIs of the client"),
            ArgumentSpec(
                name: "grant_types", form: .expression(optionalTexts), standard: "left to the provider",
                summary: "grants that the client will use"),
            ArgumentSpec(
                name: "token_endpoint_auth_method",
                form: .word(ClientAuthenticationMethod.allCases.map(\.rawValue)),
                standard: "the descriptor's, else left to the provider",
                summary: "how the client will prove who it is"),
            ArgumentSpec(
                name: "client_name", form: .expression(.optional(.string)), standard: nil,
                summary: "what the provider calls it when it asks a person"),
            ArgumentSpec(
                name: "scopes", form: .expression(optionalTexts), standard: nil,
                summary: "scopes that the client may ask for"),
            ArgumentSpec(
                name: "jwks", form: .bool,
                standard: "true with private_key_jwt, and where requests are signed",
                summary: "whether the public half of the registration's private key goes along for signatures"
            ),
            ArgumentSpec(
                name: "metadata", form: .expression(.optional(.json)), standard: nil,
                summary:
                    "further members of the request (RFC 7591 §2), before those of the provider file's client"
            ),
            ArgumentSpec(
                name: "initial_access_token", form: .expression(.optional(.secret)), standard: nil,
                summary: "what the provider gave out to those who may register"),
        ],
        fields: [
            FieldSpec(name: "client_id", type: .string),
            FieldSpec(name: "client_secret", type: .optional(.secret)),
            FieldSpec(name: "client_secret_expires_at", type: .optional(.time)),
            FieldSpec(name: "token_endpoint_auth_method", type: .string),
            FieldSpec(name: "registration_client_uri", type: .optional(.url)),
            FieldSpec(name: "registration_access_token", type: .optional(.secret)),
            FieldSpec(name: "metadata", type: .json, label: .asserted),
        ],
        outcomes: outcomes([
            .ok: .success, .unauthorized: .grant, .unsupported: .config, .rejected: .config,
        ]) + lost + troubles,
        replay: .once, isInteractive: false)
}
