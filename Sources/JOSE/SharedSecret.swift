/// The bytes of a secret for `HS*`, such as a client secret.
///
/// A type of its own so that no public key can ever stand in its place. It describes itself as redacted.
package struct SharedSecret: Sendable {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// At least as long as the digest (RFC 7518 §3.2), so never empty.
    func isLongEnough(for algorithm: SignatureAlgorithm) -> Bool {
        bytes.count >= algorithm.digest.byteCount
    }

    func authenticate(_ message: some Collection<UInt8>, _ algorithm: SignatureAlgorithm) -> [UInt8] {
        HMAC.authenticate(message, key: bytes, algorithm.digest)
    }
}

extension SharedSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹redacted›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension JWS {
    /// Signs the payload with an `HS*` algorithm.
    ///
    /// - Throws: `algorithmMismatch` for another algorithm or a secret shorter than its digest;
    ///   `headerAlgorithmMismatch` when the header names another algorithm.
    package static func sign(
        header: JSONObject, payload: some Collection<UInt8>, secret: SharedSecret,
        algorithm: SignatureAlgorithm
    ) throws(KeyError) -> String {
        guard algorithm.keyType == nil, secret.isLongEnough(for: algorithm) else {
            throw .algorithmMismatch(algorithm)
        }
        let input = try signingInput(header, payload, algorithm)
        return input + "." + Base64URL.encode(secret.authenticate(input.utf8, algorithm))
    }
}
