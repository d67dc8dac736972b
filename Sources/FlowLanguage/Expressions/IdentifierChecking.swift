internal import YAMLText

/// Comparisons of identifiers: they are compared as they are, or two of them become one (FL069).
extension ExpressionEmitter {
    /// What identifies somebody or something, by the last name of a path.
    private static let identifiers: Set<String> = [
        "sub", "subject", "iss", "issuer", "aud", "state", "nonce", "client_id",
    ]

    private static let foldings: Set<String> = ["lower", "upper", "trim"]

    mutating func checkIdentifiers(_ operands: Expression...) {
        for operand in operands {
            guard case .call(let name, _, let arguments) = operand.node, Self.foldings.contains(name),
                let identifier = arguments.first.flatMap(Self.identifier)
            else { continue }
            report(
                "FL069", operand.range, "\"\(identifier)\" is compared after \(name)",
                hint: "two identifiers that differ only so are two; compare them as they are",
                severity: .warning)
        }
    }

    /// The identifier inside, also below another folding or left of `??`.
    private static func identifier(_ expression: Expression) -> String? {
        switch expression.node {
        case .path(let root, let selections):
            guard case .member(let name) = selections.last?.key ?? .member(root), identifiers.contains(name)
            else { return nil }
            return name
        case .call(let name, _, let arguments):
            let isTransparent = foldings.contains(name) || name == "string" || name == "default"
            return isTransparent ? arguments.first.flatMap(identifier) : nil
        case .binary(.coalesce, let left, _): return identifier(left)
        case .literal, .select, .list, .not, .binary: return nil
        }
    }
}
