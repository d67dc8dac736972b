package import FlowLanguage
package import JOSE
internal import OAuthProtocol

/// Values of the flow language as JSON and back, without loss: what a journal keeps. Secrets are in clear.
package enum ValueCoding {
    package static func encode(_ value: Value) -> JSONValue {
        switch value {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .string(let text): .string(text)
        case .int(let number): ["int": .int(number)]
        case .number(let number): ["number": .number(number)]
        case .time(let instant): ["time": .int(instant)]
        case .duration(let length): ["duration": .int(length)]
        case .json(let json): ["json": json]
        case .list(let items): .array(items.map(encode))
        case .map(let members):
            ["map": .object(JSONObject(sorting: members, encode))]
        case .secret(let secret): ["secret": .string(secret.reveal()), "kind": .string(secret.kind.rawValue)]
        }
    }

    /// - Returns: `nil` for what `encode` does not write.
    package static func decode(_ json: JSONValue) -> Value? {
        switch json {
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        case .string(let text): return .string(text)
        case .array(let items):
            let values = items.compactMap(decode)
            return values.count == items.count ? .list(values) : nil
        case .object(let members): return decode(members)
        case .int, .bigInteger, .number: return nil
        }
    }

    private static func decode(_ members: JSONObject) -> Value? {
        guard let member = members.members.first else { return nil }
        switch (member.key, member.value) {
        case ("int", .int(let number)): return .int(number)
        case ("number", .number(let number)): return .number(number)
        // A whole number is written without its point.
        case ("number", .int(let number)): return .number(Double(number))
        case ("time", .int(let instant)): return .time(instant)
        case ("duration", .int(let length)): return .duration(length)
        case ("json", let json): return .json(json)
        case ("map", .object(let items)): return map(items)
        case ("secret", .string(let text)):
            return members["kind"]?.stringValue.flatMap(Secret.Kind.init).map {
                .secret(Secret(text, kind: $0))
            }
        default: return nil
        }
    }

    private static func map(_ items: JSONObject) -> Value? {
        var members: [String: Value] = [:]
        for (key, value) in items.members {
            guard let value = decode(value) else { return nil }
            members[key] = value
        }
        return .map(members)
    }
}
