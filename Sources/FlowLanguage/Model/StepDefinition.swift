internal import YAMLText

/// A step as written.
struct StepDefinition: Sendable {
    let name: String
    /// Of the name.
    let span: SourceSpan
    /// `nil` when the kind was reported as unknown: nothing more is said about the step's outcomes then.
    var kind: StepKind?
    var provider: Located<String>?
    var condition: YAMLNode?
    var arguments: [NamedNode] = []
    /// Outcomes that the step itself brings, by `classify` or `expect`.
    var declaredOutcomes: [DeclaredOutcome] = []
    /// Of an `http` step.
    var extractions: [ExtractionDefinition] = []
    var classification: [ClassificationDefinition] = []
    var statuses: [(status: Int, outcome: Located<String>)] = []
    var assertions: [AssertionDefinition] = []
    var saves: [SaveDefinition] = []
    var retry: RetryDefinition?
    var timeout: Located<Int64>?
    var deadline: Located<Int64>?
    var visits: Located<Int>?
    var before: [HookDefinition] = []
    var after: [HookDefinition] = []
    var routes: [RouteDefinition] = []

    /// Of the provider that it is about.
    var providerAlias: String { provider?.value ?? "main" }

    /// Whether it neither speaks to a provider nor names one, in a flow none of whose providers is the usual one.
    func isWithoutProvider(_ flow: FlowDefinition) -> Bool {
        provider == nil && kind?.hasProvider != true && !flow.providers.contains { $0.alias == "main" }
    }
}

/// An outcome of a step's own with its class.
struct DeclaredOutcome: Sendable {
    let name: String
    let span: SourceSpan
    let outcomeClass: OutcomeClass
}

/// A field that an `http` step takes out of the answer.
struct ExtractionDefinition: Sendable {
    let name: String
    let span: SourceSpan
    /// `nil` when it was reported.
    let type: FlowType?
    /// RFC 6901.
    let pointer: String
}

/// A condition over an answer, and what the step ends with where it holds.
struct ClassificationDefinition: Sendable {
    let condition: YAMLNode
    let outcome: Located<String>
}

/// Which outcomes a line of `next` is about.
enum OutcomeSelector: Sendable, Hashable {
    /// `next: target`: every outcome of the class success.
    case success
    case outcome(String)
    case byClass(OutcomeClass)
    case any
}

/// One line of `next`: a selector and the edges it leads to, in the order they are tried.
struct RouteDefinition: Sendable {
    let selector: OutcomeSelector
    let span: SourceSpan
    let edges: [EdgeDefinition]
}

/// One way out of a step.
struct EdgeDefinition: Sendable {
    /// `nil` when it was reported as missing.
    let target: Located<String>?
    var condition: YAMLNode?
    var maximum: Located<Int>?
    var saves: [SaveDefinition] = []
    let span: SourceSpan

    /// Whether it is always taken when it is reached.
    var isPlain: Bool { condition == nil && maximum == nil }
}

/// `vars.name: value`.
struct SaveDefinition: Sendable {
    /// As written, with `vars.`.
    let target: Located<String>
    let value: YAMLNode

    /// The variable's name; `nil` when the target is none.
    var variable: String? {
        target.value.hasPrefix("vars.") ? String(target.value.dropFirst("vars.".count)) : nil
    }
}

/// A condition that must hold, with what to say when it does not.
struct AssertionDefinition: Sendable {
    let condition: YAMLNode
    let message: String?
    let span: SourceSpan
}

/// A retry policy whose outcomes are still selectors.
struct RetryDefinition: Sendable {
    var outcomes: [Located<OutcomeSelector>] = []
    var policy = RetryPolicy()
    /// `alias.retry` of an imported file, until it is linked.
    var reference: Located<String>?
    /// Whether all of it could be read: what is left of it says nothing otherwise.
    var isSound = true
    let span: SourceSpan
}
