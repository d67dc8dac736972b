internal import FlowLanguage

/// From one pure step to the next without looking at anything that such steps cannot have.
extension FlowMachine {
    /// Whether nobody would notice the difference: no assumption, no lock to give back.
    var mayWalk: Bool { plan.isPlain && registers.heldLock == nil }

    /// Goes on until something else than a pure step comes, or a bound is reached; that is left to `enter`.
    mutating func walk(from start: Int) -> Progress {
        if isOverdue { return .enterSlowly(start) }
        registers[.runNow] = .time(registers.now)
        retryVerdict = .notTried
        let limit = plan.program.limits.transitions
        var index = start
        while true {
            let row = plan.walk.steps[index]
            guard row.isPure, visits[index] < row.visits else { return .enterSlowly(index) }
            step = index
            visits[index] += 1
            let edge = openEdge(Int(row.firstEdge)..<Int(row.firstEdge + row.edgeCount))
            used[edge] += 1
            let taken = plan.walk.edges[edge]
            if taken.hasSaves {
                registers.notes.add(.stepStart(step: index, visit: visits[index]))
                save(plan.program.edges[edge].saves)
                noteEnd(StepResult(.ok), edge)
            } else if registers.notes.isEnabled {
                let way = way(edge)
                registers.notes.add(.passed(step: index, way))
            }
            transitions += 1
            guard taken.target >= 0 else {
                let end = Int(~taken.target)
                if let place = plan.program.ends[end].frame {
                    guard transitions < limit else { return fail(tooManyTransitions) }
                    return leaveFrame(end, place)
                }
                return .arrive(end, nil)
            }
            guard transitions < limit else { return fail(tooManyTransitions) }
            index = Int(taken.target)
        }
    }
}
