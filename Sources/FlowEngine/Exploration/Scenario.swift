internal import FlowLanguage

/// What a rehearsal takes for granted in order to come to a pair.
struct Scenario: Sendable {
    let assumptions: [Assumption]
    let variation: WorldVariation

    /// - Parameter moves: A path through the program's tables.
    init(_ moves: [ScenarioSearch.Move], _ program: FlowProgram, _ variation: WorldVariation) {
        var visits: [Int: Int] = [:]
        var assumptions: [Assumption] = []
        // A refresh of a rehearsal brings no ID token unless one is taken to be good.
        var isRefreshed = false
        for move in moves {
            switch move {
            case .enter(let index):
                let frame = program.frames[index]
                visits[frame.step, default: 0] += 1
                // A sub-flow counts anew each time.
                for step in frame.steps { visits[step] = nil }
            case .leave(let pair, _, isSettled: false):
                visits[pair.step, default: 0] += 1
                let kind = program.steps[pair.step].kind
                if pair.outcome == .ok, [.refresh, .exchange, .devicePoll].contains(kind) {
                    isRefreshed = kind == .refresh
                }
                let isRenewed = isRefreshed && kind == .verifyIDToken
                guard pair.outcome != program.rehearsedOutcome(of: pair.step) || isRenewed,
                    pair.outcome != .exhausted
                else { continue }
                assumptions.append(
                    Assumption(
                        step: program.steps[pair.step].name, visit: visits[pair.step],
                        answer: .outcome(program.name(of: pair.outcome, at: pair.step))))
            case .leave(_, _, isSettled: true): break
            }
        }
        self.assumptions = assumptions
        self.variation = variation
    }

    /// As the command line takes them; the visit is told where a step was entered more than once.
    ///
    /// - Parameter entries: How often the run entered each step.
    func texts(entries: [String: Int]) -> [String] {
        let assumed = assumptions.map { assumption in
            let visit = assumption.visit.flatMap { entries[assumption.step, default: 0] > 1 ? "@\($0)" : nil }
            guard case .outcome(let outcome) = assumption.answer else {
                preconditionFailure("scenarios assume outcomes")
            }
            return "\(assumption.step)\(visit ?? "")=\(outcome)"
        }
        return assumed + variation.texts
    }
}
