internal import JOSE
internal import OAuthProtocol
internal import Synchronization

extension SandboxProvider {
    /// Issues a code and carries it to the client, unless the callback is to go wrong.
    ///
    /// - SeeAlso: RFC 6749 §4.1.2, RFC 9207 §2
    func sendCode(
        _ request: AcceptedRequest, _ signIn: PendingAuthorization.SignIn, now: Int64
    ) -> HTTPResponse {
        let grant = Grant(
            id: newToken(), clientID: request.clientID, username: signIn.username, scopes: request.scopes,
            nonce: request.nonce, acr: request.acr, authenticatedAt: signIn.time,
            resources: request.extensions.resources, details: request.extensions.details,
            claims: request.extensions.claims)
        let record = CodeRecord(
            grant: grant, redirectURI: request.redirectURI, codeChallenge: request.codeChallenge,
            key: request.extensions.key, expiresAt: now / 1000 + configuration.lifetimes.code)
        let code = newToken()
        state.withLock { $0.ledger.issue(TokenHash(of: code), record, now: now / 1000) }
        var answer = CallbackAnswer(
            clientID: request.clientID, redirectURI: request.redirectURI, mode: request.mode,
            parameters: [("code", code)], state: request.state)
        do throws(SandboxError) {
            if let token = try idToken(beside: code, grant, request, now: now / 1000) {
                answer.parameters.append(("id_token", token))
            }
        } catch {
            return Answer.text(500, "The sandbox cannot sign an ID token.")
        }
        return deliver(answer, now: now)
    }

    /// The ID token of a hybrid flow; `nil` where none was asked for, or it is to be absent (OIDC Core §3.3.2.11).
    private func idToken(
        beside code: String, _ grant: Grant, _ request: AcceptedRequest, now: Int64
    ) throws(SandboxError) -> String? {
        guard request.wantsIDToken, let user = configuration.user(grant.username) else { return nil }
        var draft = IDTokenDraft.make(
            grant: grant, user: user, nonce: grant.nonce, beside: .code(code, state: request.state), now: now,
            configuration: configuration)
        let (actions, keys) = state.withLock { ($0.faults.hit(.answer), $0.keys) }
        for action in actions {
            if case .idToken(let defect) = action { draft.apply(defect) }
        }
        return try draft.signed(keys, configuration.algorithm)
    }

    func send(_ error: AuthorizationError, now: Int64) -> HTTPResponse {
        let answer = CallbackAnswer(
            clientID: error.clientID, redirectURI: error.redirectURI, mode: error.mode,
            parameters: [("error", error.code), ("error_description", error.description)], state: error.state)
        return deliver(answer, now: now)
    }

    func error(
        _ code: String, _ description: String, _ request: AcceptedRequest
    ) -> AuthorizationError {
        AuthorizationError(
            code: code, description: description, clientID: request.clientID,
            redirectURI: request.redirectURI, state: request.state, mode: request.mode)
    }

    private func deliver(_ answer: CallbackAnswer, now: Int64) -> HTTPResponse {
        var answer = answer
        if let state = answer.state { answer.parameters.append(("state", state)) }
        answer.parameters.append(("iss", configuration.issuer))
        for action in state.withLock({ $0.faults.hit(.callback) }) {
            if case .callback(let defect) = action { answer.apply(defect) }
        }
        guard answer.mode.isSecured else { return answer.response }
        do throws(SandboxError) {
            answer.parameters = [("response", try secured(answer, now: now / 1000))]
            return answer.response
        } catch {
            return Answer.text(500, "The sandbox cannot sign an authorization response.")
        }
    }

    /// The parameters as the claims of a JWT (JARM §2.1).
    private func secured(_ answer: CallbackAnswer, now: Int64) throws(SandboxError) -> String {
        var claims: JSONObject = [
            "iss": .string(configuration.issuer), "aud": .string(answer.clientID), "exp": .int(now + 600),
        ]
        for (name, value) in answer.parameters { claims[name] = .string(value) }
        var draft = SignedDraft(type: "JWT", claims: claims)
        let (actions, keys) = state.withLock { ($0.faults.hit(.jarm), $0.keys) }
        for action in actions {
            if case .jarm(let defect) = action { draft.apply(defect) }
        }
        return try draft.signed(keys, configuration.algorithm) ?? ""
    }
}

/// An authorization response on its way to the client.
private struct CallbackAnswer {
    let clientID: String
    let redirectURI: String
    var mode: ResponseMode
    var parameters: [(name: String, value: String)]
    let state: String?

    var response: HTTPResponse {
        guard mode.isForm else {
            let mark = redirectURI.contains("?") ? "&" : "?"
            return Answer.seeOther(redirectURI + mark + QueryItems.encode(parameters))
        }
        return FormPostPage(redirectURI: redirectURI, parameters: parameters).answer()
    }

    mutating func apply(_ defect: Fault.CallbackDefect) {
        switch defect {
        case .wrongState: replace("state", Wrong.state)
        case .missingState: parameters.removeAll { $0.name == "state" }
        case .otherIssuer: replace("iss", Wrong.issuer)
        case .missingIssuer: parameters.removeAll { $0.name == "iss" }
        case .error(let code):
            let kept = parameters.filter { !["code", "error", "error_description"].contains($0.name) }
            parameters = [("error", code), ("error_description", deliberate)] + kept
        case .duplicateCode: parameters = parameters.filter { $0.name == "code" } + parameters
        case .mode(let name): mode = mode.travelling(asForm: name == ResponseMode.formPost.rawValue)
        case .unsecured: mode = mode.isForm ? .formPost : .query
        }
    }

    private mutating func replace(_ name: String, _ value: String) {
        parameters = parameters.map { $0.name == name ? (name, value) : $0 }
    }
}
