internal import FlowLanguage
package import YAMLText

/// Whether a run that one program began can go on with another one (flow/1 §12).
///
/// The step that the run is at must be there with its outcomes, and everything that the run holds with its type. Then the
/// new machine is told what the old one was: where it asks for something else, the run could not have come to where it is.
package struct Migration: Sendable {
    /// Something that the run needs and the new program does not have.
    package struct Difference: Sendable, Hashable {
        /// `nil` for what is no part of one file.
        package let place: Place?
        /// Lower case, without a full stop.
        package let message: String
    }

    /// A place in one of the files.
    package struct Place: Sendable, Hashable {
        package let file: String
        package let span: SourceSpan
        /// Whether it is a file as it was when the run began.
        package let isOld: Bool
    }

    private let recorded: RecordedRun
    private let old: RunPlan
    private let new: RunPlan

    /// - Parameters:
    ///   - old: What the run was begun with.
    ///   - new: What it is to go on with; its inputs are those of the run.
    package init(_ recorded: RecordedRun, from old: RunPlan, to new: RunPlan) {
        self.recorded = recorded
        self.old = old
        self.new = new
    }

    /// What stands in the way, in the order in which it was looked for; empty when the run can go on.
    ///
    /// - Throws: `journal` when it could not go on with the old program either.
    package func differences() throws(RunFailure) -> [Difference] {
        let (machine, next) = try replay(recorded, old)
        var comparison = ProgramComparison(old.program, new.program)
        comparison.compareStep(machine.step)
        comparison.compareProviders()
        comparison.compareValues(machine.registers)
        guard comparison.differences.isEmpty else { return comparison.differences }
        do throws(RunFailure) {
            let (other, otherNext) = try replay(recorded.migrated(to: new), new)
            return parting(machine, next, other, otherNext)
        } catch {
            return [Difference(place: nil, message: error.message)]
        }
    }

    private func replay(
        _ recorded: RecordedRun, _ plan: RunPlan
    ) throws(RunFailure) -> (FlowMachine, Decision) {
        var machine = FlowMachine(plan: plan, seed: recorded.seed, runID: recorded.runID, takesNotes: false)
        var replay = JournalReplay(recorded)
        let next = try replay.run(&machine, plan)
        return (machine, next)
    }

    /// Whether the machines have come to the same point, with the same requests open.
    private func parting(
        _ machine: FlowMachine, _ next: Decision, _ other: FlowMachine, _ otherNext: Decision
    ) -> [Difference] {
        let (goal, otherGoal) = (words(next), words(otherNext))
        guard goal == otherGoal else {
            return [
                Difference(
                    place: nil, message: "the run would go on with \(otherGoal), where it was at \(goal)")
            ]
        }
        return machine.registers.transactions.keys.sorted().compactMap { index in
            let name = old.program.steps[index].name
            guard let there = new.program.steps.firstIndex(where: { $0.name == name }),
                other.registers.transactions[there] != machine.registers.transactions[index]
            else { return nil }
            let message =
                "step \"\(name)\" would ask for something else than the run has asked for, whose answer it waits for"
            return Difference(place: new.program.place(of: there), message: message)
        }
    }

    private func words(_ decision: Decision) -> String {
        switch decision {
        case .perform(let request): "\(request.effect.word) of step \"\(request.step)\""
        case .finish(let end): "the end \"\(end.name)\""
        }
    }
}

extension FlowProgram {
    func place(of step: Int, isOld: Bool = false) -> Migration.Place {
        Migration.Place(file: steps[step].file ?? file, span: steps[step].span, isOld: isOld)
    }
}
