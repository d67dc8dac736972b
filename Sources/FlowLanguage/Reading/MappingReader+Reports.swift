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
            let suggestion = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
            let hint =
                nearest == nil ? elsewhere(entry.key) ?? "keys here: \(keys.joined(separator: ", "))" : nil
            diagnostics.append(
                Diagnostic(
                    code: code, file: file, span: entry.keySpan,
                    message: "unknown key \"\(entry.key)\" in \(subject)\(suggestion)", hint: hint))
            // Where it is called otherwise, the hint begins with the name that it has here.
            return nearest ?? keys.first { hint?.hasPrefix("here it is \"\($0)\"") == true }
        }
    }

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
