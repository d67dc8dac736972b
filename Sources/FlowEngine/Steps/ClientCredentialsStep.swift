internal import FlowLanguage
internal import OAuthProtocol

/// Obtains tokens for the client itself (RFC 6749 §4.4).
struct ClientCredentialsStep: StepWork {
    private var search = EndpointSearch(
        \.tokenEndpoint, "token_endpoint", operation: \.grant.request, missing: .rejected)
    private var isSending = false

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        continued(search.start(&registers, scope), &registers, scope)
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        guard isSending else {
            return continued(search.resume(event, &registers, scope), &registers, scope)
        }
        return .finish(read(event, &registers, scope).withoutGrant())
    }

    private mutating func continued(
        _ progress: EndpointSearch.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .action(let action): return action
        case .found(let endpoint, _):
            isSending = true
            let scopes = asked(&registers, scope)
            let resources = scope.texts("resource", &registers)
            let extra = scope.extraParameters(&registers)
            return scope.send(
                scope.provider.descriptor.grant.request, to: endpoint, .clientCredentials, scopes: scopes,
                &registers
            ) { endpoint, client, dialect in
                TokenRequest.clientCredentials(
                    endpoint: endpoint, scopes: scopes, resources: resources, extra: extra,
                    registration: client, dialect: dialect, step: scope.name)
            }
        }
    }

    /// No person signs in, so nothing of OpenID Connect is asked for unless the flow does.
    private func asked(_ registers: inout Registers, _ scope: StepScope) -> [String] {
        let given = scope.givenTexts("scopes", &registers)
        let scopes =
            given
            ?? scope.provider.scopes.filter { !["openid", "offline_access"].contains($0) }
        return scope.provider.withFurther(scopes, ofStep: given)
    }

    private func read(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepResult {
        let asked = asked(&registers, scope)
        return TokenAnswer.read(event, origin: .client, asked: asked, &registers, scope)
    }
}
