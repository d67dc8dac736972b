internal import FlowLanguage
internal import FlowLive
internal import JOSE

/// A claim, or a parameter of a header, as a person reads it.
enum ClaimWords {
    /// Claims that are times, in seconds since 1970 (RFC 7519 §4.1, OpenID Connect Core §2 and §5.1).
    private static let times: Set = ["exp", "iat", "nbf", "auth_time", "updated_at"]

    static func text(_ name: String, _ value: JSONValue) -> String {
        if let text = value.stringValue { return text }
        guard times.contains(name), let seconds = value.numberValue,
            let time = Int64(exactly: (seconds * 1000).rounded())
        else { return value.serialize() }
        let isPast = time <= WallClock.now()
        let standing =
            switch name {
            case "exp": isPast ? ", expired" : ", still good"
            case "nbf": isPast ? "" : ", not good yet"
            default: ""
            }
        return "\(value.serialize())  \(TimeText.format(time))\(standing)"
    }
}
