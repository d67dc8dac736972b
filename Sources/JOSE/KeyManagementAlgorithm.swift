/// How the key of an encrypted token reaches its recipient: the `alg` values we know.
///
/// `RSA1_5`, `dir`, `PBES2-*`, `A*KW` and `A*GCMKW` are not among them: the first invites oracles, and the
/// others need a shared secret that a provider's client does not have.
///
/// - SeeAlso: RFC 7518 §4.1, RFC 8037 §3.2
package enum KeyManagementAlgorithm: String, Sendable, Hashable, CaseIterable {
    case rsaOAEP = "RSA-OAEP"
    case rsaOAEP256 = "RSA-OAEP-256"
    case ecdhES = "ECDH-ES"
    case ecdhESA128KW = "ECDH-ES+A128KW"
    case ecdhESA256KW = "ECDH-ES+A256KW"

    /// The algorithm of that name, compared exactly.
    package init?(name: String) {
        guard let algorithm = Self.allCases.first(where: { $0.rawValue.hasSameBytes(as: name) }) else {
            return nil
        }
        self = algorithm
    }

    /// Whether a key of that type can be encrypted to.
    package func fits(_ type: KeyType) -> Bool {
        switch (self, type) {
        case (.rsaOAEP, .rsa), (.rsaOAEP256, .rsa): true
        case (.ecdhES, .ec), (.ecdhESA128KW, .ec), (.ecdhESA256KW, .ec): true
        case (.ecdhES, .x25519), (.ecdhESA128KW, .x25519), (.ecdhESA256KW, .x25519): true
        case (.rsaOAEP, _), (.rsaOAEP256, _): false
        case (.ecdhES, _), (.ecdhESA128KW, _), (.ecdhESA256KW, _): false
        }
    }

    /// What the agreed key wraps the content key with; `nil` where it is the content key, or none is agreed on.
    var wrapping: Cipher? {
        switch self {
        case .ecdhESA128KW: .aes128Wrap
        case .ecdhESA256KW: .aes256Wrap
        case .rsaOAEP, .rsaOAEP256, .ecdhES: nil
        }
    }

    /// OpenSSL's name of the digest of OAEP and of its mask (RFC 8017 §A.2.1); `nil` for key agreement.
    var paddingDigest: String? {
        switch self {
        case .rsaOAEP: "SHA1"
        case .rsaOAEP256: "SHA2-256"
        case .ecdhES, .ecdhESA128KW, .ecdhESA256KW: nil
        }
    }
}
