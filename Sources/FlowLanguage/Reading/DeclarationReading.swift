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
        let fields = reader(entry, "provider", keys: ["default", "oidc", "requires"])
        let requirements = fields.flatMap { names("requires", of: $0) } ?? []
        let capabilities = Capability.allCases.map(\.rawValue)
        for name in requirements where !capabilities.contains(name.value) {
            let known = nearestOrAll(name.value, among: capabilities, "known")
            findings.report(
                "FL016", at: name.span, "unknown capability \"\(name.value)\"\(known)", fix: known.fix)
        }
        let standard = fields?.string("default", &findings.diagnostics)
        return ProviderDefinition(
            alias: entry.key,
            standard: standard.map { Located($0, at: fields?.value(of: "default")?.span ?? entry.keySpan) },
            expectsIDToken: fields?.bool("oidc", &findings.diagnostics),
            requirements: requirements, span: entry.keySpan)
    }

    private mutating func reader(
        _ entry: YAMLMapping.Entry, _ kind: String, keys: [String]
    ) -> MappingReader? {
        MappingReader(
            entry.value, .named(kind, entry.key), keys: keys, file: file,
            elsewhere: { OtherNames.declared.hint($0, among: keys) }, &findings.diagnostics)
    }

    mutating func type(_ node: YAMLNode) -> FlowType? {
        guard let text = node.scalar?.text else {
            let within = node.mapping?.entries.first { $0.key == "type" }?.value.scalar?.text
            findings.report(
                "FL016", at: node.span, "a type must be a name, not \(node.shape)",
                hint: "write the type alone, as \(within ?? "string")")
            return nil
        }
        if let type = FlowType.parse(text) { return type }
        let suggestion = suggestion(forType: text)
        let names = (FlowType.simpleNames + ["object", "list<TYPE>"]).joined(separator: ", ")
        let hint =
            text.hasSuffix("?")
            ? "write \"optional \(text.dropLast())\""
            : suggestion.isEmpty
                ? "types: \(names); with \"optional \" before it where it may be missing" : nil
        findings.report(
            "FL016", at: node.span, "unknown type \"\(text)\"\(suggestion)", hint: hint, fix: suggestion.fix)
        return nil
    }

    /// The type that is nearest, with the `optional` and `list<>` around the wrong word.
    private func suggestion(forType text: String) -> Suggestion {
        let optional = text.hasPrefix("optional ") ? "optional " : ""
        var (depth, word) = (0, text.dropFirst(optional.count))
        while word.hasPrefix("list<"), word.hasSuffix(">") {
            word = word.dropFirst(5).dropLast()
            depth += 1
        }
        let (opening, closing) = (
            optional + String(repeating: "list<", count: depth), String(repeating: ">", count: depth)
        )
        // No list of objects: an object has its fields beside it.
        let names = FlowType.simpleNames + (depth == 0 ? ["object", "list<TYPE>"] : [])
        if let nearest = WordMeant.nearest(to: String(word), in: names) {
            return Suggestion(opening + nearest + closing)
        }
        return didYouMean(text, among: FlowType.simpleNames + ["object"])
    }

    private mutating func input(_ entry: YAMLMapping.Entry) -> ValueDefinition {
        guard entry.value.mapping != nil else {
            return ValueDefinition(name: entry.key, span: entry.keySpan, type: type(entry.value))
        }
        let keys = [
            "type", "default", "env", "file", "label", "values", "pattern", "min", "max", "fields",
            "description",
        ]
        guard let fields = reader(entry, "input", keys: keys) else {
            return ValueDefinition(name: entry.key, span: entry.keySpan, type: nil)
        }
        let (type, members) = declaredType(fields)
        var input = ValueDefinition(
            name: entry.key, span: entry.keySpan, type: type, standard: fields["default"],
            environment: variableName("env", of: fields),
            file: fields.string("file", &findings.diagnostics))
        input.members = members
        input.label = label(fields, type)
        input.constraints = constraints(fields, type)
        _ = fields.string("description", &findings.diagnostics)
        return input
    }

    /// The name of a variable of the environment.
    mutating func variableName(_ key: String, of fields: MappingReader) -> String? {
        guard let node = fields[key], let name = fields.string(key, &findings.diagnostics) else { return nil }
        guard !SecretSource.isVariableName(name) else { return name }
        let bare = name.hasPrefix("$") ? name.filter { !"${}".contains($0) } : ""
        findings.report(
            "FL016", at: node.span,
            "\"\(key)\" in \(fields.subject) is no name of an environment variable",
            hint: SecretSource.isVariableName(bare)
                ? "write \(bare)" : "names are letters, digits and _, such as ACME_KEY")
        return nil
    }

    private mutating func variable(_ entry: YAMLMapping.Entry) -> ValueDefinition {
        guard entry.value.mapping != nil else {
            return ValueDefinition(name: entry.key, span: entry.keySpan, type: type(entry.value))
        }
        guard let fields = reader(entry, "variable", keys: ["type", "init", "label", "fields"]) else {
            return ValueDefinition(name: entry.key, span: entry.keySpan, type: nil)
        }
        let (type, members) = declaredType(fields)
        var variable = ValueDefinition(
            name: entry.key, span: entry.keySpan, type: type, initial: fields["init"])
        variable.members = members
        variable.label = label(fields, type)
        return variable
    }

    /// The type, and the members of an `object`: JSON of a known shape.
    private mutating func declaredType(_ fields: MappingReader) -> (FlowType?, [ValueDefinition]) {
        fields.require("type", diagnostics: &findings.diagnostics)
        guard let node = fields["type"] else { return (nil, []) }
        let text = node.scalar?.text ?? ""
        guard text == "object" || text == "optional object" else {
            if let other = fields.entry("fields") {
                findings.report("FL016", at: other.keySpan, "\"fields\" belongs to the type object")
            }
            return (type(node), [])
        }
        let members = named(fields, "fields").map { entry in
            ValueDefinition(name: entry.key, span: entry.keySpan, type: type(entry.value))
        }
        return (text == "object" ? .json : .optional(.json), members)
    }

    /// `public`, `pii`, `sensitive` or `secret` says who may see the value, `untrusted` that anybody may have sent it.
    private mutating func label(_ fields: MappingReader, _ type: FlowType?) -> Label? {
        let words = ["public", "pii", "sensitive", "secret", "untrusted", "asserted", "trusted"]
        guard let word = fields.word("label", of: words, &findings.diagnostics) else { return nil }
        let standard = type.map { Label.standard(of: $0) } ?? .plain
        if word == Label.Secrecy.secret.rawValue, let type, let node = fields["label"], !type.holdsSecret {
            // A label holds for the linter alone; what a run writes down goes by the types.
            findings.report(
                "FL062", at: node.span,
                "\(fields.subject) is \(type), and only the type secret keeps a value hidden",
                hint: "write type: \(type.isOptional ? "optional secret" : "secret")")
        }
        if let integrity = Label.Integrity(rawValue: word) { return Label(standard.secrecy, integrity) }
        return Label.Secrecy(rawValue: word).map { Label($0, standard.integrity) }
    }

    private mutating func constraints(_ fields: MappingReader, _ type: FlowType?) -> ValueConstraints {
        var constraints = ValueConstraints()
        if let nodes = fields.sequence("values", &findings.diagnostics), let type {
            constraints.values = nodes.compactMap {
                ExpressionCompiler.literal($0, as: type.required, file: file, &findings.diagnostics)
            }
        }
        if let pattern = fields.string("pattern", &findings.diagnostics), let node = fields["pattern"] {
            constraints.pattern = checked(pattern, node, type)
        }
        constraints.minimum = bound("min", fields, type)
        constraints.maximum = bound("max", fields, type)
        if let least = constraints.minimum, let most = constraints.maximum, least.value > most.value,
            let entry = fields.entry("min")
        {
            findings.report(
                "FL016", at: entry.keySpan, "\"min\" \(least) is above \"max\" \(most): no value is allowed")
        }
        return constraints
    }

    private mutating func bound(
        _ key: String, _ fields: MappingReader, _ type: FlowType?
    ) -> ValueConstraints.Bound? {
        guard let entry = fields.entry(key) else { return nil }
        if let type, !type.required.isMeasured {
            findings.report(
                "FL016", at: entry.keySpan, "\"\(key)\" bounds numbers, texts and lists, not \(type)")
            return nil
        }
        if type?.required == .number, case .number(let value) = entry.value.value { return .number(value) }
        return fields.int(key, &findings.diagnostics).map { .int(Int64($0)) }
    }

    /// FL057
    private mutating func checked(_ text: String, _ node: YAMLNode, _ type: FlowType?) -> Pattern? {
        guard type?.required.isText ?? true else {
            findings.report(
                "FL016", at: node.span, "\"pattern\" is for texts, not \(type?.description ?? "this")")
            return nil
        }
        do throws(PatternError) {
            return try Pattern(text)
        } catch {
            findings.report("FL057", at: node.span, "\"\(text)\": \(error.message)", hint: error.hint)
            return nil
        }
    }

    mutating func end(_ entry: YAMLMapping.Entry) -> EndDefinition {
        let implicit = Self.implicitEnds[entry.key]
        var end = EndDefinition(name: entry.key, span: entry.keySpan, result: implicit ?? .failure)
        let keys = ["result", "outputs", "message", "error", "exit", "note"]
        guard let fields = reader(entry, "end", keys: keys) else {
            end.hasResult = implicit != nil
            return end
        }
        if implicit == nil { fields.require("result", diagnostics: &findings.diagnostics) }
        let result = fields.word("result", as: EndRow.Result.self, &findings.diagnostics)
        end.result = result ?? end.result
        end.hasResult = result != nil || (implicit != nil && !fields.has("result"))
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

extension FlowType {
    /// Whether `min` and `max` mean something: of numbers their value, of texts and lists their length.
    fileprivate var isMeasured: Bool {
        switch self {
        case .int, .number, .string, .url, .list: true
        case .bool, .time, .duration, .bytes, .json, .map, .secret, .sensitive, .tokenset, .optional, .null:
            false
        }
    }
}
