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

extension KeyError {
    /// The same in words, lower case, without a full stop.
    package var summary: String {
        switch self {
        case .notAnObject: "it is no JSON object"
        case .missingMember(let name): "\(name) is missing"
        case .invalidMember(let name): "\(name) cannot be read"
        case .unsupportedKeyType(let name): "kty \(name) is none for public signatures"
        case .unsupportedCurve(let name): "crv \(name) is not known here"
        case .privateKeyMaterial(let member): "it shows its private part, \(member)"
        case .unacceptableModulus(let bits):
            "its modulus has \(bits) bits, and 2048 to 16384, an odd number, are needed"
        case .unacceptableExponent: "its exponent is even, below 65537 or above 64 bits"
        case .pointNotOnCurve: "its point is not on its curve"
        case .inconsistentKeyPair: "its private part does not fit its public one"
        case .notPEM: "it is no PEM private key"
        case .encryptedPEM: "it is encrypted"
        case .algorithmMismatch(let algorithm): "it cannot make signatures of \(algorithm.rawValue)"
        case .wrongKeyType(let name): "it is of another type than \(name) needs"
        case .headerAlgorithmMismatch: "the header names another algorithm"
        case .library(let error): "\(error)"
        }
    }
}
