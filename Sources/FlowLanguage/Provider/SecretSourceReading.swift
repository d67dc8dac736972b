internal import YAMLText

/// Reads where a secret is; refuses the secret itself.
enum SecretSourceReading {
    private static let keys = ["env", "file", "command", "keyring"]

    /// - Parameter secret: What is kept there, such as `a client secret`.
    static func read(
        _ fields: MappingReader, _ key: String, _ secret: String, _ diagnostics: inout [Diagnostic]
    ) -> Located<SecretSource>? {
        guard let node = fields[key] else { return nil }
        let hint = "say where it is: {env: NAME}, {file: PATH}, {command: [PROGRAM, ...]} or {keyring: NAME}"
        guard node.value != .null else {
            fields.wrong(key, node, "the source of a secret", hint: hint, &diagnostics)
            return nil
        }
        guard let mapping = node.mapping else {
            // The text itself is never repeated: it may be the secret.
            diagnostics.append(
                .credential(at: node.span, fields.file, "\(secret) stands in the file", hint: hint))
            return nil
        }
        // Nor is a key without a value that is like none of those known here.
        if let stranger = mapping.entries.first(where: isStranger) {
            let message = "this is no key of \(key): is it \(secret) itself?"
            diagnostics.append(.credential(at: stranger.keySpan, fields.file, message, hint: hint))
            return nil
        }
        let count = diagnostics.count
        guard let source = fields.mapping(key, "\(key)", keys: keys, &diagnostics) else { return nil }
        let values = [
            name("env", source, secret, SecretSource.isVariableName, &diagnostics).map(
                SecretSource.environment),
            source.text("file", &diagnostics).map(SecretSource.file),
            command(source, &diagnostics).map(SecretSource.command),
            name("keyring", source, secret, SecretSource.isEntryName, &diagnostics).map(SecretSource.keyring),
        ].compactMap(\.self)
        // A wrong key or value has been reported already.
        guard count == diagnostics.count else { return nil }
        guard values.count == 1, let value = values.first else {
            let message = "\(key) needs exactly one of \"env\", \"file\", \"command\" and \"keyring\""
            diagnostics.append(
                Diagnostic(code: "FL011", file: fields.file, span: node.span, message: message))
            return nil
        }
        return Located(value, at: node.span)
    }

    /// Whether a key alone stands there, as in `{hunter2}`.
    private static func isStranger(_ entry: YAMLMapping.Entry) -> Bool {
        entry.value.value == .null && !keys.contains(entry.key)
            && SpellingSuggestion.nearest(to: entry.key, in: keys) == nil
    }

    /// What is no name is not repeated: it may be the secret.
    private static func name(
        _ key: String, _ source: MappingReader, _ secret: String, _ isName: (String) -> Bool,
        _ diagnostics: inout [Diagnostic]
    ) -> String? {
        guard let node = source[key], let text = source.text(key, &diagnostics) else { return nil }
        guard text.isEmpty || isName(text) else {
            diagnostics.append(
                .credential(
                    at: node.span, source.file,
                    key == "env"
                        ? "this is not the name of a variable: is it \(secret) itself?"
                        : "this is not the name of an entry: is it \(secret) itself?",
                    hint: key == "env"
                        ? "name the environment variable that holds it, as {env: ACME_CLIENT_SECRET}"
                        : "name the entry under which the keyring has it, as {keyring: acme}"))
            return nil
        }
        return text
    }

    private static func command(_ source: MappingReader, _ diagnostics: inout [Diagnostic]) -> [String]? {
        guard let node = source["command"] else { return nil }
        guard node.sequence != nil else {
            let hint = "there is no shell; write each word by itself, as [pass, show, acme]"
            source.wrongSource("command", node, "a list of texts", hint: hint, &diagnostics)
            return nil
        }
        guard let words = source.strings("command", &diagnostics) else { return nil }
        guard words.first?.isEmpty == false else {
            source.wrong("command", node, "a program with its arguments", &diagnostics)
            return nil
        }
        DescriptorSafety.findCredentials(node, file: source.file, &diagnostics)
        return words
    }
}

extension MappingReader {
    /// A text that is not empty.
    fileprivate func text(_ key: String, _ diagnostics: inout [Diagnostic]) -> String? {
        guard let node = self[key] else { return nil }
        guard case .string(let text) = node.value else {
            wrongSource(key, node, "text", hint: node.quoting?.hint, &diagnostics)
            return nil
        }
        if text.isEmpty { wrong(key, node, "a name", &diagnostics) }
        return text
    }

    /// Does not repeat what stands there: it may be the secret.
    fileprivate func wrongSource(
        _ key: String, _ node: YAMLNode, _ expected: String, hint: String?, _ diagnostics: inout [Diagnostic]
    ) {
        let message = "\"\(key)\" in \(subject) must be \(expected), not \(node.form)"
        diagnostics.append(
            Diagnostic(code: "FL016", file: file, span: node.span, message: message, hint: hint))
    }
}
