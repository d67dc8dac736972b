import JOSE
import OAuthProtocol
import Testing

@Suite("Assertions (RFC 7523)")
struct SignedAssertionTests {
    @Test("an assertion says who, about whom, to whom, and is short-lived [rule 80]")
    func claims() throws {
        let assertion = try SignedAssertion.make(
            .client("client-1", at: Fixture.issuer), signer: .key(Fixture.es256Key(), .es256, kid: "k1"),
            randomBytes: Fixture.bytes(16), now: Fixture.now, further: ["sub": "mallory", "extra": true])
        let verified = try JWS.verify(
            JWS.split(assertion.reveal()), keys: Fixture.keys(), allowed: [.es256])
        #expect(
            try JSON.parse(verified.payload) == [
                "iss": "client-1", "sub": "client-1", "aud": "https://op.example",
                "jti": "AAECAwQFBgcICQoLDA0ODw", "iat": 1_767_225_600, "exp": 1_767_225_660, "extra": true,
            ])
        #expect(verified.header.typ == "JWT")
        #expect("\(assertion)" == "‹assertion›")
    }

    @Test("a client secret authenticates with HMAC")
    func secret() throws {
        let secret = SharedSecret(Fixture.bytes(32))
        let assertion = try SignedAssertion.make(
            .client("client-1", at: Fixture.issuer), signer: .secret(secret, .hs256),
            randomBytes: Fixture.bytes(16), now: Fixture.now)
        #expect(throws: Never.self) {
            try JWS.verify(JWS.split(assertion.reveal()), secret: secret, allowed: [.hs256])
        }
    }

    @Test("the request for a grant posts the assertion, with scopes and resources")
    func request() throws {
        let body = try TokenRequest.jwtBearer(
            endpoint: "https://op.example/token", assertion: Secret("a.b.c", kind: .assertion),
            scopes: ["x", "y"], resources: ["https://api"],
            registration: Fixture.registration(.none, secret: nil),
            dialect: .standard, step: "grant"
        ).encoded().text
        #expect(
            body
                == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b.c&scope=x+y"
                + "&resource=https%3A%2F%2Fapi&client_id=client-1")
    }
}

@Suite("Token exchange (RFC 8693)")
struct TokenExchangeTests {
    private func body(_ exchange: TokenExchange) throws -> [String] {
        let request = try TokenRequest.exchange(
            endpoint: "https://op.example/token", exchange,
            registration: Fixture.registration(.none, secret: nil),
            dialect: .standard, step: "exchange"
        ).encoded()
        return try #require(FormBody.parse(request.body ?? [])).map { "\($0.name)=\($0.value)" }
    }

    static let kinds: [(kind: Secret.Kind, type: String)] = [
        (.accessToken, "access_token"), (.refreshToken, "refresh_token"), (.idToken, "id_token"),
        (.assertion, "jwt"), (.other, "access_token"),
    ]

    @Test("a token's kind says its type", arguments: kinds)
    func kind(kind: Secret.Kind, type: String) throws {
        let sent = try body(TokenExchange(subject: Secret("t", kind: kind)))
        #expect(sent.contains("subject_token_type=urn:ietf:params:oauth:token-type:\(type)"))
    }

    @Test("any other type can be named, for subject and actor")
    func named() throws {
        let sent = try body(
            TokenExchange(
                subject: Secret("s", kind: .other), subjectType: TokenType.saml2.rawValue,
                actor: Secret("a", kind: .other), actorType: "urn:example:own",
                requestedType: TokenType.idToken.rawValue, audiences: ["one", "two"]))
        #expect(
            sent == [
                "grant_type=urn:ietf:params:oauth:grant-type:token-exchange", "subject_token=s",
                "subject_token_type=urn:ietf:params:oauth:token-type:saml2", "actor_token=a",
                "actor_token_type=urn:example:own",
                "requested_token_type=urn:ietf:params:oauth:token-type:id_token", "audience=one",
                "audience=two", "client_id=client-1",
            ])
    }

    @Test("only an exchange may issue a token of the type N_A [rule 159]")
    func notApplicable() throws {
        let answer = Fixture.response(
            #"{"access_token":"t","token_type":"N_A","#
                + #""issued_token_type":"urn:ietf:params:oauth:token-type:id_token"}"#)
        var log = CheckLog()
        let tokens = try TokenResponse.read(
            answer, dialect: .standard, acceptsOtherTokens: true, log: &log)
        #expect(tokens.tokenType == "N_A")
        #expect(try tokens.issuedType(requested: nil, log: &log) == TokenType.idToken.rawValue)
        #expect(
            failure { log throws(ProtocolError) in
                try tokens.issuedType(requested: TokenType.accessToken.rawValue, log: &log)
            }.error
                == .failed(
                    Checks.issuedTokenType, expected: TokenType.accessToken.rawValue,
                    actual: TokenType.idToken.rawValue))
        #expect(
            failure { log throws(ProtocolError) in
                try TokenResponse.read(answer, dialect: .standard, log: &log)
            }.error == .failed(Checks.tokenType, expected: "Bearer", actual: #""N_A""#))
        for type in [nil, "", 5] as [JSONValue?] {
            let untyped = try TokenAnswer.read(
                Fixture.response(TokenAnswer.body([("issued_token_type", type)])))
            #expect(
                failure { log throws(ProtocolError) in
                    try untyped.issuedType(requested: nil, log: &log)
                }.error
                    == .failed(
                        Checks.issuedTokenType, expected: "issued_token_type, a text",
                        actual: "none or another type"))
        }
    }
}

@Suite("Signed introspection (RFC 9701)")
struct SignedIntrospectionTests {
    private static let claims: JSONObject = [
        "iss": .string(Fixture.issuer), "aud": .string(Fixture.clientID), "iat": .int(Fixture.now / 1000),
        "token_introspection": ["active": true, "scope": "read write"],
    ]

    private func read(
        _ changes: [(String, JSONValue?)] = [], type: String = "token-introspection+jwt",
        mediaType: String = "application/token-introspection+jwt"
    ) throws -> (error: ProtocolError?, log: CheckLog) {
        var claims = Self.claims
        for (name, value) in changes { claims[name] = value }
        let token = try Fixture.token(claims, header: ["kid": "k1", "typ": .string(type)])
        let response = Fixture.response(token.reveal() + "\n", type: mediaType)
        let keys = try Fixture.keys()
        return failure { log throws(ProtocolError) in
            let found = try SignedIntrospection.token(of: response, dialect: .standard, log: &log)
            let jws = try MessageSignature.verify(
                found, .introspection, keys: keys, allowed: [.es256], log: &log)
            let members = try SignedIntrospection.validate(
                jws, issuer: Fixture.issuer, audience: Fixture.clientID, now: Fixture.now, log: &log)
            return try IntrospectionResponse.read(members, dialect: .standard, log: &log)
        }
    }

    @Test("the request asks for a JWT")
    func request() throws {
        let plan = IntrospectionRequest.plan(
            endpoint: "https://op.example/introspect", token: Secret("t", kind: .accessToken),
            registration: Fixture.registration(), dialect: .standard, isSigned: true, step: "introspect")
        #expect(try plan.encoded().field("Accept") == "application/token-introspection+jwt")
    }

    @Test("a good answer is read like a plain one")
    func good() throws {
        let result = try read()
        #expect(result.error == nil)
        #expect(
            result.log.passedNames == [
                "introspection-status", "introspection-content-type", "introspection-format", "crit",
                "header-key",
                "introspection-typ", "alg", "kid", "signature", "introspection-iss", "introspection-aud",
                "introspection-iat", "token_introspection", "active", "scope",
            ])
    }

    static let wrong: [(change: (String, JSONValue?), check: Check)] = [
        (("iss", nil), Checks.signedIntrospectionIssuer),
        (("iss", "https://other"), Checks.signedIntrospectionIssuer),
        (("aud", nil), Checks.signedIntrospectionAudience),
        (("aud", ["client-2"]), Checks.signedIntrospectionAudience),
        (("iat", nil), Checks.signedIntrospectionTime), (("iat", 5), Checks.signedIntrospectionTime),
        (("token_introspection", nil), Checks.signedIntrospectionBody),
        (("token_introspection", ["active": "yes"]), Checks.active),
    ]

    @Test("an answer of or for somebody else is refused", arguments: wrong)
    func refusal(change: (String, JSONValue?), check: Check) throws {
        guard case .failed(let found, _, _) = try #require(try read([change]).error) else {
            Issue.record("another kind of error")
            return
        }
        #expect(found == check)
    }

    private static let seconds = Fixture.now / 1000

    static let times: [(changes: [(String, Int64)], actual: String?)] = [
        ([("iat", 60), ("exp", -59), ("nbf", 60)], nil), ([("iat", -300)], nil),
        ([("iat", 61)], "\(seconds + 61)"), ([("iat", -301)], "\(seconds - 301)"),
        ([("exp", -60)], "others"), ([("nbf", 61)], "others"), ([("exp", 600), ("nbf", 61)], "others"),
    ]

    @Test("an answer is of just now, with clocks that may differ by a minute", arguments: times)
    func time(changes: [(String, Int64)], actual: String?) throws {
        let error = try read(changes.map { ($0, .int(Self.seconds + $1)) }).error
        let isRecent = actual == "others"
        #expect(
            error
                == actual.map {
                    .failed(
                        Checks.signedIntrospectionTime,
                        expected: (isRecent ? "exp and nbf that fit" : "iat, about") + " \(Self.seconds)",
                        actual: $0)
                })
    }

    @Test("an answer without a signature, or a JWT of another kind, is refused")
    func kinds() throws {
        #expect(
            try read(mediaType: "application/json").error
                == .malformed(
                    "introspection response",
                    detail: "application/json, not application/token-introspection+jwt"))
        #expect(try read(type: "Application/Token-Introspection+JWT").error == nil)
        #expect(
            try read(type: "JWT").error
                == .failed(
                    Checks.signedIntrospectionType, expected: "token-introspection+jwt", actual: "JWT"))
    }
}

@Suite("Logout (OpenID RP-Initiated Logout)")
struct LogoutTests {
    @Test("hint and languages are parameters, after those that were there [rule 160]")
    func request() {
        let plan = LogoutRequest.plan(
            endpoint: "https://op.example/logout", idToken: nil, hint: "me", clientID: "c",
            redirectURI: "http://127.0.0.1/", state: Secret("s", kind: .state), uiLocales: "de",
            dialect: .standard, step: "logout")
        #expect(
            plan.sentQuery == [
                "client_id=c", "post_logout_redirect_uri=http://127.0.0.1/", "state=s", "logout_hint=me",
                "ui_locales=de",
            ])
    }

    @Test("a return with another state is not ours, and no error [rule 160]")
    func state() {
        let sent = Secret("s1", kind: .state)
        let isOurs = { (states: [String]) in LogoutReturn.isOurs(states.map { ("state", $0) }, sent: sent) }
        #expect(isOurs(["s1"]))
        for states in [[], ["s2"], ["s1", "s1"], [""]] { #expect(!isOurs(states)) }
    }
}
