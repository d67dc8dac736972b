/// Something that was refused for safety, or let through although a rule asks for more.
///
/// Made of failed and relaxed checks, and by connections. Holds no secret: `evidence` shows public things only, such as
/// the digests of certificates.
public struct SecurityEvent: Sendable, Hashable {
    /// How much somebody should care.
    public enum Severity: String, Sendable, Hashable, Comparable, CaseIterable {
        /// Worth knowing, nothing to do.
        case info
        /// Less than the rule asks for, as a file says; or it will be refused unless somebody does something.
        case warning
        /// Refused, or let through although nobody can tell a mistake from an attack.
        case critical

        public static func < (one: Severity, other: Severity) -> Bool { one.rank < other.rank }

        private var rank: Int {
            switch self {
            case .info: 0
            case .warning: 1
            case .critical: 2
            }
        }
    }

    /// What came of it.
    public enum Decision: String, Sendable, Hashable, CaseIterable {
        case refused, allowed
    }

    /// One thing that was seen or expected.
    public struct Evidence: Sendable, Hashable {
        /// What it is, in one or two words.
        public let name: String
        /// Without secrets.
        public let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// How much somebody should care.
    public let severity: Severity
    /// Whether the run went on with it.
    public let decision: Decision
    /// The rule: its number, its name, such as `tls-pin`, and where it is written.
    public let check: Check
    /// Host of the peer; `nil` where the event is not about one.
    public let host: String?
    /// One sentence for people, lower case, without a full stop.
    public let summary: String
    /// What was seen, and what was expected.
    public let evidence: [Evidence]

    package init(
        _ severity: Severity, _ decision: Decision, _ check: Check, host: String? = nil, _ summary: String,
        evidence: [Evidence] = []
    ) {
        self.severity = severity
        self.decision = decision
        self.check = check
        self.host = host
        self.summary = summary
        self.evidence = evidence
    }
}

extension SecurityEvent: CustomStringConvertible {
    /// One line for logs.
    public var description: String {
        let evidence = evidence.map { ", \($0.name): \($0.value)" }.joined()
        return "\(severity.rawValue): \(check.name)\(host.map { " of \($0)" } ?? ""): \(summary)\(evidence)"
    }
}

extension SecurityEvent {
    /// What a check means for security: the only place where the protocol's checks become events.
    ///
    /// - Returns: `nil` for a check that held or asks nothing, and for a failure that harms nobody.
    package init?(of result: CheckResult, host: String?) {
        switch result.verdict {
        case .passed, .notApplicable: return nil
        case .failed(let expected, let actual):
            guard result.check.isProtective else { return nil }
            self.init(
                .critical, .refused, result.check, host: host,
                "the check \(result.check.name) does not hold: refused",
                evidence: [Evidence("expected", expected), Evidence("found", actual)])
        case .relaxed(let reason):
            self.init(.warning, .allowed, result.check, host: host, "less than the rule asks for: \(reason)")
        }
    }
}
