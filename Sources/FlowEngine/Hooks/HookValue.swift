internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Flow values as the JSON that hooks and stored metadata hold, and back.
enum HookValue {
    /// A secret has no JSON form: it reads as null here, and reaches a hook only through `grants`.
    static func json(_ value: Value) -> JSONValue {
        switch value {
        case .null, .secret: .null
        case .bool(let flag): .bool(flag)
        case .int(let number), .time(let number), .duration(let number): .int(number)
        case .number(let number): .number(number)
        case .string(let text): .string(text)
        case .json(let json): json
        case .list(let items): .array(items.map(json))
        case .map(let members):
            .object(JSONObject(members.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) }))
        }
    }

    static func secret(_ value: Value) -> Secret? {
        if case .secret(let secret) = value { secret } else { nil }
    }

    /// The JSON as a value of that type; `nil` when it does not fit.
    static func value(_ json: JSONValue, as type: FlowType) -> Value? { JSONForm.value(json, as: type) }
}
