/// Translates between byte offsets and places; for error paths, since each walks from the start.
package enum SourceOffset {
    static func offset(of mark: SourceMark, in bytes: [UInt8]) -> Int {
        var offset = 0
        for _ in 1..<max(mark.line, 1) {
            guard let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) else { return bytes.count }
            offset = end + 1
        }
        for _ in 1..<max(mark.column, 1) where offset < bytes.count {
            offset = next(after: offset, in: bytes)
        }
        return offset
    }

    package static func mark(of offset: Int, in bytes: [UInt8]) -> SourceMark {
        let before = bytes[..<offset]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return SourceMark(
            line: 1 + before.count { $0 == UInt8(ascii: "\n") },
            column: 1 + before[lineStart...].count { !isContinuation($0) })
    }

    /// The offset of the line break that ends the line of `offset`, or of the end of the text.
    static func lineEnd(from offset: Int, in bytes: [UInt8]) -> Int {
        bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    }

    /// The offset of the next character.
    private static func next(after offset: Int, in bytes: [UInt8]) -> Int {
        var offset = offset + 1
        while offset < bytes.count, isContinuation(bytes[offset]) { offset += 1 }
        return offset
    }

    static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
