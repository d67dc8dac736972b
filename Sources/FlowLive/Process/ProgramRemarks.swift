internal import FlowEngine
internal import OAuthProtocol

/// What a program wrote to standard error, without the secrets that it was handed.
struct ProgramRemarks {
    /// None of them empty.
    private let lines: [String]

    init(_ errors: ProcessResult.Output, hiding secrets: [Secret]) {
        // The mark of a cut tells that half a secret may stand before it.
        let text = String(decoding: errors.bytes, as: UTF8.self) + (errors.isTruncated ? "…" : "")
        // Replaced before lines are left out: half a secret would not be recognised.
        lines = SecretIndex(secrets).replaced(in: text)
            .split(whereSeparator: \.isNewline).map(String.init)
            .filter { $0.contains { !$0.isWhitespace } }
    }

    /// The last line: programs say last what they fail of.
    var lastWords: String? { lines.last.map { RemoteText.sanitize($0, limit: 300) } }

    /// The last lines, as many as fit into the length of a text from elsewhere.
    var text: String? {
        var kept: [String] = []
        var room = RemoteText.limit
        for line in lines.reversed() {
            room -= line.utf8.count + 1
            guard room >= 0 || kept.isEmpty else { break }
            kept.append(line)
        }
        return kept.isEmpty ? nil : RemoteText.sanitize(kept.reversed().joined(separator: "\n"))
    }
}
