package import JOSE

/// Whether an access token belongs to the client's certificate, as far as the client can see (RFC 8705 §3).
package enum CertificateBinding {
    /// The claims of a token that is a JWT; not verified: who holds the token got it from the server itself.
    ///
    /// - Returns: `nil` for an opaque token.
    package static func claims(of token: Secret) -> JSONObject? {
        let text = token.reveal()
        guard text.utf8.count <= 1 << 16 else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]) else { return nil }
        // What is no JSON object is an opaque token.
        return (try? JSON.parse(payload))?.objectValue
    }

    /// - Parameter thumbprint: Of the client's certificate, as `x5t#S256` writes it.
    /// - Returns: Whether the claims name a certificate.
    /// - Throws: `failed` when they name another one: the token is good for somebody else alone.
    package static func check(
        _ claims: JSONObject, thumbprint: String, log: inout CheckLog
    ) throws(ProtocolError) -> Bool {
        try Confirmation.check(claims, .certificate(thumbprint: thumbprint), log: &log)
        return claims["cnf"]?["x5t#S256"] != nil
    }
}
