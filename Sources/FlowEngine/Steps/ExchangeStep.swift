internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Redeems the authorization code for tokens, once (RFC 6749 §4.1.3).
struct ExchangeStep: StepWork {
    private var received: Registers.ReceivedAnswer?

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        guard let source = scope.referencedStep("from"), let answer = registers.responses[source] else {
            return .finish(
                .failed(.invalidGrant, "code_used", "the code was used before; a code is sent once"))
        }
        let facts = scope.provider.descriptor.token.request
        let endpoint = registers.metadata[scope.providerIndex]?.fields.tokenEndpoint
        guard endpoint != nil || facts.endpoint != nil else {
            return .finish(.failed(.rejected, nil, "the provider names no token_endpoint"))
        }
        received = answer
        let resources = scope.texts("resource", &registers)
        let isTraced = registers.notes.isEnabled
        return scope.send(facts, to: endpoint, .token, answer: answer, &registers) {
            endpoint, client, dialect in
            var plan = TokenRequest.authorizationCode(
                endpoint: endpoint, response: answer.response, transaction: answer.transaction,
                resources: resources, registration: client, dialect: dialect, step: scope.name)
            if isTraced { name(origins: source, of: &plan, scope) }
            return plan
        }
    }

    /// The code comes from the callback, the verifier and the redirect URI from the authorization that it answers.
    private func name(origins callback: Int, of plan: inout RequestPlan, _ scope: StepScope) {
        let steps = scope.plan.program.steps
        guard case .step(let authorize)? = steps[callback].argument("from") else { return }
        for index in plan.body.indices {
            switch plan.body[index].name {
            case "code": plan.body[index].source = .step(steps[callback].name)
            case "redirect_uri", "code_verifier": plan.body[index].source = .step(steps[authorize].name)
            default: continue
            }
        }
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        guard let received, let source = scope.referencedStep("from") else {
            preconditionFailure("a code was sent")
        }
        let response: HTTPResponse
        switch HTTPStep.reply(event, &registers, burning: true) {
        case .trouble(let result):
            // A code whose fate is unknown, or that was refused, is never sent again (RFC 6749 §4.1.2).
            return .finish(result.outcome == .network ? result : spent(result, source, &registers))
        case .answer(let answer):
            response = answer
        }
        var log = CheckLog()
        defer { registers.note(log) }
        do throws(ProtocolError) {
            let tokens = try TokenResponse.read(
                response, dialect: scope.provider.descriptor.token.response,
                demand: scope.provider.tokenTypes, log: &log)
            registers.responses[source] = nil
            try scope.checkBinding(of: tokens, log: &log)
            registers.conceal(ReceivedTokens.secrets(tokens))
            if received.details != nil || tokens.members["authorization_details"] != nil {
                _ = try AuthorizationDetails.granted(in: tokens, asked: received.details, log: &log)
            }
            registers.compareScope(
                granted: tokens.scopes, asked: received.transaction.scopes, log: &log)
            return .finish(result(tokens, received, &registers, scope))
        } catch {
            let result = scope.classified(
                HTTPStep.result(of: error, .token, registers.now, response, burning: true), response,
                readBy: scope.provider.descriptor.token, log)
            return .finish(isWorthRepeating(result.outcome) ? result : spent(result, source, &registers))
        }
    }

    private func spent(_ result: StepResult, _ source: Int, _ registers: inout Registers) -> StepResult {
        registers.responses[source] = nil
        var result = result
        result.isSpent = true
        return result
    }

    /// 429 says that the request was not looked at (RFC 6585 §4); every other answer may have used the code up.
    private func isWorthRepeating(_ outcome: Outcome) -> Bool { outcome == .rateLimited }

    private func result(
        _ tokens: TokenResponse, _ received: Registers.ReceivedAnswer, _ registers: inout Registers,
        _ scope: StepScope
    ) -> StepResult {
        let asked = received.transaction.scopes
        var set = ReceivedTokens.set(
            tokens, origin: .code, asked: asked, previous: nil, scope, registers)
        set.nonce = received.transaction.nonce
        set.maxAge = received.transaction.maxAge
        set.code = received.response.code
        set.answered = received.token
        set.state = received.transaction.state
        set.essentialLevels = received.essentialLevels
        set.captured = received.captured

        ReceivedTokens.doubt(tokens, readBy: scope.provider.descriptor.token, &registers)
        registers.notes.add(.note(ReceivedTokens.summary(set, expiresIn: tokens.expiresIn, asked: asked)))
        var result = StepResult(
            .ok,
            fields: ReceivedTokens.fields(set, expiresIn: tokens.expiresIn, asked: asked, source: "network"))
        result.tokens = PendingTokens(set, at: scope.tokenSet("into"))
        return result
    }
}
