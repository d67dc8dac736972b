internal import YAMLText

/// Comparisons with a text that a value never is, since its declaration lists the values that it may have (FL028).
extension ExpressionEmitter {
    mutating func checkChoices(_ left: Expression, _ right: Expression) {
        checkChoices(of: left, right)
        checkChoices(of: right, left)
    }

    private mutating func checkChoices(of name: Expression, _ other: Expression) {
        guard let (path, choices) = choices(of: name) else { return }
        let literals = if case .list(let elements) = other.node { elements } else { [other] }
        for literal in literals {
            guard case .literal(.string(let text), _) = literal.node, !choices.contains(text) else {
                continue
            }
            let suggestion = didYouMean(text, among: choices)
            report(
                "FL028", literal.range, "\"\(path)\" is never '\(text)'\(suggestion)",
                hint: "its values are \(choices.joined(separator: ", "))",
                fix: suggestion.fix.map { Diagnostic.Fix("'\($0.text)'") }, severity: .warning)
        }
    }

    private func choices(of expression: Expression) -> (path: String, choices: [String])? {
        guard case .path(let root, let selections) = expression.node else { return nil }
        var path = [root]
        for selection in selections {
            guard case .member(let name) = selection.key else { return nil }
            path.append(name)
        }
        guard case .slot(let slot, _, consumed: path.count) = context.scope.resolve(path) else { return nil }
        return context.scope.choices(of: slot).map { (path.joined(separator: "."), $0) }
    }
}
