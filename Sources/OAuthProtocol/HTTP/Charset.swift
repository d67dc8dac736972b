/// The character set of a body that is a form or XML; JSON is UTF-8 whatever is said (RFC 8259 §8.1).
///
/// What names none that is known is UTF-8, and refused where it is not.
enum Charset: Sendable, Hashable {
    case utf8
    /// ISO-8859-1 and US-ASCII too, as browsers take them (WHATWG Encoding §4.2).
    case windows1252

    /// By its name, in any case.
    init(label: String?) {
        self = label.map { Self.labels.contains($0.lowercased()) } == true ? .windows1252 : .utf8
    }

    private static let labels: Set<String> = [
        "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1", "latin1",
        "l1", "cp819", "ibm819", "us-ascii", "ascii",
    ]

    /// That of a document by what came with it, else by its first line (RFC 7303 §3); a mark of UTF-8 holds over both.
    init(ofXML body: some Collection<UInt8>, named label: String?) {
        guard !body.starts(with: [0xEF, 0xBB, 0xBF]) else {
            self = .utf8
            return
        }
        self.init(label: label ?? Self.declaration(body))
    }

    /// `encoding` of the XML declaration.
    private static func declaration(_ body: some Collection<UInt8>) -> String? {
        guard body.starts(with: Array("<?xml".utf8)) else { return nil }
        let line = body.prefix { $0 != UInt8(ascii: ">") }.prefix(200)
        let parts = String(decoding: line, as: UTF8.self).split(separator: "encoding", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let value = parts[1].drop { $0 == " " || $0 == "=" || $0 == "\t" }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        return String(value.dropFirst().prefix { $0 != quote })
    }

    /// The bytes in UTF-8.
    func utf8(_ bytes: some Collection<UInt8>) -> [UInt8] {
        switch self {
        case .utf8: Array(bytes)
        case .windows1252: bytes.flatMap { $0 < 0x80 ? [$0] : Self.utf8(of: $0) }
        }
    }

    /// A form in UTF-8, as `FormBody.parse` takes it: escapes stand for bytes of the character set.
    func utf8(escapes form: [UInt8]) -> [UInt8] {
        guard self == .windows1252 else { return form }
        var result: [UInt8] = []
        var rest = form[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), let escaped = Self.hexadecimal(rest.prefix(2)), escaped >= 0x80
            else {
                result.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
            for part in Self.utf8(of: escaped) {
                result += Array("%\(part < 16 ? "0" : "")\(String(part, radix: 16))".utf8)
            }
        }
        return result
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt8? {
        digits.count == 2 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
            ? UInt8(String(decoding: digits, as: UTF8.self), radix: 16) : nil
    }

    private static func utf8(of byte: UInt8) -> [UInt8] {
        let isMoved = (0x80...0x9F).contains(byte)
        let scalar = isMoved ? moved[Int(byte - 0x80)] : Unicode.Scalar(byte)
        return Array(String(Character(scalar)).utf8)
    }

    /// 0x80 to 0x9F of windows-1252; the five that it leaves open are control characters, as in ISO-8859-1.
    private static let moved: [Unicode.Scalar] = Array(
        ("\u{20AC}\u{81}\u{201A}\u{0192}\u{201E}\u{2026}\u{2020}\u{2021}\u{02C6}\u{2030}\u{0160}\u{2039}\u{0152}"
            + "\u{8D}\u{017D}\u{8F}\u{90}\u{2018}\u{2019}\u{201C}\u{201D}\u{2022}\u{2013}\u{2014}\u{02DC}\u{2122}"
            + "\u{0161}\u{203A}\u{0153}\u{9D}\u{017E}\u{0178}").unicodeScalars)
}
