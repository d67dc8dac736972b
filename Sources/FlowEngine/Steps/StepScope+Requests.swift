internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Requests that the provider's descriptor describes.
extension StepScope {
    /// Sends a request that a descriptor describes, or ends the run when it cannot be made.
    ///
    /// - Parameters:
    ///   - endpoint: That of the metadata.
    ///   - plan: Makes the request for the endpoint, the client and the dialect that hold.
    func send(
        _ facts: DialectFacts, to endpoint: String?, _ purpose: HTTPExchange.Purpose, tokens: TokenSet? = nil,
        answer: Registers.ReceivedAnswer? = nil, scopes: [String] = [], userinfo: JSONObject? = nil,
        device: JSONObject? = nil, timeout: Int64? = nil, sample: AnswerSample? = nil,
        _ registers: inout Registers,
        plan: (_ endpoint: String, _ client: ClientRegistration, _ dialect: RequestDialect) -> RequestPlan
    ) -> StepAction {
        if answer == nil, facts.reads(.code) {
            guard let code = tokens?.code, registers.spend(code, in: step) else {
                return .finish(
                    .failed(
                        .unauthorized, "code_used",
                        "the code was used before, or belongs to a sign-in that is over; a code is sent once")
                )
            }
        }
        var log = CheckLog()
        // A URL may bear a token of a session that this run did not obtain itself.
        registers.conceal(tokens?.secrets ?? [])
        do throws(RunFailure) {
            let request = try describe(
                facts, tokens: tokens, answer: answer, scopes: scopes, userinfo: userinfo, device: device,
                &registers)
            if !facts.endpointSecrets.isEmpty { registers.conceal(request.endpointSecrets) }
            let url = try request.endpoint(endpoint, log: &log) ?? ""
            registers.note(log)
            let provesClient = facts.authenticationMethod.map { $0 != .none } ?? purpose.provesClient
            if let reason = provider.unreadSecret, provesClient {
                throw RunFailure(.clientKey, reason)
            }
            let client = try request.client(registers.metadata[providerIndex])
            registers.conceal(client.credentials)
            var made = try request.finished(plan(url, client, request.dialect))
            made.endpointSource = facts.endpoint.map { .descriptor($0.source) }
            if let name = made.repeatedParameter { throw RunFailure(repeating: name, "the endpoint", "§3.2") }
            return HTTPStep.send(
                made, purpose, &registers, self, timeout: timeout, sample: sample,
                proof: proof(purpose, tokens))
        } catch {
            registers.note(log)
            return .fail(error)
        }
    }

    /// What the request is proven with: the key that the used tokens are bound to, or that new ones are to be.
    private func proof(_ purpose: HTTPExchange.Purpose, _ tokens: TokenSet?) -> KeyProof? {
        switch purpose {
        case .token, .deviceToken, .clientCredentials, .tokenExchange, .jwtBearer:
            provider.bindsTokens ? KeyProof(key: nil, server: .authorization) : nil
        case .refresh:
            tokens?.proofKey.map { KeyProof(key: $0, server: .authorization) }
                ?? (provider.bindsTokens ? KeyProof(key: nil, server: .authorization) : nil)
        case .userinfo, .http: tokens?.proofKey.map { KeyProof(key: $0, server: .resource) }
        case .discovery, .jwks, .revocation, .introspection, .deviceAuthorization, .pushedAuthorization,
            .registration:
            nil
        }
    }

    /// Refuses an access token that is bound to another certificate than the client's, where that can be seen.
    func checkBinding(
        of tokens: TokenResponse, log: inout CheckLog
    ) throws(ProtocolError) {
        guard provider.connections.thumbprint != nil else { return }
        try checkBinding(CertificateBinding.claims(of: tokens.accessToken), log: &log)
    }

    /// The same for what an answer says of a token; nothing for a token that says nothing.
    func checkBinding(
        _ claims: JSONObject?, log: inout CheckLog
    ) throws(ProtocolError) {
        guard let claims, let thumbprint = provider.connections.thumbprint else { return }
        let isBound = try CertificateBinding.check(claims, thumbprint: thumbprint, log: &log)
        guard !isBound, provider.descriptor.client.bindsTokensToCertificate else { return }
        log.relax(
            Checks.confirmation,
            because:
                "the access token names no certificate, although the client's tokens should be bound to one")
    }

    /// The result with the outcome that the descriptor's `classify` gives such an answer, else its `errors` the error
    /// in it; what a rule against attackers has refused stays refused.
    ///
    /// - Parameters:
    ///   - operation: By whose rules the answer was read: what they make of it names their place.
    ///   - log: Of the reading.
    func classified(
        _ result: StepResult, _ response: HTTPResponse, readBy operation: OperationFacts, _ log: CheckLog
    ) -> StepResult {
        placed(classified(result, response), response, readBy: operation, log)
    }

    /// The result with the place of the descriptor's rule by which the answer could not be used.
    func placed(
        _ result: StepResult, _ response: HTTPResponse, readBy operation: OperationFacts, _ log: CheckLog
    ) -> StepResult {
        guard let source = operation.responseSource else { return result }
        let dialect = operation.response
        var placed = result
        if let rule = dialect.errorRule(of: response), case .errorWhen(let index) = rule {
            placed.rule = "\(source.place(of: rule)), error_when: \(dialect.errorWhen[index].words)"
        } else if result.outcome == .malformed {
            guard dialect.successStatus.contains(response.status), let description = result.description
            else { return result }
            let place = source.place(of: dialect.malformedRule(of: response, log.failedMember))
            placed.description = "\(description), read as \(place) says"
        }
        return placed
    }

    func classified(_ result: StepResult, _ response: HTTPResponse) -> StepResult {
        guard result.outcome != .insecure, result.outcome != .subjectMismatch else { return result }
        let words = provider.classification(of: response)
        return words.lazy.compactMap { classified(result, as: $0) }.first ?? advised(result)
    }

    /// The result with the outcome that the descriptor's `errors` give what the provider answered.
    func advised(_ result: StepResult) -> StepResult {
        let advice = provider.descriptor.advice(code: result.error, description: result.description)
        // A check's own words are none of the provider's.
        guard result.outcome != .malformed, let word = advice?.outcome else { return result }
        return classified(result, as: word) ?? result
    }

    /// The result as what the descriptor takes it for: the outcome of that name, or the nearest that the kind has.
    ///
    /// - Returns: `nil` for a word that says nothing of such a step: nobody but who polls can be told to wait.
    private func classified(_ result: StepResult, as word: String) -> StepResult? {
        var changed = result
        let kind = plan.program.steps[step].kind
        if kind == .devicePoll, DevicePollStep.words.contains(word) {
            (changed.outcome, changed.error) = (.rejected, word)
            return changed
        }
        guard let outcome = Self.outcome(called: word, of: kind) else { return nil }
        changed.outcome = outcome
        return changed
    }

    /// The outcome of that name, or the nearest that the kind has.
    static func outcome(called word: String, of kind: StepKind) -> Outcome? {
        let known = KindTable.spec(of: kind).outcomes
        let names = [word] + (nearest[word] ?? [])
        return names.lazy.compactMap { name in known.first { $0.name == name } }.first?.outcome
    }

    /// What else an outcome may be called, the best first: a token endpoint knows no scopes, a resource no grants.
    private static let nearest = [
        "invalid_grant": ["unauthorized", "rejected"], "rejected": ["malformed"],
        "invalid_client": ["unauthorized", "rejected"], "rate_limited": ["server_error"],
        "unauthorized": ["invalid_client", "rejected"],
        "access_denied": ["insufficient_scope", "rejected"],
        "interaction_required": ["invalid_grant", "insufficient_auth", "rejected"],
        "expired_token": ["invalid_grant", "unauthorized", "rejected"],
    ]
}

extension RunFailure {
    /// - Parameter section: That of RFC 6749.
    init(repeating name: String, _ endpoint: String, _ section: String) {
        self.init(
            .endpointRefused,
            "\(endpoint) has \"\(RemoteText.sanitize(name, limit: 60))\" in its own query, and "
                + "no parameter may be there twice (RFC 6749 \(section))")
    }
}
