/// What a failure means and what helps, in one language.
///
/// Texts may bear named arguments: `{flow}`, `{provider}`, `{host}`, `{host_name}`, `{origin}` and `{redirect_uri}` stand
/// for the run's own, `{provider_word}` for what a command calls the provider, and the name of a phrase of the catalogue for the
/// phrase.
public struct FailureText: Sendable, Hashable {
    /// One sentence, lower case, without a full stop.
    public let headline: String
    /// Most likely first.
    public let causes: [String]
    /// What helps, the most promising first; a command stands before what it does.
    public let fixes: [String]
    /// Whether the same may succeed later without a change.
    public let isRetryable: Bool

    /// The texts as a catalogue has them, with `{arguments}`.
    public init(
        _ headline: String, why causes: [String], fix fixes: [String], isRetryable: Bool = false
    ) {
        self.headline = headline
        self.causes = causes
        self.fixes = fixes
        self.isRetryable = isRetryable
    }

    /// What the provider's descriptor knows of the very error comes first.
    package func with(why causes: [String], fix fixes: [String]) -> FailureText {
        FailureText(headline, why: causes + self.causes, fix: fixes + self.fixes, isRetryable: isRetryable)
    }

    /// The same with fixes that come last.
    package func with(otherFixes: [String]) -> FailureText {
        FailureText(headline, why: causes, fix: fixes + otherFixes, isRetryable: isRetryable)
    }

    func map(isRetryable: Bool, _ fill: (String) -> String) -> FailureText {
        FailureText(
            fill(headline), why: causes.map(fill), fix: fixes.map(fill), isRetryable: isRetryable)
    }
}
