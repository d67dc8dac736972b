internal import JOSE

/// A lifetime as the server wrote it, for the question whether it can mean what it is read as.
///
/// A provider whose file says nothing of the unit is read as RFC 6749 §5.1 says: seconds from now. One that counts in
/// another unit, or sends a point in time, is believed all the same; who reads the trace is told.
package struct WrittenLifetime: Sendable, Hashable {
    /// `expires_in` or `expires_at`.
    package let member: String
    /// What it is read as.
    package let type: ResponseDialect.MemberType
    package let number: Double

    /// Why a lifetime is hard to believe.
    package struct Doubt: Sendable, Hashable {
        /// As `expires_in is read as 41 days`.
        package let reading: String
        /// The type that would give it a length of everyday; `nil` where none does.
        package let likely: ResponseDialect.MemberType?
    }

    private static let day: Double = 86_400
    /// No provider is known to give an access token longer than a few years.
    private static let longest = 3_653 * day
    /// Where a point in time is looked for around now.
    private static let near = 3_653 * day

    /// - Parameter now: Milliseconds since 1970.
    package func doubt(now: Int64) -> Doubt? {
        let now = Double(now) / 1000
        guard let length = length(from: now) else { return nil }
        let isOdd = length > Self.longest || length < -Self.near || looksLikeMilliseconds || isMoment(now)
        guard isOdd else { return nil }
        return Doubt(reading: "\(member) is read as \(Self.words(length))", likely: likely(now))
    }

    /// Seconds from now on; `nil` for what has no unit to be wrong about.
    private func length(from now: Double) -> Double? {
        switch type {
        case .seconds: number
        case .minutes: number * 60
        case .milliseconds: number / 1000
        case .epoch: number - now
        case .epochMilliseconds: number / 1000 - now
        case .duration, .iso8601, .jwt, .list, .space, .comma: nil
        }
    }

    /// The first unit in which it is no point in time of long ago and no length of decades; not the odd one.
    private func likely(_ now: Double) -> ResponseDialect.MemberType? {
        if abs(number - now) < Self.near { return .epoch }
        if abs(number / 1000 - now) < Self.near { return .epochMilliseconds }
        guard number > 0 else { return nil }
        if type != .seconds, number < Self.longest { return .seconds }
        return number / 1000 < Self.longest ? .milliseconds : nil
    }

    /// Whether milliseconds are the seconds of a point in time of these years; others are lengths of decades.
    private func isMoment(_ now: Double) -> Bool { type == .milliseconds && abs(number - now) < Self.near }

    /// Whether weeks are whole minutes in another unit and no whole days in theirs, as 3600000 is: nobody chooses 41 days
    /// and 16 hours. From a year on whole hours are enough.
    private var looksLikeMilliseconds: Bool {
        guard type == .seconds, number >= 1_000_000 else { return false }
        let isWholeMinutes = number.truncatingRemainder(dividingBy: 60_000) == 0
        let isWholeHours = number.truncatingRemainder(dividingBy: 3_600_000) == 0
        let isWholeDays = number.truncatingRemainder(dividingBy: Self.day) == 0
        return isWholeMinutes && !isWholeDays || isWholeHours && number >= 365 * Self.day
    }

    private static func words(_ length: Double) -> String {
        let span =
            switch (abs(length) / day).rounded(.down) {
            case ..<730: "\(Int(abs(length) / day)) days"
            // A server may send any number, and not every one fits into an integer.
            case let days where days < 1e9: "\(Int(days / 365.25)) years"
            case _: "millions of years"
            }
        return length < 0 ? "\(span) ago" : span
    }
}
