internal import FlowEngine

/// The flow as a picture: its steps from top to bottom, ways forward on the right, ways back on the left.
struct StatePicture: Sendable {
    private let graph: StateGraph
    private let layout: StateLayout

    /// - Returns: `nil` when the trace does not tell the flow.
    init?(_ run: RunRecord) {
        guard let graph = StateGraph(run) else { return nil }
        self.graph = graph
        layout = StateLayout(graph)
    }

    var content: Markup {
        // What the run did is drawn last, above the rest.
        let order = graph.edges.indices.sorted { graph.edges[$0].count < graph.edges[$1].count }
        let path = graph.nodes.filter { !$0.visits.isEmpty }.map(\.name).joined(separator: ", ")
        return """
            <p>The way of this run is lit. Outcomes that only lead to an end of failure are left out.</p>
            <div class="picture" role="region" aria-label="State diagram" tabindex="0">
            <svg class="states" viewBox="0 0 \(layout.width) \(layout.height)" width="\(layout.width)" height="\(layout.height)" role="img" aria-label="Steps and ends that the run went through: \(path)">
            \(beginning)\(order.map(edge))\(graph.nodes.indices.map(node))</svg>
            </div>

            """
    }

    /// A dot with an arrow to the first step.
    private var beginning: Markup {
        guard let start = graph.start else { return .empty }
        let box = layout.boxes[start]
        let x = box.x + 40
        let lit: Markup = graph.nodes[start].visits.isEmpty ? .empty : " lit"
        return """
            <circle class="beginning" cx="\(x)" cy="\(box.y - 24)" r="5"/><path class="way\(lit)" d="M\(x) \(box.y - 18)V\(box.y - 8)"/><path class="tip\(lit)" d="M\(x) \(box.y - 1)l-4.5 -9h9z"/>

            """
    }

    private func node(_ index: Int) -> Markup {
        let node = graph.nodes[index]
        let box = layout.boxes[index]
        var form: Markup = "step"
        if case .end(let result) = node.form { form = "end \(result == "success" ? "good" : "bad")" }
        let lit: Markup = node.visits.isEmpty ? .empty : node.isFailed ? " lit bad" : " lit"
        let numbers = node.visits.filter { $0 > 0 }.map(String.init).joined(separator: ", ")
        let marks: Markup =
            numbers.isEmpty
            ? .empty
            : "<text class=\"visits\(lit)\" x=\"\(box.x + box.width - 10)\" y=\"\(box.middle + 4)\" text-anchor=\"end\">\(TextWidth.cut(numbers, to: 50))</text>"
        let name = TextWidth.cut(
            PlainLine.of(node.name), to: StateLayout.boxWidth - (numbers.isEmpty ? 24 : 60))
        return """
            <rect class="\(form)\(lit)" x="\(box.x)" y="\(box.y)" width="\(box.width)" height="\(box.height)" rx="\(node.form == .step ? 8 : box.height / 2)"/>
            <text class="\(form)\(lit)" x="\(box.x + 14)" y="\(box.middle + 4)">\(name)</text>\(marks)

            """
    }

    private func edge(_ index: Int) -> Markup {
        let edge = graph.edges[index]
        let way = layout.ways[index]
        let label = StateLayout.label(edge)
        let tone: Markup = edge.isFailure ? " bad" : .empty
        let lit: Markup = edge.count > 0 ? " lit" : .empty
        let anchor: Markup = way.labelEndsThere ? " text-anchor=\"end\"" : .empty
        return """
            <path class="way\(tone)\(lit)" d="\(way.path)"/><path class="tip\(tone)\(lit)" d="\(way.tip)"/>
            <text class="way" x="\(way.label.x)" y="\(way.label.y)"\(anchor)><title>\(edge.outcomes.joined(separator: ", "))</title><tspan class="taken\(tone)">\(label.taken)</tspan>\(label.others)</text>

            """
    }
}
