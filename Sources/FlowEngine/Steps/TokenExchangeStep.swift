internal import FlowLanguage
internal import OAuthProtocol

/// Exchanges a token for another (RFC 8693): one of a set, or one that the step is given.
struct TokenExchangeStep: StepWork {
    private var search = EndpointSearch(
        \.tokenEndpoint, "token_endpoint", operation: \.grant.request, missing: .rejected)
    private var exchange: TokenExchange?
    private var isSending = false

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        let subject: Secret
        if case .secret(let given) = scope.value("subject_token", &registers) {
            subject = given
            registers.conceal([given])
        } else {
            let name = scope.value("subject", &registers).text ?? "access_token"
            guard let token = scope.token(name, of: scope.tokens("use", registers)) else {
                return .finish(.failed(.invalidGrant, nil, "the token set has no \(name)"))
            }
            subject = token
        }
        let hasActor = scope.argument("actor") != nil
        exchange = TokenExchange(
            subject: subject, subjectType: scope.value("subject_token_type", &registers).text,
            actor: hasActor ? scope.tokens("actor", registers).accessToken : nil,
            requestedType: scope.value("requested_type", &registers).text,
            audiences: scope.texts("audience", &registers), resources: scope.texts("resource", &registers),
            scopes: scope.texts("scopes", &registers))
        return continued(search.start(&registers, scope), &registers, scope)
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        guard isSending, let exchange else {
            return continued(search.resume(event, &registers, scope), &registers, scope)
        }
        return .finish(read(event, exchange, &registers, scope))
    }

    private mutating func continued(
        _ progress: EndpointSearch.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .action(let action): return action
        case .found(let endpoint, _):
            guard let exchange else { preconditionFailure("the exchange was made when the step began") }
            isSending = true
            let set = scope.argument("use").map { _ in scope.tokens("use", registers) }
            return scope.send(
                scope.provider.descriptor.grant.request, to: endpoint, .tokenExchange,
                tokens: set, scopes: exchange.scopes, &registers
            ) { endpoint, client, dialect in
                TokenRequest.exchange(
                    endpoint: endpoint, exchange, registration: client, dialect: dialect, step: scope.name)
            }
        }
    }

    private func read(
        _ event: InputEvent, _ exchange: TokenExchange, _ registers: inout Registers, _ scope: StepScope
    ) -> StepResult {
        let response: HTTPResponse
        switch HTTPStep.reply(event, &registers, burning: true) {
        case .trouble(let result): return result
        case .answer(let answer): response = answer
        }
        var log = CheckLog()
        defer { registers.note(log) }
        do throws(ProtocolError) {
            let tokens = try TokenResponse.read(
                response, dialect: scope.provider.descriptor.grant.response, acceptsOtherTokens: true,
                demand: scope.provider.tokenTypes, log: &log)
            let type = try tokens.issuedType(requested: exchange.requestedType, log: &log)
            try scope.checkBinding(of: tokens, log: &log)
            registers.compareScope(granted: tokens.scopes, asked: exchange.scopes, log: &log)
            return result(tokens, type, exchange, &registers, scope)
        } catch {
            var result = HTTPStep.result(of: error, .token, registers.now, response, burning: true)
            if result.error == "invalid_target", result.outcome == .rejected {
                result.outcome = .invalidTarget
            }
            return scope.classified(result, response, readBy: scope.provider.descriptor.grant, log)
        }
    }

    /// What was issued is an ID token where the answer says so, whatever the member is called.
    private func result(
        _ tokens: TokenResponse, _ type: String, _ exchange: TokenExchange, _ registers: inout Registers,
        _ scope: StepScope
    ) -> StepResult {
        var result = TokenAnswer.result(
            tokens, origin: .exchange, asked: exchange.scopes, &registers, scope)
        result.fields.append(.string(type))
        if type == TokenExchange.idTokenType, let pending = result.tokens {
            var set = pending.value
            set.idToken = Secret(set.accessToken.reveal(), kind: .idToken)
            result.tokens = PendingTokens(set, at: pending.index)
        }
        return result
    }
}

extension StepScope {
    fileprivate func token(_ name: String, of set: TokenSet) -> Secret? {
        switch name {
        case "id_token": provider.signed(set.idToken)
        case "refresh_token": set.refreshToken
        default: set.accessToken
        }
    }
}
