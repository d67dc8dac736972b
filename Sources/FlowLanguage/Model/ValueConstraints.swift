internal import JOSE

/// What an input's value must be beyond its type (flow/1 §3).
package struct ValueConstraints: Sendable, Hashable {
    /// The only values allowed.
    package var values: [Value]?
    /// An I-Regexp (RFC 9485) that a text must match as a whole.
    package var pattern: Pattern?
    /// Bounds of a number, or of the length of a text or list.
    package var minimum: Bound?
    package var maximum: Bound?
    /// Members of an `object` with their types.
    package var members: [String: FlowType] = [:]

    /// A bound as the file writes it: only a number is held against one that is no integer.
    package enum Bound: Sendable, Hashable, CustomStringConvertible {
        case int(Int64)
        case number(Double)

        package var value: Double {
            switch self {
            case .int(let value): Double(value)
            case .number(let value): value
            }
        }

        package var description: String {
            switch self {
            case .int(let value): "\(value)"
            case .number(let value): "\(value)"
            }
        }
    }

    /// What is wrong with a value, to follow its name in a message; `nil` when nothing is.
    package func problem(with value: Value) -> String? {
        if value.isNull { return nil }
        if let values, !values.contains(where: { ValueEquality.areEqual($0, value) }) {
            return "must be one of \(values.map { TextForm.text(of: $0) }.joined(separator: ", "))"
        }
        if let pattern, let text = value.text, !pattern.matches(text) { return "must match \(pattern.text)" }
        return boundProblem(value) ?? memberProblem(value)
    }

    private func boundProblem(_ value: Value) -> String? {
        let (measure, subject): (Double, String)
        switch value {
        case .int(let number): (measure, subject) = (Double(number), "")
        case .number(let number): (measure, subject) = (number, "")
        case .string(let text): (measure, subject) = (Double(text.unicodeScalars.count), " characters long")
        case .list(let items): (measure, subject) = (Double(items.count), " long")
        case .null, .bool, .time, .duration, .json, .map, .secret: return nil
        }
        if let minimum, measure < minimum.value { return "must be at least \(minimum)\(subject)" }
        if let maximum, measure > maximum.value { return "must be at most \(maximum)\(subject)" }
        return nil
    }

    private func memberProblem(_ value: Value) -> String? {
        if members.isEmpty { return nil }
        guard case .json(.object(let object)) = value else { return "must be an object" }
        for (name, type) in members.sorted(by: { $0.key < $1.key }) {
            guard let member = object[name], member != .null else {
                if type.isOptional { continue }
                return "needs the member \"\(name)\" (\(type))"
            }
            if JSONForm.value(member, as: type.required) == nil {
                return "has a member \"\(name)\" that is no \(type.required)"
            }
        }
        return nil
    }
}
