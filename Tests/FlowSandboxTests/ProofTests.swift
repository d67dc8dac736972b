import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

@Suite("DPoP at the sandbox (RFC 9449)")
struct ProofTests {
    private let signer: Signer
    private let visitor: Visitor

    init() throws {
        signer = try Signer()
        visitor = try signer.visitor()
    }

    private func userInfo(_ token: Secret, path: String = "/userinfo") -> RequestPlan {
        UserInfoRequest.plan(
            endpoint: Visitor.issuer + path, accessToken: token, dialect: .standard, step: "profile")
    }

    @Test("a proof binds the token, which then is good with a proof of the same key only")
    func binding() throws {
        let tokens = try signer.tokens(visitor, isProved: true)
        #expect(tokens.tokenType == "DPoP")
        for path in ["/userinfo", "/resource"] {
            let plan = userInfo(tokens.accessToken, path: path)
            #expect(try visitor.send(signer.prove(plan)).status == 200)
            let bearer = try visitor.send(plan)
            #expect(bearer.status == 401)
            #expect(bearer.challenges.first?.scheme == "DPoP")
            #expect(bearer.challenges.first?.parameter("error") == "invalid_token")
            let other = try plan.proving(
                DPoPKey(PrivateKey.generate(.ed25519)), randomBytes: signer.bytes(), now: Visitor.now,
                nonce: nil, step: "test")
            #expect(try visitor.send(other).challenges.first?.parameter("error") == "invalid_token")
        }
    }

    @Test("a bearer token is refused in the scheme DPoP, and the other way round")
    func schemes() throws {
        let tokens = try signer.tokens(visitor)
        #expect(tokens.tokenType == "Bearer")
        let plan = userInfo(tokens.accessToken)
        #expect(try visitor.send(plan).status == 200)
        #expect(try visitor.send(signer.prove(plan)).status == 401)
    }

    @Test("a proof is good once")
    func replay() throws {
        let tokens = try signer.tokens(visitor, isProved: true)
        let proved = try signer.prove(userInfo(tokens.accessToken))
        #expect(try visitor.send(proved).status == 200)
        let again = try visitor.send(proved)
        #expect(again.status == 401)
        #expect(again.challenges.first?.parameter("error") == "invalid_dpop_proof")
    }

    /// A proof with changed claims or header.
    private func token(
        _ changes: [(String, JSONValue?)], type: JSONValue = "dpop+jwt", key: PrivateKey? = nil
    ) throws -> HTTPResponse {
        let own = try PrivateKey.generate(.ec(.p256))
        var claims: JSONObject = [
            "jti": .string(Base64URL.encode(signer.bytes())), "htm": "POST",
            "htu": .string(Visitor.issuer + "/token"), "iat": .int(Visitor.now / 1000),
        ]
        for (name, value) in changes { claims[name] = value }
        let proof = try JWS.sign(
            header: ["typ": type, "jwk": own.publicJWK()], payload: Array(claims.serialize().utf8),
            key: key ?? own, algorithm: .es256)
        let form: Pairs = [("grant_type", "client_credentials"), ("client_id", Signer.id)]
        let assertion = try #require(try signer.registration().assertion).reveal()
        return try #require(
            visitor.post(
                "/token",
                form + [
                    ("client_assertion", assertion),
                    ("client_assertion_type", ClientAuthentication.assertionType),
                ], fields: [HTTPField("DPoP", proof)]
            ).response)
    }

    static let flaws: [(change: (String, JSONValue?), words: String)] = [
        (("jti", nil), "jti"), (("htm", "GET"), "htm"), (("htm", nil), "htm"),
        (("htu", "https://other.example/token"), "htu"), (("htu", nil), "htu"),
        (("iat", nil), "iat"), (("iat", .int(Visitor.now / 1000 - 301)), "iat"),
        (("iat", .int(Visitor.now / 1000 + 301)), "iat"), (("iat", "now"), "claims set"),
    ]

    @Test("a proof that breaks a rule is named with the rule", arguments: flaws)
    func flaw(change: (String, JSONValue?), words: String) throws {
        let response = try token([change])
        #expect(response.status == 400)
        #expect(try response.errorCode() == "invalid_dpop_proof")
        #expect(try response.json().text("error_description").contains(words))
    }

    @Test("htu may carry the query that RFC 9449 ignores; the type and the key may not differ")
    func headers() throws {
        #expect(try token([]).status == 200)
        #expect(try token([("htu", .string(Visitor.issuer + "/token?a=b"))]).status == 200)
        #expect(try token([], type: "JWT").errorCode() == "invalid_dpop_proof")
        #expect(
            try token([], key: PrivateKey.generate(.ec(.p256))).errorCode() == "invalid_dpop_proof")
        #expect(try token([("nonce", "stale")]).errorCode() == "use_dpop_nonce")
    }

    @Test("a code that was asked for with dpop_jkt needs the proof of that key")
    func boundCode() throws {
        let plan = signer.authorization(
            nil, AuthorizationDemands(dpopThumbprint: signer.proofKey.thumbprint))
        let bare = try signer.exchange(signer.code(visitor.send(plan)))
        #expect(try visitor.send(bare).errorCode() == "invalid_grant")
        #expect(try signer.tokens(visitor, plan, isProved: true).tokenType == "DPoP")
    }

    @Test("the refresh token of a public client is bound too")
    func refresh() throws {
        let fields = { (plan: RequestPlan) in try plan.encoded().fields.filter { $0.name == "DPoP" } }
        let prove = { (key: DPoPKey) in
            try fields(
                RequestPlan(method: .post, endpoint: Visitor.issuer + "/token").proving(
                    key, randomBytes: signer.bytes(), now: Visitor.now, nonce: nil, step: "test"))
        }
        let tokens = try visitor.redeem(visitor.code(), fields: prove(signer.proofKey)).json()
        let form: Pairs = [
            ("grant_type", "refresh_token"), ("refresh_token", try tokens.text("refresh_token")),
            ("client_id", "flowrun-sandbox"),
        ]
        let other = try DPoPKey(PrivateKey.generate(.ec(.p256)))
        #expect(
            try visitor.post("/token", form, fields: prove(other)).response?.errorCode() == "invalid_grant")
        #expect(try visitor.post("/token", form).response?.errorCode() == "invalid_grant")
        #expect(
            try visitor.post("/token", form, fields: prove(signer.proofKey)).response?.status == 200)
    }

    @Test("a client that registered to prove its key is refused without")
    func required() throws {
        let strict = try signer.visitor([.privateKeyJWT], .init(proof: true))
        let bare = try signer.exchange(signer.code(strict.send(signer.authorization())))
        #expect(try strict.send(bare).errorCode() == "invalid_request")
        #expect(try signer.tokens(strict, isProved: true).tokenType == "DPoP")
    }

    @Test("a token endpoint that demands a nonce gives it, and keeps the code")
    func tokenNonce() throws {
        let strict = try signer.visitor(faults: ["token:dpop_nonce"])
        let code = try signer.code(strict.send(signer.authorization()))
        let refused = try strict.send(signer.prove(signer.exchange(code)))
        #expect(refused.status == 400)
        let nonce = try #require(DPoPNonces.demanded(by: refused, .authorization))
        let answer = try strict.send(signer.prove(signer.exchange(code), nonce: nonce))
        #expect(try signer.read(answer, .dpop).tokenType == "DPoP")
        #expect(answer.field("DPoP-Nonce") == nonce)
    }

    @Test("a resource demands it with a challenge, in any case of the scheme")
    func resourceNonce() throws {
        let strict = try signer.visitor(faults: ["userinfo:dpop_nonce", "userinfo:scheme=case"])
        let tokens = try signer.tokens(strict, isProved: true)
        let plan = userInfo(tokens.accessToken)
        let refused = try strict.send(signer.prove(plan))
        #expect(refused.challenges.first?.scheme == "dPoP")
        let nonce = try #require(DPoPNonces.demanded(by: refused, .resource))
        #expect(try strict.send(signer.prove(plan, nonce: nonce)).status == 200)
    }

    @Test("a server may demand a nonce for ever")
    func endless() throws {
        let strict = try signer.visitor(faults: ["token:use_dpop_nonce"])
        let code = try signer.code(strict.send(signer.authorization()))
        for nonce in [nil, "any"] {
            let refused = try strict.send(signer.prove(signer.exchange(code), nonce: nonce))
            #expect(DPoPNonces.demanded(by: refused, .authorization) != nil)
        }
    }

    @Test("introspection shows what the token is bound to, and a snapshot keeps it")
    func confirmation() throws {
        let token = try signer.tokens(visitor, isProved: true).accessToken
        let plan = IntrospectionRequest.plan(
            endpoint: Visitor.issuer + "/introspect", token: token, registration: try signer.registration(),
            dialect: .standard, step: "introspect")
        var log = CheckLog()
        let claims = try IntrospectionResponse.read(visitor.send(plan), dialect: .standard, log: &log).claims
        try Confirmation.check(
            claims, .key(thumbprint: signer.proofKey.thumbprint), isRequired: true, log: &log)
        #expect(claims["token_type"] == "DPoP")
        let random = CountingBytes(seed: "restored")
        let restored = Visitor(
            provider: SandboxProvider(
                configuration: visitor.provider.configuration,
                restoring: try SandboxSnapshot(decoding: visitor.provider.snapshot().encoded()),
                random: { random.next($0) }))
        #expect(try restored.send(userInfo(token)).status == 401)
        #expect(try restored.send(signer.prove(userInfo(token))).status == 200)
    }
}
