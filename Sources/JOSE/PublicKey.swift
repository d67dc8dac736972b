import Synchronization

/// A public key whose numbers have been checked, ready to verify signatures.
///
/// Its existence proves the checks of `KeyMaterial`. No `PublicKey` is made of symmetric bytes, so an `HS*`
/// signature cannot be verified with one.
///
/// Sendable by construction: the key never changes after `init`, and the prepared contexts, which are not
/// thread-safe, are handed out by a `Mutex` to one caller at a time.
package final class PublicKey: Sendable {
    package let type: KeyType
    let material: KeyMaterial
    private let handle: KeyHandle
    private let idle = Mutex<[VerificationContext]>([])
    /// How many prepared contexts are kept for later; more only serve a peak.
    private static let kept = 8

    /// - Throws: The `KeyError` of the first check that fails.
    init(_ material: KeyMaterial) throws(KeyError) {
        try material.check()
        self.material = material
        self.type = material.type
        self.handle =
            switch material {
            case .rsa(let n, let e): try .rsa(n: n, e: e)
            case .ec(let curve, let x, let y): try .ec(curve, x: x, y: y)
            case .ed25519(let x): try .ed25519(x: x)
            }
    }

    /// Whether the signature is the key's for the message, by exactly this algorithm.
    ///
    /// `false` also when the key is of another type or curve than the algorithm needs.
    package func verify(
        signature: [UInt8], of message: some Collection<UInt8>, algorithm: SignatureAlgorithm
    ) -> Bool {
        guard algorithm.keyType == type, signature.count == material.signatureLength else { return false }
        switch algorithm.keyType {
        case .ed25519:
            return withBytes(of: message) { handle.verifyEd25519(signature, of: $0) }
        case .ec(let curve):
            guard let der = ECDSASignature.der(from: signature, curve: curve) else { return false }
            return verify(der, of: Digest.hash(message, algorithm.digest), algorithm)
        case .rsa:
            return verify(signature, of: Digest.hash(message, algorithm.digest), algorithm)
        case nil:
            return false
        }
    }

    private func verify(_ signature: [UInt8], of digest: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
        guard let context = takeContext(algorithm) else { return false }
        guard context.verify(signature, of: digest) else {
            // A context that has refused is not used again.
            OpenSSLError.forget()
            return false
        }
        idle.withLock { idle in
            if idle.count < Self.kept { idle.append(context) }
        }
        return true
    }

    private func takeContext(_ algorithm: SignatureAlgorithm) -> VerificationContext? {
        let context = idle.withLock { idle in
            idle.lastIndex { $0.algorithm == algorithm }.map { idle.remove(at: $0) }
        }
        return context ?? VerificationContext(handle, algorithm)
    }
}

extension PublicKey {
    /// The key as a JWK: `kty` and the public numbers, then `kid`, `use` and `alg` as given.
    package func jwk(kid: String? = nil, alg: SignatureAlgorithm? = nil) -> JSONValue {
        var members = material.members
        if let kid { members["kid"] = .string(kid) }
        members["use"] = "sig"
        if let alg { members["alg"] = .string(alg.rawValue) }
        return .object(members)
    }

    /// The SHA-256 thumbprint in base64url.
    ///
    /// - SeeAlso: RFC 7638 §3
    package var thumbprint: String {
        Base64URL.encode(Digest.sha256(material.members.serialize(sortedKeys: true).utf8))
    }
}
