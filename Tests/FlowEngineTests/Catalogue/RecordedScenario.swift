import FlowTesting
import JOSE
import Testing

/// One recorded sign-in of another client; see Tests/Golden/requests/README.md.
struct RecordedScenario: Sendable, CustomTestStringConvertible {
    let provider: String
    let name: String
    let config: JSONObject
    let authorize: String
    let code: String
    /// The provider's answer to the token request.
    let tokenResponse: String
    let token: Request
    let userinfo: Request?

    struct Request: Sendable {
        let method: String
        let url: String
        let headers: [String: String]
        let body: String?

        init(_ value: JSONValue) throws {
            method = try #require(value["method"]?.stringValue)
            url = try #require(value["url"]?.stringValue)
            let fields = value["headers"]?.objectValue?.map { ($0.key, $0.value.stringValue ?? "") }
            headers = Dictionary(fields ?? [], uniquingKeysWith: { $1 })
            body = value["body"]?.stringValue
        }

        var wire: Wire { Wire(method: method, url: url, headers: headers, body: body) }
    }

    var testDescription: String { "\(provider), \(name)" }

    private init(provider: String, _ value: JSONValue) throws {
        self.provider = provider
        name = try #require(value["name"]?.stringValue)
        config = try #require(value["config"]?.objectValue)
        authorize = try #require(value["authorize"]?.stringValue)
        code = try #require(value["callback"]?["code"]?.stringValue)
        let answer = value["token_response"]?["body"]?.stringValue
        // What was answered in XML is answered in JSON today.
        tokenResponse = answer.flatMap { $0.hasPrefix("<") ? nil : $0 } ?? Self.usualResponse
        token = try Request(try #require(value["token"]))
        userinfo = try value["userinfo"]?.arrayValue?.first.map { try Request($0) }
    }

    private static let usualResponse = """
        {"access_token": "AT-0001", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "RT-0001",
         "openid": "OPENID-1", "open_id": "OPEN-ID-1", "uid": "UID-1", "user_id": "USER-1"}
        """

    /// Read once for all tests.
    private static let recorded = Result {
        try Repository.names(in: "Tests/Golden/requests", suffix: ".json").flatMap { name in
            let text = try Repository.text(of: "Tests/Golden/requests/\(name).json")
            let scenarios = try JSON.parse(Array(text.utf8))["scenarios"]?.arrayValue ?? []
            return try scenarios.map { try RecordedScenario(provider: name, $0) }
        }
    }

    static func all() throws -> [RecordedScenario] { try recorded.get() }

    /// What our descriptor is called, where it is not called as there.
    private static let names = [
        "idme": "id-me", "intuit": "quickbooks", "logingov": "login-gov", "openstreetmap2": "openstreetmap",
        "projectplace2": "projectplace", "timelyapp": "timely", "twitter2": "x",
        "visualstudio": "azure-devops",
    ]

    var descriptor: String { Self.names[provider] ?? provider }

    var clientID: String { config["key"]?.stringValue ?? "" }
    var clientSecret: String { config["secret"]?.stringValue ?? "" }
    var scopes: [String] { config["scope"]?.arrayValue?.compactMap(\.stringValue) ?? [] }
    var wantsPKCE: Bool { config["pkce"]?.boolValue ?? false }
    var wantsNonce: Bool { config["nonce"]?.boolValue ?? false }
    var subdomain: String? { config["subdomain"]?.stringValue }
    /// Parameters of this one request; that client leaves out those without a value.
    var parameters: [(name: String, value: String)] {
        (config["custom_params"]?.objectValue ?? [:]).compactMap { member in
            member.value.stringValue.flatMap { $0.isEmpty ? nil : (member.key, $0) }
        }
    }

    /// Our listeners take no fragment (RFC 6749 §3.1.2).
    var redirectURI: String {
        let uri = config["redirect_uri"]?.stringValue ?? "https://client.example/connect/\(provider)/callback"
        return String(uri.prefix { $0 != "#" })
    }
}
