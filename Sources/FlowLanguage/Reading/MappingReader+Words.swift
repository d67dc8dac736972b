package import YAMLText

/// Values that are one of a few words.
extension MappingReader {
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
        let nearest = WordMeant.nearest(to: text, in: words)
        let choice = words.joined(separator: ", ")
        let hint = nearest.map { "did you mean \"\($0)\"?" }
        wrong(
            key, node, words.count == 1 ? choice : "one of \(choice)", hint: hint,
            fix: nearest.map { Diagnostic.Fix($0) },
            &diagnostics)
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
}
