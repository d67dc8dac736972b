internal import FlowEngine
internal import FlowLanguage
internal import FlowSandbox
internal import JOSE
internal import OAuthProtocol

/// What a client asks for without a browser.
extension StandIn {
    /// One way of asking for tokens, with what the sandbox is asked in its place.
    private struct Grant {
        let operation: OperationFacts
        var form: StandInRequest
        var signIn: StandInMemory.SignIn?
        /// What the answer says in place of what the sandbox says of the type of the issued token (RFC 8693 §2.2.1).
        var issuedType: IssuedType?
    }

    private enum IssuedType {
        case named(String)
        case untold
    }

    private static let unknown = "stand-in-for-a-token-that-is-not-named"

    private static let names = [
        "grant_type", "client_id", "code", "redirect_uri", "code_verifier", "refresh_token", "scope",
        "resource",
        "device_code", "assertion", "subject_token", "subject_token_type", "actor_token", "actor_token_type",
        "requested_token_type", "audience",
    ]

    func token(_ request: ServerRequest, at url: String, now: Int64) -> SandboxReply {
        if let refusal = refusal(ofForm: request) { return .send(refusal) }
        let grant = grant(request, at: url, now: now)
        let form = grant.form.form(Self.names)
        let isProven = request.field("DPoP") != nil
        return ask(.token, form: form, request, now: now).map { response in
            rewritten(response, grant.operation.response) {
                answer($0, grant, isProven: isProven, now: now)
            }
        }
    }

    private func grant(_ request: ServerRequest, at url: String, now: Int64) -> Grant {
        if let form = ownGrant(request, at: url) { return clientGrant(form, now: now) }
        var form = StandInRequest(request, descriptor.token.request)
        if descriptor.token.request.omit.contains("code") {
            form["code"] = memory.newestCode
        }
        let signIn = form["code"].flatMap { memory.signIn(code: $0) }
        if signIn == nil, let renewal = renewal(request, at: url, hasCode: form["code"] != nil) {
            return renewal
        }
        guard form["code"] != nil else {
            return clientGrant(StandInRequest(request, descriptor.grant.request), now: now)
        }
        form["grant_type"] = "authorization_code"
        form["client_id"] = client(of: form, signIn)
        if form["redirect_uri"] == nil { form["redirect_uri"] = signIn?.redirectURI }
        if form["code_verifier"] == nil { form["code_verifier"] = Self.verifier }
        return Grant(operation: descriptor.token, form: form, signIn: signIn)
    }

    /// Who asks for tokens; where the user name of Basic is something else, or is written in another way, whoever signed in.
    private func client(of form: StandInRequest, _ signIn: StandInMemory.SignIn?) -> String? {
        let named = form["client_id"]
        let isPlain = descriptor.client.basicUser == nil && descriptor.client.basicEncoding == .form
        return isPlain ? named ?? signIn?.client : signIn?.client ?? named
    }

    /// A grant without a browser that the provider calls by a word of its own, or by none at an address of its own: the
    /// parameters tell which it is.
    private func ownGrant(_ request: ServerRequest, at url: String) -> StandInRequest? {
        let dialect = descriptor.grant.request
        var form = StandInRequest(request, dialect)
        let word = dialect.grantType.flatMap { provider.bound.text($0) }
        let place = dialect.endpoint.flatMap { provider.bound.text($0) }
        let isNameless = dialect.omit.contains("grant_type") && place == url
        guard isNameless || word != nil && form["grant_type"] == word else { return nil }
        let tells = [
            ("device_code", TokenRequest.deviceGrant), ("subject_token", TokenRequest.exchangeGrant),
            ("assertion", TokenRequest.jwtBearerGrant),
        ]
        form["grant_type"] = tells.first { form[$0.0] != nil }?.1 ?? "client_credentials"
        return form
    }

    /// A grant without a browser. Tokens and assertions of others count as they are: nobody looks at them.
    private func clientGrant(_ read: StandInRequest, now: Int64) -> Grant {
        var form = read
        form["client_id"] = form["client_id"] ?? client
        var grant = Grant(
            operation: descriptor.grant, form: form,
            signIn: form["device_code"].flatMap { memory.signIn(code: $0) })
        switch form["grant_type"] {
        case TokenRequest.exchangeGrant:
            let type = form["requested_token_type"] ?? TokenType.accessToken.rawValue
            grant.issuedType = .named(type)
            if type != TokenType.idToken.rawValue { form["requested_token_type"] = nil }
            take(form["subject_token"], &form, now: now)
        case TokenRequest.jwtBearerGrant:
            grant.issuedType = .untold
            take(form["assertion"], &form, now: now)
        default: return grant
        }
        grant.form = form
        return grant
    }

    /// Has a token or assertion stand for the first user, unless it is the stand-in's own.
    private func take(_ token: String?, _ form: inout StandInRequest, now: Int64) {
        guard let token, memory.signIn(token: token) == nil else { return }
        let scopes = (form["scope"] ?? "").split(separator: " ").map(String.init)
        adoptForeign(token, scopes: scopes, client: form["client_id"] ?? client, now: now)
        form["grant_type"] = TokenRequest.exchangeGrant
        form["subject_token"] = token
        form["subject_token_type"] = TokenType.accessToken.rawValue
        // The sandbox knows one alone.
        form["audience"] = nil
        for name in ["actor_token", "actor_token_type", "assertion"] { form[name] = nil }
    }

    /// `nil` for a request that is none.
    private func renewal(_ request: ServerRequest, at url: String, hasCode: Bool) -> Grant? {
        let facts = descriptor.refresh
        guard facts.isSupported else { return nil }
        var form = StandInRequest(request, facts.operation.request)
        switch facts.subject {
        case .refreshToken: break
        case .accessToken:
            form["refresh_token"] = form["access_token"].flatMap { memory.refreshToken(with: $0) }
        case .none: form["refresh_token"] = memory.newestRefreshToken
        }
        let signIn = form["refresh_token"].flatMap { memory.signIn(token: $0) }
        let own = facts.operation.request.endpoint.flatMap { provider.bound.text($0) }
        let word = facts.operation.request.grantType.flatMap { provider.bound.text($0) } ?? "refresh_token"
        let path = { (url: String?) in url.map { StandInAddresses.path(of: $0) } }
        let isOwn = own == url && path(own) != path(provider.declared.tokenEndpoint)
        guard isOwn || signIn != nil || form["grant_type"] == word && !hasCode else { return nil }
        form["grant_type"] = "refresh_token"
        form["client_id"] = client(of: form, signIn) ?? client
        return Grant(operation: facts.operation, form: form, signIn: signIn)
    }

    /// - Parameter isProven: Whether the request proves a key, at which nobody looks either (RFC 9449 §5).
    private func answer(
        _ standard: JSONObject, _ grant: Grant, isProven: Bool, now: Int64
    ) -> HTTPResponse {
        var answer = standard
        switch grant.issuedType {
        case .named(let type): answer["issued_token_type"] = .string(type)
        case .untold: answer["issued_token_type"] = nil
        case nil: break
        }
        if isProven { answer["token_type"] = "DPoP" }
        if let token = answer["id_token"]?.stringValue, let jws = try? JWS.split(token),
            let claims = (try? JSON.parse(jws.payload))?.objectValue, let own = voice.idToken(claims)
        {
            answer["id_token"] = .string(own)
        }
        let added = grant.signIn?.added ?? []
        if let token = answer["access_token"]?.stringValue {
            memory.note(
                accessToken: token, refreshToken: answer["refresh_token"]?.stringValue, of: grant.signIn)
        }
        if !descriptor.refresh.isSupported || descriptor.refresh.subject != .refreshToken {
            answer["refresh_token"] = nil
        }
        if added.contains("openid")
            || descriptor.wireProtocol != .oidc && descriptor.idToken.isRequired != true
        {
            answer["id_token"] = nil
        }
        let scopes = (answer["scope"]?.stringValue ?? "").split(separator: " ").map(String.init)
        let asked = scopes.filter { !added.contains($0) }
        answer["scope"] = asked.isEmpty ? nil : .string(asked.joined(separator: " "))
        let written = voice.answer(answer, of: grant.operation, now: now)
        var members = Self.members(of: written, grant.operation.response)
        members["access_token"] = answer["access_token"]
        learn(.token, members, client: grant.form["client_id"])
        return HTTPResponse(
            status: written.status, fields: written.fields + Self.noStore, body: written.body)
    }

    func userinfo(_ request: ServerRequest, at url: String, now: Int64) -> SandboxReply {
        let facts = descriptor.userinfo
        let given = request.field("Authorization")?.split(separator: " ").last.map(String.init)
        let token = bearer(request) ?? given
        let fields = token.map { [HTTPField("Authorization", "Bearer \($0)")] } ?? []
        let asked = ServerRequest(method: "GET", path: Route.userInfo.rawValue, fields: fields)
        let client = token.flatMap { memory.signIn(token: $0) }?.client ?? ""
        return sandbox.respond(to: asked, now: now).map { response in
            rewritten(response, facts.operation.response) { standard in
                let own = voice.userinfo(at: url, issuer: tokenIssuer, client: client, now: now)
                let answer = misnamed(own, standard["sub"])
                learn(.userinfo, Self.members(of: answer, facts.operation.response), client: client)
                return answer
            }
        }
    }

    /// What templates see of an answer: that of the operation as its dialect reads it, another as it came.
    private static func members(of answer: HTTPResponse, _ dialect: ResponseDialect) -> JSONObject {
        var log = CheckLog()
        let value = (try? dialect.mapped(answer, log: &log)) ?? answer.json
        return value?.objectValue ?? [:]
    }

    /// An answer about somebody else, or about nobody, where the sandbox was asked for that.
    private func misnamed(_ answer: HTTPResponse, _ subject: JSONValue?) -> HTTPResponse {
        guard subject?.stringValue != voice.subject, answer.json?["sub"] != nil else { return answer }
        return with("sub", subject, in: answer)
    }

    /// The access token, wherever the descriptor puts it: in a field, in the query, in the body.
    func bearer(_ request: ServerRequest) -> String? {
        let words = request.fields.flatMap { $0.value.split(separator: " ").map(String.init) }
        let values = StandInRequest(request, DialectFacts()).parameters.map(\.value)
        return (words + values).first { memory.isIssued($0) }
    }

    func startDevice(_ request: ServerRequest, now: Int64) -> SandboxReply {
        var form = StandInRequest(request, descriptor.deviceAuthorization.request)
        let asked = (form["scope"] ?? "").split(separator: " ").map(String.init)
        let added = addedScopes(to: asked)
        form["scope"] = (asked + added).joined(separator: " ")
        form["client_id"] = form["client_id"] ?? client
        if let method = descriptor.deviceChallengeMethod {
            form["code_challenge"] = Base64URL.encode(Self.digest(form["code_challenge"] ?? "", method) ?? [])
            form["code_challenge_method"] = "S256"
        }
        let operation = descriptor.deviceAuthorization
        let names = ["client_id", "scope", "code_challenge", "code_challenge_method"]
        let signIn = StandInMemory.SignIn(client: form["client_id"] ?? client, redirectURI: "", added: added)
        return ask(.deviceAuthorization, form: form.form(names), request, now: now).map {
            rewritten($0, operation.response) { standard in
                if let code = standard["device_code"]?.stringValue { memory.note(code: code, of: signIn) }
                return voice.answer(standard, of: operation, now: now)
            }
        }
    }

    func revoke(_ request: ServerRequest, now: Int64) -> SandboxReply {
        let facts = descriptor.revocation
        let form = about(request, facts.operation)
        return ask(.revocation, form: form, request, now: now).map { response in
            guard response.status == 200 else {
                return rewritten(response, facts.response) { _ in response }
            }
            let good = voice.answer([:], of: facts.operation, now: now)
            return HTTPResponse(
                status: facts.response.successStatus.lowerBound, fields: good.fields, body: good.body)
        }
    }

    func introspect(_ request: ServerRequest, now: Int64) -> SandboxReply {
        let operation = descriptor.introspection
        return ask(.introspection, form: about(request, operation), request, now: now).map {
            rewritten($0, operation.response) { voice.answer($0, of: operation, now: now) }
        }
    }

    /// A request about a token, which some providers take in place of the client's credentials.
    private func about(_ request: ServerRequest, _ operation: OperationFacts) -> [UInt8] {
        var form = StandInRequest(request, operation.request)
        // Some end what they gave a person, whichever token that was; an unknown one is as good as ended (RFC 7009 §2.2).
        form["token"] = form["token"] ?? bearer(request) ?? Self.unknown
        let owner = form["token"].flatMap { memory.signIn(token: $0) }?.client
        form["client_id"] = owner ?? form["client_id"] ?? client
        return form.form(["token", "token_type_hint", "client_id"])
    }
}
