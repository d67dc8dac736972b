import JOSE
import OAuthProtocol
import Testing

@Suite("encrypted tokens (RFC 7516, OIDC Core §10.2)")
struct EncryptedTokenTests {
    private static let registered = RegisteredEncryption(.ecdhES, .a128GCM)
    private static let own = Result { () throws(KeyError) in try PrivateKey.generate(.ec(.p256)) }

    private func keys(kid: String? = nil) throws -> [DecryptionKey] {
        [DecryptionKey(try Self.own.get(), kid: kid)]
    }

    private func encrypt(
        _ text: String, header: JSONObject = ["cty": "JWT"], _ encryption: RegisteredEncryption = registered
    ) throws -> Secret {
        let text = try JWE.encrypt(
            Array(text.utf8), header: header, to: Self.own.get().publicKey, algorithm: encryption.algorithm,
            encryption: encryption.encryption)
        return Secret(text, kind: .idToken)
    }

    /// A text of five parts whose header says this.
    private func token(header: String) -> Secret {
        Secret(Base64URL.encode(header.utf8) + ".AA.AA.AA.AA", kind: .idToken)
    }

    private func open(
        _ token: Secret, _ registered: RegisteredEncryption? = registered, keys: [DecryptionKey]? = nil
    ) throws -> (error: ProtocolError?, log: CheckLog) {
        let keys = try keys ?? self.keys()
        return failure { log throws(ProtocolError) in
            try EncryptedToken.open(token, registered: registered, keys: keys, log: &log)
        }
    }

    @Test("a signed token inside is handed on as it was, every check written down")
    func accepted() throws {
        let inner = try Fixture.token(Fixture.claims())
        let token = try encrypt(inner.reveal())
        let result = try open(token)
        #expect(result.error == nil)
        #expect(
            result.log.passedNames == [
                "jwe-format", "jwe-crit", "jwe-zip", "jwe-header-key", "jwe-alg", "decryption", "cty",
                "nested-jws",
            ])
        var log = CheckLog()
        let opened = try EncryptedToken.open(token, registered: Self.registered, keys: keys(), log: &log)
        #expect(opened.reveal() == inner.reveal())
        #expect(try open(encrypt(inner.reveal(), header: [:])).error == nil)
    }

    @Test("the signature inside is verified: a token that anyone encrypted to the client is not believed")
    func forged() throws {
        let other = try PrivateKey.generate(.ec(.p256))
        let payload = Array(JSONValue.object(Fixture.claims()).serialize().utf8)
        let inner = try JWS.sign(header: ["kid": "k1"], payload: payload, key: other, algorithm: .es256)
        var log = CheckLog()
        let opened = try EncryptedToken.open(
            encrypt(inner), registered: Self.registered, keys: keys(), log: &log)
        let trusted = try Fixture.keys()
        let result = failure { log throws(ProtocolError) in
            try IDTokenSignature.verify(opened, keys: trusted, allowed: [.es256], log: &log)
        }
        #expect(
            result.error
                == .failed(
                    Checks.signature, expected: "a signature by a key of the issuer", actual: "another one"))
    }

    @Test(
        "claims alone, another encryption and text inside are refused",
        arguments: ["{\"sub\":\"admin\"}", "", "a.b", "a.b.c.d.e", "\u{0}", "eyJhbGciOiJub25lIn0"])
    func notSigned(text: String) throws {
        #expect(
            try open(encrypt(text)).error
                == .failed(
                    Checks.nestedSignature, expected: "a signed token inside", actual: "something else"))
    }

    @Test(
        "a token inside with alg none or without a signature is refused",
        arguments: [("none", ""), ("None", "c2ln"), ("ES256", "")])
    func none(alg: String, signature: String) throws {
        let header = Base64URL.encode(#"{"alg":"\#(alg)"}"#.utf8)
        let inner = header + "." + Base64URL.encode(#"{"sub":"admin"}"#.utf8) + "." + signature
        #expect(
            try open(encrypt(inner)).error
                == .failed(Checks.nestedSignature, expected: "a signed token inside", actual: "alg \(alg)"))
    }

    @Test("another content type than JWT is refused", arguments: ["JSON", "", "at+jwt"])
    func contentType(name: String) throws {
        let inner = try Fixture.token(Fixture.claims()).reveal()
        #expect(
            try open(encrypt(inner, header: ["cty": .string(name)])).error
                == .failed(Checks.contentType, expected: "no cty, or JWT", actual: name))
        #expect(try open(encrypt(inner, header: ["cty": "jwt"])).error == nil)
    }

    @Test("an encrypted token is refused by a client that registered no encryption [rule 100]")
    func notRegistered() throws {
        let inner = try Fixture.token(Fixture.claims())
        #expect(
            try open(encrypt(inner.reveal()), nil).error
                == .failed(
                    Checks.encryption, expected: "a token in the clear, for no encryption is registered",
                    actual: "an encrypted token"))
        let plain = try open(inner, nil)
        #expect(plain.error == nil)
        #expect(plain.log.results.isEmpty)
    }

    @Test("a token in the clear is refused by a client that registered encryption")
    func plain() throws {
        for text in [try Fixture.token(Fixture.claims()).reveal(), "{}", ""] {
            #expect(
                try open(Secret(text, kind: .idToken)).error
                    == .failed(
                        Checks.encryption, expected: "a token encrypted with ECDH-ES with A128GCM",
                        actual: "a token that is not encrypted"))
        }
    }

    @Test("both algorithms are the registered ones")
    func algorithms() throws {
        let inner = try Fixture.token(Fixture.claims()).reveal()
        for (other, words) in [
            (RegisteredEncryption(.ecdhES, .a256GCM), "ECDH-ES with A256GCM"),
            (RegisteredEncryption(.ecdhESA128KW, .a128GCM), "ECDH-ES+A128KW with A128GCM"),
            (RegisteredEncryption(.ecdhES), "ECDH-ES with A128CBC-HS256"),
        ] {
            #expect(
                try open(encrypt(inner, other)).error
                    == .failed(Checks.encryptionAlgorithm, expected: "ECDH-ES with A128GCM", actual: words))
        }
        #expect(
            try open(token(header: #"{"alg":"dir","enc":"A128GCM"}"#)).error
                == .failed(
                    Checks.encryptionAlgorithm, expected: "ECDH-ES with A128GCM", actual: "dir with A128GCM"))
    }

    @Test("a token that was changed, or is for another, fails in one way")
    func undecryptable() throws {
        let text = try encrypt(try Fixture.token(Fixture.claims()).reveal()).reveal()
        let expected = ProtocolError.failed(
            Checks.decryption, expected: "a token for a key of this client", actual: "another one")
        for part in 2...4 {
            var parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            var bytes = try #require(Base64URL.decode(parts[part]))
            bytes[0] ^= 1
            parts[part] = Base64URL.encode(bytes)
            #expect(
                try open(Secret(parts.joined(separator: "."), kind: .idToken)).error == expected)
        }
        let other = [DecryptionKey(try PrivateKey.generate(.ec(.p256)))]
        #expect(try open(Secret(text, kind: .idToken), keys: other).error == expected)
    }

    @Test("without a key for the algorithm or the kid, the check of decryption says so")
    func noKey() throws {
        let inner = try Fixture.token(Fixture.claims()).reveal()
        let token = try encrypt(inner, header: ["kid": "k9"])
        #expect(try open(token, keys: keys(kid: "k9")).error == nil)
        #expect(try open(token, keys: keys()).error == nil)
        let named = try open(token, keys: keys(kid: "k1")).error
        #expect(
            named
                == .failed(
                    Checks.decryption, expected: "a token for a key of this client",
                    actual: "kid k9, for which there is no ECDH-ES key"))
        let none = try open(encrypt(inner), keys: [DecryptionKey(Fixture.ed25519Key())]).error
        #expect(
            none
                == .failed(
                    Checks.decryption, expected: "a token for a key of this client",
                    actual: "no kid, for which there is no ECDH-ES key"))
    }

    @Test(
        "what a header may not have is a failure of a check of its own",
        arguments: [
            (#"{"alg":"ECDH-ES","enc":"A128GCM","crit":["exp"]}"#, Checks.encryptedCritical, "crit: exp"),
            (#"{"alg":"ECDH-ES","enc":"A128GCM","zip":"DEF"}"#, Checks.compression, "zip"),
            (#"{"alg":"ECDH-ES","enc":"A128GCM","jku":"https://a"}"#, Checks.encryptedKeyReference, "jku"),
            (#"{"alg":"ECDH-ES","enc":"A128GCM","jwk":{}}"#, Checks.encryptedKeyReference, "jwk"),
            (#"{"alg":"ECDH-ES","enc":"A128GCM","x5u":1}"#, Checks.encryptedKeyReference, "x5u"),
            (#"{"alg":"ECDH-ES"}"#, Checks.encryptedFormat, "the header has no enc"),
            (#"{"enc":"A128GCM"}"#, Checks.encryptedFormat, "the header has no alg"),
            (#"[]"#, Checks.encryptedFormat, "the header is not a JSON object"),
            (
                #"{"alg":1,"enc":"A128GCM"}"#, Checks.encryptedFormat,
                "header parameter alg has the wrong type"
            ),
        ])
    func header(header: String, check: Check, actual: String) throws {
        let error = try open(token(header: header)).error
        guard case .failed(check, _, actual) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("the first rule of an ID token is passed when its encryption was taken off")
    func rule() throws {
        let jws = try Fixture.verified(Fixture.claims())
        for wasEncrypted in [false, true] {
            var expectations = IDTokenExpectations(
                issuers: [Fixture.issuer], clientID: Fixture.clientID,
                origin: .code(nonce: Fixture.transaction().nonce))
            expectations.wasEncrypted = wasEncrypted
            var log = CheckLog()
            _ = try IDToken.validate(jws, expectations, now: Fixture.now, log: &log)
            #expect((log.verdict(Checks.encryption) == .passed) == wasEncrypted)
        }
    }
}
