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
    static func value(_ json: JSONValue, as type: FlowType) -> Value? {
        switch (type, json) {
        case (.optional, .null), (.null, .null): .null
        case (.optional(let base), _): value(json, as: base)
        case (.string, .string(let text)), (.url, .string(let text)), (.sensitive, .string(let text)):
            .string(text)
        case (.int, .int(let number)): .int(number)
        case (.number, _): json.numberValue.map(Value.number)
        case (.bool, .bool(let flag)): .bool(flag)
        case (.time, .int(let number)): .time(number)
        case (.duration, .int(let number)): .duration(number)
        case (.json, _): .json(json)
        case (.list(let element), .array(let items)): list(items, element)
        case (.map, .object): .json(json)
        case (.string, _), (.url, _), (.sensitive, _), (.int, _), (.bool, _), (.time, _), (.duration, _),
            (.list, _), (.map, _), (.null, _), (.bytes, _), (.secret, _), (.tokenset, _):
            nil
        }
    }

    private static func list(_ items: [JSONValue], _ element: FlowType) -> Value? {
        let values = items.compactMap { value($0, as: element) }
        return values.count == items.count ? .list(values) : nil
    }
}
