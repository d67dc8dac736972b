package import FlowEngine

/// Times in what a check expected and found, as people read them.
package enum CheckTimes {
    /// Checks whose texts hold seconds since 1970.
    private static let checks: Set<String> = [
        "exp", "iat", "nbf", "auth_time", "refresh-auth_time", "introspection-iat",
    ]

    /// From 2001 until 2286; a shorter number is a length of time.
    private static let digitsOfToday = 10

    package static func isTimed(_ check: TracedCheck) -> Bool { checks.contains(check.name) }

    /// `later than 1795658630 (2026-11-26 02:03:50 UTC)`; any other text as it is.
    package static func spelled(_ text: String, of check: TracedCheck?) -> String {
        guard let check, isTimed(check) else { return text }
        return text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let digits = word.prefix { $0.isASCII && $0.isNumber }
            let rest = word.dropFirst(digits.count)
            guard digits.utf8.count == digitsOfToday, rest.isEmpty || rest == ",", let seconds = Int64(digits)
            else { return String(word) }
            let time = CalendarText.utc(seconds * 1000).replacing("T", with: " ").replacing("Z", with: " UTC")
            return "\(digits) (\(time))\(rest)"
        }.joined(separator: " ")
    }
}

extension FailureReport {
    /// What the server or the engine said, with the times in it as people read them.
    package var shownDescription: String? {
        let check = failedChecks.first(where: CheckTimes.isTimed)
        // The headline may be all there is to say.
        guard let description, description != text.headline else { return nil }
        return quotesServer ? description : CheckTimes.spelled(description, of: check)
    }
}
