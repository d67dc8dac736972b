internal import FlowEngine

/// A failure in words, the same in every report.
struct FailureWords: Sendable {
    struct Row: Sendable, Hashable {
        let label: String
        let value: String
        /// Why this alone explains the failure.
        var suspicion: String?
    }

    let headline: String
    /// The step's outcome, or the engine's own code.
    let code: String
    /// `400 invalid_grant`
    let verdict: String
    let rows: [Row]
    /// Most likely first.
    let causes: [String]
    let fixes: [String]
    let exit: String

    /// - Returns: `nil` for a success, and for no run that nobody has seen the end of: who counts failures would take
    ///   it for one.
    static func of(_ run: RunRecord) -> FailureWords? {
        run.end == nil ? FailureWords(unfinished: run.start.run) : run.failure.map(FailureWords.init)
    }

    private init(unfinished run: String) {
        headline = "the trace breaks off here: nobody knows how the run ended"
        (code, verdict) = ("unfinished", "unfinished")
        rows = []
        causes = ["its process was killed, the machine stopped, or the run is still going"]
        fixes = ["flowrun journal \(run)   shows whether it can be resumed"]
        exit = "none"
    }

    init(_ report: FailureReport) {
        let text = report.text
        headline = text.headline
        code = report.outcome
        var words = [report.outcome]
        // An answer that was refused here had a good status.
        if let status = report.status, status >= 400 { words.insert(String(status), at: 0) }
        let said = words + report.failedChecks.map(\.name)
        if let error = report.error, !said.contains(error), !error.hasPrefix("http_") { words.append(error) }
        verdict = words.joined(separator: " ")
        rows = Self.rows(report)
        causes = report.evidence.compactMap(\.suspicion) + text.causes
        fixes = text.fixes
        exit = "\(report.exit) (\(ExitName.of(report.exit)))"
    }

    private static func rows(_ report: FailureReport) -> [Row] {
        var rows: [Row] = []
        if let description = report.shownDescription {
            rows.append(Row(label: report.quotesServer ? "server said" : "reason", value: description))
        }
        if let rule = report.rule { rows.append(Row(label: "rule", value: rule)) }
        for (check, expected, actual) in report.toldChecks {
            rows.append(
                Row(label: "check", value: "\(check.name), \(check.reference), rule \(check.number)"))
            rows.append(Row(label: "expected", value: expected))
            rows.append(Row(label: "got", value: actual))
        }
        return rows
            + report.evidence.map { Row(label: $0.label, value: $0.value, suspicion: $0.suspicion) }
    }

    /// All of it, a line each.
    var lines: [String] {
        [headline] + rows.map { "\($0.label): \($0.value)" } + causes.map { "why: \($0)" }
            + fixes.map { "fix: \($0)" }
    }
}
