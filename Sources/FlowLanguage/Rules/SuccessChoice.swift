/// Which conditions of a step decide whether the flow comes to a success end (FL065).
///
/// A condition does when one side of it leads to such an end and the other to none. A side that leads there
/// only by a new authorization, or by the same step again, is neither: what is decided here has no say in how
/// that ends. And what is decided after a failure is whether to try something else.
struct SuccessChoice {
    /// Where a side leads.
    private enum Prospect {
        case success([FlowTarget])
        case anew
        case failure

        var way: [FlowTarget]? {
            if case .success(let way) = self { way } else { nil }
        }

        var isFailure: Bool {
            if case .failure = self { true } else { false }
        }
    }

    private let graph: FlowGraph
    private let step: Int

    init(_ graph: FlowGraph, step: Int) {
        self.graph = graph
        self.step = step
    }

    /// What the conditions of a list of edges decide, one for each edge; `nil` where that is nothing.
    func purposes(ofList list: Int) -> [Sink.Purpose?] {
        let edges = graph.nodes[step].lists[list]
        guard edges.contains(where: { $0.definition.condition != nil }) else { return edges.map { _ in nil } }
        let prospects = edges.map(prospect)
        let isFree = isDecidedFreely(list)
        return edges.indices.map { position in
            guard edges[position].definition.condition != nil else { return nil }
            // An edge to the end itself says so in the file.
            if let way = prospects[position].way, way.count == 1 { return purpose(way) }
            return isFree ? decision(prospects[position], against: prospects[(position + 1)...]) : nil
        }
    }

    /// What the `if` of the step decides: it runs, or it ends with `skipped`.
    var purposeOfStep: Sink.Purpose? {
        let node = graph.nodes[step]
        guard node.step.condition != nil, node.spec?.transaction != .opens else { return nil }
        let skipped = node.routes.filter { $0.outcome.outcome == .skipped }.flatMap(prospects)
        let run = node.routes.filter { $0.outcome.outcomeClass == .success }.flatMap(prospects)
        guard !skipped.isEmpty, !run.isEmpty else { return nil }
        guard skipped.allSatisfy(\.isFailure) || run.allSatisfy(\.isFailure) else { return nil }
        return (skipped + run).lazy.compactMap(\.way).first.flatMap(purpose)
    }

    private func decision(_ side: Prospect, against others: ArraySlice<Prospect>) -> Sink.Purpose? {
        switch side {
        case .success(let way): others.contains(where: \.isFailure) ? purpose(way) : nil
        case .anew: nil
        case .failure: others.lazy.compactMap(\.way).first.flatMap(purpose)
        }
    }

    private func isDecidedFreely(_ list: Int) -> Bool {
        graph.nodes[step].routes.contains {
            $0.list == list && [.success, .choice].contains($0.outcome.outcomeClass)
        }
    }

    // MARK: Ways

    private func prospects(of route: FlowGraph.Route) -> [Prospect] {
        graph.nodes[step].edges(of: route).map(prospect)
    }

    private func prospect(of edge: FlowGraph.Edge) -> Prospect {
        guard let target = edge.target else { return .anew }
        if let way = search(isAnew).path(from: target) { return .success(way) }
        return search { _, _ in false }.path(from: target) == nil ? .failure : .anew
    }

    private func isAnew(_ other: Int, _ outcome: OutcomeSpec) -> Bool {
        other == step || outcome.outcomeClass == .success && graph.nodes[other].spec?.transaction == .opens
    }

    private func search(_ stops: @escaping (Int, OutcomeSpec) -> Bool) -> PathSearch {
        PathSearch(graph: graph, stops: stops) { target in
            if case .end(let end) = target { graph.flow.ends[end].result == .success } else { false }
        }
    }

    private func purpose(_ way: [FlowTarget]) -> Sink.Purpose? {
        guard let end = way.last else { return nil }
        let text = PathSearch.text(graph, step, way)
        return .success(graph.name(of: end), way: way.count == 1 ? nil : text)
    }
}
