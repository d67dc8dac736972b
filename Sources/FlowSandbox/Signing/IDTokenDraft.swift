internal import JOSE
internal import OAuthProtocol

/// An ID token before it is signed.
///
/// - SeeAlso: OIDC Core §2, §3.1.3.6
enum IDTokenDraft {
    /// - Parameters:
    ///   - nonce: `nil` on a refresh too: only the first token carries it (OIDC Core §12.2).
    ///   - now: Seconds since 1970.
    static func make(
        grant: Grant, user: SandboxUser, nonce: String?, accessToken: String, now: Int64,
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
        claims["at_hash"] = .string(configuration.algorithm.leftHalfHash(accessToken))
        for (name, value) in user.claims(names: grant.claims.idToken, issuer: configuration.issuer)
        where claims[name] == nil {
            claims[name] = value
        }
        return SignedDraft(type: "JWT", claims: claims)
    }
}
