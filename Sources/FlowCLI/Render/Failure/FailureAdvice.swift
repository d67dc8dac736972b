/// What a failure means and what helps: looked up by the step's kind, its error and its outcome.
///
/// `{provider}`, `{flow}`, `{host}` and `{redirect_uri}` in the texts stand for the run's own.
struct FailureAdvice: Sendable, Hashable {
    let headline: String
    /// Most likely first.
    let causes: [String]
    let fixes: [String]
    /// Whether the same command may succeed later without a change.
    let isRetryable: Bool

    init(_ headline: String, why causes: [String], fix fixes: [String], isRetryable: Bool = false) {
        self.headline = headline
        self.causes = causes
        self.fixes = fixes
        self.isRetryable = isRetryable
    }

    /// The advice for the most specific key that has one: kind and outcome, error, outcome, class.
    static func of(_ report: FailureReport) -> FailureAdvice {
        let keys = [
            report.error.map { "\(report.kind).\($0)" }, "\(report.kind).\(report.outcome)", report.error,
            report.outcome, report.outcomeClass,
        ]
        let found = keys.lazy.compactMap { $0.flatMap { table[$0] } }.first
        return (found ?? other).with(report.providerCauses, report.providerFixes).filled(report)
    }

    private static let other = FailureAdvice(
        "the step did not succeed", why: [],
        fix: ["run it again with -vv to see every request, answer and check"])

    /// What the provider's descriptor knows of the very error comes first.
    private func with(_ causes: [String], _ fixes: [String]) -> FailureAdvice {
        FailureAdvice(
            headline, why: causes + self.causes, fix: fixes + self.fixes, isRetryable: isRetryable)
    }

    private func filled(_ report: FailureReport) -> FailureAdvice {
        let values = [
            ("{provider}", report.provider), ("{flow}", report.flow), ("{host}", report.host ?? "the server"),
            ("{redirect_uri}", report.redirectURI ?? "the redirect URI of the run"),
        ]
        func fill(_ text: String) -> String {
            values.reduce(text) { $0.replacing($1.0, with: $1.1) }
        }
        return FailureAdvice(
            fill(headline), why: causes.map(fill), fix: fixes.map(fill), isRetryable: isRetryable)
    }
}
