package import FlowLanguage

/// A step with one of the outcomes that it can have.
package struct OutcomePair: Sendable, Hashable {
    /// Index into the program's steps.
    package let step: Int
    package let outcome: Outcome

    package init(step: Int, outcome: Outcome) {
        self.step = step
        self.outcome = outcome
    }
}

extension FlowProgram {
    /// Every pair that the program has a route for, sub-flows included, in the order of the tables.
    package var outcomePairs: [OutcomePair] {
        steps.indices.flatMap { step in outcomes(of: step).map { OutcomePair(step: step, outcome: $0) } }
    }

    /// The name of a step or end.
    func name(of target: FlowTarget) -> String {
        switch target {
        case .step(let step): steps[step].name
        case .end(let end): ends[end].name
        }
    }

    /// The route of a pair.
    func route(of pair: OutcomePair) -> RouteRow {
        routes[Int(steps[pair.step].routes[Int(pair.outcome.rawValue)])]
    }

    /// How a step ends in a rehearsal that assumes nothing (flow/1 §11).
    func rehearsedOutcome(of step: Int) -> Outcome {
        let row = steps[step]
        if row.kind == .restore { return .absent }
        if case .port(let port)? = row.argument("port"), let name = ports[port].simulation?.outcome,
            let outcome = outcome(named: name, at: step)
        {
            return outcome
        }
        let success = outcomes(of: step).first {
            route(of: OutcomePair(step: step, outcome: $0)).outcomeClass == .success
        }
        return success ?? .ok
    }
}
