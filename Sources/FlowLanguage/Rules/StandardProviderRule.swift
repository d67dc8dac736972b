package import YAMLText

/// FL108: the providers that a flow runs with unless somebody names others. Which there are is the caller's to find out.
package enum StandardProviderRule {
    /// - Parameter known: The names that are suggested from; asked only when one is missing.
    package static func check(
        _ program: FlowProgram, of source: SourceFile, known: () -> [String], exists: (String) -> Bool
    ) -> [Diagnostic] {
        // Those of a sub-flow, whose names have a slash, are told of with its own file.
        program.providers.filter { !$0.alias.contains("/") }.compactMap(\.standard).filter {
            !exists($0.value)
        }.map { name in
            let nearest = SpellingSuggestion.nearest(to: name.value, in: known())
            return Diagnostic(
                code: "FL108", severity: .warning, file: source.path, span: name.span,
                message: "there is no provider \"\(name.value)\"",
                hint: nearest.map { "did you mean \"\($0)\"?" } ?? "see: flowrun provider list",
                fix: nearest.map { Diagnostic.Fix($0) })
        }
    }
}
