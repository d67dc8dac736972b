/// Instants as RFC 3339 text in UTC, for people and JSON Lines.
package enum CalendarText {
    /// `2026-01-01T00:00:00.000Z`; the fraction is left out when `milliseconds` is false.
    package static func utc(_ instant: Int64, milliseconds: Bool = false) -> String {
        let days = instant.quotientRoundingDown(by: 86_400_000)
        let rest = instant - days * 86_400_000
        let (year, month, day) = civil(days)
        var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
        text +=
            "\(padded(rest / 3_600_000, 2)):\(padded(rest / 60_000 % 60, 2)):\(padded(rest / 1000 % 60, 2))"
        if milliseconds { text += ".\(padded(rest % 1000, 3))" }
        return text + "Z"
    }

    /// Proleptic Gregorian date of a day number since 1970-01-01, after Howard Hinnant's `civil_from_days`.
    private static func civil(_ day: Int64) -> (Int64, Int64, Int64) {
        let shifted = day + 719_468
        let era = shifted.quotientRoundingDown(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthIndex + 2) / 5 + 1
        )
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

extension Int64 {
    fileprivate func quotientRoundingDown(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : (self - divisor + 1) / divisor
    }
}
