/// Reads one file in the YAML of the flow language.
package enum YAMLDocument {
    /// How many unquoted templates are reported in one run; each costs reading the file once more.
    private static let mostTemplates = 20

    /// The nodes of the file and everything that is wrong with them, sorted by place.
    ///
    /// All mistakes are reported at once; only a syntax error, a passed limit or text that is not UTF-8 ends
    /// the search.
    ///
    /// - Returns: `root` is `nil` only beside an error. With other errors it holds what could be read: the
    ///   first of two equal keys, `null` for an alias, an unquoted template as if it were quoted. A file with
    ///   nothing in it is a `null`.
    package static func parse(
        _ file: SourceFile, limits: YAMLLimits = .flow
    ) -> (root: YAMLNode?, diagnostics: [Diagnostic]) {
        let bytes: [UInt8]
        let check: YAMLTextCheck
        if let problem = file.encodingProblem {
            let span = SourceSpan(at: problem.mark)
            return (nil, [Diagnostic(code: "FL002", file: file.path, span: span, message: problem.message)])
        }
        let size = file.text.utf8.count
        guard size <= limits.bytes else {
            let message = "the file has \(size) bytes, more than \(limits.bytes); split it"
            let span = SourceSpan(at: .start)
            return (nil, [Diagnostic(code: "FL002", file: file.path, span: span, message: message)])
        }
        bytes = Array(file.text.utf8)
        check = YAMLTextCheck(bytes)
        if let problem = check.problem { return (nil, [.init(problem, bytes: bytes, file: file.path)]) }
        let (root, diagnostics) = compose(
            YAMLSource(file, bytes: bytes, tabIndentations: check.tabIndentations), limits: limits)
        let cut = root.map { CutValue.warnings(in: $0, of: bytes, file: file.path) } ?? []
        return (root, (diagnostics + cut).sorted())
    }

    /// Composes, and after each unquoted template again without it.
    private static func compose(
        _ source: consuming YAMLSource, limits: YAMLLimits
    ) -> (root: YAMLNode?, diagnostics: [Diagnostic]) {
        var source = source
        var templates: [Diagnostic] = []
        while true {
            var composer = YAMLComposer(source, limits: limits)
            do throws(YAMLStop) {
                let root = try composer.document()
                return (root, composer.diagnostics + templates)
            } catch {
                guard case .syntax(let syntax) = error else { return (nil, composer.diagnostics + templates) }
                let openings = composer.openings
                guard let template = template(before: syntax, after: composer.lastSound, openings, in: source)
                else {
                    let stop = Diagnostic(syntax, openings: openings, source: source)
                    return (nil, composer.diagnostics + templates + [stop])
                }
                templates.append(Diagnostic(template, source: source))
                guard template.isClosed, templates.count < mostTemplates else {
                    return (nil, composer.diagnostics + templates)
                }
                source.mask(template)
            }
        }
    }

    private static func template(
        before error: YAMLSyntaxError, after sound: SourceMark, _ openings: [YAMLComposer.Opening],
        in source: YAMLSource
    ) -> FlowTemplate? {
        let problem = SourceOffset.offset(of: error.mark, in: source.bytes)
        return FlowTemplate(
            in: source.bytes, from: SourceOffset.offset(of: sound, in: source.bytes),
            depth: openings.count { $0.isFlow },
            upTo: SourceOffset.lineEnd(from: problem, in: source.bytes))
    }
}
