internal import JOSE
internal import OAuthProtocol

/// An ID token before it is signed.
///
/// - SeeAlso: OIDC Core §2, §3.1.3.6
struct IDTokenDraft: Sendable {
    private var claims: JSONObject
    private var defects: [Fault.IDTokenDefect] = []

    /// - Parameters:
    ///   - nonce: `nil` on a refresh too: only the first token carries it (OIDC Core §12.2).
    ///   - now: Seconds since 1970.
    init(
        grant: Grant, user: SandboxUser, nonce: String?, accessToken: String, now: Int64,
        configuration: SandboxConfiguration
    ) {
        claims = [
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
    }

    mutating func apply(_ defect: Fault.IDTokenDefect) {
        defects.append(defect)
        switch defect {
        case .wrongNonce: claims["nonce"] = .string(Wrong.nonce)
        case .missingNonce: claims["nonce"] = nil
        case .otherAudience: claims["aud"] = .string(Wrong.audience)
        case .otherIssuer: claims["iss"] = .string(Wrong.issuer)
        case .expired:
            // An hour past, out of reach of any allowance for wrong clocks.
            let issued = claims["iat"]?.intValue ?? 0
            claims["iat"] = .int(issued - 7200)
            claims["exp"] = .int(issued - 3600)
        case .missingSubject: claims["sub"] = nil
        case .otherSubject: claims["sub"] = .string(Wrong.subject)
        case .wrongAccessTokenHash:
            claims["at_hash"] = .string(Base64URL.encode([UInt8](repeating: 0, count: 16)))
        case .unsigned, .hmacWithPublicKey, .badSignature, .unknownKey, .absent: break
        }
    }

    /// The compact form; `nil` when the token is to be absent.
    ///
    /// - Throws: `SandboxError.keys` when the set has no key for the algorithm or the library fails.
    func signed(_ keys: SandboxKeys, _ algorithm: SigningAlgorithm) throws(SandboxError) -> String? {
        guard !defects.contains(.absent) else { return nil }
        guard let entry = keys.newest(algorithm) else { throw .keys("there is no \(algorithm.rawValue) key") }
        let payload = Array(claims.serialize().utf8)
        if defects.contains(.unsigned) {
            let header: JSONObject = ["alg": "none", "typ": "JWT"]
            return Base64URL.encode(header.serialize().utf8) + "." + Base64URL.encode(payload) + "."
        }
        let kid = defects.contains(.unknownKey) ? "unknown-key" : entry.kid
        let header: JSONObject = ["typ": "JWT", "kid": .string(kid)]
        do throws(KeyError) {
            if defects.contains(.hmacWithPublicKey) { return try confused(header, payload, keys) }
            let token = try JWS.sign(
                header: header, payload: payload, key: entry.key, algorithm: algorithm.signature)
            return defects.contains(.badSignature) ? Self.spoiled(token) : token
        } catch {
            throw .keys("an ID token cannot be signed: \(error)")
        }
    }

    /// Signed by HMAC with a text that everybody knows (RFC 8725 §2.1).
    private func confused(
        _ header: JSONObject, _ payload: [UInt8], _ keys: SandboxKeys
    ) throws(KeyError) -> String? {
        guard let entry = keys.newest(.rs256), let pem = PublicKeyPEM.rsa(entry.key.publicJWK()) else {
            return nil
        }
        var header = header
        header["kid"] = .string(entry.kid)
        return try JWS.sign(
            header: header, payload: payload, secret: SharedSecret(Array(pem.utf8)), algorithm: .hs256)
    }

    /// Changes one bit in the middle of the signature, which stays well-formed.
    private static func spoiled(_ token: String) -> String {
        guard let dot = token.lastIndex(of: "."),
            var signature = Base64URL.decode(token[token.index(after: dot)...]), !signature.isEmpty
        else { return token }
        signature[signature.count / 2] ^= 1
        return token[...dot] + Base64URL.encode(signature)
    }
}
