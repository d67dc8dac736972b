internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import OAuthProtocol
internal import YAMLText

/// `resume --migrate`: goes on with a run under the files of today.
extension RunCommand {
    /// - Parameters:
    ///   - begun: The same request with the files that the run was begun with.
    ///   - answer: Where the browser ended, for a run that waits for that.
    /// - Throws: With status 3 and every difference, when the run needs something that the files of today do not have.
    func migrate(_ resumable: ResumableRun, from begun: RunCommand, answer: Secret?) async throws(Problem)
        -> Int
    {
        let recorded = resumable.recorded
        let before = try begun.prepare(runs: false)
        let old = try begun.plan(before, inputs: recorded.inputs)
        let prepared = try prepare()
        let new = try plan(
            prepared, inputs: inputs(of: prepared.flow.program, from: before.flow.program, recorded.inputs))
        let differences: [Migration.Difference]
        do throws(RunFailure) {
            differences = try Migration(recorded, from: old, to: new).differences()
        } catch {
            throw Problem(.local, "run \(recorded.runID) cannot be resumed: \(error.message)")
        }
        guard differences.isEmpty else { throw refusal(recorded.runID, differences) }
        if new.program.digest == old.program.digest {
            context.note("the flow is what it was when the run began")
        }
        var migrated = resumable
        migrated.recorded = recorded.migrated(to: new)
        return try await goOn(migrated, prepared, new, answer: answer)
    }

    /// The run's inputs by their names; what the flow has taken on since is read as for a new run.
    private func inputs(
        of program: FlowProgram, from old: FlowProgram, _ values: [Value]
    ) throws(Problem) -> [Value] {
        let known = Dictionary(zip(old.inputs.map(\.name), values)) { first, _ in first }
        var inputs: [Value] = []
        for row in program.inputs {
            if let value = known[row.name], !value.isNull || row.type.isOptional {
                inputs.append(value)
            } else {
                inputs += try InputReading.values(
                    [row], given: [], flow: program.name, context.surroundings, isResuming: true)
            }
        }
        return inputs
    }

    private func refusal(_ run: String, _ differences: [Migration.Difference]) -> Problem {
        let count = differences.count == 1 ? "one difference" : "\(differences.count) differences"
        var problem = Problem(
            .config, "run \(run) cannot go on with the flow of today: \(count)",
            hints: differences.map(Self.line) + [
                "as it was begun it still can: flowrun resume \(run)",
                "more: flowrun explain \(FailureCode.migrationRefused)",
            ])
        problem.code = FailureCode.migrationRefused
        return problem
    }

    private static func line(_ difference: Migration.Difference) -> String {
        guard let place = difference.place else { return difference.message }
        let start = place.span.start
        let age = place.isOld ? " (when the run began)" : ""
        return "\(place.file):\(start.line):\(start.column)\(age): \(difference.message)"
    }
}
