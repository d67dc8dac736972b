internal import JOSE
internal import OAuthProtocol

/// The texts under which a secret may turn up: as it is, escaped, and encoded alone or inside of something longer.
package enum SecretForms {
    /// The value comes first; each form once.
    package static func of(_ value: String) -> [String] {
        let bytes = Array(value.utf8)
        var forms = [value]
        func add(_ form: String) { if !forms.contains(form) { forms.append(form) } }
        add(PercentEncoding.encodeForm(value))
        add(PercentEncoding.encodeQuery(value))
        add(PercentEncoding.encodeRaw(value))
        add(Hexadecimal.encode(bytes))
        add(Hexadecimal.encode(bytes).uppercased())
        add(escaped(bytes, keepsLetters: true))
        add(escaped(bytes, keepsLetters: false))
        add(String(JSONValue.string(value).serialize().dropFirst().dropLast()))
        // Three bytes make four characters, so what stands in front of a secret shifts its characters.
        for shift in 0..<3 {
            let padded = [UInt8](repeating: 0, count: shift) + bytes
            let first = shift == 0 ? 0 : shift + 1
            // Only whole sextets: the last character also holds bits of what follows.
            let last = padded.count * 8 / 6
            add(part(of: Base64.encode(padded), first, last))
            add(part(of: Base64URL.encode(padded), first, last))
        }
        return forms
    }

    /// Percent-encoded although it need not be: every byte, or all but letters and digits.
    private static func escaped(_ bytes: [UInt8], keepsLetters: Bool) -> String {
        bytes.reduce(into: "") { text, byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
            if keepsLetters && isPlain {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + Hexadecimal.encode([byte]).uppercased()
            }
        }
    }

    private static func part(of text: String, _ first: Int, _ last: Int) -> String {
        guard first < last else { return "" }
        let start = text.utf8.index(text.startIndex, offsetBy: first)
        return String(text[start..<text.utf8.index(text.startIndex, offsetBy: last)])
    }
}
