/// Lengths of time as people read them.
package enum SpanText {
    /// `214 ms`, `18.4 s`, `5 min`, `1 h 20 min`.
    package static func of(_ milliseconds: Int64) -> String {
        let span = max(0, milliseconds)
        if span < 1000 { return "\(span) ms" }
        if span < 60_000 {
            let tenths = (span + 50) / 100
            return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
        }
        return span < 3_600_000
            ? pair(span / 60_000, "min", span / 1000 % 60, "s")
            : pair(span / 3_600_000, "h", span / 60_000 % 60, "min")
    }

    private static func pair(_ large: Int64, _ unit: String, _ small: Int64, _ smallUnit: String) -> String {
        small == 0 ? "\(large) \(unit)" : "\(large) \(unit) \(small) \(smallUnit)"
    }

    /// Whole seconds, for a line that is refreshed.
    package static func seconds(_ milliseconds: Int64) -> String {
        milliseconds < 1000 ? "0 s" : of(milliseconds / 1000 * 1000)
    }

    /// Whole seconds that something takes at most: what is left of one counts, and there is never nothing left.
    package static func limit(_ milliseconds: Int64) -> String { seconds(max(1000, milliseconds + 999)) }
}
