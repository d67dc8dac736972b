internal import JOSE

/// A code verifier and its S256 challenge (RFC 7636 §4); `plain` does not exist here.
package struct PKCE: Sendable, Hashable {
    package static let method = "S256"

    /// How the digest is written: base64url in the RFC; hexadecimal for servers that know nothing else.
    package enum ChallengeEncoding: String, Sendable, Hashable, CaseIterable {
        case base64url, hex
    }

    package let verifier: Secret
    package let challenge: String

    /// Whether a text may be a verifier (RFC 7636 §4.1).
    package static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count) && text.utf8.allSatisfy(PercentEncoding.isUnreserved)
    }

    /// Makes the verifier of random bytes.
    ///
    /// - Parameter randomBytes: 32 bytes, for which RFC 7636 §7.1 asks: "a minimum of 256 bits of entropy".
    package init(randomBytes: [UInt8], encoding: ChallengeEncoding = .base64url) {
        precondition(randomBytes.count == 32, "a code verifier is made of 32 random bytes")
        self.init(verifier: Secret(Base64URL.encode(randomBytes), kind: .codeVerifier), encoding: encoding)
    }

    /// Takes a verifier that was made earlier, such as from a stored transaction.
    package init(verifier: Secret, encoding: ChallengeEncoding = .base64url) {
        self.verifier = verifier
        let digest = Digest.sha256(verifier.reveal().utf8)
        challenge =
            switch encoding {
            case .base64url: Base64URL.encode(digest)
            case .hex: Hexadecimal.encode(digest)
            }
    }
}
