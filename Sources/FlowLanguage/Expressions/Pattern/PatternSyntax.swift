/// A pattern as it was written.
indirect enum PatternNode {
    case one(CharacterClass)
    case sequence([PatternNode])
    case alternatives([PatternNode])
    /// `most` is `nil` where there is no upper bound.
    case repeated(PatternNode, least: Int, most: Int?)
}

/// Which characters may stand at one place.
struct CharacterClass: Sendable, Hashable {
    private let ranges: [ClosedRange<UInt32>]
    private let categories: CategorySet
    private let isNegated: Bool
    /// The answers for ASCII: bit n for character n.
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(ranges: [ClosedRange<UInt32>], categories: CategorySet = [], isNegated: Bool = false) {
        self.ranges = ranges
        self.categories = categories
        self.isNegated = isNegated
        for range in ranges where range.lowerBound < 128 {
            for value in range.lowerBound...min(range.upperBound, 127) { mark(value) }
        }
        if categories.rawValue != 0 {
            for value in UInt8(0)..<128 where categories.contains(Unicode.Scalar(value)) {
                mark(UInt32(value))
            }
        }
        if isNegated { (low, high) = (~low, ~high) }
    }

    private mutating func mark(_ value: UInt32) {
        if value < 64 { low |= 1 << UInt64(value) } else { high |= 1 << UInt64(value - 64) }
    }

    init(_ scalar: Unicode.Scalar) {
        self.init(ranges: [scalar.value...scalar.value])
    }

    /// `.`: everything but the ends of lines (RFC 9485 §5.3 with XSD's meaning).
    static let anything = CharacterClass(ranges: [0x0A...0x0A, 0x0D...0x0D], isNegated: true)

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        if value < 64 { return low >> UInt64(value) & 1 == 1 }
        if value < 128 { return high >> UInt64(value - 64) & 1 == 1 }
        return holds(scalar)
    }

    private func holds(_ scalar: Unicode.Scalar) -> Bool {
        let isIn = ranges.contains { $0.contains(scalar.value) } || categories.contains(scalar)
        return isIn != isNegated
    }
}

/// Unicode general categories, as `\p{Lu}` and `\P{N}` name them.
struct CategorySet: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    /// The categories by their short names, each with the bit of its place. I-Regexp leaves out the surrogates, `Cs`.
    private static let names: [(name: String, category: Unicode.GeneralCategory)] = [
        ("Lu", .uppercaseLetter), ("Ll", .lowercaseLetter), ("Lt", .titlecaseLetter),
        ("Lm", .modifierLetter), ("Lo", .otherLetter),
        ("Mn", .nonspacingMark), ("Mc", .spacingMark), ("Me", .enclosingMark),
        ("Nd", .decimalNumber), ("Nl", .letterNumber), ("No", .otherNumber),
        ("Pc", .connectorPunctuation), ("Pd", .dashPunctuation), ("Ps", .openPunctuation),
        ("Pe", .closePunctuation), ("Pi", .initialPunctuation), ("Pf", .finalPunctuation),
        ("Po", .otherPunctuation),
        ("Sm", .mathSymbol), ("Sc", .currencySymbol), ("Sk", .modifierSymbol), ("So", .otherSymbol),
        ("Zs", .spaceSeparator), ("Zl", .lineSeparator), ("Zp", .paragraphSeparator),
        ("Cc", .control), ("Cf", .format), ("Co", .privateUse), ("Cn", .unassigned),
    ]

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// One category such as `Lu`, or all whose names begin with a letter such as `L`; `nil` for another name.
    init?(named name: String) {
        let isFamily = name.utf8.count == 1
        var bits: UInt32 = 0
        for (index, known) in Self.names.enumerated() {
            let isMeant = isFamily ? known.name.hasPrefix(name) : known.name == name
            if isMeant { bits |= 1 << UInt32(index) }
        }
        guard bits != 0 else { return nil }
        rawValue = bits
    }

    var complement: CategorySet {
        CategorySet(rawValue: ~rawValue & ((1 << UInt32(Self.names.count)) - 1))
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        guard rawValue != 0 else { return false }
        let category = scalar.properties.generalCategory
        guard let index = Self.names.firstIndex(where: { $0.category == category }) else { return false }
        return rawValue >> UInt32(index) & 1 == 1
    }
}
