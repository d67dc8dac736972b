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
        case map([NamedNode])
        case emit(event: String, data: [NamedNode])
        case exec(argv: [String], environment: [String])
        case http(HookEndpoint)
        case native(name: String)

        /// Whether it ends a run when it fails and nothing else is said: all that may change something do.
        var abortsByDefault: Bool {
            switch self {
            case .set, .assert, .map, .exec, .http, .native: true
            case .emit: false
            }
        }

        /// Whether its answer comes from outside of the engine.
        var isCall: Bool {
            switch self {
            case .exec, .http, .native: true
            case .set, .assert, .map, .emit: false
            }
        }

        /// The key of a hook that holds it.
        var key: String {
            switch self {
            case .set: "set"
            case .assert: "assert"
            case .map: "map"
            case .emit: "emit"
            case .exec: "exec"
            case .http: "http"
            case .native: "native"
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
    /// What `may` lists; `nil` without it.
    var powers: [Located<HookPower>]?
    /// Steps and ends that `may: [{ goto: ... }]` names.
    var targets: [Located<String>] = []
    /// How often it is asked when it fails.
    var attempts = 1
    var simulation: SimulationDefinition?
    /// `alias.id` of an imported file, until it is linked.
    var reference: Located<String>?
    /// Where the file names the imported hook: the place of whatever is wrong with it here.
    var importedAt: SourceSpan?
    /// Where its program is named.
    var programSpan: SourceSpan?
    /// The folder of the imported file, seen from that of the flow's: where its program starts.
    var folder = ""
    /// The step that an inline hook belongs to.
    var owner: String?

    /// What a dry run takes as its answer.
    struct SimulationDefinition: Sendable {
        let span: SourceSpan
        var saves: [SaveDefinition] = []
        var decision: Located<String>?
        var to: Located<String>?
        var message: String?
        /// Members of the answer that are literals.
        var members: [NamedNode] = []
    }

    /// What its answer may do: what `may` says, else what `writes` implies and the verdict that the point asks for.
    var allowed: Set<HookPower> {
        guard action?.isCall == true, let point else { return [] }
        let asked = powers?.map(\.value) ?? point.verdicts + (writes.isEmpty ? [] : [.set])
        return Set(asked).intersection(point.powers)
    }

    /// Whether it may pass over a step of that name and kind.
    func maySkip(_ step: String, _ kind: StepKind) -> Bool {
        allowed.contains(.skip) && covers(step, kind)
    }

    /// Whether its own filters let it fire at a step.
    func covers(_ step: String, _ kind: StepKind) -> Bool {
        guard let point, point.isReached(by: kind) else { return false }
        if let owner { return owner == step }
        if let steps, !steps.contains(where: { $0.value == step }) { return false }
        return kinds?.contains { $0.value == kind } ?? true
    }

    /// What counts when it fails.
    var failurePolicy: FailurePolicy {
        if let onFailure { return onFailure }
        return action?.abortsByDefault == false || point == .flowEnd ? .continue : .abort
    }

    /// Whether the run goes on without what it writes: after a failure, or because no answer came that it is shown.
    var mayBeMissed: Bool {
        if point == .stepResponse { return true }
        return switch failurePolicy {
        case .abort: false
        case .continue, .goto: true
        }
    }

    /// The step that a failure leads to.
    var detour: Located<String>? {
        if case .goto(let step) = failurePolicy { step } else { nil }
    }

    func imported(at span: SourceSpan, from folder: String) -> HookDefinition {
        var hook = self
        hook.importedAt = span
        hook.folder = folder
        return hook
    }
}
