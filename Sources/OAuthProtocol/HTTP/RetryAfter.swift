/// The field `Retry-After` (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// Longest wait that is understood, 100 years, so that adding it to a time cannot overflow.
    private static let limit: Int64 = 100 * 366 * 86_400_000

    /// How long to wait.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: Milliseconds from now, 0 for a date in the past; `nil` when the value is neither seconds
    ///   nor an IMF-fixdate.
    package static func parse(_ value: String, now: Int64) -> Int64? {
        let bytes = Array(value.utf8)
        let text = bytes.trimming { $0 == 0x20 || $0 == 0x09 }
        guard !text.isEmpty else { return nil }
        if text.allSatisfy({ (0x30...0x39).contains($0) }) {
            // Too many digits for an Int64 are a wait beyond any limit.
            guard let seconds = Int64(String(decoding: text, as: UTF8.self)) else { return limit }
            return min(seconds, limit / 1000) * 1000
        }
        guard let date = CalendarDate.imfFixdate(String(decoding: text, as: UTF8.self)) else { return nil }
        let (wait, overflow) = date.subtractingReportingOverflow(now)
        return overflow ? nil : min(max(0, wait), limit)
    }
}

extension BidirectionalCollection {
    /// Without the elements at both ends that satisfy the predicate.
    func trimming(_ predicate: (Element) -> Bool) -> SubSequence {
        var slice = self[...]
        while let first = slice.first, predicate(first) { slice.removeFirst() }
        while let last = slice.last, predicate(last) { slice.removeLast() }
        return slice
    }
}
