/// Something about security that was refused, let through against a rule, or will soon be refused.
///
/// Holds no secret: `evidence` shows public things only, such as the digests of certificates.
public struct SecurityEvent: Sendable, Hashable {
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// Worth knowing, nothing to do.
        case info
        /// Will become a refusal unless somebody does something.
        case warning
        /// Refused, or let through although a rule says otherwise.
        case critical
    }

    /// One thing that was seen or expected.
    public struct Evidence: Sendable, Hashable {
        public let name: String
        public let value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public let severity: Severity
    /// Stable name of the rule, such as `tls-pin`.
    public let check: String
    /// Host of the peer; `nil` where the event is not about one.
    public let host: String?
    /// One sentence for people, lower case, without a full stop.
    public let summary: String
    public let evidence: [Evidence]

    public init(
        _ severity: Severity, _ check: String, host: String? = nil, _ summary: String,
        evidence: [Evidence] = []
    ) {
        self.severity = severity
        self.check = check
        self.host = host
        self.summary = summary
        self.evidence = evidence
    }
}
