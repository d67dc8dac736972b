import JOSE
import Testing

@Suite("private keys")
struct PrivateKeyTests {
    /// The fixture key that makes signatures of the algorithm.
    static func key(for algorithm: SignatureAlgorithm) throws -> PrivateKey {
        let pem: String
        switch algorithm.keyType {
        case .rsa: pem = Fixture.rsaPKCS8
        case .ec(.p256): pem = Fixture.p256SEC1
        case .ec(.p384): pem = Fixture.p384PKCS8
        case .ec(.p521): pem = Fixture.p521PKCS8
        case .ed25519: pem = Fixture.ed25519PKCS8
        case .ed448: pem = Fixture.ed448PKCS8
        case .x25519, nil: throw KeyError.algorithmMismatch(algorithm)
        }
        return try PrivateKey(pem: pem)
    }

    @Test("each algorithm's signature is verified by the public half", arguments: publicAlgorithms)
    func signing(algorithm: SignatureAlgorithm) throws {
        let key = try Self.key(for: algorithm)
        let message = Array("message".utf8)
        for _ in 0..<20 {
            let signature = try key.sign(message, algorithm: algorithm)
            #expect(key.publicKey.verify(signature: signature, of: message, algorithm: algorithm))
            #expect(!key.publicKey.verify(signature: signature, of: message + [0], algorithm: algorithm))
        }
    }

    @Test("a key does not sign by another key type's algorithm", arguments: SignatureAlgorithm.allCases)
    func wrongAlgorithm(algorithm: SignatureAlgorithm) throws {
        let pem = algorithm.keyType == .ec(.p256) ? Fixture.ed25519PKCS8 : Fixture.p256SEC1
        let key = try PrivateKey(pem: pem)
        #expect(
            error { () throws(KeyError) in try key.sign([1], algorithm: algorithm) }
                == .algorithmMismatch(algorithm))
    }

    @Test("PKCS#1 and PKCS#8 of one key are the same key, and its PEM reads back")
    func forms() throws {
        let key = try PrivateKey(pem: Fixture.rsaPKCS8)
        #expect(try PrivateKey(pem: Fixture.rsaPKCS1).publicKey.thumbprint == key.publicKey.thumbprint)
        #expect(try key.privatePEM() == Fixture.rsaPKCS8 + "\n")
        let imported = try PrivateKey(jwk: try JSON.parse(Fixture.rsaPrivateJWK))
        #expect(try imported.privatePEM() == key.privatePEM())
    }

    @Test(
        "a PEM text that is no usable key says why",
        arguments: [
            ("", .notPEM), ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", .notPEM),
            (Fixture.encrypted, .encryptedPEM), (Fixture.weakRSA, .unacceptableModulus(bits: 1024)),
            (String(Fixture.rsaPKCS8.dropLast(200)), .notPEM),
        ] as [(String, KeyError)])
    func badPEM(pem: String, reason: KeyError) {
        #expect(error { () throws(KeyError) in try PrivateKey(pem: pem) } == reason)
    }

    @Test("the Ed25519 key of RFC 8037 §A.1 makes the signature of §A.4")
    func deterministic() throws {
        let key = try PrivateKey(jwk: changed(RFC.ed25519Key, ["d": .string(RFC.ed25519D)]))
        let token = try JWS.sign(
            header: [:], payload: Array("Example of Ed25519 signing".utf8), key: key, algorithm: .edDSA)
        #expect(token == RFC.ed25519)
    }

    @Test("the EC key of RFC 7515 §A.3 signs for its public half")
    func ecJWK() throws {
        let key = try PrivateKey(jwk: changed(RFC.es256Key, ["d": .string(RFC.es256D)]))
        let signature = try key.sign([1, 2], algorithm: .es256)
        let verifier = try JWK(RFC.es256Key).key
        #expect(verifier.verify(signature: signature, of: [1, 2], algorithm: .es256))
    }

    @Test("a private JWK whose halves do not belong together is refused")
    func inconsistent() throws {
        let wrong = JSONValue.string("_" + RFC.es256D.dropFirst())
        for key in [RFC.es256Key, RFC.ed25519Key] {
            let refused = error { () throws(KeyError) in try PrivateKey(jwk: changed(key, ["d": wrong])) }
            #expect(refused == .inconsistentKeyPair)
        }
        let rsa = try JSON.parse(Fixture.rsaPrivateJWK)
        let other = changed(rsa, ["n": .string(RFC.rsModulus)])
        #expect(error { () throws(KeyError) in try PrivateKey(jwk: other) } == .inconsistentKeyPair)
        #expect(
            error { () throws(KeyError) in try PrivateKey(jwk: changed(rsa, ["qi": nil])) }
                == .missingMember("qi"))
        #expect(error { () throws(KeyError) in try PrivateKey(jwk: RFC.es256Key) } == .missingMember("d"))
    }

    @Test(
        "a generated key signs, and its public JWK carries no private member",
        arguments: [KeyType.rsa, .ec(.p256), .ec(.p384), .ec(.p521), .ed25519, .ed448])
    func generated(type: KeyType) throws {
        let key = try PrivateKey.generate(type)
        let algorithm = try #require(publicAlgorithms.first { $0.keyType == type })
        let jwk = try JWK(key.publicJWK(kid: "k", alg: algorithm))
        #expect(jwk.kid == "k")
        #expect(jwk.use == "sig")
        #expect(jwk.mayVerify(algorithm))
        let signature = try key.sign([1], algorithm: algorithm)
        #expect(jwk.key.verify(signature: signature, of: [1], algorithm: algorithm))
        #expect(try PrivateKey(pem: key.privatePEM()).publicKey.thumbprint == jwk.thumbprint)
    }
}
