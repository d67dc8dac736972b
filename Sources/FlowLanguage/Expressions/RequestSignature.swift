internal import JOSE

/// Signatures over requests with a key of the client, as some interfaces want them beside or in place of a secret.
enum RequestSignature {
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 §8.2).
    ///
    /// - Parameter keyText: PEM, or what stands between its lines alone, as some consoles give it out.
    /// - Returns: `nil` for what is no RSA key of 2048 bits or more.
    static func rsaSHA256(_ message: [UInt8], keyText: [UInt8]) -> [UInt8]? {
        let text = String(decoding: keyText, as: UTF8.self)
        let forms =
            text.contains("-----BEGIN")
            ? [text] : ["PRIVATE KEY", "RSA PRIVATE KEY"].map { armored(text, $0) }
        // What cannot be read makes no signature, and the provider then says that there is none.
        let key = forms.lazy.compactMap { try? PrivateKey(pem: $0) }.first
        return key.flatMap { try? $0.sign(message, algorithm: .rs256) }
    }

    private static func armored(_ text: String, _ label: String) -> String {
        let digits = Array(text.utf8.filter { $0 > 0x20 })
        let lines = stride(from: 0, to: digits.count, by: 64).map {
            String(decoding: digits[$0..<min($0 + 64, digits.count)], as: UTF8.self)
        }
        return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
    }
}
