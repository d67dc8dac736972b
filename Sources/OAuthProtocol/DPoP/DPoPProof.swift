package import JOSE

/// A proof that whoever sends a request holds a key; good for that request alone (RFC 9449 §4.2).
package enum DPoPProof {
    /// `typ` of a proof.
    package static let type = "dpop+jwt"
    /// The header field that carries it.
    package static let field = "DPoP"
    /// The scheme of a token that is bound to a key, and its `token_type` (RFC 9449 §5 and §7.1).
    package static let scheme = "DPoP"
    /// How many random bytes a proof takes: RFC 9449 §4.2 asks for 96 bits at least.
    package static let randomByteCount = 16

    /// Makes the proof for one request.
    ///
    /// - Parameters:
    ///   - url: Of the request; query and fragment are left out of the proof.
    ///   - randomBytes: 16 bytes that are used for nothing else: `jti`.
    ///   - now: Milliseconds since 1970.
    ///   - nonce: The newest that the server gave, see `DPoPNonces`.
    ///   - accessToken: The token that the request bears, whose hash the proof holds as `ath`.
    /// - Throws: `library` when the cryptographic library fails.
    package static func make(
        key: DPoPKey, method: HTTPMethod, url: String, randomBytes: [UInt8], now: Int64,
        nonce: String? = nil, accessToken: Secret? = nil
    ) throws(KeyError) -> Secret {
        precondition(randomBytes.count == randomByteCount, "a proof is made of 16 random bytes")
        var claims: JSONObject = [
            "jti": .string(Base64URL.encode(randomBytes)),
            "htm": .string(method.rawValue),
            "htu": .string(target(of: url)),
            "iat": .int(now / 1000),
        ]
        claims["ath"] = accessToken.map { .string(hash(of: $0)) }
        claims["nonce"] = nonce.map(JSONValue.string)
        return Secret(try key.sign(claims), kind: .dpopProof)
    }

    /// The URL without query and fragment: `htu` (RFC 9449 §4.2).
    package static func target(of url: String) -> String {
        String(url.prefix { $0 != "?" && $0 != "#" })
    }

    /// The SHA-256 of a token's ASCII text: `ath` (RFC 9449 §4.2).
    package static func hash(of token: Secret) -> String {
        Base64URL.encode(Digest.sha256(token.reveal().utf8))
    }
}

extension RequestPlan {
    /// Adds a proof to a plan that is complete: `assembled` must have run.
    ///
    /// A bearer token in `Authorization` becomes one of the scheme `DPoP`, and the proof is bound to it (RFC
    /// 9449 §7.1). The proof is good for one sending: a retry begins with the plan without it.
    ///
    /// - Parameters:
    ///   - randomBytes: 16 bytes that are used for nothing else.
    ///   - now: Milliseconds since 1970.
    package func proving(
        _ key: DPoPKey, randomBytes: [UInt8], now: Int64, nonce: String?, step: String
    ) throws(KeyError) -> RequestPlan {
        var plan = self
        var bound: Secret?
        for (index, field) in plan.fields.enumerated() {
            guard field.name.equalsIgnoringASCIICase("Authorization"),
                case .scheme(let scheme, let token) = field.value,
                ["Bearer", DPoPProof.scheme].contains(where: scheme.equalsIgnoringASCIICase)
            else { continue }
            plan.fields[index].value = .scheme(DPoPProof.scheme, token)
            plan.fields[index].reference = "RFC 9449 §7.1"
            bound = token
        }
        let proof = try DPoPProof.make(
            key: key, method: method, url: endpoint, randomBytes: randomBytes, now: now, nonce: nonce,
            accessToken: bound)
        plan.fields.set(
            field: RequestParameter(DPoPProof.field, .secret(proof), .step(step), "RFC 9449 §4.1"))
        return plan
    }
}
