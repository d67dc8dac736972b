internal import JOSE
internal import OAuthProtocol

/// A JWT that a client signed with its secret or one of its registered keys.
struct ClientJWT {
    let header: JWSHeader
    let claims: JWTClaims

    /// Every algorithm with a public key; a client is told which ones by the metadata.
    static let asymmetric: [SignatureAlgorithm] = SignatureAlgorithm.allCases.filter { !$0.isMAC }
    static let symmetric: [SignatureAlgorithm] = SignatureAlgorithm.allCases.filter { $0.isMAC }

    private init(_ jws: VerifiedJWS, _ claims: JWTClaims) {
        header = jws.header
        self.claims = claims
    }

    /// - Parameter usesSecret: Whether the client secret must have signed it, instead of a key.
    /// - Returns: `nil` when the text is no JWT, or the client did not sign it.
    static func verify(_ text: String, of client: SandboxClient, usesSecret: Bool) -> ClientJWT? {
        // Whatever is wrong with it: the client did not sign it.
        guard let jws = try? JWS.split(text), let verified = verified(jws, client, usesSecret),
            let claims = try? JWTClaims(payload: verified.payload)
        else { return nil }
        return ClientJWT(verified, claims)
    }

    private static func verified(
        _ jws: UnverifiedJWS, _ client: SandboxClient, _ usesSecret: Bool
    ) -> VerifiedJWS? {
        guard usesSecret else {
            guard let keys = client.keySet.flatMap({ try? JWKSet.parse(.object($0)) }) else { return nil }
            return try? JWS.verify(jws, keys: keys, allowed: asymmetric)
        }
        guard let secret = client.secret else { return nil }
        return try? JWS.verify(
            jws, secret: SharedSecret(Array(secret.reveal().utf8)), allowed: symmetric)
    }

    /// Longest an assertion or request object may live, in seconds (RFC 7523 §3; FAPI 2.0 Message Signing §5.3.1).
    private static let longestLife = 3600.0
    private static let leeway = 60.0

    /// Whether the times allow it now; `exp` must be there.
    ///
    /// - Parameter now: Seconds since 1970.
    func isCurrent(_ now: Int64) -> Bool {
        let now = Double(now)
        guard let exp = claims.exp, exp > now, exp <= now + Self.longestLife + Self.leeway else {
            return false
        }
        return (claims.nbf.map { $0 <= now + Self.leeway } ?? true)
            && (claims.iat.map { $0 <= now + Self.leeway } ?? true)
    }

    /// Whether `aud` is exactly that text: neither a list nor another address of the server (RFC 7523bis §3).
    func isFor(_ audience: String) -> Bool {
        claims.raw["aud"]?.stringValue?.hasBytes(of: audience) == true
    }

    /// What makes it unique among the client's.
    func serial(_ client: SandboxClient) -> TokenHash? {
        claims.jti.map { TokenHash(of: "\(client.id) \($0)") }
    }
}
