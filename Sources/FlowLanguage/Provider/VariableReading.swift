internal import YAMLText

/// Reads `variables`, the parts of a descriptor that a registration fills in.
enum VariableReading {
    static let keys = [
        "description", "default", "example", "required", "pattern", "enum", "prefix", "suffix", "secret",
    ]

    static func read(_ root: MappingReader, _ diagnostics: inout [Diagnostic]) -> [VariableSpec] {
        guard let names = root.mapping("variables", keys: nil, &diagnostics) else { return [] }
        var variables: [VariableSpec] = []
        for entry in names.entries {
            if !FlowName.isID(entry.key) {
                diagnostics.append(
                    Diagnostic(
                        code: "FL014", file: root.file, span: entry.keySpan,
                        message:
                            "a variable's name is lower-case letters, digits and '_', not \"\(entry.key)\""))
            }
            let reader = MappingReader(
                entry.value, .named("variable", entry.key), keys: keys, file: root.file, &diagnostics)
            guard let reader else { continue }
            var variable = VariableSpec(name: entry.key)
            variable.description = reader.string("description", &diagnostics)
            variable.standard = reader.string("default", &diagnostics)
            variable.example = reader.string("example", &diagnostics)
            variable.isRequired = reader.bool("required", &diagnostics) ?? !reader.has("default")
            variable.pattern = pattern(reader, &diagnostics)
            variable.allowed = reader.strings("enum", &diagnostics)
            variable.prefix = reader.string("prefix", &diagnostics)
            variable.suffix = reader.string("suffix", &diagnostics)
            variable.isSecret = reader.bool("secret", &diagnostics) ?? false
            checkStandard(variable, reader, &diagnostics)
            variables.append(variable)
        }
        return variables
    }

    private static func pattern(_ reader: MappingReader, _ diagnostics: inout [Diagnostic]) -> Pattern? {
        guard let text = reader.string("pattern", &diagnostics), let node = reader["pattern"] else {
            return nil
        }
        let start = text.hasPrefix("^") ? 1 : 0
        let end = text.hasSuffix("$") && !text.hasSuffix("\\$") ? 1 : 0
        do throws(PatternError) {
            return try Pattern(String(text.unicodeScalars.dropFirst(start).dropLast(end)))
        } catch {
            let range = (error.range.lowerBound + start)..<(error.range.upperBound + start)
            diagnostics.append(
                Diagnostic(
                    code: "FL057", file: reader.file, span: node.span(ofScalars: range),
                    message: error.message, hint: error.hint))
            return nil
        }
    }

    private static func checkStandard(
        _ variable: VariableSpec, _ reader: MappingReader, _ diagnostics: inout [Diagnostic]
    ) {
        for (key, value) in [("default", variable.standard), ("example", variable.example)] {
            guard let value, let node = reader[key] else { continue }
            if key == "default", variable.isSecret {
                let message = "a secret variable has no default; its value comes from a registration"
                diagnostics.append(.credential(at: node.span, reader.file, message))
                // What it lacks to fit would repeat it.
                continue
            }
            guard let problem = variable.problem(with: variable.completed(value)) else { continue }

            diagnostics.append(
                Diagnostic(
                    code: "FL016", file: reader.file, span: node.span,
                    message: "the \(key) of variable \"\(variable.name)\" \(problem)"))
        }
    }
}

extension VariableSpec {
    /// The value with `prefix` and `suffix`, unless it has them already.
    package func completed(_ value: String) -> String {
        var value = value
        if let prefix, !value.hasPrefix(prefix) { value = prefix + value }
        if let suffix, !value.hasSuffix(suffix) { value += suffix }
        return value
    }

    /// Why the value may not stand for the variable; `nil` when it may.
    package func problem(with value: String) -> String? {
        if let allowed, !allowed.contains(value) {
            return "must be one of \(allowed.joined(separator: ", ")), not \"\(value)\""
        }
        if let pattern, !pattern.matches(value) {
            return "must match \(pattern.text), which \"\(value)\" does not"
        }
        return nil
    }
}
