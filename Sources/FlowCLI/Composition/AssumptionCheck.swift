internal import FlowLanguage

/// Refuses assumptions that the flow cannot meet, with the nearest possible one.
enum AssumptionCheck {
    static func check(_ assumptions: [Assumption], _ program: FlowProgram) throws(Problem) {
        let names = program.steps.map(\.name)
        for assumption in assumptions {
            if assumption.isNetworkDown, !names.contains(assumption.step) { continue }
            guard let index = names.firstIndex(of: assumption.step) else {
                let known = ArgumentReader.suggestion(assumption.step, names)
                throw Problem(
                    .usage, "--assume: flow \"\(program.name)\" has no step \"\(assumption.step)\"\(known)",
                    hints: ["steps: \(names.joined(separator: ", "))"])
            }
            let step = program.steps[index]
            let outcomes = program.outcomes(of: index).map { program.name(of: $0, at: index) }
            guard case .outcome(let name) = assumption.answer else {
                if step.kind.sendsRequest { continue }
                throw Problem(
                    .usage, "--assume: \(step.name) sends nothing; name an outcome",
                    hints: ["outcomes: \(outcomes.joined(separator: ", "))"])
            }
            guard !outcomes.contains(name) else { continue }
            let known = ArgumentReader.suggestion(name, outcomes)
            throw Problem(
                .usage, "--assume: \(step.name) cannot end with \"\(name)\"\(known)",
                hints: ["outcomes: \(outcomes.joined(separator: ", "))"])
        }
    }
}
