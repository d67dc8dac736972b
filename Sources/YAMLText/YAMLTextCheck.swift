/// What can be said of a file's characters before they are read as YAML.
///
/// Refuses every character that some tools take for a line break and others do not: with one of them a
/// comment on the screen can be a key to the parser. Refuses control characters, which libyaml would refuse
/// without naming the place, and directives, of which thousands are slow to read.
struct YAMLTextCheck {
    /// A line whose indentation holds a tab.
    struct TabIndentation {
        let tabColumn: Int
        /// The column of the first character that is neither space nor tab.
        let contentColumn: Int
    }

    enum Problem: Hashable {
        case character(UInt32, offset: Int)
        case directive(offset: Int)
    }

    private(set) var problem: Problem?
    /// By line. Not wrong yet: the content of a literal block may start with a tab.
    private(set) var tabIndentations: [Int: TabIndentation] = [:]

    init(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { check($0) }
    }

    private mutating func check(_ bytes: UnsafeBufferPointer<UInt8>) {
        var line = 1
        var offset = checkLineStart(0, line: line, in: bytes)
        while problem == nil {
            offset = Self.endOfPlain(from: offset, in: bytes)
            guard offset < bytes.count else { return }
            let byte = bytes[offset]
            if byte == UInt8(ascii: "\n") {
                line += 1
                offset = checkLineStart(offset + 1, line: line, in: bytes)
            } else {
                if let scalar = Self.refused(at: offset, in: bytes) {
                    problem = .character(scalar, offset: offset)
                }
                offset += 1
            }
        }
    }

    /// The offset of the first byte from `start` on that is not printable ASCII, or the end.
    ///
    /// Looks at eight bytes at once; a word that holds such a byte is then searched byte by byte.
    private static func endOfPlain(from start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var offset = start
        let text = UnsafeRawBufferPointer(bytes)
        while offset + 8 <= text.count {
            // Never past the end: the loop has just seen that eight bytes are there.
            let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            // The top bit of a byte: set in `word` from 0x80, after the subtraction below 0x20, after the addition
            // at 0x7F. A carry comes only out of a byte that is itself marked.
            let marks = word | (word &- 0x2020_2020_2020_2020) | (word &+ 0x0101_0101_0101_0101)
            guard marks & 0x8080_8080_8080_8080 == 0 else { break }
            offset += 8
        }
        while offset < text.count, text[offset] >= 0x20, text[offset] < 0x7F { offset += 1 }
        return offset
    }

    /// - Returns: The offset of the first character after the indentation.
    private mutating func checkLineStart(
        _ start: Int, line: Int, in bytes: UnsafeBufferPointer<UInt8>
    ) -> Int {
        var offset = start
        while offset < bytes.count, bytes[offset] == UInt8(ascii: " ") { offset += 1 }
        guard offset < bytes.count else { return offset }
        if bytes[offset] == UInt8(ascii: "%"), offset == start { problem = .directive(offset: offset) }
        guard bytes[offset] == UInt8(ascii: "\t") else { return offset }
        let tabColumn = offset - start + 1
        while offset < bytes.count, bytes[offset] == UInt8(ascii: " ") || bytes[offset] == UInt8(ascii: "\t")
        {
            offset += 1
        }
        tabIndentations[line] = TabIndentation(tabColumn: tabColumn, contentColumn: offset - start + 1)
        return offset
    }

    /// The character at `offset` if it may not stand in a file.
    private static func refused(at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> UInt32? {
        let byte = bytes[offset]
        let second = offset + 1 < bytes.count ? bytes[offset + 1] : 0
        let third = offset + 2 < bytes.count ? bytes[offset + 2] : 0
        switch (byte, second, third) {
        case (0x09, _, _), (0x0D, 0x0A, _): return nil
        case (..<0x20, _, _), (0x7F, _, _): return UInt32(byte)
        // C1 controls, next line (U+0085) among them.
        case (0xC2, 0x80...0x9F, _): return UInt32(second)
        // Line separator and paragraph separator.
        case (0xE2, 0x80, 0xA8...0xA9): return 0x2000 + UInt32(third & 0x3F)
        // A byte order mark in the middle, and what is no character.
        case (0xEF, 0xBB, 0xBF): return 0xFEFF
        case (0xEF, 0xBF, 0xBE...0xBF): return 0xFFC0 + UInt32(third & 0x3F)
        default: return nil
        }
    }
}
