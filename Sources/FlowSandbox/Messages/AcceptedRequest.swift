internal import OAuthProtocol

/// An authorization request that may be shown to a person: every rule of the sandbox has passed.
struct AcceptedRequest: Sendable, Hashable {
    enum Prompt: String, Sendable, Hashable {
        case none, login, consent
        case selectAccount = "select_account"
    }

    let clientID: String
    /// What pages call the client.
    let clientName: String
    let redirectURI: String
    let state: String?
    let mode: ResponseMode
    /// Whether an ID token comes beside the code (OIDC Core §3.3).
    let wantsIDToken: Bool
    let scopes: [String]
    let nonce: String?
    /// The S256 challenge, 43 characters.
    let codeChallenge: String
    let prompts: [Prompt]
    let loginHint: String?
    /// The first level that was asked for; the sandbox claims to have reached whatever is asked.
    let acr: String?
    private(set) var extensions: RequestExtensions

    fileprivate init(
        client: SandboxClient, redirectURI: String, mode: ResponseMode, scopes: [String],
        codeChallenge: String, prompts: [Prompt], extensions: RequestExtensions, parameters: Parameters
    ) {
        clientID = client.id
        clientName = client.name
        self.redirectURI = redirectURI
        state = parameters["state"]
        self.mode = mode
        wantsIDToken = parameters.words("response_type").contains("id_token")
        self.scopes = scopes
        nonce = parameters["nonce"]
        self.codeChallenge = codeChallenge
        self.prompts = prompts
        loginHint = parameters["login_hint"]
        acr = extensions.level ?? parameters.words("acr_values").first
        self.extensions = extensions
    }

    /// The same request for a code that only the holder of the key can redeem.
    func bound(to key: String) -> AcceptedRequest {
        var request = self
        request.extensions.key = key
        return request
    }
}

/// Why an authorization request is refused, and whether its redirect URI may learn of it.
enum AuthorizationRefusal: Error, Sendable, Hashable {
    /// Nothing is known of where to redirect to, so a person reads it (RFC 6749 §4.1.2.1).
    ///
    /// The code is for a client that pushed the request.
    case page(reason: String, code: String = "invalid_request")
    case redirect(AuthorizationError)
}

/// An error that goes back to the client's redirect URI.
struct AuthorizationError: Error, Sendable, Hashable {
    let code: String
    let description: String
    let clientID: String
    let redirectURI: String
    let state: String?
    let mode: ResponseMode
}

/// How a request came, which some clients and servers insist on.
enum RequestChannel: Sendable, Hashable {
    case browser, pushed
}

/// Reads and checks authorization requests, whichever way they come.
struct RequestReader {
    let configuration: SandboxConfiguration
    let directory: ClientDirectory
    let channel: RequestChannel
    /// Milliseconds since 1970.
    let now: Int64

    /// Reads and checks the request.
    ///
    /// Client and redirect URI come first: until both are known to belong together, nothing is redirected.
    ///
    /// - Throws: `page` for an unknown client, a request object that it did not sign, or a redirect URI that it
    ///   did not register; `redirect` for everything else.
    func read(_ given: Parameters) throws(AuthorizationRefusal) -> AcceptedRequest {
        let client = try client(given)
        let parameters = try signed(given, client)
        let redirectURI = try redirectURI(parameters, client)
        do throws(RequestFlaw) {
            try client.check(grantType: "authorization_code")
            if given["request"] == nil, client.demands.signedRequest {
                throw .invalidRequest("the client registered to sign every request")
            }
            guard
                channel == .pushed || !(configuration.requiresPushedRequests || client.demands.pushedRequest)
            else { throw .invalidRequest("the request must be pushed first") }
            return try read(parameters, client, redirectURI)
        } catch {
            // A state that came twice is not sent back: nobody can say which one is meant.
            let state = parameters.repeated.contains("state") ? nil : parameters["state"]
            throw .redirect(
                AuthorizationError(
                    code: error.code, description: error.description, clientID: client.id,
                    redirectURI: redirectURI, state: state,
                    mode: parameters["response_mode"].flatMap(ResponseMode.init) ?? .query))
        }
    }

    func client(_ parameters: Parameters) throws(AuthorizationRefusal) -> SandboxClient {
        guard !parameters.repeated.contains("client_id") else {
            throw .page(reason: "The parameter client_id came more than once.")
        }
        guard let clientID = parameters["client_id"] else {
            throw .page(reason: "The parameter client_id is missing.")
        }
        guard let client = directory.client(clientID) else {
            throw .page(reason: "No client is registered as “\(clientID)”.")
        }
        return client
    }

    /// The parameters of the request object, which then are the only ones that count (RFC 9101 §6.3).
    private func signed(
        _ parameters: Parameters, _ client: SandboxClient
    ) throws(AuthorizationRefusal) -> Parameters {
        guard let object = parameters["request"] else { return parameters }
        do throws(RequestFlaw) {
            return try SignedRequest.parameters(
                of: object, client: client, issuer: configuration.issuer, now: now / 1000)
        } catch {
            throw .page(reason: "The request cannot be believed: \(error.description).", code: error.code)
        }
    }

    private func redirectURI(
        _ parameters: Parameters, _ client: SandboxClient
    ) throws(AuthorizationRefusal) -> String {
        guard !parameters.repeated.contains("redirect_uri") else {
            throw .page(reason: "The parameter redirect_uri came more than once.")
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
        // RFC 6749 §3.1.2.
        let scheme = redirectURI.prefix { $0 != ":" }
        guard RedirectURI.isScheme(scheme), scheme.endIndex < redirectURI.endIndex,
            redirectURI.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
        else {
            throw .page(
                reason: "The redirect URI “\(redirectURI)” is not absolute, or has a fragment or a space.")
        }
        return redirectURI
    }

    private func read(
        _ parameters: Parameters, _ client: SandboxClient, _ redirectURI: String
    ) throws(RequestFlaw) -> AcceptedRequest {
        // Several services may be asked for (RFC 8707 §2).
        if let name = parameters.repeated.first(where: { $0 != "resource" }) {
            throw .invalidRequest("the parameter \(name) came more than once")
        }
        for name in ["request_uri", "registration"] where parameters[name] != nil {
            throw RequestFlaw("\(name)_not_supported", "the parameter \(name) is not supported")
        }
        guard let mode = ResponseMode(rawValue: parameters["response_mode"] ?? "query") else {
            let modes = ResponseMode.allCases.map(\.rawValue).joined(separator: " ")
            throw .invalidRequest("the response modes are \(modes)")
        }
        guard let type = parameters["response_type"] else {
            throw .invalidRequest("response_type is missing")
        }
        guard type == "code" || Set(parameters.words("response_type")) == ["code", "id_token"] else {
            throw RequestFlaw(
                "unsupported_response_type", "the response types are code and code id_token")
        }
        if type != "code" { try Self.checkHybrid(parameters, mode) }
        return AcceptedRequest(
            client: client, redirectURI: redirectURI, mode: mode,
            scopes: client.grantable(try Self.scopes(parameters, configuration)),
            codeChallenge: try Self.codeChallenge(parameters), prompts: try Self.prompts(parameters),
            extensions: try RequestExtensions.read(parameters, configuration), parameters: parameters)
    }

    /// - SeeAlso: OIDC Core §3.3.2.1 and §3.2.2.1, OAuth 2.0 Multiple Response Types §5
    private static func checkHybrid(_ parameters: Parameters, _ mode: ResponseMode) throws(RequestFlaw) {
        guard mode.isForm else {
            throw .invalidRequest("an ID token comes with a response mode of form_post only")
        }
        guard parameters.words("scope").contains(Scope.openID) else {
            throw RequestFlaw("invalid_scope", "an ID token needs the scope openid")
        }
        guard parameters["nonce"] != nil else {
            throw .invalidRequest("nonce is missing: an ID token in the answer needs it")
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
    static func codeChallenge(_ parameters: Parameters) throws(RequestFlaw) -> String {
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

    private static func prompts(_ parameters: Parameters) throws(RequestFlaw) -> [AcceptedRequest.Prompt] {
        var prompts: [AcceptedRequest.Prompt] = []
        for word in parameters.words("prompt") {
            guard let prompt = AcceptedRequest.Prompt(rawValue: word) else {
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

private func isBase64URL(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
    default: false
    }
}
