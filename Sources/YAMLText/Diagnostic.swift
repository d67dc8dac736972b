/// One thing wrong with a file, for the one who wrote it.
///
/// Messages are lower case without a full stop, name the thing and say what to do. They hold text of the
/// file as it is, but for values of kilobytes, which are cut, and for words that look like a secret, which are not
/// repeated: only a renderer makes it fit for a terminal.
public struct Diagnostic: Sendable, Hashable {
    /// How bad it is; only an `error` stops a file from being used.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        case error, warning, info
    }

    /// A second place that explains the first, such as the first of two equal keys; in the same file.
    public struct Related: Sendable, Hashable {
        /// Where, in the same file.
        public let span: SourceSpan
        /// Lower case, without a full stop.
        public let message: String

        public init(span: SourceSpan, message: String) {
            self.span = span
            self.message = SecretWord.concealed(in: message) ?? message
        }
    }

    /// What to write in place of a span.
    public struct Fix: Sendable, Hashable {
        /// As it stands in the file, with quotes where it needs them.
        public let text: String
        /// Whether it is a name that the file itself gives and others go by, as that of an input: it may be this one that
        /// is misspelt, and must not be spread.
        public let isNamedByFile: Bool

        public init(_ text: String, isNamedByFile: Bool = false) {
            self.text = text
            self.isNamedByFile = isNamedByFile
        }
    }

    /// `FL` and three digits; a code never changes its meaning.
    public let code: String
    /// Whether anything is wrong, or only looks so.
    public let severity: Severity
    /// The path of the `SourceFile`.
    public let file: String
    /// Where in `file`.
    public let span: SourceSpan
    /// Whether a credential is written out there: no output may show that part of the line.
    public let isCredential: Bool
    /// Lower case, without a full stop.
    public let message: String
    /// What to do about it, when the message does not say so already.
    public let hint: String?
    /// What to write in place of `span`, where that is likely to be all that it takes; never of a credential.
    public let fix: Fix?
    /// Other places that have to do with it, such as the first of two with the same name.
    public let related: [Related]

    public init(
        code: String, severity: Severity = .error, file: String, span: SourceSpan, message: String,
        hint: String? = nil, fix: Fix? = nil, related: [Related] = [], isCredential: Bool = false
    ) {
        self.code = code
        self.severity = severity
        self.file = file
        self.span = span
        let concealed = SecretWord.concealed(in: message)
        self.message = LongText.shortened(concealed ?? message)
        self.hint = hint.map { LongText.shortened(SecretWord.concealed(in: $0) ?? $0) }
        self.related = related
        // Where a word is not repeated its line is not shown with it either.
        self.isCredential = isCredential || concealed != nil
        self.fix = self.isCredential ? nil : fix
    }
}

extension Diagnostic {
    /// The same in other words. What they say stands for the fix, which belonged to those before.
    package func with(message: String? = nil, hint: String? = nil) -> Diagnostic {
        Diagnostic(
            code: code, severity: severity, file: file, span: span, message: message ?? self.message,
            hint: hint ?? self.hint, related: related, isCredential: isCredential)
    }
}

extension Diagnostic: CustomStringConvertible {
    /// One line for a log, as `login.flow.yaml:31:5: error[FL025]: …`, with the words of the file as they are.
    public var description: String { "\(file):\(span.start): \(severity.rawValue)[\(code)]: \(message)" }
}

extension Diagnostic: Comparable {
    /// Orders by file, place, code and, so that no output depends on chance, message.
    public static func < (left: Diagnostic, right: Diagnostic) -> Bool {
        if left.file != right.file { return left.file < right.file }
        if left.span.start != right.span.start { return left.span.start < right.span.start }
        if left.code != right.code { return left.code < right.code }
        if left.message != right.message { return left.message < right.message }
        return left.span.end < right.span.end
    }
}

extension [Diagnostic] {
    /// True when something here stops the file from being used.
    package var hasErrors: Bool { contains { $0.severity == .error } }
}
