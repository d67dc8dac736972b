/// A sequence diagram in the language of Mermaid, which many Markdown viewers show as a picture.
///
/// - SeeAlso: <https://mermaid.js.org/syntax/sequenceDiagram.html>
struct MermaidReport: Sendable {
    private let conversation: Conversation

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    var text: String {
        let participants = conversation.participants.indices.map { index in
            let participant = conversation.participants[index]
            let word = participant.role == .person ? "actor" : "participant"
            return "  \(word) \(Self.id(index)) as \(Self.escaped(participant.name))\n"
        }
        let notice = conversation.isDryRun ? "  %% A dry run: nothing was sent.\n" : ""
        return "sequenceDiagram\n  autonumber\n\(notice)\(participants.joined())"
            + conversation.items.map(line).joined()
    }

    private static func id(_ index: Int) -> String { "P\(index + 1)" }

    private var flowrun: Int { conversation.participants.firstIndex { $0.role == .flowrun } ?? 0 }

    private func line(_ item: Conversation.Item) -> String {
        switch item {
        case .step(_, let title): return "  %% \(Self.singleLine(title))\n"
        case .note(let text, _): return "  Note over \(Self.id(flowrun)): \(Self.escaped(text))\n"
        case .message(let message):
            let arrow =
                switch message.form {
                case .call: "->>"
                case .reply: "-->>"
                case .lost: "--x"
                }
            return
                "  \(Self.id(message.from))\(arrow)\(Self.id(message.to)): \(Self.escaped(message.text))\n"
        }
    }

    /// Entity codes for what would end a text, begin a tag or a comment, or be read as a code.
    private static func escaped(_ text: String) -> String {
        singleLine(text).unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "#", ";", "<", ">", "&", "%", "{", "}", "\"", "`", "\\": result += "#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func singleLine(_ text: String) -> String { PlainLine.of(text) }
}
