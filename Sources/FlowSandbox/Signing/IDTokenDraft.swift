internal import JOSE
internal import OAuthProtocol

/// An ID token before it is signed.
///
/// - SeeAlso: OIDC Core §2, §3.1.3.6
enum IDTokenDraft {
    /// What comes with the token, and is hashed in it.
    enum Companion: Sendable, Hashable {
        case accessToken(String)
        case code(String, state: String?)
    }

    /// - Parameters:
    ///   - nonce: `nil` on a refresh too: only the first token carries it (OIDC Core §12.2).
    ///   - now: Seconds since 1970.
    static func make(
        grant: Grant, user: SandboxUser, nonce: String?, beside value: Companion, now: Int64,
        configuration: SandboxConfiguration
    ) -> SignedDraft {
        var claims: JSONObject = [
            "iss": .string(configuration.issuer),
            "sub": .string(user.subject),
            "aud": .string(grant.clientID),
            "exp": .int(now + configuration.lifetimes.idToken),
            "iat": .int(now),
            "auth_time": .int(grant.authenticatedAt),
        ]
        claims["nonce"] = nonce.map(JSONValue.string)
        claims["acr"] = grant.acr.map(JSONValue.string)
        claims["amr"] = ["pwd"]
        let hash = { (text: String) in JSONValue.string(configuration.algorithm.leftHalfHash(text)) }
        switch value {
        case .accessToken(let token): claims["at_hash"] = hash(token)
        case .code(let code, let state):
            claims["c_hash"] = hash(code)
            claims["s_hash"] = state.map(hash)
        }
        for (name, value) in user.claims(names: grant.claims.idToken, issuer: configuration.issuer)
        where claims[name] == nil {
            claims[name] = value
        }
        for (name, value) in configuration.furtherClaims where claims[name] == nil { claims[name] = value }
        return SignedDraft(type: "JWT", claims: claims)
    }
}
