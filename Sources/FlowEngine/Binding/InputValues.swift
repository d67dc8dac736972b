package import FlowLanguage
internal import OAuthProtocol
internal import YAMLText

/// Inputs that the flow does not know, that it needs, or that have wrong values: all of them.
package struct FlowInputError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
}

extension FlowProgram {
    /// The values of all inputs in the order of the program.
    ///
    /// - Throws: `FlowInputError` for a name that is none, for a value that is not of the input's type, and for an input
    ///   without a value and without a default.
    package func inputValues(_ given: [String: Value]) throws(FlowInputError) -> [Value] {
        var problems = given.keys.sorted().filter { name in !inputs.contains { $0.name == name } }.map {
            name in
            let nearest = SpellingSuggestion.nearest(to: name, in: inputs.map(\.name))
            return "the flow has no input \"\(name)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
        }
        var values: [Value] = []
        for row in inputs {
            do throws(FlowInputError) {
                values.append(try Self.value(given[row.name], row))
            } catch {
                problems.append(error.description)
            }
        }
        guard problems.isEmpty else { throw FlowInputError(description: problems.joined(separator: "; ")) }
        return values
    }

    /// The value itself is not in the message: it may be a secret.
    private static func value(_ given: Value?, _ row: InputRow) throws(FlowInputError) -> Value {
        guard
            let value = try given.map({ value throws(FlowInputError) in try checked(value, row) })
                ?? row.standard
        else {
            if row.type.isOptional { return .null }
            throw FlowInputError(description: "the flow needs the input \"\(row.name)\" (\(row.type))")
        }
        if let problem = row.constraints?.problem(with: value) {
            throw FlowInputError(description: "the input \"\(row.name)\" \(problem)")
        }
        return value
    }

    private static func checked(_ value: Value, _ row: InputRow) throws(FlowInputError) -> Value {
        var reason = ""
        if let checked = PortValue.checked(value, as: row.type) {
            guard row.type.required == .url, let text = checked.text,
                let problem = EndpointURL.check(text, allowLoopbackHTTP: true)
            else { return checked }
            reason = ": it \(problem.rawValue)"
        }
        throw FlowInputError(
            description: "the value of the input \"\(row.name)\" is no \(row.type)\(reason)")
    }
}
