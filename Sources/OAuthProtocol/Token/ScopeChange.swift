/// How the scope that was granted differs from the one that was asked for (RFC 6749 §3.3 and §5.1).
package struct ScopeChange: Sendable, Hashable {
    /// Asked for and not granted.
    package let missing: [String]
    /// Granted without having been asked for.
    package let added: [String]

    package init(missing: [String], added: [String]) {
        self.missing = missing
        self.added = added
    }

    package var isEmpty: Bool { missing.isEmpty && added.isEmpty }

    /// Compares; neither difference is a failure, for the server decides.
    ///
    /// - Parameters:
    ///   - granted: `nil` when the server did not say: then it is what was asked for.
    ///   - asked: Empty where the server was left to choose.
    package static func of(
        granted: [String]?, asked: [String], log: inout CheckLog
    ) -> ScopeChange {
        guard let granted, !asked.isEmpty else {
            log.pass(Checks.scopeChange)
            return ScopeChange(missing: [], added: [])
        }
        let change = ScopeChange(
            missing: asked.filter { scope in !granted.contains { $0.isExactly(scope) } },
            added: granted.filter { scope in !asked.contains { $0.isExactly(scope) } })
        if change.isEmpty {
            log.pass(Checks.scopeChange)
        } else {
            log.skip(Checks.scopeChange, because: change.words)
        }
        return change
    }

    private var words: String {
        var parts: [String] = []
        if !missing.isEmpty { parts.append("not granted: \(missing.joined(separator: " "))") }
        if !added.isEmpty { parts.append("granted unasked: \(added.joined(separator: " "))") }
        return parts.joined(separator: "; ")
    }
}
