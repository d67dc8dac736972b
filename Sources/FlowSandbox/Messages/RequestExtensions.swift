internal import JOSE
internal import OAuthProtocol

/// What an authorization request asks for beyond OpenID Connect's usual parameters.
struct RequestExtensions: Sendable, Hashable {
    /// RFC 8707.
    var resources: [String] = []
    /// RFC 9396.
    var details: [JSONObject] = []
    /// OIDC Core §5.5.
    var claims = WantedClaims()
    /// The level that `claims` wants `acr` to have.
    var level: String?
    /// RFC 9449 §10.
    var key: String?

    static func read(
        _ parameters: Parameters, _ configuration: SandboxConfiguration
    ) throws(RequestFlaw) -> RequestExtensions {
        if let age = parameters["max_age"], UInt32(age) == nil {
            throw .invalidRequest("max_age is not a number of seconds")
        }
        var extensions = RequestExtensions()
        extensions.resources = try resources(parameters)
        extensions.details = try details(parameters, configuration)
        if let text = parameters["claims"] { try extensions.read(claims: text) }
        if let key = parameters["dpop_jkt"] {
            guard key.utf8.count == 43, Base64URL.decode(key) != nil else {
                throw .invalidRequest("dpop_jkt is not the base64url text of a SHA-256 thumbprint")
            }
            extensions.key = key
        }
        return extensions
    }

    /// Absolute URIs without a fragment (RFC 8707 §2).
    static func resources(_ parameters: Parameters) throws(RequestFlaw) -> [String] {
        let resources = parameters.all("resource")
        guard resources.allSatisfy({ $0.utf8.contains(UInt8(ascii: ":")) && !$0.contains("#") }) else {
            throw RequestFlaw("invalid_target", "a resource is an absolute URI without a fragment")
        }
        return resources
    }

    /// Details of types that the sandbox knows (RFC 9396 §5).
    static func details(
        _ parameters: Parameters, _ configuration: SandboxConfiguration
    ) throws(RequestFlaw) -> [JSONObject] {
        guard let text = parameters["authorization_details"] else { return [] }
        guard let value = try? JSON.parse(Array(text.utf8)),
            let details = try? AuthorizationDetails.parse(value)
        else { throw flaw("authorization_details is no list of objects with a type") }
        guard details.types.allSatisfy(configuration.authorizationDetailsTypes.contains) else {
            throw flaw("the types are \(configuration.authorizationDetailsTypes.joined(separator: " "))")
        }
        return details.items
    }

    private static func flaw(_ description: String) -> RequestFlaw {
        RequestFlaw("invalid_authorization_details", description)
    }

    private mutating func read(claims text: String) throws(RequestFlaw) {
        guard let value = try? JSON.parse(Array(text.utf8)), let request = try? ClaimsRequest.parse(value)
        else { throw .invalidRequest("claims is no request for claims") }
        claims = WantedClaims(
            idToken: request.document["id_token"]?.objectValue?.keys ?? [],
            userInfo: request.document["userinfo"]?.objectValue?.keys ?? [])
        let acr = request.document["id_token"]?["acr"]
        level = acr?["value"]?.stringValue ?? acr?["values"]?.arrayValue?.first?.stringValue
    }
}
