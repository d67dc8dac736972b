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
    var imports: [ImportDefinition] = []
    var ports: [PortDefinition] = []
    var hooks: [HookDefinition] = []
    var start: Located<String>?
    var steps: [StepDefinition] = []
    /// Those of the file in its order, then the implicit ones that it leaves out.
    var ends: [EndDefinition] = []
    var tests: [TestDefinition] = []

    /// Which provider a step is about; the first where its alias is unknown, which is reported by its name.
    func providerIndex(of step: StepDefinition) -> Int {
        providers.firstIndex { $0.alias == step.providerAlias } ?? 0
    }
}

/// A provider that the flow names.
struct ProviderDefinition: Sendable {
    let alias: String
    let standard: Located<String>?
    let expectsIDToken: Bool?
    /// Capabilities beyond those that the steps imply.
    var requirements: [Located<String>] = []
    let span: SourceSpan
}

/// Another flow file whose parts this one uses.
struct ImportDefinition: Sendable {
    let alias: String
    let span: SourceSpan
    let path: Located<String>
}

/// A port of `calls`.
struct PortDefinition: Sendable {
    let name: String
    let span: SourceSpan
    var arguments: [ValueDefinition] = []
    var fields: [ValueDefinition] = []
    var outcomes: [Located<String>] = []
    var program: (argv: [String], environment: [String])?
    /// Where the file of the flow names that program; `nil` for one of an imported file.
    var programSpan: SourceSpan?
    /// The folder of the imported file that it comes from, seen from that of the flow's: where its program starts.
    var folder = ""
    var simulatedOutcome: Located<String>?
    var simulatedFields: [NamedNode] = []
    var hasSimulation = false
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
    var constraints = ValueConstraints()
    /// Who may see an input or a variable and who vouches for it; `nil` for what the type says.
    var label: Label?
    /// Members of an `object`.
    var members: [ValueDefinition] = []
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
    /// Whether the file says what the result is.
    var hasResult = true
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
    /// Values that steps are made to leave behind.
    var given: [NamedNode] = []
    var provider: Located<String>?
    var end: Located<String>?
    var path: [Located<String>]?
    var visits: [Located<(step: String, count: Int)>] = []
    var never: [Located<String>] = []
    var outputs: [NamedNode] = []
    var requests: [(path: Located<String>, expected: String)] = []
}
