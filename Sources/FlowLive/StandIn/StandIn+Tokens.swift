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
    }

    /// Of a request that names none.
    static let client = "client"

    private static let names = [
        "grant_type", "client_id", "code", "redirect_uri", "code_verifier", "refresh_token", "scope",
        "resource",
        "device_code", "assertion", "subject_token", "subject_token_type", "actor_token", "actor_token_type",
        "requested_token_type", "audience",
    ]

    func token(_ request: ServerRequest, at url: String, now: Int64) -> SandboxReply {
        let grant = grant(request, at: url)
        let form = grant.form.form(Self.names)
        let isProven = request.field("DPoP") != nil
        return ask(.token, form: form, request, now: now).map { response in
            rewritten(response, grant.operation.response) {
                answer($0, grant, isProven: isProven, now: now)
            }
        }
    }

    private func grant(_ request: ServerRequest, at url: String) -> Grant {
        var form = StandInRequest(request, descriptor.token.request)
        if descriptor.token.request.omit.contains("code") {
            form["code"] = memory.newestCode
        }
        let signIn = form["code"].flatMap { memory.signIn(code: $0) }
        if signIn == nil, let renewal = renewal(request, at: url, hasCode: form["code"] != nil) {
            return renewal
        }
        guard form["code"] != nil else {
            var form = StandInRequest(request, descriptor.grant.request)
            form["client_id"] = form["client_id"] ?? Self.client
            return Grant(operation: descriptor.grant, form: form)
        }
        form["grant_type"] = "authorization_code"
        form["client_id"] = signIn?.client ?? form["client_id"]
        if form["redirect_uri"] == nil { form["redirect_uri"] = signIn?.redirectURI }
        if form["code_verifier"] == nil { form["code_verifier"] = Self.verifier }
        return Grant(operation: descriptor.token, form: form, signIn: signIn)
    }

    /// `nil` for a request that is none.
    private func renewal(_ request: ServerRequest, at url: String, hasCode: Bool) -> Grant? {
        let facts = descriptor.refresh
        guard facts.isSupported else { return nil }
        var form = StandInRequest(request, facts.operation.request)
        if facts.subject == .accessToken {
            form["refresh_token"] = form["access_token"].flatMap { memory.refreshToken(with: $0) }
        }
        let signIn = form["refresh_token"].flatMap { memory.signIn(token: $0) }
        let own = facts.operation.request.endpoint.flatMap { provider.bound.text($0) }
        let word = facts.operation.request.grantType.flatMap { provider.bound.text($0) } ?? "refresh_token"
        let path = { (url: String?) in url.map { StandInAddresses.path(of: $0) } }
        let isOwn = own == url && path(own) != path(provider.declared.tokenEndpoint)
        guard isOwn || signIn != nil || form["grant_type"] == word && !hasCode else { return nil }
        form["grant_type"] = "refresh_token"
        form["client_id"] = signIn?.client ?? form["client_id"]
        return Grant(operation: facts.operation, form: form, signIn: signIn)
    }

    /// - Parameter isProven: Whether the request proves a key, at which nobody looks either (RFC 9449 §5).
    private func answer(
        _ standard: JSONObject, _ grant: Grant, isProven: Bool, now: Int64
    ) -> HTTPResponse {
        var answer = standard
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
        learn(.token, written.json?.objectValue ?? [:], client: grant.form["client_id"])
        return written
    }

    func userinfo(_ request: ServerRequest, at url: String, now: Int64) -> SandboxReply {
        let facts = descriptor.userinfo
        let given = request.field("Authorization")?.split(separator: " ").last.map(String.init)
        let token = bearer(request) ?? given ?? ""
        let fields = [HTTPField("Authorization", "Bearer \(token)")]
        let asked = ServerRequest(method: "GET", path: Route.userInfo.rawValue, fields: fields)
        let client = memory.signIn(token: token)?.client ?? ""
        return sandbox.respond(to: asked, now: now).map { response in
            rewritten(response, facts.operation.response) { _ in
                voice.userinfo(at: url, issuer: tokenIssuer, client: client, now: now)
            }
        }
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
        form["scope"] = (asked + ["openid", "offline_access"]).uniqued.joined(separator: " ")
        let operation = descriptor.deviceAuthorization
        return ask(.deviceAuthorization, form: form.form(["client_id", "scope"]), request, now: now).map {
            rewritten($0, operation.response) { voice.answer($0, of: operation, now: now) }
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
        form["token"] = form["token"] ?? bearer(request)
        let client = form["token"].flatMap { memory.signIn(token: $0) }?.client
        form["client_id"] = client ?? form["client_id"] ?? Self.client
        return form.form(["token", "token_type_hint", "client_id"])
    }
}
