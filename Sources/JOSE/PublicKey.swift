import Synchronization

/// A public key whose numbers have been checked, ready to verify signatures or to be encrypted to.
///
/// Its existence proves the checks of `KeyMaterial`. No `PublicKey` is made of symmetric bytes, so an `HS*`
/// signature cannot be verified with one.
///
/// Sendable by construction: the key never changes after `init`, and the prepared contexts, which are not
/// thread-safe, are handed out by a `Mutex` to one caller at a time.
package final class PublicKey: Sendable {
    package let type: KeyType
    let material: KeyMaterial
    let handle: KeyHandle
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
            case .octets(let curve, let x): try .octets(curve, x: x)
            }
    }

    /// Whether the signature is the key's for the message, by exactly this algorithm.
    ///
    /// `false` also when the key is of another type or curve than the algorithm needs.
    package func verify(
        signature: [UInt8], of message: some Collection<UInt8>, algorithm: SignatureAlgorithm
    ) -> Bool {
        guard algorithm.fits(type), signature.count == material.signatureLength else { return false }
        guard let curve = algorithm.curve else { return verify(signature, of: message, algorithm) }
        guard let der = ECDSASignature.der(from: signature, curve: curve) else { return false }
        return verify(der, of: message, algorithm)
    }

    private func verify(
        _ signature: [UInt8], of message: some Collection<UInt8>, _ algorithm: SignatureAlgorithm
    ) -> Bool {
        guard let context = takeContext(algorithm) else {
            OpenSSLError.forget()
            return false
        }
        guard withBytes(of: message, { context.verify(signature, of: $0) }) else {
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
    /// The key as a JWK: `kty` and the public numbers, then `kid`, `use` (`sig`) and `alg` as given.
    package func jwk(kid: String? = nil, alg: SignatureAlgorithm? = nil) -> JSONValue {
        jwk(kid: kid, use: "sig", alg: alg?.rawValue)
    }

    /// The numbers alone, as `epk` carries them (RFC 7518 §4.6.1.1).
    var agreementJWK: JSONValue { .object(material.members) }

    /// The same for a key that others encrypt to, with `use` `enc`.
    package func jwk(kid: String? = nil, encryptingBy alg: KeyManagementAlgorithm) -> JSONValue {
        jwk(kid: kid, use: "enc", alg: alg.rawValue)
    }

    private func jwk(kid: String?, use: String, alg: String?) -> JSONValue {
        var members = material.members
        if let kid { members["kid"] = .string(kid) }
        members["use"] = .string(use)
        if let alg { members["alg"] = .string(alg) }
        return .object(members)
    }

    /// The SHA-256 thumbprint in base64url.
    ///
    /// - SeeAlso: RFC 7638 §3
    package var thumbprint: String {
        Base64URL.encode(Digest.sha256(material.members.serialize(sortedKeys: true).utf8))
    }
}
