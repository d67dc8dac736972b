internal import FlowEngine
internal import FlowLanguage

extension FailureReport {
    /// Adds what the descriptor of the failed step's provider says of the error.
    mutating func takeAdvice(of plan: RunPlan, _ outcome: RunOutcome) {
        guard let step = outcome.problem?.step else { return }
        let descriptor = plan.providers[plan.program.steps[step].provider].descriptor
        guard let advice = descriptor.advice(code: error, description: description) else { return }
        providerCauses = [advice.cause]
        providerFixes = [advice.fix, advice.url.map { "see \($0)" }].compactMap(\.self)
    }
}
