/// Why a key cannot be used.
///
/// Names members and sizes, never their values.
package enum KeyError: Error, Hashable {
    case notAnObject
    case missingMember(String)
    /// A member of the wrong type, or not strict base64url, or of the wrong length.
    case invalidMember(String)
    /// A `kty` that has no public signature key here; `oct` is always refused.
    case unsupportedKeyType(String)
    case unsupportedCurve(String)
    /// A public key that carries its private part is known to everybody.
    case privateKeyMaterial(member: String)
    /// The RSA modulus is below 2048 bits (RFC 7518 §3.3), above 16384, or even.
    case unacceptableModulus(bits: Int)
    /// The RSA exponent is even, below 65537 or above 64 bits.
    case unacceptableExponent
    /// The point is not on its curve.
    case pointNotOnCurve
    /// The private key does not fit its public key.
    case inconsistentKeyPair
    /// The text is no PEM private key.
    case notPEM
    /// The PEM key is encrypted; we never ask for a passphrase.
    case encryptedPEM
    /// The key cannot make signatures of that algorithm.
    case algorithmMismatch(SignatureAlgorithm)
    /// The key cannot be encrypted to by the algorithm of that name.
    case wrongKeyType(String)
    /// The header names another algorithm than the one to sign with.
    case headerAlgorithmMismatch
    case library(OpenSSLError)
}
