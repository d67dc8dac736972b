public import YAMLText

/// Why a sign-in did not succeed: what to decide by, and what to tell a person.
///
/// Holds no secret. With `FlowFoundation` it is a `LocalizedError`.
public struct SignInFailure: Error, Sendable, Hashable {
    /// Stable, such as `state_mismatch`; one that the flow declares may be any.
    public let code: String
    public let failureClass: FailureClass
    /// Name of the step that failed; `nil` where it was none.
    public let step: String?
    /// What the provider, the connection or a file said, in its own words.
    public let detail: String?
    public let text: FailureText
    /// The mistakes of the files; empty where there are none.
    public let diagnostics: [Diagnostic]

    package init(
        _ subject: FailureSubject, step: String? = nil, detail: String? = nil, text: FailureText,
        diagnostics: [Diagnostic] = []
    ) {
        code = subject.code
        failureClass = subject.failureClass
        self.step = step
        self.detail = detail
        self.text = text
        self.diagnostics = diagnostics
    }

    /// What stops a program before a run.
    package init(
        before code: String, detail: String?, diagnostics: [Diagnostic] = [], _ texts: FailureTexts
    ) {
        let failureClass = FailureCode.named(code)?.failureClass ?? .configuration
        let subject = FailureSubject(kind: "", code: code, error: nil, failureClass)
        self.init(subject, detail: detail, text: texts.text(for: subject), diagnostics: diagnostics)
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

    public var errorDescription: String? {
        [text.headline, detail].compactMap(\.self).joined(separator: ": ")
    }
    public var failureReason: String? { text.causes.isEmpty ? nil : text.causes.joined(separator: "; ") }
    public var recoverySuggestion: String? { text.fixes.isEmpty ? nil : text.fixes.joined(separator: "; ") }
}

extension SignInFailure: CustomStringConvertible {
    public var description: String { "\(code) (\(failureClass.rawValue)): \(errorDescription ?? "")" }
}
