internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Flow values as the JSON that hooks and stored metadata hold, and back.
enum HookValue {
    /// As `JSONForm` writes them, but a secret has no JSON form: it reads as null here, and reaches a hook only through
    /// `grants`.
    static func json(_ value: Value) -> JSONValue {
        switch value {
        case .secret: .null
        case .list(let items): .array(items.map(json))
        case .map(let members):
            .object(JSONObject(sorting: members, json))
        case .null, .bool, .int, .number, .time, .duration, .string, .json: JSONForm.json(of: value)
        }
    }

    static func secret(_ value: Value) -> Secret? {
        if case .secret(let secret) = value { secret } else { nil }
    }

    /// The JSON as a value of that type; `nil` when it does not fit.
    static func value(_ json: JSONValue, as type: FlowType) -> Value? { JSONForm.value(json, as: type) }
}
