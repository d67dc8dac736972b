internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Ends the person's session at the provider by sending the browser there (OpenID RP-Initiated Logout).
struct LogoutStep: StepWork {
    private enum State: Sendable {
        case searching
        case redirect(String)
        case randomness(String, redirectURI: String)
        case presenting(url: String, Secret?, redirectURI: String?)
        case returning(url: String, Secret)
    }

    /// Bytes of the state, as many as for a sign-in.
    private static let stateByteCount = 32

    private var search = EndpointSearch(\.endSessionEndpoint, "end_session_endpoint", operation: \.logout)
    private var state = State.searching

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        continued(search.start(&registers, scope), &registers, scope)
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        switch state {
        case .searching:
            return continued(search.resume(event, &registers, scope), &registers, scope)
        case .redirect(let endpoint):
            switch event {
            case .redirectOpened(let uri): return draw(endpoint, uri)
            case .redirectFailed(let reason): return .finish(.failed(.unsupported, nil, reason))
            default: preconditionFailure("a redirect was asked for, something else was reported")
            }
        case .randomness(let endpoint, let redirectURI):
            guard case .randomness(let bytes) = event, bytes.count == Self.stateByteCount else {
                return .fail(RunFailure(.randomness, "the system gave no random bytes"))
            }
            let value = Secret(Base64URL.encode(bytes), kind: .state)
            return present(endpoint, redirectURI, value, &registers, scope)
        case .presenting(let url, let value, let redirectURI):
            return presented(event, url, value, redirectURI, &registers, scope)
        case .returning(let url, let value):
            return returned(event, url, value, &registers)
        }
    }

    private mutating func continued(
        _ progress: EndpointSearch.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .action(.finish(let result)):
            // Only what may be an attack is told apart: without the address there is no logout.
            var result = result
            if result.outcome != .metadataUntrusted { result.outcome = .unsupported }
            return .finish(result)
        case .action(let action):
            return action
        case .found(let endpoint, _):
            let given = scope.value("post_logout_redirect", &registers).text
            guard waits(&registers, scope) else {
                guard let given else { return present(endpoint, nil, nil, &registers, scope) }
                return draw(endpoint, given)
            }
            state = .redirect(endpoint)
            return .perform(.openRedirect(scope.provider.redirectPlan(fixed: given, for: .logout)))
        }
    }

    private func waits(_ registers: inout Registers, _ scope: StepScope) -> Bool {
        scope.value("await_return", &registers).isTrue
    }

    private mutating func draw(_ endpoint: String, _ redirectURI: String) -> StepAction {
        state = .randomness(endpoint, redirectURI: redirectURI)
        return .perform(.randomness(count: Self.stateByteCount))
    }

    private mutating func present(
        _ endpoint: String, _ redirectURI: String?, _ value: Secret?, _ registers: inout Registers,
        _ scope: StepScope
    ) -> StepAction {
        let set = scope.tokens("use", registers)
        let plan: RequestPlan
        do throws(RunFailure) {
            let request = try scope.describe(scope.provider.descriptor.logout, tokens: set, &registers)
            plan = LogoutRequest.plan(
                endpoint: endpoint, idToken: scope.provider.signed(set.idToken),
                clientID: scope.provider.registration.clientID,
                redirectURI: redirectURI, state: value, dialect: request.dialect, step: scope.name)
        } catch {
            return .fail(error)
        }
        registers.notes.add(.request(plan, purpose: "logout"))
        do throws(ProtocolError) {
            let url = try plan.encoded().url
            state = .presenting(url: url, value, redirectURI: redirectURI)
            let means = scope.value("present", &registers).text.flatMap(Presentation.Means.init) ?? .browser
            return .perform(
                .present(
                    Presentation(
                        url: url, means: means, state: value, expiresAt: scope.deadline, plan: plan,
                        errand: .logout)))
        } catch {
            return .finish(.failed(.unsupported, "malformed", "the logout URL cannot be built"))
        }
    }

    private mutating func presented(
        _ event: InputEvent, _ url: String, _ value: Secret?, _ redirectURI: String?,
        _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch event {
        case .presented(let how):
            if !how.isEmpty { registers.notes.add(.note("shown in \(how)")) }
            guard waits(&registers, scope), let value, let redirectURI else {
                return .finish(StepResult(.ok, fields: [.string(url)]))
            }
            state = .returning(url: url, value)
            let until = scope.duration("timeout", &registers).map {
                min(registers.now + $0, scope.stepDeadline)
            }
            return .perform(
                .awaitCallback(
                    CallbackWait(
                        state: value, until: until ?? scope.deadline, redirectURI: redirectURI,
                        errand: .logout)))
        case .headless(let reason):
            return .finish(.failed(.headless, nil, reason))
        default:
            preconditionFailure("a URL was to be presented, something else was reported")
        }
    }

    private func returned(
        _ event: InputEvent, _ url: String, _ value: Secret, _ registers: inout Registers
    ) -> StepAction {
        var log = CheckLog()
        defer { registers.note(log) }
        switch event {
        case .callback(let parameters, _):
            guard LogoutReturn.isOurs(parameters, sent: value) else { return .finish(mismatch(&log)) }
            log.pass(Checks.logoutState)
            return .finish(StepResult(.ok, fields: [.string(url)]))
        case .callbackTimedOut(let refused):
            guard refused == 0 else { return .finish(mismatch(&log)) }
            return .finish(.failed(.timeout, nil, "the browser did not come back in time"))
        case .callbackCancelled:
            return .finish(.failed(.cancelled, nil, "the person gave up"))
        default:
            preconditionFailure("the browser was awaited, something else was reported")
        }
    }

    private func mismatch(_ log: inout CheckLog) -> StepResult {
        _ = log.failure(
            Checks.logoutState, expected: "the state of this run", actual: "another state or none")
        return .failed(
            .stateMismatch, Checks.logoutState.name,
            "the browser came back with another state than this run's")
    }
}
