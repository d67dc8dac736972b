package import JOSE

/// One record of a run's journal (flow/1 §12).
///
/// Steps, transitions and variables are not recorded: the machine is a pure function of its inputs, so the inputs are
/// the whole story of a run and the rest is computed from them.
package struct JournalEntry: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case started = "run_started"
        /// A request is about to be sent that must not be sent twice.
        case intended = "effect_intended"
        /// What the world reported, with the time it did.
        case reported = "effect_result"
        case suspended
        case resumed
        /// From here on the run is one of another program, which was begun with its inputs.
        case migrated
        case ended = "run_ended"
    }

    package let kind: Kind
    /// Milliseconds since 1970.
    package let time: Int64
    /// What a list of records shows: nothing secret.
    package let facts: JSONObject
    /// What a resumed run needs, secrets in clear: only for a sealed store. Empty once the run has ended.
    package let content: JSONObject

    package init(_ kind: Kind, at time: Int64, facts: JSONObject = [:], content: JSONObject = [:]) {
        self.kind = kind
        self.time = time
        self.facts = facts
        self.content = content
    }
}

/// What others may know of a run without reading its records.
package enum RunStanding: Sendable, Hashable {
    case working
    /// A request is on its way that must not be sent twice; with the stored session whose refresh token it bears.
    case spending(TokenSet.StoredPlace?)
    /// The answer to that request is known, or it certainly never arrived.
    case spent
    /// Somebody must answer until then; `state` is a digest of the parameter that the answer will bear.
    case waiting(state: String?, until: Int64)
    case ended(end: String, exit: Int)
}

/// Why records could not be kept, or say something that cannot be.
package struct JournalFailure: Error, Sendable, Hashable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}

/// Keeps the records of one run.
package protocol RunJournal: Sendable {
    /// Appends records and returns when they would survive a crash, all of them or none.
    func append(_ entries: [JournalEntry], _ standing: RunStanding) async throws(JournalFailure)
}
