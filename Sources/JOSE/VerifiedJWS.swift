/// A signature that was verified; only verifying makes one.
///
/// Proves that a key of the caller's set signed the payload with an algorithm of the caller's list. Says
/// nothing about what the payload claims.
package struct VerifiedJWS: Sendable {
    package let header: JWSHeader
    package let payload: [UInt8]
    package let algorithm: SignatureAlgorithm
    /// The `kid` of the key that verified it, when the key has one.
    package let keyID: String?

    private init(_ jws: UnverifiedJWS, _ algorithm: SignatureAlgorithm, keyID: String?) {
        self.header = jws.header
        self.payload = jws.payload
        self.algorithm = algorithm
        self.keyID = keyID
    }

    fileprivate static func verify(
        _ jws: UnverifiedJWS, _ keys: JWKSet, _ allowed: [SignatureAlgorithm]
    ) throws(JWSError) -> VerifiedJWS {
        let algorithm = try JWS.allowedAlgorithm(of: jws.header, allowed)
        let candidates = keys.candidates(kid: jws.header.kid, algorithm: algorithm)
        guard !candidates.isEmpty else { throw .noMatchingKey(kid: jws.header.kid, algorithm: algorithm) }
        for candidate in candidates.prefix(JWS.maximumCandidates) {
            let isValid = candidate.key.verify(
                signature: jws.signature, of: jws.signingInput, algorithm: algorithm)
            if isValid { return VerifiedJWS(jws, algorithm, keyID: candidate.kid) }
        }
        throw .signatureInvalid
    }

    fileprivate static func verify(
        _ jws: UnverifiedJWS, _ secret: SharedSecret, _ allowed: [SignatureAlgorithm]
    ) throws(JWSError) -> VerifiedJWS {
        let algorithm = try JWS.allowedAlgorithm(of: jws.header, allowed)
        guard algorithm.keyType == nil, secret.isLongEnough(for: algorithm) else {
            throw .noMatchingKey(kid: jws.header.kid, algorithm: algorithm)
        }
        guard ConstantTime.equal(secret.authenticate(jws.signingInput, algorithm), jws.signature) else {
            throw .signatureInvalid
        }
        return VerifiedJWS(jws, algorithm, keyID: nil)
    }
}

extension JWS {
    /// Verifies a signature with the public keys of a set.
    ///
    /// The algorithm that is checked against the list is the one that is verified with. Keys named or carried
    /// by the header are never used.
    ///
    /// - Throws: `algorithmNotAllowed`; `noMatchingKey` when no key has the header's `kid` and fits the
    ///   algorithm, always so for `HS*`; `signatureInvalid` when none of those that fit made the signature.
    package static func verify(
        _ unverified: UnverifiedJWS, keys: JWKSet, allowed: [SignatureAlgorithm]
    ) throws(JWSError) -> VerifiedJWS {
        try VerifiedJWS.verify(unverified, keys, allowed)
    }

    /// Verifies an `HS*` signature with a secret the caller shares with the signer.
    ///
    /// - Throws: `algorithmNotAllowed`; `noMatchingKey` for an algorithm that is not `HS*` or when the secret
    ///   is shorter than its digest; `signatureInvalid`.
    package static func verify(
        _ unverified: UnverifiedJWS, secret: SharedSecret, allowed: [SignatureAlgorithm]
    ) throws(JWSError) -> VerifiedJWS {
        try VerifiedJWS.verify(unverified, secret, allowed)
    }

    fileprivate static func allowedAlgorithm(
        of header: JWSHeader, _ allowed: [SignatureAlgorithm]
    ) throws(JWSError) -> SignatureAlgorithm {
        guard let algorithm = header.algorithm, allowed.contains(algorithm) else {
            throw .algorithmNotAllowed(found: header.alg, allowed: allowed)
        }
        return algorithm
    }
}
