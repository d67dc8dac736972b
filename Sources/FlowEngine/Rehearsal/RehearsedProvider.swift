internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Plays the provider in a rehearsal: answers that pass every check, shaped by the descriptor.
struct RehearsedProvider: Sendable {
    /// What providers really publish, by issuer, in place of documents made up.
    private let published: [String: DiscoveredMetadata]
    private(set) var nonce: String?
    private(set) var scopes: [String] = []
    private var acr: String?
    /// Whether the answer is to be a JWT (JARM).
    private var isSecured = false
    private var authTime: Int64 = 0
    private(set) var issued = 0
    /// Whether the person has been waited for once already.
    private var hasPolled = false

    init(published: [String: DiscoveredMetadata] = [:]) { self.published = published }

    /// `nil` where nobody has asked.
    private func known(_ provider: BoundProvider) -> KnownMetadata? {
        provider.declared.issuer.flatMap { published[$0] }.map { provider.known($0.fields) }
    }

    /// Takes note of what an authorization request demanded.
    mutating func authorize(_ plan: RequestPlan, now: Int64) {
        // Only the name of a request that was pushed: what it asks for is known already.
        guard Self.text(plan.query, "request_uri") == nil else { return }
        let signed = Self.text(plan.query, "request").flatMap(Self.claims)
        let text = { signed?[$0]?.stringValue ?? Self.text(plan.query, $0) }
        nonce = text("nonce")
        scopes = text("scope")?.split { $0 == " " || $0 == "," }.map(String.init) ?? []
        isSecured = SecuredAuthorizationResponse.isSecured(text("response_mode"))
        acr = text("acr_values")?.split(separator: " ").first.map(String.init)
        authTime = now
    }

    /// The parameters of a request object, which a rehearsal need not verify.
    private static func claims(_ object: String) -> JSONObject? {
        guard let jws = try? JWS.split(object) else { return nil }
        return (try? JSON.parse(jws.payload))?.objectValue
    }

    static func text(_ parameters: [RequestParameter], _ name: String) -> String? {
        switch parameters.first(where: { $0.name == name })?.value {
        case .text(let text)?: text
        case .secret(let secret)?: secret.reveal()
        case .basic?, .scheme?, .json?, nil: nil
        }
    }

    func callback(_ wait: CallbackWait, _ provider: BoundProvider?, now: Int64) -> [(
        name: String, value: String
    )] {
        let state = (name: "state", value: wait.state.reveal())
        if wait.errand == .logout { return [state] }
        var parameters = [(name: "code", value: "rehearsed-code"), state]
        guard let provider else { return parameters }
        if let issuer = provider.declared.issuer { parameters.append((name: "iss", value: issuer)) }
        if provider.descriptor.authorization.wantsIDToken,
            let token = idToken(provider, now, beside: parameters[0].value)
        {
            parameters.append((name: "id_token", value: token))
        }
        if isSecured { return secured(parameters, provider, now) }
        return RehearsedDialect.write(parameters, provider, now: now)
    }

    /// The parameters in a JWT of the provider (JARM §2.3); without one where no key of the rehearsal can sign it.
    private func secured(
        _ parameters: [(name: String, value: String)], _ provider: BoundProvider, _ now: Int64
    ) -> [(name: String, value: String)] {
        var claims: JSONObject = [
            "aud": .string(provider.registration.clientID), "exp": .int(now / 1000 + 600),
        ]
        for (name, value) in parameters { claims[name] = .string(value) }
        let signed = RehearsalKey.sign(
            claims, provider.allowedResponseAlgorithms(known(provider)), provider.registration.secret)
        return signed.map { [(SecuredAuthorizationResponse.parameter, $0)] } ?? parameters
    }

    /// Keys for everything that the provider may sign.
    private func keys(_ provider: BoundProvider) -> JSONValue {
        let uses = [
            provider.allowedAlgorithms(known(provider)), provider.allowedResponseAlgorithms(known(provider)),
            provider.allowedIntrospectionAlgorithms(known(provider)),
        ]
        let sets = uses.map(RehearsalKey.published)
        // Of one key or of two, whichever some message needs.
        return sets.max { ($0.arrayValue?.count ?? 0) < ($1.arrayValue?.count ?? 0) } ?? []
    }

    mutating func answer(
        _ exchange: HTTPExchange, _ provider: BoundProvider, now: Int64, renewsIDTokens: Bool
    ) -> HTTPResponse {
        switch exchange.purpose {
        case .discovery: Self.json(200, metadata(provider))
        case .jwks: Self.json(200, ["keys": keys(provider)])
        case .pushedAuthorization: pushed(exchange.plan, now)
        case .token: tokens(provider, provider.descriptor.token, withIDToken: true, now)
        case .refresh:
            tokens(
                provider, provider.descriptor.refresh.operation,
                withIDToken: renewsIDTokens || provider.descriptor.idToken.isRequired == true, now)
        case .userinfo: userinfo(provider, exchange.plan)
        case .revocation:
            HTTPResponse(status: provider.descriptor.revocation.response.successStatus.lowerBound)
        case .introspection: introspection(provider, exchange.plan, now)
        case .deviceAuthorization: device(provider, exchange.plan, now)
        case .deviceToken: poll(provider, now)
        case .clientCredentials, .jwtBearer: clientTokens(provider, exchange.plan, now)
        case .registration: registration(exchange.plan)
        case .tokenExchange: exchanged(provider, exchange.plan, now)
        case .http: resource(exchange, provider, now)
        }
    }

    /// How the answer to a request is written; `nil` for one of which descriptors say nothing.
    static func dialect(_ exchange: HTTPExchange, _ provider: BoundProvider) -> ResponseDialect? {
        let descriptor = provider.descriptor
        return switch exchange.purpose {
        case .token: descriptor.token.response
        case .refresh: descriptor.refresh.operation.response
        case .userinfo: (more(provider, exchange.plan)?.operation ?? descriptor.userinfo.operation).response
        case .introspection: descriptor.introspection.response
        case .deviceAuthorization: descriptor.deviceAuthorization.response
        case .deviceToken, .clientCredentials, .jwtBearer, .tokenExchange: descriptor.grant.response
        case .http: exchange.sample?.dialect
        case .discovery, .jwks, .pushedAuthorization, .revocation, .registration: nil
        }
    }

    /// Takes note of a pushed request, as of one that the browser brings.
    private mutating func pushed(_ plan: RequestPlan, _ now: Int64) -> HTTPResponse {
        var request = plan
        request.query = plan.body
        authorize(request, now: now)
        return Self.json(
            201, ["request_uri": "urn:ietf:params:oauth:request_uri:rehearsed", "expires_in": 60])
    }

    /// An error answer of that status, as the endpoint would word it.
    static func refusal(_ status: Int, _ error: String?, _ purpose: HTTPExchange.Purpose) -> HTTPResponse {
        var fields = [HTTPField("Content-Type", "application/json")]
        if purpose == .userinfo || purpose == .http, status == 401 || status == 403 {
            let code = error ?? (status == 401 ? "invalid_token" : "insufficient_scope")
            fields.append(HTTPField("WWW-Authenticate", "Bearer error=\"\(code)\""))
        }
        let body: JSONObject = error.map { ["error": .string($0)] } ?? [:]
        return HTTPResponse(
            status: status, fields: fields, body: body.serializedBytes)
    }

    static func json(_ status: Int, _ object: JSONObject) -> HTTPResponse {
        HTTPResponse(
            status: status, fields: [HTTPField("Content-Type", "application/json")],
            body: object.serializedBytes)
    }

    /// A document whose endpoints are visibly placeholders, unless the provider was asked for the real ones.
    private func metadata(_ provider: BoundProvider) -> JSONObject {
        let issuer = provider.declared.issuer ?? ""
        if let published = published[issuer] { return published.document }
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        var document: JSONObject = ["issuer": .string(issuer)]
        // Only a client that pushes its requests needs a place for them.
        let pushed =
            provider.descriptor.client.security.requiresPushedRequests
            ? ["pushed_authorization_request_endpoint"] : []
        let names =
            pushed + [
                "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri",
                "revocation_endpoint",
                "introspection_endpoint", "device_authorization_endpoint", "registration_endpoint",
                "end_session_endpoint",
            ]
        for name in names { document[name] = .string("\(base)/(\(name))") }
        return document
    }

    private mutating func tokens(
        _ provider: BoundProvider, _ operation: OperationFacts, withIDToken: Bool, _ now: Int64
    ) -> HTTPResponse {
        issued += 1
        var answer: JSONObject = [
            "access_token": .string("rehearsed-access-token-\(issued)"),
            "token_type": provider.bindsTokens ? "DPoP" : "Bearer",
            "expires_in": .int(Int64(provider.descriptor.tokenLifetime)),
        ]
        if provider.descriptor.refresh.isSupported {
            answer["refresh_token"] = .string("rehearsed-refresh-token-\(issued)")
        }
        if !scopes.isEmpty { answer["scope"] = .string(scopes.joined(separator: " ")) }
        let descriptor = provider.descriptor
        if withIDToken, descriptor.wireProtocol == .oidc || descriptor.idToken.isRequired == true {
            answer["id_token"] = idToken(provider, now).map { .string($0) }
        }
        return RehearsedDialect.response(answer, operation, now: now)
    }

    func subject(_ provider: BoundProvider) -> String {
        if let subject = provider.descriptor.userinfoExample?["sub"]?.stringValue { return subject }
        return String(
            Hexadecimal.encode(Digest.sha256(Array(provider.registration.clientID.utf8))).prefix(12))
    }

    /// - Parameter code: What it comes with, for `c_hash`.
    func idToken(_ provider: BoundProvider, _ now: Int64, beside code: String? = nil) -> String? {
        var claims = provider.descriptor.userinfoExample ?? [:]
        claims["iss"] = .string(provider.bound.expectedIssuers(claims: claims).first ?? "")
        claims["sub"] = .string(subject(provider))
        claims["aud"] = .string(provider.registration.clientID)
        claims["iat"] = .int(now / 1000)
        claims["exp"] = .int(now / 1000 + Int64(provider.descriptor.tokenLifetime))
        claims["auth_time"] = .int(authTime / 1000)
        claims["nonce"] = nonce.map { .string($0) }
        claims["acr"] = acr.map { .string($0) }
        let allowed = provider.allowedAlgorithms(known(provider))
        if let code {
            let hash = RehearsalKey.algorithm(of: allowed)?.leftHalfHash(of: code)
            claims["c_hash"] = hash.map { .string($0) }
        }
        return RehearsalKey.sign(claims, allowed, provider.registration.secret)
    }

    private func userinfo(_ provider: BoundProvider, _ plan: RequestPlan) -> HTTPResponse {
        let facts = provider.descriptor.userinfo
        if let more = Self.more(provider, plan) {
            let value =
                provider.descriptor.userinfoExample?[more.name] ?? .object(more.operation.example ?? [:])
            return RehearsedDialect.response(value, more.operation.response)
        }
        var answer =
            provider.descriptor.userinfoExample ?? [
                "name": "Rehearsed Person", "email": "person@example.com",
            ]
        for more in facts.also { answer[more.name] = nil }
        if provider.descriptor.wireProtocol == .oidc { answer["sub"] = .string(subject(provider)) }
        guard let signed = signed(answer, provider) else {
            return RehearsedDialect.response(.object(answer), facts.operation.response)
        }
        return HTTPResponse(
            status: 200, fields: [HTTPField("Content-Type", "application/jwt")], body: Array(signed.utf8))
    }

    /// The answer as a JWT, where the client registered for that.
    private func signed(_ answer: JSONObject, _ provider: BoundProvider) -> String? {
        let descriptor = provider.descriptor
        let algorithm = descriptor.client.userinfoSignedResponseAlgorithm
        guard algorithm != nil || descriptor.userinfo.operation.response.format == .jwt else { return nil }
        var claims = answer
        claims["iss"] = .string(provider.bound.expectedIssuers(claims: answer).first ?? "")
        claims["aud"] = .string(provider.registration.clientID)
        return RehearsalKey.sign(
            claims, algorithm.map { [$0] } ?? provider.allowedAlgorithms(known(provider)),
            provider.registration.secret)
    }

    /// The request under `also` that goes there.
    private static func more(_ provider: BoundProvider, _ plan: RequestPlan) -> UserInfoFacts.Additional? {
        let main = provider.descriptor.userinfo.operation.request.endpoint
        return provider.descriptor.userinfo.also.first { more in
            guard let endpoint = more.operation.request.endpoint else { return false }
            if let text = provider.bound.text(endpoint) { return text == plan.endpoint }
            // One that an answer fills in is told from the main request by its place in the file alone.
            let isMain = main.map { main in
                provider.bound.text(main).map { $0 == plan.endpoint } ?? (main.source == endpoint.source)
            }
            return plan.endpointSource == .descriptor(endpoint.source) && isMain != true
        }
    }

    // MARK: Sign-in on another device

    private mutating func device(
        _ provider: BoundProvider, _ plan: RequestPlan, _ now: Int64
    ) -> HTTPResponse {
        scopes = Self.text(plan.body, "scope")?.split { $0 == " " || $0 == "," }.map(String.init) ?? []
        (nonce, acr, authTime, hasPolled) = (nil, nil, now, false)
        let place = provider.declared.issuer ?? "https://rehearsed.example"
        let answer: JSONObject = [
            "device_code": "rehearsed-device-code", "user_code": "WDJB-MJHT",
            "verification_uri": .string(place), "expires_in": 1800, "interval": 5,
        ]
        return RehearsedDialect.response(answer, provider.descriptor.deviceAuthorization, now: now)
    }

    /// Pending the first time, as it nearly always is.
    private mutating func poll(_ provider: BoundProvider, _ now: Int64) -> HTTPResponse {
        guard hasPolled else {
            hasPolled = true
            return Self.json(400, ["error": "authorization_pending"])
        }
        return tokens(provider, provider.descriptor.grant, withIDToken: true, now)
    }

    // MARK: Tokens without a person

    private mutating func clientTokens(
        _ provider: BoundProvider, _ plan: RequestPlan, _ now: Int64
    ) -> HTTPResponse {
        issued += 1
        var answer: JSONObject = [
            "access_token": .string("rehearsed-client-token-\(issued)"),
            "token_type": provider.bindsTokens ? "DPoP" : "Bearer",
            "expires_in": .int(Int64(provider.descriptor.tokenLifetime)),
        ]
        answer["scope"] = Self.text(plan.body, "scope").map { .string($0) }
        return RehearsedDialect.response(answer, provider.descriptor.grant, now: now)
    }

    private mutating func exchanged(
        _ provider: BoundProvider, _ plan: RequestPlan, _ now: Int64
    ) -> HTTPResponse {
        issued += 1
        let type =
            Self.text(plan.body, "requested_token_type")
            ?? TokenExchange.type(of: Secret("", kind: .accessToken))
        let isIDToken = type == TokenExchange.idTokenType
        nonce = nil
        let token = isIDToken ? idToken(provider, now) : nil
        var answer: JSONObject = [
            "access_token": .string(token ?? "rehearsed-exchanged-token-\(issued)"),
            "token_type": isIDToken ? "N_A" : "Bearer", "issued_token_type": .string(type),
            "expires_in": .int(Int64(provider.descriptor.tokenLifetime)),
        ]
        answer["scope"] = Self.text(plan.body, "scope").map { .string($0) }
        return RehearsedDialect.response(answer, provider.descriptor.grant, now: now)
    }

    private func introspection(
        _ provider: BoundProvider, _ plan: RequestPlan, _ now: Int64
    ) -> HTTPResponse {
        let answer: JSONObject = [
            "active": true, "scope": .string(provider.authorizationScopes(nil).joined(separator: " ")),
            "client_id": .string(provider.registration.clientID), "sub": .string(subject(provider)),
            "token_type": "Bearer", "exp": .int(now / 1000 + Int64(provider.descriptor.tokenLifetime)),
        ]
        guard Self.text(plan.fields, "Accept") == SignedIntrospection.mediaType else {
            return RehearsedDialect.response(answer, provider.descriptor.introspection, now: now)
        }
        let claims: JSONObject = [
            "iss": .string(provider.declared.issuer ?? ""), "aud": .string(provider.registration.clientID),
            "iat": .int(now / 1000), "token_introspection": .object(answer),
        ]
        // Without one where no key of the rehearsal can sign it, which its checks then name.
        let token = RehearsalKey.sign(
            claims, provider.allowedIntrospectionAlgorithms(known(provider)), provider.registration.secret,
            type: SignedIntrospection.type)
        return HTTPResponse(
            status: 200, fields: [HTTPField("Content-Type", SignedIntrospection.mediaType)],
            body: Array((token ?? "").utf8))
    }

    // MARK: Registration

    /// What was asked for, with an identifier and the credentials that its method needs.
    private func registration(_ plan: RequestPlan) -> HTTPResponse {
        let method =
            Self.text(plan.body, "token_endpoint_auth_method").flatMap(ClientAuthenticationMethod.init)
            ?? .clientSecretBasic
        var answer: JSONObject = [
            "client_id": "rehearsed-client", "token_endpoint_auth_method": .string(method.rawValue),
            "registration_client_uri": .string(plan.endpoint + "/rehearsed-client"),
            "registration_access_token": "rehearsed-registration-access-token",
        ]
        if method.needsSecret {
            answer["client_secret"] = "rehearsed-client-secret"
            answer["client_secret_expires_at"] = 0
        }
        return Self.json(201, answer)
    }

    // MARK: Other resources

    /// An answer of which every extraction of the step finds a value of its type.
    private mutating func resource(
        _ exchange: HTTPExchange, _ provider: BoundProvider, _ now: Int64
    ) -> HTTPResponse {
        issued += 1
        var body = JSONValue.object([:])
        for row in exchange.sample?.members ?? [] where !row.type.isOptional {
            body.place(member(row, provider, now), at: row.pointer)
        }
        if let sample = exchange.sample, let dialect = sample.dialect {
            return RehearsedDialect.response(body, sample, dialect, now: now)
        }
        return HTTPResponse(
            status: exchange.sample?.status ?? 200, fields: [HTTPField("Content-Type", "application/json")],
            body: body.serializedBytes)
    }

    private func member(_ row: ExtractionRow, _ provider: BoundProvider, _ now: Int64) -> JSONValue {
        switch (row.name, row.type) {
        case ("id_token", _):
            var signer = self
            signer.nonce = nil
            return .string(signer.idToken(provider, now) ?? "rehearsed-id-token")
        case ("subject", .string): return .string(subject(provider))
        case ("expires_in", _): return .int(Int64(provider.descriptor.tokenLifetime))
        case (_, .time): return .int(now / 1000)
        case (_, .duration): return .int(60)
        case (_, .map): return [:]
        case (_, .secret): return .string("rehearsed-\(row.name)-\(issued)")
        case (_, _): return HookValue.json(PortValue.sample(row.name, row.type))
        }
    }

    /// The ID token of an earlier sign-in.
    private func idToken(of provider: BoundProvider, _ then: Int64) -> String? {
        provider.descriptor.wireProtocol == .oidc ? idToken(provider, then) : nil
    }

    /// A token set as an earlier run would have stored it, with an access token for the target.
    func storedTokens(
        _ provider: BoundProvider, isExpired: Bool, isRefreshable: Bool, now: Int64, for target: AccessTarget
    ) -> TokenSet {
        let lifetime = Int64(provider.descriptor.tokenLifetime) * 1000
        let subject = provider.descriptor.wireProtocol == .oidc ? subject(provider) : nil
        var set = TokenSet(
            TokenSet.Parts(
                origin: .store, issuer: provider.sessionIssuer, clientID: provider.registration.clientID,
                accessToken: Secret("rehearsed-stored-access-token", kind: .accessToken), tokenType: "Bearer",
                expiresAt: isExpired ? now - 60_000 : now + lifetime, lifetime: lifetime,
                refreshToken: isRefreshable
                    ? Secret("rehearsed-stored-refresh-token", kind: .refreshToken) : nil,
                idToken: idToken(of: provider, isExpired ? now - 86_400_000 : now - 600_000).map {
                    Secret($0, kind: .idToken)
                },
                scopes: provider.authorizationScopes(nil), subject: subject, obtainedAt: now - 86_400_000))
        guard !target.isWhole else { return set }
        set.grantedScopes = Set(set.scopes + (target.scopes ?? [])).sorted()
        set.held = [
            HeldToken(
                target: target, accessToken: Secret("rehearsed-narrow-access-token", kind: .accessToken),
                tokenType: set.tokenType, expiresAt: set.expiresAt, lifetime: lifetime,
                scopes: target.scopes ?? set.scopes)
        ]
        return set
    }
}
