internal import JOSE
internal import OAuthProtocol

extension SandboxProvider {
    /// - SeeAlso: OIDC Core §5.3, RFC 6750 §2.1 and §3
    func userInfo(_ request: ServerRequest, now: Int64) -> SandboxReply {
        faulted(.userinfo, protocolError: challenge) { actions in
            do throws(AccessRefusal) {
                return try claims(request, actions, now: now)
            } catch {
                return answer(error, actions)
            }
        }
    }

    private func claims(
        _ request: ServerRequest, _ actions: [Fault.Action], now: Int64
    ) throws(AccessRefusal) -> HTTPResponse {
        let access = try access(request, actions, now: now)
        guard let user = configuration.user(access.grant.username) else {
            throw AccessRefusal(code: "invalid_token")
        }
        guard access.record.scopes.contains(Scope.openID) else {
            throw AccessRefusal(code: "insufficient_scope", parameters: [("scope", Scope.openID)])
        }
        var claims = user.claims(scopes: access.record.scopes, issuer: configuration.issuer)
        let wanted = user.claims(names: access.grant.claims.userInfo, issuer: configuration.issuer)
        for (name, value) in wanted where claims[name] == nil { claims[name] = value }
        if actions.contains(.otherSubject) { claims["sub"] = .string(Wrong.subject) }
        return Answer.json(claims, fields: Answer.noStore + nonceFields(access, actions))
    }
}
