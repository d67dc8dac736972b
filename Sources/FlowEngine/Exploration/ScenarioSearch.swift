internal import FlowLanguage

/// Finds a shortest path to every pair of step and outcome in the tables of a program (flow/1 §11).
///
/// Dijkstra's algorithm over positions with the counts of budgeted edges and of steps with `visits`. What a guard says
/// is not known here: each edge with a guard may be taken or passed over, which costs more than a plain edge. Paths
/// through what a rehearsal has refused before cost more still.
struct ScenarioSearch {
    /// One move of a path.
    enum Move: Sendable, Hashable {
        /// Into the flow of a `subflow` step.
        case enter(frame: Int)
        /// Out of a step; `edge` is `nil` for the last move of a path.
        case leave(OutcomePair, edge: Int?, isSettled: Bool)
    }

    /// What rehearsals have learned: how much more paths cost that use an edge or a pair.
    struct Penalties: Sendable {
        var edges: [Int: Int] = [:]
        var pairs: [OutcomePair: Int] = [:]
    }

    private enum Position: Hashable {
        case entering(Int)
        /// A sub-flow has ended, and its step with it.
        case settled(OutcomePair)
    }

    private struct State: Hashable {
        var position: Position
        /// Traversals of budgeted edges and entries of steps with `visits`, by `edgeCounters` and `stepCounters`.
        var counts: [Int]
    }

    private struct Node {
        let state: State
        let parent: Int?
        let move: Move?
        let depth: Int
        let cost: Int
    }

    private static let stepCost = 10
    private static let assumptionCost = 1
    private static let budgetCost = 2
    private static let guardCost = 15
    /// Above what any flow of the size limits needed so far; a bound for hostile ones.
    private static let expansionLimit = 100_000

    private let program: FlowProgram
    private let penalties: Penalties
    private let edgeCounters: [Int: Int]
    private let stepCounters: [Int: Int]
    private var nodes: [Node] = []
    /// Indices of nodes by cost.
    private var queue: [[Int]] = []
    private var missing: Set<OutcomePair>
    private var paths: [OutcomePair: [Move]] = [:]
    private(set) var isExhaustive = true

    init(_ program: FlowProgram, targets: Set<OutcomePair>, penalties: Penalties) {
        self.program = program
        self.penalties = penalties
        missing = targets
        let edges = program.edges.indices.filter { program.edges[$0].maximum != nil }
        let steps = program.steps.indices.filter { program.steps[$0].isVisitsExplicit }
        edgeCounters = Dictionary(uniqueKeysWithValues: zip(edges, edges.indices))
        stepCounters = Dictionary(uniqueKeysWithValues: zip(steps, edges.count..<(edges.count + steps.count)))
    }

    /// The moves from the start to each pair that has a path.
    mutating func run() -> [OutcomePair: [Move]] {
        let counts = Array(repeating: 0, count: edgeCounters.count + stepCounters.count)
        add(State(position: .entering(program.start), counts: counts), from: nil, nil, cost: 0)
        var seen: Set<State> = []
        var cost = 0
        while cost < queue.count, !missing.isEmpty {
            var next = 0
            // More nodes of the same cost may come while these are looked at.
            while next < queue[cost].count, !missing.isEmpty {
                let index = queue[cost][next]
                next += 1
                guard seen.insert(nodes[index].state).inserted else { continue }
                guard seen.count < Self.expansionLimit else {
                    isExhaustive = false
                    return paths
                }
                expand(index)
            }
            cost += 1
        }
        return paths
    }

    private mutating func add(_ state: State, from parent: Int?, _ move: Move?, cost: Int) {
        let depth = parent.map { nodes[$0].depth + 1 } ?? 0
        while queue.count <= cost { queue.append([]) }
        queue[cost].append(nodes.count)
        nodes.append(Node(state: state, parent: parent, move: move, depth: depth, cost: cost))
    }

    // MARK: Moves

    private mutating func expand(_ index: Int) {
        guard nodes[index].depth < program.limits.transitions else { return }
        var state = nodes[index].state
        switch state.position {
        case .settled(let pair): leave(pair, index, state, isSettled: true)
        case .entering(let step):
            if let counter = stepCounters[step] {
                state.counts[counter] = min(state.counts[counter] + 1, program.steps[step].visits + 1)
                if state.counts[counter] > program.steps[step].visits {
                    leave(OutcomePair(step: step, outcome: .exhausted), index, state, isSettled: false)
                    return
                }
            }
            tryOutcomes(of: step, index, state)
        }
    }

    private mutating func tryOutcomes(of step: Int, _ index: Int, _ state: State) {
        let frame = program.steps[step].frame
        for outcome in program.outcomes(of: step) where outcome != .exhausted {
            let pair = OutcomePair(step: step, outcome: outcome)
            // A sub-flow succeeds only from inside.
            if frame != nil, program.route(of: pair).outcomeClass == .success { continue }
            leave(pair, index, state, isSettled: false)
        }
        guard let frame else { return }
        var inside = state
        for (edge, counter) in edgeCounters where program.frames[frame].edges.contains(edge) {
            inside.counts[counter] = 0
        }
        for (step, counter) in stepCounters where program.frames[frame].steps.contains(step) {
            inside.counts[counter] = 0
        }
        inside.position = .entering(program.frames[frame].start)
        add(inside, from: index, .enter(frame: frame), cost: nodes[index].cost + Self.stepCost)
    }

    private mutating func leave(_ pair: OutcomePair, _ index: Int, _ state: State, isSettled: Bool) {
        if missing.remove(pair) != nil {
            paths[pair] = moves(to: index) + [.leave(pair, edge: nil, isSettled: isSettled)]
        }
        var cost = nodes[index].cost + Self.stepCost + penalties.pairs[pair, default: 0]
        let isAssumed = !isSettled && pair.outcome != program.rehearsedOutcome(of: pair.step)
        if isAssumed { cost += Self.assumptionCost }
        for edge in program.route(of: pair).edges {
            let row = program.edges[edge]
            if let maximum = row.maximum, let counter = edgeCounters[edge], state.counts[counter] >= maximum {
                continue
            }
            let own = (row.maximum == nil ? 0 : Self.budgetCost) + penalties.edges[edge, default: 0]
            let guess = row.guardCode == nil ? 0 : Self.guardCost
            follow(edge, of: pair, index, state, isSettled: isSettled, cost: cost + own + guess)
            guard row.guardCode != nil else { return }
            cost += Self.guardCost
        }
    }

    private mutating func follow(
        _ edge: Int, of pair: OutcomePair, _ index: Int, _ state: State, isSettled: Bool, cost: Int
    ) {
        var next = state
        if let counter = edgeCounters[edge] { next.counts[counter] += 1 }
        switch program.edges[edge].target {
        case .step(let step): next.position = .entering(step)
        case .end(let end):
            guard let place = program.ends[end].frame else { return }
            let step = program.frames[place.frame].step
            next.position = .settled(OutcomePair(step: step, outcome: place.outcome))
        }
        add(next, from: index, .leave(pair, edge: edge, isSettled: isSettled), cost: cost)
    }

    private func moves(to index: Int) -> [Move] {
        var moves: [Move] = []
        var current: Int? = index
        while let place = current {
            if let move = nodes[place].move { moves.append(move) }
            current = nodes[place].parent
        }
        return moves.reversed()
    }
}
