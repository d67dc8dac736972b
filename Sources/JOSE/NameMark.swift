/// A number that tells most names apart, so that a search reads no strings.
struct NameMark: Sendable, Equatable {
    /// The length, as far as a byte can say it, above the first seven bytes.
    let bits: UInt64

    /// Whether the mark is the whole name: no other name has it.
    var isWhole: Bool { bits >> 56 <= 7 }

    /// One of 64 bits, which few names of an object share.
    var bit: UInt64 { 1 &<< (bits &* 0x9E37_79B9_7F4A_7C15 &>> 58) }

    init(bits: UInt64) { self.bits = bits }

    init(_ name: String) { self = withBytes(of: name.utf8) { NameMark($0) } }

    init(_ name: UnsafeBufferPointer<UInt8>) {
        let length = UInt64(min(name.count, 0xFF)) &<< 56
        if name.count >= 8 {
            let word = UnsafeRawBufferPointer(name).loadUnaligned(as: UInt64.self)
            bits = length | UInt64(littleEndian: word) & 0x00FF_FFFF_FFFF_FFFF
        } else {
            var mark = length
            for place in name.indices { mark |= UInt64(name[place]) &<< UInt64(8 &* place) }
            bits = mark
        }
    }
}

/// A name that is looked for in many objects.
struct JSONName: Sendable, ExpressibleByStringLiteral {
    let text: String
    let mark: NameMark

    init(_ text: String) {
        self.text = text
        mark = NameMark(text)
    }

    init(stringLiteral text: String) { self.init(text) }
}
