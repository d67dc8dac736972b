internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Values as a trace writes them: secrets by name, long texts cut.
enum TracedText {
    static let limit = 500

    static func of(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .int(let number): String(number)
        case .number(let number): String(number)
        case .time(let instant): CalendarText.utc(instant)
        case .duration(let length): "\(Double(length) / 1000) s"
        case .string(let text): RemoteText.sanitize(text, limit: limit)
        case .json(let json): RemoteText.sanitize(json.serialize(), limit: limit)
        case .list(let items): items.map(of).joined(separator: " ")
        case .map(let members): "{\(members.keys.sorted().joined(separator: ", "))}"
        case .secret(let secret): secret.description
        }
    }
}
