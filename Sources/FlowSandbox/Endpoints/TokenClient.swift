internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// Why a token request is refused, and how.
struct TokenRefusal: Error, Sendable, Hashable {
    let flaw: RequestFlaw
    /// Whether the client used the `Authorization` field, which then is answered by a challenge.
    var challenges = false
    var fields: [HTTPField] = []

    var response: HTTPResponse {
        let challenge = HTTPField("WWW-Authenticate", "Basic realm=\"flowrun sandbox\", charset=\"UTF-8\"")
        return Answer.oauthError(
            flaw.code, flaw.description, fields: (challenges ? [challenge] : []) + fields)
    }
}

extension SandboxProvider {
    /// Who asks: exactly one way of saying so is allowed.
    ///
    /// - Throws: `invalid_client` when the client is unknown or does not prove itself as it registered;
    ///   `invalid_request` for two ways at once or two names.
    /// - SeeAlso: RFC 6749 §2.3 and §5.2
    func authenticate(
        _ request: ServerRequest, _ form: Parameters, now: Int64
    ) throws(TokenRefusal) -> SandboxClient {
        let directory = state.withLock { ClientDirectory(configuration, $0.ledger) }
        guard let assertion = form["client_assertion"] else {
            return try TokenClient.authenticate(request, form, directory)
        }
        guard request.field("Authorization").map({ $0.hasPrefix("Basic ") }) != true,
            form["client_secret"] == nil
        else { throw TokenRefusal(flaw: .invalidRequest("the client authenticates in two ways")) }
        let reader = Authenticator(configuration: configuration, directory: directory, now: now / 1000)
        let (client, serial) = try reader.client(assertion: assertion, form)
        // No assertion is good for longer than an hour, so a name is remembered for two.
        let isNew = state.withLock {
            $0.ledger.use(serial, until: now / 1000 + 7200, now: now / 1000)
        }
        guard isNew else {
            throw TokenRefusal(flaw: RequestFlaw("invalid_client", "the assertion was used before"))
        }
        return client
    }
}

/// Clients that prove themselves with a secret, or are public.
enum TokenClient {
    static func authenticate(
        _ request: ServerRequest, _ form: Parameters, _ directory: ClientDirectory
    ) throws(TokenRefusal) -> SandboxClient {
        guard let authorization = request.field("Authorization") else {
            guard let id = form["client_id"] else { throw refused("client_id is missing") }
            let secret = form["client_secret"]
            return try verified(id, secret, .clientSecretPost, directory, challenges: false)
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
        return try verified(id, secret, .clientSecretBasic, directory, challenges: true)
    }

    private static func verified(
        _ id: String, _ secret: String?, _ method: ClientAuthenticationMethod, _ directory: ClientDirectory,
        challenges: Bool
    ) throws(TokenRefusal) -> SandboxClient {
        guard let client = directory.client(id) else {
            throw refused("the client is unknown", challenges: challenges)
        }
        guard let secret else {
            guard client.isConfidential else { return client }
            throw refused("the client must authenticate", challenges: challenges)
        }
        guard let expected = client.secret, client.isConfidential else {
            throw refused("the client has no secret", challenges: challenges)
        }
        guard client.authenticationMethods.contains(method) else {
            throw refused("the client did not register \(method.rawValue)", challenges: challenges)
        }
        guard ConstantTime.equal(expected.reveal(), secret) else {
            throw refused("the secret is wrong", challenges: challenges)
        }
        return client
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
