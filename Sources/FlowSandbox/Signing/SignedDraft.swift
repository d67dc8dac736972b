internal import JOSE
internal import OAuthProtocol

/// A JWT of the sandbox before it is signed.
struct SignedDraft: Sendable {
    private var header: JSONObject
    private var claims: JSONObject
    private var defects: [MessageDefect] = []

    init(type: String, claims: JSONObject) {
        header = ["typ": .string(type)]
        self.claims = claims
    }

    mutating func apply(_ defect: MessageDefect) {
        defects.append(defect)
        switch defect {
        case .claim(let name, let value): claims[name] = value
        case .audienceList(let other):
            let audience = claims["aud"].map { [$0] } ?? []
            claims["aud"] = .array(audience + (other.map { [.string($0)] } ?? []))
        case .expired:
            let issued = claims["iat"]?.intValue ?? (claims["exp"]?.intValue ?? 0) - 600
            if claims["iat"] != nil { claims["iat"] = .int(issued - 7200) }
            claims["exp"] = .int(issued - 3600)
        case .issued(let ago): shift("iat", by: -ago)
        case .authenticated(let ago): shift("auth_time", by: -ago)
        case .header(let name, let value): header[name] = value
        case .unsigned, .hmacWithPublicKey, .badSignature, .unknownKey, .noKeyID, .otherAlgorithm, .absent:
            break
        }
    }

    private mutating func shift(_ name: String, by seconds: Int64) {
        claims[name] = claims[name]?.intValue.map { .int($0 + seconds) }
    }

    /// The compact form; `nil` when the token is to be absent.
    ///
    /// - Throws: `SandboxError.keys` when the set has no key for the algorithm or the library fails.
    func signed(_ keys: SandboxKeys, _ algorithm: SigningAlgorithm) throws(SandboxError) -> String? {
        guard !defects.contains(.absent) else { return nil }
        let used = defects.contains(.otherAlgorithm) ? algorithm.alternate : algorithm
        guard let entry = keys.newest(used) else { throw .keys("there is no \(used.rawValue) key") }
        let payload = claims.serializedBytes
        if defects.contains(.unsigned) {
            var header = header
            header["alg"] = "none"
            return Base64URL.encode(header.serialize().utf8) + "." + Base64URL.encode(payload) + "."
        }
        var header = header
        header["kid"] = .string(defects.contains(.unknownKey) ? "unknown-key" : entry.kid)
        if defects.contains(.noKeyID) { header["kid"] = nil }
        do throws(KeyError) {
            if defects.contains(.hmacWithPublicKey) { return try confused(header, payload, keys) }
            let token = try JWS.sign(
                header: header, payload: payload, key: entry.key, algorithm: used.signature)
            return defects.contains(.badSignature) ? Self.spoiled(token) : token
        } catch {
            throw .keys("a token cannot be signed: \(error)")
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

extension SigningAlgorithm {
    /// One that the sandbox can sign with too, and no client of this algorithm expects.
    fileprivate var alternate: SigningAlgorithm { self == .es256 ? .rs256 : .es256 }
}
