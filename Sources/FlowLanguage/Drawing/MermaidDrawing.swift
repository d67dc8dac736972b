/// A drawing in the language of Mermaid, which many Markdown viewers show as a picture.
///
/// - SeeAlso: <https://mermaid.js.org/syntax/flowchart.html>
package struct MermaidDrawing: Sendable {
    private let drawing: FlowDrawing

    package init(_ drawing: FlowDrawing) {
        self.drawing = drawing
    }

    package var text: String {
        """
        flowchart TD
        \(drawing.nodes.map(node).joined())
        \(drawing.lines.map(line).joined())
          classDef default fill:#eef3fb,stroke:#4a6fa5,color:#1c2b41
          classDef start fill:#eef3fb,stroke:#4a6fa5,color:#1c2b41,stroke-width:3px
          classDef anyStep fill:#ffffff,stroke:#8a94a0,color:#59626d,stroke-dasharray:4
          classDef success fill:#dff3e3,stroke:#2e8540,color:#1e5c2c
          classDef failure fill:#fbe3e1,stroke:#b3372b,color:#8f2b21
          classDef cancelled fill:#fdf3d7,stroke:#a67c00,color:#6b5000
        \(linkStyles)
        """
    }

    private func node(_ node: FlowDrawing.Node) -> String {
        let label = Self.escaped(node.title) + (node.detail.map { "<br/><i>\(Self.escaped($0))</i>" } ?? "")
        switch node.form {
        case .step(let isStart): return "  \(node.id)[\"\(label)\"]\(isStart ? ":::start" : "")\n"
        case .anyStep: return "  \(node.id)([\"\(label)\"]):::anyStep\n"
        case .end(let result): return "  \(node.id)([\"\(label)\"]):::\(result.rawValue)\n"
        }
    }

    private func line(_ line: FlowDrawing.Line) -> String {
        let arrow =
            switch line.meaning {
            case .success, .choice: "-->"
            case .failure: "-.->"
            case .security: "==>"
            }
        let label = line.wrappedLabel.map(Self.escaped).joined(separator: "<br/>")
        return "  \(line.from) \(arrow)|\"\(label)\"| \(line.to)\n"
    }

    private var linkStyles: String {
        let colours: [(FlowDrawing.Line.Meaning, String)] = [
            (.success, "#2e8540"), (.choice, "#4a6fa5"), (.security, "#b3372b"),
        ]
        return colours.map { meaning, colour in
            let numbers = drawing.lines.indices.filter { drawing.lines[$0].meaning == meaning }
            guard !numbers.isEmpty else { return "" }
            let list = numbers.map(String.init).joined(separator: ",")
            return "  linkStyle \(list) stroke:\(colour)\n"
        }.joined()
    }

    /// Entity codes of Mermaid for what would end a label or begin a tag.
    private static func escaped(_ text: String) -> String {
        text.replacing("#", with: "#35;").replacing("\"", with: "#quot;").replacing("<", with: "#lt;")
            .replacing(">", with: "#gt;")
    }
}
