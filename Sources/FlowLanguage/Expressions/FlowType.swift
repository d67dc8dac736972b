/// The static type of a value in a flow (flow/1 §3).
package indirect enum FlowType: Sendable, Hashable {
    case string, int, number, bool, time, duration, bytes, url, json, map, secret, sensitive, tokenset
    case list(FlowType)
    case optional(FlowType)
    /// The type of the literal `null` alone.
    case null

    /// The type without its `optional`.
    package var required: FlowType {
        if case .optional(let base) = self { base } else { self }
    }

    package var isOptional: Bool {
        if case .optional = self { true } else { self == .null }
    }

    package var asOptional: FlowType { isOptional ? self : .optional(self) }
}

extension FlowType: CustomStringConvertible {
    /// The type as a flow file writes it.
    package var description: String {
        switch self {
        case .string: "string"
        case .int: "int"
        case .number: "number"
        case .bool: "bool"
        case .time: "time"
        case .duration: "duration"
        case .bytes: "bytes"
        case .url: "url"
        case .json: "json"
        case .map: "map"
        case .secret: "secret"
        case .sensitive: "sensitive"
        case .tokenset: "tokenset"
        case .null: "null"
        case .list(let element): "list<\(element)>"
        case .optional(let base): "optional \(base)"
        }
    }
}
