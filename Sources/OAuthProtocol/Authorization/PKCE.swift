internal import JOSE

/// A code verifier and the challenge that is made of it (RFC 7636 §4).
package struct PKCE: Sendable, Equatable {
    /// What makes the challenge of the verifier (RFC 7636 §4.2).
    package enum Method: Sendable, Hashable {
        /// Its SHA-256 digest.
        case s256(ChallengeEncoding = .base64url)
        /// The verifier itself, which then stands in the browser's address: for servers that know nothing else.
        case plain

        /// All that `code_challenge_method` may be.
        package static let names = [Method.s256().name, Method.plain.name]

        /// `code_challenge_method`.
        package var name: String {
            switch self {
            case .s256: "S256"
            case .plain: "plain"
            }
        }
    }

    /// How the digest is written: base64url in the RFC, the others for servers that know nothing else.
    package enum ChallengeEncoding: String, Sendable, Hashable, CaseIterable {
        case base64url, hex
        /// The hexadecimal text, in base64url.
        case hexBase64URL = "hex_base64url"
    }

    package let method: Method
    package let verifier: Secret
    /// What is sent first; a secret where it is the verifier.
    package let challenge: ParameterValue

    /// How many random bytes a verifier is made of (RFC 7636 §7.1).
    package static let randomByteCount = 32

    /// Whether a text may be a verifier (RFC 7636 §4.1).
    package static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count) && text.utf8.allSatisfy(PercentEncoding.isUnreserved)
    }

    /// Makes the verifier of random bytes.
    ///
    /// - Parameter randomBytes: 32 bytes, for which RFC 7636 §7.1 asks: "a minimum of 256 bits of entropy".
    package init(randomBytes: [UInt8], method: Method = .s256()) {
        precondition(randomBytes.count == Self.randomByteCount, "a code verifier is made of 32 random bytes")
        self.init(verifier: Secret(Base64URL.encode(randomBytes), kind: .codeVerifier), method: method)
    }

    /// Takes a verifier that was made earlier, such as from a stored transaction.
    package init(verifier: Secret, method: Method = .s256()) {
        self.method = method
        self.verifier = verifier
        challenge =
            switch method {
            case .plain: .secret(verifier)
            case .s256(let encoding): .text(encoding.text(of: Digest.sha256(verifier.reveal().utf8)))
            }
    }
}

extension PKCE.ChallengeEncoding {
    fileprivate func text(of digest: [UInt8]) -> String {
        switch self {
        case .base64url: Base64URL.encode(digest)
        case .hex: Hexadecimal.encode(digest)
        case .hexBase64URL: Base64URL.encode(Hexadecimal.encode(digest).utf8)
        }
    }
}
