internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Calls the UserInfo endpoint, then the descriptor's further requests, and maps the profile (OIDC Core §5.3).
struct UserInfoStep: Sendable {
    private enum State: Sendable {
        case metadata
        case asking
        case askingMore(Int)
    }

    private var fetch = MetadataFetch()
    private var state = State.metadata
    private var claims: JSONObject = [:]
    private var additional: [String: JSONValue] = [:]

    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        guard scope.provider.descriptor.userinfo.isSupported else {
            return .finish(.failed(.unsupported, nil, "the provider has no UserInfo endpoint"))
        }
        return continued(
            fetch.start(&registers, scope, needs: { $0.userinfoEndpoint == nil }), &registers, scope)
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        switch state {
        case .metadata: continued(fetch.resume(event, &registers, scope), &registers, scope)
        case .asking: read(event, &registers, scope)
        case .askingMore(let index): readMore(event, index, &registers, scope)
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
            guard let endpoint = known.fields.userinfoEndpoint else {
                return .finish(.failed(.unsupported, nil, "the provider names no userinfo_endpoint"))
            }
            state = .asking
            return ask(endpoint, &registers, scope)
        }
    }

    private func ask(_ endpoint: String, _ registers: inout Registers, _ scope: StepScope) -> StepAction {
        guard let set = registers.tokenSets[scope.tokenSet("use")] else {
            preconditionFailure("the linter lets no step use a token set that is not set")
        }
        guard set.isBearer else {
            return .finish(.failed(.unsupported, nil, "the token is no access token (\(set.tokenType))"))
        }
        let plan = UserInfoRequest.plan(
            endpoint: endpoint, accessToken: set.accessToken, dialect: scope.provider.userinfoDialect(),
            step: scope.name)
        return HTTPStep.send(plan, .userinfo, &registers, scope)
    }

    private mutating func read(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope)
        -> StepAction
    {
        let response: HTTPResponse
        switch HTTPStep.reply(event, &registers, burning: false) {
        case .trouble(let result): return .finish(result)
        case .answer(let answer): response = answer
        }
        let expected =
            scope.value("expect_sub", &registers).text
            ?? registers.tokenSets[scope.tokenSet("use")].flatMap(\.subject)
        let isOpenID = scope.provider.descriptor.wireProtocol == .oidc
        var log = CheckLog()
        defer { registers.notes.add(.checks(log.results)) }
        do throws(ProtocolError) {
            let answer = try UserInfoResponse.read(
                response, expectedSubject: expected, subjectMember: isOpenID ? "sub" : nil,
                dialect: scope.provider.descriptor.userinfo.operation.response, log: &log)
            claims = answer.claims
            return askMore(from: 0, &registers, scope)
        } catch {
            return .finish(result(of: error, response, registers.now))
        }
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
            guard scope.provider.wants(more[index], userinfo: claims),
                let endpoint = scope.provider.endpoint(of: more[index])
            else { continue }
            state = .askingMore(index)
            return ask(endpoint, &registers, scope)
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
            if response.status == 200, let value = try? JSON.parse(response.body) {
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
        let profile = scope.provider.profile(
            idToken: set.claims, userinfo: claims, tokens: set.members, additional: additional)
        if set.subject == nil { set.subject = profile["sub"]?.stringValue }
        var result = StepResult(.ok, fields: [.json(.object(claims)), .json(.object(profile))])
        result.tokens = PendingTokens(set, at: index)
        return .finish(result)
    }
}
