internal import JOSE

/// A code verifier and its S256 challenge (RFC 7636 §4); `plain` does not exist here.
public struct PKCE: Sendable, Hashable {
    public static let method = "S256"

    public let verifier: Secret
    public let challenge: String

    /// Makes the verifier of random bytes.
    ///
    /// - Parameter randomBytes: 32 bytes, for which RFC 7636 §7.1 asks: "a minimum of 256 bits of entropy".
    package init(randomBytes: [UInt8]) {
        precondition(randomBytes.count == 32, "a code verifier is made of 32 random bytes")
        self.init(verifier: Secret(Base64URL.encode(randomBytes), kind: .codeVerifier))
    }

    /// Takes a verifier that was made earlier, such as from a stored transaction.
    package init(verifier: Secret) {
        self.verifier = verifier
        challenge = Base64URL.encode(Digest.sha256(verifier.reveal().utf8))
    }
}
