/// Dates of the proleptic Gregorian calendar in UTC, as HTTP and RFC 3339 write them.
package enum CalendarDate {
    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate, RFC 9110 §5.6.7); the day name is not compared.
    ///
    /// - Returns: Milliseconds since 1970; `nil` when the text is another format.
    package static func imfFixdate(_ text: String) -> Int64? {
        let parts = Array(text.utf8)
        guard parts.count == 29, parts[3] == UInt8(ascii: ","), parts.suffix(4).elementsEqual(" GMT".utf8),
            [4, 7, 11, 16].allSatisfy({ parts[$0] == UInt8(ascii: " ") }),
            [19, 22].allSatisfy({ parts[$0] == UInt8(ascii: ":") }),
            let month = months.firstIndex(of: Array(parts[8..<11])),
            let day = number(parts[5..<7]), let year = number(parts[12..<16]),
            let hour = number(parts[17..<19]),
            let minute = number(parts[20..<22]), let second = number(parts[23..<25])
        else { return nil }
        return milliseconds(year, month + 1, day, hour, minute, second)
    }

    /// Reads `2026-01-31T12:00:00Z`, with a fraction or an offset, or without a zone (then UTC) (RFC 3339
    /// §5.6); the offset also as `+0100` or `+01`, which is how ISO 8601 writes it without the colon.
    ///
    /// - Returns: Milliseconds since 1970, the fraction cut off; `nil` when the text is another format.
    package static func rfc3339(_ text: String) -> Int64? {
        let parts = Array(text.utf8)
        guard parts.count >= 19, [4, 7].allSatisfy({ parts[$0] == UInt8(ascii: "-") }),
            parts[10] | 0x20 == UInt8(ascii: "t") || parts[10] == UInt8(ascii: " "),
            [13, 16].allSatisfy({ parts[$0] == UInt8(ascii: ":") }),
            let year = number(parts[0..<4]), let month = number(parts[5..<7]),
            let day = number(parts[8..<10]),
            let hour = number(parts[11..<13]), let minute = number(parts[14..<16]),
            let second = number(parts[17..<19]), let offset = offset(parts[19...]),
            let time = milliseconds(year, month, day, hour, minute, second)
        else { return nil }
        return time - offset
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map { Array($0.utf8) }

    /// Zone offset in milliseconds, after an optional fraction.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int64? {
        var rest = text
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest[digits.endIndex...]
        }
        guard let sign = rest.first else { return 0 }
        if rest.count == 1 { return sign | 0x20 == UInt8(ascii: "z") ? 0 : nil }
        let digits = rest.dropFirst()
        var minuteDigits = digits.dropFirst(2)
        if minuteDigits.count == 3, minuteDigits.first == UInt8(ascii: ":") {
            minuteDigits = minuteDigits.dropFirst()
        }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), digits.count >= 2,
            minuteDigits.isEmpty || minuteDigits.count == 2, let hours = number(digits.prefix(2)),
            let minutes = number(minuteDigits), hours < 24, minutes < 60
        else { return nil }
        let offset = Int64(hours * 60 + minutes) * 60_000
        return sign == UInt8(ascii: "-") ? -offset : offset
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func milliseconds(
        _ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int
    ) -> Int64? {
        guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60 else {
            return nil
        }
        let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
        return Int64(seconds) * 1000
    }

    /// Days since 1970-01-01; years start in March, so that the leap day is the last of its year.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let leapDays = floorDivide(shifted, 4) - floorDivide(shifted, 100) + floorDivide(shifted, 400)
        // 719468 days lie between 0000-03-01 and 1970-01-01.
        return shifted * 365 + leapDays + dayOfYear - 719_468
    }

    private static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
        value >= 0 ? value / divisor : -1
    }
}
