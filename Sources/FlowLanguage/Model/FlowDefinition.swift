internal import YAMLText

/// A flow file as it was written, every name and value with its place.
///
/// Only the shape is known to be right: names may lead nowhere, and expressions are text still.
struct FlowDefinition: Sendable {
    var name = ""
    var nameSpan = SourceSpan(at: .start)
    var version = 1
    var summary: String?
    var providers: [ProviderDefinition] = []
    var inputs: [ValueDefinition] = []
    var outputs: [ValueDefinition] = []
    var variables: [ValueDefinition] = []
    var limits = RunLimits()
    var defaults = DefaultsDefinition()
    var hooks: [HookDefinition] = []
    var start: Located<String>?
    var steps: [StepDefinition] = []
    /// Those of the file in its order, then the implicit ones that it leaves out.
    var ends: [EndDefinition] = []
    var tests: [TestDefinition] = []
}

/// A provider that the flow names.
struct ProviderDefinition: Sendable {
    let alias: String
    let standard: String?
    let expectsIDToken: Bool?
    let span: SourceSpan
}

/// An input, an output or a variable; what does not belong to it is `nil`.
struct ValueDefinition: Sendable {
    let name: String
    let span: SourceSpan
    /// `nil` when the type was reported as wrong.
    let type: FlowType?
    /// Of an input.
    var standard: YAMLNode?
    var environment: String?
    var file: String?
    /// Of a variable.
    var initial: YAMLNode?
}

/// What holds for every step that does not say otherwise.
struct DefaultsDefinition: Sendable {
    var timeout: Int64?
    var retry: RetryDefinition?
    var routes: [RouteDefinition] = []
}

/// A way for a flow to end.
struct EndDefinition: Sendable {
    let name: String
    let span: SourceSpan
    var result: EndRow.Result
    var exit: Int?
    var outputs: [NamedNode] = []
    var message: YAMLNode?
    var error: String?
    /// Whether the file leaves it out: `failed` and `cancelled` are always there.
    var isImplicit = false
}

/// One entry of `tests`.
struct TestDefinition: Sendable {
    let name: String
    let span: SourceSpan
    var assumptions: [Located<Assumption>] = []
    var inputs: [NamedNode] = []
    var provider: String?
    var end: Located<String>?
    var path: [Located<String>]?
    var visits: [Located<(step: String, count: Int)>] = []
    var never: [Located<String>] = []
    var outputs: [NamedNode] = []
    var requests: [(path: Located<String>, expected: String)] = []
}
