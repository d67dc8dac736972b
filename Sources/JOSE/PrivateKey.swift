/// A private key that signs or decrypts.
///
/// Sendable because the key it owns never changes. It has no description of its own contents.
package final class PrivateKey: Sendable {
    package let publicKey: PublicKey
    let handle: KeyHandle

    package var type: KeyType { publicKey.type }

    /// - Throws: The `KeyError` of the first check the public part fails.
    private init(_ handle: KeyHandle) throws(KeyError) {
        self.handle = handle
        self.publicKey = try PublicKey(try handle.publicMaterial())
    }

    /// Makes a new key: RSA of 2048 bits, or one on the curve.
    package static func generate(_ type: KeyType) throws(KeyError) -> PrivateKey {
        let handle: KeyHandle
        do { handle = try KeyHandle.generate(type) } catch { throw .library(error) }
        return try PrivateKey(handle)
    }

    /// Reads an unencrypted PEM key in PKCS#8, PKCS#1 or SEC1 form.
    ///
    /// - Throws: `encryptedPEM`, `notPEM`, `unsupportedKeyType`, or the check the key fails.
    package convenience init(pem: String) throws(KeyError) {
        try self.init(try KeyHandle.readPEM(pem))
    }

    /// Reads a JWK with its private members; RSA needs all of `d`, `p`, `q`, `dp`, `dq` and `qi`.
    ///
    /// - Parameter isOwn: Whether the key is a constant of ours: a signature that shows whether the halves of an RSA key
    ///   belong together takes longer than all else that a dry run does.
    /// - Throws: What is missing or wrong; `inconsistentKeyPair` when the halves do not belong together.
    package convenience init(jwk: JSONValue, isOwn: Bool = false) throws(KeyError) {
        guard let members = jwk.objectValue else { throw .notAnObject }
        let handle = try KeyHandle.readPrivateJWK(members, isOwn: isOwn)
        try self.init(handle)
    }

    /// Signs the message; an ECDSA signature is `R || S`.
    ///
    /// - Throws: `algorithmMismatch` when the key is of another type or curve; `library`.
    package func sign(
        _ message: some Collection<UInt8>, algorithm: SignatureAlgorithm
    ) throws(KeyError) -> [UInt8] {
        guard algorithm.fits(type) else { throw .algorithmMismatch(algorithm) }
        let signature: [UInt8]
        switch withBytes(of: message, { handle.sign($0, algorithm) }) {
        case .success(let bytes): signature = bytes
        case .failure(let error): throw .library(error)
        }
        guard let curve = algorithm.curve else { return signature }
        guard let raw = ECDSASignature.raw(from: signature, curve: curve) else {
            throw .library(OpenSSLError(operation: "signing", reasons: ["the signature is not DER"]))
        }
        return raw
    }

    /// The public half as a JWK with `use` `sig`.
    package func publicJWK(kid: String? = nil, alg: SignatureAlgorithm? = nil) -> JSONValue {
        publicKey.jwk(kid: kid, alg: alg)
    }

    /// The same with `use` `enc`, for those who encrypt to this key.
    package func publicJWK(kid: String? = nil, encryptingBy alg: KeyManagementAlgorithm) -> JSONValue {
        publicKey.jwk(kid: kid, encryptingBy: alg)
    }

    /// The key as unencrypted PKCS#8 PEM; a secret.
    package func privatePEM() throws(KeyError) -> String {
        try handle.writePEM()
    }
}
