internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Validates the ID token of a token set (OIDC Core §3.1.3.7; after a refresh §12.2).
struct VerifyIDTokenStep: Sendable {
    private enum State: Sendable {
        case metadata
        case recalling(String)
        case fetching(String, isSecondTry: Bool)
        case keeping(JWKSet, isSecondTry: Bool)
    }

    /// Keys that were kept, to ask whether they still hold.
    private var kept: (keys: JWKSet, origin: DocumentOrigin)?

    /// How old kept keys may be, in milliseconds; an unknown key is asked for at once.
    private static let keyAge: Int64 = 24 * 3_600_000

    private var fetch = MetadataFetch()
    private var state = State.metadata

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        guard let set = registers.tokenSets[scope.tokenSet("use")] else {
            preconditionFailure("the linter lets no step use a token set that is not set")
        }
        guard set.idToken != nil, !scope.provider.descriptor.idToken.isIgnored else {
            return absent(set, &registers, scope)
        }
        return continued(fetch.start(&registers, scope, needs: { $0.jwksURI == nil }), &registers, scope)
    }

    /// An ID token that should be there and is not is a failed check; a provider without ID tokens has none.
    private func absent(_ set: TokenSet, _ registers: inout Registers, _ scope: StepScope) -> StepAction {
        var log = CheckLog()
        defer { registers.notes.add(.checks(log.results)) }
        guard scope.provider.requiresIDToken(scope.plan.program.providers[scope.providerIndex], set) else {
            let reason =
                set.origin == .refresh
                ? "a refresh may bring none (OIDC Core §12.2)"
                : scope.provider.descriptor.idToken.isIgnored
                    ? "the descriptor says to ignore it" : "the provider issues none"
            log.skip(Checks.idTokenPresent, because: reason)
            return .finish(.failed(.absent, nil, "no ID token: \(reason)"))
        }
        _ = log.failure(
            Checks.idTokenPresent, expected: "an ID token, since openid was asked for", actual: "none")
        return .finish(
            .failed(.claimsInvalid, Checks.idTokenPresent.name, "the token response brought no ID token"))
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        switch state {
        case .metadata:
            return continued(fetch.resume(event, &registers, scope), &registers, scope)
        case .recalling(let url):
            if case .keys(let keys, let origin) = event {
                kept = (keys, origin)
                let age = registers.now - origin.fetchedAt
                if age < Self.keyAge, registers.now < origin.freshUntil {
                    registers.notes.add(.note("keys from the cache, fetched \(DocumentAge.text(age)) ago"))
                    return verify(keys, mayRefetch: true, url, &registers, scope)
                }
            }
            return fetchKeys(url, isSecondTry: false, &registers, scope)
        case .fetching(let url, let isSecondTry):
            return readKeys(event, url, isSecondTry, &registers, scope)
        case .keeping(let keys, _):
            return verify(keys, mayRefetch: false, "", &registers, scope)
        }
    }

    private mutating func continued(
        _ progress: MetadataFetch.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .perform(let effect):
            return .perform(effect)
        case .failedAction(let action):
            return action
        case .failed(let result):
            var failed = result.asImplicitDiscovery(whenMissing: .keysUnavailable)
            switch failed.outcome {
            case .network, .serverError, .rateLimited, .unsupported: failed.outcome = .keysUnavailable
            default: break
            }
            return .finish(failed)
        case .ready(let known, _):
            guard let url = known.fields.jwksURI else {
                return .finish(.failed(.keysUnavailable, nil, "the provider names no jwks_uri"))
            }
            state = .recalling(url)
            return .perform(.recallKeys(url: url))
        }
    }

    private mutating func fetchKeys(
        _ url: String, isSecondTry: Bool, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        state = .fetching(url, isSecondTry: isSecondTry)
        var plan = JWKSRequest.plan(url)
        if let kept, kept.origin.url == url { plan.fields += kept.origin.conditions }
        return HTTPStep.send(plan, .jwks, &registers, scope)
    }

    private mutating func readKeys(
        _ event: InputEvent, _ url: String, _ isSecondTry: Bool, _ registers: inout Registers,
        _ scope: StepScope
    ) -> StepAction {
        let response: HTTPResponse
        switch HTTPStep.reply(event, &registers, burning: false) {
        case .trouble(let result): return .finish(unavailable(result))
        case .answer(let answer): response = answer
        }
        if response.status == 304, let kept, kept.origin.url == url, !kept.origin.conditions.isEmpty {
            registers.notes.add(.note("the cached keys still hold"))
            state = .keeping(kept.keys, isSecondTry: isSecondTry)
            let origin = kept.origin.renewed(by: response, now: registers.now)
            return .perform(.keepKeys(kept.keys, origin, body: nil))
        }
        var log = CheckLog()
        defer { registers.notes.add(.checks(log.results)) }
        do throws(ProtocolError) {
            let keys = try JWKSResponse.read(response, log: &log)
            state = .keeping(keys, isSecondTry: isSecondTry)
            let origin = DocumentOrigin(of: response, url: url, now: registers.now)
            return .perform(.keepKeys(keys, origin, body: response.body))
        } catch {
            return .finish(
                unavailable(HTTPStep.result(of: error, .document, registers.now, response, burning: false)))
        }
    }

    private func unavailable(_ result: StepResult) -> StepResult {
        var result = result
        result.outcome = .keysUnavailable
        return result
    }

    private mutating func verify(
        _ keys: JWKSet, mayRefetch: Bool, _ url: String, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        guard var set = registers.tokenSets[scope.tokenSet("use")], let token = set.idToken else {
            preconditionFailure("the token set was there when the step began")
        }
        var log = CheckLog()
        do throws(ProtocolError) {
            let metadata = registers.metadata[scope.providerIndex]
            let jws = try IDTokenSignature.verify(
                token, keys: keys, allowed: scope.provider.allowedAlgorithms(metadata), log: &log)
            let checked = try IDToken.validate(
                jws, expectations(set, jws, &registers, scope), now: registers.now, log: &log)
            registers.notes.add(.checks(log.results))
            set.subject = checked.subject
            set.tokenIssuer = checked.claims.iss
            set.authTime = checked.claims.authTime.map { Int64($0 * 1000) } ?? set.authTime
            set.acr = checked.claims.acr ?? set.acr
            set.claims = checked.raw
            set.code = nil
            return .finish(result(checked, set, scope))
        } catch {
            if mayRefetch, case .failed(Checks.key, _, _) = error {
                registers.notes.add(
                    .note(
                        "the ID token is signed with a key that is not among the kept ones: asking once more")
                )
                return fetchKeys(url, isSecondTry: true, &registers, scope)
            }
            registers.notes.add(.checks(log.results))
            return .finish(result(of: error))
        }
    }

    private func result(_ checked: IDToken, _ set: TokenSet, _ scope: StepScope) -> StepResult {
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

    private func expectations(
        _ set: TokenSet, _ jws: VerifiedJWS, _ registers: inout Registers, _ scope: StepScope
    ) -> IDTokenExpectations {
        let facts = scope.provider.descriptor.idToken
        let origin: IDTokenExpectations.Origin
        if set.origin != .code, let issuer = set.tokenIssuer, let subject = set.subject {
            origin = .refresh(
                issuer: issuer, subject: subject, previousNonce: set.nonce,
                previousAuthTime: set.authTime.map { Double($0) / 1000 })
        } else {
            origin = .code(nonce: set.origin == .code ? set.nonce : nil)
        }
        let demanded = scope.duration("max_age", &registers).map { Int($0 / 1000) }
        let levels = scope.value("acr", &registers).texts ?? []
        var expectations = IDTokenExpectations(
            issuers: scope.provider.expectedIssuers(jws), clientID: scope.provider.registration.clientID,
            additionalAudiences: facts.audiences, origin: origin, accessToken: set.accessToken,
            code: set.code,
            maxAge: demanded ?? set.maxAge ?? facts.maxAge, acrValues: levels,
            expectedSubject: scope.value("expect_sub", &registers).text,
            leewaySeconds: facts.clockSkew ?? Int((scope.duration("leeway", &registers) ?? 60_000) / 1000),
            requiredClaims: scope.value("require", &registers).texts ?? [],
            nonceRequired: facts.nonce == .required && set.origin == .code && set.nonce != nil)
        expectations.isStored = set.origin == .store
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
            Checks.registeredAlgorithm, Checks.signatureVerified:
            .signatureInvalid
        case Checks.tokenFormat: .malformed
        case Checks.issuer, Checks.refreshIssuer: .issuerMismatch
        case Checks.audience, Checks.authorizedParty, Checks.authorizedPartyPresent: .audienceMismatch
        case Checks.nonce: .nonceMismatch
        case Checks.expectedSubject, Checks.refreshSubject: .subjectMismatch
        case Checks.authenticationTime, Checks.authenticationContext: .insufficientAuth
        default: .claimsInvalid
        }
    }
}
