package import YAMLText

/// What a name in an expression stands for.
package enum ScopeResolution: Sendable, Hashable {
    /// The first `consumed` names of the path are slot `slot` of that type; further names select inside it.
    case slot(Int, FlowType, consumed: Int)
    /// Nothing of that name here: what to report. `at` is the index of the wrong name in the path.
    case unknown(code: String, message: String, hint: String?, fix: Diagnostic.Fix? = nil, at: Int)
}

/// The names that expressions may use: a flow's, or a descriptor's.
package protocol ExpressionScope {
    /// Resolves a dotted path such as `["steps", "verify", "subject"]`.
    func resolve(_ path: [String]) -> ScopeResolution

    /// Whether the empty text in a slot stands for no value.
    func isUnsetWhenEmpty(_ slot: Int) -> Bool

    /// The only texts that a slot may hold; `nil` where any may stand there.
    func choices(of slot: Int) -> [String]?
}

extension ExpressionScope {
    package func isUnsetWhenEmpty(_ slot: Int) -> Bool { false }

    package func choices(of slot: Int) -> [String]? { nil }
}
