/// Why a text is not a signature we accept.
package enum JWSError: Error, Hashable {
    case malformed(Malformation)
    /// The `alg` of the header is not in the caller's list; `none` never is.
    case algorithmNotAllowed(found: String, allowed: [SignatureAlgorithm])
    /// The header asks that extensions be understood, and we understand none.
    case criticalHeader([String])
    /// The header names or carries a key: `jku`, `jwk` or `x5u`.
    case keyReference([String])
    case noMatchingKey(kid: String?, algorithm: SignatureAlgorithm)
    case signatureInvalid

    package enum Malformation: Sendable, Hashable {
        case tooLong(limit: Int)
        /// Not three parts between dots.
        case partCount
        /// Five parts: an encrypted token (RFC 7516 §3.1).
        case encrypted
        case emptyPart(Part)
        case notBase64URL(Part)
        case headerNotJSON(JSONError)
        case headerNotAnObject
        case missingAlgorithm
        /// A header parameter of the wrong type.
        case wrongType(String)
    }

    package enum Part: Sendable, Hashable, CaseIterable {
        case header, payload, signature
    }
}
