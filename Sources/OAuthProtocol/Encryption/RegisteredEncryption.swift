package import JOSE

/// The encryption that a client registered for the tokens sent to it, as in `id_token_encrypted_response_alg` and
/// `id_token_encrypted_response_enc`, or for its requests.
///
/// - SeeAlso: OpenID Connect Dynamic Client Registration §2
package struct RegisteredEncryption: Sendable, Hashable {
    package let algorithm: KeyManagementAlgorithm
    package let encryption: ContentEncryption

    /// - Parameter encryption: `nil` where only the algorithm is registered; then it is A128CBC-HS256.
    package init(_ algorithm: KeyManagementAlgorithm, _ encryption: ContentEncryption? = nil) {
        self.algorithm = algorithm
        self.encryption = encryption ?? .a128CBCHS256
    }

    /// For people, such as `RSA-OAEP-256 with A256GCM`.
    package var words: String { "\(algorithm.rawValue) with \(encryption.rawValue)" }
}
