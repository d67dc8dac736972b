internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// Revocation takes a token from the client that it was issued to, introspection an access token from a resource too.
extension SandboxProvider {
    /// - SeeAlso: RFC 7009 §2
    func revoke(_ request: ServerRequest, now: Int64) -> SandboxReply {
        faulted(.revocation) { _ in
            answer(request, now: now) { form, client throws(RequestFlaw) in
                let token = TokenHash(of: try required("token", form))
                state.withLock { $0.ledger.revoke(token, clientID: client.id) }
                // A token that is unknown is as good as revoked.
                return HTTPResponse(status: 200, fields: Answer.noStore)
            }
        }
    }

    /// Answers plainly, or with a JWT where the client asks for that.
    ///
    /// - SeeAlso: RFC 7662 §2, RFC 9701 §4 and §5
    func introspect(_ request: ServerRequest, now: Int64) -> SandboxReply {
        faulted(.introspection) { actions in
            answer(request, now: now) { form, client throws(RequestFlaw) in
                let token = TokenHash(of: try required("token", form))
                let body = state.withLock { found(token, client, &$0, now: now) }
                guard request.field("Accept")?.contains(SignedIntrospection.mediaType) == true,
                    !actions.contains(.plainIntrospection)
                else {
                    return Answer.json(body)
                }
                return signed(body, client, actions, now: now / 1000)
            }
        }
    }

    /// What is known of a token; of one that is not for the client to know, nothing (RFC 7662 §2.2).
    ///
    /// A resource is a client that proves who it is, and asks about access tokens that others bring to it.
    private func found(
        _ token: TokenHash, _ client: SandboxClient, _ state: inout SandboxState, now: Int64
    ) -> JSONObject {
        if let (grant, record) = state.ledger.access(token, now: now),
            client.isTrusted || grant.clientID.hasBytes(of: client.id)
        {
            var body = members(grant, record.scopes)
            body["token_type"] = .string(record.key == nil ? "Bearer" : DPoPProof.scheme)
            body["exp"] = .int(record.expiresAt / 1000)
            body["cnf"] = record.key.map { ["jkt": .string($0)] }
            if !record.resources.isEmpty { body["aud"] = .array(record.resources.map(JSONValue.string)) }
            return body
        }
        guard let record = state.ledger.refreshTokens[token], !record.isSpent,
            let grant = state.ledger.grants[record.grantID], grant.clientID.hasBytes(of: client.id)
        else { return ["active": false] }
        return members(grant, grant.scopes)
    }

    private func members(_ grant: Grant, _ scopes: [String]) -> JSONObject {
        var body: JSONObject = [
            "active": true, "client_id": .string(grant.clientID), "iss": .string(configuration.issuer),
        ]
        if !scopes.isEmpty { body["scope"] = .string(scopes.joined(separator: " ")) }
        body["sub"] = configuration.user(grant.username).map { .string($0.subject) }
        body["username"] = grant.username.isEmpty ? nil : .string(grant.username)
        if !grant.details.isEmpty {
            body["authorization_details"] = .array(grant.details.map(JSONValue.object))
        }
        // RFC 9470 §6.2.
        body["acr"] = grant.acr.map(JSONValue.string)
        body["auth_time"] = grant.username.isEmpty ? nil : .int(grant.authenticatedAt)
        return body
    }

    private func signed(
        _ body: JSONObject, _ client: SandboxClient, _ actions: [Fault.Action], now: Int64
    ) -> HTTPResponse {
        var draft = SignedDraft(
            type: SignedIntrospection.type,
            claims: [
                "iss": .string(configuration.issuer), "aud": .string(client.id), "iat": .int(now),
                "token_introspection": .object(body),
            ])
        for action in actions {
            if case .introspection(let defect) = action { draft.apply(defect) }
        }
        let keys = state.withLock { $0.keys }
        do throws(SandboxError) {
            return Answer.body(
                SignedIntrospection.mediaType, try draft.signed(keys, configuration.algorithm) ?? "")
        } catch {
            return Answer.text(500, "The sandbox cannot sign an introspection response.")
        }
    }

    /// Serves a form of a client that has proved who it is.
    func answer(
        _ request: ServerRequest, now: Int64,
        _ body: (Parameters, SandboxClient) throws(RequestFlaw) -> HTTPResponse
    ) -> HTTPResponse {
        do throws(TokenRefusal) {
            let form = try checked(Parameters(form: request), request)
            let client = try authenticate(request, form, now: now)
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
