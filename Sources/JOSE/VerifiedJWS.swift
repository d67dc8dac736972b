/// A signature that was verified; only verifying makes one.
///
/// Proves that a key of the caller's set signed the payload with an algorithm of the caller's list. Says
/// nothing about what the payload claims.
package struct VerifiedJWS: Sendable {
    package let header: JWSHeader
    package let payload: [UInt8]
    package let algorithm: SignatureAlgorithm
    /// The type of the key that verified it; `nil` for a shared secret.
    package let keyType: KeyType?
    /// The `kid` of the key that verified it, when the key has one.
    package let keyID: String?

    private init(_ jws: UnverifiedJWS, _ algorithm: SignatureAlgorithm, _ key: JWK?) {
        self.header = jws.header
        self.payload = jws.payload
        self.algorithm = algorithm
        self.keyType = key?.type
        self.keyID = key?.kid
    }

    fileprivate static func verify(
        _ jws: UnverifiedJWS, _ keys: JWKSet, _ allowed: [SignatureAlgorithm]
    ) throws(JWSError) -> VerifiedJWS {
        let (named, algorithms) = try JWS.allowedAlgorithms(of: jws.header, allowed)
        let kid = jws.header.kid
        var tried = 0
        for algorithm in algorithms {
            for index in keys.keys.indices where tried < JWS.maximumCandidates {
                guard keys.keys[index].isCandidate(kid: kid, algorithm: algorithm) else { continue }
                tried += 1
                let isValid = keys.keys[index].key.verify(
                    signature: jws.signature, of: jws.signingInput, algorithm: algorithm)
                if isValid { return VerifiedJWS(jws, algorithm, keys.keys[index]) }
            }
        }
        throw tried > 0 ? .signatureInvalid : .noMatchingKey(kid: kid, algorithm: named)
    }

    fileprivate static func verify(
        _ jws: UnverifiedJWS, _ secret: SharedSecret, _ allowed: [SignatureAlgorithm]
    ) throws(JWSError) -> VerifiedJWS {
        let (algorithm, _) = try JWS.allowedAlgorithms(of: jws.header, allowed)
        guard let mac = secret.authenticate(jws.signingInput, algorithm) else {
            throw .noMatchingKey(kid: jws.header.kid, algorithm: algorithm)
        }
        guard ConstantTime.equal(mac, jws.signature) else { throw .signatureInvalid }
        return VerifiedJWS(jws, algorithm, nil)
    }
}

extension JWS {
    /// Whether a header may name or carry a key (`jku`, `jwk`, `x5u`); such a key is never used either way.
    package enum KeyReferences: Sendable, Hashable {
        case refused
        /// For tokens whose header carries a key by design, such as the proofs of RFC 9449 §4.2.
        case ignored
    }

    /// Verifies a signature with the public keys of a set.
    ///
    /// The algorithm that is checked against the list is the one that is verified with.
    ///
    /// - Throws: `keyReference`; `algorithmNotAllowed`; `noMatchingKey` when no key has the header's `kid` and
    ///   fits the algorithm, always so for `HS*`; `signatureInvalid` when none of those that fit made the
    ///   signature.
    package static func verify(
        _ unverified: UnverifiedJWS, keys: JWKSet, allowed: [SignatureAlgorithm],
        keyReferences: KeyReferences = .refused
    ) throws(JWSError) -> VerifiedJWS {
        try check(unverified.header, keyReferences)
        return try VerifiedJWS.verify(unverified, keys, allowed)
    }

    /// Verifies an `HS*` signature with a secret the caller shares with the signer.
    ///
    /// - Throws: `keyReference`; `algorithmNotAllowed`; `noMatchingKey` for an algorithm that is not `HS*` or
    ///   when the secret is shorter than its digest; `signatureInvalid`.
    package static func verify(
        _ unverified: UnverifiedJWS, secret: SharedSecret, allowed: [SignatureAlgorithm]
    ) throws(JWSError) -> VerifiedJWS {
        try check(unverified.header, .refused)
        return try VerifiedJWS.verify(unverified, secret, allowed)
    }

    private static func check(_ header: JWSHeader, _ references: KeyReferences) throws(JWSError) {
        guard references == .ignored || header.keyReferences.isEmpty else {
            throw .keyReference(header.keyReferences)
        }
    }

    /// The header's algorithm, and what the list leaves of it: `EdDSA` may be narrowed to one curve, or two.
    fileprivate static func allowedAlgorithms(
        of header: JWSHeader, _ allowed: [SignatureAlgorithm]
    ) throws(JWSError) -> (named: SignatureAlgorithm, allowed: [SignatureAlgorithm]) {
        guard let named = header.algorithm else {
            throw .algorithmNotAllowed(found: header.alg, allowed: allowed)
        }
        // The header's own name first: it may be the wider one, and then it is enough.
        if allowed.contains(named) { return (named, [named]) }
        let narrowed = allowed.compactMap { named.narrowed(to: $0) }
        guard !narrowed.isEmpty else { throw .algorithmNotAllowed(found: header.alg, allowed: allowed) }
        return (named, narrowed)
    }
}
