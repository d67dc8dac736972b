/// Why a text is not an encrypted token for us.
package enum JWEError: Error, Hashable {
    case malformed(Malformation)
    /// `alg` or `enc` of the header is not the registered one.
    case algorithmNotAllowed(alg: String, enc: String)
    /// The header asks that extensions be understood, and we understand none.
    case criticalHeader([String])
    /// The header has `zip`: a short text could unpack to any length.
    case compressed
    /// The header names or carries a key: `jku`, `jwk` or `x5u`.
    case keyReference([String])
    /// None of our keys has the header's `kid` and fits the algorithm.
    case noMatchingKey(kid: String?)
    /// Whatever goes wrong once a private key is used: the one error for all of it (RFC 7516 §11.5).
    case undecryptable

    package enum Malformation: Sendable, Hashable {
        case tooLong(limit: Int)
        /// Not five parts between dots.
        case partCount
        /// Three parts: a token that is signed and not encrypted.
        case signed
        case emptyHeader
        case notBase64URL(Part)
        case headerNotJSON(JSONError)
        case headerNotAnObject
        case missingParameter(String)
        /// A header parameter of the wrong type.
        case wrongType(String)
    }

    package enum Part: Sendable, Hashable, CaseIterable {
        case header, encryptedKey, vector, ciphertext, tag
    }
}
