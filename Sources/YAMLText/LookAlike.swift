/// Characters that word processors and web pages put in the place of those of YAML.
package enum LookAlike {
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
                return indentation(line, scalar)
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

// Letters to YAML, so that what goes wrong because of them is reported as something else.
extension LookAlike {
    private static let quotes: Set<Unicode.Scalar> = ["“", "”", "„", "‟", "‘", "’", "‚", "«", "»"]

    /// The same mistakes, with a hint at those that stand at such a character, since nobody sees it.
    ///
    /// - Parameter file: What of it is wrong; mistakes of other files stay as they are.
    package static func explained(_ diagnostics: [Diagnostic], in file: SourceFile) -> [Diagnostic] {
        diagnostics.map { found in
            guard found.severity == .error, found.file == file.path,
                let line = file.line(found.span.start.line),
                let hint = hint(Array(line.unicodeScalars), at: found.span.start)
            else { return found }
            return found.with(hint: hint)
        }
    }

    private static func hint(_ line: [Unicode.Scalar], at mark: SourceMark) -> String? {
        if let first = line.first(where: { $0 != " " }), spaces.contains(first) {
            return indentation(mark.line, first)
        }
        guard line.indices.contains(mark.column - 1), quotes.contains(line[mark.column - 1]) else {
            return nil
        }
        return "typographic quotes are letters here: write \" or '"
    }

    private static func indentation(_ line: Int, _ space: Unicode.Scalar) -> String {
        "line \(line) begins with U+\(digits(space)), which only looks like a space: indent with spaces"
    }
}
