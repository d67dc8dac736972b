internal import FlowLanguage
internal import OAuthProtocol

/// What a step does next: ask the world, or end.
enum StepAction: Sendable {
    case perform(Effect)
    case finish(StepResult)
    /// Something outside of the kind's outcomes went wrong: the run ends.
    case fail(RunFailure)
}

/// The surroundings of the current step.
struct StepScope {
    let plan: RunPlan
    let step: Int
    let visit: Int
    /// Instant at which this attempt is over.
    let deadline: Int64
    /// Instant at which the step is over, whatever it waits for.
    let stepDeadline: Int64

    var name: String { plan.program.steps[step].name }
    var providerIndex: Int { plan.program.steps[step].provider }
    var provider: BoundProvider { plan.providers[providerIndex] }

    func argument(_ name: String) -> ArgumentValue? {
        plan.program.steps[step].argument(name)
    }

    /// The value of an argument; `.null` when it is left out.
    func value(_ name: String, _ registers: inout Registers) -> Value {
        switch argument(name) {
        case .code(let code): registers.evaluate(code, plan)
        case .constant(let value): value
        case .tokenSet, .step, .templates, .statuses, .classification, .extraction, .port, .frame, nil: .null
        }
    }

    func duration(_ name: String, _ registers: inout Registers) -> Int64? {
        if case .duration(let milliseconds) = value(name, &registers) { milliseconds } else { nil }
    }

    func tokenSet(_ name: String) -> Int {
        if case .tokenSet(let index)? = argument(name) { index } else { 0 }
    }

    func referencedStep(_ name: String) -> Int? {
        if case .step(let index)? = argument(name) { index } else { nil }
    }

    /// The session's row in the store, from the step's `key`.
    func sessionKey(_ registers: inout Registers) -> SessionKey {
        SessionKey(
            issuer: provider.sessionIssuer, clientID: provider.registration.clientID, profile: plan.profile,
            key: value("key", &registers).text)
    }

    var timeout: Int64 { plan.program.steps[step].timeout }
}
