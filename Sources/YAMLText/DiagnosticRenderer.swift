/// Turns diagnostics into one form of output.
package protocol DiagnosticRenderer {
    /// - Parameters:
    ///   - diagnostics: In any order.
    ///   - sources: The files they speak of; without its file a diagnostic is rendered without an excerpt.
    /// - Returns: Whole lines.
    func render(_ diagnostics: [Diagnostic], sources: [SourceFile]) -> String
}

/// An array of objects, one object per line, sorted by place.
package struct JSONDiagnosticRenderer: DiagnosticRenderer {
    package init() {}

    package func render(_ diagnostics: [Diagnostic], sources: [SourceFile]) -> String {
        if diagnostics.isEmpty { return "[]\n" }
        return "[\n" + diagnostics.sorted().map { "  " + object($0) }.joined(separator: ",\n") + "\n]\n"
    }

    private func object(_ diagnostic: Diagnostic) -> String {
        let related = diagnostic.related.map { related in
            "{\(place(related.span)),\"message\":\(JSONText.quoted(related.message))}"
        }
        let members = [
            "\"code\":\(JSONText.quoted(diagnostic.code))",
            "\"severity\":\(JSONText.quoted(diagnostic.severity.rawValue))",
            "\"file\":\(JSONText.quoted(diagnostic.file))",
            place(diagnostic.span),
            "\"message\":\(JSONText.quoted(diagnostic.message))",
            "\"hint\":\(diagnostic.hint.map(JSONText.quoted) ?? "null")",
            "\"fix\":\((diagnostic.fix?.text).map(JSONText.quoted) ?? "null")",
            "\"related\":[\(related.joined(separator: ","))]",
        ]
        return "{\(members.joined(separator: ","))}"
    }

    private func place(_ span: SourceSpan) -> String {
        "\"line\":\(span.start.line),\"column\":\(span.start.column),"
            + "\"endLine\":\(span.end.line),\"endColumn\":\(span.end.column)"
    }
}
