internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Validates the ID token of a token set (OIDC Core §3.1.3.7; after a refresh §12.2).
struct VerifyIDTokenStep: StepWork {
    private var reading = SignedReading("the ID token", by: Self.read)

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        let set = scope.tokens("use", registers)
        guard set.idToken != nil, !scope.provider.descriptor.idToken.isIgnored else {
            return absent(set, &registers, scope)
        }
        return finished(reading.start(scope.provider.macKey, &registers, scope), &registers, scope)
    }

    /// An ID token that should be there and is not is a failed check; a provider without ID tokens has none.
    private func absent(_ set: TokenSet, _ registers: inout Registers, _ scope: StepScope) -> StepAction {
        var log = CheckLog()
        defer { registers.note(log) }
        guard scope.provider.requiresIDToken(scope.plan.program.providers[scope.providerIndex], set) else {
            let isIgnored = scope.provider.descriptor.idToken.isIgnored
            let reason =
                isIgnored
                ? "the descriptor says to ignore it"
                : set.origin == .refresh
                    ? "a refresh may bring none (OIDC Core §12.2)" : "the provider issues none"
            if isIgnored, set.idToken != nil {
                log.relax(
                    Checks.signatureVerified, because: "the ID token is ignored, as the descriptor says")
            } else {
                log.skip(Checks.idTokenPresent, because: reason)
            }
            return .finish(.failed(.absent, nil, "no ID token: \(reason)"))
        }
        _ = log.failure(
            Checks.idTokenPresent, expected: "an ID token, since openid was asked for", actual: "none")
        return .finish(
            .failed(.claimsInvalid, Checks.idTokenPresent.name, "the token response brought no ID token"))
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        finished(reading.resume(event, &registers, scope), &registers, scope)
    }

    @Sendable private static func read(
        _ keys: SignatureKeys, _ registers: inout Registers, _ scope: StepScope, _ log: inout CheckLog
    ) throws(ProtocolError) -> IDToken {
        let set = scope.tokens("use", registers)
        guard let token = set.idToken else { preconditionFailure("it was there when the step began") }
        let metadata = registers.metadata[scope.providerIndex]
        let signed = try scope.provider.opened(token, scope.provider.idTokenEncryption, log: &log)
        let jws = try keys.verify(signed, allowed: scope.provider.allowedAlgorithms(metadata), log: &log)
        return try IDToken.validate(
            jws, expectations(set, jws, &registers, scope), now: registers.now, log: &log)
    }

    private func finished(
        _ progress: SignedReading<IDToken>.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .action(let action): return action
        case .failed(let result): return .finish(result)
        case .read(let outcome, let log):
            registers.note(log)
            switch outcome {
            case .success(let token): return .finish(result(token, scope.tokens("use", registers), scope))
            case .failure(let error): return .finish(result(of: error))
            }
        }
    }

    private func result(_ checked: IDToken, _ set: TokenSet, _ scope: StepScope) -> StepResult {
        var set = set
        set.subject = checked.subject
        set.isSubjectAsserted = false
        set.tokenIssuer = checked.claims.iss
        // What a refresh tells of a sign-in since then makes this one no fresher.
        if set.origin == .code || set.authTime == nil {
            set.authTime =
                checked.claims.authTime.flatMap { Int64(exactly: ($0 * 1000).rounded()) } ?? set.authTime
        }
        set.acr = checked.claims.acr ?? set.acr
        set.audiences = checked.claims.aud ?? []
        set.authorizedParty = checked.claims.azp
        set.claims = checked.raw
        set.code = nil
        set.answered = nil
        set.state = nil
        var result = StepResult(
            .ok,
            fields: [
                .json(.object(checked.raw)), .string(checked.subject), set.authTime.map(Value.time) ?? .null,
                checked.claims.acr.map(Value.string) ?? .null,
                checked.claims.amr.map { .list($0.map(Value.string)) } ?? .null,
            ])
        result.tokens = PendingTokens(set, at: scope.tokenSet("use"))
        return result
    }

    private static func expectations(
        _ set: TokenSet, _ jws: VerifiedJWS, _ registers: inout Registers, _ scope: StepScope
    ) -> IDTokenExpectations {
        let facts = scope.provider.descriptor.idToken
        let origin: IDTokenExpectations.Origin
        if set.origin != .code, let issuer = set.tokenIssuer, let subject = set.subject {
            origin = .refresh(
                issuer: issuer, subject: subject, previousNonce: set.nonce,
                previousAuthTime: set.authTime.map { Double($0) / 1000 },
                previousAudience: set.audiences.isEmpty
                    ? nil
                    : IDTokenExpectations.PreviousAudience(
                        audiences: set.audiences, authorizedParty: set.authorizedParty))
        } else {
            origin = .code(nonce: set.origin == .code ? set.nonce : nil)
        }
        let demanded = scope.duration("max_age", &registers).map { Int($0 / 1000) }
        let levels = scope.value("acr", &registers).texts ?? set.essentialLevels
        var expectations = IDTokenExpectations(
            issuers: scope.provider.expectedIssuers(jws), clientID: scope.provider.registration.clientID,
            additionalAudiences: scope.provider.bound.trustedAudiences,
            origin: origin, accessToken: set.accessToken,
            code: set.code, state: set.state,
            maxAge: demanded ?? set.maxAge ?? facts.maxAge, acrValues: levels,
            expectedSubject: scope.value("expect_sub", &registers).text,
            leewaySeconds: facts.clockSkew ?? Int((scope.duration("leeway", &registers) ?? 60_000) / 1000),
            requiredClaims: scope.value("require", &registers).texts ?? [],
            nonceRequired: facts.nonce == .required && set.origin == .code && set.nonce != nil)
        expectations.answered = set.answered
        expectations.isStored = set.origin == .store
        expectations.wasEncrypted = scope.provider.idTokenEncryption != nil
        return expectations
    }

    private func result(of error: ProtocolError) -> StepResult {
        switch error {
        case .failed(let check, let expected, let actual):
            .failed(Self.outcome(of: check), check.name, "expected \(expected), got \(actual)")
        case .malformed(let what, let detail):
            .failed(.malformed, "malformed", "\(what): \(detail)")
        case .rejected(let answer, _):
            .failed(.malformed, answer.code, answer.description)
        case .status(let status):
            .failed(.malformed, "http_\(status)", nil)
        }
    }

    private static func outcome(of check: Check) -> Outcome {
        switch check {
        case Checks.signature, Checks.algorithm, Checks.key, Checks.critical, Checks.macKey,
            Checks.tokenTypeHeader,
            Checks.registeredAlgorithm, Checks.signatureVerified, Checks.keyReference:
            .signatureInvalid
        case Checks.encryptedCritical, Checks.encryptedKeyReference, Checks.compression,
            Checks.encryptionAlgorithm, Checks.decryption, Checks.contentType, Checks.nestedSignature,
            Checks.encryption:
            .signatureInvalid
        case Checks.tokenFormat, Checks.encryptedFormat: .malformed
        case Checks.issuer, Checks.refreshIssuer, Checks.answeredIssuer: .issuerMismatch
        case Checks.audience, Checks.otherAudiences, Checks.authorizedParty, Checks.authorizedPartyPresent,
            Checks.refreshAudience, Checks.refreshAuthorizedParty:
            .audienceMismatch
        case Checks.nonce: .nonceMismatch
        case Checks.expectedSubject, Checks.refreshSubject, Checks.answeredSubject: .subjectMismatch
        case Checks.authenticationTime, Checks.authenticationContext: .insufficientAuth
        default: .claimsInvalid
        }
    }
}
