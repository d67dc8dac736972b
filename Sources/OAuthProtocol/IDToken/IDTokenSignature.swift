package import JOSE

/// The signature of an ID token: rules 100 to 119, before any claim is read.
package enum IDTokenSignature {
    /// Verifies with the provider's published keys.
    ///
    /// - Parameter allowed: What the client registered, `id_token_signed_response_alg`; RS256 when it
    ///   registered nothing.
    /// - Throws: `failed` with the check; only a failure of `Checks.key` may be cured by fetching the key set
    ///   anew, once.
    package static func verify(
        _ token: Secret, keys: JWKSet, allowed: [SignatureAlgorithm], log: inout CheckLog
    ) throws(ProtocolError) -> VerifiedJWS {
        try MessageSignature.verify(token, .idToken, keys: keys, allowed: allowed, log: &log)
    }

    /// Verifies with the client secret, for a client that registered one of `HS*`.
    package static func verify(
        _ token: Secret, secret: SharedSecret, allowed: [SignatureAlgorithm], log: inout CheckLog
    ) throws(ProtocolError) -> VerifiedJWS {
        try MessageSignature.verify(token, .idToken, secret: secret, allowed: allowed, log: &log)
    }
}
