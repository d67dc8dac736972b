import JOSE
import OAuthProtocol
import Testing

@Suite("Request objects (RFC 9101)")
struct RequestObjectTests {
    private func sign(_ demands: AuthorizationDemands = .none) throws -> (object: Secret, plan: RequestPlan) {
        let plan = AuthorizationRequest.plan(
            endpoint: "https://op.example/authorize", transaction: Fixture.transaction(maxAge: 300),
            resources: ["https://a", "https://b"], demands: demands, step: "authorize")
        let signer = MessageSigner.key(try Fixture.es256Key(), .es256, kid: "k1")
        let object = try RequestObject.sign(
            plan, clientID: Fixture.clientID, issuer: Fixture.issuer, signer: signer,
            randomBytes: Fixture.bytes(16), now: Fixture.now)
        return (object, plan)
    }

    @Test("all parameters are claims, with who asks, whom, and until when [rule 41]")
    func claims() throws {
        let details = try AuthorizationDetails.parse([["type": "payment", "amount": 5]])
        let claimsRequest = try ClaimsRequest.parse([
            "id_token": ["acr": ["essential": true, "value": "gold"]]
        ])
        let (object, plan) = try sign(
            AuthorizationDemands(authorizationDetails: details, claims: claimsRequest))
        let jws = try JWS.split(object.reveal())
        #expect(jws.header.typ == "oauth-authz-req+jwt")
        #expect(jws.header.kid == "k1")
        let verified = try JWS.verify(jws, keys: Fixture.keys(), allowed: [.es256])
        let claims = try #require(try JSON.parse(verified.payload).objectValue)
        #expect(claims["iss"] == "client-1")
        #expect(claims["aud"] == "https://op.example")
        #expect(claims["exp"] == .int(Fixture.now / 1000 + 300))
        #expect(claims["jti"] == "AAECAwQFBgcICQoLDA0ODw")
        #expect(claims["client_id"] == "client-1")
        #expect(claims["max_age"] == 300)
        #expect(claims["resource"] == ["https://a", "https://b"])
        #expect(claims["authorization_details"] == [["type": "payment", "amount": 5]])
        #expect(claims["claims"] == .object(claimsRequest.document))
        for parameter in plan.query { #expect(claims[parameter.name] != nil) }
    }

    @Test("the browser carries the object and the client's name, or what OIDC Core §6.1 repeats")
    func plan() throws {
        let (object, authorization) = try sign()
        let plan = RequestObject.plan(object, in: authorization, clientID: "client-1", step: "authorize")
        #expect(plan.sentQuery == ["client_id=client-1", "request=\(object.reveal())"])
        #expect(!"\(plan)".contains(object.reveal()))
        let oidc = RequestObject.plan(
            object, in: authorization, clientID: "client-1", repeatsRequired: true, step: "authorize")
        #expect(
            oidc.query.map(\.name) == ["client_id", "response_type", "redirect_uri", "scope", "request"])
    }

    @Test("a client secret that is too short signs nothing")
    func shortSecret() throws {
        let plan = RequestPlan(method: .get, endpoint: "https://op.example/authorize")
        #expect(throws: KeyError.algorithmMismatch(.hs256)) {
            try RequestObject.sign(
                plan, clientID: "c", issuer: "i", signer: .secret(SharedSecret([1, 2, 3]), .hs256),
                randomBytes: Fixture.bytes(16), now: Fixture.now)
        }
    }
}

@Suite("Authorization responses that are a JWT (JARM)")
struct SecuredAuthorizationResponseTests {
    private let transaction = Fixture.transaction()

    private func claims(_ changes: [(String, JSONValue?)] = []) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(Fixture.issuer), "aud": .string(Fixture.clientID),
            "exp": .int(Fixture.now / 1000 + 600), "code": "c0de",
            "state": .string(transaction.state.reveal()),
        ]
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    private func validate(
        _ claims: JSONObject, header: JSONObject = ["kid": "k1"], log: inout CheckLog
    ) throws(ProtocolError) -> AuthorizationResponse {
        guard let token = try? Fixture.token(claims, header: header), let keys = try? Fixture.keys() else {
            throw .status(0)
        }
        let found = try SecuredAuthorizationResponse.token(
            in: [("response", token.reveal())], log: &log)
        let jws = try MessageSignature.verify(
            found, .authorizationResponse, keys: keys, allowed: [.es256], log: &log)
        let secured = try SecuredAuthorizationResponse.validate(
            jws, issuers: [Fixture.issuer], clientID: Fixture.clientID, now: Fixture.now, log: &log)
        return try AuthorizationResponse.validate(
            secured.parameters, transaction: transaction, issuerParameterSupported: true, log: &log)
    }

    @Test("a good response is one of the redirect URI's parameters, iss included")
    func good() throws {
        var log = CheckLog()
        let response = try validate(claims([("scope", "openid")]), log: &log)
        #expect(response.iss == Fixture.issuer)
        #expect(response.extra.map(\.name) == ["scope"])
        #expect(
            log.passedNames.prefix(10) == [
                "jarm-response", "jarm-format", "crit", "header-key", "typ", "alg", "kid", "signature",
                "jarm-iss",
                "jarm-aud",
            ])
    }

    static let wrong: [(change: (String, JSONValue?), check: Check)] = [
        (("iss", nil), Checks.securedIssuer), (("iss", "https://other.example"), Checks.securedIssuer),
        (("iss", "https://op.example/"), Checks.securedIssuer),
        (("aud", nil), Checks.securedAudience), (("aud", "client-2"), Checks.securedAudience),
        (("exp", nil), Checks.securedExpiry),
        (("exp", .int(Fixture.now / 1000 - 61)), Checks.securedExpiry),
        (("state", nil), Checks.state), (("state", "another"), Checks.state), (("code", nil), Checks.code),
        (("nbf", .int(Fixture.now / 1000 + 61)), Checks.securedExpiry), (("code", 5), Checks.code),
        (("code", "a\r\nb"), Checks.code),
    ]

    @Test("a response of somebody else, for somebody else, or too old is refused [rule 72]", arguments: wrong)
    func refusal(change: (String, JSONValue?), check: Check) throws {
        let error = try #require(
            failure { log throws(ProtocolError) in
                try validate(claims([change]), log: &log)
            }.error)
        guard case .failed(let found, _, _) = error else {
            Issue.record("another error: \(error)")
            return
        }
        #expect(found == check)
    }

    @Test(
        "clocks may differ by a minute, and what is told says which time was wrong [rule 72]",
        arguments: [
            ("exp", -59, nil), ("exp", -60, "later than 1767225600"), ("nbf", 60, nil),
            ("nbf", 61, "nbf, not after 1767225600"), ("aud", 0, Fixture.clientID),
        ] as [(String, Int64, String?)])
    func edges(claim: String, seconds: Int64, expected: String?) {
        let value: JSONValue? = claim == "aud" ? nil : .int(Fixture.now / 1000 + seconds)
        let found = failure { log throws(ProtocolError) in
            try validate(claims([(claim, value)]), log: &log)
        }
        guard case .failed(_, let wanted, let actual)? = found.error else {
            #expect(found.error == nil && expected == nil)
            return
        }
        #expect(wanted == expected)
        #expect(actual == (claim == "aud" ? "no aud" : "\(Double(Fixture.now / 1000 + seconds))"))
    }

    @Test("an error in a response is the provider's word")
    func rejected() {
        let error = failure { log throws(ProtocolError) in
            try validate(claims([("code", nil), ("error", "access_denied")]), log: &log)
        }.error
        #expect(error == .rejected(OAuthError(code: "access_denied"), status: 0))
    }

    @Test("an unsigned response is refused, and so is one of another kind of token [rule 72]")
    func unsigned() throws {
        let payload = Base64URL.encode(claims().serialize().utf8)
        let none = Base64URL.encode(#"{"alg":"none"}"#.utf8) + "." + payload + "."
        let keys = try Fixture.keys()
        let verify = { (token: String) in
            failure { log throws(ProtocolError) in
                try MessageSignature.verify(
                    Secret(token, kind: .code), .authorizationResponse, keys: keys, allowed: [.es256],
                    log: &log)
            }.error
        }
        #expect(verify(none) == .failed(Checks.algorithm, expected: "ES256", actual: "none"))
        let access = try Fixture.token(claims(), header: ["kid": "k1", "typ": "at+jwt"]).reveal()
        #expect(
            verify(access)
                == .failed(Checks.tokenTypeHeader, expected: "no typ, or JWT", actual: "at+jwt"))
    }

    @Test("parameters beside or instead of the JWT are no answer")
    func plain() {
        let read = { (parameters: [(name: String, value: String)]) in
            failure { log throws(ProtocolError) in
                try SecuredAuthorizationResponse.token(in: parameters, log: &log)
            }.error
        }
        #expect(
            read([("code", "c"), ("state", "s")])
                == .failed(
                    Checks.securedResponse, expected: "one parameter response",
                    actual: "parameters without a signature"))
        #expect(read([("response", "a"), ("response", "b")]) != nil)
        #expect(read([("response", "")]) != nil)
        #expect(read([("response", "a"), ("code", "c")]) == nil)
    }

    @Test("the state inside can be looked at to find its run")
    func peek() throws {
        let token = try Fixture.token(claims())
        #expect(
            SecuredAuthorizationResponse.unverifiedState(of: token) == transaction.state.reveal())
        #expect(SecuredAuthorizationResponse.unverifiedState(of: Secret("a.b", kind: .code)) == nil)
    }

    @Test("response modes are told apart")
    func modes() {
        for mode in ["jwt", "query.jwt", "form_post.jwt"] {
            #expect(SecuredAuthorizationResponse.isSecured(mode))
        }
        for mode in [nil, "query", "form_post", "jwtx"] {
            #expect(!SecuredAuthorizationResponse.isSecured(mode))
        }
    }
}
