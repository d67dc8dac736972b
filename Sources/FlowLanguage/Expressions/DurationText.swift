/// Lengths of time as a flow file writes them: digits and one unit, such as `250ms`, `20s` or `24h` (flow/1 §3).
package enum DurationText {
    /// Units from the longest to the shortest with their milliseconds.
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    package static let unitNames = ["ms", "s", "m", "h", "d"]

    /// A hundred years: no instant that is so far from another is out of reach.
    package static let longest: Int64 = 36_525 * 86_400_000

    /// Milliseconds; `nil` when the text is no duration, or one that is longer than `longest`.
    package static func parse(_ text: String) -> Int64? {
        let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty, let count = Int64(Substring(digits)) else { return nil }
        let unit = String(text[digits.endIndex...])
        guard let milliseconds = units.first(where: { $0.name == unit })?.milliseconds else { return nil }
        let (product, overflows) = count.multipliedReportingOverflow(by: milliseconds)
        return overflows || product > longest ? nil : product
    }

    /// A length that may be negative: `-25h`.
    static func signed(_ text: String) -> Int64? {
        text.hasPrefix("-") ? parse(String(text.dropFirst())).map { -$0 } : parse(text)
    }

    /// The shortest exact text: the longest unit that divides the length.
    package static func format(_ milliseconds: Int64) -> String {
        guard milliseconds != 0 else { return "0s" }
        for unit in units where milliseconds % unit.milliseconds == 0 {
            return "\(milliseconds / unit.milliseconds)\(unit.name)"
        }
        return "\(milliseconds)ms"
    }
}
