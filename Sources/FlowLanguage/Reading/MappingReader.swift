package import YAMLText

/// Reads one mapping of a file by its keys, and reports everything that is wrong with it.
///
/// Unknown keys are reported when the reader is made; keys that begin with `x-` belong to other tools and are left
/// alone. Every reading function answers `nil` both for a key that is not there and, after a report, for a value that
/// is not what the key needs.
package struct MappingReader {
    private let makeSubject: () -> String
    package let file: String
    package let span: SourceSpan
    /// All entries in the order of the file, those of other tools left out.
    package let entries: [YAMLMapping.Entry]
    /// The marks of all keys: most keys that are asked for are not there, and nearly all of those have another mark.
    private let marks: UInt64

    /// What the mapping is, for messages, such as `step "verify"`.
    package var subject: String { makeSubject() }

    /// - Parameters:
    ///   - subject: Made when a message needs it.
    ///   - keys: The known keys; `nil` allows any, as in a mapping of names.
    ///   - unknownKey: The code for a key that is not known.
    /// - Returns: `nil`, after a report, when the node is not a mapping.
    package init?(
        _ node: YAMLNode, _ subject: @escaping @autoclosure () -> String, keys: [String]?, file: String,
        unknownKey: String = "FL010",
        _ diagnostics: inout [Diagnostic]
    ) {
        makeSubject = subject
        self.file = file
        span = node.span
        guard let mapping = node.mapping else {
            let message = "\(subject()) must be a mapping, not \(node.shape)"
            diagnostics.append(Diagnostic(code: "FL016", file: file, span: node.span, message: message))
            return nil
        }
        let hasForeign = mapping.entries.contains(where: Self.isForeign)
        entries = hasForeign ? mapping.entries.filter { !Self.isForeign($0) } : mapping.entries
        marks = entries.reduce(0) { $0 | Self.mark($1.key) }
        guard let keys else { return }
        var place = 0
        for entry in entries where !Self.isKnown(entry.key, keys, &place) {
            let nearest = SpellingSuggestion.nearest(to: entry.key, in: keys)
            let suggestion = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
            diagnostics.append(
                Diagnostic(
                    code: unknownKey, file: file, span: entry.keySpan,
                    message: "unknown key \"\(entry.key)\" in \(subject())\(suggestion)",
                    hint: nearest == nil ? "keys here: \(keys.joined(separator: ", "))" : nil))
        }
    }

    private static func isForeign(_ entry: YAMLMapping.Entry) -> Bool {
        entry.key.utf8.first == UInt8(ascii: "x") && entry.key.utf8.starts(with: "x-".utf8)
    }

    // Known keys are ASCII, so that only keys of one length can be equal, and nearly all others are told apart without
    // a look at their bytes.

    /// - Parameter place: Where the last key was found: keys mostly come in the order in which they are listed.
    private static func isKnown(_ key: String, _ keys: [String], _ place: inout Int) -> Bool {
        let length = key.utf8.count
        let isMeant = { (known: String) in known.utf8.count == length && known == key }
        guard
            let found = keys[place...].firstIndex(where: isMeant) ?? keys[..<place].firstIndex(where: isMeant)
        else { return false }
        place = found
        return true
    }

    /// One bit of 64 by length and first letter.
    private static func mark(_ key: String) -> UInt64 {
        let sum = key.utf8.count &* 7 &+ Int(key.utf8.first ?? 0)
        return 1 << UInt64(sum & 63)
    }

    private func index(of key: String) -> Int? {
        guard marks & Self.mark(key) != 0 else { return nil }
        let length = key.utf8.count
        return entries.firstIndex { $0.key.utf8.count == length && $0.key == key }
    }

    package func entry(_ key: String) -> YAMLMapping.Entry? { index(of: key).map { entries[$0] } }

    package subscript(key: String) -> YAMLNode? { index(of: key).map { entries[$0].value } }

    package func has(_ key: String) -> Bool { index(of: key) != nil }

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
        wrongWord(key, node, words, &diagnostics)
        return nil
    }

    private func wrongWord(
        _ key: String, _ node: YAMLNode, _ words: [String], _ diagnostics: inout [Diagnostic]
    ) {
        let text = node.scalar?.text ?? ""
        let nearest = SpellingSuggestion.nearest(to: text, in: words)
        let choice = words.joined(separator: ", ")
        let hint = nearest.map { "did you mean \"\($0)\"?" }
        wrong(key, node, words.count == 1 ? choice : "one of \(choice)", hint: hint, &diagnostics)
    }

    /// One of the raw values of an enumeration.
    package func word<Word: RawRepresentable<String> & CaseIterable>(
        _ key: String, as type: Word.Type, _ diagnostics: inout [Diagnostic]
    ) -> Word? {
        guard let node = self[key] else { return nil }
        if let word = Word(rawValue: node.scalar?.text ?? "") { return word }
        wrongWord(key, node, Word.allCases.map(\.rawValue), &diagnostics)
        return nil
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
        _ key: String, _ subject: @escaping @autoclosure () -> String? = nil, keys: [String]?,
        unknownKey: String = "FL010", _ diagnostics: inout [Diagnostic]
    ) -> MappingReader? {
        guard let node = self[key] else { return nil }
        return MappingReader(
            node, subject() ?? "\"\(key)\"", keys: keys, file: file, unknownKey: unknownKey, &diagnostics)
    }

    /// The entries of a mapping whose keys are names of something else, such as header fields: `x-` is one like others.
    package func names(_ key: String, _ diagnostics: inout [Diagnostic]) -> [YAMLMapping.Entry] {
        guard let node = self[key] else { return [] }
        if let mapping = node.mapping { return mapping.entries }
        wrong(key, node, "a mapping", &diagnostics)
        return []
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
