internal import YAMLText

/// A hook as written, in the flow's list or in a step's.
struct HookDefinition: Sendable {
    enum FailurePolicy: Sendable {
        case abort
        case `continue`
        case goto(Located<String>)
    }

    enum Action: Sendable {
        case set([SaveDefinition])
        case assert([AssertionDefinition])
        case emit(event: String, data: [NamedNode])
        case exec(argv: [String], environment: [String])
        case http(HookEndpoint)
        case native(name: String)

        /// Whether it ends a run when it fails and nothing else is said: all that may change something do.
        var abortsByDefault: Bool {
            switch self {
            case .set, .assert, .exec, .http, .native: true
            case .emit: false
            }
        }
    }

    let span: SourceSpan
    var id: Located<String>?
    /// `nil` when it was reported.
    var point: HookPoint?
    var steps: [Located<String>]?
    var kinds: [Located<StepKind>]?
    var outcomes: [Located<OutcomeSelector>]?
    var condition: YAMLNode?
    /// `nil` when it was reported.
    var action: Action?
    var reads: [YAMLNode] = []
    var grants: [YAMLNode] = []
    var writes: [YAMLNode] = []
    var timeout: Int64?
    var onFailure: FailurePolicy?
    var simulation: [SaveDefinition]?
    var simulatesAbort = false
    /// `alias.id` of an imported file, until it is linked.
    var reference: Located<String>?
    /// Where the file names the imported hook: the place of whatever is wrong with it here.
    var importedAt: SourceSpan?
    /// The step that an inline hook belongs to.
    var owner: String?

    /// What counts when it fails.
    var failurePolicy: FailurePolicy {
        if let onFailure { return onFailure }
        return action?.abortsByDefault == false || point == .flowEnd ? .continue : .abort
    }

    /// Whether the run goes on when it fails, with what it writes unset.
    var mayBeMissed: Bool {
        switch failurePolicy {
        case .abort: false
        case .continue, .goto: true
        }
    }

    /// The step that a failure leads to.
    var detour: Located<String>? {
        if case .goto(let step) = failurePolicy { step } else { nil }
    }

    func imported(at span: SourceSpan) -> HookDefinition {
        var hook = self
        hook.importedAt = span
        return hook
    }
}
