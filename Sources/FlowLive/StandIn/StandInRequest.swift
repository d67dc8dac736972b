internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// A request to a provider, read back into the names of the RFCs.
struct StandInRequest: Sendable {
    private(set) var parameters: [(name: String, value: String)]
    /// What came more than once and must not (RFC 6749 §3.1 and §3.2): of the parameters that no provider takes as a list,
    /// in the address or in the body, since some want one in both.
    let repeated: [String]

    private static let single = [
        "response_type", "client_id", "redirect_uri", "state", "nonce", "code_challenge",
        "code_challenge_method", "grant_type", "code", "code_verifier", "refresh_token", "client_secret",
    ]

    /// - Parameter dialect: How the descriptor has it written.
    init(_ request: ServerRequest, _ dialect: DialectFacts) {
        var names: [String: String] = [:]
        for (standard, theirs) in dialect.rename { names[theirs] = standard }
        let parts = [QueryItems.received(request.query ?? ""), Self.body(request)].map { sent in
            sent.filter { !$0.value.isEmpty }.map { (name: names[$0.name] ?? $0.name, value: $0.value) }
        }
        parameters = parts.flatMap(\.self)
        repeated = Self.single.filter { name in parts.contains { $0.count { $0.name == name } > 1 } }
        if self["client_id"] == nil, let client = Self.client(request, self["client_assertion"]) {
            self["client_id"] = client
        }
    }

    subscript(name: String) -> String? {
        get { parameters.first { $0.name == name }?.value }
        set {
            parameters.removeAll { $0.name == name }
            if let newValue { parameters.append((name, newValue)) }
        }
    }

    /// Those of these names, as a form.
    func form(_ names: [String]) -> [UInt8] { FormBody.encode(distinct.filter { names.contains($0.name) }) }

    /// Each once, but for those that may come several times (RFC 8707 §2, RFC 8693 §2.1).
    var distinct: [(name: String, value: String)] {
        var seen: Set<String> = []
        return parameters.filter {
            ["resource", "audience"].contains($0.name) || seen.insert($0.name).inserted
        }
    }

    private static func body(_ request: ServerRequest) -> [(name: String, value: String)] {
        if let object = (try? JSON.parse(request.body))?.objectValue {
            return object.map { ($0.key, text($0.value)) }
        }
        return QueryItems.received(String(decoding: request.body, as: UTF8.self))
    }

    private static func text(_ value: JSONValue) -> String {
        if let words = value.arrayValue { return words.map(text).joined(separator: " ") }
        return value.stringValue ?? value.serialize()
    }

    /// Whom the credentials name: Basic (RFC 7617), or the client's assertion (RFC 7523 §3).
    private static func client(_ request: ServerRequest, _ assertion: String?) -> String? {
        if let assertion {
            return (try? JWS.split(assertion)).flatMap { try? JSON.parse($0.payload) }?["sub"]?.stringValue
        }
        guard let field = request.field("Authorization"), field.lowercased().hasPrefix("basic "),
            let bytes = Base64.decode(field.dropFirst(6).filter { $0 != " " })
        else { return nil }
        let user = String(decoding: bytes.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
        return PercentEncoding.decodeForm(user) ?? user
    }
}
