/// How a client proves who it is at the token endpoint, by its name in RFC 7591 §2.
public enum ClientAuthenticationMethod: String, Sendable, Hashable, CaseIterable {
    case clientSecretBasic = "client_secret_basic"
    case clientSecretPost = "client_secret_post"
    /// A JWT that is authenticated with the client secret (OIDC Core §9).
    case clientSecretJWT = "client_secret_jwt"
    /// A JWT that is signed with the client's private key (RFC 7523 §2.2).
    case privateKeyJWT = "private_key_jwt"
    /// A public client.
    case none
}

/// How identifier and secret are written into HTTP Basic credentials.
public enum BasicCredentialsEncoding: String, Sendable, Hashable, CaseIterable {
    /// As RFC 6749 §2.3.1 asks.
    case form
    /// As they are, for the servers that do not decode.
    case raw
}

/// What one client registered with one provider.
public struct ClientRegistration: Sendable, Hashable {
    public var clientID: String
    /// `nil` for a client without a shared secret.
    public var secret: Secret?
    public var authenticationMethod: ClientAuthenticationMethod
    public var basicEncoding: BasicCredentialsEncoding
    /// In place of identifier and secret in HTTP Basic credentials.
    public var basicUser: Secret?
    public var basicPassword: Secret?
    /// The JWT that stands for the client in one request (RFC 7523 §2.2).
    public var assertion: Secret?
    /// PEM or JWK: what the client signs with.
    public var privateKey: Secret?

    public init(
        clientID: String, secret: Secret? = nil, authenticationMethod: ClientAuthenticationMethod,
        basicEncoding: BasicCredentialsEncoding = .form, privateKey: Secret? = nil
    ) {
        self.clientID = clientID
        self.secret = secret
        self.authenticationMethod = authenticationMethod
        self.basicEncoding = basicEncoding
        self.privateKey = privateKey
    }
}
