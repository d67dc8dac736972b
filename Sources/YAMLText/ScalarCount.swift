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
