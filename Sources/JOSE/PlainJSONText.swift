/// Texts that JSON writes as they are (RFC 8259 §7).
package enum PlainJSONText {
    /// Whether all bytes are ASCII without control characters, quotation marks and backslashes.
    ///
    /// Nearly every text is, and all are looked through: eight bytes at a time.
    package static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = UnsafeRawBufferPointer(text)
        guard bytes.count >= 8 else { return isPlain(few: bytes) }
        var index = 0
        while index + 8 <= bytes.count {
            guard isPlain(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) else { return false }
            index += 8
        }
        // The last eight, of which some were looked at.
        return isPlain(bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
    }

    /// The same of less than eight bytes.
    private static func isPlain(few bytes: UnsafeRawBufferPointer) -> Bool {
        var eight: UInt64 = 0x2020_2020_2020_2020
        for byte in bytes { eight = eight << 8 | UInt64(byte) }
        return isPlain(eight)
    }

    private static func isPlain(_ eight: UInt64) -> Bool {
        let (ones, tops) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        /// Has the top bit of the lowest byte that is below `bound`; only those above it may have theirs without reason.
        func below(_ bound: UInt64, _ eight: UInt64) -> UInt64 { (eight &- ones &* bound) & ~eight }
        let quotes = below(1, eight ^ ones &* 0x22)
        let backslashes = below(1, eight ^ ones &* 0x5C)
        // Adding one makes the top bit of DEL.
        return (eight | (eight &+ ones) | below(0x20, eight) | quotes | backslashes) & tops == 0
    }
}
