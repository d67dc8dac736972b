package import YAMLText

/// What the keys at the top of a file have in common with those of each kind of file.
///
/// A misspelt key counts half as much as one that is right, and only where no kind knows it as it is written: the
/// `providers` of a flow are no slip of the pen in a provider.
package struct FileLikeness: Sendable, Hashable {
    /// The kinds that the file has most in common with, those whose mark it bears first; none when there is nothing.
    package let kinds: [FileKind]
    /// Whether the file is one of ours whatever it is called: it bears a mark, or a misspelt one among keys more than
    /// half of which are of its kind.
    package let isOurs: Bool
    /// Whether half of the keys are of one kind, or two, or one beside its misspelt mark: enough for a file that is said
    /// to be one of ours.
    package let isAlike: Bool

    /// - Parameter root: What the file holds; `nil` for one that is no YAML.
    package init(_ root: YAMLNode?) {
        let keys = root?.mapping?.entries.map(\.key).filter { !KnownKeys.isForeign($0) } ?? []
        let marked = FileKind.allCases.filter { $0.marks.contains(where: keys.contains) }
        let counts = FileKind.allCases.map { kind in
            let right = keys.count(where: kind.keys.contains)
            let misspelt = keys.filter { Self.isMisspelt($0, kind.keys) }
            return (kind: kind, right: right, misspelt: misspelt, score: 2 * right + misspelt.count)
        }
        let most = counts.map(\.score).max() ?? 0
        let alike = counts.filter { most > 0 && $0.score == most }
        let ordered =
            alike.filter { marked.contains($0.kind) } + alike.filter { !marked.contains($0.kind) }
        kinds = ordered.map(\.kind)
        guard let first = ordered.first else {
            (isOurs, isAlike) = (false, false)
            return
        }
        let bearsMisspelt = first.misspelt.contains { Self.isMisspelt($0, first.kind.marks) }
        isAlike = first.score >= keys.count || first.right >= (bearsMisspelt ? 1 : 2)
        isOurs = !marked.isEmpty || (bearsMisspelt && first.score > keys.count)
    }

    private static func isMisspelt(_ key: String, _ known: [String]) -> Bool {
        !FileKind.allKeys.contains(key) && SpellingSuggestion.nearest(to: key, in: known) != nil
    }
}

extension FileLikeness {
    /// What an empty file lacks.
    static let beginnings =
        "a flow begins with the keys language and flow, a provider with provider and protocol"

    /// What there is to say about a file that was asked about by its name and is none of ours.
    package static func mistakes(ofForeign file: SourceFile) -> [Diagnostic] {
        let (root, diagnostics) = YAMLDocument.parse(file)
        guard let root else { return diagnostics }
        let first = root.mapping?.entries.first
        let message =
            if first != nil {
                "most keys of this file are of no flow, provider or flowrun.yaml"
            } else if root.value == .null || root.mapping != nil {
                "the file is empty"
            } else {
                "the file holds \(root.form), not the keys of a flow, a provider or flowrun.yaml"
            }
        let mistake = Diagnostic(
            code: first == nil ? "FL016" : "FL010", file: file.path, span: first?.keySpan ?? root.span,
            message: message,
            hint: "\(beginnings); the names NAME.flow.yaml and NAME.provider.yaml say it too")
        return (diagnostics + [mistake]).sorted()
    }
}
