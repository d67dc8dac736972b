internal import FlowEngine
internal import FlowLanguage
internal import FlowSandbox
internal import JOSE
internal import OAuthProtocol

/// Sign-ins that a browser brings.
extension StandIn {
    /// Of a client that uses no PKCE; the sandbox takes no code without.
    static let verifier = "stand-in-for-a-client-without-proof-key-for-code-exchange"

    /// What proves the client, or the key that its tokens are to be bound to.
    private static let unread = [
        "client_secret", "client_assertion", "client_assertion_type", "request", "dpop_jkt",
    ]

    func authorize(_ request: ServerRequest, now: Int64) -> SandboxReply {
        if let refusal = refusal(ofQuery: request, now: now) { return refusal }
        let parameters = standard(StandInRequest(request, descriptor.authorization.dialect))
        return ask(.authorization, query: parameters, request, now: now).map { returned($0, now: now) }
    }

    func push(_ request: ServerRequest, now: Int64) -> SandboxReply {
        let parameters = standard(StandInRequest(request, descriptor.authorization.dialect))
        return ask(.pushed, form: FormBody.encode(parameters), request, now: now)
    }

    /// The request as the sandbox wants one, which is strict: each parameter once, PKCE, scopes of its own.
    private func standard(_ sent: StandInRequest) -> [(name: String, value: String)] {
        var read = sent
        // A pushed request is only named here.
        guard read["request_uri"] == nil else { return read.parameters }
        // Nobody has registered a key that a signed request could be verified with.
        let object = read["request"].flatMap { try? JWS.split($0) }.flatMap { try? JSON.parse($0.payload) }
        for (name, value) in object?.objectValue ?? [:] {
            if let text = value.stringValue { read[name] = text }
        }
        for name in Self.unread { read[name] = nil }
        read["client_id"] = read["client_id"] ?? client
        read["redirect_uri"] = read["redirect_uri"] ?? redirectURI
        // A provider's own word for the code flow.
        let own = descriptor.authorization.responseType
        if [nil, own].contains(read["response_type"]), !descriptor.authorization.wantsIDToken {
            read["response_type"] = "code"
        }
        let prompts = (read["prompt"] ?? "").split(separator: " ").filter {
            ["none", "login", "consent", "select_account"].contains($0)
        }
        read["prompt"] = prompts.isEmpty ? nil : prompts.joined(separator: " ")
        challenge(&read)
        let scopes = scopes(read)
        read["scope"] = scopes.asked.joined(separator: " ")
        let isForm = read["response_mode"] == "form_post" && read["response_type"] == "code"
        // The form is made here, where the answer has the provider's names.
        if isForm { read["response_mode"] = nil }
        memory.expect(
            StandInMemory.SignIn(
                client: read["client_id"] ?? "", redirectURI: read["redirect_uri"] ?? "", added: scopes.added,
                isForm: isForm))
        // The sandbox says what came twice.
        return read.distinct + sent.repeated.compactMap { name in read[name].map { (name, $0) } }
    }

    /// Scopes beside those that were asked for, since the sandbox gives user information, ID tokens and refresh tokens for
    /// them alone.
    func addedScopes(to asked: [String]) -> [String] {
        let wanted = ["openid"] + (descriptor.refresh.isSupported ? ["offline_access"] : [])
        return wanted.filter { !asked.contains($0) }
    }

    private func scopes(_ read: StandInRequest) -> (asked: [String], added: [String]) {
        // Some providers want each as a parameter of its own.
        let text = read.parameters.filter { $0.name == "scope" }.map(\.value).joined(separator: " ")
        let delimiter = descriptor.authorization.scopeDelimiter
        let asked = text.replacing(delimiter, with: " ").split(separator: " ").map(String.init)
        let added = addedScopes(to: asked)
        return ((asked + added).uniqued, added)
    }

    /// Any form of a challenge as that of RFC 7636; what misses or is of another method the sandbox refuses.
    private func challenge(_ read: inout StandInRequest) {
        let sent = read["code_challenge"]
        let facts = descriptor.authorization
        let omitsVerifier = descriptor.token.request.omit.contains("code_verifier")
        let method = read["code_challenge_method"]
        let isUntold = method == nil && facts.dialect.omit.contains("code_challenge_method")
        let isKnown = isUntold || (method ?? PKCE.Method.plain.name) == facts.challengeMethod.name
        guard sent == nil ? facts.pkce != .required : isKnown else { return }
        let digest: [UInt8]? =
            switch (sent, facts.challengeMethod) {
            case (nil, _): Digest.sha256(Self.verifier.utf8)
            case (.some, _) where omitsVerifier: Digest.sha256(Self.verifier.utf8)
            case (.some(let text), let method): Self.digest(text, method)
            }
        read["code_challenge"] = Base64URL.encode(digest ?? [])
        read["code_challenge_method"] = "S256"
    }

    /// The digest that a challenge is, or would be as one of S256.
    static func digest(_ challenge: String, _ method: PKCE.Method) -> [UInt8]? {
        switch method {
        case .plain: Digest.sha256(challenge.utf8)
        case .s256(.base64url): Base64URL.decode(challenge)
        case .s256(.hex): Hexadecimal.decode(challenge.utf8)
        case .s256(.hexBase64URL): Base64URL.decode(challenge).flatMap { Hexadecimal.decode($0) }
        }
    }

    /// The answer that the browser takes to the client, under the provider's names.
    func returned(_ response: HTTPResponse, now: Int64) -> HTTPResponse {
        guard let index = response.fields.firstIndex(where: { $0.name == "Location" }),
            let (place, parameters) = Self.answer(in: response.fields[index].value)
        else { return response }
        let code = parameters.first { $0.name == "code" }?.value
        if let code { memory.note(code: code, redirectURI: place) }
        // Another issuer than the sandbox's own is a fault that the client has to see.
        var kept = parameters.filter { $0.name != "iss" || $0.value != tokenIssuer }
        if provider.declared.issuer != nil, kept.count < parameters.count { kept.append(("iss", issuer)) }
        let written = voice.callback(kept, now: now)
        let captures = descriptor.callback.captures.compactMap { capture in
            written.first { $0.name == capture.parameter }.map { (capture.name, JSONValue.string($0.value)) }
        }
        learn(.callback, JSONObject(captures), client: code.flatMap { memory.signIn(code: $0) }?.client)
        if memory.request(for: place)?.isForm == true {
            return FormPostPage(redirectURI: place, parameters: written).answer()
        }
        var fields = response.fields
        let mark = place.contains("?") ? "&" : "?"
        fields[index] = HTTPField("Location", place + mark + QueryItems.encode(written))
        return HTTPResponse(status: response.status, fields: fields, body: response.body)
    }

    /// A redirect URI and the parameters that were put behind it; `nil` for any other address.
    private static func answer(
        in location: String
    ) -> (place: String, parameters: [(name: String, value: String)])? {
        for name in ["code", "error", "response"] {
            for mark in ["?", "&"] {
                guard let range = location.firstRange(of: "\(mark)\(name)=") else { continue }
                let query = location[location.index(after: range.lowerBound)...]
                return (String(location[..<range.lowerBound]), QueryItems.received(query))
            }
        }
        return nil
    }
}
