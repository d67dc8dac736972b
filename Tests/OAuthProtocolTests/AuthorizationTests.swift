import JOSE
import OAuthProtocol
import Testing

@Suite("PKCE and transactions (RFC 7636)")
struct TransactionTests {
    @Test("the vector of RFC 7636 Appendix B")
    func vector() {
        let bytes: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105,
            214, 191, 240, 91, 88, 5, 88, 83, 132, 141, 121,
        ]
        let pkce = PKCE(randomBytes: bytes)
        #expect(pkce.verifier.reveal() == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(pkce.challenge == .text("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"))
        #expect(PKCE(verifier: pkce.verifier) == pkce)
    }

    @Test("a server may want the digest in another form, or no digest; the verifier stays a secret then")
    func methods() {
        let verifier = Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", kind: .codeVerifier)
        let digest = "13d31e961a1ad8ec2f16b10c4c982e0876a878ad6df144566ee1894acb70f9c3"
        let encoded = Base64URL.encode(digest.utf8)
        #expect(PKCE(verifier: verifier, method: .s256(.hex)).challenge == .text(digest))
        #expect(PKCE(verifier: verifier, method: .s256(.hexBase64URL)).challenge == .text(encoded))
        let plain = PKCE(verifier: verifier, method: .plain)
        #expect(plain.challenge == .secret(verifier))
        #expect(!"\(plain)".contains(verifier.reveal()))
    }

    @Test("state, nonce and verifier come from three independent slices [rules 31, 32, 33]")
    func slices() {
        let transaction = Fixture.transaction()
        #expect(Base64URL.decode(transaction.state.reveal()) == Fixture.bytes(32))
        #expect(transaction.nonce.flatMap { Base64URL.decode($0.reveal()) } == Fixture.bytes(32, from: 32))
        #expect(
            transaction.pkce.flatMap { Base64URL.decode($0.verifier.reveal()) } == Fixture.bytes(32, from: 64)
        )
    }

    @Test("without openid there is no nonce, without PKCE no verifier")
    func optional() {
        let transaction = Fixture.transaction(wantsNonce: false, pkce: nil)
        #expect(transaction.nonce == nil)
        #expect(transaction.pkce == nil)
    }
}

@Suite("Authorization requests (RFC 6749 §4.1.1)")
struct AuthorizationRequestTests {
    private let transaction = Fixture.transaction()

    @Test("the parameters stand in a fixed order")
    func order() throws {
        let plan = AuthorizationRequest.plan(
            endpoint: "https://op.example/authorize",
            transaction: Fixture.transaction(maxAge: 300, acrValues: ["a", "b"]), responseMode: "form_post",
            prompt: "login", loginHint: "me@x", uiLocales: "de en",
            extra: [RequestParameter("hd", .text("x.example"), .flow("f.yaml:1"))], step: "authorize")
        let nonce = try #require(transaction.nonce?.reveal())
        guard case .text(let challenge)? = transaction.pkce?.challenge else {
            Issue.record("there is no digest")
            return
        }
        #expect(
            plan.sentQuery == [
                "response_type=code", "client_id=client-1", "redirect_uri=http://127.0.0.1:8400/callback",
                "scope=openid email", "state=\(transaction.state.reveal())", "nonce=\(nonce)",
                "code_challenge=\(challenge)", "code_challenge_method=S256", "response_mode=form_post",
                "prompt=login", "max_age=300", "acr_values=a b", "login_hint=me@x", "ui_locales=de en",
                "hd=x.example",
            ])
    }

    @Test("state, nonce and challenge say which step made them and which rule asks for them")
    func provenance() throws {
        let plan = AuthorizationRequest.plan(
            endpoint: "https://op.example/authorize", transaction: transaction, step: "sign_in")
        let origins = plan.query.map { ($0.name, $0.source, $0.reference) }
        for (name, reference) in [
            ("state", "RFC 6749 §10.12"), ("nonce", "OIDC Core §3.1.2.1"),
            ("code_challenge", "RFC 7636 §4.3"),
        ] {
            let origin = try #require(origins.first { $0.0 == name })
            #expect(origin.1 == .step("sign_in"))
            #expect(origin.2 == reference)
        }
        #expect(plan.query.first { $0.name == "client_id" }?.source == .registration)
    }

    @Test("an empty scope is left out, another delimiter is used")
    func scope() {
        var style = AuthorizationStyle()
        style.scopeDelimiter = ","
        let plan = { [style] (scopes: [String]) in
            AuthorizationRequest.plan(
                endpoint: "https://op.example/a", transaction: Fixture.transaction(scopes: scopes),
                style: style, step: "s"
            ).query.first { $0.name == "scope" }?.value
        }
        #expect(plan([]) == nil)
        #expect(plan(["a", "b"]) == .text("a,b"))
    }

    @Test("scopes may be a parameter each, by another name, and none of them is lost")
    func repeatedScope() {
        var style = AuthorizationStyle()
        style.repeatsScope = true
        let plan = { [style] (scopes: [String]) in
            AuthorizationRequest.plan(
                endpoint: "https://op.example/a", transaction: Fixture.transaction(scopes: scopes),
                style: style, dialect: RequestDialect(rename: ["scope": "scope[]"]), step: "s")
        }
        #expect(plan(["a", "b"]).url.hasSuffix("&scope%5B%5D=a&scope%5B%5D=b"))
        #expect(plan([]).query.allSatisfy { $0.name != "scope[]" })
    }

    @Test("parameters may come in an order of the provider's own, and a fragment behind them all")
    func ownOrder() {
        var style = AuthorizationStyle()
        style.order = ["appid", "redirect_uri", "response_type", "none", "scope", "appid"]
        style.trailingFragment = "end"
        let plan = AuthorizationRequest.plan(
            endpoint: "https://op.example/a", transaction: Fixture.transaction(scopes: ["read"]),
            style: style, dialect: RequestDialect(rename: ["client_id": "appid"]), step: "s")
        let names = plan.query.map(\.name)
        #expect(names.prefix(5) == ["appid", "redirect_uri", "response_type", "scope", "state"])
        #expect(names.count == Set(names).count)
        #expect(plan.url.hasPrefix("https://op.example/a?appid="))
        #expect(plan.url.hasSuffix("#end"))
        #expect(plan.url.split(separator: "#").count == 2)
    }

    @Test("extra parameters cannot replace what the engine owns")
    func extra() {
        let plan = AuthorizationRequest.plan(
            endpoint: "https://op.example/a", transaction: transaction,
            extra: [
                RequestParameter("state", .text("evil"), .flow("f.yaml:1")),
                RequestParameter("redirect_uri", .text("evil"), .flow("f.yaml:2")),
                RequestParameter("request_uri", .text("evil"), .flow("f.yaml:3")),
            ], step: "s")
        #expect(!plan.url.contains("evil"))
    }

    @Test("neither verifier nor secret is in the URL [rule 38]")
    func noSecrets() throws {
        let plan = AuthorizationRequest.plan(
            endpoint: "https://op.example/a", transaction: transaction, step: "s")
        let verifier = try #require(transaction.pkce?.verifier.reveal())
        #expect(!plan.url.contains(verifier))
    }

    @Test("the dialect renames and adds")
    func dialect() {
        let plan = AuthorizationRequest.plan(
            endpoint: "https://op.example/a?t=1",
            transaction: Fixture.transaction(wantsNonce: false, pkce: nil, scopes: ["a"]),
            dialect: RequestDialect(
                parameters: [RequestParameter("access_type", .text("offline"), .descriptor("p.yaml:3"))],
                omit: ["response_type"], rename: ["client_id": "client_key"]),
            step: "s")
        #expect(
            plan.sentQuery == [
                "t=1", "redirect_uri=http://127.0.0.1:8400/callback", "scope=a",
                "state=\(transaction.state.reveal())", "access_type=offline", "client_key=client-1",
            ])
    }
}

@Suite("Authorization responses (RFC 6749 §4.1.2, RFC 9207)")
struct AuthorizationResponseTests {
    typealias Parameters = [(name: String, value: String)]

    private let state = Fixture.transaction().state.reveal()

    private func validate(
        _ parameters: Parameters, issuer: String? = Fixture.issuer, supportsIss: Bool = false
    ) -> (error: ProtocolError?, log: CheckLog) {
        failure { log throws(ProtocolError) in
            try AuthorizationResponse.validate(
                parameters, transaction: Fixture.transaction(issuer: issuer),
                issuerParameterSupported: supportsIss,
                log: &log)
        }
    }

    @Test("code, iss and unknown parameters come out [rule 61]")
    func success() throws {
        var log = CheckLog()
        let response = try AuthorizationResponse.validate(
            [("code", "abc"), ("state", state), ("iss", Fixture.issuer), ("user", "{}"), ("user", "2")],
            transaction: Fixture.transaction(), issuerParameterSupported: true, log: &log)
        #expect(response.code == Secret("abc", kind: .code))
        #expect(response.iss == Fixture.issuer)
        #expect(response.extra.map(\.value) == ["{}", "2"])
        #expect(log.passedNames == ["duplicate-parameter", "state", "iss", "error", "code"])
        #expect("\(response) \(String(reflecting: response))".contains("abc") == false)
    }

    @Test(
        "a known parameter that is there twice is refused [rule 57]",
        arguments: ["code", "state", "iss", "error"])
    func duplicate(name: String) {
        let parameters: Parameters = [
            ("code", "a"), ("state", state), ("iss", Fixture.issuer), ("error", "e"),
        ]
        let value = parameters.first { $0.name == name }?.value ?? ""
        #expect(
            validate(parameters + [(name, value)]).error
                == .failed(
                    Checks.duplicateParameter, expected: "every parameter once", actual: "\(name) twice"))
    }

    @Test("a wrong state is refused before anything else is looked at [rule 55]")
    func wrongState() {
        let result = validate([
            ("state", "x" + state.dropFirst()), ("iss", "evil"), ("error", "access_denied"),
        ])
        #expect(
            result.error == .failed(Checks.state, expected: "the state of this run", actual: "another state"))
        #expect(result.log.results.map(\.check) == [Checks.duplicateParameter, Checks.state])
    }

    @Test("a missing state is refused, an empty or cut one too [rule 56]")
    func missingState() {
        #expect(
            validate([("code", "a")]).error
                == .failed(Checks.state, expected: "the state of this run", actual: "no state"))
        for value in ["", String(state.dropLast()), state + "x"] {
            #expect(
                validate([("code", "a"), ("state", value)]).error
                    == .failed(Checks.state, expected: "the state of this run", actual: "another state"))
        }
    }

    @Test("another issuer is refused, in an error response too [rule 58]")
    func wrongIssuer() {
        for parameters in [[("code", "a")], [("error", "access_denied")]] as [Parameters] {
            #expect(
                validate(parameters + [("state", state), ("iss", "https://evil.example")]).error
                    == .failed(Checks.iss, expected: Fixture.issuer, actual: "https://evil.example"))
        }
    }

    @Test("a text that the descriptor lets stand for the issuer is taken, and no other [rule 58]")
    func issuerAlias() throws {
        let validate = { (iss: String) in
            failure { log throws(ProtocolError) in
                try AuthorizationResponse.validate(
                    [("code", "a"), ("state", self.state), ("iss", iss)], transaction: Fixture.transaction(),
                    issuerParameterSupported: true, issuerAliases: ["op.example"], log: &log)
            }.error
        }
        #expect(validate(Fixture.issuer) == nil)
        #expect(validate("op.example") == nil)
        #expect(
            validate("OP.example")
                == .failed(Checks.iss, expected: "\(Fixture.issuer) or op.example", actual: "OP.example"))
    }

    @Test("an issuer that was announced must come [rule 58]")
    func missingIssuer() {
        #expect(
            validate([("code", "a"), ("state", state)], supportsIss: true).error
                == .failed(Checks.iss, expected: Fixture.issuer, actual: "no iss"))
        let result = validate([("code", "a"), ("state", state)])
        #expect(result.error == nil)
        #expect(
            result.log.verdict(Checks.iss)
                == .notApplicable("the server sends no iss and does not say that it would"))
    }

    @Test("an error without the issuer that was announced is refused, and what it says is told [rule 58]")
    func missingIssuerOfError() {
        let actual = { (error: String) in
            guard
                case .failed(Checks.iss, _, let actual) = validate(
                    [("state", state), ("error", error)], supportsIss: true
                ).error
            else { return "" }
            return actual
        }
        #expect(actual("invalid_scope") == "no iss, in an error that says invalid_scope")
        #expect(actual("") == "no iss")
        #expect(actual("a\u{1B}b") == "no iss, in an error that says ab")
        #expect(actual(String(repeating: "x", count: 99)).hasSuffix(String(repeating: "x", count: 59) + "…"))
    }

    @Test("without a configured issuer there is nothing to compare with")
    func noIssuer() {
        let result = validate([("code", "a"), ("state", state), ("iss", "https://x.example")], issuer: nil)
        #expect(result.error == nil)
        #expect(
            result.log.verdict(Checks.iss) == .notApplicable("no issuer is configured for this provider"))
    }

    @Test("an error wins over a code and is sanitised [rule 59]")
    func error() {
        let result = validate([
            ("code", "a"), ("state", state), ("error", "access\u{1B}_denied"),
            ("error_description", "no\nway"),
            ("error_uri", "https://op.example/e"),
        ])
        #expect(
            result.error
                == .rejected(
                    OAuthError(code: "access_denied", description: "no way", uri: "https://op.example/e"),
                    status: 0))
    }

    @Test(
        "a code is printable, whatever its alphabet [rule 60]",
        arguments: [
            ("a b", true), ("\u{E9}\u{4E2D}", true), (" ", true), ("a\u{7F}", false), ("\u{1F}", false),
            ("a\r\nb", false), ("\u{0}", false),
        ])
    func visibleCode(code: String, isTaken: Bool) {
        #expect(
            validate([("state", state), ("code", code)]).error
                == (isTaken
                    ? nil
                    : .failed(
                        Checks.code, expected: "a code without control characters", actual: "one with some")))
    }

    @Test("an error without a name is none, and a code beside it is taken")
    func emptyError() {
        #expect(validate([("code", "a"), ("state", state), ("error", "")]).error == nil)
    }

    @Test(
        "an answer does without state only as the descriptor says [rule 56]",
        arguments: [
            (StateDemand.unlessError, "access_denied", true), (.unlessError, "", false),
            (.unlessError, nil, false), (.never, nil, true), (.always, "access_denied", false),
        ] as [(StateDemand, String?, Bool)])
    func demandedState(demand: StateDemand, error: String?, isTaken: Bool) {
        let parameters: Parameters = [("code", "a")] + (error.map { [("error", $0)] } ?? [])
        let found = failure { log throws(ProtocolError) in
            try AuthorizationResponse.validate(
                parameters, transaction: Fixture.transaction(), issuerParameterSupported: false,
                state: demand, log: &log)
        }
        let missing = ProtocolError.failed(
            Checks.state, expected: "the state of this run", actual: "no state")
        let rejected = error.map { ProtocolError.rejected(OAuthError(code: $0), status: 0) }
        #expect(found.error == (isTaken ? rejected : missing))
    }

    @Test(
        "a provider that announces iss and sends none is believed where the descriptor says so [rule 58]",
        arguments: [
            (nil, true, nil), (nil, false, nil), (Fixture.issuer, true, nil),
            (
                "https://evil.example", true,
                .failed(Checks.iss, expected: Fixture.issuer, actual: "https://evil.example")
            ),
        ] as [(String?, Bool, ProtocolError?)])
    func ignoredIssuer(iss: String?, isAnnounced: Bool, error: ProtocolError?) {
        let parameters: Parameters = [("code", "a"), ("state", state)] + (iss.map { [("iss", $0)] } ?? [])
        let found = failure { log throws(ProtocolError) in
            try AuthorizationResponse.validate(
                parameters, transaction: Fixture.transaction(), issuerParameterSupported: isAnnounced,
                isIssuerIgnored: true, log: &log)
        }
        #expect(found.error == error)
        let isRelaxed = iss == nil && isAnnounced
        let because = "the descriptor says that the provider announces iss and sends none"
        #expect((found.log.verdict(Checks.iss) == .relaxed(because)) == isRelaxed)
    }

    @Test("an ID token that nobody asked for is one of the unknown parameters [rule 61]")
    func unaskedToken() throws {
        var log = CheckLog()
        let response = try AuthorizationResponse.validate(
            [("code", "a"), ("state", state), ("id_token", "t"), ("id_token", "u")],
            transaction: Fixture.transaction(), issuerParameterSupported: false, log: &log)
        #expect(response.idToken == nil)
        #expect(response.extra.map(\.value) == ["t", "u"])
    }

    @Test("no code and an empty code are refused [rule 60]")
    func noCode() {
        #expect(
            validate([("state", state)]).error == .failed(Checks.code, expected: "a code", actual: "no code"))
        #expect(
            validate([("state", state), ("code", "")]).error
                == .failed(Checks.code, expected: "a code", actual: "an empty code"))
    }
}
