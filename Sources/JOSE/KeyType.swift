/// What kind of key an algorithm needs.
package enum KeyType: Sendable, Hashable {
    case rsa
    case ec(EllipticCurve)
    case ed25519
    case ed448
    /// Agrees on keys and signs nothing (RFC 8037 §3.2).
    case x25519

    /// As people call it, such as `EC P-256`.
    package var name: String {
        switch self {
        case .rsa: "RSA"
        case .ec(let curve): "EC \(curve.rawValue)"
        case .ed25519: "Ed25519"
        case .ed448: "Ed448"
        case .x25519: "X25519"
        }
    }
}

/// The curves of `OKP` keys: a coordinate alone is the key.
///
/// - SeeAlso: RFC 8037 §2
enum OctetCurve: String, Sendable, Hashable, CaseIterable {
    case ed25519 = "Ed25519"
    case ed448 = "Ed448"
    case x25519 = "X25519"

    var type: KeyType {
        switch self {
        case .ed25519: .ed25519
        case .ed448: .ed448
        case .x25519: .x25519
        }
    }

    /// The bytes of either half of a key (RFC 8032 §5.1.5 and §5.2.5, RFC 7748 §5).
    var keyLength: Int {
        switch self {
        case .ed25519, .x25519: 32
        case .ed448: 57
        }
    }

    /// The bytes of a signature (RFC 8032 §5.1.6 and §5.2.6); none for a curve that signs nothing.
    var signatureLength: Int? {
        switch self {
        case .ed25519: 64
        case .ed448: 114
        case .x25519: nil
        }
    }
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
        switch self {
        case .p256: Self.p256Order
        case .p384: Self.p384Order
        case .p521: Self.p521Order
        }
    }

    private static let ones = [UInt8](repeating: 0xFF, count: 32)
    private static let p256Order: [UInt8] =
        [0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00] + ones.prefix(8) + [
            0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
    private static let p384Order: [UInt8] =
        ones.prefix(24) + [
            0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF, 0x58, 0x1A, 0x0D, 0xB2, 0x48, 0xB0, 0xA7, 0x7A,
            0xEC, 0xEC, 0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
        ]
    private static let p521Order: [UInt8] =
        [0x01] + ones + [
            0xFA, 0x51, 0x86, 0x87, 0x83, 0xBF, 0x2F, 0x96, 0x6B, 0x7F, 0xCC, 0x01, 0x48, 0xF7, 0x09, 0xA5,
            0xD0, 0x3B, 0xB5, 0xC9, 0xB8, 0x89, 0x9C, 0x47, 0xAE, 0xBB, 0x6F, 0xB7, 0x1E, 0x91, 0x38, 0x64,
            0x09,
        ]
}
