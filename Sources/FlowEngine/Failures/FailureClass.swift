package import FlowLanguage

/// What kind of thing stopped a sign-in: what a program decides by, whatever the code.
public enum FailureClass: String, Sendable, Hashable, CaseIterable {
    /// The person or the program gave up, or the time was over.
    case cancelled
    /// The person, the provider's policy or a hook said no.
    case denied
    /// A file, a registration, the setup or the flow does not fit.
    case configuration
    /// The provider answered with an error, or with something else than it should.
    case provider
    /// No connection, or no answer.
    case network
    /// A check against attackers failed.
    case security
    /// There is no usable session, and a person must sign in.
    case session
    /// The store, or something else of this machine.
    case storage

    /// The process status of a failure whose code has none of its own.
    package var exitStatus: Int {
        switch self {
        case .cancelled: 130
        case .denied: 5
        case .configuration: 3
        case .provider: 6
        case .network: 8
        case .security: 7
        case .session: 4
        case .storage: 9
        }
    }

    /// What a flow says with the `exit` of an end; `nil` for a status that is none of a class.
    package init?(exitStatus: Int) {
        let isTimeout = exitStatus == 10
        guard
            let found = Self.allCases.first(where: {
                isTimeout ? $0 == .cancelled : $0.exitStatus == exitStatus
            })
        else { return nil }
        self = found
    }

    /// The class of an outcome that a flow declares itself.
    package init(_ outcomeClass: OutcomeClass) {
        switch outcomeClass {
        case .denied: self = .denied
        case .grant, .choice: self = .session
        case .config, .success: self = .configuration
        case .transient: self = .network
        case .security: self = .security
        case .data: self = .provider
        case .limit: self = .cancelled
        case .internal: self = .storage
        }
    }
}
