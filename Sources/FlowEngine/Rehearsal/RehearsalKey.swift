package import JOSE
internal import OAuthProtocol

/// A key for rehearsals only: it signs tokens that never leave the process, and nothing live trusts it.
///
/// Fixed because making an RSA key takes longer than a whole dry run.
package enum RehearsalKey {
    private static let kid = "rehearsal"

    /// Reads the key, which whoever needs it otherwise waits for.
    package static func prepare() { _ = rsaKey }

    /// The constant below is a valid key.
    private static let rsaKey = try? PrivateKey(jwk: .object(privateJWK), isOwn: true)

    /// What a counterpart signs with, which needs no time to be made either.
    package static var pair: [PrivateKey] { [rsaKey, curveKey].compactMap(\.self) }

    /// The key as a provider would publish it, under whatever algorithm signs.
    static var publicJWK: JSONValue {
        ["kty": "RSA", "kid": .string(kid), "use": "sig", "n": privateJWK["n"] ?? .null, "e": "AQAB"]
    }

    /// The keys that a provider whose messages may bear these algorithms would publish.
    static func published(for algorithms: [SignatureAlgorithm]) -> JSONValue {
        guard !algorithms.contains(where: { $0.keyType == .rsa }), let key = curveKey else {
            return .array([publicJWK])
        }
        return .array([publicJWK, key.publicJWK(kid: kid, alg: .es256)])
    }

    /// The key of the proofs signs in the provider's place too, where that may not use RSA.
    private static var curveKey: PrivateKey? {
        // The constant is a valid key.
        try? SigningKeyText.read(proofKey).key
    }

    /// What `sign` signs with.
    static func algorithm(of allowed: [SignatureAlgorithm]) -> SignatureAlgorithm? {
        if let first = allowed.first, first.keyType == nil { return first }
        return allowed.first { $0.keyType == .rsa } ?? (allowed.contains(.es256) ? .es256 : nil)
    }

    /// Signs claims with the first of `allowed` that an RSA key or the client's secret can make; `nil` when there is none.
    ///
    /// - Parameter type: `typ` of the header; `nil` for none.
    static func sign(
        _ claims: JSONObject, _ allowed: [SignatureAlgorithm], _ secret: Secret?, type: String? = nil
    ) -> String? {
        guard let algorithm = algorithm(of: allowed) else { return nil }
        var header: JSONObject = [:]
        header["typ"] = type.map(JSONValue.string)
        let payload = claims.serializedBytes
        // What cannot be signed leaves the rehearsal without an ID token, which its checks then name: the secret is too short,
        // or the library fails.
        guard algorithm.keyType != nil else {
            let key = SharedSecret(Array((secret?.reveal() ?? "").utf8))
            return try? JWS.sign(header: header, payload: payload, secret: key, algorithm: algorithm)
        }
        header["kid"] = .string(kid)
        guard let key = algorithm == .es256 ? curveKey : rsaKey else { return nil }
        return try? JWS.sign(header: header, payload: payload, key: key, algorithm: algorithm)
    }

    /// The key that a rehearsal's proofs of possession are made with.
    static let proofKey = Secret(
        #"{"kty":"EC","crv":"P-256","d":"A5aqFsO5PLN9y9brp-3f65uq61fX1jf_8lp8lo8ErBM","x":"CEN4Q_g6smcGe20adT1eeUxuQCMuhtusrxXEMHRY6Vs","y":"GZhOMJL-cYhURxAGsRPCjAv7zYMaXjl8lGGeq8UlLxc"}"#,
        kind: .other)

    private static let privateJWK: JSONObject = [
        "kty": "RSA", "e": "AQAB",
        "n": .string(
            "jvWxB6DAGDrDSDHDjOoCPiPswCmJNYL-7f5Agz_26ZJU13gLZv0ncd10GKfnQ7oWE_LMK3b6sVp65Dj9pt4yeE"
                + "m1syK3HeVwjqLB1P1vafNE2rFFgL-BXQZkxzZlt6a7C8z9DFALTFo2wvIgpGmHOqHcJ6MYvUmYrCY2UF8oHPV0"
                + "pCii5iSZQnnXqZJMGOb9-5XG5vlwlePUXeVVfP4nbmlWc9OsvoH0y53Z81jpMufu3v7j1y34O7K5hg5K5eQOCZ"
                + "7yCq01l-7NJlUd_l7BWxZ5MbRn2i-7K1qYMsw6Fb7--QsNl9HmQdzIcpH_YvgyKtlR7_f2qUT7enEaS43Stw"),
        "d": .string(
            "ZjE7WziOGMPo1LK-Fv0wnTsRAkyuyJHbqkUV2LzgxBbWjzBA9l4A1GR5mSZtKvzay2fEi02B50XGk14p9B7h9R"
                + "q7yFIIlFZvH4c5CAginJpJngsao-5Biz4GzGEWVTHag5UFTsfpS6sxeimbK-xDvqX1ul_cT3NMr8KhENL02b2L"
                + "EvP-6cwtFYI6mTOaB-xZAUpB0S8y1NeX8R1OsP7UQqJAzEwS89U2qs3CVe0SKdMObhWATvQ04LHYO2JNmNwmTc"
                + "caixEDTEOCwig8WIsbSifQkOF_xWN6rL3kFanGYUhtYzUugspwhjmD3THamNk8DsIsteXfum1z40nB-RCh"),
        "p": .string(
            "w1Mgn5shmasLhjVszfjoVlSDwy5FBkwU_F5cEnDiZYcRDnCI3Jl_j_Y_UEAR8aqKA1vFIx9Z1bTz0kI2Ms0N03"
                + "Wb6g5VoMcsPPGiHcHFF6LSVlNwqrPX6pFbGd1ccVisc9WiCT_Yqm7uYoscOopBEgK3FRbOCke1GqJVZN2IiBE"),
        "q": .string(
            "u15TdMqZ9JDglz_I4oVhcpgwbH1VRH7o1BqGHYxiX59aXGRyKVNNs98jL_mpuHTtszNKosrG0wYvNE63K7VJSy"
                + "LNTXtnlxqD4U--M0rl-ErI4uh7mqn_VWi6J9goouhbjmWrXkRtaYwOhI5V_RgVFn7gKgGhaWgigq0azj60tkc"),
        "dp": .string(
            "K-ahLH5nnOxO2MllPR42ykCQpOvfY7zx8o8azqJEoGEtOjuc50gw3aCRNm5QGiskfgDAXFaNkHTtYFK1b9Gay-"
                + "5hLsguAscBcGk28M0-iUN1VyXF6vglDXnCKhwQzQELMbXQh5esERKBzfBKVfYBDhVCJSFNCg537BaUbulD6KE"),
        "dq": .string(
            "EOe0ze_NrjQ4H01g-ZchMK6sh81TGSf-J8zw1s-ovInrJDTn2_SpKRZz3UtAVeUu4SE6la-H-tgvACAuBKKJp1"
                + "7PeTMuKIL67SQ9u_EBCMLulxJ0vIKkB_e3_ApTuEcQo6tmp82ytXgugyU4eupmVK5D2WZmQtVjb7jgl0UvFtc"),
        "qi": .string(
            "V6n6jP86IMngZIjKqU6op-7MamWQHXnBlfGiBnZXQLvBRXFprrDm_kAQZw-tW5GHDKW56CdgLaxA1X0NQr5gHE"
                + "-pkisGz0RGSbj8OPc2KAuCljudEzNvFBXTMEYnY42o2N-CLhHvnzUt38Te-Rr6rQb8ApiKRUU4JkkKPC78LiU"),
    ]
}
