internal import JOSE

/// The texts under which a secret may turn up, escapes and line ends aside: as it is, and encoded alone or inside of
/// something longer.
enum SecretForms {
    /// Each form once.
    static func of(_ value: String) -> [String] {
        let bytes = Array(value.utf8)
        var forms = [value]
        func add(_ form: String) { if !forms.contains(form) { forms.append(form) } }
        add(Hexadecimal.encode(bytes))
        add(Hexadecimal.encode(bytes).uppercased())
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

    private static func part(of text: String, _ first: Int, _ last: Int) -> String {
        guard first < last else { return "" }
        let start = text.utf8.index(text.startIndex, offsetBy: first)
        return String(text[start..<text.utf8.index(text.startIndex, offsetBy: last)])
    }
}
