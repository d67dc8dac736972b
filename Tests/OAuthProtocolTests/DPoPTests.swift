import JOSE
import OAuthProtocol
import Testing

@Suite("DPoP proofs (RFC 9449 §4)")
struct DPoPProofTests {
    private let key: DPoPKey

    init() throws {
        key = try DPoPKey(Fixture.es256Key())
    }

    private func parts(_ proof: Secret) throws -> (header: JSONObject, claims: JSONObject) {
        let jws = try JWS.split(proof.reveal())
        return (jws.header.raw, try #require(try JSON.parse(jws.payload).objectValue))
    }

    @Test("a proof names the request, and is signed with the key that its header carries")
    func proof() throws {
        let proof = try DPoPProof.make(
            key: key, method: .post, url: "https://op.example/token?a=b#c", randomBytes: Fixture.bytes(16),
            now: Fixture.now)
        let (header, claims) = try parts(proof)
        #expect(header["typ"] == "dpop+jwt")
        #expect(header["alg"] == "ES256")
        #expect(
            claims == [
                "jti": "AAECAwQFBgcICQoLDA0ODw", "htm": "POST", "htu": "https://op.example/token",
                "iat": 1_767_225_600,
            ])
        let jwk = try JWK(try #require(header["jwk"]))
        #expect(jwk.thumbprint == key.thumbprint)
        _ = try JWS.verify(
            JWS.split(proof.reveal()), keys: JWKSet(keys: [jwk]), allowed: [.es256], keyReferences: .ignored)
    }

    @Test("the header holds the members of the thumbprint and nothing else of the key")
    func header() throws {
        let proof = try DPoPProof.make(
            key: key, method: .get, url: "https://op.example/", randomBytes: Fixture.bytes(16),
            now: Fixture.now)
        #expect(try parts(proof).header["jwk"]?.objectValue?.keys == ["kty", "crv", "x", "y"])
    }

    @Test("nonce and the hash of the token are claims of it")
    func claims() throws {
        let proof = try DPoPProof.make(
            key: key, method: .get, url: "https://api.example/things", randomBytes: Fixture.bytes(16),
            now: Fixture.now, nonce: "eyJ7S_zG.eyJH0-Z.HX4w-7v",
            accessToken: Secret("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU", kind: .accessToken))
        let claims = try parts(proof).claims
        #expect(claims["nonce"] == "eyJ7S_zG.eyJH0-Z.HX4w-7v")
        // RFC 9449 §7.1.
        #expect(claims["ath"] == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
    }

    @Test("the example of RFC 9449 §4.1 verifies, and its key has the thumbprint of §6.1")
    func example() throws {
        let text =
            "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklD"
            + "UkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2"
            + "R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHB"
            + "zOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8ig"
            + "iMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"
        let jws = try JWS.split(text)
        let jwk = try JWK(try #require(jws.header.raw["jwk"]))
        _ = try JWS.verify(jws, keys: JWKSet(keys: [jwk]), allowed: [.es256], keyReferences: .ignored)
        #expect(jwk.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    }

    @Test("a request to a resource bears its token, and the proof of a bound one")
    func resource() throws {
        let token = Secret("t0ken", kind: .accessToken)
        let call = ResourceRequest(
            method: .post, url: "https://api.example/things?a=b", fields: [HTTPField("X-Extra", "1")],
            body: [1, 2])
        let plain = call.bearing(token)
        #expect(plain.fields == [HTTPField("X-Extra", "1"), HTTPField("Authorization", "Bearer t0ken")])
        #expect(plain.body == [1, 2])
        let bound = try call.bearing(
            token, boundTo: key, randomBytes: Fixture.bytes(16), now: Fixture.now, nonce: "n")
        #expect(bound.field("Authorization") == "DPoP t0ken")
        let proof = Secret(try #require(bound.field("DPoP")), kind: .dpopProof)
        let claims = try parts(proof).claims
        #expect(claims["ath"]?.stringValue == DPoPProof.hash(of: token))
        #expect(claims["htu"] == "https://api.example/things")
        #expect(claims["htm"] == "POST")
        #expect(claims["nonce"] == "n")
    }

    @Test("a key proves with the algorithm of its own kind")
    func algorithms() throws {
        #expect(try DPoPKey(Fixture.ed25519Key()).algorithm == .edDSA)
        #expect(throws: KeyError.algorithmMismatch(.rs256)) {
            try DPoPKey(Fixture.es256Key(), algorithm: .rs256)
        }
    }

    @Test("a plan that is proved bears its token in the scheme DPoP, and stays a secret")
    func plan() throws {
        let token = Secret("t0ken", kind: .accessToken)
        let plan = try UserInfoRequest.plan(
            endpoint: "https://op.example/userinfo", accessToken: token, dialect: .standard, step: "profile"
        ).proving(key, randomBytes: Fixture.bytes(16), now: Fixture.now, nonce: nil, step: "profile")
        let request = try plan.encoded()
        #expect(request.field("Authorization") == "DPoP t0ken")
        let proof = try #require(request.field("DPoP"))
        let claims = try parts(Secret(proof, kind: .dpopProof)).claims
        #expect(claims["ath"]?.stringValue == DPoPProof.hash(of: token))
        #expect(claims["htm"] == "GET")
        #expect(!"\(plan)".contains(proof))
    }

    @Test("a token request with Basic credentials keeps them, and its proof is bound to no token")
    func tokenRequest() throws {
        let plan = try TokenRequest.refresh(
            endpoint: "https://op.example/token", token: Secret("rt", kind: .refreshToken), scopes: nil,
            registration: Fixture.registration(.clientSecretBasic), dialect: .standard, step: "refresh"
        ).proving(key, randomBytes: Fixture.bytes(16), now: Fixture.now, nonce: "n", step: "refresh")
        let request = try plan.encoded()
        #expect(request.field("Authorization")?.hasPrefix("Basic ") == true)
        let claims = try parts(Secret(try #require(request.field("DPoP")), kind: .dpopProof)).claims
        #expect(claims["ath"] == nil)
        #expect(claims["nonce"] == "n")
    }
}

@Suite("DPoP nonces (RFC 9449 §8 and §9)")
struct DPoPNonceTests {
    private func refusal(_ status: Int, _ code: String, nonce: [String]) -> HTTPResponse {
        Fixture.response(
            #"{"error":"\#(code)"}"#, status: status, fields: nonce.map { HTTPField("dpop-nonce", $0) })
    }

    private func challenge(_ value: String, status: Int = 401) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: [HTTPField("WWW-Authenticate", value), HTTPField("DPoP-Nonce", "n1")])
    }

    @Test("an authorization server asks with an error")
    func authorizationServer() {
        let demanded = { DPoPNonces.demanded(by: $0, .authorization) }
        #expect(demanded(refusal(400, "use_dpop_nonce", nonce: ["n1"])) == "n1")
        #expect(demanded(refusal(401, "use_dpop_nonce", nonce: ["n1"])) == "n1")
        #expect(demanded(refusal(400, "invalid_dpop_proof", nonce: ["n1"])) == nil)
        #expect(demanded(refusal(200, "use_dpop_nonce", nonce: ["n1"])) == nil)
        #expect(demanded(refusal(400, "use_dpop_nonce", nonce: [])) == nil)
        #expect(demanded(refusal(400, "use_dpop_nonce", nonce: ["n1", "n2"])) == nil)
    }

    @Test(
        "a resource asks with a challenge, whatever the case of its scheme",
        arguments: ["DPoP", "dPoP", "dpop"])
    func resource(scheme: String) {
        let text = "\(scheme) error=\"use_dpop_nonce\", error_description=\"more\""
        #expect(DPoPNonces.demanded(by: challenge(text), .resource) == "n1")
        #expect(DPoPNonces.demanded(by: challenge("Bearer, " + text), .resource) == "n1")
        #expect(DPoPNonces.demanded(by: challenge(text, status: 403), .resource) == nil)
    }

    @Test(
        "any other challenge asks for none",
        arguments: ["Bearer error=\"use_dpop_nonce\"", "DPoP error=\"invalid_token\"", "DPoP"])
    func others(text: String) {
        #expect(DPoPNonces.demanded(by: challenge(text), .resource) == nil)
    }

    @Test("every answer may bring a newer nonce, which counts for its origin alone")
    func origins() {
        var nonces = DPoPNonces()
        let good = HTTPResponse(status: 200, fields: [HTTPField("DPoP-Nonce", "n2")])
        nonces.note(challenge("Bearer"), from: "https://api.example/a")
        #expect(nonces["https://api.example/b?c"] == "n1")
        #expect(nonces["https://api.example:8443/a"] == nil)
        #expect(nonces["https://op.example/a"] == nil)
        nonces.note(good, from: "https://api.example/z")
        #expect(nonces["https://api.example/a"] == "n2")
        nonces.note(HTTPResponse(status: 200), from: "https://api.example/z")
        #expect(nonces["https://api.example/a"] == "n2")
    }

    @Test(
        "what has other characters than RFC 9449 §8.1 allows is no nonce",
        arguments: ["", "a b", "a\"b", "a\\b", "ä", String(repeating: "x", count: 1025)])
    func characters(text: String) {
        var nonces = DPoPNonces()
        nonces.note(
            HTTPResponse(status: 200, fields: [HTTPField("DPoP-Nonce", text)]), from: "https://op.example")
        #expect(nonces == DPoPNonces())
    }
}

@Suite("Tokens that are bound to a key")
struct TokenBindingTests {
    private func type(_ type: String, _ demand: TokenTypeDemand) -> (error: ProtocolError?, log: CheckLog) {
        failure { log throws(ProtocolError) in
            try TokenResponse.read(
                Fixture.response(#"{"access_token":"t","token_type":"\#(type)"}"#), dialect: .standard,
                demand: demand, log: &log)
        }
    }

    @Test("a request with a proof takes a token of the type DPoP, in any case")
    func dpop() {
        for text in ["DPoP", "dpop", "dPOp"] {
            #expect(type(text, .dpop).error == nil)
            #expect(type(text, .dpopOrBearer).error == nil)
        }
        #expect(type("Bearer", .dpopOrBearer).error == nil)
    }

    @Test("a bearer token is no answer where a bound one is needed, and the other way round")
    func mismatch() {
        #expect(
            type("Bearer", .dpop).error
                == .failed(Checks.tokenType, expected: "DPoP", actual: #""Bearer""#))
        #expect(
            type("DPoP", .bearer).error
                == .failed(Checks.tokenType, expected: "Bearer", actual: #""DPoP""#))
        #expect(
            type("mac", .dpopOrBearer).error
                == .failed(Checks.tokenType, expected: "DPoP or Bearer", actual: #""mac""#))
    }

    private func confirmation(
        _ claims: JSONObject, _ binding: TokenBinding, isRequired: Bool = false
    ) -> (error: ProtocolError?, log: CheckLog) {
        failure { log throws(ProtocolError) in
            try Confirmation.check(claims, binding, isRequired: isRequired, log: &log)
        }
    }

    @Test("cnf is compared with the key or the certificate")
    func comparison() {
        let key = TokenBinding.key(thumbprint: "abc")
        #expect(confirmation(["cnf": ["jkt": "abc"]], key).log.passedNames == ["cnf"])
        #expect(
            confirmation(["cnf": ["jkt": "abd"]], key).error
                == .failed(Checks.confirmation, expected: "the thumbprint of our own", actual: "another"))
        #expect(confirmation(["cnf": ["jkt": 1]], key).error != nil)
        let certificate = TokenBinding.certificate(thumbprint: "xyz")
        #expect(confirmation(["cnf": ["x5t#S256": "xyz"]], certificate).error == nil)
    }

    @Test("a token without cnf is refused only where it must show one")
    func absent() {
        let key = TokenBinding.key(thumbprint: "abc")
        #expect(confirmation([:], key).error == nil)
        #expect(
            confirmation([:], key, isRequired: true).error
                == .failed(Checks.confirmation, expected: "cnf with jkt", actual: "no cnf"))
        #expect(
            confirmation(["cnf": ["x5t#S256": "xyz"]], key, isRequired: true).error
                == .failed(Checks.confirmation, expected: "cnf with jkt", actual: "a cnf without it"))
    }
}
