/// A place in the bytes of a JSON text, from which its strings and numbers are read; every read is preceded by a
/// check against their count.
struct JSONCursor {
    let bytes: UnsafeBufferPointer<UInt8>
    var offset = 0

    func error(_ kind: JSONError.Kind) -> JSONError { JSONError(kind: kind, offset: offset) }

    /// The byte at the cursor, which stays.
    @inline(__always)
    func peek() throws(JSONError) -> UInt8 {
        guard offset < bytes.count else { throw error(.unexpectedEnd) }
        return bytes[offset]
    }

    @inline(__always)
    mutating func skipSpace() {
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            offset += 1
        }
    }

    /// Reads a comma, or the closing byte.
    @inline(__always)
    mutating func isLast(closing: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        let byte = try peek()
        guard byte == closing || byte == UInt8(ascii: ",") else { throw error(.syntax) }
        offset += 1
        return byte == closing
    }

    mutating func word(_ word: StaticString, _ value: JSONScalar) throws(JSONError) -> JSONScalar {
        for index in 0..<word.utf8CodeUnitCount {
            guard try peek() == word.utf8Start[index] else { throw error(.syntax) }
            offset += 1
        }
        return value
    }
}

/// Strings.
extension JSONCursor {
    /// Reads the rest of a string whose opening quote has been read.
    @inline(__always)
    mutating func string() throws(JSONError) -> JSONString {
        let start = offset
        let isASCII = try skipPlain()
        if bytes[offset] != UInt8(ascii: "\"") {
            let text = try unescape(from: start)
            return JSONString(written: written(from: start), place: start, form: .escaped, made: text)
        }
        offset += 1
        let written = written(from: start)
        if isASCII { return JSONString(written: written, place: start, form: .ascii, made: nil) }
        guard let text = String(validating: written, as: UTF8.self) else {
            throw JSONError(kind: .notUTF8, offset: start)
        }
        return JSONString(written: written, place: start, form: .utf8, made: text)
    }

    /// What stands from there to the quote that has been read.
    @inline(__always)
    private func written(from start: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[start..<(offset - 1)])
    }

    /// Reads the rest of a string that began there, from its first backslash.
    private mutating func unescape(from start: Int) throws(JSONError) -> String {
        var unescaped = Array(bytes[start..<offset])
        while bytes[offset] == UInt8(ascii: "\\") {
            offset += 1
            try escape(into: &unescaped)
            let next = offset
            _ = try skipPlain()
            unescaped.append(contentsOf: bytes[next..<offset])
        }
        offset += 1
        guard let string = String(validating: unescaped, as: UTF8.self) else {
            throw JSONError(kind: .notUTF8, offset: start)
        }
        return string
    }

    /// Moves to the next quote or backslash.
    ///
    /// - Returns: Whether every byte passed is ASCII.
    @inline(__always)
    private mutating func skipPlain() throws(JSONError) -> Bool {
        var seen: UInt64 = 0
        while bytes.count - offset >= 8 {
            let word = self.word
            let plain = word.plainBytes
            // A shift by all 64 bits leaves none.
            seen |= word & ~(UInt64.max << (8 * plain))
            offset &+= plain
            guard plain == 8 else { break }
        }
        while true {
            let byte = try peek()
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                return seen & 0x8080_8080_8080_8080 == 0
            }
            guard byte >= 0x20 else { throw error(.controlCharacter) }
            seen |= UInt64(byte)
            offset &+= 1
        }
    }

    /// The eight bytes at the cursor, the first one lowest; the caller has checked that they are there.
    @inline(__always)
    private var word: UInt64 {
        let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        return UInt64(littleEndian: word)
    }

    private mutating func escape(into output: inout [UInt8]) throws(JSONError) {
        let byte = try peek()
        let place = offset
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): output.append(byte)
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "f"): output.append(0x0C)
        case UInt8(ascii: "n"): output.append(0x0A)
        case UInt8(ascii: "r"): output.append(0x0D)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "u"): output.append(contentsOf: String(try scalar()).utf8)
        default: throw JSONError(kind: .syntax, offset: place)
        }
    }

    /// Reads the digits after `\u`, and the second half of a surrogate pair.
    private mutating func scalar() throws(JSONError) -> Character {
        let place = offset
        let first = try codeUnit()
        var value = first
        if 0xD800...0xDBFF ~= first {
            let second = try lowSurrogate(after: place)
            value = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw JSONError(kind: .loneSurrogate, offset: place) }
        return Character(scalar)
    }

    private mutating func lowSurrogate(after place: Int) throws(JSONError) -> UInt32 {
        for byte in [UInt8(ascii: "\\"), UInt8(ascii: "u")] {
            guard try peek() == byte else { throw JSONError(kind: .loneSurrogate, offset: place) }
            offset += 1
        }
        let second = try codeUnit()
        guard 0xDC00...0xDFFF ~= second else { throw JSONError(kind: .loneSurrogate, offset: place) }
        return second
    }

    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            let byte = try peek()
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - 0x30)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(byte - 0x57)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(byte - 0x37)
            default: throw error(.syntax)
            }
            offset += 1
        }
        return value
    }

}

/// Numbers.
extension JSONCursor {
    mutating func number() throws(JSONError) -> JSONScalar {
        let start = offset
        let isNegative = try peek() == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        let first = try peek()
        let magnitude = try digits()
        guard first != UInt8(ascii: "0") || offset == start + (isNegative ? 2 : 1) else {
            throw JSONError(kind: .syntax, offset: start)
        }
        let isInteger = try !skipFractionAndExponent()
        if isInteger, let magnitude, let value = signed(magnitude, isNegative) { return .int(value) }
        let written = UnsafeBufferPointer(rebasing: bytes[start..<offset])
        guard let value = Double(String(decoding: written, as: UTF8.self)), value.isFinite else {
            throw JSONError(kind: .numberOutOfRange, offset: start)
        }
        return isInteger ? .bigInteger(written, value) : .number(value)
    }

    private func signed(_ magnitude: UInt64, _ isNegative: Bool) -> Int64? {
        if isNegative { return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
        return Int64(exactly: magnitude)
    }

    /// Reads at least one digit.
    ///
    /// - Returns: Their value, `nil` when it does not fit.
    private mutating func digits() throws(JSONError) -> UInt64? {
        guard 0x30...0x39 ~= (try peek()) else { throw error(.syntax) }
        var value: UInt64 = 0
        // As many as fit whatever they are; no time in seconds or milliseconds has more.
        let end = min(offset + 19, bytes.count)
        while offset < end, 0x30...0x39 ~= bytes[offset] {
            value = value &* 10 &+ UInt64(bytes[offset] &- 0x30)
            offset &+= 1
        }
        var overflows = false
        while offset < bytes.count, 0x30...0x39 ~= bytes[offset] {
            let (product, first) = value.multipliedReportingOverflow(by: 10)
            let (sum, second) = product.addingReportingOverflow(UInt64(bytes[offset] - 0x30))
            overflows = overflows || first || second
            value = sum
            offset += 1
        }
        return overflows ? nil : value
    }

    /// - Returns: Whether there was a fraction or an exponent.
    private mutating func skipFractionAndExponent() throws(JSONError) -> Bool {
        let start = offset
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            _ = try digits()
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            let sign = try peek()
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { offset += 1 }
            _ = try digits()
        }
        return offset > start
    }
}

extension UInt64 {
    /// How many of its eight bytes, from the lowest, stand before a quote, a backslash or a control character.
    @inline(__always)
    fileprivate var plainBytes: Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = self ^ ones &* UInt64(UInt8(ascii: "\""))
        let backslashes = self ^ ones &* UInt64(UInt8(ascii: "\\"))
        // A byte below n borrows from its own highest bit when n is subtracted; only a byte above may be wrong.
        let found =
            (self &- ones &* 0x20) & ~self | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
        return (found & (ones &* 0x80)).trailingZeroBitCount / 8
    }
}
