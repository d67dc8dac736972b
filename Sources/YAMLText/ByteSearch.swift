extension UnsafeBufferPointer<UInt8> {
    /// The first place of a byte from `start` on, looked for in eight bytes at once.
    package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        var offset = start
        let text = UnsafeRawBufferPointer(self)
        let pattern = UInt64(byte) &* 0x0101_0101_0101_0101
        while offset + 8 <= count {
            // A byte that is looked for has become zero. The lowest top bit that is set marks the first of them.
            let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian ^ pattern
            let marks = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
            if marks != 0 { return offset + marks.trailingZeroBitCount / 8 }
            offset &+= 8
        }
        while offset < count {
            if self[offset] == byte { return offset }
            offset += 1
        }
        return nil
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// How many Unicode scalars this UTF-8 has: every byte but those that continue one, which begin with 10.
    package var scalarCount: Int {
        var continuing = 0
        var offset = 0
        let text = UnsafeRawBufferPointer(self)
        while offset + 8 <= count {
            let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            continuing += ((word >> 7) & ~(word >> 6) & 0x0101_0101_0101_0101).nonzeroBitCount
            offset += 8
        }
        while offset < count {
            if self[offset] & 0xC0 == 0x80 { continuing += 1 }
            offset += 1
        }
        return count - continuing
    }
}

extension String {
    /// Whether the bytes of `part` stand in the text; `contains` looks at characters, which takes fifty times as long.
    package func holds(_ part: StaticString) -> Bool {
        utf8.withContiguousStorageIfAvailable { Self.holds(part, $0) }
            ?? Array(utf8).withUnsafeBufferPointer { Self.holds(part, $0) }
    }

    private static func holds(_ part: StaticString, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let part = UnsafeBufferPointer(start: part.utf8Start, count: part.utf8CodeUnitCount)
        var offset = 0
        while let found = bytes.firstIndex(of: part[0], from: offset) {
            guard found + part.count <= bytes.count else { return false }
            if bytes[found..<(found + part.count)].elementsEqual(part) { return true }
            offset = found + 1
        }
        return false
    }
}
