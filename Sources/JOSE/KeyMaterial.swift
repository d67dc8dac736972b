/// The numbers of a public key, big-endian.
///
/// RSA numbers have no leading zeros; coordinates have the length of their curve.
enum KeyMaterial: Sendable, Hashable {
    case rsa(n: [UInt8], e: [UInt8])
    case ec(EllipticCurve, x: [UInt8], y: [UInt8])
    case octets(OctetCurve, x: [UInt8])

    var type: KeyType {
        switch self {
        case .rsa: .rsa
        case .ec(let curve, _, _): .ec(curve)
        case .octets(let curve, _): curve.type
        }
    }

    /// The bytes of a signature; `nil` for a key that makes none.
    var signatureLength: Int? {
        switch self {
        case .rsa(let n, _): n.count
        case .ec(let curve, _, _): 2 * curve.coordinateLength
        case .octets(let curve, _): curve.signatureLength
        }
    }

    /// The members that RFC 7638 §3.2 hashes.
    var members: JSONObject {
        switch self {
        case .rsa(let n, let e):
            ["kty": "RSA", "n": .string(Base64URL.encode(n)), "e": .string(Base64URL.encode(e))]
        case .ec(let curve, let x, let y):
            [
                "kty": "EC", "crv": .string(curve.rawValue), "x": .string(Base64URL.encode(x)),
                "y": .string(Base64URL.encode(y)),
            ]
        case .octets(let curve, let x):
            ["kty": "OKP", "crv": .string(curve.rawValue), "x": .string(Base64URL.encode(x))]
        }
    }

    /// Checks sizes; whether a point is on its curve is found when the key is made.
    ///
    /// RSA numbers are checked here and not by libcrypto, whose own public key check takes milliseconds.
    func check() throws(KeyError) {
        switch self {
        case .rsa(let n, let e):
            try Self.check(modulus: n)
            try Self.check(exponent: e)
        case .ec(let curve, let x, let y):
            guard x.count == curve.coordinateLength else { throw .invalidMember("x") }
            guard y.count == curve.coordinateLength else { throw .invalidMember("y") }
        case .octets(let curve, let x):
            guard x.count == curve.keyLength else { throw .invalidMember("x") }
        }
    }

    /// At least 2048 bits (RFC 7518 §3.3); at most 16384, the largest libcrypto verifies with.
    private static func check(modulus: [UInt8]) throws(KeyError) {
        guard let first = modulus.first, let last = modulus.last else {
            throw .unacceptableModulus(bits: 0)
        }
        let bits = modulus.count * 8 - first.leadingZeroBitCount
        guard 2048...16384 ~= bits, last & 1 == 1 else { throw .unacceptableModulus(bits: bits) }
    }

    /// Odd and at least 65537 (NIST FIPS 186-5 §A.1.1); at most 64 bits, so that verifying stays cheap.
    private static func check(exponent: [UInt8]) throws(KeyError) {
        guard let last = exponent.last, last & 1 == 1, exponent.count <= 8 else {
            throw .unacceptableExponent
        }
        let value = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard value >= 65537 else { throw .unacceptableExponent }
    }
}
