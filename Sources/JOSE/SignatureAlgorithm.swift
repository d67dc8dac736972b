/// The signature algorithms we know by name; `none` is not one of them.
///
/// The `HS*` names are known so that they can be refused or computed with a shared secret; no `PublicKey`
/// verifies them. `EdDSA` leaves the curve to the key, the other two names of EdDSA state it.
///
/// - SeeAlso: RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2
package enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"
    case ed25519 = "Ed25519"
    case ed448 = "Ed448"
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"

    /// The algorithm of that name, compared exactly.
    package init?(name: String) {
        let mark = NameMark(name)
        guard let algorithm = Self.marks.first(where: { $0.mark == mark })?.algorithm else { return nil }
        self = algorithm
    }

    /// Each name is short enough to be its mark.
    private static let marks = allCases.map { (mark: NameMark($0.rawValue), algorithm: $0) }

    /// The type of key to make for it; `nil` for `HS*`, which has no public key.
    package var keyType: KeyType? {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa
        case .es256: .ec(.p256)
        case .es384: .ec(.p384)
        case .es512: .ec(.p521)
        case .edDSA, .ed25519: .ed25519
        case .ed448: .ed448
        case .hs256, .hs384, .hs512: nil
        }
    }

    /// Whether a key of that type can make and verify such a signature.
    package func fits(_ type: KeyType) -> Bool {
        self == .edDSA ? type == .ed25519 || type == .ed448 : type == keyType
    }

    /// Whether it is one of `HS*`.
    package var isMAC: Bool { keyType == nil }

    /// The curve of an ECDSA algorithm.
    package var curve: EllipticCurve? {
        if case .ec(let curve) = keyType { curve } else { nil }
    }

    /// What both names allow: an EdDSA name that states the curve is narrower than `EdDSA`.
    ///
    /// - Returns: `nil` when the names are of two algorithms.
    func narrowed(to other: SignatureAlgorithm) -> SignatureAlgorithm? {
        switch (self, other) {
        case (.edDSA, .ed25519), (.edDSA, .ed448): other
        case (.ed25519, .edDSA), (.ed448, .edDSA): self
        default: self == other ? self : nil
        }
    }

    /// The digest that is signed or authenticated; `nil` for EdDSA, which takes the message itself.
    var digest: DigestAlgorithm? {
        switch self {
        case .rs256, .ps256, .es256, .hs256: .sha256
        case .rs384, .ps384, .es384, .hs384: .sha384
        case .rs512, .ps512, .es512, .hs512: .sha512
        case .edDSA, .ed25519, .ed448: nil
        }
    }

    /// Whether the RSA padding is PSS and not PKCS#1 v1.5.
    var isPSS: Bool {
        switch self {
        case .ps256, .ps384, .ps512: true
        case .rs256, .rs384, .rs512, .es256, .es384, .es512, .edDSA, .ed25519, .ed448, .hs256, .hs384,
            .hs512:
            false
        }
    }
}
