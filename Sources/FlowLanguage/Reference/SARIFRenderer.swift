internal import JOSE
package import YAMLText

/// Diagnostics as one run of the Static Analysis Results Interchange Format, which code scanning services read.
///
/// Holds the rules that the results name, and no others.
///
/// - SeeAlso: SARIF 2.1.0, <https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os.html>
package struct SARIFRenderer: DiagnosticRenderer {
    private let version: String

    /// - Parameter version: Of the program that found the mistakes.
    package init(version: String) {
        self.version = version
    }

    package func render(_ diagnostics: [Diagnostic], sources: [SourceFile]) -> String {
        let diagnostics = diagnostics.sorted()
        let codes = Set(diagnostics.map(\.code)).sorted()
        let driver: JSONValue = [
            "name": "flowrun", "semanticVersion": .string(version),
            "rules": .array(codes.map(rule)),
        ]
        let run: JSONValue = [
            "tool": ["driver": driver],
            "columnKind": "unicodeCodePoints",
            "results": .array(diagnostics.map { result($0, codes) }),
        ]
        let log: JSONValue = [
            "$schema":
                "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            "version": "2.1.0",
            "runs": [run],
        ]
        return log.serialize(pretty: true) + "\n"
    }

    // MARK: Rules (§3.49)

    private func rule(_ code: String) -> JSONValue {
        guard let rule = FlowRule.rule(of: code) else { return ["id": .string(code)] }
        var members: JSONObject = [
            "id": .string(code),
            "name": .string(Self.identifier(rule.title)),
            "shortDescription": ["text": .string(rule.title)],
            "fullDescription": ["text": .string(rule.explanation)],
        ]
        if let documentation = RuleDocumentation.of(code) {
            members["help"] = [
                "text": .string(documentation.text(of: rule)),
                "markdown": .string(documentation.markdown),
            ]
        }
        members["defaultConfiguration"] = ["level": .string(Self.level(rule.severity))]
        return .object(members)
    }

    /// `UnboundedLoop` for `unbounded loop`.
    private static func identifier(_ title: String) -> String {
        title.split { !$0.isLetter && !$0.isNumber }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
            .joined()
    }

    private static func level(_ severity: Diagnostic.Severity) -> String {
        switch severity {
        case .error: "error"
        case .warning: "warning"
        case .info: "note"
        }
    }

    // MARK: Results (§3.27)

    private func result(_ diagnostic: Diagnostic, _ codes: [String]) -> JSONValue {
        let text = diagnostic.message + (diagnostic.hint.map { "\nhint: \($0)" } ?? "")
        var members: JSONObject = ["ruleId": .string(diagnostic.code)]
        members["ruleIndex"] = codes.firstIndex(of: diagnostic.code).map { .int(Int64($0)) }
        members["level"] = .string(Self.level(diagnostic.severity))
        members["message"] = ["text": .string(text)]
        members["locations"] = [["physicalLocation": place(diagnostic.span, diagnostic.file)]]
        members["fixes"] = diagnostic.fix.map { [fix($0, of: diagnostic)] }
        guard !diagnostic.related.isEmpty else { return .object(members) }
        members["relatedLocations"] = .array(
            diagnostic.related.enumerated().map { number, related in
                [
                    "id": .int(Int64(number + 1)),
                    "physicalLocation": place(related.span, diagnostic.file),
                    "message": ["text": .string(related.message)],
                ]
            })
        return .object(members)
    }

    /// §3.55
    private func fix(_ fix: Diagnostic.Fix, of diagnostic: Diagnostic) -> JSONValue {
        let replacement: JSONValue = [
            "deletedRegion": region(diagnostic.span), "insertedContent": ["text": .string(fix.text)],
        ]
        return [
            "artifactChanges": [
                ["artifactLocation": location(diagnostic.file), "replacements": [replacement]]
            ]
        ]
    }

    private func place(_ span: SourceSpan, _ file: String) -> JSONValue {
        ["artifactLocation": location(file), "region": region(span)]
    }

    private func location(_ file: String) -> JSONValue { ["uri": .string(Self.reference(file))] }

    /// Columns count characters from 1 and end after the last one, as here (§3.30).
    private func region(_ span: SourceSpan) -> JSONValue {
        [
            "startLine": .int(Int64(span.start.line)), "startColumn": .int(Int64(span.start.column)),
            "endLine": .int(Int64(span.end.line)), "endColumn": .int(Int64(span.end.column)),
        ]
    }

    /// A path as a URI reference: relative ones stay relative (§3.4.3).
    private static func reference(_ path: String) -> String {
        let isAbsolute = path.hasPrefix("/")
        var result = isAbsolute ? "file://" : ""
        for byte in path.utf8 {
            // RFC 3986 §3.3; without the colon, which would make a scheme of a file's name.
            let isPlain = unreserved.contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            result += isPlain ? String(UnicodeScalar(byte)) : "%" + (digits.count == 1 ? "0" : "") + digits
        }
        return result
    }

    private static let unreserved = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
}
