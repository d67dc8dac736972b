public import YAMLText

/// Why a sign-in did not succeed: what to decide by, and what to tell a person.
///
/// Holds no secret. With `FlowFoundation` it is a `LocalizedError`.
public struct SignInFailure: Error, Sendable, Hashable {
    /// Stable, such as `state_mismatch`; one that the flow declares may be any.
    public let code: String
    /// What to decide by.
    public let failureClass: FailureClass
    /// Name of the step that failed; `nil` where it was none.
    public let step: String?
    /// Name of the hook that failed or refused, or that gave the step its outcome; `nil` where it was none. One of a flow
    /// that runs as a step bears that step's name, as `provision/allow-list`.
    public let hook: String?
    /// What the provider, the connection or a file said, in its own words.
    public let detail: String?
    /// How long the provider asks to wait before the next request (Retry-After, RFC 9110 §10.2.3); `nil` where it asks for
    /// nothing.
    public let retryAfter: Duration?
    /// What it means and what helps, in the language of the `texts` of the runner.
    public let text: FailureText
    /// The mistakes of the files; empty where there are none.
    public let diagnostics: [Diagnostic]

    package init(
        _ subject: FailureSubject, step: String? = nil, hook: String? = nil, detail: String? = nil,
        retryAfter: Duration? = nil, text: FailureText, diagnostics: [Diagnostic] = []
    ) {
        code = subject.code
        failureClass = subject.failureClass
        self.step = step
        self.hook = hook
        self.detail = detail
        self.retryAfter = retryAfter
        self.text = text
        self.diagnostics = diagnostics
    }

    /// One that nothing brought about, for what a program says of failures in its own tests and previews.
    ///
    /// - Parameters:
    ///   - code: One of those that <doc:Failures> lists, whose class and text it has; any other is one of configuration.
    ///   - texts: Where the text is from.
    public init(
        code: String, step: String? = nil, hook: String? = nil, detail: String? = nil,
        retryAfter: Duration? = nil, texts: FailureTexts = .english
    ) {
        self.init(before: code, step: step, hook: hook, detail: detail, retryAfter: retryAfter, texts)
    }

    /// What stops a program before a run.
    ///
    /// - Parameter error: What has a text of its own among what bears the code.
    package init(
        before code: String, error: String? = nil, step: String? = nil, hook: String? = nil, detail: String?,
        retryAfter: Duration? = nil, diagnostics: [Diagnostic] = [], _ texts: FailureTexts
    ) {
        let failureClass = FailureCode.named(code)?.failureClass ?? .configuration
        let subject = FailureSubject(kind: "", code: code, error: error, failureClass)
        self.init(
            subject, step: step, hook: hook, detail: detail, retryAfter: retryAfter,
            text: texts.text(for: subject), diagnostics: diagnostics)
    }

    /// Mistakes of files.
    package init(files diagnostics: [Diagnostic], _ texts: FailureTexts) {
        let errors = diagnostics.filter { $0.severity == .error }
        let detail = errors.first.map { first in
            "\(first.file):\(first.span.start.line):\(first.span.start.column): \(first.message)"
                + (errors.count > 1 ? " (and \(errors.count - 1) more)" : "")
        }
        self.init(
            before: FailureCode.fileInvalid, detail: detail, diagnostics: diagnostics, texts)
    }

    /// Whether the same may succeed later without a change.
    public var isRetryable: Bool { text.isRetryable }

    // What `LocalizedError` asks for.

    /// The headline and the detail, for a person; once where the detail begins with the same words.
    public var errorDescription: String? {
        guard let detail else { return text.headline }
        return detail.hasPrefix(text.headline) ? detail : "\(text.headline): \(detail)"
    }
    /// The likely causes; `nil` where the code says it all.
    public var failureReason: String? { text.causes.isEmpty ? nil : text.causes.joined(separator: "; ") }
    /// What helps; `nil` where nothing is known to.
    public var recoverySuggestion: String? { text.fixes.isEmpty ? nil : text.fixes.joined(separator: "; ") }
}

extension SignInFailure: CustomStringConvertible {
    public var description: String { "\(code) (\(failureClass.rawValue)): \(errorDescription ?? "")" }
}
