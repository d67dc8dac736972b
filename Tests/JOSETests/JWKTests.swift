import JOSE
import Testing

@Suite("JSON web keys")
struct JWKTests {
    @Test("the thumbprints are those of RFC 7638 §3.1 and RFC 8037 §A.3, whatever else the key says")
    func thumbprints() throws {
        let rsa: JSONValue = [
            "kty": "RSA", "n": .string(RFC.thumbprintModulus), "e": "AQAB", "alg": "RS256",
            "kid": "2011-04-29",
        ]
        #expect(try JWK(rsa).thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(try JWK(RFC.ed25519Key).thumbprint == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }

    @Test("the members of a key are read")
    func members() throws {
        let key = try JWK(
            changed(RFC.es256Key, ["kid": "k1", "use": "sig", "key_ops": ["verify"], "alg": "ES256"]))
        #expect(key.kid == "k1")
        #expect(key.use == "sig")
        #expect(key.keyOperations == ["verify"])
        #expect(key.algorithmName == "ES256")
        #expect(key.type == .ec(.p256))
    }

    @Test(
        "a key that cannot be used says why [rules 116, 117]",
        arguments: [
            ("x", .notAnObject), ([:], .missingMember("kty")), (["kty": 1], .invalidMember("kty")),
            (["kty": "oct", "k": "AAAA"], .unsupportedKeyType("oct")),
            (["kty": "rsa"], .unsupportedKeyType("rsa")),
            (["kty": "RSA", "e": "AQAB"], .missingMember("n")),
            (changed(RFC.rsKey, ["n": "a+b/"]), .invalidMember("n")),
            (changed(RFC.rsKey, ["n": .string(RFC.rsModulus + "==")]), .invalidMember("n")),
            (changed(RFC.rsKey, ["n": .string(Fixture.weakModulus)]), .unacceptableModulus(bits: 1024)),
            (changed(RFC.rsKey, ["n": ""]), .unacceptableModulus(bits: 0)),
            (
                changed(RFC.rsKey, ["n": .string(String(RFC.rsModulus.dropLast()) + "g")]),
                .unacceptableModulus(bits: 2048)
            ),
            (
                changed(RFC.rsKey, ["n": .string(String(repeating: "_", count: 2732))]),
                .unacceptableModulus(bits: 16392)
            ),
            (changed(RFC.rsKey, ["n": .string(Fixture.exponent3Modulus), "e": "Aw"]), .unacceptableExponent),
            (changed(RFC.rsKey, ["e": "AQAA"]), .unacceptableExponent),
            (changed(RFC.rsKey, ["e": "AQ"]), .unacceptableExponent),
            (changed(RFC.rsKey, ["e": ""]), .unacceptableExponent),
            (changed(RFC.rsKey, ["e": "AQAC"]), .unacceptableExponent),
            (changed(RFC.rsKey, ["e": "AQAAAAAAAAAB"]), .unacceptableExponent),
            (changed(RFC.rsKey, ["e": "AQAAAAAAAQAB"]), .unacceptableExponent),
            (changed(RFC.rsKey, ["d": "AQAB"]), .privateKeyMaterial(member: "d")),
            (changed(RFC.rsKey, ["qi": "AQAB"]), .privateKeyMaterial(member: "qi")),
            (changed(RFC.es256Key, ["d": .string(RFC.es256D)]), .privateKeyMaterial(member: "d")),
            (changed(RFC.ed25519Key, ["d": .string(RFC.ed25519D)]), .privateKeyMaterial(member: "d")),
            (changed(RFC.es256Key, ["crv": "secp256k1"]), .unsupportedCurve("secp256k1")),
            (changed(RFC.es256Key, ["crv": nil]), .missingMember("crv")),
            (changed(RFC.es256Key, ["crv": "P-384"]), .invalidMember("x")),
            (changed(RFC.es256Key, ["y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5Q"]), .invalidMember("y")),
            (
                changed(RFC.es256Key, ["y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a4"]),
                .pointNotOnCurve
            ),
            (
                changed(
                    RFC.es256Key,
                    [
                        "x": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                        "y": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                    ]), .pointNotOnCurve
            ),
            (changed(RFC.ed25519Key, ["crv": "X448"]), .unsupportedCurve("X448")),
            (changed(RFC.ed25519Key, ["crv": "Ed448"]), .invalidMember("x")),
            (changed(RFC.ed25519Key, ["x": "AAAA"]), .invalidMember("x")),
            (changed(RFC.es256Key, ["kid": 7]), .invalidMember("kid")),
            (changed(RFC.es256Key, ["use": ["sig"]]), .invalidMember("use")),
            (changed(RFC.es256Key, ["key_ops": "verify"]), .invalidMember("key_ops")),
            (changed(RFC.es256Key, ["key_ops": [1]]), .invalidMember("key_ops")),
            (changed(RFC.es256Key, ["alg": 1]), .invalidMember("alg")),
        ] as [(JSONValue, KeyError)])
    func unusable(key: JSONValue, reason: KeyError) {
        #expect(error { () throws(KeyError) in try JWK(key) } == reason)
    }

    @Test("a member that is null is none, as servers write them that have one form for all keys")
    func nulls() throws {
        let names = [
            "use", "kid", "alg", "key_ops", "x5c", "crv", "d", "dp", "dq", "p", "q", "qi", "oth", "k",
        ]
        let nulls = Dictionary(uniqueKeysWithValues: names.map { ($0, JSONValue?.some(.null)) })
        let key = try JWK(changed(RFC.rsKey, nulls))
        #expect(key.mayVerify(.rs256))
        #expect([key.kid, key.use, key.algorithmName] == [nil, nil, nil])
        #expect(key.keyOperations == nil)
        #expect(throws: KeyError.missingMember("n")) { try JWK(changed(RFC.rsKey, ["n": .null])) }
    }

    @Test("numbers with a leading zero byte are the same key")
    func leadingZero() throws {
        let modulus = try #require(Base64URL.decode(RFC.rsModulus))
        let numbers: [String: JSONValue?] = ["n": .string(Base64URL.encode([0] + modulus)), "e": "AAEAAQ"]
        let key = try JWK(changed(RFC.rsKey, numbers))
        #expect(key.thumbprint == (try JWK(RFC.rsKey)).thumbprint)
    }

    @Test("an exponent may have 64 bits")
    func longestExponent() throws {
        #expect(try JWK(changed(RFC.rsKey, ["e": "__________8"])).type == .rsa)
    }
}

@Suite("JWK sets")
struct JWKSetTests {
    @Test("keys that cannot be used are skipped and remembered, symmetric ones among them [rule 106]")
    func skipping() throws {
        let keys = try set(
            ["kty": "oct", "k": "AAAA", "kid": "s", "alg": "HS256"], RFC.rsKey, 7,
            changed(RFC.rsKey, ["e": "Aw"]))
        #expect(keys.keys.count == 1)
        #expect(keys.unusable.map(\.index) == [0, 2, 3])
        #expect(keys.unusable.map(\.kid) == ["s", nil, nil])
        #expect(
            keys.unusable.map(\.reason) == [.unsupportedKeyType("oct"), .notAnObject, .unacceptableExponent])
    }

    @Test(
        "a document that is no key set is refused",
        arguments: [
            ([], .notAnObject), ([:], .missingKeys), (["keys": [:]], .missingKeys),
            (
                ["keys": .array(Array(repeating: 1, count: 101))],
                .tooManyKeys(found: 101, limit: 100)
            ),
        ] as [(JSONValue, JWKSetError)])
    func refused(document: JSONValue, reason: JWKSetError) {
        #expect(error { () throws(JWKSetError) in try JWKSet.parse(document) } == reason)
    }

    @Test("a hundred keys are read")
    func most() throws {
        let document: JSONValue = ["keys": .array(Array(repeating: 1, count: JWKSet.maximumKeys))]
        #expect(try JWKSet.parse(document).unusable.count == 100)
    }

    @Test(
        "where no key fits, it is said which key of that name there is, and why it is not used",
        arguments: [
            (
                "a",
                "kid a for ES256, whose key is for something else: kty RSA, use enc, alg RS256, key_ops a b"
            ),
            (
                "s",
                "kid s for ES256, and a key that cannot be used: \(KeyError.unsupportedKeyType("oct").summary)"
            ),
            ("b", "kid b for ES256"),
            (
                nil,
                "no kid for ES256, and a key that cannot be used: \(KeyError.unsupportedKeyType("oct").summary)"
            ),
        ] as [(String?, String)])
    func absence(kid: String?, words: String) throws {
        let rsa = changed(
            RFC.rsKey, ["kid": "a", "use": "enc", "alg": "RS256", "key_ops": ["a", "b"]])
        let keys = try set(rsa, ["kty": "oct", "k": "AAAA", "kid": "s"])
        #expect(keys.absence(ofKid: kid, .es256) == words)
    }

    @Test(
        "a key is a candidate only when kid, type, curve, use, key_ops and alg allow it [rule 114]",
        arguments: [
            ([:], nil, .es256, true), (["use": "sig"], nil, .es256, true),
            (["use": "enc"], nil, .es256, false),
            (["key_ops": ["verify"]], nil, .es256, true), (["key_ops": ["sign"]], nil, .es256, false),
            (["key_ops": []], nil, .es256, false), (["alg": "ES256"], nil, .es256, true),
            (["alg": "ES384"], nil, .es256, false), (["alg": "ECDH-ES"], nil, .es256, false),
            ([:], nil, .es384, false), ([:], nil, .rs256, false), ([:], nil, .edDSA, false),
            ([:], nil, .hs256, false),
            (["kid": "a"], "a", .es256, true), (["kid": "a"], "b", .es256, false), ([:], "a", .es256, false),
            (["kid": "a"], nil, .es256, true),
        ] as [([String: JSONValue?], String?, SignatureAlgorithm, Bool)])
    func selection(
        members: [String: JSONValue?], kid: String?, algorithm: SignatureAlgorithm, isCandidate: Bool
    ) throws {
        let keys = try set(changed(RFC.es256Key, members))
        #expect(keys.candidates(kid: kid, algorithm: algorithm).count == (isCandidate ? 1 : 0))
    }

    @Test("the alg of a key may use either name of EdDSA", arguments: ["EdDSA", "Ed25519"])
    func aliases(name: String) throws {
        let keys = try set(changed(RFC.ed25519Key, ["alg": .string(name)]))
        #expect(keys.candidates(kid: nil, algorithm: .edDSA).count == 1)
    }
}
