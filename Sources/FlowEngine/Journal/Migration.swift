internal import FlowLanguage
internal import OAuthProtocol
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

    /// A machine that was told everything, and what it asks for next.
    private struct Told {
        let machine: FlowMachine
        let next: Decision
        /// What the browser was last shown; `nil` when nothing.
        let shown: (step: String, url: String)?
    }

    /// What stands in the way, in the order in which it was looked for; empty when the run can go on.
    ///
    /// - Throws: `journal` when it could not go on with the old program either.
    package func differences() throws(RunFailure) -> [Difference] {
        let told = try replay(recorded, old)
        var comparison = ProgramComparison(old.program, new.program)
        comparison.compareStep(told.machine.step)
        comparison.compareProviders()
        comparison.compareValues(told.machine.registers)
        guard comparison.differences.isEmpty else { return comparison.differences }
        do throws(RunFailure) {
            return parting(told, try replay(recorded.migrated(to: new), new))
        } catch {
            return [Difference(place: nil, message: error.message)]
        }
    }

    private func replay(_ recorded: RecordedRun, _ plan: RunPlan) throws(RunFailure) -> Told {
        var machine = FlowMachine(plan: plan, seed: recorded.seed, runID: recorded.runID, takesNotes: false)
        var replay = JournalReplay(recorded)
        let next = try replay.run(&machine, plan)
        guard let request = replay.standing.presentation, case .present(let presentation) = request.effect
        else { return Told(machine: machine, next: next, shown: nil) }
        return Told(machine: machine, next: next, shown: (request.step, presentation.url))
    }

    /// Whether the machines have come to the same point, with the same requests open.
    private func parting(_ told: Told, _ other: Told) -> [Difference] {
        let goal = words(told.next)
        guard goal == words(other.next) else {
            return [Difference(place: nil, message: parted(goal, other.next))]
        }
        return told.machine.registers.transactions.keys.sorted().compactMap { index in
            let name = old.program.steps[index].name
            guard let there = new.program.steps.firstIndex(where: { $0.name == name }),
                other.machine.registers.transactions[there] != told.machine.registers.transactions[index]
                    || told.shown?.step == name && !isSame(told.shown?.url, other.shown?.url)
            else { return nil }
            let message =
                "step \"\(name)\" would ask for something else than the run has asked for, whose answer it waits for"
            return Difference(place: new.program.place(of: there), message: message)
        }
    }

    /// Whether both addresses ask for the same; a signature is another one each time.
    private func isSame(_ url: String?, _ other: String?) -> Bool {
        func parts(_ url: String?) -> [String] {
            let halves = (url ?? "").split(separator: "?", maxSplits: 1)
            let items = QueryItems.received(halves.dropFirst().first ?? "").filter { $0.name != "request" }
            return halves.prefix(1).map(String.init) + items.map { "\($0.name)=\($0.value)" }
        }
        return parts(url) == parts(other)
    }

    private func parted(_ goal: String, _ other: Decision) -> String {
        let way =
            switch other {
            case .perform(let request):
                switch request.effect {
                case .conclude(_, let code): "have ended" + (code.map { " with \($0)" } ?? "")
                default: "go on with \(words(other))"
                }
            case .finish(let end): "have ended with " + (end.error?.code.rawValue ?? "\"\(end.name)\"")
            }
        return "the run would \(way), where it was at \(goal)"
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
