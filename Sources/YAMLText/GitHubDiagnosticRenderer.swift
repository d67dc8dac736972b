/// Workflow commands, from which GitHub Actions makes annotations beside the changed lines.
///
/// A hint is part of the message: an annotation has no second text.
///
/// - SeeAlso: <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>
package struct GitHubDiagnosticRenderer: DiagnosticRenderer {
    package init() {}

    package func render(_ diagnostics: [Diagnostic], sources: [SourceFile]) -> String {
        diagnostics.sorted().map { command($0) + "\n" }.joined()
    }

    private func command(_ diagnostic: Diagnostic) -> String {
        var properties = ["file=\(Self.property(diagnostic.file))", "line=\(diagnostic.span.start.line)"]
        // GitHub takes columns only of an annotation on one line.
        if diagnostic.span.isSingleLine {
            properties.append("col=\(diagnostic.span.start.column)")
            properties.append("endColumn=\(diagnostic.span.end.column)")
        } else {
            properties.append("endLine=\(diagnostic.span.end.line)")
        }
        properties.append("title=\(Self.property(diagnostic.code))")
        let text = diagnostic.message + (diagnostic.hint.map { "\nhint: \($0)" } ?? "")
        return "::\(level(diagnostic)) \(properties.joined(separator: ","))::\(Self.data(text))"
    }

    private func level(_ diagnostic: Diagnostic) -> String {
        switch diagnostic.severity {
        case .error: "error"
        case .warning: "warning"
        case .info: "notice"
        }
    }

    // A line break that is not escaped would let the text of a file give commands of its own.

    /// What a command is about, as it stands behind the last two colons.
    package static func data(_ text: String) -> String {
        escaped(text, ["%", "\r", "\n"])
    }

    private static func property(_ text: String) -> String {
        escaped(text, ["%", "\r", "\n", ":", ","])
    }

    private static func escaped(_ text: String, _ characters: Set<Unicode.Scalar>) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            guard characters.contains(scalar) else {
                result += VisibleText.cell(scalar).text
                return
            }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            result += "%" + (digits.count == 1 ? "0" : "") + digits
        }
    }
}
