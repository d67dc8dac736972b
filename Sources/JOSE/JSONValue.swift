/// One JSON value.
///
/// A number written as an integer is `int` where it fits and else `bigInteger`, every other number is `number`: `1`
/// and `1.0` are two different values here. Strings are equal when their bytes are equal, with no Unicode normalisation.
///
/// - SeeAlso: RFC 8259
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    /// An integer beyond 64 bits, by its digits: some servers number their people so, and no digit may be lost.
    case bigInteger(String)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// The text of a string; `nil` for everything else.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// A whole number of 64 bits; `nil` for everything else.
    public var intValue: Int64? {
        if case .int(let value) = self { value } else { nil }
    }

    /// `true` or `false`; `nil` for everything else.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The items of an array; `nil` for everything else.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members of an object; `nil` for everything else.
    public var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The number as a double, from any kind of number; the last digits of a large one are lost.
    public var numberValue: Double? {
        switch self {
        case .int(let value): Double(value)
        case .bigInteger(let digits): Double(digits)
        case .number(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// What it is, for messages that must not say its value.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .int, .bigInteger, .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }

    /// Whether it is the JSON `null`, and not merely absent.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The member of that name; `nil` when there is none or this is not an object.
    public subscript(key: String) -> JSONValue? {
        objectValue?[key]
    }
}

extension JSONValue: Hashable {
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.bigInteger(let left), .bigInteger(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.null, _), (.bool, _), (.int, _), (.bigInteger, _), (.number, _), (.string, _), (.array, _),
            (.object, _):
            false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .bigInteger(let digits): hasher.combine(digits)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByNilLiteral, ExpressibleByStringInterpolation
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(nilLiteral: ()) { self = .null }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(pairs: elements))
    }
}
