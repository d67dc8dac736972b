package import YAMLText

/// The mistakes of one file, collected while it is read and checked.
struct Findings {
    let file: String
    var diagnostics: [Diagnostic] = []
    /// What is wrong only with some providers.
    var deferred: [DeferredFinding] = []

    init(file: String) {
        self.file = file
    }

    /// Reports a rule's violation with the severity of the rule.
    ///
    /// - Parameter fix: What to write there instead.
    mutating func report(
        _ code: String, at span: SourceSpan, _ message: String, hint: String? = nil,
        fix: Diagnostic.Fix? = nil
    ) {
        guard let rule = FlowRule.rule(of: code) else { preconditionFailure("no rule has the code \(code)") }
        diagnostics.append(
            Diagnostic(
                code: code, severity: rule.severity, file: file, span: span, message: message, hint: hint,
                fix: fix))
    }

    /// Sorted by place, each once: two paths through the rules may find the same thing.
    var sorted: [Diagnostic] {
        var last: Diagnostic?
        return diagnostics.toldOnce().filter { diagnostic in
            defer { last = diagnostic }
            return diagnostic != last
        }
    }
}

/// A mistake that depends on what the provider's descriptor says; the flow names a descriptor, so it can be looked at.
package struct DeferredFinding: Sendable {
    /// What the descriptor must say for the flow to be right.
    package enum Condition: Sendable, Hashable {
        /// Refresh tokens stay the same and may be sent again.
        case keepsRefreshTokens
        /// It has an endpoint, or a value for flows, of that name; without a demand for it a flow does
        /// without.
        case names(String, in: ProviderMember, isDemanded: Bool)
    }

    package let provider: Int
    package let condition: Condition
    package let diagnostic: Diagnostic

    /// The same of another provider: an inner flow's are others in the flow around it.
    func of(provider: Int) -> DeferredFinding {
        DeferredFinding(provider: provider, condition: condition, diagnostic: diagnostic)
    }
}
