/// Characters that word processors and web pages put in the place of those of YAML.
enum LookAlike {
    private static let dashes: Set<Unicode.Scalar> = ["\u{2013}", "\u{2014}", "\u{2212}", "\u{2022}"]
    private static let spaces: Set<Unicode.Scalar> = ["\u{A0}", "\u{2007}", "\u{202F}", "\u{3000}"]

    /// What to do about the last of the lines that begins with one; `nil` where none does.
    static func hint(in source: YAMLSource, from first: Int, to last: Int) -> String? {
        for line in (max(first, 1)...last).reversed() {
            let start = SourceOffset.offset(of: SourceMark(line: line, column: 1), in: source.bytes)
            let text = String(decoding: source.bytes[start...].prefix(256), as: UTF8.self)
            let rest = text.unicodeScalars.drop { $0 == " " }
            guard let scalar = rest.first else { continue }
            if spaces.contains(scalar) {
                let name = "U+\(digits(scalar))"
                return "line \(line) begins with \(name), which only looks like a space: indent with spaces"
            }
            if dashes.contains(scalar) {
                return "an element of a list begins with \"-\", not with \"\(scalar)\""
            }
        }
        return nil
    }

    private static func digits(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
