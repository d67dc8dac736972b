internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Takes a value out of an API's answer by its declared type.
enum ExtractedValue {
    /// The value; `.null` for an optional one that is not there, `nil` for a required one, or one of another type.
    static func read(_ body: JSONValue, _ row: ExtractionRow) -> Value? {
        guard let json = body.at(pointer: row.pointer)?.present else {
            return row.type.isOptional ? .null : nil
        }
        return value(json, row.type.required, row.name)
    }

    /// Numbers may come as text, as in many APIs; times as seconds since 1970 or RFC 3339, durations as seconds.
    private static func value(_ json: JSONValue, _ type: FlowType, _ name: String) -> Value? {
        switch type {
        case .string, .url, .sensitive: json.stringValue.map(Value.string)
        case .int: integer(json).map(Value.int)
        case .number: (json.numberValue ?? json.stringValue.flatMap(NumberText.parse)).map(Value.number)
        case .bool: json.boolValue.map(Value.bool)
        case .time: time(json).map(Value.time)
        case .duration: integer(json).flatMap { milliseconds($0) }.map(Value.duration)
        case .bytes:
            json.stringValue.flatMap { Base64.decode($0) ?? Base64URL.decode($0) }
                .map { .list($0.map { .int(Int64($0)) }) }
        case .json: .json(json)
        case .map: json.objectValue.map { .json(.object($0)) }
        case .secret: json.stringValue.map { .secret(Secret($0, kind: kind(name))) }
        case .list(let element): list(json, element, name)
        case .optional(let base): value(json, base, name)
        case .tokenset, .null: nil
        }
    }

    private static func list(_ json: JSONValue, _ element: FlowType, _ name: String) -> Value? {
        guard let items = json.arrayValue else { return nil }
        let values = items.compactMap { value($0, element, name) }
        return values.count == items.count ? .list(values) : nil
    }

    private static func integer(_ json: JSONValue) -> Int64? {
        json.intValue ?? json.stringValue.flatMap { Int64($0) }
    }

    private static func time(_ json: JSONValue) -> Int64? {
        integer(json).flatMap { milliseconds($0) } ?? json.stringValue.flatMap(CalendarDate.rfc3339)
    }

    private static func milliseconds(_ seconds: Int64) -> Int64? {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? nil : product
    }

    private static func kind(_ name: String) -> Secret.Kind {
        switch name {
        case "access_token": .accessToken
        case "refresh_token": .refreshToken
        case "id_token": .idToken
        default: .other
        }
    }
}

extension JSONValue {
    /// The value with a placeholder for what these pointers lead to, and for texts under these names.
    func masking(pointers: [String], names: Set<String>) -> JSONValue {
        pointers.reduce(masking(names)) { value, pointer in
            let tokens = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            let names = tokens.map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") }
            return value.masking(names[...])
        }
    }

    private func masking(_ names: Set<String>) -> JSONValue {
        switch self {
        case .object(let object):
            .object(
                JSONObject(
                    object.map { name, value in
                        let isSecret = names.contains(name) && value.stringValue != nil
                        return (
                            key: name,
                            value: isSecret ? .string(SecretPlaceholder.text) : value.masking(names)
                        )
                    }))
        case .array(let items): .array(items.map { $0.masking(names) })
        case .null, .bool, .int, .bigInteger, .number, .string: self
        }
    }

    private func masking(_ path: ArraySlice<String>) -> JSONValue {
        guard let name = path.first else { return self == .null ? self : .string(SecretPlaceholder.text) }
        let rest = path.dropFirst()
        switch self {
        case .object(var object):
            if let child = object[name] { object[name] = child.masking(rest) }
            return .object(object)
        case .array(var items):
            if let index = Int(name), items.indices.contains(index) {
                items[index] = items[index].masking(rest)
            }
            return .array(items)
        case .null, .bool, .int, .bigInteger, .number, .string: return self
        }
    }
}
