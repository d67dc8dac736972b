/// Which keys a mapping may have: says at the price of one comparison of most others that they are not there.
struct KeyMarks {
    /// Bits of keys that fit into a `String` itself, by length and first letter.
    private var short: UInt64 = 0
    /// Bits of all others, by length.
    private var long: UInt64 = 0

    mutating func insert(_ key: String) {
        if Self.isShort(key) { short |= Self.bit(key) } else { long |= Self.bit(key) }
    }

    /// Inlined, so that all but one comparison is done beforehand for a key that is written in the code.
    @inline(__always)
    func mayContain(_ key: String) -> Bool {
        (Self.isShort(key) ? short : long) & Self.bit(key) != 0
    }

    @inline(__always)
    private static func isShort(_ key: String) -> Bool { key.utf8.count <= 15 }

    @inline(__always)
    private static func bit(_ key: String) -> UInt64 {
        let length = key.utf8.count
        guard isShort(key) else { return 1 &<< UInt64(length & 63) }
        let first = key.utf8.withContiguousStorageIfAvailable { $0.first ?? 0 } ?? 0
        return 1 &<< UInt64((length &* 7 &+ Int(first)) & 63)
    }
}
