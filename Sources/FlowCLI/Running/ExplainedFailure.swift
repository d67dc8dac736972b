internal import FlowEngine
internal import FlowLanguage
internal import FlowReport

extension RunRequest {
    /// A failure in the words of the command that was given.
    ///
    /// - Parameter status: How the process is going to end.
    func explained(_ report: FailureReport, of plan: RunPlan, _ status: Int) -> FailureReport {
        var failure = report
        failure.exit = status
        failure.options = SignInHint.options(arguments)
        failure.inputs = SignInHint.inputs(inputs, of: plan.program)
        failure.connection = SignInHint.connection(arguments)
        failure.typedFlow = ShellWords.quoted([flow])
        let provider = plan.providers.first.map { first in
            word(for: first, alias: plan.program.providers.first?.alias)
        }
        failure.typedProvider = provider
        failure.command = command ?? SignInHint.everyday(self, provider, of: plan.program)
        if plan.providers.count > 1 {
            failure.namedProviders = zip(plan.program.providers, plan.providers).enumerated().map {
                let (slot, provider) = $1
                return "\(slot.alias)=\(word(for: provider, alias: slot.alias, isFirst: $0 == 0))"
            }
        }
        return failure
    }
}
