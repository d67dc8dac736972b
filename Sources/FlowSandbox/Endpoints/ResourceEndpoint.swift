internal import JOSE
internal import OAuthProtocol

extension SandboxProvider {
    /// An API: says whom the token speaks for, and demands a scope, a level or a fresh sign-in where the query asks
    /// for one.
    ///
    /// - SeeAlso: RFC 6750 §2.1 and §3, RFC 9470 §3
    func resource(_ request: ServerRequest, now: Int64) -> SandboxReply {
        faulted(.resource, protocolError: challenge) { actions in
            do throws(AccessRefusal) {
                return try serve(request, actions, now: now)
            } catch {
                var refusal = error
                refusal.parameters.append(("resource_metadata", Route.resourceMetadata.url(configuration)))
                return answer(refusal, actions)
            }
        }
    }

    /// - SeeAlso: RFC 9728 §2
    func resourceMetadata() -> HTTPResponse {
        Answer.json([
            "resource": .string(Route.resource.url(configuration)),
            "authorization_servers": [.string(configuration.issuer)],
            "scopes_supported": .array(Scope.known.map(JSONValue.string)),
            "bearer_methods_supported": ["header"],
        ])
    }

    private func serve(
        _ request: ServerRequest, _ actions: [Fault.Action], now: Int64
    ) throws(AccessRefusal) -> HTTPResponse {
        let access = try access(request, actions, now: now)
        let query = Parameters(query: request.query)
        if let scope = query?["scope"], !access.record.scopes.contains(scope) {
            throw AccessRefusal(code: "insufficient_scope")
        }
        try checkSignIn(access.grant, query, now: now)
        let place = Route.resource.url(configuration)
        guard access.record.resources.isEmpty || access.record.resources.contains(place) else {
            throw AccessRefusal(code: "invalid_token", description: "the token is for another resource")
        }
        var body: JSONObject = [
            "method": .string(request.method), "client": .string(access.grant.clientID),
            "scope": .string(access.record.scopes.joined(separator: " ")),
        ]
        body["subject"] = configuration.user(access.grant.username).map { .string($0.subject) }
        // What is no JSON is not repeated.
        if let sent = try? JSON.parse(request.body) { body["sent"] = sent }
        return Answer.json(body, fields: Answer.noStore + nonceFields(access, actions))
    }

    /// What the query wants of the sign-in: a level by `acr`, an age in seconds by `max_age`.
    private func checkSignIn(
        _ grant: Grant, _ query: Parameters?, now: Int64
    ) throws(AccessRefusal) {
        var missing: [(name: String, value: String)] = []
        if let level = query?["acr"], level.utf8.allSatisfy({ (0x61...0x7A).contains($0) }),
            grant.acr?.hasBytes(of: level) != true
        {
            missing.append(("acr_values", level))
        }
        if let age = query?["max_age"].flatMap({ UInt32($0) }),
            now / 1000 - grant.authenticatedAt > Int64(age)
        {
            missing.append(("max_age", "\(age)"))
        }
        guard missing.isEmpty else {
            throw AccessRefusal(code: AccessRefusal.stepUp, parameters: missing)
        }
    }
}
