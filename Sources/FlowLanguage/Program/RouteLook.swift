package import YAMLText

/// A place where the language looks for the line that routes an outcome, and what it finds there (flow/1 §6).
///
/// The routes of a step are found when its flow is compiled; this is kept for whoever asks why they lead where they do.
package struct RouteLook: Sendable, Hashable {
    package enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// This line routes the outcome.
        case taken
        /// There is no such line.
        case absent
        /// There is one, but `any` never covers a choice.
        case notCovered = "not_covered"
        /// There is one, but an earlier place had a line already.
        case notReached = "not_reached"
    }

    package let reason: RouteRow.Reason
    /// What a line there says: `unauthorized`, `any.grant`, `any`; `next` for one target of every success.
    package let selector: String
    /// Of the line; `nil` where there is none.
    package let span: SourceSpan?
    package let verdict: Verdict

    package init(reason: RouteRow.Reason, selector: String, span: SourceSpan?, verdict: Verdict) {
        self.reason = reason
        self.selector = selector
        self.span = span
        self.verdict = verdict
    }
}
