internal import JOSE

/// How long a token lives, as the server said it.
struct TokenLifetime {
    /// From the answer on.
    var seconds: Int?
    /// Milliseconds since 1970.
    var end: Int64?
    /// As it was written; `nil` for what has no unit.
    var written: WrittenLifetime?

    /// Longest lifetime that counts, 100 years: nothing that is computed from it can overflow.
    private static let limit: Double = 100 * 366 * 86_400

    /// Reads `expires_in`, and `expires_at` where the descriptor gives it a type.
    ///
    /// A number may come as text or with a fraction. A negative lifetime is over. Where the access token is to say it
    /// (`jwt`), the answer still comes first, in seconds, and a default last.
    ///
    /// - Parameters:
    ///   - types: Of the members that the answer has, without those that a default brought.
    ///   - declared: As the descriptor has it; `nil` for seconds.
    static func read(
        _ object: JSONObject, _ types: [String: ResponseDialect.MemberType],
        declared: ResponseDialect.MemberType? = nil, of accessToken: Secret? = nil, log: inout CheckLog
    ) throws(ProtocolError) -> TokenLifetime {
        var lifetime = TokenLifetime()
        let unit = declared == .jwt ? .seconds : types["expires_in"] ?? .seconds
        let members = [("expires_in", unit)] + absoluteMember(types)
        for (name, type) in members {
            guard let value = object[name], !value.isBlank else { continue }
            guard lifetime.take(value, type) else {
                throw log.failure(
                    Checks.expiresIn, expected: "\(name) is \(type.expectation)",
                    actual: type.mismatch(value), of: name)
            }
            lifetime.written = number(value).map { WrittenLifetime(member: name, type: type, number: $0) }
        }
        let isSaid = lifetime.end != nil || lifetime.seconds != nil && types["expires_in"] != nil
        if declared == .jwt, !isSaid, let end = accessToken.flatMap(TokenClaims.end) {
            lifetime = TokenLifetime(end: Int64(min(max(0, end), Self.limit)) * 1000)
        }
        if lifetime.seconds == nil && lifetime.end == nil {
            let token = declared == .jwt ? ", nor does the token itself" : ""
            log.skip(Checks.expiresIn, because: "the server does not say when the token expires\(token)")
        } else {
            log.pass(Checks.expiresIn)
        }
        return lifetime
    }

    /// Names under which servers say how long the refresh token lives; no RFC has one.
    static let refreshMembers = ["refresh_token_expires_in", "refresh_expires_in"]

    /// How long the refresh token lives, where the server says so.
    ///
    /// What cannot be read says nothing, and neither does a number that is not above 0: that is how some say that there
    /// is no end.
    static func ofRefreshToken(
        _ object: JSONObject, _ types: [String: ResponseDialect.MemberType]
    ) -> TokenLifetime {
        var lifetime = TokenLifetime()
        for name in refreshMembers {
            guard let value = object[name], !value.isBlank, number(value).map({ $0 > 0 }) ?? true else {
                continue
            }
            if lifetime.take(value, types[name] ?? .seconds) { return lifetime }
        }
        return lifetime
    }

    /// The whole seconds of one length of time, rounded up; `nil` for a point in time, and for what is neither.
    static func seconds(_ value: JSONValue?, _ type: ResponseDialect.MemberType?) -> Int? {
        let length: Double? =
            switch type ?? .seconds {
            case .seconds: value.flatMap(number)
            case .minutes: value.flatMap(number).map { $0 * 60 }
            case .milliseconds: value.flatMap(number).map { $0 / 1000 }
            case .duration: value?.stringValue.flatMap(clockTime)
            case .epoch, .epochMilliseconds, .iso8601, .jwt, .list, .space, .comma: nil
            }
        return length.map { Int(min(max(0, $0), limit).rounded(.up)) }
    }

    private static func absoluteMember(
        _ types: [String: ResponseDialect.MemberType]
    ) -> [(String, ResponseDialect.MemberType)] {
        types["expires_at"].map { [("expires_at", $0)] } ?? []
    }

    private mutating func take(_ value: JSONValue, _ type: ResponseDialect.MemberType) -> Bool {
        if type == .iso8601 {
            guard let time = value.stringValue.flatMap(CalendarDate.rfc3339) else { return false }
            end = min(max(0, time), Int64(Self.limit) * 1000)
            return true
        }
        if type == .duration {
            guard let text = value.stringValue, let length = Self.clockTime(text) else { return false }
            seconds = Int(min(length, Self.limit))
            return true
        }
        guard let number = Self.number(value) else { return false }
        switch type {
        case .seconds: seconds = Int(min(max(0, number), Self.limit))
        case .minutes: seconds = Int(min(max(0, number * 60), Self.limit))
        case .milliseconds: seconds = Int(min(max(0, number / 1000), Self.limit))
        // A point in time is some 56 years after 1970; the limit of a lifetime bounds it just as well.
        case .epoch: end = Int64(min(max(0, number), Self.limit)) * 1000
        case .epochMilliseconds: end = Int64(min(max(0, number / 1000), Self.limit) * 1000)
        case .iso8601, .duration, .jwt, .list, .space, .comma: return false
        }
        return true
    }

    /// The seconds of `D:HH:MM:SS`, `D:HH:MM` or `D:HH`.
    static func clockTime(_ text: String) -> Double? {
        let units = [86_400.0, 3_600, 60, 1]
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...units.count).contains(parts.count) else { return nil }
        var length = 0.0
        for (part, unit) in zip(parts, units) {
            guard !part.hasPrefix("+"), let count = UInt32(part) else { return nil }
            length += Double(count) * unit
        }
        return length
    }

    /// A finite number, also one written as text in decimal digits.
    static func number(_ value: JSONValue) -> Double? {
        if let number = value.numberValue { return number.isFinite ? number : nil }
        guard let text = value.stringValue, text.utf8.count <= 30,
            text.utf8.allSatisfy({
                (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
            }),
            let number = Double(text)
        else { return nil }
        return number
    }
}
