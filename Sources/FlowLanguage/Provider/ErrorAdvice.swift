/// What a provider's own error code means, and what to do about it.
package struct ErrorAdvice: Sendable {
    package enum Match: Sendable, Hashable {
        case code(String)
        case pattern(Pattern)
    }

    package let match: Match
    package let cause: String
    package let fix: String?
    package let url: String?
    /// The outcome of a step that the error ends, where the usual table is wrong for this provider.
    package let outcome: String?
}

/// An outcome for the answers that a condition holds for.
package struct ClassificationRule: Sendable {
    package let condition: CodeRange
    package let outcome: String
}

extension ProviderDescriptor {
    /// What the descriptor says about an error of its provider; the first entry that matches.
    package func advice(code: String?, description: String?) -> ErrorAdvice? {
        errors.first { entry in
            switch entry.match {
            case .code(let known): code == known
            case .pattern(let pattern):
                [code, description].contains { $0.map(pattern.matches) ?? false }
            }
        }
    }
}
