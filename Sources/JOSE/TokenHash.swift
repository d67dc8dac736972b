/// The hash claims of an ID token: `at_hash`, `c_hash`, `s_hash`.
extension VerifiedJWS {
    /// The left half of the hash of a text, in base64url, as this token's claims give it.
    ///
    /// The hash is that of the signature's algorithm; for EdDSA, whose names do not say one, that of the curve:
    /// SHA-512 for Ed25519, SHAKE256 with 114 bytes for Ed448 (RFC 8032 §5.1 and §5.2).
    ///
    /// - Returns: `nil` when the algorithm and the key together define none; then nothing can be equal to it.
    /// - SeeAlso: OpenID Connect Core §3.1.3.6, §3.3.2.11
    package func leftHalfHash(of text: String) -> String? {
        if let hash = algorithm.leftHalfHash(of: text) { return hash }
        let bytes = Array(text.utf8)
        switch keyType {
        case .ed25519: return leftHalf(Digest.sha512(bytes))
        case .ed448: return leftHalf(Digest.shake256(bytes, count: 114))
        default: return nil
        }
    }
}

extension SignatureAlgorithm {
    /// The same by the name alone; `nil` for EdDSA, whose hash depends on the key.
    package func leftHalfHash(of text: String) -> String? {
        digest.map { leftHalf(Digest.hash(Array(text.utf8), $0)) }
    }
}

private func leftHalf(_ hash: [UInt8]) -> String { Base64URL.encode(hash.prefix(hash.count / 2)) }
