internal import FlowLanguage
internal import OAuthProtocol

/// Begins a sign-in on another device and shows the code for it (RFC 8628 §3.1 to §3.3).
///
/// Where the descriptor asks for PKCE the challenge goes with the request, and the verifier with every question of
/// `device_poll` (RFC 7636).
struct DeviceAuthorizeStep: StepWork {
    private enum State: Sendable {
        case searching
        case randomness(endpoint: String, tokenEndpoint: String, PKCE.Method)
        case sending(tokenEndpoint: String, verifier: Secret?)
        case showing(DeviceTransaction, DeviceAuthorizationResponse)
    }

    private var search = EndpointSearch(
        \.deviceAuthorizationEndpoint, "device_authorization_endpoint",
        operation: \.deviceAuthorization.request,
        other: \ServerMetadataFields.tokenEndpoint)
    private var state = State.searching

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        if let missing = scope.provider.missingProof { registers.notes.add(.warning(missing)) }
        return continued(search.start(&registers, scope), &registers, scope)
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        switch state {
        case .searching:
            return continued(search.resume(event, &registers, scope), &registers, scope)
        case .randomness(let endpoint, let tokenEndpoint, let method):
            guard case .randomness(let bytes) = event, bytes.count == PKCE.randomByteCount else {
                return .fail(RunFailure(.randomness, "the system gave no random bytes"))
            }
            let pkce = PKCE(randomBytes: bytes, method: method)
            registers.meet([pkce.verifier])
            return send(to: endpoint, tokenEndpoint, pkce, &registers, scope)
        case .sending(let tokenEndpoint, let verifier):
            return read(event, tokenEndpoint, verifier, &registers, scope)
        case .showing(let transaction, let response):
            return finish(event, transaction, response, &registers, scope)
        }
    }

    private mutating func continued(
        _ progress: EndpointSearch.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .action(let action): return action
        case .found(let endpoint, let known):
            // A code that cannot be redeemed is not asked for.
            guard let tokenEndpoint = known.fields.tokenEndpoint else {
                return .finish(.failed(.unsupported, nil, "the provider names no token_endpoint"))
            }
            guard let method = scope.provider.descriptor.deviceChallengeMethod else {
                return send(to: endpoint, tokenEndpoint, nil, &registers, scope)
            }
            if let refusal = ChallengeCheck.refusal(method, known, &registers) { return .finish(refusal) }
            state = .randomness(endpoint: endpoint, tokenEndpoint: tokenEndpoint, method)
            return .perform(.randomness(count: PKCE.randomByteCount))
        }
    }

    private mutating func send(
        to endpoint: String, _ tokenEndpoint: String, _ pkce: PKCE?, _ registers: inout Registers,
        _ scope: StepScope
    ) -> StepAction {
        state = .sending(tokenEndpoint: tokenEndpoint, verifier: pkce?.verifier)
        let scopes = asked(&registers, scope)
        let extra = scope.extraParameters(&registers)
        let descriptor = scope.provider.descriptor
        return scope.send(
            descriptor.deviceAuthorization.request, to: endpoint, .deviceAuthorization, scopes: scopes,
            &registers
        ) { endpoint, client, dialect in
            DeviceAuthorizationRequest.plan(
                endpoint: endpoint, scopes: scopes,
                scopeDelimiter: descriptor.authorization.scopeDelimiter, pkce: pkce, extra: extra,
                registration: client, dialect: dialect, step: scope.name)
        }
    }

    private func asked(_ registers: inout Registers, _ scope: StepScope) -> [String] {
        scope.provider.authorizationScopes(scope.givenTexts("scopes", &registers))
    }

    private mutating func read(
        _ event: InputEvent, _ tokenEndpoint: String, _ verifier: Secret?, _ registers: inout Registers,
        _ scope: StepScope
    ) -> StepAction {
        let response: HTTPResponse
        switch HTTPStep.reply(event, &registers, burning: true) {
        case .trouble(let result): return .finish(result)
        case .answer(let answer): response = answer
        }
        var log = CheckLog()
        defer { registers.note(log) }
        do throws(ProtocolError) {
            let answer = try DeviceAuthorizationResponse.read(
                response, dialect: scope.provider.descriptor.deviceAuthorization.response, log: &log)
            registers.conceal([answer.deviceCode])
            return show(answer, tokenEndpoint, verifier, &registers, scope)
        } catch {
            let result = HTTPStep.result(of: error, .token, registers.now, response, burning: true)
            return .finish(
                scope.classified(
                    result.withoutGrant(), response,
                    readBy: scope.provider.descriptor.deviceAuthorization, log))
        }
    }

    private mutating func show(
        _ answer: DeviceAuthorizationResponse, _ tokenEndpoint: String, _ verifier: Secret?,
        _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        let transaction = DeviceTransaction(
            deviceCode: answer.deviceCode, codeVerifier: verifier, tokenEndpoint: tokenEndpoint,
            scopes: asked(&registers, scope), answer: answer.members,
            expiresAt: registers.now + answer.expiresIn * 1000,
            interval: answer.interval * 1000)
        state = .showing(transaction, answer)
        let means = scope.value("present", &registers).text.flatMap(DevicePrompt.Means.init) ?? .terminal
        return .perform(
            .presentCode(
                DevicePrompt(
                    userCode: answer.userCode, verificationURI: answer.verificationURI,
                    verificationURIComplete: answer.verificationURIComplete, means: means,
                    expiresAt: transaction.expiresAt)))
    }

    private func finish(
        _ event: InputEvent, _ transaction: DeviceTransaction, _ answer: DeviceAuthorizationResponse,
        _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch event {
        case .presented(let how):
            registers.devices[scope.step] = transaction
            if !how.isEmpty { registers.notes.add(.note("code shown in \(how)")) }
            return .finish(
                StepResult(
                    .ok,
                    fields: [
                        .string(answer.userCode), .string(answer.verificationURI),
                        answer.verificationURIComplete.map(Value.string) ?? .null,
                        .time(transaction.expiresAt), .duration(transaction.interval),
                    ]))
        case .headless(let reason):
            return .finish(.failed(.unsupported, nil, reason))
        default:
            preconditionFailure("a code was to be shown, something else was reported")
        }
    }
}
