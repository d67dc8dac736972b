internal import YAMLText

/// Imports and the ports of `calls`.
extension FlowReader {
    mutating func imports(_ flow: MappingReader) -> [ImportDefinition] {
        named(flow, "import").compactMap { entry in
            guard let path = located(entry.value, "the path of import \"\(entry.key)\"") else { return nil }
            let parts = path.value.split(separator: "/", omittingEmptySubsequences: false)
            if path.value.hasPrefix("/") || parts.contains("..") || path.value.isEmpty {
                findings.report(
                    "FL016", at: path.span, "import \"\(entry.key)\" must be a relative path without \"..\"")
                return nil
            }
            return ImportDefinition(alias: entry.key, span: entry.keySpan, path: path)
        }
    }

    mutating func ports(_ flow: MappingReader) -> [PortDefinition] {
        let entries = flow.mapping("calls", "calls", keys: nil, &findings.diagnostics)?.entries ?? []
        return entries.compactMap { port($0) }
    }

    private mutating func port(_ entry: YAMLMapping.Entry) -> PortDefinition? {
        let parts = entry.key.split(separator: ".", omittingEmptySubsequences: false)
        if !parts.allSatisfy({ FlowName.isID(String($0)) }) {
            let message = "malformed port id \"\(entry.key)\": ids joined by points, such as account.find"
            findings.report("FL014", at: entry.keySpan, message)
        }
        let subject = "port \"\(entry.key)\""
        let keys = ["args", "out", "outcomes", "exec", "simulate", "note"]
        guard
            let fields = MappingReader(
                entry.value, "\(subject)", keys: keys, file: file, &findings.diagnostics)
        else { return nil }
        var port = PortDefinition(name: entry.key, span: entry.keySpan)
        port.arguments = types("args", fields)
        port.fields = types("out", fields)
        port.outcomes = outcomes(of: fields) ?? [Located("ok", at: entry.keySpan)]
        checkOutcomes(&port, fields)
        if let exec = program(of: fields) {
            port.program = exec
            port.programSpan = Self.programSpan(of: fields)
        }
        simulation(fields, &port)
        return port
    }

    private mutating func types(_ key: String, _ fields: MappingReader) -> [ValueDefinition] {
        named(fields, key).map { entry in
            ValueDefinition(name: entry.key, span: entry.keySpan, type: type(entry.value))
        }
    }

    /// The keys of a mapping, which is reported, are meant as outcomes too: steps that route them are right.
    private mutating func outcomes(of fields: MappingReader) -> [Located<String>]? {
        names("outcomes", of: fields)
            ?? fields["outcomes"]?.mapping?.entries.map { Located($0.key, at: $0.keySpan) }
    }

    private mutating func checkOutcomes(_ port: inout PortDefinition, _ fields: MappingReader) {
        if port.outcomes.isEmpty, let node = fields["outcomes"] {
            findings.report("FL011", at: node.span, "outcomes needs at least the one of success")
        }
        var seen: Set<String> = ["port_failed", "skipped", "assertion_failed", "exhausted"]
        for outcome in port.outcomes where !seen.insert(outcome.value).inserted {
            findings.report(
                "FL016", at: outcome.span,
                "outcome \"\(outcome.value)\" is there already; choose another name")
        }
        for outcome in port.outcomes where !FlowName.isID(outcome.value) {
            findings.report("FL014", at: outcome.span, "malformed outcome \"\(outcome.value)\"")
        }
    }

    private mutating func simulation(_ fields: MappingReader, _ port: inout PortDefinition) {
        guard let simulate = fields.mapping("simulate", keys: ["outcome", "out"], &findings.diagnostics)
        else {
            return
        }
        port.hasSimulation = true
        port.simulatedOutcome = located(simulate["outcome"], "outcome")
        port.simulatedFields = entries(simulate, "out", of: "simulate").map(NamedNode.init)
        if let outcome = port.simulatedOutcome, !port.outcomes.contains(where: { $0.value == outcome.value })
        {
            let suggestion = didYouMean(outcome.value, among: port.outcomes.map(\.value))
            findings.report(
                "FL019", at: outcome.span, "the port has no outcome \"\(outcome.value)\"\(suggestion)",
                fix: suggestion.fix)
        }
    }
}
