internal import YAMLText

/// Reads the nodes of a flow file into a `FlowDefinition`, reporting every mistake of shape on the way.
struct FlowReader {
    var findings: Findings

    var file: String { findings.file }

    static let keys = [
        "language", "flow", "version", "summary", "description", "providers", "import", "inputs", "outputs",
        "vars", "limits", "defaults", "calls", "hooks", "start", "steps", "ends", "tests",
    ]

    /// - Returns: `nil` when the file has no steps, which is reported; nothing more can be said of it then.
    static func read(_ root: YAMLNode, file: String) -> (flow: FlowDefinition?, findings: Findings) {
        var reader = FlowReader(findings: Findings(file: file))
        let flow = reader.flow(root)
        return (flow, reader.findings)
    }

    private mutating func flow(_ root: YAMLNode) -> FlowDefinition? {
        guard
            let fields = MappingReader(
                root, "flow", keys: Self.keys, file: file, otherwise: FileLikeness.beginnings,
                elsewhere: MisplacedFlowKey.hint, &findings.diagnostics)
        else { return nil }
        fields.require("language", hint: "language: flow/1", diagnostics: &findings.diagnostics)
        fields.require("flow", "start", "steps", "ends", diagnostics: &findings.diagnostics)
        var flow = FlowDefinition()
        header(fields, &flow)
        declarations(fields, &flow)
        flow.imports = imports(fields)
        flow.ports = ports(fields)
        flow.limits = limits(fields)
        flow.defaults = defaults(fields)
        let hooks = fields.sequence("hooks", &findings.diagnostics) ?? []
        flow.hooks = hooks.compactMap { hook($0, owner: nil, point: nil) }
        flow.start = located(fields["start"], "start")
        flow.steps = named(fields, "steps").map { step($0) }
        flow.ends = named(fields, "ends").map { end($0) }
        addImplicitEnds(to: &flow, at: fields.span)
        let tests = fields.sequence("tests", &findings.diagnostics) ?? []
        flow.tests = tests.compactMap { test($0) }
        return flow.steps.isEmpty ? nil : flow
    }

    private mutating func header(_ fields: MappingReader, _ flow: inout FlowDefinition) {
        if let language = fields["language"] { checkLanguage(language) }
        if let name = located(fields["flow"], "flow") {
            flow.name = name.value
            flow.nameSpan = name.span
            if !FlowName.isID(name.value, also: FlowName.hyphen) {
                let message =
                    "malformed flow id \"\(name.value)\": a letter a-z, then up to 62 of a-z, 0-9, _ and -"
                findings.report("FL014", at: name.span, message)
            }
        }
        flow.version = fields.int("version", in: 1...1_000_000, &findings.diagnostics) ?? 1
        flow.summary = fields.string("summary", &findings.diagnostics)
        _ = fields.string("description", &findings.diagnostics)
    }

    /// Minor levels only add things, and this flowrun knows none above 0 (flow/1 §16).
    private mutating func checkLanguage(_ node: YAMLNode) {
        let text = node.scalar?.text ?? ""
        let parts =
            text.hasPrefix("flow/")
            ? text.dropFirst(5).split(separator: ".", omittingEmptySubsequences: false) : []
        let numbers = parts.compactMap { part in UInt(part).flatMap { String($0) == part ? $0 : nil } }
        guard let major = numbers.first, numbers.count == parts.count, numbers.count <= 2 else {
            let message = "unsupported language level \"\(text)\"; this flowrun reads flow/1"
            return findings.report("FL012", at: node.span, message)
        }
        let minor = numbers.count == 2 ? numbers[1] : 0
        if major == 1, minor == 0 { return }
        let message = "the file is written for \(text), this flowrun reads flow/1"
        let hint = "a newer flowrun is needed; minor levels only add things"
        findings.report("FL012", at: node.span, message, hint: major == 1 ? hint : nil)
    }

    // MARK: Shapes that several readers share

    /// A text with its place; reported when it is none.
    mutating func located(_ node: YAMLNode?, _ subject: String) -> Located<String>? {
        guard let node else { return nil }
        if case .string(let text) = node.value { return Located(text, at: node.span) }
        let message = "\(subject) must be a name, not \(node.shape)"
        findings.report("FL016", at: node.span, message)
        return nil
    }

    /// FL007: a text that nothing evaluates.
    mutating func literal(_ key: String, of fields: MappingReader) -> String? {
        guard let text = fields.string(key, &findings.diagnostics) else { return nil }
        if text.contains("${") {
            findings.report(
                "FL007", at: fields[key]?.span ?? fields.span,
                "\"\(key)\" of \(fields.subject) is a text as it is written; no ${ } in it is evaluated")
        }
        return text
    }

    /// The texts of a list with their places.
    mutating func names(_ key: String, of fields: MappingReader) -> [Located<String>]? {
        fields.sequence(key, &findings.diagnostics)?.compactMap { located($0, "\"\(key)\"") }
    }

    /// The entries of a mapping under a key, whatever their names.
    mutating func entries(_ fields: MappingReader, _ key: String, of subject: String) -> [YAMLMapping.Entry] {
        let what = "\(key) of \(subject)"
        if Self.closedKeys.contains(key) { checkExtensions(fields[key], what) }
        return fields.mapping(key, "\(what)", keys: nil, &findings.diagnostics)?.entries ?? []
    }

    /// Where every name means something to the engine (flow/1 §3).
    private static let closedKeys: Set<String> = ["with", "save", "next"]

    /// Keys of other tools have no place among arguments, assignments and routes.
    mutating func checkExtensions(_ node: YAMLNode?, _ subject: String) {
        for entry in node?.mapping?.entries ?? [] where KnownKeys.isForeign(entry.key) {
            findings.report(
                "FL010", at: entry.keySpan, "\"\(entry.key)\" has no place in \(subject)",
                hint: "x- keys may stand beside it")
        }
    }

    /// The entries of a mapping whose keys are ids; a malformed id is reported and kept.
    mutating func named(_ fields: MappingReader, _ key: String) -> [YAMLMapping.Entry] {
        let entries = fields.mapping(key, "\(key)", keys: nil, &findings.diagnostics)?.entries ?? []
        for entry in entries where !FlowName.isID(entry.key) {
            let message = "malformed id \"\(entry.key)\": a letter a-z, then up to 62 of a-z, 0-9 and _"
            let hint = entry.key.contains("-") ? "\"-\" is minus in expressions" : nil
            findings.report("FL014", at: entry.keySpan, message, hint: hint)
        }
        return entries
    }
}
