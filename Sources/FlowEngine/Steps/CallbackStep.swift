internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Waits for the one authorization response of a transaction and checks it (RFC 6749 §4.1.2, RFC 9207).
struct CallbackStep: StepWork {
    private typealias Parameters = [(name: String, value: String)]

    /// What waits for the provider's keys.
    private enum Waiting {
        /// An answer that is a JWT.
        case answer(SignedReading<Parameters>)
        /// An answer that brought an ID token beside the code.
        case token(Registers.ReceivedAnswer, SignedReading<IDTokenExpectations.AnsweredToken>)
    }

    private var waiting: Waiting?

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
        switch waiting {
        case .answer(var reading):
            let progress = reading.resume(event, &registers, scope)
            return finished(progress, reading, &registers, scope)
        case .token(let answer, var reading):
            let progress = reading.resume(event, &registers, scope)
            return finished(progress, answer, reading, &registers, scope)
        case nil: break
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
            var reading = SignedReading("the answer") { keys, registers, scope, log throws(ProtocolError) in
                try Self.secured(parameters, keys, registers, scope, &log)
            }
            return finished(reading.start(nil, &registers, scope), reading, &registers, scope)
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

    private mutating func finished(
        _ progress: SignedReading<Parameters>.Progress, _ reading: SignedReading<Parameters>,
        _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .action(let action):
            waiting = .answer(reading)
            return action
        case .failed(let result): return .finish(Self.withoutKeys(result))
        case .read(let outcome, let log):
            registers.note(log)
            switch outcome {
            case .success(let opened): return check(opened, &registers, scope)
            case .failure(let error): return .finish(result(of: error))
            }
        }
    }

    private static func withoutKeys(_ result: StepResult) -> StepResult {
        var result = result
        switch result.outcome {
        case .keysUnavailable: result.outcome = .serverError
        // Without keys that can be trusted no signature can be.
        case .metadataUntrusted: result.outcome = .signatureInvalid
        default: break
        }
        return result
    }

    /// Takes the parameters out of a JWT, once its signature is known to be the provider's (JARM §2.4).
    private static func secured(
        _ parameters: Parameters, _ keys: SignatureKeys, _ registers: Registers,
        _ scope: StepScope, _ log: inout CheckLog
    ) throws(ProtocolError) -> Parameters {
        let sent = try SecuredAuthorizationResponse.token(in: parameters, log: &log)
        let token = try scope.provider.opened(sent, scope.provider.responseEncryption, log: &log)
        let metadata = registers.metadata[scope.providerIndex]
        let jws = try keys.verify(
            token, .authorizationResponse, allowed: scope.provider.allowedResponseAlgorithms(metadata),
            log: &log)
        guard let issuer = metadata?.fields.issuer ?? scope.provider.declared.issuer else {
            throw log.failure(
                Checks.securedIssuer, expected: "an issuer to compare with", actual: "a provider without one")
        }
        return try SecuredAuthorizationResponse.validate(
            jws, issuers: [issuer] + scope.provider.bound.issuerAliases,
            clientID: scope.provider.registration.clientID, now: registers.now, log: &log
        ).parameters
    }

    private mutating func check(
        _ parameters: Parameters, _ registers: inout Registers, _ scope: StepScope
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
        do throws(ProtocolError) {
            let response = try AuthorizationResponse.validate(
                parameters, transaction: transaction,
                issuerParameterSupported: scope.provider.expectsIssuerParameter(
                    registers.metadata[scope.providerIndex]),
                isIssuerIgnored: facts.issuer == .ignore,
                issuerAliases: scope.provider.bound.issuerAliases,
                wantsIDToken: scope.provider.descriptor.authorization.wantsIDToken,
                state: scope.provider.stateDemand, log: &log)
            if let signature = facts.signature {
                try CallbackSignature(facts: signature, provider: scope.provider)
                    .check(raw, now: registers.now / 1000, log: &log)
            }
            let captured = try CallbackCapture.read(facts.captures, parameters, log: &log)
            if !captured.isEmpty {
                let names = captured.map(\.key).joined(separator: ", ")
                registers.notes.add(.note("captured, with nobody to vouch for it: \(names)"))
            }
            registers.note(log)
            let answer = Registers.ReceivedAnswer(
                response: response, transaction: transaction, captured: captured,
                details: demands(registers, scope)?.details,
                essentialLevels: demands(registers, scope)?.essentialLevels ?? [])
            guard let token = response.idToken else { return accept(answer, &registers, scope) }
            return verify(token, of: answer, &registers, scope)
        } catch {
            registers.note(log)
            guard case .rejected = error else { return .finish(result(of: error)) }
            return .finish(scope.advised(result(of: error)))
        }
    }

    /// Keeps what was checked for the exchange; the transaction is over.
    private func accept(
        _ answer: Registers.ReceivedAnswer, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        if let source = scope.referencedStep("from") { registers.transactions[source] = nil }
        registers.responses[scope.step] = answer
        let response = answer.response
        let extra = Dictionary(
            response.extra.map { ($0.name, Value.string($0.value)) },
            uniquingKeysWith: { first, _ in first })
        return .finish(
            StepResult(
                .ok, fields: [response.iss.map(Value.string) ?? .null, .map(extra), .time(registers.now)]))
    }

    // MARK: ID token beside the code

    private mutating func verify(
        _ token: Secret, of answer: Registers.ReceivedAnswer, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        let token = AnsweredIDToken(
            token: token, code: answer.response.code, transaction: answer.transaction)
        var reading = SignedReading("the ID token") { keys, registers, scope, log throws(ProtocolError) in
            try token.verify(with: keys, registers, scope, log: &log)
        }
        let progress = reading.start(scope.provider.macKey, &registers, scope)
        return finished(progress, answer, reading, &registers, scope)
    }

    private mutating func finished(
        _ progress: SignedReading<IDTokenExpectations.AnsweredToken>.Progress,
        _ answer: Registers.ReceivedAnswer, _ reading: SignedReading<IDTokenExpectations.AnsweredToken>,
        _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .action(let action):
            waiting = .token(answer, reading)
            return action
        case .failed(let result): return .finish(Self.withoutKeys(result))
        case .read(let outcome, let log):
            registers.note(log)
            switch outcome {
            case .success(let token):
                var answer = answer
                answer.token = token
                return accept(answer, &registers, scope)
            case .failure(let error): return .finish(result(of: error))
            }
        }
    }

    /// What a response may bring that no text may show, wherever it is repeated.
    private static func secrets(_ parameters: Parameters) -> [Secret] {
        let kinds: [String: Secret.Kind] = [
            "code": .code, "access_token": .accessToken, "id_token": .idToken, "refresh_token": .refreshToken,
        ]
        return parameters.compactMap { parameter in
            // A word such as `active` is none.
            let isSecret =
                parameter.value.utf8.count >= SecretIndex.shortest
                && SecretName.tells(SecretName.normal(parameter.name))
            return (kinds[parameter.name] ?? (isSecret ? .other : nil)).map {
                Secret(parameter.value, kind: $0)
            }
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
                case Checks.iss, Checks.securedIssuer, Checks.issuer: .issuerMismatch
                // All others that protect are about what is signed of the answer.
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
