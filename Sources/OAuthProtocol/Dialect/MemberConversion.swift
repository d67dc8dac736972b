internal import JOSE

extension ResponseDialect.MemberType {
    /// What a member that is written so means: whole seconds of a length of time, seconds since 1970 for a point in
    /// time, texts for a list.
    ///
    /// - Returns: `nil` for a value that is not written so.
    func meaning(of value: JSONValue) -> JSONValue? {
        switch self {
        case .seconds, .epoch, .jwt: Self.whole(TokenLifetime.number(value))
        case .minutes: Self.whole(TokenLifetime.number(value).map { $0 * 60 })
        case .milliseconds, .epochMilliseconds: Self.whole(TokenLifetime.number(value).map { $0 / 1000 })
        case .duration: Self.whole(value.stringValue.flatMap(TokenLifetime.clockTime))
        case .iso8601: value.stringValue.flatMap(CalendarDate.rfc3339).map { .int($0 / 1000) }
        case .list, .space, .comma: TokenScope.names(value, self).map { .array($0.map { .string($0) }) }
        }
    }

    private static func whole(_ number: Double?) -> JSONValue? {
        number.flatMap { Int64(exactly: $0.rounded(.down)) }.map { .int($0) }
    }

    /// What a member has to be, for messages.
    var expectation: String {
        switch self {
        case .seconds, .minutes, .milliseconds, .epoch, .epochMilliseconds, .jwt: "a number (\(rawValue))"
        case .duration: "a text such as 0:01:30:00 (\(rawValue))"
        case .iso8601: "a date and time (\(rawValue))"
        case .list, .space, .comma: "a text or a list of texts (\(rawValue))"
        }
    }

    /// What a value is that is not written so; nothing of the value itself, which could be a secret.
    func mismatch(_ value: JSONValue) -> String {
        switch (self, value) {
        case (.iso8601, .string): "a text that is not written as 2031-01-02T03:04:05Z"
        case (.duration, .string): "a text that is not written as 0:01:30:00"
        default: "another type"
        }
    }
}

extension ResponseDialect {
    /// Puts what the members mean in place of how they are written.
    ///
    /// - Parameter own: Members whose types the reader of the answer applies itself.
    func convert(
        _ object: inout JSONObject, except own: Set<String>, _ subject: ResponseSubject, log: inout CheckLog
    ) throws(ProtocolError) {
        // Sorted, so that the first to fail is the same in every run.
        for (name, type) in types.sorted(by: { $0.key < $1.key }) where !own.contains(name) {
            guard let value = object[name], !value.isBlank else { continue }
            guard let meaning = type.meaning(of: value) else {
                throw log.malformed(
                    subject.body, subject.name,
                    detail: "\(name) is to be \(type.expectation), and is \(type.mismatch(value))", of: name)
            }
            object[name] = meaning
        }
    }
}
