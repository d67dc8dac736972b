internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Validates the ID token of a token set (OIDC Core §3.1.3.7; after a refresh §12.2).
struct VerifyIDTokenStep: StepWork {
    private var fetch = KeyFetch()

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        guard let set = registers.tokenSets[scope.tokenSet("use")] else {
            preconditionFailure("the linter lets no step use a token set that is not set")
        }
        guard set.idToken != nil, !scope.provider.descriptor.idToken.isIgnored else {
            return absent(set, &registers, scope)
        }
        if let secret = scope.provider.macKey {
            return verify(.secret(secret), mayRefetch: false, &registers, scope)
        }
        return continued(fetch.start(&registers, scope), &registers, scope)
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
        continued(fetch.resume(event, &registers, scope), &registers, scope)
    }

    private mutating func continued(
        _ progress: KeyFetch.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .perform(let effect): return .perform(effect)
        case .failedAction(let action): return action
        case .failed(let result): return .finish(result)
        case .ready(let keys, let mayRefetch):
            return verify(.keys(keys), mayRefetch: mayRefetch, &registers, scope)
        }
    }

    private mutating func verify(
        _ keys: SignatureKeys, mayRefetch: Bool, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        guard var set = registers.tokenSets[scope.tokenSet("use")], let token = set.idToken else {
            preconditionFailure("the token set was there when the step began")
        }
        var log = CheckLog()
        do throws(ProtocolError) {
            let metadata = registers.metadata[scope.providerIndex]
            let signed = try scope.provider.opened(token, scope.provider.idTokenEncryption, log: &log)
            let jws = try keys.verify(
                signed, allowed: scope.provider.allowedAlgorithms(metadata), log: &log)
            let checked = try IDToken.validate(
                jws, expectations(set, jws, &registers, scope), now: registers.now, log: &log)
            registers.note(log)
            set.subject = checked.subject
            set.isSubjectAsserted = false
            set.tokenIssuer = checked.claims.iss
            set.authTime =
                checked.claims.authTime.flatMap { Int64(exactly: ($0 * 1000).rounded()) } ?? set.authTime
            set.acr = checked.claims.acr ?? set.acr
            set.audiences = checked.claims.aud ?? []
            set.authorizedParty = checked.claims.azp
            let claims = checked.raw
            set.claims = claims
            set.code = nil
            set.answered = nil
            set.state = nil
            return .finish(result(checked, claims, set, scope))
        } catch {
            if mayRefetch, case .failed(Checks.key, _, _) = error {
                registers.notes.add(
                    .note(
                        "the ID token is signed with a key that is not among the kept ones: asking once more")
                )
                return continued(fetch.refetch(&registers, scope), &registers, scope)
            }
            registers.note(log)
            return .finish(result(of: error))
        }
    }

    private func result(
        _ checked: IDToken, _ claims: JSONObject, _ set: TokenSet, _ scope: StepScope
    ) -> StepResult {
        var result = StepResult(
            .ok,
            fields: [
                .json(.object(claims)), .string(checked.subject), set.authTime.map(Value.time) ?? .null,
                checked.claims.acr.map(Value.string) ?? .null,
                checked.claims.amr.map { .list($0.map(Value.string)) } ?? .null,
            ])
        result.tokens = PendingTokens(set, at: scope.tokenSet("use"))
        return result
    }

    private func expectations(
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
        case Checks.audience, Checks.otherAudiences, Checks.authorizedParty, Checks.authorizedPartyPresent:
            .audienceMismatch
        case Checks.nonce: .nonceMismatch
        case Checks.expectedSubject, Checks.refreshSubject, Checks.answeredSubject: .subjectMismatch
        case Checks.authenticationTime, Checks.authenticationContext: .insufficientAuth
        default: .claimsInvalid
        }
    }
}

/// What a signature is verified with: the provider's public keys, or the secret that client and provider share.
enum SignatureKeys: Sendable {
    case keys(JWKSet)
    case secret(SharedSecret)

    func verify(
        _ token: Secret, allowed: [SignatureAlgorithm], log: inout CheckLog
    ) throws(ProtocolError) -> VerifiedJWS {
        switch self {
        case .keys(let keys):
            try IDTokenSignature.verify(token, keys: keys, allowed: allowed, log: &log)
        case .secret(let secret):
            try IDTokenSignature.verify(token, secret: secret, allowed: allowed, log: &log)
        }
    }

    func verify(
        _ token: Secret, _ message: SignedMessage, allowed: [SignatureAlgorithm], log: inout CheckLog
    ) throws(ProtocolError) -> VerifiedJWS {
        switch self {
        case .keys(let keys):
            try MessageSignature.verify(token, message, keys: keys, allowed: allowed, log: &log)
        case .secret(let secret):
            try MessageSignature.verify(token, message, secret: secret, allowed: allowed, log: &log)
        }
    }
}
