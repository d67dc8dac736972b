internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// Revocation and introspection: both take a token from the client that it was issued to.
extension SandboxProvider {
    /// - SeeAlso: RFC 7009 §2
    func revoke(_ request: ServerRequest, now: Int64) -> HTTPResponse {
        answer(request) { form, client throws(RequestFlaw) in
            let token = TokenHash(of: try required("token", form))
            state.withLock { $0.ledger.revoke(token, clientID: client.id) }
            // A token that is unknown is as good as revoked.
            return HTTPResponse(status: 200, fields: Answer.noStore)
        }
    }

    /// - SeeAlso: RFC 7662 §2
    func introspect(_ request: ServerRequest, now: Int64) -> HTTPResponse {
        answer(request) { form, client throws(RequestFlaw) in
            let token = TokenHash(of: try required("token", form))
            let found = state.withLock { state -> (grant: Grant, scopes: [String])? in
                if let found = state.ledger.access(token, now: now) { return found }
                guard let record = state.ledger.refreshTokens[token], !record.isSpent,
                    let grant = state.ledger.grants[record.grantID]
                else { return nil }
                return (grant, grant.scopes)
            }
            guard let (grant, scopes) = found, grant.clientID.hasBytes(of: client.id) else {
                return Answer.json(["active": false])
            }
            var body: JSONObject = [
                "active": true, "scope": .string(scopes.joined(separator: " ")),
                "client_id": .string(grant.clientID), "iss": .string(configuration.issuer),
            ]
            body["sub"] = configuration.user(grant.username).map { .string($0.subject) }
            return Answer.json(body)
        }
    }

    /// Serves a form of a client that has proved who it is.
    func answer(
        _ request: ServerRequest,
        _ body: (Parameters, SandboxClient) throws(RequestFlaw) -> HTTPResponse
    ) -> HTTPResponse {
        do throws(TokenRefusal) {
            let form = try checked(Parameters(form: request), request)
            let client = try TokenClient.authenticate(request, form, configuration)
            do throws(RequestFlaw) {
                return try body(form, client)
            } catch {
                throw TokenRefusal(flaw: error)
            }
        } catch {
            return error.response
        }
    }
}
