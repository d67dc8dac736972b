internal import JOSE

/// A member of the profile that an answer has, but not in a form that its type can be made of.
package struct UnreadClaim: Sendable, Equatable {
    /// Of the rule under `claims`.
    package let name: String
    private let type: ClaimsFacts.ClaimType
    /// What it is, never its value: that may be personal.
    private let form: String

    init(name: String, type: ClaimsFacts.ClaimType, value: JSONValue) {
        self.name = name
        self.type = type
        form = Self.form(of: value)
    }

    /// Lower case, with what would be read.
    package var text: String {
        "claim \"\(name)\" is left out: the answer has \(form), and \(type.rawValue) is made of \(Self.readable(type))"
    }

    private static func readable(_ type: ClaimsFacts.ClaimType) -> String {
        switch type {
        case .string: "a text, true or false, or a number of at most 15 digits"
        case .boolean: "true or false, 1 or 0, also as text"
        case .integer: "a whole number, also as text"
        case .number: "a number, also as text"
        case .timestamp: "seconds since 1970 or a text of RFC 3339; milliseconds are timestamp_ms"
        case .timestampMilliseconds: "milliseconds since 1970 or a text of RFC 3339"
        }
    }

    private static func form(of value: JSONValue) -> String {
        switch value {
        case .null: "nothing"
        case .bool: "true or false"
        case .int, .bigInteger, .number: "another number"
        case .string: "another text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
