internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Asks the server whether a token is good (RFC 7662), and has it sign the answer where that is wanted (RFC 9701).
struct IntrospectStep: StepWork {
    private enum State: Sendable {
        case searching
        case asking
        /// A signed answer waits for the provider's keys.
        case fetchingKeys(HTTPResponse, SignedReading<IntrospectionResponse>)
    }

    private var search = EndpointSearch(
        \.introspectionEndpoint, "introspection_endpoint", operation: \.introspection.request)
    private var state = State.searching

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

    private func isSigned(_ registers: inout Registers, _ scope: StepScope) -> Bool {
        if case .bool(let wanted) = scope.value("signed", &registers) { return wanted }
        return scope.provider.signsIntrospection
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        switch state {
        case .searching: return continued(search.resume(event, &registers, scope), &registers, scope)
        case .asking: return read(event, &registers, scope)
        case .fetchingKeys(let response, var reading):
            let progress = reading.resume(event, &registers, scope)
            return finished(progress, response, reading, &registers, scope)
        }
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
            state = .asking
            let isSigned = isSigned(&registers, scope)
            return scope.send(
                scope.provider.descriptor.introspection.request, to: endpoint, .introspection,
                tokens: scope.tokens("use", registers), &registers
            ) { endpoint, client, dialect in
                IntrospectionRequest.plan(
                    endpoint: endpoint, token: token, registration: client, dialect: dialect,
                    isSigned: isSigned, step: scope.name)
            }
        }
    }

    private mutating func read(
        _ event: InputEvent, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        let response: HTTPResponse
        switch HTTPStep.reply(event, &registers, burning: false) {
        case .trouble(let result): return .finish(result)
        case .answer(let answer): response = answer
        }
        let success = scope.provider.descriptor.introspection.response.successStatus
        guard isSigned(&registers, scope), success.contains(response.status) else {
            var log = CheckLog()
            let outcome = Result { () throws(ProtocolError) in
                try Self.answer(response, nil, registers, scope, &log)
            }
            return .finish(result(of: outcome, log, response, isSigned: false, &registers, scope))
        }
        var reading = SignedReading("the answer") { keys, registers, scope, log throws(ProtocolError) in
            try Self.answer(response, keys, registers, scope, &log)
        }
        let progress = reading.start(scope.provider.introspectionMACKey, &registers, scope)
        return finished(progress, response, reading, &registers, scope)
    }

    private mutating func finished(
        _ progress: SignedReading<IntrospectionResponse>.Progress, _ response: HTTPResponse,
        _ reading: SignedReading<IntrospectionResponse>, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .action(let action):
            state = .fetchingKeys(response, reading)
            return action
        case .failed(let result): return .finish(result)
        case .read(let outcome, let log):
            return .finish(result(of: outcome, log, response, isSigned: true, &registers, scope))
        }
    }

    private func result(
        of outcome: Result<IntrospectionResponse, ProtocolError>, _ log: CheckLog, _ response: HTTPResponse,
        isSigned: Bool, _ registers: inout Registers, _ scope: StepScope
    ) -> StepResult {
        registers.note(log)
        switch outcome {
        case .success(let answer):
            guard answer.isActive else {
                return .failed(.inactive, nil, "the server says that the token is not good")
            }
            let scopes = scope.provider.granted(
                answer.scopes, readBy: scope.provider.descriptor.introspection.response)
            return StepResult(
                .ok, fields: [.json(.object(answer.claims)), .list(scopes.map(Value.string))])
        case .failure(let error):
            var result = HTTPStep.result(
                of: error, .token, registers.now, response, burning: false
            ).withoutGrant()
            if isSigned, case .failed(let check, _, _) = error, let outcome = Self.outcome(of: check) {
                result.outcome = outcome
                return result
            }
            return scope.classified(result, response, readBy: scope.provider.descriptor.introspection, log)
        }
    }

    /// What the answer says of the token; a good one must be bound to no other certificate than the client's.
    ///
    /// - Parameter keys: What the answer must be signed with; `nil` for plain JSON.
    private static func answer(
        _ response: HTTPResponse, _ keys: SignatureKeys?, _ registers: Registers, _ scope: StepScope,
        _ log: inout CheckLog
    ) throws(ProtocolError) -> IntrospectionResponse {
        let dialect = scope.provider.descriptor.introspection.response
        let answer =
            if let keys {
                try IntrospectionResponse.read(
                    try members(of: response, keys, registers, scope, &log), dialect: dialect, log: &log)
            } else {
                try IntrospectionResponse.read(response, dialect: dialect, log: &log)
            }
        if answer.isActive { try scope.checkBinding(answer.claims, log: &log) }
        return answer
    }

    /// What a signed answer says, once its signature is known to be the provider's.
    private static func members(
        of response: HTTPResponse, _ keys: SignatureKeys, _ registers: Registers, _ scope: StepScope,
        _ log: inout CheckLog
    ) throws(ProtocolError) -> JSONObject {
        let provider = scope.provider
        if response.mediaType == "application/json", isAnswer(response) {
            throw log.failure(
                Checks.signedIntrospection, expected: SignedIntrospection.mediaType,
                actual: "application/json: an answer without a signature")
        }
        let token = try SignedIntrospection.token(
            of: response, dialect: provider.descriptor.introspection.response, log: &log)
        let signed = try provider.opened(token, provider.introspectionEncryption, log: &log)
        let metadata = registers.metadata[scope.providerIndex]
        let jws = try keys.verify(
            signed, .introspection, allowed: provider.allowedIntrospectionAlgorithms(metadata), log: &log)
        guard let issuer = metadata?.fields.issuer ?? provider.declared.issuer else {
            throw log.failure(
                Checks.signedIntrospectionIssuer, expected: "an issuer to compare with",
                actual: "a provider without one")
        }
        return try SignedIntrospection.validate(
            jws, issuer: issuer, audience: provider.registration.clientID, now: registers.now, log: &log)
    }

    /// Whether a plain body says whether the token is good; any other is no answer at all.
    private static func isAnswer(_ response: HTTPResponse) -> Bool {
        // What is no JSON says nothing.
        response.json?["active"] != nil
    }

    /// - Returns: `nil` for a check of what a plain answer says too.
    private static func outcome(of check: Check) -> Outcome? {
        switch check {
        case Checks.signedIntrospection, Checks.signature, Checks.algorithm, Checks.key, Checks.critical,
            Checks.keyReference, Checks.macKey, Checks.signedIntrospectionType:
            .signatureInvalid
        case Checks.encryption, Checks.encryptedCritical, Checks.encryptedKeyReference, Checks.compression,
            Checks.encryptionAlgorithm, Checks.decryption, Checks.contentType, Checks.nestedSignature:
            .signatureInvalid
        case Checks.signedIntrospectionIssuer: .issuerMismatch
        case Checks.signedIntrospectionAudience: .audienceMismatch
        case Checks.signedIntrospectionTime, Checks.signedIntrospectionBody: .claimsInvalid
        default: nil
        }
    }
}

extension BoundProvider {
    /// Whether the client registered that answers about tokens are signed (RFC 9701 §6).
    var signsIntrospection: Bool {
        descriptor.client.introspectionSignedResponseAlgorithm != nil
            || descriptor.client.introspectionEncryption != nil
    }

    /// What may sign an answer about a token: the registered algorithm, else those that the server names and this client
    /// trusts, else RS256 (RFC 9701 §6).
    func allowedIntrospectionAlgorithms(_ metadata: KnownMetadata?) -> [SignatureAlgorithm] {
        if let registered = descriptor.client.introspectionSignedResponseAlgorithm { return [registered] }
        let offered = metadata?.fields.introspectionSigningAlgValuesSupported ?? []
        let usable = offered.compactMap { SignatureAlgorithm(name: $0) }.filter { $0.keyType != nil }
        return usable.isEmpty ? [.rs256] : usable
    }
}
