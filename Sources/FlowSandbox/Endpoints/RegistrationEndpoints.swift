internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// Registration of clients, and its management by the clients themselves.
extension SandboxProvider {
    /// - SeeAlso: RFC 7591 §3
    func register(_ request: ServerRequest) -> SandboxReply {
        faulted(.registration, protocolError: registrationError) { _ in
            if let token = configuration.initialAccessToken {
                guard ConstantTime.equal(bearer(request) ?? "", token.reveal()) else {
                    return registrationError("invalid_token")
                }
            }
            let id = "dyn-" + Base64URL.encode(newBytes(12))
            return answer(request, id: id, secret: newToken(), token: newToken(), status: 201)
        }
    }

    /// - SeeAlso: RFC 7592 §2
    func manage(_ id: String, _ request: ServerRequest) -> SandboxReply {
        guard ["GET", "PUT", "DELETE"].contains(request.method) else {
            return .send(Answer.methodNotAllowed("GET, PUT, DELETE"))
        }
        return faulted(.registration, protocolError: registrationError) { _ in
            let client = state.withLock { $0.ledger.clients[id] }
            // A client that is gone and a wrong token look the same (RFC 7592 §2).
            guard let client, let token = bearer(request), TokenHash(of: token) == client.managementToken
            else { return registrationError("invalid_token") }
            switch request.method {
            case "DELETE":
                state.withLock { $0.ledger.unregister(id) }
                return HTTPResponse(status: 204, fields: Answer.noStore)
            case "PUT":
                return update(client, request, token: token)
            default:
                return describe(client, token: token, status: 200)
            }
        }
    }

    private func update(
        _ client: DynamicClient, _ request: ServerRequest, token: String
    ) -> HTTPResponse {
        let sent = (try? JSON.parse(request.body))?.objectValue ?? [:]
        // RFC 7592 §2.2: both must be those that there are.
        guard sent["client_id"]?.stringValue?.hasBytes(of: client.client.id) == true,
            sent["client_secret"]?.stringValue.map({ given in
                client.client.secret.map { ConstantTime.equal($0.reveal(), given) } ?? false
            }) ?? true
        else { return registrationError("invalid_client_metadata") }
        return answer(
            request, id: client.client.id, secret: client.client.secret?.reveal() ?? newToken(), token: token,
            status: 200)
    }

    /// Registers what the body says, in place of what there was.
    private func answer(
        _ request: ServerRequest, id: String, secret: String, token: String, status: Int
    ) -> HTTPResponse {
        let type = request.field("Content-Type")?.split(separator: ";").first.map(trimmed)
        guard type?.equalsIgnoringASCIICase("application/json") == true,
            let sent = (try? JSON.parse(request.body))?.objectValue
        else { return registrationError("invalid_client_metadata") }
        do throws(RequestFlaw) {
            let client = try RequestedClient(sent).client(id: id, secret: secret)
            let dynamic = DynamicClient(
                client: client, managementToken: TokenHash(of: token),
                metadata: RequestedClient.metadata(sent, client))
            state.withLock { $0.ledger.register(dynamic) }
            return describe(dynamic, token: token, status: status)
        } catch {
            return Answer.oauthError(error.code, error.description)
        }
    }

    /// - SeeAlso: RFC 7591 §3.2.1, RFC 7592 §3
    private func describe(_ client: DynamicClient, token: String, status: Int) -> HTTPResponse {
        var body: JSONObject = ["client_id": .string(client.client.id)]
        if let secret = client.client.secret {
            body["client_secret"] = .string(secret.reveal())
            body["client_secret_expires_at"] = 0
        }
        body["registration_access_token"] = .string(token)
        body["registration_client_uri"] = .string(
            Route.registration.url(configuration) + "/" + client.client.id)
        for (name, value) in client.metadata.members { body[name] = value }
        return Answer.json(body, status: status)
    }

    private func bearer(_ request: ServerRequest) -> String? {
        let parts = (request.field("Authorization") ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, String(parts[0]).equalsIgnoringASCIICase("Bearer") else { return nil }
        return trimmed(parts[1])
    }

    private func registrationError(_ code: String) -> HTTPResponse {
        code == "invalid_token"
            ? challenge(code) : Answer.oauthError(code, "the sandbox cannot register this client")
    }
}

/// What somebody wants to register (RFC 7591 §2).
private struct RequestedClient {
    private let members: JSONObject

    init(_ members: JSONObject) { self.members = members }

    /// - Parameter secret: For a client that authenticates with one.
    /// - Throws: `invalid_redirect_uri`, `invalid_client_metadata`.
    func client(id: String, secret: String) throws(RequestFlaw) -> SandboxClient {
        let name = members["token_endpoint_auth_method"]?.stringValue ?? "client_secret_basic"
        guard let method = ClientAuthenticationMethod(rawValue: name) else {
            throw flaw("the authentication method is not supported")
        }
        let grantTypes = try grantTypes()
        let keySet = members["jwks"]?.objectValue
        if let keySet, (try? JWKSet.parse(.object(keySet)))?.keys.isEmpty != false {
            throw flaw("jwks has no key that can be used")
        }
        guard members["jwks_uri"] == nil else { throw flaw("keys are taken from jwks only") }
        guard method != .privateKeyJWT || keySet != nil else { throw flaw("private_key_jwt needs jwks") }
        let hasSecret = [.clientSecretBasic, .clientSecretPost, .clientSecretJWT].contains(method)
        return SandboxClient(
            id: id, name: members["client_name"]?.stringValue ?? id,
            secret: hasSecret ? Secret(secret, kind: .clientSecret) : nil,
            redirectURIs: try redirectURIs(grantTypes), farewells: try addresses("post_logout_redirect_uris"),
            keySet: keySet, authenticationMethods: [method],
            demands: SandboxClient.Demands(
                proof: flag("dpop_bound_access_tokens"),
                pushedRequest: flag("require_pushed_authorization_requests"),
                signedRequest: flag("require_signed_request_object")),
            grantTypes: grantTypes)
    }

    /// What is registered of the metadata, the defaults of RFC 7591 §2 included.
    static func metadata(_ sent: JSONObject, _ client: SandboxClient) -> JSONObject {
        var metadata = sent
        let own = [
            "client_id", "client_secret", "client_secret_expires_at", "client_id_issued_at",
            "registration_access_token", "registration_client_uri", "software_statement",
        ]
        // Nothing is encrypted here.
        let encrypted = sent.keys.filter {
            $0.hasSuffix("_encrypted_response_alg") || $0.hasSuffix("_encrypted_response_enc")
        }
        for name in own + encrypted { metadata[name] = nil }
        metadata["token_endpoint_auth_method"] = client.authenticationMethods.first.map {
            .string($0.rawValue)
        }
        metadata["grant_types"] = .array((client.grantTypes ?? []).map(JSONValue.string))
        metadata["response_types"] = sent["response_types"] ?? ["code"]
        return metadata
    }

    /// What the token endpoint does not know no client can use.
    private func grantTypes() throws(RequestFlaw) -> [String] {
        // RFC 7591 §2: what counts for a client that names none.
        guard let value = members["grant_types"] else { return ["authorization_code"] }
        let elements = value.arrayValue ?? []
        let types = elements.compactMap(\.stringValue)
        guard value.arrayValue != nil, types.count == elements.count,
            types.allSatisfy((SandboxProvider.grantTypes + hybridGrants).contains)
        else { throw flaw("grant_types is no list of grant types that the metadata names") }
        return types
    }

    /// The grant of an ID token beside the code, for a client that registers to get one so (OpenID Connect Registration §2).
    private var hybridGrants: [String] {
        let isHybrid = members["response_types"]?.arrayValue?.contains("code id_token") == true
        return isHybrid ? [SandboxProvider.hybridGrant] : []
    }

    private func redirectURIs(_ grants: [String]) throws(RequestFlaw) -> [String] {
        let uris = try addresses("redirect_uris")
        guard !uris.isEmpty || !grants.contains("authorization_code") else {
            throw RequestFlaw("invalid_redirect_uri", "redirect_uris names none")
        }
        return uris
    }

    /// The addresses of a member that a browser may be sent to.
    private func addresses(_ name: String) throws(RequestFlaw) -> [String] {
        let elements = members[name]?.arrayValue ?? []
        let uris = elements.compactMap(\.stringValue)
        let areAbsolute = uris.allSatisfy {
            $0.utf8.contains(UInt8(ascii: ":")) && !$0.contains("#") && $0.utf8.count <= 2000
        }
        guard uris.count == elements.count, areAbsolute else {
            throw RequestFlaw("invalid_redirect_uri", "\(name) must be absolute, without fragments")
        }
        return uris
    }

    private func flag(_ name: String) -> Bool { members[name]?.boolValue ?? false }

    private func flaw(_ description: String) -> RequestFlaw {
        RequestFlaw("invalid_client_metadata", description)
    }
}
