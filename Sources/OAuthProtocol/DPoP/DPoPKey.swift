package import JOSE

/// The key that a client's tokens are bound to, and the algorithm that it proves to hold it with.
///
/// Must be kept as long as a token that is bound to it.
///
/// - SeeAlso: RFC 9449 §4
package struct DPoPKey: Sendable {
    package let algorithm: SignatureAlgorithm
    /// The key's name in `jkt` and `dpop_jkt`: its SHA-256 thumbprint (RFC 7638).
    package let thumbprint: String
    private let key: PrivateKey

    /// - Parameter algorithm: `nil` for the first that the key can sign with; a server names those that it
    ///   takes in `dpop_signing_alg_values_supported`.
    /// - Throws: `algorithmMismatch` when the key cannot sign with it.
    package init(_ key: PrivateKey, algorithm: SignatureAlgorithm? = nil) throws(KeyError) {
        let usual = SignatureAlgorithm.allCases.first { $0.fits(key.type) } ?? .es256
        let chosen = algorithm ?? usual
        guard chosen.fits(key.type) else { throw .algorithmMismatch(chosen) }
        self.key = key
        self.algorithm = chosen
        thumbprint = key.publicKey.thumbprint
    }

    /// Signs the claims of a proof; the header carries the public key, and nothing of the private one.
    func sign(_ claims: JSONObject) throws(KeyError) -> String {
        var jwk = key.publicJWK().objectValue ?? [:]
        // Only what makes the thumbprint: a proof goes with every request.
        jwk["use"] = nil
        let header: JSONObject = [
            "typ": .string(DPoPProof.type), "alg": .string(algorithm.rawValue), "jwk": .object(jwk),
        ]
        return try JWS.sign(
            header: header, payload: claims.serializedBytes, key: key, algorithm: algorithm)
    }
}
