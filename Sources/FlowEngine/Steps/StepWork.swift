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

/// The current step's own small state machine.
enum StepWork: Sendable {
    case idle
    case restore(RestoreStep)
    case discover(DiscoverStep)
    case authorize(AuthorizeStep)
    case callback(CallbackStep)
    case exchange(ExchangeStep)
    case verify(VerifyIDTokenStep)
    case userinfo(UserInfoStep)
    case refresh(RefreshStep)
    case store(StoreStep)
    case clear(ClearStep)
    /// `choose` and `set`: nothing but edges and assignments.
    case pure

    init(_ kind: StepKind) {
        switch kind {
        case .restore: self = .restore(RestoreStep())
        case .discover: self = .discover(DiscoverStep())
        case .authorize: self = .authorize(AuthorizeStep())
        case .callback: self = .callback(CallbackStep())
        case .exchange: self = .exchange(ExchangeStep())
        case .verifyIDToken: self = .verify(VerifyIDTokenStep())
        case .userinfo: self = .userinfo(UserInfoStep())
        case .refresh: self = .refresh(RefreshStep())
        case .store: self = .store(StoreStep())
        case .clear: self = .clear(ClearStep())
        case .choose, .set: self = .pure
        case .revoke, .introspect, .deviceAuthorize, .devicePoll, .clientCredentials, .tokenExchange, .http,
            .logout, .wait, .subflow, .call:
            self = .pure
        }
    }

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        switch self {
        case .idle: preconditionFailure("no step is under way")
        case .restore(var work): return keep(work.start(&registers, scope), .restore(work))
        case .discover(var work): return keep(work.start(&registers, scope), .discover(work))
        case .authorize(var work): return keep(work.start(&registers, scope), .authorize(work))
        case .callback(var work): return keep(work.start(&registers, scope), .callback(work))
        case .exchange(var work): return keep(work.start(&registers, scope), .exchange(work))
        case .verify(var work): return keep(work.start(&registers, scope), .verify(work))
        case .userinfo(var work): return keep(work.start(&registers, scope), .userinfo(work))
        case .refresh(var work): return keep(work.start(&registers, scope), .refresh(work))
        case .store(var work): return keep(work.start(&registers, scope), .store(work))
        case .clear(var work): return keep(work.start(&registers, scope), .clear(work))
        case .pure: return .finish(StepResult(.ok))
        }
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        switch self {
        case .idle, .pure: preconditionFailure("no step is waiting")
        case .restore(var work): return keep(work.resume(event, &registers, scope), .restore(work))
        case .discover(var work): return keep(work.resume(event, &registers, scope), .discover(work))
        case .authorize(var work): return keep(work.resume(event, &registers, scope), .authorize(work))
        case .callback(var work): return keep(work.resume(event, &registers, scope), .callback(work))
        case .exchange(var work): return keep(work.resume(event, &registers, scope), .exchange(work))
        case .verify(var work): return keep(work.resume(event, &registers, scope), .verify(work))
        case .userinfo(var work): return keep(work.resume(event, &registers, scope), .userinfo(work))
        case .refresh(var work): return keep(work.resume(event, &registers, scope), .refresh(work))
        case .store(var work): return keep(work.resume(event, &registers, scope), .store(work))
        case .clear(var work): return keep(work.resume(event, &registers, scope), .clear(work))
        }
    }

    private mutating func keep(_ action: StepAction, _ work: StepWork) -> StepAction {
        self = work
        return action
    }
}
