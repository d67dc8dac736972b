package import JOSE
internal import OAuthProtocol

/// A P-256 key made for tests, and ID tokens that it signs.
package enum TestKey {
    package static let kid = "key-1"

    package static let pem = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIMK387PyW+iZaQ4qde5kp2Oxxvlpm9oIfYPweZW13ipKoAoGCCqGSM49
        AwEHoUQDQgAElo7abYlXXszzpZhvifhnwSkW4Kjan9nDjTWUmAFWDjigM9Ll03U5
        vka29d8SAjqHN+5QpCVXq0xeorG+22ToJg==
        -----END EC PRIVATE KEY-----
        """

    private static func key() throws -> PrivateKey { try PrivateKey(pem: pem) }

    /// The key set that the provider publishes.
    package static func set(kid: String = kid) throws -> JSONValue {
        ["keys": .array([try key().publicJWK(kid: kid, alg: .es256)])]
    }

    package static func keys(kid: String = kid) throws -> JWKSet { try JWKSet.parse(try set(kid: kid)) }

    /// An ID token of the standard provider for `person-1`, valid for an hour.
    ///
    /// - Parameter changes: Claims to set, or to leave out when null.
    package static func idToken(
        _ changes: JSONObject = [:], kid: String = kid, nonce: String? = Markers.nonce
    ) throws -> String {
        let now = ManualClock.start / 1000
        var claims: JSONObject = [
            "iss": "https://p.example", "sub": "person-1", "aud": .string(Markers.clientID), "iat": .int(now),
            "exp": .int(now + 3_600), "auth_time": .int(now),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        for (name, value) in changes { claims[name] = value.present }
        return try sign(claims, ["kid": .string(kid)])
    }

    /// Any claims, with further members of the header.
    package static func sign(_ claims: JSONObject, _ header: JSONObject = [:]) throws -> String {
        var header = header
        header["alg"] = "ES256"
        return try JWS.sign(
            header: header, payload: Array(JSONValue.object(claims).serialize().utf8), key: try key(),
            algorithm: .es256)
    }
}
