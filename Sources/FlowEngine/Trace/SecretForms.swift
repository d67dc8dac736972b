internal import JOSE
internal import OAuthProtocol

/// The texts under which a secret may turn up: as it is, escaped, and encoded alone or inside of something longer.
package enum SecretForms {
    /// The value comes first; each form once.
    package static func of(_ value: String) -> [String] {
        let bytes = Array(value.utf8)
        var forms = [
            value, PercentEncoding.encodeForm(value), PercentEncoding.encodeQuery(value),
            PercentEncoding.encodeRaw(value),
            Hexadecimal.encode(bytes), JSONValue.string(value).serialize().dropQuotes,
        ]
        // Three bytes make four characters, so what stands in front of a secret shifts its characters.
        for shift in 0..<3 {
            let padded = [UInt8](repeating: 0, count: shift) + bytes
            let skipped = shift == 0 ? 0 : shift + 1
            for encoded in [Base64.encode(padded), Base64URL.encode(padded)] {
                let whole = encoded.filter { $0 != "=" }
                let rest = (bytes.count + shift) % 3
                // The last character also holds bits of what follows.
                forms.append(String(whole.dropFirst(skipped).dropLast(rest == 0 ? 0 : 1)))
            }
        }
        var seen: Set<String> = []
        return forms.filter { seen.insert($0).inserted }
    }
}

extension String {
    fileprivate var dropQuotes: String { String(dropFirst().dropLast()) }
}
