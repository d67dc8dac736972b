package import FlowLanguage
internal import OAuthProtocol
internal import YAMLText

/// An input that the flow does not know, or that it needs.
package struct FlowInputError: Error, Sendable, Hashable, CustomStringConvertible {
    package let input: String
    package let description: String
}

extension FlowProgram {
    /// The values of all inputs in the order of the program.
    ///
    /// - Throws: `FlowInputError` for a name that is none, for a value that is not of the input's type, and for an input
    ///   without a value and without a default.
    package func inputValues(_ given: [String: Value]) throws(FlowInputError) -> [Value] {
        for name in given.keys.sorted() where !inputs.contains(where: { $0.name == name }) {
            let near =
                SpellingSuggestion.nearest(to: name, in: inputs.map(\.name)).map {
                    "; did you mean \"\($0)\"?"
                } ?? ""
            throw FlowInputError(input: name, description: "the flow has no input \"\(name)\"\(near)")
        }
        var values: [Value] = []
        for row in inputs {
            if let value = try given[row.name].map({ value throws(FlowInputError) in
                try Self.checked(value, row)
            }) ?? row.standard {
                if let problem = row.constraints?.problem(with: value) {
                    throw FlowInputError(
                        input: row.name, description: "the input \"\(row.name)\" \(problem)")
                }
                values.append(value)
            } else if row.type.isOptional {
                values.append(.null)
            } else {
                throw FlowInputError(
                    input: row.name, description: "the flow needs the input \"\(row.name)\" (\(row.type))")
            }
        }
        return values
    }

    /// The value itself is not in the message: it may be a secret.
    private static func checked(_ value: Value, _ row: InputRow) throws(FlowInputError) -> Value {
        if let checked = PortValue.checked(value, as: row.type) {
            guard row.type.required == .url, let text = checked.text,
                EndpointURL.check(text, allowLoopbackHTTP: true) != nil
            else { return checked }
        }
        throw FlowInputError(
            input: row.name, description: "the value of the input \"\(row.name)\" is no \(row.type)")
    }
}
