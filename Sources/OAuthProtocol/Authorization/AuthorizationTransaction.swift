internal import JOSE

/// What must be remembered between an authorization request and its response; usable once.
package struct AuthorizationTransaction: Sendable, Equatable {
    package let state: Secret
    package let nonce: Secret?
    package let pkce: PKCE?
    package let redirectURI: String
    /// `nil` for a provider that has none.
    package let issuer: String?
    package let clientID: String
    package let scopes: [String]
    /// In seconds.
    package let maxAge: Int?
    package let acrValues: [String]
    /// Milliseconds since 1970.
    package let createdAt: Int64

    /// How many random bytes a transaction takes: 32 each for state, nonce and verifier.
    package static let randomByteCount = 96

    /// Begins a transaction; state, nonce and verifier come from three independent slices of the bytes.
    ///
    /// - Parameter randomBytes: 96 bytes of the system's generator, used for nothing else.
    /// - Parameter method: `nil` for a provider that knows no PKCE.
    package init(
        randomBytes: [UInt8], wantsNonce: Bool, pkce method: PKCE.Method?, redirectURI: String,
        issuer: String?, clientID: String, scopes: [String], maxAge: Int? = nil, acrValues: [String] = [],
        createdAt: Int64
    ) {
        precondition(randomBytes.count == Self.randomByteCount, "a transaction is made of 96 random bytes")
        self.init(
            state: Secret(Base64URL.encode(randomBytes[0..<32]), kind: .state),
            nonce: wantsNonce ? Secret(Base64URL.encode(randomBytes[32..<64]), kind: .nonce) : nil,
            pkce: method.map { PKCE(randomBytes: Array(randomBytes[64..<96]), method: $0) },
            redirectURI: redirectURI, issuer: issuer, clientID: clientID, scopes: scopes, maxAge: maxAge,
            acrValues: acrValues,
            createdAt: createdAt)
    }

    /// The same transaction with `state` inside its redirect URI, for providers that return no parameter of that name.
    package func withStateInRedirectURI() -> AuthorizationTransaction {
        let mark = redirectURI.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return AuthorizationTransaction(
            state: state, nonce: nonce, pkce: pkce,
            redirectURI: "\(redirectURI)\(mark)state=\(state.reveal())",
            issuer: issuer, clientID: clientID, scopes: scopes, maxAge: maxAge, acrValues: acrValues,
            createdAt: createdAt)
    }

    /// Takes up a stored transaction.
    package init(
        state: Secret, nonce: Secret?, pkce: PKCE?, redirectURI: String, issuer: String?, clientID: String,
        scopes: [String], maxAge: Int? = nil, acrValues: [String] = [], createdAt: Int64
    ) {
        self.state = state
        self.nonce = nonce
        self.pkce = pkce
        self.redirectURI = redirectURI
        self.issuer = issuer
        self.clientID = clientID
        self.scopes = scopes
        self.maxAge = maxAge
        self.acrValues = acrValues
        self.createdAt = createdAt
    }
}
