package import YAMLText

/// What a mapping is, for messages, such as `step "verify"`.
package struct MappingSubject: ExpressibleByStringInterpolation, CustomStringConvertible {
    private let kind: String
    fileprivate let name: String?

    package init(stringLiteral text: String) { (kind, name) = (text, nil) }

    private init(kind: String, name: String) { (self.kind, self.name) = (kind, name) }

    /// Joined when a message needs it: most mappings are right.
    package static func named(_ kind: String, _ name: String) -> MappingSubject {
        MappingSubject(kind: kind, name: name)
    }

    /// The mapping under a key.
    package static func key(_ key: String) -> MappingSubject { MappingSubject(kind: "", name: key) }

    package var description: String {
        guard let name else { return kind }
        return kind.isEmpty ? "\"\(name)\"" : "\(kind) \"\(name)\""
    }
}

/// Reads one mapping of a file by its keys, and reports everything that is wrong with it.
///
/// Unknown keys are reported when the reader is made; keys that begin with `x-` belong to other tools and are left
/// alone. Every reading function answers `nil` both for a key that is not there and, after a report, for a value that
/// is not what the key needs.
///
/// A class only because it is asked some hundred times for each file: as one it goes in one register. What it answers
/// never changes.
package final class MappingReader {
    private let what: MappingSubject
    package let file: String
    package let span: SourceSpan
    /// All entries in the order of the file, those of other tools left out.
    package let entries: [YAMLMapping.Entry]
    /// Keys that unknown ones are taken for: what is misspelt is not missing too.
    private let misspelt: [String]
    /// The marks of all keys: most keys that are asked for are not there, and nearly all of those have another mark.
    private let marks: KeyMarks
    /// Where the last key was found: keys are mostly asked for in the order in which they are written.
    private var place = 0

    /// What the mapping is, for messages, such as `step "verify"`.
    package var subject: String { what.description }

    /// - Parameters:
    ///   - keys: The known keys; `nil` allows any, as in a mapping of names.
    ///   - unknownKey: The code for a key that is not known.
    ///   - elsewhere: Where a key belongs that is not known here.
    /// - Returns: `nil`, after a report, when the node is not a mapping.
    package init?(
        _ node: YAMLNode, _ subject: MappingSubject, keys: [String]?, file: String,
        unknownKey: String = "FL010", elsewhere: (String) -> String? = { _ in nil },
        _ diagnostics: inout [Diagnostic]
    ) {
        guard case .mapping(let mapping) = node.content else {
            let message = "\(subject) must be a mapping, not \(node.shape(under: subject.name ?? ""))"
            diagnostics.append(Diagnostic(code: "FL016", file: file, span: node.span, message: message))
            return nil
        }
        what = subject
        self.file = file
        span = node.span
        var marks = KeyMarks()
        let unknown = mapping.entries.withUnsafeBufferPointer { entries in
            for index in entries.indices { marks.insert(entries[index].key) }
            return Self.unknown(entries, keys)
        }
        self.marks = marks
        // Those of other tools are known nowhere.
        let foreign = unknown.filter { Self.isForeign(mapping.entries[$0].key) }
        entries = foreign.isEmpty ? mapping.entries : mapping.entries.filter { !Self.isForeign($0.key) }
        var misspelt: [String] = []
        if let keys {
            for index in unknown where !foreign.contains(index) {
                let key = mapping.entries[index].key
                let nearest = SpellingSuggestion.nearest(to: key, in: keys)
                if let nearest { misspelt.append(nearest) }
                let hint =
                    nearest == nil
                    ? elsewhere(key) ?? "keys here: \(keys.joined(separator: ", "))" : nil
                diagnostics.append(
                    Self.unknown(mapping.entries[index], nearest, hint, subject, file, code: unknownKey))
            }
        }
        self.misspelt = misspelt
    }

    /// Where the keys are that are none of those that are known; where all are allowed, those that may be of other tools.
    private static func unknown(
        _ entries: UnsafeBufferPointer<YAMLMapping.Entry>, _ keys: [String]?
    ) -> [Int] {
        guard let keys else { return entries.indices.filter { isForeign(entries[$0].key) } }
        var place = 0
        return keys.withUnsafeBufferPointer { keys in
            entries.indices.filter { !isKnown(entries[$0].key, keys, &place) }
        }
    }

    private static func unknown(
        _ entry: YAMLMapping.Entry, _ nearest: String?, _ hint: String?, _ subject: MappingSubject,
        _ file: String, code: String
    ) -> Diagnostic {
        let suggestion = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
        return Diagnostic(
            code: code, file: file, span: entry.keySpan,
            message: "unknown key \"\(entry.key)\" in \(subject)\(suggestion)", hint: hint)
    }

    /// Whether a key belongs to another tool.
    static func isForeign(_ key: String) -> Bool {
        key.utf8.first == UInt8(ascii: "x") && key.utf8.starts(with: "x-".utf8)
    }

    // Known keys are ASCII, so that only keys of one length can be equal, and nearly all others are told apart without
    // a look at their bytes.

    /// - Parameter place: Where the last key was found: keys mostly come in the order in which they are listed.
    private static func isKnown(
        _ key: String, _ keys: UnsafeBufferPointer<String>, _ place: inout Int
    ) -> Bool {
        let length = key.utf8.count
        for index in place..<keys.count where keys[index].utf8.count == length && keys[index] == key {
            place = index
            return true
        }
        for index in 0..<place where keys[index].utf8.count == length && keys[index] == key {
            place = index
            return true
        }
        return false
    }

    /// False for nearly every key that is not there, at the price of one comparison.
    @inline(__always)
    private func mayHave(_ key: String) -> Bool { marks.mayContain(key) }

    // Not inlined, nor is what follows: only the question whether a key may be there is.
    @inline(never)
    private func index(of key: String) -> Int? {
        let length = key.utf8.count
        return entries.withUnsafeBufferPointer { entries in
            // First from where the last key was found to the end.
            var index = place
            for _ in entries {
                if index == entries.count { index = 0 }
                if entries[index].key.utf8.count == length, entries[index].key == key {
                    place = index
                    return index
                }
                index += 1
            }
            return nil
        }
    }

    /// Whether one of the keys is there.
    package func hasAny(of keys: [String]) -> Bool {
        var place = 0
        return keys.withUnsafeBufferPointer { keys in
            entries.indices.contains { Self.isKnown(entries[$0].key, keys, &place) }
        }
    }

    package func entry(_ key: String) -> YAMLMapping.Entry? { index(of: key).map { entries[$0] } }

    package subscript(key: String) -> YAMLNode? {
        @inline(__always) get { mayHave(key) ? value(of: key) : nil }
    }

    @inline(never)
    private func value(of key: String) -> YAMLNode? { index(of: key).map { entries[$0].value } }

    @inline(__always)
    package func has(_ key: String) -> Bool { mayHave(key) && index(of: key) != nil }

    /// Reports the key as missing unless it is there, or is there misspelt.
    package func require(_ keys: String..., diagnostics: inout [Diagnostic]) {
        for key in keys where !has(key) && !misspelt.contains(key) {
            diagnostics.append(
                Diagnostic(
                    code: "FL011", file: file, span: SourceSpan(at: span.start),
                    message: "\(subject) needs the key \"\(key)\""))
        }
    }

    // MARK: Scalars

    /// A text; numbers and booleans must be quoted to be one.
    @inline(__always)
    package func string(_ key: String, _ diagnostics: inout [Diagnostic]) -> String? {
        mayHave(key) ? writtenString(key, &diagnostics) : nil
    }

    @inline(never)
    private func writtenString(_ key: String, _ diagnostics: inout [Diagnostic]) -> String? {
        guard let node = value(of: key) else { return nil }
        if case .string(let text) = node.value { return text }
        wrong(key, node, "text", hint: node.isPlainValue ? "quote it" : nil, &diagnostics)
        return nil
    }

    @inline(__always)
    package func bool(_ key: String, _ diagnostics: inout [Diagnostic]) -> Bool? {
        mayHave(key) ? writtenBool(key, &diagnostics) : nil
    }

    @inline(never)
    private func writtenBool(_ key: String, _ diagnostics: inout [Diagnostic]) -> Bool? {
        guard let node = value(of: key) else { return nil }
        if case .bool(let value) = node.value { return value }
        wrong(key, node, "true or false", &diagnostics)
        return nil
    }

    @inline(__always)
    package func int(
        _ key: String, in range: ClosedRange<Int> = Int.min...Int.max, _ diagnostics: inout [Diagnostic]
    ) -> Int? {
        mayHave(key) ? writtenInt(key, range, &diagnostics) : nil
    }

    @inline(never)
    private func writtenInt(
        _ key: String, _ range: ClosedRange<Int>, _ diagnostics: inout [Diagnostic]
    ) -> Int? {
        guard let node = value(of: key) else { return nil }
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
        guard let node = value(of: key) else { return nil }
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
        duration(key, least: 0, &diagnostics)
    }

    /// A bound on time, in which nothing could happen if it were `0s`.
    package func timeLimit(_ key: String, _ diagnostics: inout [Diagnostic]) -> Int64? {
        duration(key, least: 1, &diagnostics)
    }

    @inline(never)
    private func duration(_ key: String, least: Int64, _ diagnostics: inout [Diagnostic]) -> Int64? {
        guard let node = value(of: key) else { return nil }
        if case .string(let text) = node.value, let milliseconds = DurationText.parse(text) {
            if milliseconds >= least { return milliseconds }
            wrong(key, node, "longer than 0s", hint: "leave it out for the usual limit", &diagnostics)
            return nil
        }
        wrong(key, node, "a duration such as 20s", hint: "units: ms, s, m, h, d", &diagnostics)
        return nil
    }

    /// One of the listed words.
    @inline(__always)
    package func word(
        _ key: String, of words: @autoclosure () -> [String], _ diagnostics: inout [Diagnostic]
    ) -> String? {
        mayHave(key) ? writtenWord(key, of: words(), &diagnostics) : nil
    }

    @inline(never)
    private func writtenWord(
        _ key: String, of words: [String], _ diagnostics: inout [Diagnostic]
    ) -> String? {
        guard let node = value(of: key) else { return nil }
        let text = node.scalar?.text ?? ""
        if words.contains(text) { return text }
        wrongWord(key, node, words, &diagnostics)
        return nil
    }

    @inline(never)
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
    @inline(__always)
    package func word<Word: RawRepresentable<String> & CaseIterable>(
        _ key: String, as type: Word.Type, _ diagnostics: inout [Diagnostic]
    ) -> Word? {
        mayHave(key) ? writtenWord(key, type, &diagnostics) : nil
    }

    @inline(never)
    private func writtenWord<Word: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ type: Word.Type, _ diagnostics: inout [Diagnostic]
    ) -> Word? {
        guard let node = value(of: key) else { return nil }
        if let word = Word(rawValue: node.scalar?.text ?? "") { return word }
        wrongWord(key, node, Word.allCases.map(\.rawValue), &diagnostics)
        return nil
    }

    // MARK: Collections

    /// The elements of a list.
    @inline(__always)
    package func sequence(_ key: String, _ diagnostics: inout [Diagnostic]) -> [YAMLNode]? {
        mayHave(key) ? writtenSequence(key, &diagnostics) : nil
    }

    @inline(never)
    private func writtenSequence(_ key: String, _ diagnostics: inout [Diagnostic]) -> [YAMLNode]? {
        guard let node = value(of: key) else { return nil }
        if let nodes = node.sequence { return nodes }
        wrong(key, node, "a list", &diagnostics)
        return nil
    }

    /// A list of texts; elements that are none are reported one by one and left out.
    @inline(__always)
    package func strings(_ key: String, _ diagnostics: inout [Diagnostic]) -> [String]? {
        mayHave(key) ? writtenStrings(key, &diagnostics) : nil
    }

    @inline(never)
    private func writtenStrings(_ key: String, _ diagnostics: inout [Diagnostic]) -> [String]? {
        writtenSequence(key, &diagnostics)?.compactMap { node in
            if case .string(let text) = node.value { return text }
            wrongElement(
                of: key, node, "texts", hint: node.isPlainValue ? "quote it" : nil, &diagnostics)
            return nil
        }
    }

    /// A reader for the mapping under the key.
    @inline(__always)
    package func mapping(
        _ key: String, _ subject: MappingSubject? = nil, keys: @autoclosure () -> [String]?,
        unknownKey: String = "FL010", _ diagnostics: inout [Diagnostic]
    ) -> MappingReader? {
        mayHave(key) ? writtenMapping(key, subject, keys(), unknownKey, &diagnostics) : nil
    }

    @inline(never)
    private func writtenMapping(
        _ key: String, _ subject: MappingSubject?, _ keys: [String]?, _ unknownKey: String,
        _ diagnostics: inout [Diagnostic]
    ) -> MappingReader? {
        guard let node = value(of: key) else { return nil }
        return MappingReader(
            node, subject ?? .key(key), keys: keys, file: file, unknownKey: unknownKey, &diagnostics)
    }

    /// The entries of a mapping whose keys are names of something else, such as header fields: `x-` is one like others.
    @inline(__always)
    package func names(_ key: String, _ diagnostics: inout [Diagnostic]) -> [YAMLMapping.Entry] {
        mayHave(key) ? writtenNames(key, &diagnostics) : []
    }

    @inline(never)
    private func writtenNames(_ key: String, _ diagnostics: inout [Diagnostic]) -> [YAMLMapping.Entry] {
        guard let node = value(of: key) else { return [] }
        if let mapping = node.mapping { return mapping.entries }
        wrong(key, node, "a mapping", &diagnostics)
        return []
    }

    // MARK: Reports

    /// Reports an element of a list that is not what the list holds.
    @inline(never)
    package func wrongElement(
        of key: String, _ node: YAMLNode, _ expected: String, hint: String? = nil,
        _ diagnostics: inout [Diagnostic]
    ) {
        diagnostics.append(
            Diagnostic(
                code: "FL016", file: file, span: node.span,
                message:
                    "the elements of \"\(key)\" in \(subject) must be \(expected), not \(node.shape(under: key))",
                hint: hint))
    }

    /// Reports a value that is not what its key needs.
    @inline(never)
    package func wrong(
        _ key: String, _ node: YAMLNode, _ expected: String, hint: String? = nil,
        _ diagnostics: inout [Diagnostic]
    ) {
        diagnostics.append(
            Diagnostic(
                code: "FL016", file: file, span: node.span,
                message: "\"\(key)\" in \(subject) must be \(expected), not \(node.shape(under: key))",
                hint: hint))
    }
}

extension YAMLNode {
    /// What the node is, for messages; of what may be a secret no more than its form.
    func shape(under key: String) -> String { DescriptorSafety.isSecretKey(key) ? form : shape }

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

    /// What the node is without what it says.
    var form: String {
        switch value {
        case nil: shape
        case .null: "nothing"
        case .bool: "a boolean"
        case .int, .number: "a number"
        case .string: "a text"
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
