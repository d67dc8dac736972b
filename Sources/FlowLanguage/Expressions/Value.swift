public import JOSE
public import OAuthProtocol

/// What an expression, a field or a variable holds while a flow runs.
///
/// Times are milliseconds since 1970, durations milliseconds. URLs are strings; only their static type differs.
public enum Value: Sendable, Hashable {
    /// An optional without a value.
    case null
    case bool(Bool)
    case int(Int64)
    case number(Double)
    /// Milliseconds since 1970.
    case time(Int64)
    /// Milliseconds.
    case duration(Int64)
    /// Text, URLs too.
    case string(String)
    /// Of a provider, a hook or an API, without a type of the flow.
    case json(JSONValue)
    case list([Value])
    case map([String: Value])
    /// Whatever the flow may not show: it goes into no text and into no output that is not secret.
    case secret(Secret)
}

extension Value {
    // Patterns and not `==`: guards ask for these all the time.

    package var isNull: Bool {
        switch self {
        case .null, .json(.null): true
        case .bool, .int, .number, .time, .duration, .string, .json, .list, .map, .secret: false
        }
    }

    package var isTrue: Bool {
        if case .bool(true) = self { true } else { false }
    }

    /// The text of a string or of a JSON string; `nil` for everything else.
    public var text: String? {
        switch self {
        case .string(let text): text
        case .json(let value): value.stringValue
        case .null, .bool, .int, .number, .time, .duration, .list, .map, .secret: nil
        }
    }

    /// The texts of a list of strings; an empty list for null; `nil` for everything else.
    package var texts: [String]? {
        switch self {
        case .list(let items):
            let texts = items.compactMap(\.text)
            return texts.count == items.count ? texts : nil
        case .json(let value):
            guard let items = value.arrayValue else { return nil }
            let texts = items.compactMap(\.stringValue)
            return texts.count == items.count ? texts : nil
        case .null:
            return []
        case .bool, .int, .number, .time, .duration, .string, .map, .secret:
            return nil
        }
    }
}
