package import JOSE
package import OAuthProtocol
internal import YAMLText

/// Reads what a client registered beyond the way in which it authenticates: by the names of RFC 7591 and its successors.
extension DescriptorReader {
    static let clientSecurityKeys = [
        "require_pushed_authorization_requests", "require_signed_request_object",
        "request_object_signing_alg", "request_object_encryption_alg", "request_object_encryption_enc",
        "authorization_signed_response_alg", "authorization_encrypted_response_alg",
        "authorization_encrypted_response_enc", "dpop_bound_access_tokens",
    ]

    mutating func clientSecurity(_ client: MappingReader) -> ClientSecurityFacts {
        var facts = ClientSecurityFacts()
        facts.requiresPushedRequests =
            client.bool("require_pushed_authorization_requests", &diagnostics) ?? false
        facts.requestObjectAlgorithm = algorithm("request_object_signing_alg", in: client)
        facts.requiresSignedRequests =
            client.bool("require_signed_request_object", &diagnostics)
            ?? (facts.requestObjectAlgorithm != nil)
        facts.authorizationSignedResponseAlgorithm = publicAlgorithm(
            "authorization_signed_response_alg", in: client)
        facts.bindsAccessTokens = client.bool("dpop_bound_access_tokens", &diagnostics) ?? false
        return facts
    }
}

/// What a client registered to be demanded of its requests and of the answers to them.
package struct ClientSecurityFacts: Sendable {
    /// RFC 9126 §6.
    package var requiresPushedRequests = false
    /// RFC 9101 §10.5.
    package var requiresSignedRequests = false
    /// What signs request objects; `nil` for what the client's key suggests.
    package var requestObjectAlgorithm: SignatureAlgorithm?
    /// Around that signature; `nil` for a client that registered none.
    package var requestEncryption: RegisteredEncryption?
    /// What signs authorization responses that are JWTs (JARM §3).
    package var authorizationSignedResponseAlgorithm: SignatureAlgorithm?
    /// Around that signature (JARM §3).
    package var responseEncryption: RegisteredEncryption?
    /// RFC 9449 §5.2.
    package var bindsAccessTokens = false

    package init() {}
}
