package import FlowLanguage

/// What the machine wants next.
package enum Decision: Sendable {
    case perform(EffectRequest)
    case finish(FlowEnd)
}

/// How a run ended.
package struct FlowEnd: Sendable {
    package let end: Int
    package let name: String
    package let result: EndRow.Result
    package let message: String?
    /// Set when the flow did not come to this end by itself, or the end names one.
    package var error: RunFailure?
    package let outputs: [(name: String, value: Value)]
    package let transitions: Int
    package let retries: Int
}

/// Why the engine itself ended a run.
package struct RunFailure: Error, Sendable, Hashable {
    /// Stable code, such as `deadline` or `hook_failed`.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case deadline, transitions, visits
        case hookFailed = "hook_failed"
        case hookRefused = "hook_refused"
        case cancelled
        /// A sub-flow gets a value that it does not take.
        case inputInvalid = "input_invalid"
        case redirectUnavailable = "redirect_unavailable"
        case lockTimeout = "lock_timeout"
        /// The store, or the folder of its locks, cannot be used.
        case storeFailed = "store_failed"
        case randomness
        /// The journal cannot be written, or belongs to another program.
        case journal = "journal_failed"
        /// Somebody must answer, and nobody can be asked now.
        case suspended
        /// The client's key or secret is missing or cannot be used.
        case clientKey = "client_key"
        /// An endpoint that an answer has filled in leads where it must not.
        case endpointRefused = "endpoint_refused"
        /// A connection breaks its policy or leads to an address where the request must not go.
        case transportRefused = "transport_refused"
    }

    package let code: Code
    package internal(set) var message: String
    /// Process status of the host that stopped the run; `nil` leaves it to the code.
    package let exit: Int?

    package init(_ code: Code, _ message: String, exit: Int? = nil) {
        self.code = code
        self.message = message
        self.exit = exit
    }
}
