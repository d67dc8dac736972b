import Testing

@testable import JOSE

@Suite("compact encryption")
struct JWETests {
    private static let keys: [KeyType: PrivateKey] = {
        let types: [KeyType] = [.rsa, .ec(.p256), .ec(.p384), .ec(.p521), .x25519]
        return Dictionary(
            uniqueKeysWithValues: types.compactMap { type in
                (try? PrivateKey.generate(type)).map { (type, $0) }
            })
    }()

    private static let pairs = KeyManagementAlgorithm.allCases.flatMap { algorithm in
        keys.keys.filter(algorithm.fits).map { (algorithm, $0) }
    }

    private func key(_ type: KeyType) throws -> PrivateKey { try #require(Self.keys[type]) }

    private func decrypt(
        _ token: String, _ keys: [DecryptionKey], _ algorithm: KeyManagementAlgorithm = .ecdhES,
        _ encryption: ContentEncryption = .a128GCM
    ) throws(JWEError) -> DecryptedJWE {
        try JWE.decrypt(try JWE.split(token), keys: keys, algorithm: algorithm, encryption: encryption)
    }

    private func failure(
        _ token: String, _ keys: [DecryptionKey] = [], _ algorithm: KeyManagementAlgorithm = .ecdhES
    ) -> JWEError? {
        error { () throws(JWEError) in try decrypt(token, keys, algorithm) }
    }

    private func token(header: String) -> String { Base64URL.encode(header.utf8) + "..AAAA.AAAA.AAAA" }

    @Test("what was encrypted to a key is what its owner decrypts", arguments: pairs)
    func roundTrip(algorithm: KeyManagementAlgorithm, type: KeyType) throws {
        let key = try key(type)
        for encryption in ContentEncryption.allCases {
            for text in [[], [7], [UInt8](repeating: 1, count: 4096)] {
                let token = try JWE.encrypt(
                    text, header: ["kid": "k", "cty": "JWT"], to: key.publicKey, algorithm: algorithm,
                    encryption: encryption)
                let opened = try decrypt(token, [DecryptionKey(key)], algorithm, encryption)
                #expect(opened.plaintext == text)
                #expect(opened.header.kid == "k")
                #expect(opened.header.cty == "JWT")
                #expect(opened.header.typ == nil)
            }
        }
    }

    @Test("nothing of two tokens over one text is the same but alg and enc")
    func fresh() throws {
        let tokens = try (0..<2).map { _ in
            try JWE.encrypt(
                [1, 2, 3], to: key(.rsa).publicKey, algorithm: .rsaOAEP256, encryption: .a256GCM
            ).split(separator: ".")
        }
        #expect(tokens[0][0] == tokens[1][0])
        for part in 1..<5 { #expect(tokens[0][part] != tokens[1][part]) }
    }

    @Test("a key that does not fit is not encrypted to")
    func wrongType() throws {
        for (type, algorithm) in [
            (KeyType.rsa, KeyManagementAlgorithm.ecdhES), (.ec(.p256), .rsaOAEP), (.x25519, .rsaOAEP256),
        ] {
            let key = try key(type)
            let refused = error { () throws(KeyError) in
                try JWE.encrypt([1], to: key.publicKey, algorithm: algorithm, encryption: .a128GCM)
            }
            #expect(refused == .wrongKeyType(algorithm.rawValue))
        }
        #expect(!KeyManagementAlgorithm.ecdhES.fits(.ed25519))
        #expect(!KeyManagementAlgorithm.ecdhES.fits(.ed448))
    }

    @Test("the header cannot choose what it is encrypted with", arguments: ["alg", "enc", "epk"])
    func reserved(name: String) throws {
        let key = try key(.ec(.p256))
        let token = try JWE.encrypt(
            [1], header: JSONObject([(key: name, value: "none")]), to: key.publicKey, algorithm: .ecdhES,
            encryption: .a128GCM)
        #expect(try decrypt(token, [DecryptionKey(key)]).plaintext == [1])
        let sent = try JWE.encrypt(
            [1], header: JSONObject([(key: name, value: "none")]), to: self.key(.rsa).publicKey,
            algorithm: .rsaOAEP, encryption: .a128GCM)
        #expect(try JWE.split(sent).header.raw == ["alg": "RSA-OAEP", "enc": "A128GCM"])
    }

    @Test("both algorithms are the caller's")
    func algorithms() throws {
        let key = try key(.ec(.p256))
        let token = try JWE.encrypt(
            [1], to: key.publicKey, algorithm: .ecdhESA128KW, encryption: .a256GCM)
        let keys = [DecryptionKey(key)]
        for (algorithm, encryption) in [
            (KeyManagementAlgorithm.ecdhES, ContentEncryption.a256GCM), (.ecdhESA256KW, .a256GCM),
            (.rsaOAEP, .a256GCM), (.ecdhESA128KW, .a128GCM),
        ] {
            let refused = error { () throws(JWEError) in try decrypt(token, keys, algorithm, encryption) }
            #expect(refused == .algorithmNotAllowed(alg: "ECDH-ES+A128KW", enc: "A256GCM"))
        }
        for name in ["RSA1_5", "dir", "PBES2-HS256+A128KW", "A128KW", "none", "ecdh-es"] {
            let token = self.token(header: "{\"alg\":\"\(name)\",\"enc\":\"A128GCM\"}")
            #expect(failure(token, keys) == .algorithmNotAllowed(alg: name, enc: "A128GCM"))
        }
    }

    @Test("a key is tried when its kid is the header's, or one of both has none")
    func selection() throws {
        let right = try key(.ec(.p256))
        let wrong = try PrivateKey.generate(.ec(.p256))
        let named = try JWE.encrypt(
            [1], header: ["kid": "a"], to: right.publicKey, algorithm: .ecdhES, encryption: .a128GCM)
        let unnamed = try JWE.encrypt([1], to: right.publicKey, algorithm: .ecdhES, encryption: .a128GCM)
        #expect(try decrypt(named, [DecryptionKey(right, kid: "a")]).plaintext == [1])
        #expect(try decrypt(named, [DecryptionKey(wrong), DecryptionKey(right)]).plaintext == [1])
        #expect(try decrypt(unnamed, [DecryptionKey(right, kid: "b")]).plaintext == [1])
        #expect(failure(named, [DecryptionKey(right, kid: "b")]) == .noMatchingKey(kid: "a"))
        #expect(failure(named, []) == .noMatchingKey(kid: "a"))
        #expect(failure(unnamed, [DecryptionKey(try key(.rsa))]) == .noMatchingKey(kid: nil))
        #expect(failure(named, [DecryptionKey(wrong, kid: "a")]) == .undecryptable)
        let many = [DecryptionKey](repeating: DecryptionKey(wrong), count: JWE.maximumCandidates)
        #expect(failure(named, many + [DecryptionKey(right)]) == .undecryptable)
    }

    @Test("whatever is changed, the error is the same one", arguments: pairs)
    func oneError(algorithm: KeyManagementAlgorithm, type: KeyType) throws {
        let key = try key(type)
        for encryption in ContentEncryption.allCases {
            let token = try JWE.encrypt(
                [UInt8](repeating: 3, count: 20), to: key.publicKey, algorithm: algorithm,
                encryption: encryption)
            let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            for part in 1...4 {
                let bytes = try #require(Base64URL.decode(parts[part]))
                for index in [0, bytes.count / 2, bytes.count - 1] where index >= 0 && index < bytes.count {
                    var bytes = bytes
                    bytes[index] ^= 0x10
                    var changed = parts
                    changed[part] = Base64URL.encode(bytes)
                    let refused = error { () throws(JWEError) in
                        try decrypt(
                            changed.joined(separator: "."), [DecryptionKey(key)], algorithm, encryption)
                    }
                    #expect(refused == .undecryptable)
                }
            }
        }
    }

    @Test(
        "a key with a byte between its halves seals and opens nothing", arguments: ContentEncryption.allCases)
    func longerKey(encryption: ContentEncryption) throws {
        let key = Array(0..<UInt8(encryption.keyLength))
        let vector = [UInt8](repeating: 0, count: encryption.vectorLength)
        let sealed = try #require(encryption.seal([1, 2], key: key, vector: vector, authenticating: [3]))
        #expect(encryption.open(sealed, key: key, authenticating: [3]) == [1, 2])
        let longer = Array(key.prefix(key.count / 2)) + [0] + key.suffix(key.count / 2)
        #expect(encryption.open(sealed, key: longer, authenticating: [3]) == nil)
        #expect(encryption.seal([1, 2], key: longer, vector: vector, authenticating: [3]) == nil)
    }

    @Test(
        "a header that may not be is refused before any key is looked at",
        arguments: [
            (#"{"alg":"ECDH-ES","enc":"A128GCM","crit":["exp"]}"#, .criticalHeader(["exp"])),
            (#"{"alg":"ECDH-ES","enc":"A128GCM","crit":[]}"#, .criticalHeader([])),
            (#"{"alg":"ECDH-ES","enc":"A128GCM","b64":false}"#, .criticalHeader(["b64"])),
            (#"{"alg":"ECDH-ES","enc":"A128GCM","zip":"DEF"}"#, .compressed),
            (#"{"alg":"ECDH-ES","enc":"A128GCM","zip":null}"#, .compressed),
            (#"{"alg":"ECDH-ES","enc":"A128GCM","jku":"https://a","x5u":1}"#, .keyReference(["jku", "x5u"])),
            (#"{"alg":"ECDH-ES","enc":"A128GCM","jwk":{}}"#, .keyReference(["jwk"])),
            (#"{"alg":"ECDH-ES"}"#, .malformed(.missingParameter("enc"))),
            (#"{"enc":"A128GCM"}"#, .malformed(.missingParameter("alg"))),
            (#"{"alg":null,"enc":"A128GCM"}"#, .malformed(.wrongType("alg"))),
            (#"{"alg":"a","enc":["A128GCM"]}"#, .malformed(.wrongType("enc"))),
            (#"{"alg":"a","enc":"b","kid":1}"#, .malformed(.wrongType("kid"))),
            (#"{"alg":"a","enc":"b","cty":1}"#, .malformed(.wrongType("cty"))),
            ("[]", .malformed(.headerNotAnObject)),
            ("{", .malformed(.headerNotJSON(JSONError(kind: .unexpectedEnd, offset: 1)))),
        ] as [(String, JWEError)])
    func header(header: String, reason: JWEError) {
        #expect(failure(token(header: header)) == reason)
    }

    @Test(
        "a text that is not five strict base64url parts is refused",
        arguments: [
            ("", .partCount), ("a.b.c", .signed), ("a.b.c.d", .partCount), ("a.b.c.d.e.f", .partCount),
            ("....", .emptyHeader), ("e30=....", .notBase64URL(.header)),
            ("e30.A....", .partCount), ("e30.A...", .notBase64URL(.encryptedKey)),
            ("e30..A+AA..", .notBase64URL(.vector)), ("e30...AB.", .notBase64URL(.ciphertext)),
            ("e30....A ", .notBase64URL(.tag)), ("e30....", .missingParameter("alg")),
            (String(repeating: ".", count: 90_000), .partCount),
            (String(repeating: "A", count: 96 * 1024), .partCount),
            (String(repeating: "A", count: 96 * 1024 + 1), .tooLong(limit: 96 * 1024)),
        ] as [(String, JWEError.Malformation)])
    func malformed(text: String, reason: JWEError.Malformation) {
        #expect(failure(text) == .malformed(reason))
    }

    @Test("the longest signature we read fits when it is encrypted")
    func length() throws {
        let key = try key(.rsa)
        let text = [UInt8](repeating: 65, count: JWS.maximumLength)
        let token = try JWE.encrypt(
            text, to: key.publicKey, algorithm: .rsaOAEP256, encryption: .a256CBCHS512)
        #expect(try decrypt(token, [DecryptionKey(key)], .rsaOAEP256, .a256CBCHS512).plaintext == text)
    }

    @Test("the key of RFC 7518 appendix C is derived")
    func derivation() {
        let secret: [UInt8] = [
            158, 86, 217, 29, 129, 113, 53, 211, 114, 131, 66, 131, 191, 132, 38, 156, 251, 49, 110, 163,
            218, 128, 106, 72, 246, 218, 167, 121, 140, 254, 144, 196,
        ]
        let key = KeyDerivation.concat(
            secret, algorithm: "A128GCM", apu: Array("Alice".utf8), apv: Array("Bob".utf8), byteCount: 16)
        #expect(Base64URL.encode(key) == "VqqN6vgjbSBcIijNcacQGg")
        let long = KeyDerivation.concat(
            secret, algorithm: "A256CBC-HS512", apu: [], apv: [], byteCount: 64)
        #expect(long.count == 64)
        #expect(long.prefix(32) != long.suffix(32))
    }
}

@Suite("keys for encryption")
struct EncryptionKeyTests {
    @Test("a generated key's public JWK is for encryption and carries no private member")
    func publicJWK() throws {
        for (type, algorithm) in [
            (KeyType.rsa, KeyManagementAlgorithm.rsaOAEP256), (.ec(.p384), .ecdhES), (.x25519, .ecdhESA256KW),
        ] {
            let key = try PrivateKey.generate(type)
            let value = key.publicJWK(kid: "k", encryptingBy: algorithm)
            let jwk = try JWK(value)
            #expect(jwk.use == "enc")
            #expect(jwk.algorithmName == algorithm.rawValue)
            #expect(jwk.mayEncrypt(algorithm))
            #expect(!SignatureAlgorithm.allCases.contains(where: jwk.mayVerify))
            #expect(jwk.thumbprint == key.publicKey.thumbprint)
            #expect(try PrivateKey(pem: key.privatePEM()).publicKey.thumbprint == jwk.thumbprint)
        }
    }

    @Test("the X25519 key of RFC 8037 §A.6 has the thumbprint of its three members, and signs nothing")
    func x25519() throws {
        let bob: JSONValue = [
            "kty": "OKP", "crv": "X25519", "kid": "Bob", "x": "3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08",
        ]
        let members = #"{"crv":"X25519","kty":"OKP","x":"3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08"}"#
        let jwk = try JWK(bob)
        #expect(jwk.thumbprint == Base64URL.encode(Digest.sha256(members.utf8)))
        #expect(!jwk.key.verify(signature: [UInt8](repeating: 0, count: 64), of: [], algorithm: .edDSA))
        let key = try PrivateKey.generate(.x25519)
        #expect(
            error { () throws(KeyError) in try key.sign([1], algorithm: .edDSA) }
                == .algorithmMismatch(.edDSA))
    }

    @Test(
        "a key may be encrypted to only when type, use, key_ops and alg allow it",
        arguments: [
            ([:], .ecdhES, true), (["use": "enc"], .ecdhES, true), (["use": "sig"], .ecdhES, false),
            (["key_ops": ["deriveKey"]], .ecdhES, true), (["key_ops": ["deriveBits"]], .ecdhES, true),
            (["key_ops": ["verify"]], .ecdhES, false), (["alg": "ECDH-ES"], .ecdhES, true),
            (["alg": "ECDH-ES+A128KW"], .ecdhES, false), (["alg": "ES256"], .ecdhES, false),
            ([:], .rsaOAEP, false), (["key_ops": ["wrapKey"]], .ecdhES, false),
        ] as [([String: JSONValue?], KeyManagementAlgorithm, Bool)])
    func mayEncrypt(
        members: [String: JSONValue?], algorithm: KeyManagementAlgorithm, isAllowed: Bool
    ) throws {
        let key = try JWK(changed(RFC.es256Key, members))
        #expect(key.mayEncrypt(algorithm) == isAllowed)
    }

    @Test(
        "with an RSA key it is wrapping and encrypting that key_ops must allow",
        arguments: ["wrapKey": true, "encrypt": true, "deriveKey": false, "verify": false])
    func mayWrap(operation: String, isAllowed: Bool) throws {
        let key = try JWK(changed(RFC.rsKey, ["key_ops": [.string(operation)]]))
        #expect(key.mayEncrypt(.rsaOAEP256) == isAllowed)
    }

    @Test("the public keys of RFC 7517 §A.1 are told apart by their use, symmetric ones of §A.3 skipped")
    func set7517() throws {
        let ec: JSONValue = [
            "kty": "EC", "crv": "P-256", "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM", "use": "enc", "kid": "1",
        ]
        let rsa: JSONValue = [
            "kty": "RSA", "n": .string(RFC.thumbprintModulus), "e": "AQAB", "alg": "RS256",
            "kid": "2011-04-29",
        ]
        let wrapping: JSONValue = ["kty": "oct", "alg": "A128KW", "k": "GawgguFyGrWKav7AX4VKUg"]
        let keys = try JWKSet.parse(["keys": [ec, rsa, wrapping]])
        #expect(keys.keys.map(\.kid) == ["1", "2011-04-29"])
        #expect(keys.unusable.map(\.reason) == [.unsupportedKeyType("oct")])
        #expect(keys.candidates(kid: "1", algorithm: .es256).isEmpty)
        #expect(keys.keys[0].mayEncrypt(.ecdhES))
        #expect(keys.candidates(kid: "2011-04-29", algorithm: .rs256).count == 1)
        #expect(!keys.keys[1].mayEncrypt(.rsaOAEP))
    }
}
