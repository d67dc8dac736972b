internal import FlowLanguage
internal import OAuthProtocol

/// Revokes the tokens of a set, the refresh token first (RFC 7009).
struct RevokeStep: StepWork {
    private var search = EndpointSearch(
        \.revocationEndpoint, "revocation_endpoint", operation: \.revocation.operation.request)
    private var endpoint: String?
    /// What is still to be sent; the first is under way once the endpoint is known.
    private var waiting: [Secret] = []
    private var revoked: [String] = []
    private var kept: [String] = []
    private var trouble: StepResult?

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        let set = scope.tokens("use", registers)
        let wanted = scope.givenTexts("tokens", &registers) ?? ["refresh_token", "access_token"]
        waiting = wanted.flatMap { name -> [Secret] in
            // A provider that takes one kind of token ends the other with it.
            let only = scope.provider.descriptor.revocation.token?.rawValue
            guard only == nil || only == name else { return [] }
            switch name {
            case "refresh_token": return set.refreshToken.map { [$0] } ?? []
            case "access_token": return set.accessTokens.map(\.accessToken)
            default: return []
            }
        }
        guard !waiting.isEmpty else {
            return .finish(
                .failed(.absent, nil, "the token set has none of \(wanted.joined(separator: ", "))"))
        }
        return continued(search.start(&registers, scope), &registers, scope)
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        guard let endpoint else {
            return continued(search.resume(event, &registers, scope), &registers, scope)
        }
        take(event, &registers, scope)
        return send(endpoint, &registers, scope)
    }

    private mutating func continued(
        _ progress: EndpointSearch.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .action(let action): return action
        case .found(let endpoint, _):
            self.endpoint = endpoint
            return send(endpoint, &registers, scope)
        }
    }

    private mutating func send(
        _ endpoint: String, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        guard let token = waiting.first else { return .finish(result) }
        return scope.send(
            scope.provider.descriptor.revocation.operation.request, to: endpoint, .revocation,
            tokens: scope.tokens("use", registers), &registers
        ) { endpoint, client, dialect in
            RevocationRequest.plan(
                endpoint: endpoint, token: token, registration: client, dialect: dialect, step: scope.name)
        }
    }

    /// Notes what became of one token; a failure does not keep the other from being tried.
    private mutating func take(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) {
        let name = waiting.removeFirst().kind.rawValue
        guard let result = failure(event, &registers, scope) else {
            if !revoked.contains(name) { revoked.append(name) }
            return
        }
        if !kept.contains(name) { kept.append(name) }
        if trouble == nil { trouble = result }
    }

    private func failure(
        _ event: InputEvent, _ registers: inout Registers, _ scope: StepScope
    ) -> StepResult? {
        switch HTTPStep.reply(event, &registers, burning: false) {
        case .trouble(let result): return result
        case .answer(let response):
            var log = CheckLog()
            defer { registers.note(log) }
            do throws(ProtocolError) {
                try RevocationResponse.read(
                    response, dialect: scope.provider.descriptor.revocation.operation.response, log: &log)
                return nil
            } catch {
                var result = HTTPStep.result(of: error, .token, registers.now, response, burning: false)
                if result.error == "unsupported_token_type" { result.outcome = .unsupported }
                return result.withoutGrant()
            }
        }
    }

    private var result: StepResult {
        let fields: [Value] = [.list(revoked.map(Value.string)), .list(kept.map(Value.string))]
        guard let trouble else { return StepResult(.ok, fields: fields) }
        var result = trouble
        if !revoked.isEmpty, result.outcome != .insecure { result.outcome = .partial }
        result.fields = fields
        return result
    }
}
