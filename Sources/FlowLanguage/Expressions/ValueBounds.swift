internal import JOSE

/// How large the values of expressions may become.
///
/// Without a bound, a loop that saves `${vars.x}${vars.x}` would double a text with every turn. A value that would grow
/// beyond it is null instead, which every reader of a value provides for.
enum ValueBounds {
    /// Bytes of a text: as much as an answer may have by default.
    static let textBytes = 1_048_576
    /// Bytes of all texts in a value, and one for each of its parts.
    private static let weight = 4 * textBytes
    /// Lists and objects inside each other: twice what a JSON text may have.
    private static let depth = 128

    /// The value, or null when it is too large.
    static func bounded(_ value: Value) -> Value {
        var room = weight
        return fits(value, &room, depth) ? value : .null
    }

    static func joined(_ texts: [String], separator: String = "") -> Value {
        let separators = max(0, texts.count - 1).multipliedReportingOverflow(by: separator.utf8.count)
        let total = texts.reduce(separators.overflow ? .max : separators.partialValue) { total, text in
            let (sum, overflows) = total.addingReportingOverflow(text.utf8.count)
            return overflows ? .max : sum
        }
        return total <= textBytes ? .string(texts.joined(separator: separator)) : .null
    }

    private static func fits(_ value: Value, _ room: inout Int, _ depth: Int) -> Bool {
        room -= 1
        guard room >= 0, depth > 0 else { return false }
        switch value {
        case .null, .bool, .int, .number, .time, .duration, .secret: return true
        case .string(let text): return takes(text, &room)
        case .json(let json): return fits(json, &room, depth)
        case .list(let values): return values.allSatisfy { fits($0, &room, depth - 1) }
        case .map(let map): return map.allSatisfy { takes($0.key, &room) && fits($0.value, &room, depth - 1) }
        }
    }

    private static func fits(_ json: JSONValue, _ room: inout Int, _ depth: Int) -> Bool {
        room -= 1
        guard room >= 0, depth > 0 else { return false }
        switch json {
        case .null, .bool, .int, .number: return true
        case .string(let text), .bigInteger(let text): return takes(text, &room)
        case .array(let values): return values.allSatisfy { fits($0, &room, depth - 1) }
        case .object(let object):
            return object.allSatisfy { takes($0.key, &room) && fits($0.value, &room, depth - 1) }
        }
    }

    private static func takes(_ text: String, _ room: inout Int) -> Bool {
        let count = text.utf8.count
        room -= count
        return count <= textBytes && room >= 0
    }
}
