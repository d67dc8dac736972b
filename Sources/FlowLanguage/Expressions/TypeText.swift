extension FlowType {
    /// Reads a type as a flow file writes it, such as `optional list<string>` (flow/1 §3).
    ///
    /// - Returns: `nil` for everything else; `object` is known by its fields and not by its name.
    package static func parse(_ text: String) -> FlowType? {
        if text.hasPrefix("optional ") { return base(String(text.dropFirst(9))).map { .optional($0) } }
        return base(text)
    }

    /// The names of the types without parameters, for suggestions.
    package static let simpleNames = [
        "string", "int", "number", "bool", "time", "duration", "bytes", "url", "json", "map", "secret",
        "sensitive",
        "tokenset",
    ]

    private static func base(_ text: String) -> FlowType? {
        switch text {
        case "string": return .string
        case "int": return .int
        case "number": return .number
        case "bool": return .bool
        case "time": return .time
        case "duration": return .duration
        case "bytes": return .bytes
        case "url": return .url
        case "json": return .json
        case "map": return .map
        case "secret": return .secret
        case "sensitive": return .sensitive
        case "tokenset": return .tokenset
        default:
            guard text.hasPrefix("list<"), text.hasSuffix(">") else { return nil }
            // A list of lists ends the recursion by getting shorter.
            return base(String(text.dropFirst(5).dropLast())).map { .list($0) }
        }
    }
}
