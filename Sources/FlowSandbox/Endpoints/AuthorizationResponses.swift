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
            nonce: request.nonce, acr: request.acr, authenticatedAt: signIn.time)
        let record = CodeRecord(
            grant: grant, redirectURI: request.redirectURI, codeChallenge: request.codeChallenge,
            expiresAt: now / 1000 + configuration.lifetimes.code)
        let code = newToken()
        state.withLock { $0.ledger.issue(TokenHash(of: code), record, now: now / 1000) }
        return redirect(to: request.redirectURI, [("code", code)], state: request.state)
    }

    func send(_ error: AuthorizationError) -> HTTPResponse {
        redirect(
            to: error.redirectURI, [("error", error.code), ("error_description", error.description)],
            state: error.state)
    }

    func error(
        _ code: String, _ description: String, _ request: AcceptedRequest
    ) -> AuthorizationError {
        AuthorizationError(
            code: code, description: description, redirectURI: request.redirectURI, state: request.state)
    }

    private func redirect(
        to redirectURI: String, _ parameters: [(name: String, value: String)], state: String?
    ) -> HTTPResponse {
        var items = parameters
        if let state { items.append(("state", state)) }
        items.append(("iss", configuration.issuer))
        for action in self.state.withLock({ $0.faults.hit(.callback) }) {
            if case .callback(let defect) = action { items = Self.spoil(items, defect) }
        }
        return Answer.seeOther(
            redirectURI + (redirectURI.contains("?") ? "&" : "?") + QueryItems.encode(items))
    }

    private static func spoil(
        _ items: [(name: String, value: String)], _ defect: Fault.CallbackDefect
    ) -> [(name: String, value: String)] {
        func replacing(_ name: String, _ value: String) -> [(name: String, value: String)] {
            items.map { $0.name == name ? (name, value) : $0 }
        }
        switch defect {
        case .wrongState: return replacing("state", Wrong.state)
        case .missingState: return items.filter { $0.name != "state" }
        case .otherIssuer: return replacing("iss", Wrong.issuer)
        case .missingIssuer: return items.filter { $0.name != "iss" }
        case .error(let code):
            let kept = items.filter { !["code", "error", "error_description"].contains($0.name) }
            return [("error", code), ("error_description", "the sandbox was asked for this fault")] + kept
        case .duplicateCode: return items.filter { $0.name == "code" } + items
        }
    }
}
