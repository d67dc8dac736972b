internal import FlowLanguage

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
    case revoke(RevokeStep)
    case introspect(IntrospectStep)
    case deviceAuthorize(DeviceAuthorizeStep)
    case devicePoll(DevicePollStep)
    case clientCredentials(ClientCredentialsStep)
    case tokenExchange(TokenExchangeStep)
    case jwtBearer(JWTBearerStep)
    case register(RegisterStep)
    case http(HTTPCallStep)
    case store(StoreStep)
    case clear(ClearStep)
    case logout(LogoutStep)
    case wait(WaitStep)
    case call(CallStep)
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
        case .revoke: self = .revoke(RevokeStep())
        case .introspect: self = .introspect(IntrospectStep())
        case .deviceAuthorize: self = .deviceAuthorize(DeviceAuthorizeStep())
        case .devicePoll: self = .devicePoll(DevicePollStep())
        case .clientCredentials: self = .clientCredentials(ClientCredentialsStep())
        case .tokenExchange: self = .tokenExchange(TokenExchangeStep())
        case .jwtBearer: self = .jwtBearer(JWTBearerStep())
        case .register: self = .register(RegisterStep())
        case .http: self = .http(HTTPCallStep())
        case .store: self = .store(StoreStep())
        case .clear: self = .clear(ClearStep())
        case .logout: self = .logout(LogoutStep())
        case .wait: self = .wait(WaitStep())
        case .call: self = .call(CallStep())
        case .choose, .set: self = .pure
        case .subflow: preconditionFailure("the machine enters the other flow itself")
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
        case .revoke(var work): return keep(work.start(&registers, scope), .revoke(work))
        case .introspect(var work): return keep(work.start(&registers, scope), .introspect(work))
        case .deviceAuthorize(var work): return keep(work.start(&registers, scope), .deviceAuthorize(work))
        case .devicePoll(var work): return keep(work.start(&registers, scope), .devicePoll(work))
        case .clientCredentials(var work):
            return keep(work.start(&registers, scope), .clientCredentials(work))
        case .tokenExchange(var work): return keep(work.start(&registers, scope), .tokenExchange(work))
        case .jwtBearer(var work): return keep(work.start(&registers, scope), .jwtBearer(work))
        case .register(var work): return keep(work.start(&registers, scope), .register(work))
        case .http(var work): return keep(work.start(&registers, scope), .http(work))
        case .store(var work): return keep(work.start(&registers, scope), .store(work))
        case .clear(var work): return keep(work.start(&registers, scope), .clear(work))
        case .logout(var work): return keep(work.start(&registers, scope), .logout(work))
        case .wait(var work): return keep(work.start(&registers, scope), .wait(work))
        case .call(var work): return keep(work.start(&registers, scope), .call(work))
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
        case .revoke(var work): return keep(work.resume(event, &registers, scope), .revoke(work))
        case .introspect(var work): return keep(work.resume(event, &registers, scope), .introspect(work))
        case .deviceAuthorize(var work):
            return keep(work.resume(event, &registers, scope), .deviceAuthorize(work))
        case .devicePoll(var work): return keep(work.resume(event, &registers, scope), .devicePoll(work))
        case .clientCredentials(var work):
            return keep(work.resume(event, &registers, scope), .clientCredentials(work))
        case .tokenExchange(var work):
            return keep(work.resume(event, &registers, scope), .tokenExchange(work))
        case .jwtBearer(var work): return keep(work.resume(event, &registers, scope), .jwtBearer(work))
        case .register(var work): return keep(work.resume(event, &registers, scope), .register(work))
        case .http(var work): return keep(work.resume(event, &registers, scope), .http(work))
        case .store(var work): return keep(work.resume(event, &registers, scope), .store(work))
        case .clear(var work): return keep(work.resume(event, &registers, scope), .clear(work))
        case .logout(var work): return keep(work.resume(event, &registers, scope), .logout(work))
        case .wait(var work): return keep(work.resume(event, &registers, scope), .wait(work))
        case .call(var work): return keep(work.resume(event, &registers, scope), .call(work))
        }
    }

    private mutating func keep(_ action: StepAction, _ work: StepWork) -> StepAction {
        self = work
        return action
    }
}
