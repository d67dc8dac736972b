/// The bytes of a secret for `HS*`, such as a client secret.
///
/// A type of its own so that no public key can ever stand in its place. It describes itself as redacted.
package struct SharedSecret: Sendable {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether the algorithm is one of `HS*` and the secret at least as long as its digest (RFC 7518 §3.2), so
    /// never empty.
    func isLongEnough(for algorithm: SignatureAlgorithm) -> Bool {
        guard algorithm.isMAC, let digest = algorithm.digest else { return false }
        return bytes.count >= digest.byteCount
    }

    /// How many bytes it has, and how many a MAC needs; `nil` where it has enough, and for other algorithms.
    package func shortage(for algorithm: SignatureAlgorithm) -> (bytes: Int, needed: Int)? {
        guard algorithm.isMAC, let digest = algorithm.digest, !isLongEnough(for: algorithm) else {
            return nil
        }
        return (bytes.count, digest.byteCount)
    }

    /// - Returns: `nil` for an algorithm the secret cannot be used with.
    func authenticate(_ message: some Collection<UInt8>, _ algorithm: SignatureAlgorithm) -> [UInt8]? {
        guard isLongEnough(for: algorithm), let digest = algorithm.digest else { return nil }
        return HMAC.authenticate(message, key: bytes, digest)
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
        let (input, algorithm) = try signingInput(header, payload, algorithm)
        guard let mac = secret.authenticate(input.utf8, algorithm) else {
            throw .algorithmMismatch(algorithm)
        }
        return input + "." + Base64URL.encode(mac)
    }
}
