internal import FlowEngine

/// The answer to `--why`: how the way on from one step was found, as the events of the run have it.
struct WhyAnswer: Sendable {
    let context: CommandContext
    let form: Command.Form

    /// - Returns: Status 12 when the run did not enter the step, or not so often.
    func answer(_ question: WhyQuestion, _ events: [TraceEvent]) throws(Problem) -> Int {
        let account = try StepAccount(question, events)
        switch form {
        case .json: context.write(WhyJSON.text(account))
        case .text:
            let surroundings = context.surroundings
            var text = WhyText(account, RenderOptions(context.common, surroundings.output, surroundings))
            context.write(text.text())
        }
        return (account.asked.isEmpty ? ExitStatus.assertion : .ok).rawValue
    }
}
