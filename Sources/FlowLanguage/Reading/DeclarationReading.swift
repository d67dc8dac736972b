internal import YAMLText

/// Providers, inputs, outputs, variables and ends.
extension FlowReader {
    mutating func declarations(_ fields: MappingReader, _ flow: inout FlowDefinition) {
        flow.providers = named(fields, "providers").map { provider($0) }
        if flow.providers.isEmpty {
            flow.providers = [
                ProviderDefinition(alias: "main", standard: nil, expectsIDToken: nil, span: flow.nameSpan)
            ]
        }
        flow.inputs = named(fields, "inputs").map { input($0) }
        flow.outputs = named(fields, "outputs").map { entry in
            ValueDefinition(name: entry.key, span: entry.keySpan, type: type(entry.value))
        }
        flow.variables = named(fields, "vars").map { variable($0) }
    }

    private mutating func provider(_ entry: YAMLMapping.Entry) -> ProviderDefinition {
        let fields = reader(entry, "provider", keys: ["default", "oidc"])
        return ProviderDefinition(
            alias: entry.key, standard: fields?.string("default", &findings.diagnostics),
            expectsIDToken: fields?.bool("oidc", &findings.diagnostics), span: entry.keySpan)
    }

    private mutating func reader(
        _ entry: YAMLMapping.Entry, _ kind: String, keys: [String]
    ) -> MappingReader? {
        MappingReader(entry.value, "\(kind) \"\(entry.key)\"", keys: keys, file: file, &findings.diagnostics)
    }

    private mutating func type(_ node: YAMLNode) -> FlowType? {
        let text = node.scalar?.text ?? ""
        if let type = FlowType.parse(text) { return type }
        let suggestion = didYouMean(text, among: FlowType.simpleNames)
        let hint = text.hasSuffix("?") ? "write \"optional \(text.dropLast())\"" : nil
        let name = node.scalar == nil ? node.shape : "\"\(text)\""
        findings.report("FL016", at: node.span, "unknown type \(name)\(suggestion)", hint: hint)
        return nil
    }

    private mutating func input(_ entry: YAMLMapping.Entry) -> ValueDefinition {
        guard entry.value.mapping != nil else {
            return ValueDefinition(name: entry.key, span: entry.keySpan, type: type(entry.value))
        }
        let keys = ["type", "default", "env", "file", "label", "description"]
        let fields = reader(entry, "input", keys: keys)
        return ValueDefinition(
            name: entry.key, span: entry.keySpan, type: declaredType(fields), standard: fields?["default"],
            environment: fields?.string("env", &findings.diagnostics),
            file: fields?.string("file", &findings.diagnostics))
    }

    private mutating func variable(_ entry: YAMLMapping.Entry) -> ValueDefinition {
        guard entry.value.mapping != nil else {
            return ValueDefinition(name: entry.key, span: entry.keySpan, type: type(entry.value))
        }
        let fields = reader(entry, "variable", keys: ["type", "init", "label"])
        return ValueDefinition(
            name: entry.key, span: entry.keySpan, type: declaredType(fields), initial: fields?["init"])
    }

    private mutating func declaredType(_ fields: MappingReader?) -> FlowType? {
        fields?.require("type", diagnostics: &findings.diagnostics)
        return fields?["type"].flatMap { type($0) }
    }

    mutating func end(_ entry: YAMLMapping.Entry) -> EndDefinition {
        let implicit = Self.implicitEnds[entry.key]
        var end = EndDefinition(name: entry.key, span: entry.keySpan, result: implicit ?? .failure)
        let keys = ["result", "outputs", "message", "error", "exit", "note"]
        guard let fields = reader(entry, "end", keys: keys) else { return end }
        if implicit == nil { fields.require("result", diagnostics: &findings.diagnostics) }
        end.result = fields.word("result", as: EndRow.Result.self, &findings.diagnostics) ?? end.result
        end.exit = fields.int("exit", in: 0...255, &findings.diagnostics)
        end.message = fields["message"]
        end.error = fields.string("error", &findings.diagnostics)
        end.outputs = entries(fields, "outputs", of: "end \"\(entry.key)\"").map(NamedNode.init)
        return end
    }

    private static let implicitEnds: [String: EndRow.Result] = ["failed": .failure, "cancelled": .cancelled]

    /// Engine failures and cancellation need a place to go to in every flow (flow/1 §3).
    func addImplicitEnds(to flow: inout FlowDefinition, at span: SourceSpan) {
        for name in ["failed", "cancelled"] where !flow.ends.contains(where: { $0.name == name }) {
            var end = EndDefinition(
                name: name, span: SourceSpan(at: span.start), result: Self.implicitEnds[name] ?? .failure)
            end.isImplicit = true
            flow.ends.append(end)
        }
    }
}
