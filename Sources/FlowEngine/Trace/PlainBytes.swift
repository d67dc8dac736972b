/// A text byte by byte as a reader takes it, for comparing and not for showing.
///
/// Percent-encoding, the escapes of JSON strings and the character references of HTML and XML are undone, each as often
/// as it was applied; escapes that are none stay. Spaces, line ends and plus signs are left out: servers break lines,
/// make spaces of their ends, and write plus signs for spaces and spaces for plus signs.
///
/// - SeeAlso: RFC 3986 §2.1; RFC 8259 §7; WHATWG HTML §13.5
struct PlainBytes: IteratorProtocol {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// Where the text ends, and whether more followed once: then half an escape at the end is left out.
    private let limit: Int
    private let isCut: Bool
    private var offset = 0
    /// The bytes of a character that are still to come, the next one lowest.
    private var pending: UInt32 = 0

    /// Where in the text the last byte was written; up to the end of the text after half an escape.
    private(set) var range = 0..<0

    init(_ bytes: UnsafeBufferPointer<UInt8>, to limit: Int? = nil, isCut: Bool = false) {
        self.bytes = bytes
        self.limit = limit ?? bytes.count
        self.isCut = isCut
    }

    /// The whole text.
    static func of(_ text: [UInt8]) -> [UInt8] {
        text.withUnsafeBufferPointer { bytes in
            var plain = PlainBytes(bytes)
            var result: [UInt8] = []
            while let byte = plain.next() { result.append(byte) }
            return result
        }
    }

    /// Whether a byte may begin something that reads otherwise than it is written.
    static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 64 ? (spaces | signs) >> UInt64(byte) & 1 != 0 : byte == UInt8(ascii: "\\")
    }

    /// Whether a byte is left out.
    static func isSpace(_ byte: UInt8) -> Bool {
        byte < 64 && spaces >> UInt64(byte) & 1 != 0
    }

    // A bit for each byte: every byte of a text comes by.
    private static let spaces: UInt64 = 1 << 0x20 | 1 << 0x2B | 1 << 0x09 | 1 << 0x0A | 1 << 0x0D
    /// `%` and `&`.
    private static let signs: UInt64 = 1 << 0x25 | 1 << 0x26

    mutating func next() -> UInt8? {
        if pending > 0 {
            defer { pending >>= 8 }
            return UInt8(truncatingIfNeeded: pending)
        }
        while offset < limit {
            let start = offset
            let written = bytes[offset]
            offset += 1
            guard let byte = Self.isSpecial(written) ? special(written) : written else {
                range = start..<limit
                return nil
            }
            guard !Self.isSpace(byte) else { continue }
            range = start..<offset
            return byte
        }
        return nil
    }

    /// What such a byte begins; `nil` where it is cut.
    private mutating func special(_ byte: UInt8) -> UInt8? {
        let scalar: Unicode.Scalar?
        switch byte {
        case UInt8(ascii: "%"): return percent() ?? (isUnfinished ? nil : byte)
        case UInt8(ascii: "\\"): scalar = backslash()
        case UInt8(ascii: "&"): scalar = reference()
        default: return byte
        }
        guard let scalar else { return isUnfinished ? nil : byte }
        let encoded = UTF8.encode(scalar) ?? .init()
        for (index, byte) in encoded.dropFirst().enumerated() { pending |= UInt32(byte) << (8 * index) }
        return encoded.first
    }

    /// Whether the text was cut before this escape could end.
    private var isUnfinished: Bool {
        isCut && limit - offset < Self.longest
            && bytes[offset..<limit].allSatisfy { $0 == UInt8(ascii: "#") || Self.isAlphanumeric($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }

    // MARK: Escapes, behind their first byte

    /// `2B`; `252B` where it was encoded twice.
    private mutating func percent() -> UInt8? {
        var place = offset
        while holds("25", at: place), number(at: place + 2, digits: 2) != nil { place += 2 }
        guard let byte = number(at: place, digits: 2) else { return nil }
        offset = place + 2
        return UInt8(truncatingIfNeeded: byte)
    }

    /// `u002b`, `/`, `"` or `n`, behind more backslashes where the text was escaped twice.
    private mutating func backslash() -> Unicode.Scalar? {
        var place = offset
        while byte(at: place) == UInt8(ascii: "\\") { place += 1 }
        switch byte(at: place) {
        case UInt8(ascii: "u"):
            guard let unit = number(at: place + 1, digits: 4) else { return nil }
            if let scalar = Unicode.Scalar(unit) {
                offset = place + 5
                return scalar
            }
            guard holds("\\u", at: place + 5), let low = number(at: place + 7, digits: 4),
                (0xD800..<0xDC00).contains(unit), (0xDC00..<0xE000).contains(low)
            else { return nil }
            offset = place + 11
            return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        case let byte? where [UInt8(ascii: "/"), UInt8(ascii: "\"")].contains(byte):
            offset = place + 1
            return Unicode.Scalar(byte)
        case UInt8(ascii: "n"), UInt8(ascii: "r"):
            offset = place + 1
            return "\n"
        case UInt8(ascii: "t"):
            offset = place + 1
            return "\t"
        default:
            guard place > offset else { return nil }
            offset = place
            return "\\"
        }
    }

    /// `#x2b;`, `#43;` or `amp;`, behind more `amp;` where the text was escaped twice.
    private mutating func reference() -> Unicode.Scalar? {
        var place = offset
        while holds("amp;", at: place) { place += 4 }
        if let (scalar, end) = character(at: place) {
            offset = end
            return scalar
        }
        guard place > offset else { return nil }
        offset = place
        return "&"
    }

    private func character(at place: Int) -> (Unicode.Scalar, end: Int)? {
        guard byte(at: place) == UInt8(ascii: "#") else {
            return Self.names.first { holds($0.name, at: place) }
                .map { ($0.scalar, place + $0.name.utf8CodeUnitCount) }
        }
        let isHexadecimal = byte(at: place + 1).map { $0 | 0x20 } == UInt8(ascii: "x")
        let start = isHexadecimal ? place + 2 : place + 1
        var end = start
        var value: UInt32 = 0
        while let digit = digit(at: end), digit < (isHexadecimal ? 16 : 10), end - start < Self.longest {
            value = value * (isHexadecimal ? 16 : 10) + digit
            end += 1
        }
        guard end > start, byte(at: end) == UInt8(ascii: ";"), let scalar = Unicode.Scalar(value) else {
            return nil
        }
        return (scalar, end + 1)
    }

    /// Digits of a character reference, leading zeros among them.
    private static let longest = 8

    /// References by name to the characters of tokens and passwords that pages and XML documents escape.
    private static let names: [(name: StaticString, scalar: Unicode.Scalar)] = [
        ("lt;", "<"), ("gt;", ">"), ("quot;", "\""), ("apos;", "'"), ("plus;", "+"), ("sol;", "/"),
        ("equals;", "="), ("percnt;", "%"), ("num;", "#"),
    ]

    private func byte(at place: Int) -> UInt8? { place < limit ? bytes[place] : nil }

    private func holds(_ word: StaticString, at place: Int) -> Bool {
        word.withUTF8Buffer { word in
            place + word.count <= limit && bytes[place..<(place + word.count)].elementsEqual(word)
        }
    }

    private func digit(at place: Int) -> UInt32? {
        switch byte(at: place) {
        case let byte? where (0x30...0x39).contains(byte): UInt32(byte - 0x30)
        case let byte? where (0x61...0x66).contains(byte | 0x20): UInt32((byte | 0x20) - 0x61 + 10)
        default: nil
        }
    }

    /// A hexadecimal number of just so many digits.
    private func number(at place: Int, digits: Int) -> UInt32? {
        var value: UInt32 = 0
        for index in place..<(place + digits) {
            guard let digit = digit(at: index) else { return nil }
            value = value << 4 | digit
        }
        return value
    }
}
