/// The form for people: `file:line:column: error[FL010]: message`, the line with a caret, a summary per file.
///
/// Whatever stands in the file or its path, the output contains no control character but the line feeds
/// between its lines and, if asked for, the colours.
package struct TextDiagnosticRenderer: DiagnosticRenderer {
    package enum Detail: Sendable {
        /// The first line of each diagnostic and the summaries, for editors and logs.
        case oneLine
        case full
    }

    private let detail: Detail
    private let palette: Palette
    private let width: Int?

    /// - Parameters:
    ///   - colour: Whether the reader is a terminal that understands ANSI sequences.
    ///   - width: Columns of the terminal, in which messages and hints are broken between words; `nil` leaves each in
    ///     one line, for programs and files.
    package init(detail: Detail = .full, colour: Bool = false, width: Int? = nil) {
        self.detail = detail
        self.width = width
        palette = Palette(isOn: colour)
    }

    package func render(_ diagnostics: [Diagnostic], sources: [SourceFile]) -> String {
        var output = ""
        var rest = diagnostics.sorted()[...]
        while let file = rest.first?.file {
            let ofFile = rest.prefix { $0.file == file }
            rest = rest[ofFile.endIndex...]
            let source = sources.first { $0.path == file }
            let lines = detail == .full ? source.map { SourceLines($0) } : nil
            let secrets = ofFile.filter(\.isCredential).map(\.span)
            var places = HintPlaces()
            for diagnostic in ofFile {
                output += render(diagnostic, lines: lines, hiding: secrets, &places)
            }
            output += summary(of: ofFile, in: file) + "\n"
        }
        return output
    }

    /// `login.flow.yaml: 2 error(s), 1 warning(s)`, for a file with nothing wrong too.
    package func summary(of diagnostics: some Sequence<Diagnostic>, in file: String) -> String {
        var errors = 0
        var warnings = 0
        for diagnostic in diagnostics {
            switch diagnostic.severity {
            case .error: errors += 1
            case .warning: warnings += 1
            case .info: break
            }
        }
        return "\(Self.shown(file)): \(errors) error(s), \(warnings) warning(s)"
    }

    /// - Parameter secrets: Where credentials are written out: no line is shown with one.
    private func render(
        _ diagnostic: Diagnostic, lines: SourceLines?, hiding secrets: [SourceSpan],
        _ places: inout HintPlaces
    ) -> String {
        var output = headline(diagnostic) + "\n"
        guard detail == .full else { return output }
        if let line = lines?[diagnostic.span.start.line], !line.isEmpty {
            // What cannot be read may be anything.
            let shown = diagnostic.code == YAMLSyntaxMessage.code ? SecretWord.starred(line)[...] : line
            output += excerpt(Self.hiding(secrets, in: shown, diagnostic.span.start.line), diagnostic)
        }
        for related in diagnostic.related {
            let place = "\(Self.shown(diagnostic.file)):\(related.span.start)"
            output += remark("note", "\(place): \(VisibleText.escaped(related.message))")
        }
        if let hint = places.hint(of: diagnostic) { output += remark("hint", VisibleText.escaped(hint)) }
        return output
    }

    /// No file has a name of kilobytes, but somebody may have typed one.
    private static func shown(_ path: String) -> String { VisibleText.escaped(LongText.shortened(path)) }

    private func headline(_ diagnostic: Diagnostic) -> String {
        let place = "\(Self.shown(diagnostic.file)):\(diagnostic.span.start): "
        let kind = "\(diagnostic.severity.rawValue)[\(VisibleText.escaped(diagnostic.code))]"
        let columns = WrappedText.columns(of: "\(place)\(kind): ")
        return place + palette.paint(kind, diagnostic.severity) + ": "
            + WrappedText.lines(VisibleText.escaped(diagnostic.message), after: columns, width: width)
    }

    /// - Parameter text: Fit for a terminal.
    private func remark(_ word: String, _ text: String) -> String {
        let beginning = "  \(word): "
        return beginning + WrappedText.lines(text, after: beginning.utf8.count, width: width) + "\n"
    }

    /// The line with a star for each character of a secret.
    private static func hiding(_ secrets: [SourceSpan], in line: Substring, _ number: Int) -> String {
        var scalars = Array(line.unicodeScalars)
        for secret in secrets where (secret.start.line...secret.end.line).contains(number) {
            let first = secret.start.line == number ? secret.start.column - 1 : 0
            let end = secret.end.line == number ? secret.end.column - 1 : scalars.count
            for index in scalars.indices where index >= first && index < end { scalars[index] = "*" }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private func excerpt(_ line: String, _ diagnostic: Diagnostic) -> String {
        let excerpt = SourceExcerpt(line[...], span: diagnostic.span)
        let number = "\(diagnostic.span.start.line)"
        let width = max(4, number.utf8.count)
        let empty = String(repeating: " ", count: width)
        let numbered = empty.dropLast(number.utf8.count) + number
        let caret = palette.paint(excerpt.underline, diagnostic.severity)
        return "\(empty) |\n\(numbered) | \(excerpt.text)\n\(empty) | \(excerpt.margin)\(caret)\n"
    }
}

/// Where the long hints of a file were first given: all keys of a descriptor need not be read twice.
private struct HintPlaces {
    /// A shorter hint is sooner read than looked up.
    private static let shortest = 100
    private var places: [String: SourceMark] = [:]

    mutating func hint(of diagnostic: Diagnostic) -> String? {
        guard let hint = diagnostic.hint, hint.utf8.count >= Self.shortest else { return diagnostic.hint }
        if let place = places[hint] { return "the same as at \(place)" }
        places[hint] = diagnostic.span.start
        return hint
    }
}

/// ANSI colours, or none (ECMA-48 §8.3.117, SGR).
private struct Palette {
    let isOn: Bool

    func paint(_ text: String, _ severity: Diagnostic.Severity) -> String {
        guard isOn else { return text }
        let code =
            switch severity {
            case .error: "1;31"
            case .warning: "1;33"
            case .info: "1;36"
            }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}
