/// What a step does.
public enum StepKind: String, Sendable, Hashable, CaseIterable {
    case restore
    case discover
    case authorize
    case callback
    case exchange
    case verifyIDToken = "verify_id_token"
    case userinfo
    case refresh
    case store
    case clear
    case choose
    case set
}

/// An argument that `with` may give to a step.
public struct ArgumentSpec: Sendable, Hashable {
    /// How the value is written.
    public enum Form: Sendable, Hashable {
        /// A literal or a template of that type.
        case expression(FlowType)
        /// One of the listed words.
        case word([String])
        /// A list of the listed words.
        case words([String])
        /// One of the listed words, or any other text.
        case openWord([String])
        case duration
        case bool
        /// The name of a token set.
        case tokenSet
        /// The id of a step of that kind; the only one when left out.
        case step(StepKind)
        /// Names with templates.
        case templates
    }

    public let name: String
    public let form: Form
    /// What holds when it is left out, for the reference page; `nil` when nothing does.
    public let standard: String?
    public let summary: String
}

/// A value that a step leaves behind for expressions.
public struct FieldSpec: Sendable, Hashable {
    public let name: String
    public let type: FlowType
}

/// An outcome that a kind can have, with its class there.
public struct OutcomeSpec: Sendable, Hashable {
    public let outcome: Outcome
    public let outcomeClass: OutcomeClass
}

/// What may be sent again when nobody knows whether it arrived (flow/1 §7).
public enum ReplayClass: Sendable, Hashable {
    /// Sending again changes nothing.
    case idempotent
    /// The credential it carries works once: never again after `unanswered`.
    case burning
    /// Nothing is sent.
    case local
}

/// Everything the linter, the compiler, the reference page and the command line know about one kind.
public struct KindSpec: Sendable, Hashable {
    public let kind: StepKind
    public let summary: String
    public let arguments: [ArgumentSpec]
    /// The fields on success outcomes, in slot order; `errorFields` follow them.
    public let fields: [FieldSpec]
    public let outcomes: [OutcomeSpec]
    public let replay: ReplayClass
    /// Whether a person is waited for, so that `timeout` defaults to five minutes.
    public let isInteractive: Bool

    /// Available on every outcome that is not ok.
    public static let errorFields = [
        FieldSpec(name: "error", type: .optional(.string)),
        FieldSpec(name: "description", type: .optional(.string)),
        FieldSpec(name: "status", type: .optional(.int)),
        FieldSpec(name: "retry_after", type: .optional(.duration)),
    ]

    public func outcomeClass(of outcome: Outcome) -> OutcomeClass? {
        switch outcome {
        case .skipped: .choice
        case .assertionFailed: .data
        case .exhausted: .limit
        default: outcomes.first { $0.outcome == outcome }?.outcomeClass
        }
    }
}

extension KindSpec {
    /// Whether a step that ended so has left its fields behind.
    ///
    /// `restore` loads a session on four outcomes (flow/1 §6). A step whose assertion failed has done its work.
    func definesFields(after outcome: Outcome) -> Bool {
        if outcome == .assertionFailed { return true }
        if kind == .restore { return loadsSession(on: outcome) }
        return outcomeClass(of: outcome) == .success
    }

    /// Whether `errorFields` are known: on every outcome but those on which nothing was tried or all went well.
    func definesErrors(after outcome: Outcome) -> Bool {
        outcome != .skipped && outcomeClass(of: outcome) != .success
    }

    /// Whether `restore` fills its token set.
    func loadsSession(on outcome: Outcome) -> Bool {
        kind == .restore
            && [.ok, .expired, .unrefreshable, .insufficient, .assertionFailed].contains(outcome)
    }
}
