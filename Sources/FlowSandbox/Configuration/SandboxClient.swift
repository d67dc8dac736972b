package import JOSE
package import OAuthProtocol

/// A client that is registered with the sandbox.
package struct SandboxClient: Sendable, Hashable {
    package let id: String
    /// What the page calls it.
    package let name: String
    /// `nil` for a public client.
    package let secret: Secret?
    /// Compared byte by byte; where one has a loopback address for its host, any port matches.
    package let redirectURIs: [String]
    /// Where else it may have a browser sent after signing out (RP-Initiated Logout §3.1), compared likewise.
    package let farewells: [String]
    /// A JWK set with the client's public keys: for its assertions and request objects.
    package let keySet: JSONObject?
    /// How it may authenticate; one of them in each request.
    package let authenticationMethods: [ClientAuthenticationMethod]
    package let demands: Demands
    /// `grant_types` of its registration (RFC 7591 §2); `nil` for a client that may use every grant.
    package let grantTypes: [String]?
    /// Whether nobody registered it: it proves nothing, and any redirect URI is its own.
    private(set) var isOpen = false

    /// What the client has registered never to do without.
    package struct Demands: Sendable, Hashable {
        /// `dpop_bound_access_tokens` (RFC 9449 §5.2).
        package var proof: Bool
        /// `require_pushed_authorization_requests` (RFC 9126 §6).
        package var pushedRequest: Bool
        /// `require_signed_request_object` (RFC 9101 §10.5).
        package var signedRequest: Bool

        package init(proof: Bool = false, pushedRequest: Bool = false, signedRequest: Bool = false) {
            self.proof = proof
            self.pushedRequest = pushedRequest
            self.signedRequest = signedRequest
        }
    }

    /// - Parameter authenticationMethods: `nil` for all that its secret and its keys allow.
    package init(
        id: String, name: String, secret: Secret? = nil, redirectURIs: [String], farewells: [String] = [],
        keySet: JSONObject? = nil,
        authenticationMethods: [ClientAuthenticationMethod]? = nil, demands: Demands = Demands(),
        grantTypes: [String]? = nil
    ) {
        self.id = id
        self.name = name
        self.secret = secret
        self.redirectURIs = redirectURIs
        self.farewells = farewells
        self.keySet = keySet
        self.authenticationMethods = authenticationMethods ?? Self.methods(secret, keySet)
        self.demands = demands
        self.grantTypes = grantTypes
    }

    /// A client that is whoever says so.
    static func open(_ id: String) -> SandboxClient {
        var client = SandboxClient(id: id, name: id, redirectURIs: [])
        client.isOpen = true
        return client
    }

    private static func methods(_ secret: Secret?, _ keySet: JSONObject?) -> [ClientAuthenticationMethod] {
        let shared: [ClientAuthenticationMethod] =
            secret == nil ? [] : [.clientSecretBasic, .clientSecretPost, .clientSecretJWT]
        // A public client may have keys too, to sign its requests with: then its method is to be given.
        let all = shared + (keySet == nil ? [] : [.privateKeyJWT])
        return all.isEmpty ? [.none] : all
    }

    /// Whether it may do what takes a client that has proved who it is.
    var isTrusted: Bool { isConfidential || isOpen }

    /// Whether it has to prove who it is (RFC 6749 §2.1).
    var isConfidential: Bool { !authenticationMethods.contains(.none) }

    /// Lets pass what the client may use.
    ///
    /// - Throws: `unauthorized_client` when it did not register for it (RFC 6749 §4.1.2.1 and §5.2).
    func check(grantType: String) throws(RequestFlaw) {
        guard isRegistered(for: grantType) else {
            throw RequestFlaw("unauthorized_client", "the client did not register the grant type")
        }
    }

    /// What a person is asked to allow: without `offline_access` for a client that cannot refresh (OIDC Core §11).
    func grantable(_ scopes: [String]) -> [String] {
        isRegistered(for: "refresh_token") ? scopes : scopes.filter { $0 != Scope.offlineAccess }
    }

    private func isRegistered(for grantType: String) -> Bool {
        grantTypes?.contains { $0.hasBytes(of: grantType) } ?? true
    }

    /// The two clients that every sandbox has unless it is told otherwise.
    package static let standard = [
        SandboxClient(id: "flowrun-sandbox", name: "flowrun", redirectURIs: loopback + schemes),
        SandboxClient(
            id: confidentialID, name: "flowrun (confidential)",
            secret: standardSecret, redirectURIs: loopback),
    ]

    package static let confidentialID = "flowrun-sandbox-confidential"
    /// Everybody knows it, so pages may show it. Long enough for HS256 (RFC 7518 §3.2).
    static let standardSecretText = "sandbox-secret-that-everybody-knows"
    package static let standardSecret = Secret(standardSecretText, kind: .clientSecret)

    private static let loopback = ["http://127.0.0.1/callback", "http://[::1]/callback"]

    /// Schemes of a domain that is for examples (RFC 8252 §7.1): one in production, one under development.
    private static let schemes = ["com.example.app:/oauthredirect", "com.example.app.dev:/oauthredirect"]

    /// Whether the client registered this redirect URI.
    ///
    /// - SeeAlso: RFC 6749 §3.1.2.3, RFC 8252 §7.3, RFC 9700 §2.1
    func accepts(redirectURI: String) -> Bool {
        isOpen || redirectURIs.contains { Self.matches($0, redirectURI) }
    }

    /// Whether a browser may be sent there after signing out.
    func accepts(farewell place: String) -> Bool {
        accepts(redirectURI: place) || farewells.contains { Self.matches($0, place) }
    }

    private static func matches(_ registered: String, _ place: String) -> Bool {
        if registered.hasBytes(of: place) { return true }
        guard let left = LoopbackURL(registered), let right = LoopbackURL(place) else { return false }
        return left == right
    }
}

/// A URL on a loopback address, without its port.
///
/// `localhost` is not one: a resolver may point it elsewhere (RFC 8252 §8.3).
private struct LoopbackURL: Equatable {
    let host: String
    let path: String

    init?(_ url: String) {
        guard
            let host = ["http://127.0.0.1", "http://[::1]"].first(where: { url.utf8.starts(with: $0.utf8) })
        else { return nil }
        self.host = host
        var rest = url.utf8.dropFirst(host.utf8.count)
        if rest.first == UInt8(ascii: ":") {
            let port = rest.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard port.first != UInt8(ascii: "0"), UInt16(String(Substring(port))) != nil else { return nil }
            rest = rest.dropFirst(1 + port.count)
        }
        guard rest.isEmpty || rest.first == UInt8(ascii: "/") else { return nil }
        path = String(Substring(rest))
    }

    static func == (left: LoopbackURL, right: LoopbackURL) -> Bool {
        left.host.hasBytes(of: right.host) && left.path.hasBytes(of: right.path)
    }
}
