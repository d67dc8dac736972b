internal import OAuthProtocol

/// An authorization request that may be shown to a person: every rule of the sandbox has passed.
struct AcceptedRequest: Sendable, Hashable {
    enum Prompt: String, Sendable, Hashable {
        case none, login, consent
        case selectAccount = "select_account"
    }

    let clientID: String
    let redirectURI: String
    let state: String?
    let scopes: [String]
    let nonce: String?
    /// The S256 challenge, 43 characters.
    let codeChallenge: String
    let prompts: [Prompt]
    let loginHint: String?
    /// The first of `acr_values`; the sandbox claims to have reached whatever is asked.
    let acr: String?

    private init(
        client: SandboxClient, redirectURI: String, scopes: [String], codeChallenge: String,
        prompts: [Prompt], parameters: Parameters
    ) {
        clientID = client.id
        self.redirectURI = redirectURI
        state = parameters["state"]
        self.scopes = scopes
        nonce = parameters["nonce"]
        self.codeChallenge = codeChallenge
        self.prompts = prompts
        loginHint = parameters["login_hint"]
        acr = parameters.words("acr_values").first
    }
}

/// Why an authorization request is refused, and whether its redirect URI may learn of it.
enum AuthorizationRefusal: Error, Sendable, Hashable {
    /// Nothing is known of where to redirect to, so a person reads it (RFC 6749 §4.1.2.1).
    case page(reason: String)
    case redirect(AuthorizationError)
}

/// An error that goes back to the client's redirect URI.
struct AuthorizationError: Error, Sendable, Hashable {
    let code: String
    let description: String
    let redirectURI: String
    let state: String?
}

extension AcceptedRequest {
    /// Reads and checks the request.
    ///
    /// Client and redirect URI come first: until both are known to belong together, nothing is redirected.
    ///
    /// - Throws: `page` for a broken query, an unknown client or a redirect URI that it did not register;
    ///   `redirect` for everything else.
    static func read(
        _ query: String?, _ configuration: SandboxConfiguration
    ) throws(AuthorizationRefusal) -> AcceptedRequest {
        guard let parameters = Parameters(query: query) else {
            throw .page(reason: "The query is not valid: an escape is broken or a text is not UTF-8.")
        }
        let (client, redirectURI) = try destination(parameters, configuration)
        do throws(RequestFlaw) {
            return try read(parameters, client, redirectURI, configuration)
        } catch {
            // A state that came twice is not sent back: nobody can say which one is meant.
            let state = parameters.repeated.contains("state") ? nil : parameters["state"]
            throw .redirect(
                AuthorizationError(
                    code: error.code, description: error.description, redirectURI: redirectURI, state: state))
        }
    }

    private static func destination(
        _ parameters: Parameters, _ configuration: SandboxConfiguration
    ) throws(AuthorizationRefusal) -> (SandboxClient, String) {
        for name in ["client_id", "redirect_uri"] where parameters.repeated.contains(name) {
            throw .page(reason: "The parameter \(name) came more than once.")
        }
        guard let clientID = parameters["client_id"] else {
            throw .page(reason: "The parameter client_id is missing.")
        }
        guard let client = configuration.client(clientID) else {
            throw .page(reason: "No client is registered as “\(clientID)”.")
        }
        guard let redirectURI = parameters["redirect_uri"] else {
            throw .page(reason: "The parameter redirect_uri is missing.")
        }
        guard client.accepts(redirectURI: redirectURI) else {
            throw .page(
                reason: "The client “\(client.id)” did not register the redirect URI “\(redirectURI)”. "
                    + "It registered \(client.redirectURIs.joined(separator: " and ")); "
                    + "any port is fine on a loopback address.")
        }
        return (client, redirectURI)
    }

    private static func read(
        _ parameters: Parameters, _ client: SandboxClient, _ redirectURI: String,
        _ configuration: SandboxConfiguration
    ) throws(RequestFlaw) -> AcceptedRequest {
        if let name = parameters.repeated.first {
            throw .invalidRequest("the parameter \(name) came more than once")
        }
        try refuseUnsupported(parameters)
        guard let type = parameters["response_type"] else {
            throw .invalidRequest("response_type is missing")
        }
        guard type == "code" else {
            throw RequestFlaw("unsupported_response_type", "only the response type code is supported")
        }
        let scopes = try scopes(parameters, configuration)
        return AcceptedRequest(
            client: client, redirectURI: redirectURI, scopes: scopes,
            codeChallenge: try codeChallenge(parameters), prompts: try prompts(parameters),
            parameters: parameters)
    }

    private static func refuseUnsupported(_ parameters: Parameters) throws(RequestFlaw) {
        for name in ["request", "request_uri", "registration"] where parameters[name] != nil {
            throw RequestFlaw("\(name)_not_supported", "the parameter \(name) is not supported")
        }
        guard (parameters["response_mode"] ?? "query") == "query" else {
            throw .invalidRequest("only the response mode query is supported")
        }
        if let age = parameters["max_age"], UInt32(age) == nil {
            throw .invalidRequest("max_age is not a number of seconds")
        }
    }

    private static func scopes(
        _ parameters: Parameters, _ configuration: SandboxConfiguration
    ) throws(RequestFlaw) -> [String] {
        let scopes = parameters.words("scope")
        guard !scopes.isEmpty else { throw RequestFlaw("invalid_scope", "scope is missing") }
        let unknown = scopes.first { !Scope.known.contains($0) }
        guard configuration.acceptsOtherScopes || unknown == nil else {
            throw RequestFlaw("invalid_scope", "the scopes are \(Scope.known.joined(separator: " "))")
        }
        return scopes
    }

    /// - SeeAlso: RFC 7636 §4.3 and §4.4.1, RFC 9700 §2.1.1
    private static func codeChallenge(_ parameters: Parameters) throws(RequestFlaw) -> String {
        guard let challenge = parameters["code_challenge"] else {
            throw .invalidRequest("code_challenge is missing: PKCE is required")
        }
        guard parameters["code_challenge_method"] == "S256" else {
            throw .invalidRequest("code_challenge_method must be S256")
        }
        guard challenge.utf8.count == 43, challenge.utf8.allSatisfy(isBase64URL) else {
            throw .invalidRequest("code_challenge is not the base64url text of a SHA-256 digest")
        }
        return challenge
    }

    private static func prompts(_ parameters: Parameters) throws(RequestFlaw) -> [Prompt] {
        var prompts: [Prompt] = []
        for word in parameters.words("prompt") {
            guard let prompt = Prompt(rawValue: word) else {
                throw .invalidRequest("prompt may be none, login, consent or select_account")
            }
            prompts.append(prompt)
        }
        guard prompts.count <= 1 || !prompts.contains(.none) else {
            throw .invalidRequest("prompt none excludes every other value")
        }
        return prompts
    }
}

/// An error code and its description, before it is known how it is sent.
struct RequestFlaw: Error, Sendable, Hashable {
    let code: String
    /// ASCII without quotes and backslashes, as RFC 6749 §5.2 wants it; never holds a value of the request.
    let description: String

    init(_ code: String, _ description: String) {
        self.code = code
        self.description = description
    }

    static func invalidRequest(_ description: String) -> RequestFlaw {
        RequestFlaw("invalid_request", description)
    }

    static func invalidGrant(_ description: String) -> RequestFlaw {
        RequestFlaw("invalid_grant", description)
    }
}

private func isBase64URL(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
    default: false
    }
}
