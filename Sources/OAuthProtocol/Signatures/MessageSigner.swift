package import JOSE

/// What a client signs its own messages with: assertions, request objects.
package enum MessageSigner: Sendable {
    /// A private key; `kid` says which one to a server that knows several.
    case key(PrivateKey, SignatureAlgorithm, kid: String? = nil)
    /// The client secret, for `HS*`.
    case secret(SharedSecret, SignatureAlgorithm)

    package var algorithm: SignatureAlgorithm {
        switch self {
        case .key(_, let algorithm, _), .secret(_, let algorithm): algorithm
        }
    }

    /// Signs a claims set.
    ///
    /// - Parameter type: The `typ` of the header, which keeps one kind of message from being taken for another
    ///   (RFC 8725 §3.11).
    /// - Throws: `algorithmMismatch` for a key of another type, or a secret that is shorter than the digest.
    package func sign(_ claims: JSONObject, type: String) throws(KeyError) -> String {
        var header: JSONObject = ["typ": .string(type)]
        let payload = claims.serializedBytes
        switch self {
        case .key(let key, let algorithm, let kid):
            header["kid"] = kid.map(JSONValue.string)
            return try JWS.sign(header: header, payload: payload, key: key, algorithm: algorithm)
        case .secret(let secret, let algorithm):
            return try JWS.sign(header: header, payload: payload, secret: secret, algorithm: algorithm)
        }
    }
}
