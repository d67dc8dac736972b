internal import OAuthProtocol
internal import YAMLText

/// FL067: addresses that anybody on the way can read and change.
///
/// Literal URLs are checked where they are read; this finds templates and words that begin with `http://`.
enum InsecureURLRule {
    /// Texts for readers, and what has a check of its own.
    private static let exempt: Set<String> = [
        "note", "summary", "description", "message", "tests", "hooks", "default", "init",
    ]

    static func check(_ root: YAMLNode, _ findings: inout Findings) {
        search(root, &findings)
    }

    /// The composer bounds the depth (`YAMLLimits.flow`).
    private static func search(_ node: YAMLNode, _ findings: inout Findings) {
        switch node.content {
        case .mapping(let mapping):
            for entry in mapping.entries {
                if exempt.contains(entry.key) || KnownKeys.isForeign(entry.key) { continue }
                search(entry.value, &findings)
            }
        case .sequence(let items):
            for item in items { search(item, &findings) }
        case .scalar(let scalar):
            guard scalar.text.hasPrefix("http://"), isRemote(scalar.text) else { return }
            report(at: node.span, &findings.diagnostics, findings.file)
        }
    }

    /// What stands before the first template decides; a host that is made at run time may be any.
    private static func isRemote(_ text: String) -> Bool {
        let literal = String(text.prefix { $0 != "$" })
        let problem = EndpointURL.check(literal, allowLoopbackHTTP: true)
        // A URL without a template that is wrong otherwise is reported where it is read.
        return literal == text ? problem == .insecure : problem != nil
    }

    static func report(at span: SourceSpan, _ diagnostics: inout [Diagnostic], _ file: String) {
        diagnostics.append(
            Diagnostic(
                code: "FL067", file: file, span: span,
                message: "http:// is only for this machine; anybody on the way can read and change it",
                hint: "write https://"))
    }
}
