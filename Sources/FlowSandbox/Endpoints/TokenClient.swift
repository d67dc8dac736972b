internal import JOSE
internal import OAuthProtocol

/// Why a token request is refused, and how.
struct TokenRefusal: Error, Sendable, Hashable {
    let flaw: RequestFlaw
    /// Whether the client used the `Authorization` field, which then is answered by a challenge.
    var challenges = false

    var response: HTTPResponse {
        let challenge = HTTPField("WWW-Authenticate", "Basic realm=\"flowrun sandbox\", charset=\"UTF-8\"")
        return Answer.oauthError(flaw.code, flaw.description, fields: challenges ? [challenge] : [])
    }
}

/// Who asks at the token endpoint: exactly one way of saying so is allowed.
///
/// - SeeAlso: RFC 6749 §2.3 and §5.2
enum TokenClient {
    /// - Throws: `invalid_client` when the client is unknown or does not prove itself as it registered;
    ///   `invalid_request` for two ways at once or two names.
    static func authenticate(
        _ request: ServerRequest, _ form: Parameters, _ configuration: SandboxConfiguration
    ) throws(TokenRefusal) -> SandboxClient {
        guard form["client_assertion"] == nil else {
            throw refused("client assertions are not supported")
        }
        guard let authorization = request.field("Authorization") else {
            guard let id = form["client_id"] else { throw refused("client_id is missing") }
            return try verified(id, form["client_secret"], configuration, challenges: false)
        }
        guard form["client_secret"] == nil else {
            throw TokenRefusal(flaw: .invalidRequest("the client authenticates in two ways"))
        }
        guard let (id, secret) = basic(authorization) else {
            throw refused("the Authorization field is no Basic credentials", challenges: true)
        }
        guard (form["client_id"] ?? id).hasBytes(of: id) else {
            throw TokenRefusal(flaw: .invalidRequest("client_id is not the client that authenticates"))
        }
        return try verified(id, secret, configuration, challenges: true)
    }

    private static func verified(
        _ id: String, _ secret: String?, _ configuration: SandboxConfiguration, challenges: Bool
    ) throws(TokenRefusal) -> SandboxClient {
        guard let client = configuration.client(id) else {
            throw refused("the client is unknown", challenges: challenges)
        }
        switch (client.secret, secret) {
        case (.none, .none):
            return client
        case (.some(let expected), .some(let secret)) where ConstantTime.equal(expected.reveal(), secret):
            return client
        case (.none, .some):
            throw refused("a public client has no secret", challenges: challenges)
        case (.some, .none):
            throw refused("the client must authenticate", challenges: challenges)
        case (.some, .some):
            throw refused("the secret is wrong", challenges: challenges)
        }
    }

    private static func refused(_ reason: String, challenges: Bool = false) -> TokenRefusal {
        TokenRefusal(flaw: RequestFlaw("invalid_client", reason), challenges: challenges)
    }

    /// Id and secret, each form-encoded before they were joined (RFC 6749 §2.3.1).
    private static func basic(_ field: String) -> (id: String, secret: String)? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, String(parts[0]).equalsIgnoringASCIICase("Basic"),
            let bytes = Base64.decode(trimmed(parts[1])),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let id = String(validating: bytes[..<colon], as: UTF8.self),
            let secret = String(validating: bytes[(colon + 1)...], as: UTF8.self),
            let decodedID = PercentEncoding.decodeForm(id),
            let decodedSecret = PercentEncoding.decodeForm(secret)
        else { return nil }
        return (decodedID, decodedSecret)
    }
}
