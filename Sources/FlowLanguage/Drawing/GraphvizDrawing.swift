/// A drawing in the language of Graphviz.
///
/// - SeeAlso: <https://graphviz.org/doc/info/lang.html>
package struct GraphvizDrawing: Sendable {
    private let drawing: FlowDrawing

    package init(_ drawing: FlowDrawing) {
        self.drawing = drawing
    }

    package var text: String {
        let title = drawing.summary.map { "\(drawing.name): \($0)" } ?? drawing.name
        return """
            digraph \(Self.quoted(drawing.name)) {
              tooltip=\(Self.quoted(title))
              rankdir=TB; nodesep=0.45; ranksep=0.55; bgcolor=white
              node [shape=box style="rounded,filled" fillcolor="#eef3fb" color="#4a6fa5" fontcolor="#1c2b41"
                    fontname="Helvetica" fontsize=12 margin="0.18,0.09" penwidth=1.2]
              edge [fontname="Helvetica" fontsize=10 color="#66707c" fontcolor="#3a424c" arrowsize=0.7]

            \(drawing.nodes.map(node).joined())
            \(drawing.lines.map(line).joined())}

            """
    }

    private func node(_ node: FlowDrawing.Node) -> String {
        let label = Self.quoted(node.title + (node.detail.map { "\n\($0)" } ?? ""))
        return "  \(node.id) [label=\(label)\(Self.attributes(of: node.form))]\n"
    }

    private static func attributes(of form: FlowDrawing.Node.Form) -> String {
        switch form {
        case .step(let isStart): return isStart ? " penwidth=2.6" : ""
        case .anyStep: return " style=\"rounded,dashed\" color=\"#8a94a0\" fontcolor=\"#59626d\""
        case .end(let result):
            let (fill, line) =
                switch result {
                case .success: ("#dff3e3", "#2e8540")
                case .failure: ("#fbe3e1", "#b3372b")
                case .cancelled: ("#fdf3d7", "#a67c00")
                }
            return " shape=box style=filled peripheries=2 fillcolor=\"\(fill)\" color=\"\(line)\""
        }
    }

    private func line(_ line: FlowDrawing.Line) -> String {
        // Spaces keep the words off the line.
        let label = Self.quoted(line.wrappedLabel.map { "  \($0)  " }.joined(separator: "\n"))
        let attributes =
            switch line.meaning {
            case .success: " color=\"#2e8540\" fontcolor=\"#1e5c2c\" penwidth=1.6 weight=8"
            case .choice: " color=\"#4a6fa5\" fontcolor=\"#2f4a73\" weight=2"
            case .failure: " style=dashed"
            case .security: " color=\"#b3372b\" fontcolor=\"#8f2b21\" style=bold"
            }
        return "  \(line.from) -> \(line.to) [label=\(label)\(attributes)]\n"
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing(
            "\n", with: "\\n")
        return "\"\(escaped)\""
    }
}

extension FlowDrawing.Line {
    /// The labels in lines that are short enough to stand beside an arrow.
    var wrappedLabel: [String] {
        var lines: [String] = []
        for (index, label) in labels.enumerated() {
            let text = index < labels.count - 1 ? label + "," : label
            if let last = lines.last, last.count + 1 + text.count <= 26 {
                lines[lines.count - 1] = "\(last) \(text)"
            } else {
                lines.append(text)
            }
        }
        return lines
    }
}
