/// Writes a file in its canonical form: the same values in one layout.
///
/// Keys stand in the order of the language, two spaces indent, quotes are double quotes where they can be, short
/// collections in brackets stay in one line, single blank lines and all comments stay.
package enum YAMLFormatter {
    package enum Problem: Error, Sendable {
        /// The file is not YAML of the flow language.
        case unreadable([Diagnostic])
        /// The canonical form would not say the same, or would not stay as it is; a mistake of the formatter.
        case changed
    }

    /// - Throws: `unreadable` when the file has mistakes that YAML itself forbids; `changed` when the values or the
    ///   comments of the result would not be those of the file.
    package static func format(
        _ file: SourceFile, _ order: KeyOrder = .asWritten
    ) throws(Problem) -> String {
        var result = try pass(over: file, order)
        // The canonical form is what another pass leaves alone; strange ways of writing take more than one.
        for _ in 0..<Self.passes {
            let next = try pass(over: SourceFile(path: file.path, text: result), order)
            if next == result { return result }
            result = next
        }
        throw .changed
    }

    private static let passes = 3

    private static func pass(over file: SourceFile, _ order: KeyOrder) throws(Problem) -> String {
        let (root, diagnostics) = YAMLDocument.parse(file)
        guard let root, !diagnostics.hasErrors else { throw .unreadable(diagnostics) }
        let comments = YAMLComment.all(in: file, root)
        var builder = YAMLLayoutBuilder(SourceText(file), comments)
        let header = builder.header(before: root)
        let layout = builder.layout(root, order, before: .endOfFile)
        let result = YAMLWriter.text(layout.inLines, header: header, footer: builder.footer())
        try check(result, says: root, comments)
        return result
    }

    private static func check(
        _ text: String, says root: YAMLNode, _ comments: [YAMLComment]
    ) throws(Problem) {
        let file = SourceFile(path: "", text: text)
        let (result, diagnostics) = YAMLDocument.parse(file)
        guard let result, !diagnostics.hasErrors, result.says(root),
            YAMLComment.all(in: file, result).map(\.text).sorted() == comments.map(\.text).sorted()
        else { throw .changed }
    }
}

extension YAMLLayout {
    /// The root of a file is never written in brackets.
    fileprivate var inLines: YAMLLayout {
        if case .brackets(_, let lines) = self { lines } else { self }
    }
}

extension YAMLNode {
    /// Whether two nodes have the same values; the order of keys and the way of writing do not count.
    package func says(_ other: YAMLNode) -> Bool {
        switch (content, other.content) {
        case (.scalar(let one), .scalar(let two)): return one.text == two.text && one.value == two.value
        case (.sequence(let one), .sequence(let two)):
            return one.count == two.count && zip(one, two).allSatisfy { $0.says($1) }
        case (.mapping(let one), .mapping(let two)):
            return one.entries.count == two.entries.count
                && one.entries.allSatisfy { entry in
                    two[entry.key].map { $0.value.says(entry.value) } ?? false
                }
        case (.scalar, _), (.sequence, _), (.mapping, _): return false
        }
    }
}
