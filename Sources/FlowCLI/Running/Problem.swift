internal import FlowEngine
internal import FlowLive
internal import YAMLText

/// Why a command could not do its work: what is printed, and the status.
struct Problem: Error, Sendable {
    let status: ExitStatus
    /// Lower case, without a full stop.
    let message: String
    let hints: [String]
    /// Mistakes in files, which are shown with their places in front of the message.
    let diagnostics: [Diagnostic]
    let sources: [SourceFile]
    /// One that `flowrun explain` knows; `nil` where the message says it all.
    var code: String?

    init(
        _ status: ExitStatus, _ message: String, hints: [String] = [], diagnostics: [Diagnostic] = [],
        sources: [SourceFile] = []
    ) {
        self.status = status
        self.message = LongText.shortened(message)
        self.hints = hints.map(LongText.shortened)
        self.diagnostics = diagnostics
        self.sources = sources
    }

    /// What helps, in a line: also what has to be looked at first.
    var fix: String? { hints.isEmpty ? nil : hints.joined(separator: "; ") }

    init(_ problem: FileProblem, _ status: ExitStatus = .config) {
        self.init(status, problem.description)
    }

    init(_ problem: LibraryProblem) {
        self.init(.usage, problem.message, hints: problem.hint.map { [$0] } ?? [])
    }

    init(_ error: UsageError) {
        self.init(.usage, error.message, hints: [error.hint])
    }
}

extension Problem {
    init(_ error: StoreError) {
        guard case .wrongPassphrase = error else {
            self.init(.local, error.words)
            return
        }
        self = .wrongPassphrase(error.words)
    }

    static func wrongPassphrase(_ words: String) -> Problem {
        var problem = Problem(.local, words, hints: ["more: flowrun explain \(FailureCode.wrongPassphrase)"])
        problem.code = FailureCode.wrongPassphrase
        return problem
    }

    /// Nobody has said where files of this user go.
    ///
    /// - Parameters:
    ///   - instead: What helps besides HOME, as `set XDG_DATA_HOME`.
    ///   - hints: What helps whoever needs no such place.
    static func noPlace(
        for what: String, _ surroundings: Surroundings, instead: String, hints: [String] = []
    ) -> Problem {
        let cause =
            surroundings.variable("HOME") == nil
            ? "HOME is not set, and the user database knows no home directory"
            : "HOME is not an absolute path"
        return Problem(
            .local, "there is no place for \(what): \(cause)",
            hints: ["set HOME to an absolute path, or \(instead)"] + hints)
    }
}
