/// How a step ended: one of the fixed names of flow/1 §6, or one that the step itself declares.
///
/// A value of one byte so that routes are found by index. Numbers below `firstDeclared` are the fixed names.
package struct Outcome: Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let firstDeclared: UInt8 = 64

    /// The fixed outcome of that name.
    package static func named(_ name: String) -> Outcome? {
        names.firstIndex(of: name).map { Outcome(rawValue: UInt8($0)) }
    }

    /// The fixed name; `nil` for an outcome that a step declares.
    package var name: String? {
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

    package static let ok = Outcome(rawValue: 0)
    package static let skipped = Outcome(rawValue: 1)
    package static let assertionFailed = Outcome(rawValue: 2)
    package static let exhausted = Outcome(rawValue: 3)
    package static let expired = Outcome(rawValue: 4)
    package static let unrefreshable = Outcome(rawValue: 5)
    package static let absent = Outcome(rawValue: 6)
    package static let insufficient = Outcome(rawValue: 7)
    package static let corrupt = Outcome(rawValue: 8)
    package static let storeFailed = Outcome(rawValue: 9)
    package static let network = Outcome(rawValue: 10)
    package static let unanswered = Outcome(rawValue: 11)
    package static let serverError = Outcome(rawValue: 12)
    package static let rateLimited = Outcome(rawValue: 13)
    package static let malformed = Outcome(rawValue: 14)
    package static let notFound = Outcome(rawValue: 15)
    package static let unsupported = Outcome(rawValue: 16)
    package static let issuerMismatch = Outcome(rawValue: 17)
    package static let insecure = Outcome(rawValue: 18)
    package static let metadataUntrusted = Outcome(rawValue: 19)
    package static let headless = Outcome(rawValue: 20)
    package static let invalidClient = Outcome(rawValue: 21)
    package static let rejected = Outcome(rawValue: 22)
    package static let accessDenied = Outcome(rawValue: 23)
    package static let interactionRequired = Outcome(rawValue: 24)
    package static let cancelled = Outcome(rawValue: 25)
    package static let timeout = Outcome(rawValue: 26)
    package static let stateMismatch = Outcome(rawValue: 27)
    package static let replayed = Outcome(rawValue: 28)
    package static let invalidGrant = Outcome(rawValue: 29)
    package static let insufficientAuth = Outcome(rawValue: 30)
    package static let keysUnavailable = Outcome(rawValue: 31)
    package static let signatureInvalid = Outcome(rawValue: 32)
    package static let audienceMismatch = Outcome(rawValue: 33)
    package static let nonceMismatch = Outcome(rawValue: 34)
    package static let subjectMismatch = Outcome(rawValue: 35)
    package static let claimsInvalid = Outcome(rawValue: 36)
    package static let unauthorized = Outcome(rawValue: 37)
    package static let insufficientScope = Outcome(rawValue: 38)
    package static let conflict = Outcome(rawValue: 39)
    package static let partial = Outcome(rawValue: 40)
    package static let inactive = Outcome(rawValue: 41)
    package static let invalidTarget = Outcome(rawValue: 42)
    package static let portFailed = Outcome(rawValue: 43)
}

/// What an outcome means for the route that follows (flow/1 §6).
package enum OutcomeClass: String, Sendable, Hashable, CaseIterable {
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
