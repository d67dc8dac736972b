package import JOSE
package import OAuthProtocol

/// Server metadata by the names of RFC 8414, templates not yet evaluated.
package struct ServerFacts: Sendable {
    package var issuer: DescriptorText?
    package var issuerAliases: [DescriptorText] = []
    package var metadataURL: DescriptorText?
    package var authorizationEndpoint: DescriptorText?
    package var tokenEndpoint: DescriptorText?
    package var userinfoEndpoint: DescriptorText?
    package var jwksURI: DescriptorText?
    package var revocationEndpoint: DescriptorText?
    package var introspectionEndpoint: DescriptorText?
    package var deviceAuthorizationEndpoint: DescriptorText?
    package var pushedAuthorizationRequestEndpoint: DescriptorText?
    package var registrationEndpoint: DescriptorText?
    package var endSessionEndpoint: DescriptorText?
    /// Lists and flags, which have no templates.
    package var members = ServerMetadataFields()
    /// What the metadata must not say: members with nothing after their names.
    package var removed: Set<String> = []
    /// Endpoints for clients with a certificate, by the names of their members (RFC 8705 §5).
    package var mtlsEndpointAliases: [(name: String, text: DescriptorText)] = []

    package init() {}

    /// The endpoints, in the order of RFC 8414 §2.
    var endpointTexts: [DescriptorText?] {
        [
            authorizationEndpoint, tokenEndpoint, userinfoEndpoint, jwksURI, revocationEndpoint,
            introspectionEndpoint, deviceAuthorizationEndpoint, pushedAuthorizationRequestEndpoint,
            registrationEndpoint, endSessionEndpoint,
        ]
    }
}

/// Client metadata by the names of RFC 7591, and how the client's credentials are made.
package struct ClientFacts: Sendable {
    /// A JWT that the client signs, whose members are texts.
    package struct SignedToken: Sendable {
        package var algorithm: SignatureAlgorithm?
        /// PEM or JWK; `nil` for the registration's private key.
        package var key: DescriptorText?
        package var header: [(name: String, text: DescriptorText)] = []
        package var claims: [(name: String, text: DescriptorText)] = []
        /// Seconds.
        package var lifetime = 300
    }

    package var authenticationMethod: ClientAuthenticationMethod?
    package var signingAlgorithm: SignatureAlgorithm?
    package var basicEncoding = BasicCredentialsEncoding.form
    /// In place of the identifier and the secret.
    package var basicUser: DescriptorText?
    package var basicPassword: DescriptorText?
    /// What differs from RFC 7523 §3 in the client's assertion.
    package var assertion = SignedToken()
    /// A client secret that is made for each request.
    package var madeSecret: SignedToken?
    package var idTokenSignedResponseAlgorithm: SignatureAlgorithm?
    package var userinfoSignedResponseAlgorithm: SignatureAlgorithm?
    package var security = ClientSecurityFacts()
    /// Around the signature; `nil` for a client that registered none.
    package var idTokenEncryption: RegisteredEncryption?
    package var userinfoEncryption: RegisteredEncryption?
    /// What signs answers about tokens (RFC 9701 §6); `nil` for a client that did not register for signed ones.
    package var introspectionSignedResponseAlgorithm: SignatureAlgorithm?
    package var introspectionEncryption: RegisteredEncryption?
    /// Whether access tokens are bound to the client's certificate (RFC 8705 §3.4).
    package var bindsTokensToCertificate = false
    /// What of the above a client has to say of itself when it registers, by the names of RFC 7591 §2 and its successors.
    package var registeredMembers: JSONObject = [:]

    /// Whether the client's private key decrypts answers or signs requests.
    package var usesPrivateKey: Bool { !encryptions.isEmpty || signsRequests }

    /// Whether requests are signed with the client's private key.
    package var signsRequests: Bool {
        security.requiresSignedRequests && security.requestObjectAlgorithm?.isMAC != true
    }

    /// Every way in which answers are encrypted to the client.
    package var encryptions: [RegisteredEncryption] {
        [idTokenEncryption, userinfoEncryption, introspectionEncryption, security.responseEncryption]
            .compactMap(\.self)
    }

    package init() {}
}
