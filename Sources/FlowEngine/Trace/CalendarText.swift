/// Instants as RFC 3339 text in UTC, for people and JSON Lines.
package enum CalendarText {
    /// `2026-01-01T00:00:00.000Z`; the fraction is left out when `milliseconds` is false.
    package static func utc(_ instant: Int64, milliseconds: Bool = false) -> String {
        let (days, time) = instant.dividedRoundingDown(by: 86_400_000)
        let (year, month, day) = civil(days)
        let seconds = time / 1000
        return String(unsafeUninitializedCapacity: 32) { buffer in
            var text = DigitWriter(buffer)
            text.write(year, 4, "-")
            text.write(month, 2, "-")
            text.write(day, 2, "T")
            text.write(seconds / 3600, 2, ":")
            text.write(seconds / 60 % 60, 2, ":")
            text.write(seconds % 60, 2, milliseconds ? "." : "Z")
            if milliseconds { text.write(time % 1000, 3, "Z") }
            return text.count
        }
    }

    /// Proleptic Gregorian date of a day number since 1970-01-01, after Howard Hinnant's `civil_from_days`.
    private static func civil(_ day: Int64) -> (Int64, Int64, Int64) {
        let (era, dayOfEra) = (day + 719_468).dividedRoundingDown(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthIndex + 2) / 5 + 1
        )
    }
}

/// Numbers with leading zeros, each with the character after it.
private struct DigitWriter {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        self.buffer = buffer
    }

    mutating func write(_ number: Int64, _ width: Int, _ next: Unicode.Scalar) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var place: UInt64 = 1
        var digits = 1
        while digits < width || number.magnitude / place >= 10 {
            place *= 10
            digits += 1
        }
        while place > 0 {
            append(UInt8(ascii: "0") + UInt8(number.magnitude / place % 10))
            place /= 10
        }
        append(UInt8(ascii: next))
    }

    private mutating func append(_ byte: UInt8) {
        buffer[count] = byte
        count += 1
    }
}

extension Int64 {
    /// The rest is never below zero.
    fileprivate func dividedRoundingDown(by divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
}
