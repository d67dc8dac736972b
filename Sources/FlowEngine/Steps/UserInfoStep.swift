internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Calls the UserInfo endpoint, then the descriptor's further requests, and maps the profile (OIDC Core §5.3).
struct UserInfoStep: StepWork {
    private enum State: Sendable {
        case metadata
        case asking
        /// A signed answer waits for the provider's keys.
        case fetchingKeys(HTTPResponse, SignedReading<UserInfoResponse>)
        case askingMore(Int)
    }

    private var fetch = MetadataFetch()
    private var state = State.metadata
    private var claims: JSONObject = [:]
    private var additional: [String: JSONValue] = [:]

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        let facts = scope.provider.descriptor.userinfo
        guard facts.isSupported else {
            return withoutEndpoint("the provider has no UserInfo endpoint", &registers, scope)
        }
        guard isWanted(facts.condition, &registers, scope) else {
            return unasked("the descriptor's condition does not hold", &registers, scope)
        }
        let isNamed = facts.operation.request.endpoint != nil
        return continued(
            fetch.start(&registers, scope, needs: { $0.userinfoEndpoint == nil && !isNamed }), &registers,
            scope)
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        switch state {
        case .metadata: return continued(fetch.resume(event, &registers, scope), &registers, scope)
        case .asking: return read(event, &registers, scope)
        case .fetchingKeys(let response, var reading):
            let progress = reading.resume(event, &registers, scope)
            return finished(progress, response, reading, &registers, scope)
        case .askingMore(let index): return readMore(event, index, &registers, scope)
        }
    }

    private mutating func continued(
        _ progress: MetadataFetch.Progress, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .perform(let effect): return .perform(effect)
        case .failed(let result): return .finish(result.asImplicitDiscovery())
        case .failedAction(let action): return action
        case .ready(let known, _):
            let facts = scope.provider.descriptor.userinfo
            guard known.fields.userinfoEndpoint != nil || facts.operation.request.endpoint != nil else {
                return withoutEndpoint("the provider names no userinfo_endpoint", &registers, scope)
            }
            state = .asking
            return ask(
                facts.operation.request, facts.placement, known.fields.userinfoEndpoint,
                isSigned: isSigned(scope), &registers, scope)
        }
    }

    /// Maps what the answers so far say of the person; `unsupported` where the descriptor maps nothing of them.
    private func withoutEndpoint(
        _ reason: String, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        let facts = scope.provider.descriptor
        // Where nothing but the ID token could say who it is, there must have been one.
        let isNamed =
            !facts.claims.rules.isEmpty || facts.claims.source == .token
            || scope.tokens("use", registers).claims != nil
        guard facts.hasProfileWithoutUserInfo, isNamed else {
            return .finish(.failed(.unsupported, nil, reason))
        }
        return unasked(reason, &registers, scope)
    }

    /// Nobody is asked who the person is, so the one whom the flow expects must be known already.
    private func unasked(
        _ reason: String, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        registers.notes.add(.note("not asked: \(reason)"))
        let action = finish(&registers, scope)
        guard let expected = scope.value("expect_sub", &registers).text, case .finish(let result) = action
        else { return action }
        let set = result.tokens?.value
        // What a flow has found in some answer is nobody's proof.
        let proven = set?.isSubjectAsserted == true ? nil : set?.subject
        var log = CheckLog()
        defer { registers.note(log) }
        do throws(ProtocolError) {
            try log.require(
                proven.map { ConstantTime.equal($0, expected) } ?? false,
                Checks.userInfoSubject, expected: "the person whom the flow expects",
                actual: "another, or nobody")
            return action
        } catch {
            return .finish(
                .failed(.subjectMismatch, Checks.userInfoSubject.name, "it is not the person expected"))
        }
    }

    private func isWanted(
        _ condition: CodeRange?, _ registers: inout Registers, _ scope: StepScope
    ) -> Bool {
        guard let condition else { return true }
        let set = scope.tokens("use", registers)
        // A failure to make the client's secret has no part in a condition.
        guard let request = try? scope.describe(DialectFacts(), tokens: set, userinfo: claims, &registers)
        else {
            return false
        }
        return scope.provider.bound.holds(condition, request.inputs)
    }

    private func ask(
        _ facts: DialectFacts, _ placement: TokenPlacement?, _ endpoint: String?, isSigned: Bool = false,
        _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        let set = scope.tokens("use", registers)
        guard set.isPresentable else {
            return .finish(.failed(.unsupported, nil, "the token is no access token (\(set.tokenType))"))
        }
        return scope.send(facts, to: endpoint, .userinfo, tokens: set, userinfo: claims, &registers) {
            endpoint, client, dialect in
            UserInfoRequest.plan(
                endpoint: endpoint, accessToken: set.accessToken, dialect: dialect, placement: placement,
                client: facts.named(client), isSigned: isSigned, step: scope.name)
        }
    }

    private mutating func read(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope)
        -> StepAction
    {
        let response: HTTPResponse
        switch HTTPStep.reply(event, &registers, burning: false) {
        case .trouble(let result): return .finish(result)
        case .answer(let answer): response = answer
        }
        if scope.provider.descriptor.userinfo.operation.response.successStatus.contains(response.status),
            isSigned(scope)
        {
            if let refusal = unsigned(response, &registers) { return .finish(refusal) }
            var reading = SignedReading("the answer") { keys, registers, scope, log throws(ProtocolError) in
                try Self.answer(response, keys, &registers, scope, &log)
            }
            let progress = reading.start(scope.provider.userinfoMACKey, &registers, scope)
            return finished(progress, response, reading, &registers, scope)
        }
        var log = CheckLog()
        let outcome = Result { () throws(ProtocolError) in
            try Self.answer(response, nil, &registers, scope, &log)
        }
        return finished(outcome, log, response, &registers, scope)
    }

    /// Whether the client registered the answer to be a JWT; one that nobody asked for is refused when it is read.
    private func isSigned(_ scope: StepScope) -> Bool {
        let descriptor = scope.provider.descriptor
        return descriptor.client.userinfoSignedResponseAlgorithm != nil
            || scope.provider.userinfoEncryption != nil
            || descriptor.userinfo.operation.response.format == .jwt
    }

    /// Why claims that should be signed and are plain JSON are refused; no key need be fetched for that.
    private func unsigned(_ response: HTTPResponse, _ registers: inout Registers) -> StepResult? {
        guard response.body.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return nil }
        var log = CheckLog()
        let error = log.failure(
            Checks.userInfoSignature, expected: "signed claims, as the client registered",
            actual: "claims without a signature")
        registers.note(log)
        return result(of: error, response, registers.now)
    }

    private mutating func finished(
        _ progress: SignedReading<UserInfoResponse>.Progress, _ response: HTTPResponse,
        _ reading: SignedReading<UserInfoResponse>, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        switch progress {
        case .action(let action):
            state = .fetchingKeys(response, reading)
            return action
        case .failed(let result):
            var result = result
            if result.outcome == .keysUnavailable { result.outcome = .network }
            return .finish(result)
        case .read(let outcome, let log): return finished(outcome, log, response, &registers, scope)
        }
    }

    private mutating func finished(
        _ outcome: Result<UserInfoResponse, ProtocolError>, _ log: CheckLog, _ response: HTTPResponse,
        _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        registers.note(log)
        switch outcome {
        case .success(let answer):
            claims = answer.claims
            return askMore(from: 0, &registers, scope)
        case .failure(let error):
            return .finish(
                scope.classified(
                    result(of: error, response, registers.now), response,
                    readBy: scope.provider.descriptor.userinfo.operation, log))
        }
    }

    /// - Parameter keys: What an answer that is a JWT was signed with; `nil` for plain JSON.
    private static func answer(
        _ response: HTTPResponse, _ keys: SignatureKeys?, _ registers: inout Registers, _ scope: StepScope,
        _ log: inout CheckLog
    ) throws(ProtocolError) -> UserInfoResponse {
        let expected = scope.value("expect_sub", &registers).text ?? scope.tokens("use", registers).subject
        let isOpenID = scope.provider.descriptor.wireProtocol == .oidc
        let response =
            if let keys { try signedClaims(response, keys, registers, scope, &log) } else { response }
        return try UserInfoResponse.read(
            response, expectedSubject: expected, subjectMember: isOpenID ? "sub" : nil,
            dialect: scope.provider.descriptor.userinfo.operation.response.ofJSON, log: &log)
    }

    /// The claims of a signed answer as the JSON answer that they stand for (OIDC Core §5.3.2).
    private static func signedClaims(
        _ response: HTTPResponse, _ keys: SignatureKeys, _ registers: Registers, _ scope: StepScope,
        _ log: inout CheckLog
    ) throws(ProtocolError) -> HTTPResponse {
        let provider = scope.provider
        let registered = provider.descriptor.client.userinfoSignedResponseAlgorithm
        let allowed =
            registered.map { [$0] } ?? provider.allowedAlgorithms(registers.metadata[scope.providerIndex])
        let token = Secret(response.tokenText, kind: .other)
        let signed = try provider.opened(token, provider.userinfoEncryption, log: &log)
        let jws = try keys.verify(signed, allowed: allowed, log: &log)
        try SignedUserInfo.check(
            jws, issuers: provider.expectedIssuers(jws), clientID: provider.registration.clientID,
            now: registers.now, log: &log)
        return HTTPResponse(
            status: response.status, fields: [HTTPField("Content-Type", "application/json")],
            body: jws.payload)
    }

    private func result(of error: ProtocolError, _ response: HTTPResponse, _ now: Int64) -> StepResult {
        var result = HTTPStep.result(of: error, .resource, now, response, burning: false)
        if case .failed(Checks.userInfoSubject, _, _) = error { result.outcome = .subjectMismatch }
        if result.outcome == .insufficientAuth { result.challenge = AuthenticationChallenge(response) }
        return result
    }

    /// The descriptor's `also` requests one after the other, those whose condition holds.
    private mutating func askMore(from first: Int, _ registers: inout Registers, _ scope: StepScope)
        -> StepAction
    {
        let more = scope.provider.descriptor.userinfo.also
        for index in first..<more.count {
            guard isWanted(more[index].condition, &registers, scope) else { continue }
            state = .askingMore(index)
            return ask(more[index].operation.request, more[index].placement, nil, &registers, scope)
        }
        return finish(&registers, scope)
    }

    private mutating func readMore(
        _ event: InputEvent, _ index: Int, _ registers: inout Registers, _ scope: StepScope
    ) -> StepAction {
        let more = scope.provider.descriptor.userinfo.also[index]
        switch HTTPStep.reply(event, &registers, burning: false) {
        case .trouble(let result):
            return .finish(result)
        case .answer(let response):
            // What an additional request lacks is a gap in the profile, not a reason to refuse the sign-in.
            if let value = UserInfoResponse.additional(response, dialect: more.operation.response) {
                additional[more.name] = value
            } else {
                registers.notes.add(
                    .warning(
                        "the additional request \"\(more.name)\" brought nothing usable (HTTP \(response.status))"
                    ))
            }
        }
        return askMore(from: index + 1, &registers, scope)
    }

    private func finish(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        let index = scope.tokenSet("use")
        guard var set = registers.tokenSets[index] else {
            preconditionFailure("the token set was there when the step began")
        }
        var unread: [UnreadClaim] = []
        let profile = scope.provider.profile(
            idToken: set.claims, userinfo: claims, tokens: set.members, callback: set.captured,
            additional: additional, unread: &unread)
        for claim in unread { registers.notes.add(.warning(claim.text)) }
        if set.subject == nil || set.isSubjectAsserted, let subject = profile["sub"]?.stringValue {
            set.subject = subject
            set.isSubjectAsserted = false
        }
        if set.subject == nil, let reason = namelessness(scope) {
            registers.notes.add(.warning("nobody is named: \(reason)"))
        }
        var result = StepResult(.ok, fields: [.json(.object(claims)), .json(.object(profile))])
        result.tokens = PendingTokens(set, at: index)
        return .finish(result)
    }

    /// Why the profile has no subject; `nil` where nobody could expect one.
    private func namelessness(_ scope: StepScope) -> String? {
        let names = RemoteText.sanitize(claims.keys.prefix(8).joined(separator: ", "), limit: 200)
        guard scope.provider.descriptor.claims.rules.contains(where: { $0.name == "sub" }) else {
            guard !claims.isEmpty else { return nil }
            return
                "the answer has no sub, and no claims of the provider's file say what stands for it: \(names)"
        }
        let place = claims.isEmpty ? "answers" : "answer, which has \(names)"
        return "claims.sub finds nothing in the \(place)"
    }
}

extension DialectFacts {
    /// The client as the request names it: as it is proven, by its id alone, or not at all.
    fileprivate func named(_ client: ClientRegistration) -> ClientRegistration? {
        guard authenticationMethod == nil else { return client }
        guard includesClientID else { return nil }
        var client = client
        client.authenticationMethod = .none
        return client
    }
}
