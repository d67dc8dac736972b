internal import JOSE

extension ResponseDialect {
    /// The rules that differ from the RFCs, by their keys in a descriptor, in the order in which they are applied.
    ///
    /// Empty for an answer that is read as the RFCs say.
    package var rules: [String] {
        let status = successStatus == 200...200 ? [] : [successWords]
        let rules: [(key: String, parts: [String])] = [
            ("success_status", status), ("format", format == .auto ? [] : [format.rawValue]),
            ("error_when", errorWhen.map(\.words)),
            ("error", Self.places("code", errorCode) + Self.places("description", errorDescription)),
            ("unwrap", unwrap.isEmpty ? [] : [Self.words(unwrap)]),
            ("map", Self.sorted(map) { Self.places($0, $1) }),
            ("absent", Self.sorted(absent) { name, values in ["\(name) = \(Self.words(values))"] }),
            ("types", Self.sorted(types) { name, type in ["\(name) in \(type.rawValue)"] }),
            ("defaults", Self.sorted(defaults) { name, value in ["\(name) = \(value.serialize())"] }),
            ("tokens", Self.sorted(tokens) { Self.places($0, $1) }), ("token_types", bearerTypes),
            ("keep", keep.map { Self.words($0) }),
        ]
        return rules.filter { !$0.parts.isEmpty }.map { "\($0.key) \($0.parts.joined(separator: ", "))" }
    }

    private static func sorted<Value>(
        _ rules: [String: Value], _ words: (String, Value) -> [String]
    ) -> [String] {
        rules.sorted { $0.key < $1.key }.flatMap { words($0.key, $0.value) }
    }

    private static func places(_ name: String, _ paths: [ValuePath]) -> [String] {
        paths.isEmpty ? [] : ["\(name) at \(words(paths))"]
    }

    fileprivate static func words(_ paths: [ValuePath]) -> String {
        paths.map(\.text).joined(separator: " or ")
    }

    private static func words(_ values: [JSONValue]) -> String {
        values.map { $0.serialize() }.joined(separator: " or ")
    }
}

extension ResponseDialect.ErrorCondition {
    /// As `error_code is not 0`.
    package var words: String {
        let place = ResponseDialect.words(paths)
        return switch test {
        case .exists(true): "\(place) exists"
        case .exists(false): "\(place) is missing"
        case .equals(let value): "\(place) = \(value.serialize())"
        case .notEquals(let value): "\(place) is not \(value.serialize())"
        }
    }
}
