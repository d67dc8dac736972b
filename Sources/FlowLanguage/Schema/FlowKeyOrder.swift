package import YAMLText

/// The order of the keys of a flow file, from the same table as the schema.
package enum FlowKeyOrder {
    /// Keys as flow/1 §3 lists them; arguments as the kind of their step does.
    package static let flow = order(of: .keys(FlowShape.flow))

    private static func order(of shape: ValueShape) -> KeyOrder {
        switch shape {
        case .template, .text, .bool, .condition, .duration, .byteCount, .type, .id, .flowID, .scalar,
            .endpoint, .matching, .integer, .number, .word:
            return .asWritten
        case .list(let item): return .list(order(of: item))
        case .ids(let value), .names(let value), .selectors(let value):
            let order = order(of: value)
            return .names { _, _ in order }
        case .steps: return .names(stepOrder)
        case .keys(let keys), .open(let keys, _): return .keys(keys.map { ($0.name, order(of: $0.value)) })
        case .either(let shapes): return .either(shapes.map(order))
        case .named(_, let shape): return order(of: shape)
        }
    }

    @Sendable
    private static func stepOrder(_ name: String, _ step: YAMLNode) -> KeyOrder {
        let kind = StepKind(rawValue: step["do"]?.scalar?.text ?? name)
        let arguments = kind.map { KindTable.spec(of: $0).arguments } ?? []
        return .keys(
            FlowShape.step.map { key in
                guard key.name == "with" else { return (key.name, order(of: key.value)) }
                return (key.name, .keys(arguments.map { ($0.name, .asWritten) }))
            })
    }
}
