internal import FlowLanguage

/// The current step's own small state machine.
protocol StepWork: Sendable {
    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction

    /// - Parameter event: The report on what the step asked for last.
    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
}

/// `choose` and `set`: nothing but edges and assignments.
struct PureStep: StepWork {
    func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction { .finish(StepResult(.ok)) }

    func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction {
        preconditionFailure("a step that asks for nothing gets no report")
    }
}

extension StepKind {
    /// A step of this kind before it begins.
    var work: any StepWork {
        switch self {
        case .restore: RestoreStep()
        case .discover: DiscoverStep()
        case .authorize: AuthorizeStep()
        case .callback: CallbackStep()
        case .exchange: ExchangeStep()
        case .verifyIDToken: VerifyIDTokenStep()
        case .userinfo: UserInfoStep()
        case .refresh: RefreshStep()
        case .revoke: RevokeStep()
        case .introspect: IntrospectStep()
        case .deviceAuthorize: DeviceAuthorizeStep()
        case .devicePoll: DevicePollStep()
        case .clientCredentials: ClientCredentialsStep()
        case .tokenExchange: TokenExchangeStep()
        case .jwtBearer: JWTBearerStep()
        case .register: RegisterStep()
        case .http: HTTPCallStep()
        case .store: StoreStep()
        case .clear: ClearStep()
        case .logout: LogoutStep()
        case .wait: WaitStep()
        case .call: CallStep()
        case .choose, .set: PureStep()
        case .subflow: preconditionFailure("the machine enters the other flow itself")
        }
    }
}
