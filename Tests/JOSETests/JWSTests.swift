import JOSE
import Testing

@Suite("compact signatures")
struct JWSTests {
    private let all = SignatureAlgorithm.allCases

    private func verify(
        _ token: String, _ keys: JWKSet, allowed: [SignatureAlgorithm]? = nil
    ) throws(JWSError) -> VerifiedJWS {
        try JWS.verify(try JWS.split(token), keys: keys, allowed: allowed ?? all)
    }

    private func failure(
        _ token: String, _ keys: JWKSet = JWKSet(keys: []), allowed: [SignatureAlgorithm]? = nil
    ) -> JWSError? {
        error { () throws(JWSError) in try verify(token, keys, allowed: allowed) }
    }

    private static let rfcTokens: [(String, JSONValue, SignatureAlgorithm)] = [
        (RFC.rs256, RFC.rsKey, .rs256), (RFC.es256, RFC.es256Key, .es256), (RFC.es512, RFC.es512Key, .es512),
        (RFC.ed25519, RFC.ed25519Key, .edDSA),
    ]

    private static let tokens: [(String, SignatureAlgorithm)] = [
        (Fixture.rs256, .rs256), (Fixture.rs384, .rs384), (Fixture.rs512, .rs512), (Fixture.ps256, .ps256),
        (Fixture.ps384, .ps384), (Fixture.ps512, .ps512), (Fixture.es256, .es256), (Fixture.es384, .es384),
        (Fixture.es512, .es512), (Fixture.edDSA, .edDSA), (Fixture.ed448, .ed448),
    ]

    private func fixtureKeys(_ algorithm: SignatureAlgorithm) throws -> JWKSet {
        try set(PrivateKeyTests.key(for: algorithm).publicJWK(kid: "k"))
    }

    @Test("the signatures of RFC 7515 and RFC 8037 are verified", arguments: rfcTokens)
    func rfc(token: String, key: JSONValue, algorithm: SignatureAlgorithm) throws {
        let verified = try verify(token, set(changed(key, ["kid": "k"])), allowed: [algorithm])
        #expect(verified.algorithm == algorithm)
        #expect(verified.keyID == "k")
        #expect(Base64URL.encode(verified.payload) == token.split(separator: ".")[1])
    }

    @Test("each algorithm's token of another implementation is verified, many times", arguments: tokens)
    func foreign(token: String, algorithm: SignatureAlgorithm) throws {
        let keys = try fixtureKeys(algorithm)
        for _ in 0..<3 {
            let verified = try verify(token, keys, allowed: [algorithm])
            #expect(verified.payload == Array(#"{"sub":"someone"}"#.utf8))
        }
    }

    @Test("one changed bit of the signature is refused, and the good token still verifies", arguments: tokens)
    func tamperedSignature(token: String, algorithm: SignatureAlgorithm) throws {
        let keys = try fixtureKeys(algorithm)
        for index in [0, 10, 40, 60] {
            #expect(failure(try tampered(token, index: index), keys) == .signatureInvalid)
            #expect(try verify(token, keys).keyID == "k")
        }
    }

    @Test("one changed character of the payload is refused", arguments: tokens)
    func tamperedPayload(token: String, algorithm: SignatureAlgorithm) throws {
        let parts = token.split(separator: ".")
        let payload = Base64URL.encode(#"{"sub":"someonf"}"#.utf8)
        let changed = "\(parts[0]).\(payload).\(parts[2])"
        #expect(failure(changed, try fixtureKeys(algorithm)) == .signatureInvalid)
    }

    @Test("a signature with a byte more or less is refused", arguments: tokens)
    func wrongLength(token: String, algorithm: SignatureAlgorithm) throws {
        let parts = token.split(separator: ".")
        let signature = try #require(Base64URL.decode(parts[2]))
        for other in [signature + [0], Array(signature.dropLast()), [0] + signature] {
            let changed = "\(parts[0]).\(parts[1]).\(Base64URL.encode(other))"
            #expect(failure(changed, try fixtureKeys(algorithm)) == .signatureInvalid)
        }
    }

    @Test(
        "alg none is refused in any case of letters, whatever is allowed [rule 103]",
        arguments: ["none", "None", "nOnE", "NONE"])
    func none(name: String) {
        let failure = failure(token(header: "{\"alg\":\"\(name)\"}"))
        #expect(failure == .algorithmNotAllowed(found: name, allowed: all))
    }

    @Test("the unsigned token of RFC 7515 §A.5 is refused for its algorithm")
    func unsigned() {
        #expect(failure(RFC.none) == .algorithmNotAllowed(found: "none", allowed: all))
    }

    @Test("an algorithm is refused when it is not in the list, in another case, or unknown")
    func notAllowed() throws {
        #expect(
            failure(RFC.rs256, try set(RFC.rsKey), allowed: [.es256])
                == .algorithmNotAllowed(found: "RS256", allowed: [.es256]))
        #expect(failure(RFC.rs256, allowed: []) == .algorithmNotAllowed(found: "RS256", allowed: []))
        #expect(
            failure(token(header: #"{"alg":"rs256"}"#)) == .algorithmNotAllowed(found: "rs256", allowed: all))
        #expect(
            failure(token(header: #"{"alg":"ES256K"}"#))
                == .algorithmNotAllowed(found: "ES256K", allowed: all))
    }

    @Test("an HMAC keyed with the public key in any encoding is refused [rule 104]")
    func hmacConfusion() throws {
        let key = try PrivateKey(pem: Fixture.rsaPKCS8)
        let jwk = key.publicJWK()
        let encodings = [jwk.serialize(), try #require(jwk["n"]?.stringValue), Fixture.rsaPKCS8]
        for encoding in encodings {
            let input = Base64URL.encode(#"{"alg":"HS256"}"#.utf8) + "." + Base64URL.encode("{}".utf8)
            let mac = HMAC.sha256(key: encoding.utf8, message: input.utf8)
            let keys = try set(jwk, ["kty": "oct", "k": .string(Base64URL.encode(encoding.utf8))])
            #expect(
                failure(input + "." + Base64URL.encode(mac), keys)
                    == .noMatchingKey(kid: nil, algorithm: .hs256))
            let signature = Base64URL.encode(mac)
            #expect(
                failure(input + "." + signature, keys, allowed: [.rs256])
                    == .algorithmNotAllowed(found: "HS256", allowed: [.rs256]))
        }
    }

    @Test("an ECDSA signature of zeros, or of the group order, is refused [rule 117]")
    func zeros() throws {
        let order = bytes(hex: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        let zero = [UInt8](repeating: 0, count: 32)
        let one = zero.dropLast() + [1]
        let keys = try set(RFC.es256Key)
        for signature in [zero + zero, zero + one, one + zero, order + one, one + order, order + order] {
            #expect(
                failure(token(header: #"{"alg":"ES256"}"#, signature: Array(signature)), keys)
                    == .signatureInvalid)
        }
    }

    @Test("an ECDSA signature in DER is refused [rule 117]")
    func derSignature() throws {
        #expect(failure(Fixture.es256DER, try fixtureKeys(.es256)) == .signatureInvalid)
    }

    @Test("a PSS signature with another salt length or mask digest is refused [rule 118]")
    func pss() throws {
        #expect(failure(Fixture.ps256ShortSalt, try fixtureKeys(.ps256)) == .signatureInvalid)
        #expect(failure(Fixture.ps256OtherMGF, try fixtureKeys(.ps256)) == .signatureInvalid)
    }

    @Test("a signature is not accepted under another algorithm of the same key")
    func sameKeyOtherAlgorithm() throws {
        let parts = Fixture.rs256.split(separator: ".")
        let forged = Base64URL.encode(#"{"alg":"PS256","kid":"k"}"#.utf8) + ".\(parts[1]).\(parts[2])"
        #expect(failure(forged, try fixtureKeys(.rs256)) == .signatureInvalid)
        let key = try PrivateKeyTests.key(for: .rs256)
        let signature = try key.sign([1], algorithm: .rs256)
        #expect(!key.publicKey.verify(signature: signature, of: [1], algorithm: .ps256))
        #expect(!key.publicKey.verify(signature: signature, of: [1], algorithm: .rs512))
        #expect(!key.publicKey.verify(signature: signature, of: [1], algorithm: .hs256))
    }

    @Test("a key of another type, use or kid matches nothing [rule 111]")
    func wrongKey() throws {
        #expect(
            failure(RFC.rs256, try set(RFC.es256Key, RFC.ed25519Key))
                == .noMatchingKey(kid: nil, algorithm: .rs256))
        #expect(
            failure(RFC.rs256, try set(changed(RFC.rsKey, ["use": "enc"])))
                == .noMatchingKey(kid: nil, algorithm: .rs256))
        #expect(
            failure(Fixture.rs256, try set(changed(RFC.rsKey, ["kid": "other"])))
                == .noMatchingKey(kid: "k", algorithm: .rs256))
        #expect(
            failure(Fixture.rs256, try set(changed(RFC.rsKey, ["kid": "k", "alg": "RS384"])))
                == .noMatchingKey(kid: "k", algorithm: .rs256))
    }

    @Test("without a kid every suitable key is tried, up to eight [rule 113]")
    func candidates() throws {
        let others = (0..<8).map {
            changed(RFC.rsKey, ["n": .string(RFC.thumbprintModulus), "kid": "\($0)"])
        }
        let right = changed(RFC.rsKey, ["kid": "right"])
        #expect(
            try verify(RFC.rs256, JWKSet.parse(["keys": .array(others.dropLast() + [right])])).keyID
                == "right")
        #expect(
            failure(RFC.rs256, try JWKSet.parse(["keys": .array(others + [right])])) == .signatureInvalid)
    }

    @Test(
        "a header that names critical extensions is refused, known or not, empty or malformed",
        arguments: [
            (#"{"alg":"RS256","crit":["exp"],"exp":1}"#, ["exp"]), (#"{"alg":"RS256","crit":[]}"#, []),
            (#"{"alg":"RS256","crit":"b64"}"#, []), (#"{"alg":"RS256","b64":false,"crit":["b64"]}"#, ["b64"]),
            (#"{"alg":"RS256","b64":false}"#, ["b64"]), (#"{"alg":"RS256","b64":true}"#, ["b64"]),
            (#"{"alg":"none","crit":["a","b"]}"#, ["a", "b"]),
        ])
    func critical(header: String, names: [String]) {
        #expect(failure(token(header: header)) == .criticalHeader(names))
    }

    @Test(
        "a header that is no object of the right types is refused [rule 102]",
        arguments: [
            ("{", .headerNotJSON(JSONError(kind: .unexpectedEnd, offset: 1))), ("[]", .headerNotAnObject),
            ("{}", .missingAlgorithm), (#"{"alg":null}"#, .wrongType("alg")),
            (#"{"alg":1}"#, .wrongType("alg")),
            (#"{"alg":["RS256"]}"#, .wrongType("alg")), (#"{"alg":"RS256","kid":1}"#, .wrongType("kid")),
            (#"{"alg":"RS256","typ":{}}"#, .wrongType("typ")),
            (
                #"{"alg":"none","alg":"RS256"}"#,
                .headerNotJSON(JSONError(kind: .duplicateMember("alg"), offset: 14))
            ),
            (#"{"alg":"RS256"} "x""#, .headerNotJSON(JSONError(kind: .trailingData, offset: 16))),
        ] as [(String, JWSError.Malformation)])
    func malformedHeader(header: String, reason: JWSError.Malformation) {
        #expect(failure(token(header: header)) == .malformed(reason))
    }

    @Test(
        "a text that is not three strict base64url parts is refused [rule 101]",
        arguments: [
            ("", .partCount), ("a", .partCount), ("a.b", .partCount), ("a.b.c.d", .partCount),
            ("a.b.c.d.e", .encrypted), (String(repeating: ".", count: 60_000), .partCount),
            ("..", .emptyPart(.header)), ("e30..e30", .emptyPart(.payload)),
            ("e30.e30.", .missingAlgorithm),
            (".e30.e30", .emptyPart(.header)), ("e30=.e30.e30", .notBase64URL(.header)),
            ("e30.e30=.e30", .notBase64URL(.payload)), ("e30.e30.e30=", .notBase64URL(.signature)),
            ("e30.e30.e3\n", .notBase64URL(.signature)), ("e30.e30.A+AA", .notBase64URL(.signature)),
            ("e30.e30.e31", .notBase64URL(.signature)), (" e30.e30.e30", .notBase64URL(.header)),
            ("{\"a\":\"b.c.d\"}", .notBase64URL(.header)),
            (String(repeating: "A", count: 64 * 1024), .partCount),
            (String(repeating: "A", count: 64 * 1024 + 1), .tooLong(limit: 64 * 1024)),
        ] as [(String, JWSError.Malformation)])
    func malformed(text: String, reason: JWSError.Malformation) {
        #expect(error { () throws(JWSError) in try JWS.split(text) } == .malformed(reason))
    }

    @Test(
        "a header that names or carries a key is refused, even when a key of the set signed",
        arguments: [
            ["jku"], ["jwk"], ["x5u"], ["jku", "jwk", "x5u"],
        ])
    func keyReferences(names: [String]) throws {
        let key = try PrivateKey(pem: Fixture.p256SEC1)
        let values: JSONObject = ["jwk": key.publicJWK(), "jku": "https://a.example", "x5u": .null]
        let header = JSONObject(names.map { (key: $0, value: values[$0] ?? .null) })
        let token = try JWS.sign(header: header, payload: [1], key: key, algorithm: .es256)
        let keys = try set(key.publicJWK())
        #expect(failure(token, keys) == .keyReference(names))
        let split = try JWS.split(token)
        let verified = try JWS.verify(split, keys: keys, allowed: [.es256], keyReferences: .ignored)
        #expect(verified.payload == [1])
        let other = try set(RFC.es256Key)
        let refused = error { () throws(JWSError) in
            try JWS.verify(split, keys: other, allowed: [.es256], keyReferences: .ignored)
        }
        #expect(refused == .signatureInvalid)
    }

    @Test("certificates in the header are never read [rule 109]")
    func certificates() throws {
        let key = try PrivateKey(pem: Fixture.p256SEC1)
        let token = try JWS.sign(header: ["x5c": [1]], payload: [1], key: key, algorithm: .es256)
        #expect(try verify(token, set(key.publicJWK())).payload == [1])
        #expect(failure(token, try set(RFC.es256Key)) == .signatureInvalid)
    }

    @Test("signing puts alg first, keeps the header and refuses another alg")
    func signing() throws {
        let key = try PrivateKey(pem: Fixture.p256SEC1)
        let token = try JWS.sign(
            header: ["typ": "JWT", "kid": "k"], payload: Array("{}".utf8), key: key, algorithm: .es256)
        let split = try JWS.split(token)
        #expect(split.header.raw.serialize() == #"{"alg":"ES256","typ":"JWT","kid":"k"}"#)
        #expect(split.header.typ == "JWT")
        #expect(split.payload == Array("{}".utf8))
        #expect(
            error { () throws(KeyError) in
                try JWS.sign(header: ["alg": "none"], payload: [1], key: key, algorithm: .es256)
            } == .headerAlgorithmMismatch)
        #expect(
            error { () throws(KeyError) in
                try JWS.sign(header: [:], payload: [1], key: key, algorithm: .rs256)
            } == .algorithmMismatch(.rs256))
    }

    @Test("a key verifies on many threads at once")
    func concurrent() async throws {
        let keys = try fixtureKeys(.rs256)
        let unverified = try JWS.split(Fixture.rs256)
        let verified = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    error { () throws(JWSError) in
                        try JWS.verify(unverified, keys: keys, allowed: [.rs256])
                    } == nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(verified == 200)
    }
}

@Suite("HS* signatures")
struct SharedSecretTests {
    private let secret = SharedSecret([UInt8](repeating: 7, count: 64))

    @Test(
        "a shared secret verifies what it signed and nothing else",
        arguments: [SignatureAlgorithm.hs256, .hs384, .hs512])
    func roundTrip(algorithm: SignatureAlgorithm) throws {
        let token = try JWS.sign(header: [:], payload: [1, 2], secret: secret, algorithm: algorithm)
        #expect(try JWS.verify(JWS.split(token), secret: secret, allowed: [algorithm]).payload == [1, 2])
        let other = SharedSecret([UInt8](repeating: 8, count: 64))
        let split = try JWS.split(token)
        #expect(
            error { () throws(JWSError) in try JWS.verify(split, secret: other, allowed: [algorithm]) }
                == .signatureInvalid)
        let changed = try JWS.split(try tampered(token))
        #expect(
            error { () throws(JWSError) in try JWS.verify(changed, secret: secret, allowed: [algorithm]) }
                == .signatureInvalid)
    }

    @Test("the token of RFC 7515 §A.1 is verified")
    func rfc() throws {
        let key = try #require(
            Base64URL.decode(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"))
        let token = """
            eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\
            eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.\
            dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
            """
        let verified = try JWS.verify(JWS.split(token), secret: SharedSecret(key), allowed: [.hs256])
        #expect(verified.header.typ == "JWT")
    }

    @Test("a secret shorter than the digest neither signs nor verifies [rule 105]")
    func short() throws {
        let short = SharedSecret([UInt8](repeating: 7, count: 31))
        #expect(
            error { () throws(KeyError) in
                try JWS.sign(header: [:], payload: [1], secret: short, algorithm: .hs256)
            } == .algorithmMismatch(.hs256))
        let split = try JWS.split(try JWS.sign(header: [:], payload: [1], secret: secret, algorithm: .hs256))
        #expect(
            error { () throws(JWSError) in try JWS.verify(split, secret: short, allowed: [.hs256]) }
                == .noMatchingKey(kid: nil, algorithm: .hs256))
    }

    @Test("a secret never verifies an asymmetric algorithm and never shows itself")
    func misuse() throws {
        let split = try JWS.split(RFC.rs256)
        #expect(
            error { () throws(JWSError) in try JWS.verify(split, secret: secret, allowed: [.rs256]) }
                == .noMatchingKey(kid: nil, algorithm: .rs256))
        #expect("\(secret)" == "‹redacted›")
        #expect(String(reflecting: secret) == "‹redacted›")
    }
}
