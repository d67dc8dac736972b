import FlowSandbox
import JOSE
import OAuthProtocol
import Synchronization
import Testing

/// One set of keys for all tests: an RSA key takes its time.
private let sharedKeys = Result { () throws(SandboxError) in try SandboxKeys.generate() }

/// Unpredictable only in that no value comes twice.
final class CountingBytes: Sendable {
    private let count = Mutex(0)
    private let seed: String

    init(seed: String) {
        self.seed = seed
    }

    func next(_ length: Int) -> [UInt8] {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return Array(Digest.sha256("\(seed) \(number)".utf8).prefix(length))
    }
}

/// A browser and a client in one, talking to a sandbox in memory.
struct Visitor {
    static let issuer = "http://127.0.0.1:8400"
    static let redirectURI = "http://127.0.0.1:5555/callback"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    /// Of `verifier` (RFC 7636 Appendix B).
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let now: Int64 = 1_800_000_000_000

    let provider: SandboxProvider
    /// Milliseconds since 1970.
    var now = Visitor.now

    init(
        mode: SandboxConfiguration.Mode = .automatic, algorithm: SigningAlgorithm = .es256,
        faults: [String] = [], change: (inout SandboxConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = SandboxConfiguration(
            issuer: Self.issuer, algorithm: algorithm, mode: mode, faults: try faults.map(Fault.parse))
        change(&configuration)
        let bytes = CountingBytes(seed: "first")
        provider = SandboxProvider(
            configuration: configuration, keys: try sharedKeys.get(), random: { bytes.next($0) })
    }

    init(provider: SandboxProvider, now: Int64 = Visitor.now) {
        self.provider = provider
        self.now = now
    }
}

typealias Pairs = [(name: String, value: String)]

extension Visitor {
    func get(_ path: String, _ query: Pairs = [], fields: [HTTPField] = []) -> SandboxReply {
        let text = query.isEmpty ? nil : QueryItems.encode(query)
        return provider.respond(
            to: ServerRequest(method: "GET", path: path, query: text, fields: fields), now: now)
    }

    func post(_ path: String, _ form: Pairs, fields: [HTTPField] = []) -> SandboxReply {
        let type = HTTPField("Content-Type", FormBody.contentType)
        return provider.respond(
            to: ServerRequest(
                method: "POST", path: path, fields: [type] + fields, body: FormBody.encode(form)),
            now: now)
    }

    /// Sends a JSON body.
    func send(_ method: String, _ path: String, _ body: JSONValue?, token: String? = nil) -> SandboxReply {
        var fields = [HTTPField("Content-Type", "application/json")]
        if let token { fields.append(HTTPField("Authorization", "Bearer \(token)")) }
        return provider.respond(
            to: ServerRequest(
                method: method, path: path, fields: fields,
                body: body.map { Array($0.serialize().utf8) } ?? []),
            now: now)
    }

    func register(_ metadata: JSONValue) -> SandboxReply { send("POST", "/register", metadata) }

    /// Sends what the message functions of the client made.
    func send(_ plan: RequestPlan) throws -> HTTPResponse {
        let request = try plan.encoded()
        #expect(request.url.hasPrefix(Self.issuer))
        let target = request.url.dropFirst(Self.issuer.count).split(separator: "?", maxSplits: 1)
        let reply = provider.respond(
            to: ServerRequest(
                method: request.method.rawValue, path: String(target[0]),
                query: target.count > 1 ? String(target[1]) : nil, fields: request.fields,
                body: request.body ?? []),
            now: now)
        return try #require(reply.response)
    }

    /// A good authorization request; a value of `nil` leaves the parameter out.
    static func request(_ changes: [String: String?] = [:]) -> Pairs {
        var items: Pairs = [
            ("response_type", "code"), ("client_id", "flowrun-sandbox"), ("redirect_uri", redirectURI),
            ("scope", "openid profile email offline_access"), ("state", "state-1"), ("nonce", "nonce-1"),
            ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            items.removeAll { $0.name == name }
            if let value { items.append((name, value)) }
        }
        return items
    }

    func authorize(_ changes: [String: String?] = [:]) throws -> HTTPResponse {
        try #require(get("/authorize", Self.request(changes)).response)
    }

    /// Signs in at once and takes the code from the redirect.
    func code(_ changes: [String: String?] = [:]) throws -> String {
        try #require(try authorize(changes).callback()["code"]?.first)
    }

    /// A good exchange; a value of `nil` leaves the parameter out.
    static func exchange(_ code: String, _ changes: [String: String?] = [:]) -> Pairs {
        var items: Pairs = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("client_id", "flowrun-sandbox"), ("code_verifier", verifier),
        ]
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            items.removeAll { $0.name == name }
            if let value { items.append((name, value)) }
        }
        return items
    }

    func redeem(
        _ code: String, _ changes: [String: String?] = [:], fields: [HTTPField] = []
    ) throws -> HTTPResponse {
        try #require(post("/token", Self.exchange(code, changes), fields: fields).response)
    }

    func refresh(_ token: String, _ more: Pairs = []) throws -> HTTPResponse {
        let form: Pairs = [
            ("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "flowrun-sandbox"),
        ]
        return try #require(post("/token", form + more).response)
    }

    /// Signs in and exchanges the code.
    func tokens(_ changes: [String: String?] = [:]) throws -> JSONValue {
        try redeem(try code(changes)).json()
    }

    func userInfo(_ accessToken: String) throws -> HTTPResponse {
        let field = HTTPField("Authorization", "Bearer \(accessToken)")
        return try #require(get("/userinfo", fields: [field]).response)
    }

    func keySet() throws -> JWKSet {
        try JWKSet.parse(try #require(get("/jwks").response).json())
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }

    func json() throws -> JSONValue { try JSON.parse(body) }

    /// `error` of a JSON body.
    func errorCode() throws -> String? { try json()["error"]?.stringValue }

    /// The parameters that the redirect carries, each with all its values.
    func callback() throws -> [String: [String]] {
        let location = try #require(field("Location"))
        let query = try #require(location.split(separator: "?", maxSplits: 1).dropFirst().first)
        let items = try #require(QueryItems.parse(query))
        return Dictionary(grouping: items, by: \.name).mapValues { $0.map(\.value) }
    }

    /// The value of the first hidden field of that name on a page.
    func hidden(_ name: String) throws -> String {
        let start = try #require(text.firstRange(of: "name=\"\(name)\" value=\""))
        return String(text[start.upperBound...].prefix { $0 != "\"" })
    }
}

extension JSONValue {
    func text(_ member: String) throws -> String { try #require(self[member]?.stringValue) }

    /// Header and claims of the `id_token`, not verified.
    func idToken() throws -> (header: JSONValue, claims: JSONValue) {
        let parts = try text("id_token").split(separator: ".", omittingEmptySubsequences: false)
        return (
            try JSON.parse(try #require(Base64URL.decode(parts[0]))),
            try JSON.parse(try #require(Base64URL.decode(parts[1])))
        )
    }
}
