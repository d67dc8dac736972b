import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

@Suite("Answers to clients that ask for themselves")
struct ClientAnswerTests {
    private func answer(_ form: Pairs, at path: String = "/token") throws -> HTTPResponse {
        let client: Pairs = [
            ("client_id", "flowrun-sandbox-confidential"),
            ("client_secret", "sandbox-secret-that-everybody-knows"),
        ]
        return try #require(visitor.post(path, client + form).response)
    }

    private let visitor: Visitor

    init() throws { visitor = try Visitor() }

    private func members(_ response: HTTPResponse) throws -> JSONObject {
        try #require(try JSON.parse(response.body).objectValue)
    }

    @Test("a token without a scope comes without the member (RFC 6749 §3.3 and §5.1, RFC 7662 §2.2)")
    func emptyScope() throws {
        let none = try members(try answer([("grant_type", "client_credentials")]))
        #expect(none["scope"] == nil)
        let token = try #require(none["access_token"]?.stringValue)
        let status = try members(try answer([("token", token)], at: "/introspect"))
        #expect(status["active"] == true)
        #expect(status["scope"] == nil)
        let one = try members(try answer([("grant_type", "client_credentials"), ("scope", "profile")]))
        #expect(one["scope"] == "profile")
    }

    @Test("a resource learns whose access token it was brought, and nothing of refresh tokens (RFC 7662)")
    func resource() throws {
        let tokens = try visitor.tokens()
        let access = try members(try answer([("token", tokens.text("access_token"))], at: "/introspect"))
        #expect(access["client_id"] == "flowrun-sandbox")
        #expect(access["username"] == "alice")
        let refresh = try members(try answer([("token", tokens.text("refresh_token"))], at: "/introspect"))
        #expect(refresh == ["active": false])
    }

    @Test("who proves nothing learns nothing of the tokens of others")
    func anybody() throws {
        let tokens = try members(try answer([("grant_type", "client_credentials")]))
        let token = try #require(tokens["access_token"]?.stringValue)
        let form = [("client_id", "flowrun-sandbox"), ("token", token)] as Pairs
        #expect(try #require(visitor.post("/introspect", form).response).json() == ["active": false])
    }

    @Test(
        "a grant type that the metadata does not name is told so (RFC 6749 §5.2)",
        arguments: ["password", "implicit", "client_credentials ", "CLIENT_CREDENTIALS", "urn:example:odd"])
    func oddGrantType(type: String) throws {
        let response = try answer([("grant_type", type), ("username", "alice"), ("password", "alice")])
        #expect(response.status == 400)
        #expect(try response.errorCode() == "unsupported_grant_type")
    }

    @Test("no grant type is a parameter that is missing", arguments: [[], [("grant_type", "")]] as [Pairs])
    func noGrantType(form: Pairs) throws {
        #expect(try answer(form).errorCode() == "invalid_request")
    }
}

@Suite("Client assertions at the sandbox (RFC 7523)")
struct AssertionTests {
    private let signer: Signer
    private let visitor: Visitor

    init() throws {
        signer = try Signer()
        visitor = try signer.visitor([.privateKeyJWT, .clientSecretJWT])
    }

    private func request(_ registration: ClientRegistration, at visitor: Visitor? = nil) throws
        -> HTTPResponse
    {
        try (visitor ?? self.visitor).send(
            TokenRequest.clientCredentials(
                endpoint: Visitor.issuer + "/token", scopes: ["profile"], resources: [], extra: [],
                registration: registration, dialect: .standard, step: "token"))
    }

    @Test("a key or the secret signs, once for each request")
    func good() throws {
        let first = try signer.registration()
        #expect(try request(first).status == 200)
        let again = try request(first)
        #expect(again.status == 401)
        #expect(try again.errorCode() == "invalid_client")
        let secret = SharedSecret(Array(Signer.secret.utf8))
        #expect(try request(signer.registration(signer: .secret(secret, .hs256))).status == 200)
    }

    @Test("a secret that is too short for its algorithm is told as that (RFC 7518 §3.2)")
    func shortSecret() throws {
        let secret = SharedSecret(Array(String(repeating: "s", count: 64).utf8))
        let response = try request(signer.registration(signer: .secret(secret, .hs512)))
        let words = "HS512 needs a secret of 64 bytes, and the client's has \(Signer.secret.utf8.count)"
        #expect(try response.json()["error_description"] == .string(words))
    }

    @Test("the audience is the issuer as a text, and nothing that looks like it")
    func audience() throws {
        for audience in [Visitor.issuer + "/", Visitor.issuer + "/token", "https://other.example"] {
            #expect(
                try request(signer.registration { $0.audience = audience }).errorCode() == "invalid_client")
        }
        var registration = try signer.registration()
        let claims: JSONObject = [
            "iss": .string(Signer.id), "sub": .string(Signer.id), "aud": [.string(Visitor.issuer)],
            "jti": "j", "exp": .int(Visitor.now / 1000 + 60),
        ]
        registration.assertion = Secret(try signer.signer.sign(claims, type: "JWT"), kind: .clientAssertion)
        #expect(try request(registration).errorCode() == "invalid_client")
    }

    @Test("another issuer, another key, another time and another method are refused")
    func refusals() throws {
        let stranger = MessageSigner.key(try PrivateKey.generate(.ec(.p256)), .es256, kid: "c1")
        let refused = [
            try signer.registration { $0.issuer = "other" }, try signer.registration { $0.subject = "other" },
            try signer.registration(signer: stranger), try signer.registration(now: Visitor.now - 61_000),
            try signer.registration(now: Visitor.now + 120_000), signer.postRegistration,
        ]
        for registration in refused {
            #expect(try request(registration).errorCode() == "invalid_client")
        }
        let keyOnly = try signer.visitor()
        let secret = SharedSecret(Array(Signer.secret.utf8))
        let mac = try signer.registration(signer: .secret(secret, .hs256))
        #expect(try request(mac, at: keyOnly).errorCode() == "invalid_client")
    }

    private func bear(
        _ subject: SignedAssertion.Subject, scopes: [String] = ["openid", "email"],
        with other: MessageSigner? = nil
    ) throws -> HTTPResponse {
        let assertion = try SignedAssertion.make(
            subject, signer: other ?? signer.signer, randomBytes: signer.bytes(), now: Visitor.now)
        return try visitor.send(
            TokenRequest.jwtBearer(
                endpoint: Visitor.issuer + "/token", assertion: assertion, scopes: scopes,
                registration: signer.registration(), dialect: .standard, step: "token"))
    }

    @Test("an assertion about a user is a grant for that user")
    func grant() throws {
        let subject = SignedAssertion.Subject(issuer: Signer.id, subject: "bob", audience: Visitor.issuer)
        let tokens = try signer.read(bear(subject))
        #expect(tokens.refreshToken == nil)
        #expect(try visitor.userInfo(tokens.accessToken.reveal()).json()["email"] == "bob@example.org")
    }

    @Test("an assertion about nobody, by somebody else or for somebody else is none")
    func noGrant() throws {
        let good = SignedAssertion.Subject(issuer: Signer.id, subject: "bob", audience: Visitor.issuer)
        var flawed: [SignedAssertion.Subject] = [good, good, good]
        flawed[0].subject = "nobody"
        flawed[1].issuer = "flowrun-sandbox"
        flawed[2].audience = "https://other.example"
        for subject in flawed { #expect(try bear(subject).errorCode() == "invalid_grant") }
        let stranger = MessageSigner.key(try PrivateKey.generate(.ec(.p256)), .es256, kid: "c1")
        #expect(try bear(good, with: stranger).errorCode() == "invalid_grant")
        #expect(try bear(good, scopes: ["offline_access"]).errorCode() == "invalid_scope")
    }
}

@Suite("Token exchange at the sandbox (RFC 8693)")
struct ExchangeTests {
    private let signer: Signer
    private let visitor: Visitor
    private let tokens: TokenResponse

    init() throws {
        signer = try Signer()
        visitor = try signer.visitor()
        tokens = try signer.tokens(visitor)
    }

    private func exchange(_ exchange: TokenExchange, at other: Visitor? = nil) throws -> HTTPResponse {
        try (other ?? visitor).send(
            TokenRequest.exchange(
                endpoint: Visitor.issuer + "/token", exchange, registration: signer.registration(),
                dialect: .standard, step: "exchange"))
    }

    private func read(_ response: HTTPResponse, requested: String? = nil) throws -> TokenResponse {
        var log = CheckLog()
        let read = try TokenResponse.read(
            response, dialect: .standard, acceptsOtherTokens: true, log: &log)
        _ = try read.issuedType(requested: requested, log: &log)
        return read
    }

    @Test("access, refresh and ID tokens are exchanged for an access token with less scope")
    func subjects() throws {
        for subject in [tokens.accessToken, try #require(tokens.refreshToken), try #require(tokens.idToken)] {
            let new = try read(
                exchange(TokenExchange(subject: subject, scopes: ["email"])),
                requested: TokenType.accessToken.rawValue)
            #expect(new.tokenType != "N_A")
            #expect(new.scopes == ["email"])
        }
    }

    @Test("an ID token that was asked for is no token to present")
    func idToken() throws {
        let wanted = TokenType.idToken.rawValue
        let new = try read(
            exchange(TokenExchange(subject: tokens.accessToken, requestedType: wanted)), requested: wanted)
        #expect(new.tokenType == "N_A")
        let jws = try JWS.verify(
            JWS.split(new.accessToken.reveal()), keys: visitor.keySet(), allowed: [.es256])
        #expect(try JSON.parse(jws.payload)["aud"] == .string(Signer.id))
    }

    @Test("other types, tokens of other clients and wider scopes are refused")
    func refusals() throws {
        let refused: [(TokenExchange, String)] = [
            (
                TokenExchange(subject: tokens.accessToken, subjectType: TokenType.saml2.rawValue),
                "invalid_request"
            ),
            (
                TokenExchange(subject: tokens.accessToken, requestedType: TokenType.refreshToken.rawValue),
                "invalid_request"
            ),
            (TokenExchange(subject: Secret("x", kind: .accessToken)), "invalid_grant"),
            (TokenExchange(subject: Secret("x", kind: .idToken)), "invalid_grant"),
            (
                TokenExchange(
                    subject: Secret(try visitor.tokens().text("access_token"), kind: .accessToken)),
                "invalid_grant"
            ),
            (TokenExchange(subject: tokens.accessToken, scopes: ["phone"]), "invalid_scope"),
            (TokenExchange(subject: tokens.accessToken, audiences: ["elsewhere"]), "invalid_target"),
        ]
        for (subject, code) in refused { #expect(try exchange(subject).errorCode() == code) }
    }

    @Test("the answer may lie about the type of what it issued")
    func faults() throws {
        for fault in ["missing", "other"] {
            let liar = try signer.visitor(faults: ["token:issued_token_type=\(fault)"])
            let subject = try signer.tokens(liar).accessToken
            let response = try exchange(TokenExchange(subject: subject), at: liar)
            #expect(
                refusal { log throws(ProtocolError) in
                    try TokenResponse.read(response, dialect: .standard, log: &log)
                        .issuedType(requested: TokenType.accessToken.rawValue, log: &log)
                }?.check == Checks.issuedTokenType)
        }
    }
}

@Suite("Signed introspection at the sandbox (RFC 9701)")
struct SignedIntrospectionTests {
    private let signer: Signer

    init() throws {
        signer = try Signer()
    }

    private func introspect(_ faults: [String] = []) throws -> (error: ProtocolError?, isActive: Bool?) {
        let visitor = try signer.visitor(faults: faults)
        let token = try signer.tokens(visitor).accessToken
        let response = try visitor.send(
            IntrospectionRequest.plan(
                endpoint: Visitor.issuer + "/introspect", token: token,
                registration: signer.registration(), dialect: .standard, isSigned: true, step: "introspect"))
        let keys = try visitor.keySet()
        var isActive: Bool?
        let error = refusal { log throws(ProtocolError) in
            let found = try SignedIntrospection.token(of: response, dialect: .standard, log: &log)
            let jws = try MessageSignature.verify(
                found, .introspection, keys: keys, allowed: [.es256], log: &log)
            let members = try SignedIntrospection.validate(
                jws, issuer: Visitor.issuer, audience: Signer.id, now: Visitor.now, log: &log)
            isActive = try IntrospectionResponse.read(members, dialect: .standard, log: &log).isActive
        }
        return (error, isActive)
    }

    @Test("a client that asks for a JWT gets one that passes every check")
    func good() throws {
        let (error, isActive) = try introspect()
        #expect(error == nil)
        #expect(isActive == true)
    }

    static let faults: [(fault: String, check: Check)] = [
        ("iss=other", Checks.signedIntrospectionIssuer), ("aud=other", Checks.signedIntrospectionAudience),
        ("iat=old", Checks.signedIntrospectionTime), ("typ=jwt", Checks.signedIntrospectionType),
        ("signature=bad", Checks.signature), ("alg=none", Checks.algorithm),
    ]

    @Test("every fault of it fails its check", arguments: faults)
    func fault(fault: String, check: Check) throws {
        #expect(try introspect(["introspection:\(fault)"]).error?.check == check)
    }

    @Test("an answer may come without the signature that was asked for")
    func plain() throws {
        #expect(
            try introspect(["introspection:signed=plain"]).error
                == .malformed(
                    "introspection response", detail: "application/json, not \(SignedIntrospection.mediaType)"
                ))
    }

    @Test("a plain answer may have an active that is no boolean")
    func active() throws {
        let visitor = try signer.visitor(faults: ["introspection:active=text"])
        let response = try visitor.send(
            IntrospectionRequest.plan(
                endpoint: Visitor.issuer + "/introspect", token: signer.tokens(visitor).accessToken,
                registration: signer.registration(), dialect: .standard, step: "introspect"))
        #expect(
            refusal { log throws(ProtocolError) in
                try IntrospectionResponse.read(response, dialect: .standard, log: &log)
            }?.check == Checks.active)
    }

    @Test("a revocation may be put off, or the type of token be refused")
    func revocation() throws {
        for (fault, error) in [
            ("revocation:503=7", ProtocolError.status(503)),
            (
                "revocation:unsupported_token_type",
                .rejected(
                    OAuthError(
                        code: "unsupported_token_type",
                        description: "the sandbox was asked for this fault"), status: 400)
            ),
        ] {
            let visitor = try signer.visitor(faults: [fault])
            let token = try signer.tokens(visitor).accessToken
            let response = try visitor.send(
                RevocationRequest.plan(
                    endpoint: Visitor.issuer + "/revoke", token: token, registration: signer.registration(),
                    dialect: .standard, step: "revoke"))
            #expect(
                refusal { log throws(ProtocolError) in
                    try RevocationResponse.read(response, dialect: .standard, log: &log)
                } == error)
            #expect(try visitor.userInfo(token.reveal()).status == 200)
        }
    }
}
