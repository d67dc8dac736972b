import JOSE
import OAuthProtocol
import Testing

@Suite("ID token signatures (RFC 7515, RFC 8725)")
struct IDTokenSignatureTests {
    private func verify(
        _ token: Secret, allowed: [SignatureAlgorithm] = [.es256], keys: JWKSet? = nil
    ) throws -> (error: ProtocolError?, log: CheckLog) {
        let keys = try keys ?? Fixture.keys()
        return failure { log throws(ProtocolError) in
            try IDTokenSignature.verify(token, keys: keys, allowed: allowed, log: &log)
        }
    }

    private func token(header: String, payload: String = "{}") -> Secret {
        let parts = [header, payload].map { Base64URL.encode($0.utf8) } + ["c2ln"]
        return Secret(parts.joined(separator: "."), kind: .idToken)
    }

    @Test("a signature by a published key is accepted, every check written down")
    func accepted() throws {
        let result = try verify(Fixture.token(Fixture.claims()))
        #expect(result.error == nil)
        #expect(
            result.log.passedNames == [
                "id_token-format", "crit", "header-key", "typ", "alg", "kid", "signature",
            ])
    }

    @Test("one changed character of the payload breaks the signature [rule 107]")
    func changed() throws {
        let parts = try Fixture.token(Fixture.claims()).reveal().split(separator: ".")
        let other = Base64URL.encode(JSONValue.object(Fixture.claims([("sub", "user-2")])).serialize().utf8)
        let forged = Secret("\(parts[0]).\(other).\(parts[2])", kind: .idToken)
        #expect(
            try verify(forged).error
                == .failed(
                    Checks.signature, expected: "a signature by a key of the issuer", actual: "another one"))
    }

    @Test("an unknown kid is told apart, so that the keys can be fetched anew")
    func unknownKey() throws {
        let token = try Fixture.token(Fixture.claims(), header: ["kid": "k9"])
        let result = try verify(token)
        #expect(
            result.error
                == .failed(Checks.key, expected: "a key of the key set", actual: "kid k9 for ES256"))
        #expect(result.log.verdict(Checks.algorithm) == .passed)
        let unnamed = try Fixture.token(Fixture.claims(), header: [:])
        #expect(
            try verify(unnamed, keys: JWKSet(keys: [])).error
                == .failed(Checks.key, expected: "a key of the key set", actual: "no kid for ES256"))
        #expect(try verify(unnamed).error == nil)
    }

    static let unfit: [(change: (String, JSONValue), actual: String)] = [
        (("use", "enc"), "kid k9 for ES256, whose key is for something else: kty EC P-256, use enc"),
        (
            ("alg", "ES384"),
            "kid k9 for ES256, whose key is for something else: kty EC P-256, use sig, alg ES384"
        ),
        (
            ("key_ops", ["sign"]),
            "kid k9 for ES256, whose key is for something else: kty EC P-256, use sig, key_ops sign"
        ),
        (("x", "AA"), "kid k9 for ES256, and a key that cannot be used: x cannot be read"),
        (
            ("kty", "oct"),
            "kid k9 for ES256, and a key that cannot be used: kty oct is none for public signatures"
        ),
    ]

    @Test("a key that is there and does not do is told with what is wrong with it", arguments: unfit)
    func unfitKey(change: (String, JSONValue), actual: String) throws {
        var key = try #require(try Fixture.es256Key().publicJWK(kid: "k9").objectValue)
        key[change.0] = change.1
        let keys = try JWKSet.parse(["keys": [.object(key)]])
        let token = try Fixture.token(Fixture.claims(), header: ["kid": "k9"])
        #expect(
            try verify(token, keys: keys).error
                == .failed(Checks.key, expected: "a key of the key set", actual: actual))
    }

    @Test(
        "an algorithm that is not registered is refused, none in any case [rule 103]",
        arguments: ["none", "None", "NONE", "nOnE", "HS256", "RS256", "es256", "XX\u{1B}"])
    func algorithm(name: String) throws {
        let header = JSONValue.object(["alg": .string(name)]).serialize()
        #expect(
            try verify(token(header: header), allowed: [.es256, .edDSA]).error
                == .failed(Checks.algorithm, expected: "ES256 or EdDSA", actual: RemoteText.sanitize(name)))
    }

    @Test("extensions that must be understood are refused [rule 108]")
    func critical() throws {
        for header in [#"{"alg":"ES256","crit":["exp"]}"#, #"{"alg":"ES256","crit":[]}"#] {
            let names = header.contains("exp") ? "exp" : ""
            #expect(
                try verify(token(header: header)).error
                    == .failed(Checks.critical, expected: "no crit", actual: "crit: \(names)"))
        }
        #expect(
            try verify(token(header: #"{"alg":"ES256","b64":false}"#)).error
                == .failed(Checks.critical, expected: "no crit", actual: "crit: b64"))
    }

    @Test(
        "a header that names or brings a key is refused for that [rule 109]",
        arguments: ["jku", "jwk", "x5u"])
    func keyReference(name: String) throws {
        let result = try verify(
            Fixture.token(Fixture.claims(), header: ["kid": "k1", name: .string("https://a.example")]))
        #expect(
            result.error
                == .failed(Checks.keyReference, expected: "no jku, jwk or x5u", actual: name))
        #expect(result.log.passedNames == ["id_token-format", "crit"])
    }

    @Test(
        "a token made for another purpose is refused [rule 110]",
        arguments: ["at+jwt", "logout+jwt", "dpop+jwt", ""])
    func type(name: String) throws {
        #expect(
            try verify(Fixture.token(Fixture.claims(), header: ["kid": "k1", "typ": .string(name)])).error
                == .failed(Checks.tokenTypeHeader, expected: "no typ, or JWT", actual: name))
    }

    @Test("the type JWT is accepted in any case", arguments: ["JWT", "jwt"])
    func typeJWT(name: String) throws {
        let token = try Fixture.token(Fixture.claims(), header: ["kid": "k1", "typ": .string(name)])
        #expect(try verify(token).error == nil)
    }

    @Test(
        "what is no compact JWS is refused [rules 100, 111]",
        arguments: [
            ("", "not three parts"), ("a.b", "not three parts"), ("a.b.c.d", "not three parts"),
            ("a.b.c.d.e", "an encrypted token"), ("e30..c2ln", "an empty payload"),
            ("e30.e30.", "the header has no alg"), ("e30=.e30.c2ln", "header is not base64url"),
            ("e31.e30.c2ln", "header is not base64url"), ("e30.e3 0.c2ln", "payload is not base64url"),
            ("W10.e30.c2ln", "the header is not a JSON object"), ("e30.e30.c2ln", "the header has no alg"),
            (
                Base64URL.encode(#"{"alg":1}"#.utf8) + ".e30.c2ln",
                "header parameter alg has the wrong type"
            ),
            (
                Base64URL.encode(#"{"alg":"ES256","kid":1}"#.utf8) + ".e30.c2ln",
                "header parameter kid has the wrong type"
            ),
        ])
    func format(text: String, words: String) throws {
        #expect(
            try verify(Secret(text, kind: .idToken)).error
                == .failed(Checks.tokenFormat, expected: "a compact JWS", actual: words))
    }

    @Test("with HS256 the key is the client secret, and only that [rule 104]")
    func sharedSecret() throws {
        let secret = SharedSecret(Fixture.bytes(32))
        let payload = Array(JSONValue.object(Fixture.claims()).serialize().utf8)
        let text = try JWS.sign(header: [:], payload: payload, secret: secret, algorithm: .hs256)
        let token = Secret(text, kind: .idToken)
        let result = failure { log throws(ProtocolError) in
            try IDTokenSignature.verify(token, secret: secret, allowed: [.hs256], log: &log)
        }
        #expect(result.error == nil)
        #expect(
            try verify(token, allowed: [.hs256]).error
                == .failed(Checks.key, expected: "a key of the key set", actual: "no kid for HS256"))
        let short = failure { log throws(ProtocolError) in
            try IDTokenSignature.verify(
                token, secret: SharedSecret(Fixture.bytes(31)), allowed: [.hs256], log: &log)
        }
        #expect(
            short.error
                == .failed(
                    Checks.macKey, expected: "a client secret of at least 32 bytes for HS256",
                    actual: "one of 31 bytes"))
        let other = failure { log throws(ProtocolError) in
            try IDTokenSignature.verify(
                token, secret: SharedSecret(Fixture.bytes(32, from: 1)), allowed: [.hs256], log: &log)
        }
        #expect(
            other.error
                == .failed(
                    Checks.signature, expected: "a signature by a key of the issuer", actual: "another one"))
    }

    @Test("no prefix of a token is accepted or traps")
    func truncations() throws {
        let text = try Fixture.token(Fixture.claims()).reveal()
        let keys = try Fixture.keys()
        for end in 0..<text.utf8.count {
            #expect(try verify(Secret(String(text.prefix(end)), kind: .idToken), keys: keys).error != nil)
        }
    }
}
