import FlowEngine

/// Choices that look random and are the same every time.
struct Dice {
    private var source: SplitMix64

    init(_ seed: Int) {
        source = SplitMix64(seed: UInt64(truncatingIfNeeded: seed) &* 0x2545_F491_4F6C_DD1D)
    }

    /// A number from 0 up to, not including, `bound`.
    mutating func roll(_ bound: Int) -> Int { Int(source.next() % UInt64(max(bound, 1))) }

    mutating func roll(_ range: ClosedRange<Int>) -> Int { range.lowerBound + roll(range.count) }

    /// True `share` times in a hundred.
    mutating func chance(_ share: Int) -> Bool { roll(100) < share }

    mutating func pick<Element>(_ items: [Element]) -> Element { items[roll(items.count)] }
}
