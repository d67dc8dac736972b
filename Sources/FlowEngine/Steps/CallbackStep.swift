internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Waits for the one authorization response of a transaction and checks it (RFC 6749 §4.1.2, RFC 9207).
struct CallbackStep: StepWork {
    /// An answer that is a JWT waits for the provider's keys.
    private var waiting: (parameters: [(name: String, value: String)], keys: KeyFetch)?

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        guard let source = scope.referencedStep("from"), let transaction = registers.transactions[source]
        else {
            preconditionFailure("the linter lets no callback wait without an open transaction")
        }
        return .perform(
            .awaitCallback(
                CallbackWait(
                    state: transaction.state, until: scope.deadline, redirectURI: transaction.redirectURI,
                    channels: scope.value("channels", &registers).texts ?? [])))
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        if case (let parameters, var keys)? = waiting {
            let progress = keys.resume(event, &registers, scope)
            return verify(parameters, progress, keys, &registers, scope)
        }
        switch event {
        case .callback(let parameters, let channel):
            let names = parameters.map(\.name).joined(separator: ", ")
            registers.notes.add(.note("answer through \(channel): \(names)"))
            guard demands(registers, scope)?.isSecured == true else {
                return check(parameters, &registers, scope)
            }
            registers.conceal(
                parameters.filter { $0.name == SecuredAuthorizationResponse.parameter }
                    .map { Secret($0.value, kind: .code) })
            var keys = KeyFetch()
            return verify(parameters, keys.start(&registers, scope), keys, &registers, scope)
        case .callbackTimedOut(let refused):
            guard refused > 0 else {
                return .finish(.failed(.timeout, nil, "no answer came in the time that was given"))
            }
            var log = CheckLog()
            _ = log.failure(
                Checks.state, expected: "the state of this run",
                actual: "\(refused) answer\(refused == 1 ? "" : "s") without it")
            registers.note(log)
            return .finish(
                .failed(
                    .stateMismatch, Checks.state.name,
                    "none of the answers that came bears the state of this run"))
        case .callbackCancelled:
            return .finish(.failed(.cancelled, nil, "the person gave up"))
        default:
            preconditionFailure("an answer was awaited, something else was reported")
        }
    }

    private func demands(_ registers: Registers, _ scope: StepScope) -> Registers.AnswerDemands? {
        scope.referencedStep("from").flatMap { registers.demands[$0] }
    }

    /// Takes the parameters out of a JWT, once its signature is known to be the provider's (JARM §2.4).
    private mutating func verify(
        _ parameters: [(name: String, value: String)], _ progress: KeyFetch.Progress, _ keys: KeyFetch,
        _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .perform(let effect):
            waiting = (parameters, keys)
            return .perform(effect)
        case .failedAction(let action): return action
        case .failed(let result):
            var result = result
            switch result.outcome {
            case .keysUnavailable: result.outcome = .serverError
            // Without keys that can be trusted no signature can be.
            case .metadataUntrusted: result.outcome = .signatureInvalid
            default: break
            }
            return .finish(result)
        case .ready(let found, let mayRefetch):
            var log = CheckLog()
            do throws(ProtocolError) {
                let opened = try secured(parameters, found, registers, scope, &log)
                registers.note(log)
                return check(opened, &registers, scope)
            } catch {
                guard mayRefetch, case .failed(Checks.key, _, _) = error else {
                    registers.note(log)
                    return .finish(result(of: error))
                }
                registers.notes.add(.note("the answer is signed with a key that is not among the kept ones"))
                var keys = keys
                return verify(parameters, keys.refetch(&registers, scope), keys, &registers, scope)
            }
        }
    }

    private func secured(
        _ parameters: [(name: String, value: String)], _ keys: JWKSet, _ registers: Registers,
        _ scope: StepScope, _ log: inout CheckLog
    ) throws(ProtocolError) -> [(name: String, value: String)] {
        let sent = try SecuredAuthorizationResponse.token(in: parameters, log: &log)
        let token = try scope.provider.opened(sent, scope.provider.responseEncryption, log: &log)
        let metadata = registers.metadata[scope.providerIndex]
        let jws = try MessageSignature.verify(
            token, .authorizationResponse, keys: keys,
            allowed: scope.provider.allowedResponseAlgorithms(metadata), log: &log)
        guard let issuer = metadata?.fields.issuer ?? scope.provider.declared.issuer else {
            throw log.failure(
                Checks.securedIssuer, expected: "an issuer to compare with", actual: "a provider without one")
        }
        return try SecuredAuthorizationResponse.validate(
            jws, issuers: [issuer] + scope.provider.bound.issuerAliases,
            clientID: scope.provider.registration.clientID, now: registers.now, log: &log
        ).parameters
    }

    private func check(
        _ parameters: [(name: String, value: String)], _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        guard let source = scope.referencedStep("from"), let transaction = registers.transactions[source]
        else {
            preconditionFailure("the transaction was open when the wait began")
        }
        let facts = scope.provider.descriptor.callback
        let raw = parameters
        let parameters = facts.dialect.standard(raw)
        registers.conceal(Self.secrets(parameters))
        var log = CheckLog()
        defer { registers.note(log) }
        do throws(ProtocolError) {
            let response = try AuthorizationResponse.validate(
                parameters, transaction: transaction,
                issuerParameterSupported: scope.provider.expectsIssuerParameter(
                    registers.metadata[scope.providerIndex]),
                isIssuerIgnored: facts.issuer == .ignore,
                issuerAliases: scope.provider.bound.issuerAliases, state: scope.provider.stateDemand,
                log: &log)
            if let signature = facts.signature {
                try CallbackSignature(facts: signature, provider: scope.provider)
                    .check(raw, now: registers.now / 1000, log: &log)
            }
            let captured = try CallbackCapture.read(facts.captures, parameters, log: &log)
            if !captured.isEmpty {
                let names = captured.map(\.key).joined(separator: ", ")
                registers.notes.add(.note("captured, with nobody to vouch for it: \(names)"))
            }
            registers.transactions[source] = nil

            registers.responses[scope.step] = Registers.ReceivedAnswer(
                response: response, transaction: transaction, captured: captured,
                details: demands(registers, scope)?.details,
                essentialLevels: demands(registers, scope)?.essentialLevels ?? [])
            let extra = Dictionary(
                response.extra.map { ($0.name, Value.string($0.value)) },
                uniquingKeysWith: { first, _ in first })
            return .finish(
                StepResult(
                    .ok, fields: [response.iss.map(Value.string) ?? .null, .map(extra), .time(registers.now)])
            )
        } catch {
            guard case .rejected = error else { return .finish(result(of: error)) }
            return .finish(scope.advised(result(of: error)))
        }
    }

    /// What a response may bring that no text may show, wherever it is repeated.
    private static func secrets(_ parameters: [(name: String, value: String)]) -> [Secret] {
        let kinds: [String: Secret.Kind] = [
            "code": .code, "access_token": .accessToken, "id_token": .idToken, "refresh_token": .refreshToken,
        ]
        return parameters.compactMap { parameter in
            kinds[parameter.name].map { Secret(parameter.value, kind: $0) }
        }
    }

    private func result(of error: ProtocolError) -> StepResult {
        switch error {
        case .rejected(let answer, _):
            let outcome: Outcome =
                switch answer.code {
                case "access_denied": .accessDenied
                case "login_required", "consent_required", "interaction_required",
                    "account_selection_required":
                    .interactionRequired
                case "server_error", "temporarily_unavailable": .serverError
                default: .rejected
                }
            return .failed(outcome, answer.code, answer.description)
        case .failed(let check, let expected, let actual):
            let outcome: Outcome =
                switch check {
                case Checks.state: .stateMismatch
                case Checks.iss, Checks.securedIssuer: .issuerMismatch
                // All others that protect are about the signature of the answer.
                default: check.isProtective ? .signatureInvalid : .malformed
                }
            return .failed(outcome, check.name, "expected \(expected), got \(actual)")
        case .malformed(let what, let detail):
            return .failed(.malformed, "malformed", "\(what): \(detail)")
        case .status(let status):
            return .failed(.malformed, "http_\(status)", nil)
        }
    }
}
