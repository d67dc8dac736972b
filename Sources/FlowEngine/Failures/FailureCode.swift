/// One of the stable codes of failures, with its class and its process status.
///
/// The codes are the names of outcomes, the engine's own failures, and what stops a program before a run. A flow may
/// declare others; their class is that of the end or of the outcome.
package struct FailureCode: Sendable, Hashable {
    package let name: String
    package let failureClass: FailureClass
    package let exitStatus: Int

    /// Every code once, by class.
    package static let all = FailureClass.allCases.flatMap { failureClass in
        names(of: failureClass).map { name in
            FailureCode(
                name: name, failureClass: failureClass,
                exitStatus: statuses[name] ?? failureClass.exitStatus)
        }
    }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    package static func named(_ name: String) -> FailureCode? { byName[name] }

    // Codes of programs that embed the engine, where there is no run yet.

    /// Flow or descriptor have mistakes.
    package static let fileInvalid = "file_invalid"
    /// The flow has no such input, or needs one that is not given.
    package static let inputInvalid = "input_invalid"
    /// What a run needs of the program or of the machine is missing, or of no use.
    package static let setupFailed = "setup_failed"
    /// The session store was sealed with another passphrase than the one that was given.
    package static let wrongPassphrase = "wrong_passphrase"
    /// A run cannot go on with the flow as it is now.
    package static let migrationRefused = "migration_refused"
    /// A ticket of a sign-in that was put aside is none, or was sealed with another key.
    package static let ticketInvalid = "ticket_invalid"
    /// An access token was to go to a server that neither its provider nor the user names.
    package static let hostNotAllowed = "host_not_allowed"
    /// The flow came to a failure end by a choice of its own.
    package static let unsuccessful = "unsuccessful"

    private static func names(of failureClass: FailureClass) -> [String] {
        switch failureClass {
        case .cancelled: ["cancelled", "timeout", "deadline"]
        case .denied: ["access_denied", "interaction_required", "hook_refused"]
        case .configuration:
            [
                "not_found", "unsupported", "invalid_client", "invalid_target", "client_key", "hook_failed",
                "port_failed", "exhausted", "transitions", "visits", fileInvalid, inputInvalid,
                setupFailed, migrationRefused, unsuccessful,
            ]
        case .provider:
            ["rejected", "server_error", "rate_limited", "malformed", "partial", "assertion_failed"]
        case .network: ["network", "unanswered", "keys_unavailable"]
        case .security:
            [
                "state_mismatch", "issuer_mismatch", "nonce_mismatch", "signature_invalid",
                "audience_mismatch", "subject_mismatch", "claims_invalid", "replayed", "insecure",
                "metadata_untrusted", "endpoint_refused", "transport_refused", hostNotAllowed,
            ]
        case .session:
            [
                "absent", "expired", "unrefreshable", "insufficient", "headless", "invalid_grant", "inactive",
                "unauthorized", "insufficient_scope", "insufficient_auth", "suspended", ticketInvalid,
            ]
        case .storage:
            [
                "corrupt", "conflict", "store_failed", wrongPassphrase, "lock_timeout",
                "redirect_unavailable", "randomness", "journal_failed",
            ]
        }
    }

    /// Where the command line tells a code from its class.
    private static let statuses = [
        "timeout": 10, "deadline": 10, "hook_failed": 11, "hook_refused": 11, "port_failed": 11,
        "assertion_failed": 12,
        "exhausted": 1, "transitions": 1, "visits": 1, "randomness": 1, unsuccessful: 1,
    ]
}
