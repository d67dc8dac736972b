internal import JOSE
internal import OAuthProtocol
internal import Synchronization

extension SandboxProvider {
    /// An API: says whom the token speaks for, and demands a level where the query asks for one.
    ///
    /// - SeeAlso: RFC 6750 §2.1 and §3, RFC 9470 §3
    func resource(_ request: ServerRequest, now: Int64) -> HTTPResponse {
        let parts = (request.field("Authorization") ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, String(parts[0]).equalsIgnoringASCIICase("Bearer") else {
            return Self.challenge(401, "")
        }
        let token = TokenHash(of: trimmed(parts[1]))
        guard let (grant, scopes) = state.withLock({ $0.ledger.access(token, now: now) }) else {
            return Self.challenge(401, ", error=\"invalid_token\"")
        }
        let query = Parameters(query: request.query)
        if let scope = query?["scope"], !scopes.contains(scope) {
            return Self.challenge(403, ", error=\"insufficient_scope\"")
        }
        if let level = query?["acr"], level.utf8.allSatisfy({ (0x61...0x7A).contains($0) }),
            grant.acr?.hasBytes(of: level) != true
        {
            return Self.challenge(
                401, ", error=\"insufficient_user_authentication\", acr_values=\"\(level)\"")
        }
        var body: JSONObject = [
            "method": .string(request.method), "client": .string(grant.clientID),
            "scope": .string(scopes.joined(separator: " ")),
        ]
        body["subject"] = configuration.user(grant.username).map { .string($0.subject) }
        // What is no JSON is not repeated.
        if let sent = try? JSON.parse(request.body) { body["sent"] = sent }
        return Answer.json(body)
    }

    private static func challenge(_ status: Int, _ detail: String) -> HTTPResponse {
        let field = HTTPField("WWW-Authenticate", "Bearer realm=\"flowrun sandbox\"" + detail)
        return HTTPResponse(status: status, fields: [field] + Answer.noStore)
    }
}
