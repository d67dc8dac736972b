import Testing
@testable import YAMLText

/// One line per diagnostic, without the summary.
func complaints(_ text: String) -> [String] {
    complaints(SourceFile(path: "f", text: text))
}

func complaints(_ file: SourceFile) -> [String] {
    lines(YAMLDocument.parse(file).diagnostics)
}

func lines(_ diagnostics: [Diagnostic]) -> [String] {
    diagnostics.map {
        "\($0.span.start) \($0.code) \($0.message)"
            + $0.related.map { " [\($0.span.start) \($0.message)]" }.joined()
    }
}

/// The human form of what is wrong with `text`, without the summary.
func rendered(_ text: String) -> String {
    let file = SourceFile(path: "f", text: text)
    let output = TextDiagnosticRenderer().render(YAMLDocument.parse(file).diagnostics, sources: [file])
    return output.split(separator: "\n", omittingEmptySubsequences: false).dropLast(2).joined(separator: "\n")
}

/// The root of a text with nothing wrong.
func root(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> YAMLNode {
    let (root, diagnostics) = YAMLDocument.parse(SourceFile(path: "f", text: text))
    #expect(lines(diagnostics) == [], sourceLocation: sourceLocation)
    return try #require(root, sourceLocation: sourceLocation)
}

/// A short form of a tree: `{a=1,b=[x]}`.
func shape(_ node: YAMLNode?) -> String {
    guard let node else { return "nothing" }
    return switch node.content {
    case .scalar(let scalar): scalar.text
    case .sequence(let nodes): "[" + nodes.map { shape($0) }.joined(separator: ",") + "]"
    case .mapping(let mapping):
        "{" + mapping.entries.map { "\($0.key)=\(shape($0.value))" }.joined(separator: ",") + "}"
    }
}

func span(_ startLine: Int, _ startColumn: Int, _ endLine: Int, _ endColumn: Int) -> SourceSpan {
    SourceSpan(
        start: SourceMark(line: startLine, column: startColumn),
        end: SourceMark(line: endLine, column: endColumn))
}
