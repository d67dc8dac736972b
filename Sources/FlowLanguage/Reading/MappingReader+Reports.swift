package import YAMLText

/// What is wrong with keys and values.
extension MappingReader {
    /// Reports keys that are not known.
    ///
    /// - Returns: The known keys that they are taken for.
    static func report(
        _ unknown: [YAMLMapping.Entry], _ subject: MappingSubject, _ keys: [String], _ file: String,
        code: String, elsewhere: (String) -> String?, _ diagnostics: inout [Diagnostic]
    ) -> [String] {
        unknown.compactMap { entry in
            let nearest = SpellingSuggestion.nearest(to: entry.key, in: keys)
            let suggestion = Suggestion(nearest)
            let hint =
                nearest == nil ? elsewhere(entry.key) ?? keysHere(like: entry.key, keys) : nil
            diagnostics.append(
                Diagnostic(
                    code: code, file: file, span: entry.keySpan,
                    message: "unknown key \"\(entry.key)\" in \(subject)\(suggestion)", hint: hint,
                    fix: suggestion.fix))
            // Where it is called otherwise, the hint begins with the name that it has here.
            return nearest ?? keys.first { hint?.hasPrefix("here it is \"\($0)\"") == true }
        }
    }

    /// More keys than these are a page, which nobody reads for one of them. Only descriptors have so many.
    private static let mostKeys = 30
    private static let mostLikely = 12

    /// The keys that there are; of very many those that have a word of the unknown one, else the first.
    private static func keysHere(like name: String, _ keys: [String]) -> String {
        guard keys.count > mostKeys else { return "keys here: \(keys.joined(separator: ", "))" }
        let words = words(of: name)
        let alike = keys.filter { !words.isDisjoint(with: Self.words(of: $0)) }
        let shown = (alike.isEmpty ? keys : alike).prefix(mostLikely).joined(separator: ", ")
        let which = alike.isEmpty ? "" : " that are like it"
        return "keys here\(which): \(shown); all \(keys.count): flowrun schema provider"
    }

    /// The words of a name, as `token` and `endpoint`; shorter ones say nothing.
    private static func words(of name: String) -> Set<Substring> {
        Set(name.split { !$0.isLetter }.filter { $0.utf8.count > 2 })
    }

    /// Reports an element of a list that is not what the list holds.
    @inline(never)
    package func wrongElement(
        of key: String, _ node: YAMLNode, _ expected: String, hint: String? = nil, fix: Diagnostic.Fix? = nil,
        _ diagnostics: inout [Diagnostic]
    ) {
        diagnostics.append(
            Diagnostic(
                code: "FL016", file: file, span: node.span,
                message:
                    "the elements of \"\(key)\" in \(subject) must be \(expected), not \(node.shape(under: key))",
                hint: hint, fix: DescriptorSafety.isSecretKey(key) ? nil : fix))
    }

    /// Reports a value that is not what its key needs, and what to do about it.
    func wrong(
        _ key: String, _ node: YAMLNode, _ expected: String, _ cure: Cure?, _ diagnostics: inout [Diagnostic]
    ) {
        wrong(key, node, expected, hint: cure?.hint, fix: cure?.fix, &diagnostics)
    }

    /// Reports a value that is not what its key needs.
    @inline(never)
    package func wrong(
        _ key: String, _ node: YAMLNode, _ expected: String, hint: String? = nil, fix: Diagnostic.Fix? = nil,
        _ diagnostics: inout [Diagnostic]
    ) {
        diagnostics.append(
            Diagnostic(
                code: "FL016", file: file, span: node.span,
                message: "\"\(key)\" in \(subject) must be \(expected), not \(node.shape(under: key))",
                hint: hint, fix: DescriptorSafety.isSecretKey(key) ? nil : fix))
    }
}
