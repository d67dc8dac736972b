/// How a step ended: one of the fixed names of flow/1 §6, or one that the step itself declares.
///
/// A value of one byte so that routes are found by index. Numbers below `firstDeclared` are the fixed names.
public struct Outcome: Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let firstDeclared: UInt8 = 64

    /// The fixed outcome of that name.
    public static func named(_ name: String) -> Outcome? {
        names.firstIndex(of: name).map { Outcome(rawValue: UInt8($0)) }
    }

    /// The fixed name; `nil` for an outcome that a step declares.
    public var name: String? {
        rawValue < Self.names.count ? Self.names[Int(rawValue)] : nil
    }

    private static let names = [
        "ok", "skipped", "assertion_failed", "exhausted",
        "expired", "unrefreshable", "absent", "insufficient", "corrupt", "store_failed",
        "network", "unanswered", "server_error", "rate_limited", "malformed",
        "not_found", "unsupported", "issuer_mismatch", "insecure", "metadata_untrusted",
        "headless", "invalid_client", "rejected",
        "access_denied", "interaction_required", "cancelled", "timeout", "state_mismatch", "replayed",
        "invalid_grant", "insufficient_auth", "keys_unavailable", "signature_invalid", "audience_mismatch",
        "nonce_mismatch", "subject_mismatch", "claims_invalid", "unauthorized", "insufficient_scope",
        "conflict", "partial", "inactive", "invalid_target", "port_failed",
    ]

    public static let ok = Outcome(rawValue: 0)
    public static let skipped = Outcome(rawValue: 1)
    public static let assertionFailed = Outcome(rawValue: 2)
    public static let exhausted = Outcome(rawValue: 3)
    public static let expired = Outcome(rawValue: 4)
    public static let unrefreshable = Outcome(rawValue: 5)
    public static let absent = Outcome(rawValue: 6)
    public static let insufficient = Outcome(rawValue: 7)
    public static let corrupt = Outcome(rawValue: 8)
    public static let storeFailed = Outcome(rawValue: 9)
    public static let network = Outcome(rawValue: 10)
    public static let unanswered = Outcome(rawValue: 11)
    public static let serverError = Outcome(rawValue: 12)
    public static let rateLimited = Outcome(rawValue: 13)
    public static let malformed = Outcome(rawValue: 14)
    public static let notFound = Outcome(rawValue: 15)
    public static let unsupported = Outcome(rawValue: 16)
    public static let issuerMismatch = Outcome(rawValue: 17)
    public static let insecure = Outcome(rawValue: 18)
    public static let metadataUntrusted = Outcome(rawValue: 19)
    public static let headless = Outcome(rawValue: 20)
    public static let invalidClient = Outcome(rawValue: 21)
    public static let rejected = Outcome(rawValue: 22)
    public static let accessDenied = Outcome(rawValue: 23)
    public static let interactionRequired = Outcome(rawValue: 24)
    public static let cancelled = Outcome(rawValue: 25)
    public static let timeout = Outcome(rawValue: 26)
    public static let stateMismatch = Outcome(rawValue: 27)
    public static let replayed = Outcome(rawValue: 28)
    public static let invalidGrant = Outcome(rawValue: 29)
    public static let insufficientAuth = Outcome(rawValue: 30)
    public static let keysUnavailable = Outcome(rawValue: 31)
    public static let signatureInvalid = Outcome(rawValue: 32)
    public static let audienceMismatch = Outcome(rawValue: 33)
    public static let nonceMismatch = Outcome(rawValue: 34)
    public static let subjectMismatch = Outcome(rawValue: 35)
    public static let claimsInvalid = Outcome(rawValue: 36)
    public static let unauthorized = Outcome(rawValue: 37)
    public static let insufficientScope = Outcome(rawValue: 38)
    public static let conflict = Outcome(rawValue: 39)
    public static let partial = Outcome(rawValue: 40)
    public static let inactive = Outcome(rawValue: 41)
    public static let invalidTarget = Outcome(rawValue: 42)
    public static let portFailed = Outcome(rawValue: 43)
}

/// What an outcome means for the route that follows (flow/1 §6).
public enum OutcomeClass: String, Sendable, Hashable, CaseIterable {
    case success, choice, denied, grant, config, transient, security, data, limit
    case `internal`

    /// Whether the word `any` covers it: success and choice outcomes are always routed by name or class.
    package var isCoveredByAny: Bool {
        switch self {
        case .success, .choice: false
        case .denied, .grant, .config, .transient, .security, .data, .limit, .internal: true
        }
    }
}
