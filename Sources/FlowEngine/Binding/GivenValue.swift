package import FlowLanguage

/// A value that a rehearsal takes for granted: `restore.refreshed_at=-25h` (flow/1 §11).
package struct GivenValue: Sendable, Hashable {
    package enum Amount: Sendable, Hashable {
        case fixed(Value)
        /// Milliseconds from the time at which the step ends.
        case fromNow(Int64)

        func value(at now: Int64) -> Value {
            switch self {
            case .fixed(let value): value
            case .fromNow(let milliseconds): .time(now.addingReportingOverflow(milliseconds).partialValue)
            }
        }
    }

    let slot: Int
    let amount: Amount

    /// - Parameters:
    ///   - path: `STEP.FIELD`, `steps.STEP.FIELD` or `tokens.SET.MEMBER`.
    ///   - value: Of the type of what the path names, or its text; a time also as a distance from now, such as `-25h`.
    /// - Returns: `nil` for a path that names nothing a step leaves behind, or a value of another type.
    package init?(path: String, _ value: Value, in program: FlowProgram) {
        guard let slot = program.slot(given: path) else { return nil }
        let type = program.slots[slot].type
        let amount: Amount?
        switch value {
        case .null: amount = type.isOptional ? .fixed(.null) : nil
        case .string(let text): amount = Self.amount(text, type.required)
        case .duration(let distance) where type.required == .time: amount = .fromNow(distance)
        default: amount = PortValue.checked(value, as: type).map { .fixed($0) }
        }
        guard let amount else { return nil }
        self.slot = slot
        self.amount = amount
    }

    private static func amount(_ text: String, _ type: FlowType) -> Amount? {
        switch type {
        case .time:
            if let distance = DurationText.parse(String(text.drop { $0 == "-" || $0 == "+" })) {
                return .fromNow(text.hasPrefix("-") ? -distance : distance)
            }
            return TimeText.parse(text).map { .fixed(.time($0)) }
        case .duration: return DurationText.parse(text).map { .fixed(.duration($0)) }
        case .int: return Int64(text).map { .fixed(.int($0)) }
        case .number: return NumberText.parse(text).map { .fixed(.number($0)) }
        case .bool: return ["true": true, "false": false][text].map { .fixed(.bool($0)) }
        case .string, .url, .sensitive: return .fixed(.string(text))
        case .list(.string):
            return .fixed(.list(text.split(separator: " ").map { .string(String($0)) }))
        case .json, .map, .bytes, .secret, .tokenset, .null, .list, .optional: return nil
        }
    }
}

extension FlowProgram {
    /// The type of a value that a rehearsal may take for granted; `nil` for a path that names none.
    package func type(given path: String) -> FlowType? { slot(given: path).map { slots[$0].type } }

    /// The slot of a field of a step or a member of a token set; `nil` for every other path.
    func slot(given path: String) -> Int? {
        let isFull = path.hasPrefix("steps.") || path.hasPrefix("tokens.")
        let name = isFull ? path : "steps.\(path)"
        return slots.firstIndex { $0.path == name }
    }
}
