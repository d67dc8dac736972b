internal import JOSE

/// The text form of an RSA public key that a careless client might take for an HMAC secret.
///
/// - SeeAlso: RFC 8017 Appendix A.1.1 (RSAPublicKey), RFC 5280 §4.1 (SubjectPublicKeyInfo)
enum PublicKeyPEM {
    /// `nil` when the JWK is no RSA key.
    static func rsa(_ jwk: JSONValue) -> String? {
        guard let n = jwk["n"]?.stringValue.flatMap({ Base64URL.decode($0) }),
            let e = jwk["e"]?.stringValue.flatMap({ Base64URL.decode($0) })
        else { return nil }
        let key = element(0x30, integer(n) + integer(e))
        let info = element(0x30, rsaEncryption + element(0x03, [0] + key))
        return armor(info)
    }

    /// AlgorithmIdentifier 1.2.840.113549.1.1.1 with NULL parameters.
    private static let rsaEncryption: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    /// A positive INTEGER: a zero byte keeps the sign bit clear.
    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        element(0x02, (bytes.first ?? 0) < 0x80 ? bytes : [0] + bytes)
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    private static func armor(_ bytes: [UInt8]) -> String {
        var lines = ["-----BEGIN PUBLIC KEY-----"]
        var rest = Substring(Base64.encode(bytes))
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return lines.joined(separator: "\n") + "\n-----END PUBLIC KEY-----\n"
    }
}
