/// What a flow shows to another one that runs it as a step: its ends as outcomes (flow/1 §6).
struct FlowInterface: Sendable {
    struct End: Sendable {
        let index: Int
        let name: String
        let outcomeClass: OutcomeClass
        /// Whether a failed check may lead there without a new authorization.
        let followsFailedCheck: Bool
    }

    let program: FlowProgram
    /// Those that the flow itself can come to, the successes first.
    let ends: [End]

    init(_ program: FlowProgram) {
        self.program = program
        let reached = Self.reach(from: [.step(program.start)], in: program) { _, _ in true }
        let suspicious = Self.suspicious(program)
        let ends = program.ends.indices.filter { reached.contains(.end($0)) }.map { index in
            let end = program.ends[index]
            return End(
                index: index, name: end.name, outcomeClass: Self.outcomeClass(of: end),
                followsFailedCheck: suspicious.contains(.end(index)))
        }
        self.ends =
            ends.filter { $0.outcomeClass == .success } + ends.filter { $0.outcomeClass != .success }
    }

    /// A failure's class is that of the outcome or the class its `error` names, or what its exit status means.
    private static func outcomeClass(of end: EndRow) -> OutcomeClass {
        switch end.result {
        case .success: return .success
        case .cancelled: return .denied
        case .failure: break
        }
        if let error = end.error {
            if let named = OutcomeClass(rawValue: error), named != .success { return named }
            let specs = StepKind.allCases.flatMap { KindTable.spec(of: $0).outcomes }
            if let spec = specs.first(where: { $0.name == error && $0.outcomeClass != .success }) {
                return spec.outcomeClass
            }
        }
        return switch end.exit {
        case 5: .denied
        case 7: .security
        case 8: .transient
        case 9: .internal
        case 10: .limit
        default: .config
        }
    }

    /// What lies behind the security outcomes, up to the next authorization.
    private static func suspicious(_ program: FlowProgram) -> Set<FlowTarget> {
        var starts: [FlowTarget] = []
        for step in program.steps {
            for route in step.routes where route != RouteRow.none {
                let row = program.routes[Int(route)]
                guard row.outcomeClass == .security else { continue }
                starts += row.edges.map { program.edges[$0].target }
            }
        }
        return reach(from: starts, in: program) { step, outcomeClass in
            KindTable.spec(of: program.steps[step].kind).transaction != .opens || outcomeClass != .success
        }
    }

    private static func reach(
        from starts: [FlowTarget], in program: FlowProgram, through passes: (Int, OutcomeClass) -> Bool
    ) -> Set<FlowTarget> {
        var seen = Set(starts)
        var waiting = starts
        while let target = waiting.popLast() {
            guard case .step(let index) = target else { continue }
            for route in program.steps[index].routes where route != RouteRow.none {
                let row = program.routes[Int(route)]
                guard passes(index, row.outcomeClass) else { continue }
                for edge in row.edges where seen.insert(program.edges[edge].target).inserted {
                    waiting.append(program.edges[edge].target)
                }
            }
        }
        return seen
    }
}
