/// What a resource wants of the sign-in before it serves a request (RFC 9470 §3).
package struct StepUpChallenge: Sendable, Hashable {
    /// Levels of authentication in the server's order of preference; empty when it names none.
    package let acrValues: [String]
    /// Seconds since the sign-in; `nil` when its age does not matter.
    package let maxAge: Int?

    package static let error = "insufficient_user_authentication"
    /// More levels than any resource names; every one of them is put into a URL.
    private static let mostValues = 16

    /// The first challenge of that kind, of any scheme; `nil` when the answer has none.
    ///
    /// RFC 9470 §3 asks for status 401; a challenge that comes with 403 is read too.
    package static func read(_ response: HTTPResponse) -> StepUpChallenge? {
        guard response.status == 401 || response.status == 403 else { return nil }
        return response.challenges.lazy.compactMap(StepUpChallenge.init).first
    }

    private init?(_ challenge: AuthenticationChallenge) {
        guard challenge.parameter("error") == Self.error else { return nil }
        let words = challenge.parameter("acr_values")?.split(separator: " ").map(String.init) ?? []
        acrValues = Array(words.prefix(Self.mostValues))
        maxAge = challenge.parameter("max_age").flatMap { text in
            text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
        }
    }
}
