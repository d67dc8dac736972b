internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Asks the server whether a token is good (RFC 7662).
struct IntrospectStep: Sendable {
    private var search = EndpointSearch(
        \.introspectionEndpoint, "introspection_endpoint", operation: \.introspection.request)
    private var isSending = false

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        guard token(&registers, scope) != nil else {
            return .finish(.failed(.inactive, nil, "there is no refresh token"))
        }
        return continued(search.start(&registers, scope), &registers, scope)
    }

    private func token(_ registers: inout Registers, _ scope: StepScope) -> Secret? {
        let set = scope.tokens("use", registers)
        return scope.value("token", &registers).text == "refresh_token" ? set.refreshToken : set.accessToken
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        guard isSending else {
            return continued(search.resume(event, &registers, scope), &registers, scope)
        }
        return .finish(read(event, &registers, scope))
    }

    private mutating func continued(
        _ progress: EndpointSearch.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .action(let action): return action
        case .found(let endpoint, _):
            guard let token = token(&registers, scope) else {
                preconditionFailure("the token was there when the step began")
            }
            isSending = true
            return scope.send(
                scope.provider.descriptor.introspection.request, to: endpoint, .introspection,
                tokens: scope.tokens("use", registers), &registers
            ) { endpoint, client, dialect in
                IntrospectionRequest.plan(
                    endpoint: endpoint, token: token, registration: client, dialect: dialect,
                    step: scope.name)
            }
        }
    }

    private func read(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepResult {
        let response: HTTPResponse
        switch HTTPStep.reply(event, &registers, burning: false) {
        case .trouble(let result): return result
        case .answer(let answer): response = answer
        }
        var log = CheckLog()
        defer { registers.note(log) }
        do throws(ProtocolError) {
            let answer = try IntrospectionResponse.read(
                response, dialect: scope.provider.descriptor.introspection.response, log: &log)
            guard answer.isActive else {
                return .failed(.inactive, nil, "the server says that the token is not good")
            }
            try scope.checkBinding(answer.claims, log: &log)
            return StepResult(
                .ok,
                fields: [.json(.object(answer.claims)), .list(answer.scopes.map(Value.string))])
        } catch {
            return HTTPStep.result(of: error, .token, registers.now, response, burning: false).withoutGrant()
        }
    }
}
