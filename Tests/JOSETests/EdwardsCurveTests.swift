import JOSE
import Testing

@Suite("EdDSA by its three names (RFC 8037 §3.1, RFC 9864 §2.2)")
struct EdwardsCurveTests {
    private static let pems: [KeyType: String] = [
        .ed25519: Fixture.ed25519PKCS8, .ed448: Fixture.ed448PKCS8,
    ]

    private func key(_ type: KeyType) throws -> PrivateKey {
        try PrivateKey(pem: try #require(Self.pems[type]))
    }

    private func verify(
        _ token: String, _ key: PrivateKey, alg: String? = nil, allowed: [SignatureAlgorithm]
    ) throws(JWSError) -> VerifiedJWS {
        guard let keys = try? set(changed(key.publicJWK(), ["alg": alg.map { .string($0) }])) else {
            throw .noMatchingKey(kid: nil, algorithm: .edDSA)
        }
        return try JWS.verify(try JWS.split(token), keys: keys, allowed: allowed)
    }

    @Test(
        "the name of the header is narrowed by what is registered, and the other way round [rule 119]",
        arguments: [
            (.ed25519, "EdDSA", .edDSA, .edDSA), (.ed25519, "Ed25519", .edDSA, .ed25519),
            (.ed25519, "EdDSA", .ed25519, .ed25519), (.ed25519, "Ed25519", .ed25519, .ed25519),
            (.ed448, "EdDSA", .edDSA, .edDSA), (.ed448, "Ed448", .edDSA, .ed448),
            (.ed448, "EdDSA", .ed448, .ed448), (.ed448, "Ed448", .ed448, .ed448),
        ] as [(KeyType, String, SignatureAlgorithm, SignatureAlgorithm)])
    func names(
        type: KeyType, name: String, allowed: SignatureAlgorithm, verifiedBy: SignatureAlgorithm
    ) throws {
        let key = try key(type)
        let token = try JWS.sign(
            header: ["alg": .string(name)], payload: [1], key: key, algorithm: .edDSA)
        let verified = try verify(token, key, allowed: [allowed])
        #expect(verified.algorithm == verifiedBy)
        #expect(verified.keyType == type)
        #expect(verified.header.alg == name)
    }

    @Test(
        "a name that states the other curve is refused",
        arguments: [
            (.ed25519, "Ed25519", .ed448), (.ed448, "Ed448", .ed25519), (.ed25519, "Ed25519", .es256),
        ] as [(KeyType, String, SignatureAlgorithm)])
    func otherCurve(type: KeyType, name: String, allowed: SignatureAlgorithm) throws {
        let key = try key(type)
        let token = try JWS.sign(
            header: ["alg": .string(name)], payload: [1], key: key, algorithm: .edDSA)
        let refused = error { () throws(JWSError) in try verify(token, key, allowed: [allowed]) }
        #expect(refused == .algorithmNotAllowed(found: name, allowed: [allowed]))
    }

    @Test("registered for one curve, EdDSA of the other has no key")
    func narrowedWithoutKey() throws {
        let key = try key(.ed448)
        let token = try JWS.sign(header: [:], payload: [1], key: key, algorithm: .edDSA)
        let refused = error { () throws(JWSError) in try verify(token, key, allowed: [.ed25519]) }
        #expect(refused == .noMatchingKey(kid: nil, algorithm: .edDSA))
        #expect(try verify(token, key, allowed: [.ed25519, .ed448]).algorithm == .ed448)
    }

    @Test("a key does not sign under the name of the other curve")
    func signing() throws {
        let key = try key(.ed25519)
        #expect(
            error { () throws(KeyError) in
                try JWS.sign(header: ["alg": "Ed448"], payload: [1], key: key, algorithm: .edDSA)
            } == .algorithmMismatch(.ed448))
        #expect(
            error { () throws(KeyError) in
                try JWS.sign(header: ["alg": "Ed448"], payload: [1], key: key, algorithm: .ed25519)
            } == .headerAlgorithmMismatch)
    }

    @Test(
        "the alg of a key may use either name of its curve and none of another",
        arguments: [
            (.ed25519, "EdDSA", true), (.ed25519, "Ed25519", true), (.ed25519, "Ed448", false),
            (.ed448, "EdDSA", true), (.ed448, "Ed448", true), (.ed448, "Ed25519", false),
            (.ed448, "ES256", false), (.ed448, "ed448", false),
        ] as [(KeyType, String, Bool)])
    func keyNames(type: KeyType, name: String, isCandidate: Bool) throws {
        let keys = try set(changed(try key(type).publicJWK(), ["alg": .string(name)]))
        let own: SignatureAlgorithm = type == .ed448 ? .ed448 : .ed25519
        for algorithm in [.edDSA, own] {
            #expect(keys.candidates(kid: nil, algorithm: algorithm).count == (isCandidate ? 1 : 0))
        }
    }

    @Test("hash claims are made by the hash of the curve where the algorithm names none")
    func hashes() throws {
        let text = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
        // Left halves of SHA-512 and of SHAKE256 with 114 bytes, made by Python's hashlib.
        let expected: [KeyType: String] = [
            .ed25519: "q7nS86GgvvFaZkzALLWqJYaJIKw2wCDAVfCAsm5CrBM",
            .ed448: "W6Ie3EoycJT-JESJ2WSAWX7LRP3FuHvmvNycBMeL-NngYGhJXChp7YRUBdOXcrKGZD4qnhCAstjO",
        ]
        for type in [KeyType.ed25519, .ed448] {
            let key = try key(type)
            let token = try JWS.sign(header: [:], payload: [1], key: key, algorithm: .edDSA)
            #expect(
                try verify(token, key, allowed: [.edDSA]).leftHalfHash(of: text) == expected[type])
        }
    }

    @Test("the Ed448 key of RFC 8032 §7.4 makes the signature of the empty message")
    func deterministic() throws {
        let d = bytes(
            hex: """
                6c82a562cb808d10d632be89c8513ebf6c929f34ddfa8c9f63c9960ef6e348a3528c8a3fcc2f044e39a3fc5b94492f8f032e\
                7549a20098f95b
                """)
        let x = bytes(
            hex: """
                5fd7449b59b461fd2ce787ec616ad46a1da1342485a70e1f8a0ea75d80e96778edf124769b46c7061bd6783df1e50f6cd1fa\
                1abeafe8256180
                """)
        let jwk: JSONValue = [
            "kty": "OKP", "crv": "Ed448", "x": .string(Base64URL.encode(x)),
            "d": .string(Base64URL.encode(d)),
        ]
        let signature = try PrivateKey(jwk: jwk).sign([], algorithm: .ed448)
        #expect(
            hex(signature) == """
                533a37f6bbe457251f023c0d88f976ae2dfb504a843e34d2074fd823d41a591f2b233f034f628281f2fd7a22ddd47d7828c5\
                9bd0a21bfd3980ff0d2028d4b18a9df63e006c5d1c2d345b925d8dc00b4104852db99ac5c7cdda8530a113a0f4dbb61149f0\
                5a7363268c71d95808ff2e652600
                """)
        let wrong = changed(jwk, ["x": .string(Base64URL.encode(x.dropLast() + [0]))])
        #expect(error { () throws(KeyError) in try PrivateKey(jwk: wrong) } == .inconsistentKeyPair)
    }
}
