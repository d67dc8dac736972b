/// How a client proves who it is at the token endpoint, by its name in RFC 7591 §2.
public enum ClientAuthenticationMethod: String, Sendable, Hashable, CaseIterable {
    case clientSecretBasic = "client_secret_basic"
    case clientSecretPost = "client_secret_post"
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
    /// `nil` for a public client, which then authenticates with no method.
    public var secret: Secret?
    public var authenticationMethod: ClientAuthenticationMethod
    public var basicEncoding: BasicCredentialsEncoding

    public init(
        clientID: String, secret: Secret? = nil, authenticationMethod: ClientAuthenticationMethod,
        basicEncoding: BasicCredentialsEncoding = .form
    ) {
        self.clientID = clientID
        self.secret = secret
        self.authenticationMethod = authenticationMethod
        self.basicEncoding = basicEncoding
    }
}
