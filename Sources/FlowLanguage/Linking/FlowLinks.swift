internal import YAMLText

/// The other flows that a flow runs or takes parts from.
struct FlowLinks: Sendable {
    /// By `subflow` step.
    var flows: [Int: FlowInterface] = [:]
    /// Ports of the flow itself and, as `alias.name`, of imported files.
    var ports: [PortDefinition] = []

    /// The port that a `call` step names; `nil` when it was reported.
    func port(of step: StepDefinition) -> PortDefinition? {
        portIndex(of: step).map { ports[$0] }
    }

    func portIndex(of step: StepDefinition) -> Int? {
        let name = step.argument("port")?.scalar?.text
        return ports.firstIndex { $0.name == name }
    }
}

/// Resolves imports, sub-flows and ports of one file.
struct FlowLinker {
    let sources: FlowSources
    /// Paths of the files that are being compiled, the outermost first: a path that comes back is a recursion.
    let stack: [String]
    private var links = FlowLinks()
    /// Each other flow is compiled once, however many steps run it.
    private var compiled: [String: FlowCompilation] = [:]
    /// Steps of the flow with those of all the flows that its steps run.
    private var size = 0

    static func link(
        _ flow: inout FlowDefinition, _ file: SourceFile, _ sources: FlowSources, stack: [String],
        _ findings: inout Findings
    ) -> FlowLinks {
        var linker = FlowLinker(sources: sources, stack: stack + [file.path])
        linker.run(&flow, file, &findings)
        return linker.links
    }

    private init(sources: FlowSources, stack: [String]) {
        self.sources = sources
        self.stack = stack
    }

    private mutating func run(_ flow: inout FlowDefinition, _ file: SourceFile, _ findings: inout Findings) {
        links.ports = flow.ports
        var imported: [String: ImportedFile] = [:]
        for entry in flow.imports {
            guard let definition = definition(of: entry, file, &findings) else { continue }
            imported[entry.alias] = definition
            links.ports += definition.flow.ports.map {
                $0.imported(
                    as: "\(entry.alias).\($0.name)", at: entry.path.span, from: definition.folder)
            }
        }
        takeParts(of: imported, into: &flow, &findings)
        size = flow.steps.count
        for index in flow.steps.indices {
            switch flow.steps[index].kind {
            case .subflow: linkFlow(index, flow, file, &findings)
            case .call: checkPort(flow.steps[index], &findings)
            default: continue
            }
        }
    }

    // MARK: Imports

    /// An imported file, and its folder seen from that of the flow's.
    private struct ImportedFile {
        let flow: FlowDefinition
        let folder: String
    }

    private func definition(
        of entry: ImportDefinition, _ file: SourceFile, _ findings: inout Findings
    ) -> ImportedFile? {
        guard let source = sources.imported(entry.path.value, file.path) else {
            findings.report(
                "FL022", at: entry.path.span, "import \"\(entry.alias)\": there is no such flow file",
                hint: "it is a path that begins in the folder of this file, such as ./common.flow.yaml")
            return nil
        }
        let (root, diagnostics) = YAMLDocument.parse(source)
        let (definition, reading) =
            root.map { FlowReader.read($0, file: source.path) } ?? (nil, Findings(file: source.path))
        let all = diagnostics + reading.diagnostics
        if all.hasErrors {
            findings.report(
                "FL022", at: entry.path.span, Self.broken("import \"\(entry.alias)\"", source, all))
        }
        let folder = FlowFolder.path(from: FlowFolder.of(file.path), to: FlowFolder.of(source.path))
        return definition.map { ImportedFile(flow: $0, folder: folder) }
    }

    private static func broken(_ subject: String, _ source: SourceFile, _ diagnostics: [Diagnostic]) -> String
    {
        let count = diagnostics.count { $0.severity == .error }
        return "\(subject): \(source.path) has \(count == 1 ? "an error" : "\(count) errors"); lint it first"
    }

    /// Puts imported hooks and retry policies where the file names them.
    private func takeParts(
        of imported: [String: ImportedFile], into flow: inout FlowDefinition, _ findings: inout Findings
    ) {
        flow.hooks = flow.hooks.compactMap { hook in
            guard let name = hook.reference else { return hook }
            let (alias, rest) = Self.split(name.value)
            let file = imported[alias]
            let known = file?.flow.hooks.filter { $0.id != nil } ?? []
            if let file, let found = known.first(where: { $0.id?.value == rest }) {
                return found.imported(at: name.span, from: file.folder)
            }
            let names = imported.flatMap { alias, file in
                file.flow.hooks.compactMap { $0.id.map { "\(alias).\($0.value)" } }
            }
            if flow.imports.contains(where: { $0.alias == alias && imported[alias] == nil }) { return nil }
            let suggestion = didYouMean(name.value, among: names.sorted())
            findings.report(
                "FL022", at: name.span, "no imported file has the hook \"\(name.value)\"\(suggestion)",
                fix: suggestion.fix)
            return nil
        }
        resolve(&flow.defaults.retry, imported, flow, &findings)
        for index in flow.steps.indices { resolve(&flow.steps[index].retry, imported, flow, &findings) }
    }

    private func resolve(
        _ retry: inout RetryDefinition?, _ imported: [String: ImportedFile], _ flow: FlowDefinition,
        _ findings: inout Findings
    ) {
        guard let name = retry?.reference else { return }
        let (alias, rest) = Self.split(name.value)
        if rest == "retry", var found = imported[alias]?.flow.defaults.retry {
            found.outcomes = found.outcomes.map { Located($0.value, at: name.span) }
            retry = found.moved(to: name.span)
            return
        }
        retry = nil
        if flow.imports.contains(where: { $0.alias == alias && imported[alias] == nil }) { return }
        let names = imported.filter { $0.value.flow.defaults.retry != nil }.map { "\($0.key).retry" }
        let suggestion = didYouMean(name.value, among: names.sorted())
        findings.report(
            "FL022", at: name.span,
            "\"\(name.value)\" is no retry policy of an imported file\(suggestion)", fix: suggestion.fix)
    }

    private static func split(_ name: String) -> (alias: String, rest: String) {
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
    }

    // MARK: Sub-flows

    /// What a step runs or calls, without which nobody knows its outcomes; `nil` after a report.
    private static func name(
        _ argument: String, of step: StepDefinition, _ findings: inout Findings
    ) -> (name: String, node: YAMLNode)? {
        guard let node = step.argument(argument) else {
            let kind = step.kind?.rawValue ?? ""
            findings.report(
                "FL016", at: step.span, "\(kind) step \"\(step.name)\" needs \"\(argument)\" in with")
            return nil
        }
        guard let name = node.scalar?.text, !name.isEmpty else {
            findings.report(
                "FL016", at: node.span,
                "\"\(argument)\" of step \"\(step.name)\" must be a name, not \(node.shape)")
            return nil
        }
        return (name, node)
    }

    /// FL022
    private mutating func linkFlow(
        _ index: Int, _ flow: FlowDefinition, _ file: SourceFile, _ findings: inout Findings
    ) {
        let step = flow.steps[index]
        guard let (name, node) = Self.name("flow", of: step, &findings) else { return }
        let entry = flow.imports.first { $0.alias == name }
        let source = entry.map { sources.imported($0.path.value, file.path) } ?? sources.flow(name, file.path)
        guard let source else {
            guard entry == nil else { return }
            let suggestion = didYouMean(name, among: flow.imports.map(\.alias) + sources.names())
            findings.report(
                "FL022", at: node.span, "there is no flow \"\(name)\"\(suggestion)",
                hint: name.contains("/") || name.hasSuffix(".yaml")
                    ? "a flow is called by its name; a file is named under import, and called by its alias there"
                    : nil, fix: suggestion.fix)
            return
        }
        if let first = stack.firstIndex(of: source.path) {
            let loop = (stack[first...] + [source.path]).joined(separator: " -> ")
            findings.report("FL022", at: node.span, Self.circle + loop)
            return
        }
        guard stack.count < Self.deepest else {
            findings.report("FL022", at: node.span, "sub-flows are nested more than \(Self.deepest) deep")
            return
        }
        // One that is too large is told once, and nothing more of it is compiled.
        guard size <= Self.mostSteps else { return }
        let compilation =
            compiled[source.path] ?? FlowCompiler.compile(source, sources: sources, stack: stack)
        compiled[source.path] = compilation
        let isTooLarge = compilation.diagnostics.contains { $0.message == Self.tooLarge }
        size += isTooLarge ? Self.mostSteps : compilation.program?.steps.count ?? 0
        guard size <= Self.mostSteps else {
            findings.report("FL022", at: node.span, Self.tooLarge)
            return
        }
        guard let program = compilation.program else {
            // The other file is not at fault alone.
            let circle = compilation.diagnostics.first { $0.message.hasPrefix(Self.circle) }?.message
            findings.report(
                "FL022", at: node.span,
                circle ?? Self.broken("flow \"\(name)\"", source, compilation.diagnostics))
            return
        }
        links.flows[index] = FlowInterface(program)
    }

    private static let circle = "flows run each other in a circle: "
    private static let deepest = 8
    /// Every step of a sub-flow is there once for each step that runs it.
    private static let mostSteps = 1_000
    private static let tooLarge = "with the flows that it runs the flow has more than \(mostSteps) steps"

    /// FL023
    private func checkPort(_ step: StepDefinition, _ findings: inout Findings) {
        guard let (name, node) = Self.name("port", of: step, &findings) else { return }
        guard !links.ports.contains(where: { $0.name == name }) else { return }
        let suggestion = didYouMean(name, among: links.ports.map(\.name))
        let none = links.ports.isEmpty ? "; declare it under calls" : ""
        findings.report(
            "FL023", at: node.span,
            "step \"\(step.name)\" calls unknown port \"\(name)\"\(suggestion)\(none)",
            fix: suggestion.fix)
    }
}

extension PortDefinition {
    fileprivate func imported(
        as name: String, at span: SourceSpan, from folder: String
    ) -> PortDefinition {
        var port = PortDefinition(name: name, span: span)
        port.arguments = arguments
        port.fields = fields
        port.outcomes = outcomes
        port.program = program
        port.folder = folder
        port.simulatedOutcome = simulatedOutcome
        port.simulatedFields = simulatedFields
        port.hasSimulation = hasSimulation
        return port
    }
}

extension RetryDefinition {
    fileprivate func moved(to span: SourceSpan) -> RetryDefinition {
        var retry = RetryDefinition(span: span)
        retry.outcomes = outcomes
        retry.policy = policy
        return retry
    }
}
