internal import COpenSSL

extension String {
    /// Whether both strings are the same bytes; `==` would also accept canonically equivalent ones.
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        guard !isEmpty else { return true }
        return withBytes(of: utf8) { left in
            withBytes(of: other.utf8) { right in left.hasSameBytes(as: right) }
        }
    }

    /// Whether every character is ASCII.
    package var isASCII: Bool {
        withBytes(of: utf8) { bytes in bytes.reduce(0, |) < 0x80 }
    }

    /// Whether the bytes of `part` stand in the text; `contains` looks at characters, which takes fifty times as long.
    package func holds(_ part: StaticString) -> Bool {
        withBytes(of: utf8) { text in part.withUTF8Buffer { text.holds($0) } }
    }
}

extension UnsafeBufferPointer<UInt8> {
    func hasSameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return isEmpty || fr_same_bytes(baseAddress, other.baseAddress, count) == 1
    }

    /// Where the byte is first found at or after a place.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard let baseAddress, start < count else { return nil }
        guard let found = fr_find_byte(baseAddress + start, Int32(byte), count - start) else { return nil }
        return found - UnsafeRawPointer(baseAddress)
    }

    fileprivate func holds(_ part: UnsafeBufferPointer<UInt8>) -> Bool {
        var start = 0
        while let found = firstIndex(of: part[0], from: start), found + part.count <= count {
            let piece = UnsafeBufferPointer(rebasing: self[found..<(found + part.count)])
            if piece.hasSameBytes(as: part) { return true }
            start = found + 1
        }
        return false
    }
}
