package import JOSE
internal import OAuthProtocol

/// The JSON Schema of `flowrun.yaml`, for completion and checks while somebody types.
///
/// Accepts every file that flowrun accepts, and says less than the linter: whether there is such a provider, and whether
/// it has such a variable, is not looked at. The same text every time.
///
/// - SeeAlso: JSON Schema 2020-12, <https://json-schema.org/draft/2020-12/json-schema-core>
package enum RegistrationSchema {
    package static func schema() -> JSONValue {
        var writer = FlowSchemaWriter()
        var entries =
            writer.schema(of: .names(.named("registration", .keys(registration)))).objectValue ?? [:]
        // The key alone is a beginning.
        entries["type"] = ["object", "null"]
        entries["description"] = "what each client registered, by the name of the provider"
        var root = writer.mapping([]).objectValue ?? [:]
        root["properties"] = ["registrations": .object(entries)]
        return writer.document(
            "flowrun.yaml",
            "What clients registered with providers of sign-ins; where their secrets are, never the secrets.",
            root)
    }

    /// Every key of a registration, in the order in which flowrun writes them; a test holds it against the reader.
    static let registration = [
        KeyShape("client_id", .text, "identifier of the client (RFC 6749 §2.2)"),
        KeyShape("client_secret", secret, "where the client's secret is"),
        KeyShape(
            "private_key", secret,
            "where the key is that signs assertions and opens what is encrypted: PEM or JWK"),
        KeyShape(
            "client_assertion", secret,
            "where the JWT is that a build service or a cluster issues for the client (RFC 7523 §2.2)"),
        KeyShape("certificate", secret, "where the client's certificate is: PEM (RFC 8705)"),
        KeyShape("certificate_key", secret, "where its key is, when not private_key"),
        KeyShape(
            "token_endpoint_auth_method", .word(ClientAuthenticationMethod.allCases.map(\.rawValue)),
            "how the client registered to prove itself (RFC 7591 §2)",
            standard: "what the provider's file says"),
        KeyShape("environment", .text, "which of the provider's environments holds, such as sandbox"),
        KeyShape(
            "variables", .names(.either([.scalar, secret])),
            "values of the provider's variables; of secret ones, where they are"),
        KeyShape("scopes", .list(.text), "scopes that are asked for beside those of the provider's file"),
        KeyShape("redirect_uri", .text, "redirect URI that is registered"),
        KeyShape("issuer", .endpoint, "issuer that registered the client; no other is shown it"),
        KeyShape(
            "registration_client_uri", .endpoint, "where the client changes its registration (RFC 7592 §3)"),
        KeyShape("registration_access_token", secret, "where the token is that this takes"),
    ]

    private static let secret = ValueShape.named(
        "secret",
        .either([
            .keys([KeyShape("env", .text, "an environment variable", isRequired: true)]),
            .keys([
                KeyShape(
                    "file", .text, "a file that not everybody may read, from the folder of flowrun.yaml",
                    isRequired: true)
            ]),
            .keys([
                KeyShape(
                    "command", .list(.text), "a program with its arguments, run without a shell",
                    isRequired: true)
            ]),
            .keys([
                KeyShape("keyring", .text, "an entry of the desktop's keyring", isRequired: true)
            ]),
        ]))
}
