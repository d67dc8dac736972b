internal import OAuthProtocol

/// Which runs of eight bytes stand in a few texts, as they are written and as a reader takes them.
///
/// It may take one that does not for one that does, and never the other way round.
struct TextBeginnings {
    /// A bit for each value of a hash.
    private var marks = [UInt64](repeating: 0, count: 64)

    init(_ texts: [String]) {
        for var text in texts {
            text.withUTF8 { bytes in
                add(bytes)
                if bytes.contains(where: PlainBytes.isSpecial) { add(PlainBytes(bytes)) }
            }
        }
    }

    /// Whether the secret may stand in the texts in any of its forms.
    func mayHold(_ secret: Secret) -> Bool {
        var text = secret.reveal()
        return text.withUTF8 { value in
            guard value.count >= SecretIndex.shortest else { return true }
            var found = false
            SecretForm.beginnings(of: value) { head, _ in found = found || mayHold(head) }
            return found
        }
    }

    private func mayHold(_ head: UInt64) -> Bool {
        let place = Self.place(of: head)
        return marks[place >> 6] & 1 << (place & 63) != 0
    }

    private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        var head: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            head = head << 8 | UInt64(byte)
            if index >= SecretIndex.shortest - 1 { mark(head) }
        }
    }

    private mutating func add(_ plain: PlainBytes) {
        var plain = plain
        var head: UInt64 = 0
        var count = 0
        while let byte = plain.next() {
            head = head << 8 | UInt64(byte)
            count += 1
            if count >= SecretIndex.shortest { mark(head) }
        }
    }

    private mutating func mark(_ head: UInt64) {
        let place = Self.place(of: head)
        marks[place >> 6] |= 1 << (place & 63)
    }

    /// One of 4096.
    private static func place(of head: UInt64) -> Int { Int((head &* 0x9E37_79B9_7F4A_7C15) >> 52) }
}
