import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

@Suite("Faults inside a good answer")
struct ContentFaultTests {
    @Test("discovery may name another issuer")
    func otherIssuer() throws {
        let visitor = try Visitor(faults: ["discovery:issuer=other"])
        let document = try #require(visitor.get("/.well-known/openid-configuration").response).json()
        #expect(document["issuer"] == "https://other.invalid")
    }

    @Test("the key set may be empty")
    func emptyKeys() throws {
        #expect(try Visitor(faults: ["jwks:empty"]).get("/jwks").response?.json() == ["keys": []])
    }

    @Test("a rotated key signs at once, and only a fresh key set has it")
    func rotation() throws {
        let visitor = try Visitor(faults: ["jwks:rotate@2"])
        let early = try visitor.keySet()
        _ = try visitor.tokens()
        #expect(try visitor.keySet().keys.count == 3)
        let token = try JWS.split(try visitor.tokens().text("id_token"))
        #expect(throws: JWSError.noMatchingKey(kid: token.header.kid, algorithm: .es256)) {
            try JWS.verify(token, keys: early, allowed: [.es256])
        }
        let fresh = try visitor.keySet()
        #expect(fresh.keys.count == 4)
        #expect(try JWS.verify(token, keys: fresh, allowed: [.es256]).keyID == token.header.kid)
    }

    @Test("userinfo may speak of somebody else")
    func otherSubject() throws {
        let visitor = try Visitor(faults: ["userinfo:sub=other"])
        let claims = try visitor.userInfo(try visitor.tokens().text("access_token")).json()
        #expect(claims["sub"] == "other-subject")
        #expect(claims["email"] == "alice@example.com")
    }

    @Test("a refresh may yield no new refresh token, and the old one stays good")
    func drop() throws {
        let visitor = try Visitor(faults: ["refresh:drop@1"])
        let token = try visitor.tokens().text("refresh_token")
        let renewed = try visitor.refresh(token).json()
        #expect(renewed["access_token"] != nil)
        #expect(renewed["refresh_token"] == nil)
        #expect(try visitor.refresh(token).json()["refresh_token"] != nil)
    }

    @Test("an access token may live for a second")
    func shortAccess() throws {
        var visitor = try Visitor(faults: ["access:expires=1"])
        let tokens = try visitor.tokens()
        #expect(tokens["expires_in"] == 1)
        #expect(try visitor.userInfo(tokens.text("access_token")).status == 200)
        visitor.now += 1000
        #expect(try visitor.userInfo(tokens.text("access_token")).status == 401)
    }

    /// Faults that change one claim, and what becomes of it.
    static let claims: [(fault: String, name: String, value: JSONValue?)] = [
        ("nonce=bad", "nonce", "wrong-nonce"), ("nonce=missing", "nonce", nil),
        ("aud=other", "aud", "other-client"), ("iss=other", "iss", "https://other.invalid"),
        ("expired", "exp", .int(Visitor.now / 1000 - 3600)), ("sub=missing", "sub", nil),
        ("sub=other", "sub", "other-subject"), ("at_hash=bad", "at_hash", "AAAAAAAAAAAAAAAAAAAAAA"),
    ]

    @Test("one claim is wrong and the signature right", arguments: claims)
    func claim(fault: String, name: String, value: JSONValue?) throws {
        let visitor = try Visitor(faults: ["idtoken:\(fault)"])
        let token = try JWS.split(try visitor.tokens().text("id_token"))
        let verified = try JWS.verify(token, keys: try visitor.keySet(), allowed: [.es256])
        var found = try #require(try JSON.parse(verified.payload).objectValue)
        #expect(found[name] == value)
        var good = try #require(try Visitor().tokens().idToken().claims.objectValue)
        #expect(good[name] != value)
        // Nothing else differs but the time of issue of an expired token and the hash of another access token.
        for other in ["iat", "at_hash", name] { (found[other], good[other]) = (nil, nil) }
        #expect(found == good)
    }

    @Test("an ID token may have no signature at all")
    func unsigned() throws {
        let tokens = try Visitor(faults: ["idtoken:alg=none"]).tokens()
        #expect(try tokens.idToken().header["alg"] == "none")
        #expect(try tokens.text("id_token").hasSuffix("."))
    }

    @Test("an ID token may be signed by HMAC with the text of the RSA key")
    func confusion() throws {
        let visitor = try Visitor(algorithm: .rs256, faults: ["idtoken:alg=hs256"])
        let token = try visitor.tokens().text("id_token")
        let parts = token.split(separator: ".")
        let header = try JSON.parse(try #require(Base64URL.decode(parts[0])))
        #expect(header["alg"] == "HS256")
        let key = try #require(try visitor.keySet().keys.first { $0.algorithmName == "RS256" })
        #expect(header["kid"]?.stringValue == key.kid)
        let jwk = key.key.jwk()
        let pem = try #require(publicPEM(n: try jwk.text("n")))
        let mac = HMAC.sha256(key: pem.utf8, message: "\(parts[0]).\(parts[1])".utf8)
        #expect(Base64URL.encode(mac) == parts[2])
    }

    /// The PEM text of a key of 2048 bits with the exponent 65537, by its fixed layout.
    private func publicPEM(n: String) -> String? {
        guard let modulus = Base64URL.decode(n), modulus.count == 256 else { return nil }
        let head = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA"
        guard let start = Base64.decode(head) else { return nil }
        let text = Base64.encode(start + modulus + [0x02, 0x03, 0x01, 0x00, 0x01])
        let lines = stride(from: 0, to: text.count, by: 64).map { String(text.dropFirst($0).prefix(64)) }
        return (["-----BEGIN PUBLIC KEY-----"] + lines + ["-----END PUBLIC KEY-----", ""])
            .joined(separator: "\n")
    }

    @Test("an ID token may have a wrong signature", arguments: SigningAlgorithm.allCases)
    func badSignature(algorithm: SigningAlgorithm) throws {
        let visitor = try Visitor(algorithm: algorithm, faults: ["idtoken:signature=bad"])
        let token = try JWS.split(try visitor.tokens().text("id_token"))
        #expect(throws: JWSError.signatureInvalid) {
            try JWS.verify(token, keys: try visitor.keySet(), allowed: [.rs256, .es256, .edDSA])
        }
    }

    @Test("an ID token may name a key that is not published")
    func unknownKey() throws {
        let header = try Visitor(faults: ["idtoken:kid=unknown"]).tokens().idToken().header
        #expect(header["kid"] == "unknown-key")
    }

    @Test("the ID token may be absent")
    func absent() throws {
        let tokens = try Visitor(faults: ["idtoken:absent"]).tokens()
        #expect(tokens["id_token"] == nil)
        #expect(tokens["access_token"] != nil)
    }

    /// Faults that change one parameter of the callback, and all its values.
    static let callbacks: [(fault: String, name: String, values: [String]?)] = [
        ("state=wrong", "state", ["wrong-state"]), ("state=missing", "state", nil),
        ("iss=other", "iss", ["https://other.invalid"]), ("iss=missing", "iss", nil),
    ]

    @Test("one parameter of the callback is wrong", arguments: callbacks)
    func callback(fault: String, name: String, values: [String]?) throws {
        let callback = try Visitor(faults: ["callback:\(fault)"]).authorize().callback()
        #expect(callback[name] == values)
        #expect(callback.count == (values == nil ? 2 : 3))
        #expect(callback["code"]?.count == 1)
    }

    @Test("the callback may carry an error instead of the code")
    func callbackError() throws {
        let callback = try Visitor(faults: ["callback:error=access_denied@1"]).authorize().callback()
        #expect(callback["error"] == ["access_denied"])
        #expect(callback["code"] == nil)
        #expect(callback["state"] == ["state-1"])
        #expect(callback["iss"] == [Visitor.issuer])
    }

    @Test("the code may come twice")
    func duplicate() throws {
        let codes = try #require(try Visitor(faults: ["callback:duplicate"]).authorize().callback()["code"])
        #expect(codes.count == 2)
        #expect(codes[0] == codes[1])
    }
}
