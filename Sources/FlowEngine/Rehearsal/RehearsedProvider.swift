internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Plays the provider in a rehearsal: answers that pass every check, shaped by the descriptor.
struct RehearsedProvider: Sendable {
    private var nonce: String?
    private var scopes: [String] = []
    private var acr: String?
    private var authTime: Int64 = 0
    private var issued = 0

    /// Takes note of what an authorization request demanded.
    mutating func authorize(_ plan: RequestPlan, now: Int64) {
        nonce = Self.text(plan.query, "nonce")
        scopes = Self.text(plan.query, "scope")?.split { $0 == " " || $0 == "," }.map(String.init) ?? []
        acr = Self.text(plan.query, "acr_values")?.split(separator: " ").first.map(String.init)
        authTime = now
    }

    private static func text(_ parameters: [RequestParameter], _ name: String) -> String? {
        switch parameters.first(where: { $0.name == name })?.value {
        case .text(let text)?: text
        case .secret(let secret)?: secret.reveal()
        case .basic?, .scheme?, nil: nil
        }
    }

    func callback(_ wait: CallbackWait, _ provider: BoundProvider?) -> [(name: String, value: String)] {
        var parameters = [
            (name: "code", value: "rehearsed-code"), (name: "state", value: wait.state.reveal()),
        ]
        if let issuer = provider?.declared.issuer { parameters.append((name: "iss", value: issuer)) }
        return parameters
    }

    mutating func answer(_ exchange: HTTPExchange, _ provider: BoundProvider, now: Int64) -> HTTPResponse {
        switch exchange.purpose {
        case .discovery: Self.json(200, metadata(provider))
        case .jwks: Self.json(200, ["keys": .array([RehearsalKey.publicJWK])])
        case .token: Self.json(200, tokens(provider, exchange.plan, withIDToken: true, now))
        case .refresh: Self.json(200, tokens(provider, exchange.plan, withIDToken: false, now))
        case .userinfo: Self.json(200, userinfo(provider))
        }
    }

    /// An error answer of that status, as the endpoint would word it.
    static func refusal(_ status: Int, _ error: String?, _ purpose: HTTPExchange.Purpose) -> HTTPResponse {
        var fields = [HTTPField("Content-Type", "application/json")]
        if purpose == .userinfo, status == 401 || status == 403 {
            let code = error ?? (status == 401 ? "invalid_token" : "insufficient_scope")
            fields.append(HTTPField("WWW-Authenticate", "Bearer error=\"\(code)\""))
        }
        let body: JSONObject = error.map { ["error": .string($0)] } ?? [:]
        return HTTPResponse(
            status: status, fields: fields, body: Array(JSONValue.object(body).serialize().utf8))
    }

    static func json(_ status: Int, _ object: JSONObject) -> HTTPResponse {
        HTTPResponse(
            status: status, fields: [HTTPField("Content-Type", "application/json")],
            body: Array(JSONValue.object(object).serialize().utf8))
    }

    /// A document whose endpoints are visibly placeholders: only the provider knows the real ones.
    private func metadata(_ provider: BoundProvider) -> JSONObject {
        let issuer = provider.declared.issuer ?? ""
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        var document: JSONObject = ["issuer": .string(issuer)]
        for name in ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"] {
            document[name] = .string("\(base)/(\(name))")
        }
        return document
    }

    private mutating func tokens(
        _ provider: BoundProvider, _ plan: RequestPlan, withIDToken: Bool, _ now: Int64
    ) -> JSONObject {
        issued += 1
        var answer: JSONObject = [
            "access_token": .string("rehearsed-access-token-\(issued)"), "token_type": "Bearer",
            "expires_in": .int(Int64(provider.descriptor.tokenLifetime)),
        ]
        if provider.descriptor.refresh.isSupported {
            answer["refresh_token"] = .string("rehearsed-refresh-token-\(issued)")
        }
        if !scopes.isEmpty { answer["scope"] = .string(scopes.joined(separator: " ")) }
        if withIDToken, provider.descriptor.wireProtocol == .oidc {
            answer["id_token"] = idToken(provider, now).map { .string($0) }
        }
        return RehearsedDialect.write(answer, provider.descriptor.token.response)
    }

    private func subject(_ provider: BoundProvider) -> String {
        if let subject = provider.descriptor.userinfoExample?["sub"]?.stringValue { return subject }
        return String(
            Hexadecimal.encode(Digest.sha256(Array(provider.registration.clientID.utf8))).prefix(12))
    }

    private func idToken(_ provider: BoundProvider, _ now: Int64) -> String? {
        var claims: JSONObject = [:]
        claims["iss"] = .string(provider.bound.expectedIssuers(claims: claims).first ?? "")
        claims["sub"] = .string(subject(provider))
        claims["aud"] = .string(provider.registration.clientID)
        claims["iat"] = .int(now / 1000)
        claims["exp"] = .int(now / 1000 + Int64(provider.descriptor.tokenLifetime))
        claims["auth_time"] = .int(authTime / 1000)
        claims["nonce"] = nonce.map { .string($0) }
        claims["acr"] = acr.map { .string($0) }
        return RehearsalKey.sign(claims, provider.allowedAlgorithms(nil))
    }

    private func userinfo(_ provider: BoundProvider) -> JSONObject {
        var answer =
            provider.descriptor.userinfoExample ?? [
                "name": "Rehearsed Person", "email": "person@example.com",
            ]
        if provider.descriptor.wireProtocol == .oidc { answer["sub"] = .string(subject(provider)) }
        return answer
    }

    /// A token set as an earlier run would have stored it.
    func storedTokens(_ provider: BoundProvider, isExpired: Bool, isRefreshable: Bool, now: Int64) -> TokenSet
    {
        let lifetime = Int64(provider.descriptor.tokenLifetime) * 1000
        let subject = provider.descriptor.wireProtocol == .oidc ? subject(provider) : nil
        return TokenSet(
            origin: .store, issuer: provider.sessionIssuer, clientID: provider.registration.clientID,
            accessToken: Secret("rehearsed-stored-access-token", kind: .accessToken), tokenType: "Bearer",
            expiresAt: isExpired ? now - 60_000 : now + lifetime,
            refreshToken: isRefreshable ? Secret("rehearsed-stored-refresh-token", kind: .refreshToken) : nil,
            scopes: provider.authorizationScopes(nil), subject: subject, obtainedAt: now - 86_400_000)
    }
}
