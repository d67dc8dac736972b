/// A flow as a picture: steps and ends, and lines between them for the outcomes that lead from one to the other.
///
/// Outcomes with one target share a line. What the defaults route is drawn once for all steps, unless everything is
/// asked for; the steps of sub-flows are not drawn.
package struct FlowDrawing: Sendable {
    struct Node: Sendable, Hashable {
        enum Form: Sendable, Hashable {
            case step(isStart: Bool)
            case end(EndRow.Result)
            /// Stands for every step.
            case anyStep
        }

        let id: String
        let title: String
        /// The kind of a step whose name does not say it.
        let detail: String?
        let form: Form
    }

    struct Line: Sendable, Hashable {
        enum Meaning: Sendable, Hashable {
            case success, choice, failure, security
        }

        let from: String
        let to: String
        let meaning: Meaning
        var labels: [String]
    }

    let name: String
    let summary: String?
    private(set) var nodes: [Node] = []
    private(set) var lines: [Line] = []
    private let program: FlowProgram
    private let showsAll: Bool

    /// - Parameter showsAll: Whether every outcome is drawn at its step, by its name.
    package init(_ program: FlowProgram, showsAll: Bool) {
        name = program.name
        summary = program.summary
        self.program = program
        self.showsAll = showsAll
        let inner = Set(program.frames.flatMap(\.steps))
        let steps = program.steps.indices.filter { !inner.contains($0) }
        for step in steps { addLines(of: step) }
        addNodes(steps)
    }

    // MARK: Nodes

    private mutating func addNodes(_ steps: [Int]) {
        for index in steps {
            let step = program.steps[index]
            let isNamedByKind = step.name == step.kind.rawValue
            nodes.append(
                Node(
                    id: Self.id(.step(index)), title: step.name,
                    detail: isNamedByKind ? nil : step.kind.rawValue,
                    form: .step(isStart: index == program.start)))
        }
        if lines.contains(where: { $0.from == Self.anyStep }) {
            nodes.append(Node(id: Self.anyStep, title: "any step", detail: nil, form: .anyStep))
        }
        let reached = Set(lines.map(\.to))
        for (index, end) in program.ends.enumerated() where reached.contains(Self.id(.end(index))) {
            nodes.append(Node(id: Self.id(.end(index)), title: end.name, detail: nil, form: .end(end.result)))
        }
    }

    private static let anyStep = "any_step"

    /// Ids of steps and ends have prefixes: a step may be called like a word of a picture's language.
    private static func id(_ target: FlowTarget) -> String {
        switch target {
        case .step(let index): "s\(index)"
        case .end(let index): "e\(index)"
        }
    }

    // MARK: Lines

    private mutating func addLines(of index: Int) {
        for outcome in outcomes(of: index) {
            let route = program.routes[Int(program.steps[index].routes[Int(outcome.rawValue)])]
            let outcome = program.name(of: outcome, at: index)
            let (label, isDefault) = label(outcome, route)
            let from = isDefault && !showsAll ? Self.anyStep : Self.id(.step(index))
            for edge in route.edges {
                add(
                    Line(
                        from: from, to: Self.id(program.edges[edge].target),
                        meaning: meaning(of: route), labels: [label + condition(edge, route)]))
            }
        }
    }

    /// The outcomes of a step, those of its kind first and in their order.
    private func outcomes(of index: Int) -> [Outcome] {
        let known = KindTable.spec(of: program.steps[index].kind).outcomes.map(\.outcome)
        let all = program.outcomes(of: index)
        return known.filter(all.contains) + all.filter { !known.contains($0) }
    }

    /// The selector that routes the outcome, or its name.
    private func label(_ outcome: String, _ route: RouteRow) -> (text: String, isDefault: Bool) {
        let byClass = showsAll ? outcome : "any.\(route.outcomeClass.rawValue)"
        let byAny = showsAll ? outcome : "any"
        switch route.reason {
        case .exact: return (outcome, false)
        case .byClass: return (byClass, false)
        case .any: return (byAny, false)
        case .defaultExact: return (outcome, true)
        case .defaultClass: return (byClass, true)
        case .defaultAny: return (byAny, true)
        }
    }

    private func meaning(of route: RouteRow) -> Line.Meaning {
        // `any` stands for outcomes of several classes.
        if !showsAll, route.reason == .any || route.reason == .defaultAny { return .failure }
        switch route.outcomeClass {
        case .success: return .success
        case .choice: return .choice
        case .security: return .security
        case .denied, .grant, .config, .transient, .data, .limit, .internal: return .failure
        }
    }

    /// ` if …`, ` 1×` or ` else` of an edge that is one of several.
    private func condition(_ index: Int, _ route: RouteRow) -> String {
        let edge = program.edges[index]
        var text = ""
        if let condition = edge.guardText { text += " if \(condition)" }
        if let maximum = edge.maximum { text += " \(maximum)×" }
        return text.isEmpty && route.edges.count > 1 ? " else" : text
    }

    private mutating func add(_ line: Line) {
        let known = lines.firstIndex {
            $0.from == line.from && $0.to == line.to && $0.meaning == line.meaning
        }
        guard let known else { return lines.append(line) }
        for label in line.labels where !lines[known].labels.contains(label) {
            lines[known].labels.append(label)
        }
    }
}
