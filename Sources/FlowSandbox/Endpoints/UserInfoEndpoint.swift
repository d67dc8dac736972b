internal import JOSE
internal import OAuthProtocol
internal import Synchronization

extension SandboxProvider {
    /// - SeeAlso: OIDC Core §5.3, RFC 6750 §2.1 and §3
    func userInfo(_ request: ServerRequest, now: Int64) -> SandboxReply {
        let actions = state.withLock { $0.faults.hit(.userinfo) }
        return FaultedAnswer(actions, protocolError: { Self.refusal($0) }).reply {
            answer(request, isOther: actions.contains(.otherSubject), now: now)
        }
    }

    private func answer(_ request: ServerRequest, isOther: Bool, now: Int64) -> HTTPResponse {
        guard let field = request.field("Authorization") else {
            // No error code: the client may not have known that a token is needed (RFC 6750 §3.1).
            return Self.refusal(nil)
        }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, String(parts[0]).equalsIgnoringASCIICase("Bearer") else {
            return Self.refusal("invalid_request")
        }
        let token = TokenHash(of: trimmed(parts[1]))
        guard let (grant, scopes) = state.withLock({ $0.ledger.access(token, now: now) }),
            let user = configuration.user(grant.username)
        else { return Self.refusal("invalid_token") }
        guard scopes.contains(Scope.openID) else { return Self.refusal("insufficient_scope") }
        var claims = user.claims(scopes: scopes, issuer: configuration.issuer)
        if isOther { claims["sub"] = .string(Wrong.subject) }
        return Answer.json(claims)
    }

    /// - SeeAlso: RFC 6750 §3 and §3.1
    private static func refusal(_ code: String?) -> HTTPResponse {
        let realm = "Bearer realm=\"flowrun sandbox\""
        let (status, detail) =
            switch code {
            case .none: (401, "")
            case .some("invalid_request"): (400, ", error=\"invalid_request\"")
            case .some("insufficient_scope"): (403, ", error=\"insufficient_scope\", scope=\"openid\"")
            case .some(let code): (401, ", error=\"\(code)\"")
            }
        return HTTPResponse(
            status: status, fields: [HTTPField("WWW-Authenticate", realm + detail)] + Answer.noStore)
    }
}
