import JOSE
import OAuthProtocol
import Testing

@Suite("Client authentication (RFC 6749 §2.3)")
struct ClientAuthenticationTests {
    private func applied(
        _ registration: ClientRegistration, includesClientID: Bool = false
    ) throws -> HTTPRequest {
        var plan = RequestPlan(method: .post, endpoint: "https://op.example/token", bodyFormat: .form)
        ClientAuthentication.apply(registration, includesClientID: includesClientID, to: &plan)
        return try plan.encoded()
    }

    @Test("Basic credentials are form-encoded before base64 [rule 76]")
    func basicVector() throws {
        let request = try applied(
            ClientRegistration(
                clientID: "1PpG/Q 1",
                secret: Secret("z/tZ9VwFZqApmIQ+ZH1I5pLk/uB4ud:X2/8bL+wfFTt1rFw=", kind: .clientSecret),
                authenticationMethod: .clientSecretBasic))
        #expect(
            request.field("Authorization")
                == "Basic MVBwRyUyRlErMTp6JTJGdFo5VndGWnFBcG1JUSUyQlpIMUk1cExrJTJGdUI0dWQlM0FYMiUyRjhiTCUyQndmRlR0MXJGdyUzRA=="
        )
        #expect(request.text == "")
    }

    @Test("a provider that does not decode gets them raw")
    func basicRaw() throws {
        let request = try applied(
            ClientRegistration(
                clientID: "a b", secret: Secret("c/d", kind: .clientSecret),
                authenticationMethod: .clientSecretBasic, basicEncoding: .raw))
        #expect(request.field("Authorization") == "Basic " + Base64.encode("a b:c/d".utf8))
    }

    @Test("post puts both into the body and none into a header")
    func post() throws {
        let request = try applied(Fixture.registration(.clientSecretPost))
        #expect(request.text == "client_id=client-1&client_secret=s3cret")
        #expect(request.field("Authorization") == nil)
    }

    @Test("credentials that name the client stand alone, or beside client_id where a descriptor says so")
    func named() throws {
        let basic = Fixture.registration(.clientSecretBasic)
        var assertion = Fixture.registration(.privateKeyJWT)
        assertion.assertion = Secret("a.b.c", kind: .clientAssertion)
        let sent =
            "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
            + "&client_assertion=a.b.c"
        #expect(try applied(basic).text == "")
        #expect(try applied(basic, includesClientID: true).text == "client_id=client-1")
        #expect(try applied(assertion).text == sent)
        #expect(try applied(assertion, includesClientID: true).text == "client_id=client-1&" + sent)
    }

    @Test(
        "a public client sends its identifier and no empty secret [rule 79]",
        arguments: ClientAuthenticationMethod.allCases)
    func publicClient(method: ClientAuthenticationMethod) throws {
        for secret in [nil, ""] {
            let request = try applied(Fixture.registration(method, secret: secret))
            #expect(request.text == "client_id=client-1")
            #expect(request.field("Authorization") == nil)
        }
    }
}

@Suite("Token requests (RFC 6749 §4.1.3 and §6)")
struct TokenRequestTests {
    private func exchange(
        _ registration: ClientRegistration, pkce: PKCE.Method? = .s256(), dialect: RequestDialect = .standard
    ) throws -> RequestPlan {
        let transaction = Fixture.transaction(pkce: pkce)
        var log = CheckLog()
        let response = try AuthorizationResponse.validate(
            [("code", "c0de"), ("state", transaction.state.reveal())], transaction: transaction,
            issuerParameterSupported: false, log: &log)
        return TokenRequest.authorizationCode(
            endpoint: "https://op.example/token", response: response, transaction: transaction,
            registration: registration, dialect: dialect, step: "exchange")
    }

    @Test(
        "a code exchange posts a form and asks for JSON, verifier and redirect URI included [rules 73, 74, 78]"
    )
    func codeExchange() throws {
        let request = try exchange(Fixture.registration()).encoded()
        let verifier = try #require(Fixture.transaction().pkce?.verifier.reveal())
        #expect(request.method == .post)
        #expect(request.url == "https://op.example/token")
        #expect(
            request.fields.map { "\($0.name): \($0.value)" } == [
                "Accept: application/json", "Content-Type: application/x-www-form-urlencoded",
            ])
        #expect(
            request.text == "grant_type=authorization_code&code=c0de"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fcallback&code_verifier=\(verifier)"
                + "&client_id=client-1&client_secret=s3cret")
    }

    @Test("a service that the token is for is a parameter of its own, in every grant")
    func resources() throws {
        let transaction = Fixture.transaction(pkce: nil)
        var log = CheckLog()
        let response = try AuthorizationResponse.validate(
            [("code", "c0de"), ("state", transaction.state.reveal())], transaction: transaction,
            issuerParameterSupported: false, log: &log)
        let client = Fixture.registration(.none, secret: nil)
        let resources = ["https://a.example", "https://b.example"]
        let code = TokenRequest.authorizationCode(
            endpoint: "https://op.example/token", response: response, transaction: transaction,
            resources: resources, registration: client, dialect: .standard, step: "s")
        let refresh = TokenRequest.refresh(
            endpoint: "https://op.example/token", token: nil, scopes: nil, resources: resources,
            registration: client, dialect: .standard, step: "s")
        for plan in [code, refresh] {
            #expect(
                try plan.encoded().text.contains(
                    "&resource=https%3A%2F%2Fa.example&resource=https%3A%2F%2Fb.example&client_id=client-1"))
        }
    }

    @Test("what a flow adds to a grant takes no place of the engine's")
    func added() throws {
        let extra = ["audience", "client_id", "client_secret"].map {
            RequestParameter($0, .text("x"), .step("s"))
        }
        let client = Fixture.registration(.none, secret: nil)
        let grants = [
            TokenRequest.clientCredentials(
                endpoint: "https://op.example/token", scopes: [], resources: [], extra: extra,
                registration: client, dialect: .standard, step: "s"),
            TokenRequest.jwtBearer(
                endpoint: "https://op.example/token", assertion: Secret("a", kind: .assertion), scopes: [],
                extra: extra, registration: client, dialect: .standard, step: "s"),
        ]
        for grant in grants {
            #expect(try grant.encoded().text.hasSuffix("&audience=x&client_id=client-1"))
        }
    }

    @Test("without PKCE no verifier is sent")
    func withoutPKCE() throws {
        #expect(
            try !exchange(Fixture.registration(), pkce: nil).encoded().text.contains("code_verifier"))
    }

    @Test("code and verifier stay secrets with their step until the request is encoded")
    func provenance() throws {
        let plan = try exchange(Fixture.registration(.clientSecretBasic))
        let code = try #require(plan.body.first { $0.name == "code" })
        #expect(code.value == .secret(Secret("c0de", kind: .code)))
        #expect(code.source == .step("exchange"))
        #expect(code.reference == "RFC 6749 §4.1.3")
        #expect(!"\(plan)".contains("c0de"))
    }

    @Test("a refresh narrows the scope only when asked to [rule 148]")
    func refresh() throws {
        let body = { (scopes: [String]?) in
            try TokenRequest.refresh(
                endpoint: "https://op.example/token", token: Secret("rt", kind: .refreshToken),
                scopes: scopes, registration: Fixture.registration(.none, secret: nil), dialect: .standard,
                step: "refresh"
            ).encoded().text
        }
        #expect(try body(nil) == "grant_type=refresh_token&refresh_token=rt&client_id=client-1")
        #expect(try body([]) == "grant_type=refresh_token&refresh_token=rt&client_id=client-1")
        #expect(
            try body(["a", "b"]) == "grant_type=refresh_token&refresh_token=rt&scope=a+b&client_id=client-1")
    }

    @Test("the dialect can send everything as GET under other names")
    func dialect() throws {
        let plan = try exchange(
            Fixture.registration(), pkce: nil,
            dialect: RequestDialect(
                method: .get, bodyFormat: .query, omit: ["redirect_uri"],
                rename: ["client_id": "appid", "client_secret": "secret"]))
        #expect(
            plan.url
                == "https://op.example/token?grant_type=authorization_code&code=c0de&appid=client-1&secret=s3cret"
        )
    }
}
