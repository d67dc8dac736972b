/// The first eight bytes of every form of the secrets that are looked for, found in a text by one pass over it.
struct FormBeginnings: Sendable {
    /// Forms of a secret that begin alike: small and without references, since every secret has some six beginnings.
    struct Beginning: Sendable {
        /// The first eight bytes.
        let head: UInt64
        /// The place of the secret in the index.
        let secret: UInt32
        /// The place behind that of the next beginning in the same bucket, 0 for none.
        let next: UInt32
        /// A bit for each place in `SecretForm.all`.
        let forms: UInt16
    }

    private var all: [Beginning] = []
    /// By the hash of the first eight bytes the place behind that of the last beginning with it, 0 where there is none. Empty
    /// as long as nothing is known.
    private var buckets: [UInt32] = []
    private static let bucketBits = 9
    /// A bit for the hash of any four bytes in a row of a beginning: whatever holds one has such four at a place that four
    /// divides, so nearly every text is passed with a look at each fourth place.
    private var marks: [UInt64] = []
    private static let markBits = 15

    var isEmpty: Bool { all.isEmpty }

    // MARK: Adding

    /// Adds a beginning of a secret.
    mutating func append(_ head: UInt64, of secret: UInt32, _ forms: UInt16) {
        if buckets.isEmpty {
            buckets = Array(repeating: 0, count: 1 << Self.bucketBits)
            marks = Array(repeating: 0, count: 1 << (Self.markBits - 6))
            // The secrets of a sign-in.
            all.reserveCapacity(96)
        }
        let bucket = Self.bucket(of: head)
        all.append(Beginning(head: head, secret: secret, next: buckets[bucket], forms: forms))
        buckets[bucket] = UInt32(all.count)
        marks.withUnsafeMutableBufferPointer { marks in
            for place: UInt64 in 1...4 {
                let mark = Self.mark(of: UInt32(truncatingIfNeeded: head >> (8 * place)))
                marks[mark >> 6] |= 1 << UInt64(mark & 63)
            }
        }
    }

    // MARK: Searching

    /// The last added of those with these bytes.
    func first(_ head: UInt64) -> Beginning? {
        all.isEmpty ? nil : beginning(head, from: buckets[Self.bucket(of: head)])
    }

    /// The one with the same bytes that was added before.
    func following(_ beginning: Beginning) -> Beginning? {
        self.beginning(beginning.head, from: beginning.next)
    }

    /// The first of a bucket, from the one before `link` on, with these bytes.
    private func beginning(_ head: UInt64, from link: UInt32) -> Beginning? {
        var link = link
        while link != 0 {
            let beginning = all[Int(link) - 1]
            if beginning.head == head { return beginning }
            link = beginning.next
        }
        return nil
    }

    /// Whether a form begins in the text as it is written; `false` for nearly every text.
    func mayBegin(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        if all.isEmpty { return false }
        let bytes = UnsafeRawBufferPointer(text)
        return marks.withUnsafeBufferPointer { marks in
            var place = 0
            while place + 4 <= bytes.count {
                let word = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
                let mark = Self.mark(of: word)
                if marks[mark >> 6] & 1 << UInt64(mark & 63) != 0, begins(in: bytes, around: place) {
                    return true
                }
                place += 4
            }
            return false
        }
    }

    /// Whether one begins there or up to three bytes before.
    private func begins(in bytes: UnsafeRawBufferPointer, around place: Int) -> Bool {
        for start in max(0, place - 3)...place where start + 8 <= bytes.count {
            let head = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            if first(head) != nil { return true }
        }
        return false
    }

    private static func bucket(of head: UInt64) -> Int {
        Int((head &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - bucketBits))
    }

    private static func mark(of word: UInt32) -> Int { Int((word &* 0x9E37_79B1) >> UInt32(32 - markBits)) }
}
