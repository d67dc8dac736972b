/// What kinds of bytes a text has, by one look at each: most texts have none that ask for a closer one.
struct TextTraits: OptionSet {
    let rawValue: UInt8

    /// Perhaps a character that is not shown: control characters, and all that are not ASCII.
    static let unclean = TextTraits(rawValue: 1)
    /// A byte that `PlainBytes` leaves out.
    static let space = TextTraits(rawValue: 2)
    /// One that begins an escape.
    static let escape = TextTraits(rawValue: 4)
    /// A letter of every text that looks like a secret: see `SecretShapes`.
    static let shape = TextTraits(rawValue: 8)

    private static let ofBytes = (0...UInt8.max).map { byte in
        var traits: TextTraits = []
        if byte < 0x20 || byte >= 0x7F { traits.insert(.unclean) }
        if PlainBytes.isSpecial(byte) { traits.insert(PlainBytes.isSpace(byte) ? .space : .escape) }
        if SecretShapes.letters.contains(byte) { traits.insert(.shape) }
        return traits.rawValue
    }

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(of bytes: UnsafeBufferPointer<UInt8>) {
        rawValue = Self.ofBytes.withUnsafeBufferPointer { traits in
            var seen: UInt8 = 0
            for byte in bytes { seen |= traits[Int(byte)] }
            return seen
        }
    }
}
