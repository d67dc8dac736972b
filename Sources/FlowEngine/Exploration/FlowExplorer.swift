package import FlowLanguage
internal import Synchronization

/// Walks a flow by every outcome of every step, in rehearsals (flow/1 §11).
///
/// A shortest path to each pair of step and outcome is searched for in the program's tables and then run by the real
/// machine. Where the run leaves the path, because a guard or the provider decides otherwise, the search is repeated
/// with that turn made dearer, a few times; then with other inputs and with what the tests of
/// the flow give. The same program and provider give the same table.
package struct FlowExplorer: Sendable {
    private static let rounds = 6
    /// What the turn that a run refused costs from then on, and what the way up to it does: the next path to the same
    /// turn is another one, since what guards look at may differ there.
    private static let refusedCost = 25
    private static let approachCost = 4
    private static let variationLimit = 12

    private let program: FlowProgram
    private let providers: [BoundProvider]
    private let inputs: [Value]
    private let names: [String: Int]

    /// - Parameter inputs: In the order of the program's inputs.
    package init(_ program: FlowProgram, _ providers: [BoundProvider], inputs: [Value]) {
        self.program = program
        self.providers = providers
        self.inputs = inputs
        names = Dictionary(program.steps.indices.map { (program.steps[$0].name, $0) }) { first, _ in first }
    }

    package func explore() async -> PathTable {
        var found = Found(open: Set(program.outcomePairs))
        await search(.usual(inputs), rounds: Self.rounds, &found)
        for variation in WorldVariation.all(program, inputs).prefix(Self.variationLimit)
        where !found.open.isEmpty {
            await search(variation, rounds: 2, &found)
        }
        for (pair, finding) in found.byTheWay where found.open.contains(pair) {
            found.reached[pair] = finding
        }
        return PathTable(
            rows: program.outcomePairs.map { pair in
                PathTable.Row(
                    step: program.steps[pair.step].name,
                    outcome: program.name(of: pair.outcome, at: pair.step),
                    finding: found.reached[pair]
                        ?? .unreached(reason: found.obstacles[pair]?.reason ?? "no path leads there"))
            })
    }

    private struct Found {
        /// Pairs that no run was aimed at successfully yet.
        var open: Set<OutcomePair>
        var reached: [OutcomePair: PathTable.Finding] = [:]
        /// Pairs that runs came by on their way to others.
        var byTheWay: [OutcomePair: PathTable.Finding] = [:]
        /// What kept the run from a pair that came nearest to it, the first one of these: others go astray.
        var obstacles: [OutcomePair: Obstacle] = [:]

        mutating func fail(_ pair: OutcomePair, _ obstacle: Obstacle) {
            if let known = obstacles[pair], known.distance <= obstacle.distance { return }
            obstacles[pair] = obstacle
        }
    }

    private struct Obstacle {
        let reason: String
        /// How many moves of the path were not made.
        let distance: Int
    }

    private func search(_ variation: WorldVariation, rounds: Int, _ found: inout Found) async {
        var penalties = ScenarioSearch.Penalties()
        for _ in 0..<rounds where !found.open.isEmpty {
            var search = ScenarioSearch(program, targets: found.open, penalties: penalties)
            let paths = search.run()
            for pair in program.outcomePairs where found.open.contains(pair) {
                guard let moves = paths[pair] else {
                    if !search.isExhaustive {
                        let reason = "there are too many paths to search"
                        found.fail(pair, Obstacle(reason: reason, distance: .max))
                    }
                    continue
                }
                let walk = await walk(Scenario(moves, program, variation))
                for passed in walk.legs where found.byTheWay[passed.pair] == nil {
                    found.byTheWay[passed.pair] = walk.finding
                }
                if let refusal = refusal(of: moves, walk) {
                    learn(refusal, moves, &penalties)
                    let given = variation.texts.joined(separator: ", ")
                    let world = given.isEmpty ? "" : " (with \(given))"
                    found.fail(
                        pair,
                        Obstacle(reason: refusal.reason + world, distance: moves.count - refusal.move))
                } else {
                    found.reached[pair] = walk.finding
                    found.open.remove(pair)
                }
            }
            if paths.isEmpty { return }
        }
    }

    // MARK: Runs

    /// A run as far as paths are concerned.
    private struct Walk {
        let legs: [(pair: OutcomePair, target: String)]
        let finding: PathTable.Finding
        /// With the reason where the engine ended the run.
        let end: String
    }

    private func walk(_ scenario: Scenario) async -> Walk {
        let plan = RunPlan(
            program: program, providers: providers, inputs: scenario.variation.inputs,
            assumptions: scenario.assumptions, isRehearsal: true, given: scenario.variation.given)
        let recorder = LegRecorder()
        let effects = PlannedEffects(plan)
        let outcome = await FlowRun(plan: plan, handler: effects, sinks: [recorder]).run()
        let legs = recorder.legs.compactMap { leg -> (pair: OutcomePair, target: String)? in
            guard let step = names[leg.step], let outcome = program.outcome(named: leg.outcome, at: step)
            else { return nil }
            return (OutcomePair(step: step, outcome: outcome), leg.target)
        }
        let entries = Dictionary(recorder.entered.map { ($0, 1) }, uniquingKeysWith: +)
        let finding = PathTable.Finding.reached(
            end: outcome.end.name, error: outcome.end.error?.code.rawValue,
            assumptions: scenario.texts(entries: entries), path: recorder.entered)
        let reason = outcome.end.error.map { " (\($0.message))" } ?? ""
        return Walk(legs: legs, finding: finding, end: "\(outcome.end.name)\(reason)")
    }

    // MARK: Refusals

    /// The first move of a path that a run did not make.
    private struct Refusal {
        let move: Int
        let reason: String
    }

    private func refusal(of moves: [ScenarioSearch.Move], _ walk: Walk) -> Refusal? {
        var leg = 0
        for (index, move) in moves.enumerated() {
            guard case .leave(let pair, let edge, _) = move else { continue }
            let name = program.steps[pair.step].name
            guard leg < walk.legs.count else {
                return Refusal(move: index, reason: "the run ends in \(walk.end) before \(name) does")
            }
            let (made, target) = walk.legs[leg]
            leg += 1
            guard made == pair else {
                let ended = program.name(of: made.outcome, at: made.step)
                let wanted = program.name(of: pair.outcome, at: pair.step)
                return Refusal(
                    move: index,
                    reason: "\(program.steps[made.step].name) ends with \(ended), not with \(wanted)")
            }
            guard let edge else { return nil }
            let wanted = program.name(of: program.edges[edge].target)
            guard target == wanted else {
                return Refusal(move: index, reason: "\(name) leads to \(target), not to \(wanted)")
            }
        }
        return nil
    }

    private func learn(
        _ refusal: Refusal, _ moves: [ScenarioSearch.Move], _ penalties: inout ScenarioSearch.Penalties
    ) {
        for (index, move) in moves.prefix(refusal.move + 1).enumerated() {
            guard case .leave(let pair, let edge, _) = move else { continue }
            let cost = index == refusal.move ? Self.refusedCost : Self.approachCost
            if let edge { penalties.edges[edge, default: 0] += cost }
            penalties.pairs[pair, default: 0] += cost
        }
    }
}

/// The steps that a run entered and left, in order.
private final class LegRecorder: TraceSink {
    struct Leg: Sendable {
        let step: String
        let outcome: String
        let target: String
    }

    private let state = Mutex<(entered: [String], legs: [Leg])>(([], []))

    var entered: [String] { state.withLock { $0.entered } }
    var legs: [Leg] { state.withLock { $0.legs } }

    func receive(_ event: TraceEvent) {
        guard let step = event.step else { return }
        if case .stepStart = event.body { state.withLock { $0.entered.append(step) } }
        if case .stepEnd(let end) = event.body {
            state.withLock { $0.legs.append(Leg(step: step, outcome: end.outcome, target: end.target)) }
        }
    }
}
