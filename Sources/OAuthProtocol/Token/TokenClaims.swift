internal import JOSE

/// What an access token that is a JWT says of its own end (RFC 9068 §2.2).
///
/// Nothing of it is verified: an access token is for the resource server, and the client takes only from it when to ask
/// for the next one. A wrong end costs a refresh, or an answer of 401.
package enum TokenClaims {
    /// Seconds since 1970; `nil` for a token that is no JWT, or has no `exp` that is a number.
    static func end(of token: Secret) -> Double? {
        guard let jws = try? JWS.split(token.reveal()),
            let end = (try? JSON.parse(jws.payload))?.objectValue?["exp"]?.numberValue, end.isFinite
        else { return nil }
        return end
    }

    /// An access token as a provider of JWTs would issue it, for what plays one; nobody can verify its signature.
    ///
    /// - Parameters:
    ///   - id: `jti`, which makes the token as hard to guess as it is.
    ///   - end: Seconds since 1970.
    package static func sample(id: String, end: Int64) -> String {
        let header: JSONObject = ["alg": "HS256", "typ": "JWT"]
        let claims: JSONObject = ["jti": .string(id), "exp": .int(end)]
        let signature = Digest.sha256(Array(id.utf8))
        return [header.serializedBytes, claims.serializedBytes, signature].map(Base64URL.encode)
            .joined(separator: ".")
    }
}
