package import YAMLText

/// Reads one mapping of a file by its keys, and reports everything that is wrong with it.
///
/// Unknown keys are reported when the reader is made; keys that begin with `x-` belong to other tools and are left
/// alone. Every reading function answers `nil` both for a key that is not there and, after a report, for a value that
/// is not what the key needs.
package struct MappingReader {
    /// What the mapping is, for messages, such as `step "verify"`.
    package let subject: String
    package let file: String
    package let span: SourceSpan
    /// All entries in the order of the file, those of other tools left out.
    package let entries: [YAMLMapping.Entry]

    /// - Parameters:
    ///   - keys: The known keys; `nil` allows any, as in a mapping of names.
    ///   - unknownKey: The code for a key that is not known.
    /// - Returns: `nil`, after a report, when the node is not a mapping.
    package init?(
        _ node: YAMLNode, _ subject: String, keys: [String]?, file: String, unknownKey: String = "FL010",
        _ diagnostics: inout [Diagnostic]
    ) {
        self.subject = subject
        self.file = file
        span = node.span
        guard let mapping = node.mapping else {
            let message = "\(subject) must be a mapping, not \(node.shape)"
            diagnostics.append(Diagnostic(code: "FL016", file: file, span: node.span, message: message))
            return nil
        }
        entries = mapping.entries.filter { !$0.key.hasPrefix("x-") }
        guard let keys else { return }
        for entry in entries where !keys.contains(entry.key) {
            let nearest = SpellingSuggestion.nearest(to: entry.key, in: keys)
            let suggestion = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
            diagnostics.append(
                Diagnostic(
                    code: unknownKey, file: file, span: entry.keySpan,
                    message: "unknown key \"\(entry.key)\" in \(subject)\(suggestion)",
                    hint: nearest == nil ? "keys here: \(keys.joined(separator: ", "))" : nil))
        }
    }

    package func entry(_ key: String) -> YAMLMapping.Entry? { entries.first { $0.key == key } }

    package subscript(key: String) -> YAMLNode? { entry(key)?.value }

    package func has(_ key: String) -> Bool { entry(key) != nil }

    /// Reports the key as missing unless it is there.
    package func require(_ keys: String..., diagnostics: inout [Diagnostic]) {
        for key in keys where !has(key) {
            diagnostics.append(
                Diagnostic(
                    code: "FL011", file: file, span: SourceSpan(at: span.start),
                    message: "\(subject) needs the key \"\(key)\""))
        }
    }

    // MARK: Scalars

    /// A text; numbers and booleans must be quoted to be one.
    package func string(_ key: String, _ diagnostics: inout [Diagnostic]) -> String? {
        guard let node = self[key] else { return nil }
        if case .string(let text) = node.value { return text }
        wrong(key, node, "text", hint: node.isPlainValue ? "quote it" : nil, &diagnostics)
        return nil
    }

    package func bool(_ key: String, _ diagnostics: inout [Diagnostic]) -> Bool? {
        guard let node = self[key] else { return nil }
        if case .bool(let value) = node.value { return value }
        wrong(key, node, "true or false", &diagnostics)
        return nil
    }

    package func int(
        _ key: String, in range: ClosedRange<Int> = Int.min...Int.max, _ diagnostics: inout [Diagnostic]
    ) -> Int? {
        guard let node = self[key] else { return nil }
        guard case .int(let value) = node.value else {
            wrong(key, node, "an integer", &diagnostics)
            return nil
        }
        guard range.contains(value) else {
            wrong(key, node, "an integer from \(range.lowerBound) to \(range.upperBound)", &diagnostics)
            return nil
        }
        return value
    }

    package func number(_ key: String, _ diagnostics: inout [Diagnostic]) -> Double? {
        guard let node = self[key] else { return nil }
        switch node.value {
        case .int(let value): return Double(value)
        case .number(let value): return value
        case .null, .bool, .string, nil:
            wrong(key, node, "a number", &diagnostics)
            return nil
        }
    }

    /// A length of time in milliseconds.
    package func duration(_ key: String, _ diagnostics: inout [Diagnostic]) -> Int64? {
        guard let node = self[key] else { return nil }
        if case .string(let text) = node.value, let milliseconds = DurationText.parse(text) {
            return milliseconds
        }
        wrong(key, node, "a duration such as 20s", hint: "units: ms, s, m, h, d", &diagnostics)
        return nil
    }

    /// One of the listed words.
    package func word(_ key: String, of words: [String], _ diagnostics: inout [Diagnostic]) -> String? {
        guard let node = self[key] else { return nil }
        let text = node.scalar?.text ?? ""
        if words.contains(text) { return text }
        let nearest = SpellingSuggestion.nearest(to: text, in: words)
        let choice = words.joined(separator: ", ")
        let hint = nearest.map { "did you mean \"\($0)\"?" }
        wrong(key, node, words.count == 1 ? choice : "one of \(choice)", hint: hint, &diagnostics)
        return nil
    }

    /// One of the raw values of an enumeration.
    package func word<Word: RawRepresentable<String> & CaseIterable>(
        _ key: String, as type: Word.Type, _ diagnostics: inout [Diagnostic]
    ) -> Word? {
        word(key, of: Word.allCases.map(\.rawValue), &diagnostics).flatMap(Word.init(rawValue:))
    }

    // MARK: Collections

    /// The elements of a list.
    package func sequence(_ key: String, _ diagnostics: inout [Diagnostic]) -> [YAMLNode]? {
        guard let node = self[key] else { return nil }
        if let nodes = node.sequence { return nodes }
        wrong(key, node, "a list", &diagnostics)
        return nil
    }

    /// A list of texts; elements that are none are reported one by one and left out.
    package func strings(_ key: String, _ diagnostics: inout [Diagnostic]) -> [String]? {
        sequence(key, &diagnostics)?.compactMap { node in
            if case .string(let text) = node.value { return text }
            wrong(key, node, "a list of texts", hint: node.isPlainValue ? "quote it" : nil, &diagnostics)
            return nil
        }
    }

    /// A reader for the mapping under the key.
    package func mapping(
        _ key: String, _ subject: String? = nil, keys: [String]?, unknownKey: String = "FL010",
        _ diagnostics: inout [Diagnostic]
    ) -> MappingReader? {
        self[key].flatMap { node in
            MappingReader(
                node, subject ?? "\"\(key)\"", keys: keys, file: file, unknownKey: unknownKey, &diagnostics)
        }
    }

    // MARK: Reports

    /// Reports a value that is not what its key needs.
    package func wrong(
        _ key: String, _ node: YAMLNode, _ expected: String, hint: String? = nil,
        _ diagnostics: inout [Diagnostic]
    ) {
        diagnostics.append(
            Diagnostic(
                code: "FL016", file: file, span: node.span,
                message: "\"\(key)\" in \(subject) must be \(expected), not \(node.shape)", hint: hint))
    }
}

extension YAMLNode {
    /// What the node is, for messages.
    package var shape: String {
        switch content {
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .scalar(let scalar):
            switch scalar.value {
            case .null: "nothing"
            case .bool: "the boolean \(scalar.text)"
            case .int, .number: "the number \(scalar.text)"
            case .string(let text): text.count <= 40 ? "\"\(text)\"" : "this text"
            }
        }
    }

    /// True for a scalar that becomes a text when it is quoted.
    var isPlainValue: Bool {
        switch value {
        case .bool, .int, .number: true
        case .null, .string, nil: false
        }
    }
}
