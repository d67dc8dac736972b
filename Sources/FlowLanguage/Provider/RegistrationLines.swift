package import YAMLText

extension RegistrationReader {
    /// The file as diagnostics may show it: a star for each character of a value that may be a secret.
    ///
    /// A secret that stands in the file by mistake may stand anywhere, under a misspelled key or in a file that is no
    /// YAML. So only what is known to be none is shown: keys, and the values of those keys whose values are not
    /// secret. Lines and columns stay.
    package static func shown(_ file: SourceFile) -> SourceFile {
        let lines = file.text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return SourceFile(path: file.path, text: lines.map(shown).joined(separator: "\n"))
    }

    /// The mistakes without what their words repeat of a place that may hold a secret.
    static func cleared(_ diagnostics: [Diagnostic], of file: SourceFile) -> [Diagnostic] {
        if diagnostics.isEmpty { return [] }
        let written = lines(of: file)
        let shown = lines(of: shown(file))
        return diagnostics.map { diagnostic in
            let span = diagnostic.span
            guard span.isSingleLine, written.indices.contains(span.start.line - 1) else { return diagnostic }
            let line = written[span.start.line - 1]
            let range = (span.start.column - 1)..<max(span.start.column - 1, span.end.column - 1)
            guard !range.isEmpty, range.upperBound <= line.count,
                line[range] != shown[span.start.line - 1][range]
            else { return diagnostic }
            let text = String(String.UnicodeScalarView(line[range].filter { $0 != "\"" && $0 != "'" }))
            guard !text.isEmpty else { return diagnostic }
            return Diagnostic(
                code: diagnostic.code, severity: diagnostic.severity, file: diagnostic.file, span: span,
                message: diagnostic.message.replacing(text, with: "…"),
                hint: diagnostic.hint?.replacing(text, with: "…"), related: diagnostic.related,
                isCredential: diagnostic.isCredential)
        }
    }

    private static func lines(of file: SourceFile) -> [[Unicode.Scalar]] {
        file.text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
    }

    private static let harmless: Set<String> = [
        "client_id", "token_endpoint_auth_method", "environment", "scopes", "redirect_uri",
        "issuer", "registration_client_uri",
    ]

    private typealias Line = Substring.UnicodeScalarView

    private static func shown(_ line: Line) -> String {
        var shown = ""
        var rest = line
        var isHarmless = false
        while let next = rest.first {
            let mayBeKey = shown.isEmpty || next == "{" || next == ","
            if mayBeKey, let end = endOfKey(rest), !isInBracket(rest) || hasValue(rest[end...]) {
                isHarmless = harmless.contains(String(rest[..<end].drop(while: isBeforeKey)))
                shown += String(rest[...end])
                rest = rest[rest.index(after: end)...]
            } else {
                shown.unicodeScalars.append(isHarmless || isBracket(next) ? next : "*")
                rest.removeFirst()
            }
        }
        return shown
    }

    /// The colon behind the key with which a text begins, in a bracket or without.
    private static func endOfKey(_ text: Line) -> Line.Index? {
        let key = text.drop(while: isBeforeKey)
        guard let colon = key.firstIndex(where: { !isName($0) }), colon > key.startIndex, key[colon] == ":"
        else { return nil }
        let next = key[key.index(after: colon)...].first
        return next == nil || next == " " || next == "\r" ? colon : nil
    }

    private static func isInBracket(_ text: Line) -> Bool {
        text.prefix(while: isBeforeKey).contains { $0 == "{" || $0 == "," }
    }

    /// Whether something follows the colon within its bracket: a word alone may be the secret.
    private static func hasValue(_ text: Line) -> Bool {
        guard let next = text.dropFirst().first(where: { !" \t\r".unicodeScalars.contains($0) }) else {
            return false
        }
        return next != "}" && next != ","
    }

    private static func isBeforeKey(_ scalar: Unicode.Scalar) -> Bool {
        " \t{,".unicodeScalars.contains(scalar)
    }

    private static func isBracket(_ scalar: Unicode.Scalar) -> Bool {
        " \t\r{}[],".unicodeScalars.contains(scalar)
    }

    private static func isName(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "_-".unicodeScalars.contains(scalar))
    }
}
