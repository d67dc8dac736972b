internal import JOSE

/// The SHA-256 digest that a certificate or its public key must have, and until when that holds.
///
/// Written `sha256/BASE64`, as curl writes the digest of a SubjectPublicKeyInfo (RFC 7469 §2.4).
package struct CertificatePin: Sendable, Hashable {
    package static let prefix = "sha256/"

    /// 32 bytes.
    package let digest: [UInt8]
    /// Milliseconds since 1970, from which on the pin matches nothing; `nil` for never.
    package let expiresAt: Int64?

    package init(digest: [UInt8], expiresAt: Int64? = nil) {
        self.digest = digest
        self.expiresAt = expiresAt
    }

    /// Why a text is no pin.
    package enum Problem: Error, Sendable, Hashable {
        /// Without `sha256/`.
        case prefix
        /// A fingerprint of hexadecimal digits, as other tools print it; holds the pin that it stands for.
        case hexadecimal(meant: String)
        /// Not the Base64 of 32 bytes.
        case digest
    }

    /// - Parameter expiresAt: Milliseconds since 1970.
    /// - Throws: `hexadecimal` for 64 digits with or without a prefix and colons, `prefix`, `digest`.
    package init(_ text: String, expiresAt: Int64? = nil) throws(Problem) {
        if let digest = Self.fingerprint(text) {
            throw .hexadecimal(meant: CertificatePin(digest: digest).text)
        }
        guard text.hasPrefix(Self.prefix) else { throw .prefix }
        guard let digest = Base64.decode(text.dropFirst(Self.prefix.count)), digest.count == 32 else {
            throw .digest
        }
        self.init(digest: digest, expiresAt: expiresAt)
    }

    package var text: String { Self.prefix + Base64.encode(digest) }

    /// Whether the pin still holds.
    ///
    /// - Parameter now: Milliseconds since 1970.
    package func isValid(at now: Int64) -> Bool { expiresAt.map { now < $0 } ?? true }

    private static func fingerprint(_ text: String) -> [UInt8]? {
        var rest = text[...]
        for prefix in ["sha256/", "sha256:", "SHA256:", "sha256//"] where rest.hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
            break
        }
        let values = rest.utf8.filter { $0 != UInt8(ascii: ":") }.map { PercentEncoding.hexValue($0) }
        guard values.count == 64, !values.contains(nil) else { return nil }
        let digits = values.compactMap(\.self)
        return stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
