/// Points in time as RFC 3339 writes them, in UTC.
package enum TimeText {
    /// `2026-01-01T00:00:00Z`, with milliseconds only where there are some.
    package static func format(_ milliseconds: Int64) -> String {
        let (days, inDay) = floorDivide(milliseconds, 86_400_000)
        let date = civil(days)
        let (seconds, fraction) = (inDay / 1_000, inDay % 1_000)
        let clock = "\(two(seconds / 3_600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
        let thousandths = fraction == 0 ? "" : "." + padded(fraction, 3)
        return "\(padded(date.year, 4))-\(two(date.month))-\(two(date.day))T\(clock)\(thousandths)Z"
    }

    /// Milliseconds since 1970 of an RFC 3339 date and time; `nil` for every other text.
    ///
    /// - SeeAlso: RFC 3339 §5.6
    package static func parse(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] | 0x20 == UInt8(ascii: "t"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
            let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
            let second = number(bytes[17..<19]), hour < 24, minute < 60, second < 61,
            let rest = fractionAndZone(bytes[19...])
        else { return nil }
        // A month or day that is none leads to another one.
        let days = days(year, month, day)
        guard civil(days) == (year, month, day) else { return nil }
        return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1_000 + rest
    }

    /// `nil` where 64 bits do not hold them.
    static func milliseconds(_ seconds: Int64) -> Int64? {
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflows ? nil : product
    }

    /// Milliseconds to add for an optional fraction and the zone.
    private static func fractionAndZone(_ text: ArraySlice<UInt8>) -> Int64? {
        var rest = text
        var milliseconds: Int64 = 0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            let thousandths = Array((digits.map { $0 } + [0x30, 0x30]).prefix(3))
            milliseconds = number(thousandths[...]) ?? 0
            rest = rest[digits.endIndex...]
        }
        guard let sign = rest.popFirst() else { return nil }
        if sign | 0x20 == UInt8(ascii: "z") { return rest.isEmpty ? milliseconds : nil }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), rest.count == 5,
            rest[rest.startIndex + 2] == UInt8(ascii: ":"), let hours = number(rest.prefix(2)),
            let minutes = number(rest.suffix(2)), hours < 24, minutes < 60
        else { return nil }
        let offset = (hours * 60 + minutes) * 60_000
        return sign == UInt8(ascii: "-") ? milliseconds + offset : milliseconds - offset
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - 0x30)
        }
        return digits.isEmpty ? nil : value
    }

    // Days from and to the civil calendar in eras of 400 years that begin in March, so that a leap day ends a year.

    private static let daysPerEra: Int64 = 146_097
    /// From 0000-03-01 to 1970-01-01.
    private static let epochOffset: Int64 = 719_468

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let (era, yearOfEra) = floorDivide(month <= 2 ? year - 1 : year, 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * daysPerEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - epochOffset
    }

    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivide(days + epochOffset, daysPerEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func two(_ value: Int64) -> String { padded(value, 2) }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value.magnitude)
        let text = String(repeating: "0", count: max(0, width - digits.count)) + digits
        return value < 0 ? "-" + text : text
    }
}
