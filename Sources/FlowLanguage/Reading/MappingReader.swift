package import YAMLText

/// Reads one mapping of a file by its keys, and reports everything that is wrong with it.
///
/// Unknown keys are reported when the reader is made; keys that begin with `x-` belong to other tools and are left
/// alone. Every reading function answers `nil` both for a key that is not there and, after a report, for a value that
/// is not what the key needs.
///
/// A class only because it is asked some hundred times for each file: as one it goes in one register. It never changes.
package final class MappingReader {
    private let what: MappingSubject
    package let file: String
    package let span: SourceSpan
    private let keyed: KeyedEntries
    /// Keys that unknown ones are taken for: what is misspelt is not missing too.
    private let misspelt: [String]

    /// What the mapping is, for messages, such as `step "verify"`.
    package var subject: String { what.description }

    /// All entries in the order of the file, those of other tools left out.
    package var entries: [YAMLMapping.Entry] { keyed.list }

    /// - Parameters:
    ///   - keys: The known keys; `nil` allows any, as in a mapping of names.
    ///   - unknownKey: The code for a key that is not known.
    ///   - otherwise: What to do where the node is no mapping.
    ///   - elsewhere: Where a key belongs that is not known here.
    /// - Returns: `nil`, after a report, when the node is not a mapping.
    package init?(
        _ node: YAMLNode, _ subject: MappingSubject, keys: [String]?, file: String,
        unknownKey: String = "FL010", otherwise: String? = nil,
        elsewhere: (String) -> String? = { _ in nil },
        _ diagnostics: inout [Diagnostic]
    ) {
        guard case .mapping(let mapping) = node.content else {
            let message = "\(subject) must be a mapping, not \(node.shape(under: subject.name ?? ""))"
            let cure = otherwise.map { Cure($0) } ?? node.cureForMapping(keys: keys)
            diagnostics.append(
                Diagnostic(
                    code: "FL016", file: file, span: node.span, message: message, hint: cure?.hint,
                    fix: cure?.fix))
            return nil
        }
        what = subject
        self.file = file
        span = node.span
        let found = KnownKeys.strangers(among: mapping.entries, keys)
        keyed = KeyedEntries(
            found.foreign.isEmpty
                ? mapping.entries : mapping.entries.filter { !KnownKeys.isForeign($0.key) })
        misspelt = Self.report(
            found.unknown.map { mapping.entries[$0] }, subject, keys ?? [], file, code: unknownKey,
            elsewhere: elsewhere, &diagnostics)
    }

    /// False for nearly every key that is not there. Inlined, as nothing else of a search is.
    @inline(__always)
    func mayHave(_ key: String) -> Bool { keyed.mayHave(key) }

    /// Whether one of the keys is there.
    package func hasAny(of keys: [String]) -> Bool { KnownKeys.isAny(of: entries, among: keys) }

    package func entry(_ key: String) -> YAMLMapping.Entry? { keyed.entry(key) }

    package subscript(key: String) -> YAMLNode? {
        @inline(__always) get { mayHave(key) ? value(of: key) : nil }
    }

    @inline(never)
    func value(of key: String) -> YAMLNode? { keyed.value(of: key) }

    @inline(__always)
    package func has(_ key: String) -> Bool { mayHave(key) && value(of: key) != nil }

    /// Whether the key is not there, and not misspelt either.
    package func isMissing(_ key: String) -> Bool { !has(key) && !misspelt.contains(key) }

    /// Reports the key as missing unless it is there, or is there misspelt.
    package func require(_ keys: String..., hint: String? = nil, diagnostics: inout [Diagnostic]) {
        for key in keys where isMissing(key) {
            diagnostics.append(
                Diagnostic(
                    code: "FL011", file: file, span: SourceSpan(at: span.start),
                    message: "\(subject) needs the key \"\(key)\"", hint: hint))
        }
    }
}
