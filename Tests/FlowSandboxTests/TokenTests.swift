import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

@Suite("Token endpoint")
struct TokenTests {
    private let visitor: Visitor

    init() throws {
        visitor = try Visitor()
    }

    @Test("a good exchange yields bearer, refresh and ID token, not to be stored")
    func exchange() throws {
        let response = try visitor.redeem(try visitor.code())
        #expect(response.status == 200)
        #expect(response.field("Content-Type") == "application/json")
        #expect(response.field("Cache-Control") == "no-store")
        let tokens = try response.json()
        #expect(tokens["token_type"] == "Bearer")
        #expect(tokens["expires_in"] == 3600)
        #expect(tokens["scope"] == "openid profile email offline_access")
        #expect(try tokens.text("access_token").utf8.count == 43)
        #expect(try tokens.text("refresh_token").utf8.count == 43)
    }

    @Test("the ID token says who signed in, for whom, when, and with which access token")
    func claims() throws {
        let tokens = try visitor.tokens()
        let claims = try tokens.idToken().claims
        let seconds = Visitor.now / 1000
        let half = Digest.sha256(try tokens.text("access_token").utf8).prefix(16)
        #expect(
            claims == [
                "iss": .string(Visitor.issuer), "sub": "sandbox-user-1", "aud": "flowrun-sandbox",
                "exp": .int(seconds + 3600), "iat": .int(seconds), "auth_time": .int(seconds),
                "nonce": "nonce-1", "amr": ["pwd"], "at_hash": .string(Base64URL.encode(half)),
            ])
    }

    @Test("the ID token verifies with a published key", arguments: SigningAlgorithm.allCases)
    func signature(algorithm: SigningAlgorithm) throws {
        let visitor = try Visitor(algorithm: algorithm)
        let allowed = try #require(SignatureAlgorithm(name: algorithm.rawValue))
        let token = try JWS.split(try visitor.tokens().text("id_token"))
        #expect(token.header.kid != nil)
        let verified = try JWS.verify(token, keys: try visitor.keySet(), allowed: [allowed])
        #expect(verified.algorithm == allowed)
    }

    @Test("userinfo takes the token from the field or from a form, and from one of them alone (RFC 6750 §2)")
    func postedToken() throws {
        let token = try visitor.tokens().text("access_token")
        let form = [("access_token", token)] as Pairs
        #expect(try #require(visitor.post("/userinfo", form).response).json()["sub"] == "sandbox-user-1")
        let field = HTTPField("Authorization", "Bearer \(token)")
        #expect(visitor.post("/userinfo", form, fields: [field]).response?.status == 400)
        #expect(visitor.post("/userinfo", []).response?.status == 401)
        #expect(visitor.get("/userinfo", form).response?.status == 401)
    }

    @Test("at_hash is half of a SHA-512 for EdDSA")
    func edDSAHash() throws {
        let tokens = try Visitor(algorithm: .edDSA).tokens()
        let half = Digest.sha512(try tokens.text("access_token").utf8).prefix(32)
        #expect(try tokens.idToken().claims["at_hash"] == .string(Base64URL.encode(half)))
    }

    @Test("without openid there is no ID token, without offline_access no refresh token")
    func scopes() throws {
        let plain = try visitor.tokens(["scope": "email"])
        #expect(plain["access_token"] != nil)
        #expect(plain["id_token"] == nil)
        #expect(plain["refresh_token"] == nil)
        #expect(try visitor.tokens(["scope": "openid"])["id_token"] != nil)
    }

    /// Changes of a good exchange, and status and error that each earns.
    static let refused: [(change: [String: String?], status: Int, error: String)] = [
        (["grant_type": nil], 400, "invalid_request"),
        (["grant_type": "password"], 400, "unsupported_grant_type"),
        (["code": nil], 400, "invalid_request"),
        (["code": "unknown"], 400, "invalid_grant"),
        (["redirect_uri": nil], 400, "invalid_request"),
        (["redirect_uri": "http://127.0.0.1:5556/callback"], 400, "invalid_grant"),
        (["code_verifier": nil], 400, "invalid_request"),
        (["code_verifier": "short"], 400, "invalid_request"),
        (["code_verifier": String(repeating: "a", count: 43)], 400, "invalid_grant"),
        (["client_id": nil], 401, "invalid_client"),
        (["client_id": "nobody"], 401, "invalid_client"),
        (["client_secret": "anything"], 401, "invalid_client"),
        (["client_assertion": "eyJ"], 401, "invalid_client"),
    ]

    @Test("an exchange that breaks a rule is refused", arguments: refused)
    func refusal(change: [String: String?], status: Int, error: String) throws {
        let response = try visitor.redeem(try visitor.code(), change)
        #expect(response.status == status)
        #expect(try response.errorCode() == error)
        #expect(response.field("Cache-Control") == "no-store")
        #expect(response.field("Content-Type") == "application/json")
    }

    @Test("a parameter twice is an invalid request, whatever it is")
    func repeated() throws {
        let form = Visitor.exchange(try visitor.code())
        let twice = try #require(visitor.post("/token", form + [("code", "x")]).response)
        #expect(try twice.errorCode() == "invalid_request")
        let hostile = try #require(visitor.post("/token", form + [("<\"", "1"), ("<\"", "2")]).response)
        #expect(try hostile.json()["error_description"] == "the parameter parameter came more than once")
    }

    @Test("parameters in the query or in JSON are refused")
    func wrongPlace() throws {
        let form = Visitor.exchange(try visitor.code())
        let type = HTTPField("Content-Type", FormBody.contentType)
        let query = ServerRequest(
            method: "POST", path: "/token", query: "client_secret=x", fields: [type],
            body: FormBody.encode(form))
        let json = ServerRequest(
            method: "POST", path: "/token", fields: [HTTPField("Content-Type", "application/json")],
            body: Array("{}".utf8))
        for request in [query, json] {
            let response = try #require(visitor.provider.respond(to: request, now: Visitor.now).response)
            #expect(response.status == 400)
            #expect(try response.errorCode() == "invalid_request")
        }
    }

    @Test("a code lives for sixty seconds")
    func codeLifetime() throws {
        let (young, old) = (try visitor.code(), try visitor.code())
        var later = visitor
        later.now += 59_999
        #expect(try later.redeem(young).status == 200)
        later.now += 1
        #expect(try later.redeem(old).errorCode() == "invalid_grant")
    }

    @Test("a code used twice is refused and what it yielded is revoked")
    func codeReuse() throws {
        let code = try visitor.code()
        let tokens = try visitor.redeem(code).json()
        #expect(try visitor.userInfo(tokens.text("access_token")).status == 200)
        #expect(try visitor.redeem(code).errorCode() == "invalid_grant")
        #expect(try visitor.userInfo(tokens.text("access_token")).status == 401)
        #expect(try visitor.refresh(tokens.text("refresh_token")).errorCode() == "invalid_grant")
    }

    @Test("a code is gone after a wrong verifier")
    func codeAfterFailure() throws {
        let code = try visitor.code()
        _ = try visitor.redeem(code, ["code_verifier": String(repeating: "a", count: 43)])
        #expect(try visitor.redeem(code).errorCode() == "invalid_grant")
    }

    @Test("a code of another client is refused, and stays good for its own")
    func codeOfAnother() throws {
        let code = try visitor.code()
        let other: [String: String?] = [
            "client_id": "flowrun-sandbox-confidential",
            "client_secret": "sandbox-secret-that-everybody-knows",
        ]
        #expect(try visitor.redeem(code, other).errorCode() == "invalid_grant")
        #expect(try visitor.redeem(code).status == 200)
    }
}

@Suite("Client authentication")
struct ClientAuthenticationTests {
    private let visitor: Visitor
    private let code: String

    init() throws {
        visitor = try Visitor()
        code = try visitor.code(["client_id": Self.id])
    }

    private static let id = "flowrun-sandbox-confidential"

    private func basic(_ id: String, _ secret: String) -> [HTTPField] {
        let pair = "\(PercentEncoding.encodeForm(id)):\(PercentEncoding.encodeForm(secret))"
        return [HTTPField("Authorization", "Basic \(Base64.encode(pair.utf8))")]
    }

    @Test("the secret is accepted in the Basic field")
    func basicSecret() throws {
        let fields = basic(Self.id, "sandbox-secret-that-everybody-knows")
        #expect(try visitor.redeem(code, ["client_id": nil], fields: fields).status == 200)
    }

    @Test("the client's own id may stand beside the Basic field")
    func basicWithID() throws {
        let response = try visitor.redeem(
            code, ["client_id": Self.id], fields: basic(Self.id, "sandbox-secret-that-everybody-knows"))
        #expect(response.status == 200)
    }

    @Test("the secret is accepted in the body")
    func postSecret() throws {
        let change = ["client_id": Self.id, "client_secret": "sandbox-secret-that-everybody-knows"]
        #expect(try visitor.redeem(code, change).status == 200)
    }

    @Test("the two halves of the Basic field are decoded as forms")
    func encodedSecret() throws {
        let visitor = try Visitor { configuration in
            configuration.clients = [
                SandboxClient(
                    id: "1PpG/Q 1", name: "Odd", secret: Secret("a:b+c %/é", kind: .clientSecret),
                    redirectURIs: [Visitor.redirectURI])
            ]
        }
        let code = try visitor.code(["client_id": "1PpG/Q 1"])
        let fields = basic("1PpG/Q 1", "a:b+c %/é")
        #expect(try visitor.redeem(code, ["client_id": nil], fields: fields).status == 200)
    }

    @Test("two methods at once are an invalid request")
    func both() throws {
        let response = try visitor.redeem(
            code, ["client_id": Self.id, "client_secret": "sandbox-secret-that-everybody-knows"],
            fields: basic(Self.id, "sandbox-secret-that-everybody-knows"))
        #expect(response.status == 400)
        #expect(try response.errorCode() == "invalid_request")
    }

    @Test("another id beside the Basic field is an invalid request")
    func twoNames() throws {
        let response = try visitor.redeem(
            code, ["client_id": "flowrun-sandbox"],
            fields: basic(Self.id, "sandbox-secret-that-everybody-knows"))
        #expect(try response.errorCode() == "invalid_request")
    }

    @Test("a wrong Basic secret is answered with a challenge")
    func wrongBasic() throws {
        let response = try visitor.redeem(code, ["client_id": nil], fields: basic(Self.id, "wrong"))
        #expect(response.status == 401)
        #expect(try response.errorCode() == "invalid_client")
        #expect(response.field("WWW-Authenticate")?.hasPrefix("Basic realm=") == true)
    }

    @Test("a wrong or missing secret in the body is an invalid client", arguments: ["wrong", nil])
    func wrongPost(secret: String?) throws {
        let response = try visitor.redeem(code, ["client_id": Self.id, "client_secret": secret])
        #expect(response.status == 401)
        #expect(try response.errorCode() == "invalid_client")
        #expect(response.field("WWW-Authenticate") == nil)
    }

    @Test(
        "a field that is no Basic credentials is an invalid client",
        arguments: ["Basic !!", "Bearer x", "Basic"])
    func noBasic(field: String) throws {
        let response = try visitor.redeem(
            code, ["client_id": Self.id], fields: [HTTPField("Authorization", field)])
        #expect(response.status == 401)
        #expect(try response.errorCode() == "invalid_client")
    }

    @Test("the secret of the usual client is long enough to sign with")
    func signingSecret() throws {
        let secret = SharedSecret(Array("sandbox-secret-that-everybody-knows".utf8))
        var registration = ClientRegistration(clientID: Self.id, authenticationMethod: .clientSecretJWT)
        registration.assertion = try SignedAssertion.make(
            .client(Self.id, at: Visitor.issuer), signer: .secret(secret, .hs256),
            randomBytes: [UInt8](repeating: 7, count: 16), now: Visitor.now)
        let plan = TokenRequest.clientCredentials(
            endpoint: Visitor.issuer + "/token", scopes: ["profile"], resources: [], extra: [],
            registration: registration, dialect: .standard, step: "token")
        #expect(try Visitor().send(plan).status == 200)
    }

    @Test("a public client cannot authenticate")
    func publicClient() throws {
        let response = try visitor.redeem(
            try visitor.code(), ["client_id": nil], fields: basic("flowrun-sandbox", ""))
        #expect(try response.errorCode() == "invalid_client")
    }
}
