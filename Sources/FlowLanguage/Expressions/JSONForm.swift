package import JOSE
internal import OAuthProtocol

/// Values as JSON, and JSON as values.
package enum JSONForm {
    /// The value as JSON: times as RFC 3339, durations as `20s`, secrets as their placeholder.
    package static func json(of value: Value) -> JSONValue {
        switch value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .number(let value): .number(value)
        case .time(let value): .string(TimeText.format(value))
        case .duration(let value): .string(DurationText.format(value))
        case .string(let value): .string(value)
        case .json(let value): value
        case .list(let values): .array(values.map(json))
        case .map(let values):
            .object(JSONObject(sorting: values, json))
        case .secret(let secret): .string(secret.description)
        }
    }

    /// The JSON as a value of that type; `nil` when it does not fit. Numbers count seconds, as those of `time` and
    /// `duration` in expressions.
    package static func value(_ json: JSONValue, as type: FlowType) -> Value? {
        switch (type, json) {
        case (.optional, .null), (.null, .null): .null
        case (.optional(let base), _): value(json, as: base)
        case (.string, .string(let text)), (.url, .string(let text)), (.sensitive, .string(let text)):
            .string(text)
        case (.int, .int(let number)): .int(number)
        case (.number, _): json.numberValue.map(Value.number)
        case (.bool, .bool(let flag)): .bool(flag)
        case (.time, .string(let text)): TimeText.parse(text).map(Value.time)
        case (.time, .int(let seconds)): TimeText.milliseconds(seconds).map(Value.time)
        case (.duration, .string(let text)): DurationText.signed(text).map(Value.duration)
        case (.duration, .int(let seconds)): TimeText.milliseconds(seconds).map(Value.duration)
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

    /// The plain value of a JSON scalar; arrays, objects, null and integers that do not fit stay JSON.
    static func scalar(_ value: JSONValue) -> Value {
        switch value {
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .number(let value): .number(value)
        case .string(let value): .string(value)
        case .null, .bigInteger, .array, .object: .json(value)
        }
    }
}

/// Values as the text of a template.
package enum TextForm {
    /// The text of a value that is renderable; the empty text for every other.
    package static func text(of value: Value) -> String {
        switch value {
        case .string(let value): value
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .number(let value): number(value)
        case .time(let value): TimeText.format(value)
        case .duration(let value): DurationText.format(value)
        case .json(let value): json(value)
        case .null, .list, .map, .secret: ""
        }
    }

    private static func json(_ value: JSONValue) -> String {
        switch JSONForm.scalar(value) {
        case .json(.null): ""
        case .json(let value): value.serialize()
        case let scalar: text(of: scalar)
        }
    }

    /// The shortest text that reads back as the number, without a fraction where it has none.
    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { String($0) } ?? value.description
    }
}
