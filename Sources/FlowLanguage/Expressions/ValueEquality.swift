internal import JOSE
internal import OAuthProtocol

/// Equality and order of values as expressions see them (flow/1 §5).
enum ValueEquality {
    /// Deep and strict about types; texts by code points, secrets in constant time.
    static func areEqual(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): return left == right
        case (.int(let left), .int(let right)): return left == right
        case (.number(let left), .number(let right)): return left == right
        case (.int(let left), .number(let right)): return Int64(exactly: right) == left
        case (.number(let left), .int(let right)): return Int64(exactly: left) == right
        case (.time(let left), .time(let right)): return left == right
        case (.duration(let left), .duration(let right)): return left == right
        case (.string(let left), .string(let right)): return areSame(left, right)
        case (.secret, _), (_, .secret): return areEqualSecrets(left, right)
        case (.list(let left), .list(let right)): return left.elementsEqual(right, by: areEqual)
        case (.map(let left), .map(let right)): return areEqualMaps(left, right)
        case (.json, _), (_, .json): return JSONForm.json(of: left) == JSONForm.json(of: right)
        case (.null, .null): return true
        case (.null, _), (.bool, _), (.int, _), (.number, _), (.time, _), (.duration, _), (.string, _),
            (.list, _),
            (.map, _):
            return false
        }
    }

    /// Whether both are the same bytes: `==` of strings would also accept canonically equivalent ones.
    static func areSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count, left == right else { return false }
        // Equal and all ASCII in one: there is one spelling only.
        return left.utf8.allSatisfy { $0 < 0x80 } || left.utf8.elementsEqual(right.utf8)
    }

    private static func areEqualSecrets(_ left: Value, _ right: Value) -> Bool {
        guard let left = bytes(left), let right = bytes(right) else { return false }
        return ConstantTime.equal(left, right)
    }

    private static func bytes(_ value: Value) -> String? {
        if case .secret(let secret) = value { secret.reveal() } else { value.text }
    }

    private static func areEqualMaps(_ left: [String: Value], _ right: [String: Value]) -> Bool {
        guard left.count == right.count else { return false }
        return left.allSatisfy { name, value in right[name].map { areEqual(value, $0) } ?? false }
    }

    /// Whether `left` comes before `right`; `nil` for values without an order.
    static func isLess(_ left: Value, _ right: Value) -> Bool? {
        if case .int(let left) = left, case .int(let right) = right { return left < right }
        return switch (left, right) {
        case (.int(let left), .int(let right)): left < right
        case (.number(let left), .number(let right)): left < right
        case (.int(let left), .number(let right)): order(left, right).map { $0 < 0 }
        case (.number(let left), .int(let right)): order(right, left).map { $0 > 0 }
        case (.time(let left), .time(let right)): left < right
        case (.duration(let left), .duration(let right)): left < right
        case (.null, _), (.bool, _), (.int, _), (.number, _), (.time, _), (.duration, _), (.string, _),
            (.json, _),
            (.list, _), (.map, _), (.secret, _):
            nil
        }
    }

    /// Less than, equal to or greater than zero as the integer is to the number, exactly: a `Double` has not every
    /// integer. `nil` for no number.
    private static func order(_ integer: Int64, _ number: Double) -> Int? {
        guard !number.isNaN else { return nil }
        // 2^63, the first that is too large, and -2^63, the last that is not too small.
        guard number < 0x1p63 else { return -1 }
        guard number >= -0x1p63 else { return 1 }
        let whole = Int64(number.rounded(.down))
        if integer != whole { return integer < whole ? -1 : 1 }
        return number == number.rounded(.down) ? 0 : -1
    }

    /// Whether a list or JSON array holds the element, or a map the name.
    static func contains(_ container: Value, _ element: Value) -> Bool {
        switch container {
        case .list(let elements): elements.contains { areEqual($0, element) }
        case .json(.array(let elements)): elements.contains { areEqual(.json($0), element) }
        case .json(.object(let object)): element.text.map { object[$0] != nil } ?? false
        case .map(let map): element.text.map { map[$0] != nil } ?? false
        case .null, .bool, .int, .number, .time, .duration, .string, .json, .secret: false
        }
    }
}
