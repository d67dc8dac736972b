package import YAMLText

/// Values that are lists and mappings.
extension MappingReader {
    /// The elements of a list.
    @inline(__always)
    package func sequence(_ key: String, _ diagnostics: inout [Diagnostic]) -> [YAMLNode]? {
        mayHave(key) ? writtenSequence(key, &diagnostics) : nil
    }

    @inline(never)
    private func writtenSequence(_ key: String, _ diagnostics: inout [Diagnostic]) -> [YAMLNode]? {
        guard let node = value(of: key) else { return nil }
        if let nodes = node.sequence { return nodes }
        wrong(key, node, "a list", node.cureForList, &diagnostics)
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
                of: key, node, "texts", hint: node.quoting?.hint, fix: node.quoting?.fix, &diagnostics)
            return nil
        }
    }

    /// A reader for the mapping under the key.
    ///
    /// - Parameter elsewhere: Where a key belongs that is not known there.
    @inline(__always)
    package func mapping(
        _ key: String, _ subject: MappingSubject? = nil, keys: @autoclosure () -> [String]?,
        elsewhere: (String) -> String? = { _ in nil }, _ diagnostics: inout [Diagnostic]
    ) -> MappingReader? {
        mayHave(key) ? writtenMapping(key, subject, keys(), elsewhere, &diagnostics) : nil
    }

    @inline(never)
    private func writtenMapping(
        _ key: String, _ subject: MappingSubject?, _ keys: [String]?, _ elsewhere: (String) -> String?,
        _ diagnostics: inout [Diagnostic]
    ) -> MappingReader? {
        guard let node = value(of: key) else { return nil }
        return MappingReader(
            node, subject ?? .key(key), keys: keys, file: file, elsewhere: elsewhere, &diagnostics)
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
        wrong(key, node, "a mapping", node.cureForMapping(keys: nil), &diagnostics)
        return []
    }
}
