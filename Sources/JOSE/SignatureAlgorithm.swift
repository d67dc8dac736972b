/// The signature algorithms we know by name; `none` is not one of them.
///
/// The `HS*` names are known so that they can be refused or computed with a shared secret; no `PublicKey`
/// verifies them.
///
/// - SeeAlso: RFC 7518 §3.1, RFC 8037 §3.1
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
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"

    /// The algorithm of that name, compared exactly; `Ed25519` is another name of `EdDSA` (RFC 9864 §2.2).
    package init?(name: String) {
        if name.hasSameBytes(as: "Ed25519") {
            self = .edDSA
            return
        }
        guard let algorithm = Self.allCases.first(where: { $0.rawValue.hasSameBytes(as: name) }) else {
            return nil
        }
        self = algorithm
    }

    /// The only type of public key that verifies it; `nil` for `HS*`, which has no public key.
    package var keyType: KeyType? {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa
        case .es256: .ec(.p256)
        case .es384: .ec(.p384)
        case .es512: .ec(.p521)
        case .edDSA: .ed25519
        case .hs256, .hs384, .hs512: nil
        }
    }

    package var curve: EllipticCurve? {
        if case .ec(let curve) = keyType { curve } else { nil }
    }

    /// The digest of the signature, which is also the one of `at_hash` (OpenID Connect Core §3.1.3.6).
    ///
    /// SHA-512 for `EdDSA`, which uses it inside.
    package var digest: DigestAlgorithm {
        switch self {
        case .rs256, .ps256, .es256, .hs256: .sha256
        case .rs384, .ps384, .es384, .hs384: .sha384
        case .rs512, .ps512, .es512, .hs512, .edDSA: .sha512
        }
    }

    /// Whether the RSA padding is PSS and not PKCS#1 v1.5.
    var isPSS: Bool {
        switch self {
        case .ps256, .ps384, .ps512: true
        case .rs256, .rs384, .rs512, .es256, .es384, .es512, .edDSA, .hs256, .hs384, .hs512: false
        }
    }
}

/// What kind of key a signature algorithm needs.
package enum KeyType: Sendable, Hashable {
    case rsa
    case ec(EllipticCurve)
    case ed25519
}

/// The curves of `ES*`, by their JWK names.
package enum EllipticCurve: String, Sendable, Hashable, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    /// The bytes of a coordinate, and of each half of a signature (RFC 7518 §3.4, §6.2.1.2).
    package var coordinateLength: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// OpenSSL's name of the group.
    var groupName: String {
        switch self {
        case .p256: "prime256v1"
        case .p384: "secp384r1"
        case .p521: "secp521r1"
        }
    }

    /// The order of the group, big-endian, `coordinateLength` bytes (SEC 2 §2.4.2, §2.5.1, §2.6.1).
    var order: [UInt8] {
        let ones = [UInt8](repeating: 0xFF, count: 32)
        return switch self {
        case .p256:
            [0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00] + ones.prefix(8) + [
                0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25,
                0x51,
            ]
        case .p384:
            ones.prefix(24) + [
                0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF, 0x58, 0x1A, 0x0D, 0xB2,
                0x48, 0xB0, 0xA7, 0x7A, 0xEC, 0xEC, 0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
            ]
        case .p521:
            [0x01] + ones + [
                0xFA, 0x51, 0x86, 0x87, 0x83, 0xBF, 0x2F, 0x96, 0x6B, 0x7F, 0xCC, 0x01, 0x48, 0xF7, 0x09,
                0xA5, 0xD0,
                0x3B, 0xB5, 0xC9, 0xB8, 0x89, 0x9C, 0x47, 0xAE, 0xBB, 0x6F, 0xB7, 0x1E, 0x91, 0x38, 0x64,
                0x09,
            ]
        }
    }
}
