package import FlowLanguage
package import JOSE
package import OAuthProtocol

/// The values that pass through a port, by the types that it declares.
package enum PortValue {
    /// The value as one of that type; `nil` when it is none.
    package static func checked(_ value: Value, as type: FlowType) -> Value? {
        if case .optional(let base) = type { return value.isNull ? .null : checked(value, as: base) }
        if case .json(let json) = value { return read(json, as: type) }
        switch type {
        case .string, .url, .sensitive: if case .string = value { return value }
        case .int: if case .int = value { return value }
        case .number:
            if case .int(let number) = value { return .number(Double(number)) }
            if case .number = value { return value }
        case .bool: if case .bool = value { return value }
        case .time: if case .time = value { return value }
        case .duration: if case .duration = value { return value }
        case .secret:
            if case .string(let text) = value { return .secret(Secret(text, kind: .other)) }
            if case .secret = value { return value }
        case .map, .tokenset: if case .map = value { return value }
        case .bytes: if case .list = value { return value }
        case .list(let element): if case .list(let items) = value { return list(items, element) }
        case .json: return holdsSecret(value) ? nil : .json(HookValue.json(value))
        case .null, .optional: break
        }
        return nil
    }

    private static func read(_ json: JSONValue, as type: FlowType) -> Value? {
        switch (type, json) {
        case (.secret, .string(let text)): .secret(Secret(text, kind: .other))
        case (.list(let element), .array(let items)): list(items.map { .json($0) }, element)
        case (_, _): HookValue.value(json, as: type)
        }
    }

    private static func list(_ items: [Value], _ element: FlowType) -> Value? {
        let values = items.compactMap { checked($0, as: element) }
        return values.count == items.count ? .list(values) : nil
    }

    /// Whether a secret is in it, at any depth.
    package static func holdsSecret(_ value: Value) -> Bool { !secrets(value).isEmpty }

    /// The secrets in it, in no order.
    package static func secrets(_ value: Value) -> [Secret] {
        switch value {
        case .secret(let secret): [secret]
        case .list(let items): items.flatMap(secrets)
        case .map(let members): members.values.flatMap(secrets)
        case .null, .bool, .int, .number, .time, .duration, .string, .json: []
        }
    }

    /// The value as JSON for a program that the port names: secrets in clear, since the port declares them.
    package static func revealed(_ value: Value) -> JSONValue {
        switch value {
        case .secret(let secret): .string(secret.reveal())
        case .list(let items): .array(items.map(revealed))
        case .map(let members):
            .object(JSONObject(sorting: members, revealed))
        case .null, .bool, .int, .number, .time, .duration, .string, .json: HookValue.json(value)
        }
    }

    /// What a rehearsal takes for a value of that type.
    package static func sample(_ name: String, _ type: FlowType) -> Value {
        switch type {
        case .optional(let base): sample(name, base)
        case .null: .null
        case .string, .sensitive: .string("rehearsed-\(name)")
        case .url: .string("https://rehearsed.example/\(name)")
        case .int: .int(1)
        case .number: .number(1)
        case .bool: .bool(true)
        case .time: .time(1_767_225_600_000)
        case .duration: .duration(60_000)
        case .bytes, .list: .list([])
        case .json: .json([:])
        case .map: .map([:])
        case .tokenset: .map([:])
        case .secret: .secret(Secret("rehearsed-\(name)-value", kind: .other))
        }
    }
}
