/// How a client proves who it is at the token endpoint, by its name in RFC 7591 §2.
public enum ClientAuthenticationMethod: String, Sendable, Hashable, CaseIterable {
    case clientSecretBasic = "client_secret_basic"
    case clientSecretPost = "client_secret_post"
    /// A JWT that is authenticated with the client secret (OIDC Core §9).
    case clientSecretJWT = "client_secret_jwt"
    /// A JWT that is signed with the client's private key (RFC 7523 §2.2).
    case privateKeyJWT = "private_key_jwt"
    /// A certificate in TLS that an authority issued (RFC 8705 §2.1).
    case tlsClientAuth = "tls_client_auth"
    /// A certificate in TLS that the client registered itself (RFC 8705 §2.2).
    case selfSignedTLSClientAuth = "self_signed_tls_client_auth"
    /// A public client.
    case none

    /// Whether the connection proves the client, and the request only names it.
    package var isMutualTLS: Bool { self == .tlsClientAuth || self == .selfSignedTLSClientAuth }

    /// Whether client and server share a secret for it.
    package var needsSecret: Bool {
        switch self {
        case .clientSecretBasic, .clientSecretPost, .clientSecretJWT: true
        case .privateKeyJWT, .tlsClientAuth, .selfSignedTLSClientAuth, .none: false
        }
    }
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
    /// As the provider issued it (RFC 6749 §2.2); public.
    public var clientID: String
    /// Where the identifier comes from, for the trace.
    package var clientIDSource = ParameterSource.registration
    /// `nil` for a client without a shared secret.
    public var secret: Secret?
    /// How the client proves itself; setting it wins over what the descriptor says.
    public var authenticationMethod: ClientAuthenticationMethod {
        didSet { registeredMethod = authenticationMethod }
    }
    /// How the client registered to prove itself; `nil` where the descriptor, else the metadata, says how.
    package private(set) var registeredMethod: ClientAuthenticationMethod?
    /// For servers that do not decode what RFC 6749 §2.3.1 encodes.
    public var basicEncoding: BasicCredentialsEncoding
    /// In place of identifier and secret in HTTP Basic credentials.
    public var basicUser: Secret?
    /// The other half of `basicUser`.
    public var basicPassword: Secret?
    /// The JWT that proves the client (RFC 7523 §2.2): one that somebody else issued for it, as a build service or a
    /// cluster does for what runs there; without it one is made for each request and signed with `privateKey`.
    public var assertion: Secret?
    /// Whether the assertion may speak of the client under another name, so that requests say `client_id` besides (RFC 7521
    /// §4.2).
    package var hasIssuedAssertion = false
    /// PEM or JWK: what the client signs with; with a certificate its key too, then in PEM, where `certificateKey` is none.
    public var privateKey: Secret?
    /// PEM: what the client shows in TLS, its issuers after it.
    public var certificate: Secret?
    /// PEM: the key of the certificate, for a client that signs with another one.
    public var certificateKey: Secret?

    /// A client that proves itself as the provider's descriptor says, else its metadata; without secret, private key and
    /// assertion not at all.
    public init(
        clientID: String, secret: Secret? = nil, privateKey: Secret? = nil, certificate: Secret? = nil,
        certificateKey: Secret? = nil, assertion: Secret? = nil
    ) {
        self.init(
            clientID: clientID, secret: secret,
            authenticationMethod: secret == nil ? .none : .clientSecretBasic,
            privateKey: privateKey, certificate: certificate, certificateKey: certificateKey)
        self.assertion = assertion
        registeredMethod = nil
    }

    /// - Parameter authenticationMethod: What this very client registered; wins over what the descriptor says.
    public init(
        clientID: String, secret: Secret? = nil, authenticationMethod: ClientAuthenticationMethod,
        basicEncoding: BasicCredentialsEncoding = .form, privateKey: Secret? = nil,
        certificate: Secret? = nil, certificateKey: Secret? = nil
    ) {
        self.clientID = clientID
        self.secret = secret
        self.authenticationMethod = authenticationMethod
        registeredMethod = authenticationMethod
        self.basicEncoding = basicEncoding
        self.privateKey = privateKey
        self.certificate = certificate
        self.certificateKey = certificateKey
    }

    /// What requests may show of the client, and no text.
    package var credentials: [Secret] { [secret, assertion].compactMap(\.self) }

    /// Certificate and key for TLS; `nil` without either.
    package var clientCertificate: ClientCertificate? {
        guard let certificate, let key = certificateKey ?? privateKey else { return nil }
        return ClientCertificate(chain: certificate, key: key)
    }
}
