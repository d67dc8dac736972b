import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing
import YAMLText

/// What proves the client in a request: assertions and secrets that are made, with real keys.
@Suite("Proofs of the client")
struct ClientProofTests {
    private static func descriptor(_ client: String, _ more: String = "") -> String {
        """
        provider: proof
        protocol: oauth2
        issuer: https://op.example
        authorization_endpoint: https://op.example/authorize
        token_endpoint: https://op.example/token
        userinfo_endpoint: https://op.example/userinfo
        client: \(client)
        \(more)
        """
    }

    private static func run(
        _ descriptor: String, secret: String? = nil, privateKey: String? = nil,
        assertion: String? = nil, method: ClientAuthenticationMethod? = nil,
        flow: String = CatalogueRun.usualFlow,
        answers: CatalogueWorld.Answers = .plain(userinfo: ["sub": "s"])
    ) async throws -> CatalogueRun {
        let file = SourceFile(path: "proof.yaml", text: descriptor)
        let bound = try Shipped.descriptor(file).bind(variables: [:])
        var registration = ClientRegistration(
            clientID: "CLIENT-ID-1", secret: secret.map { Secret($0, kind: .clientSecret) },
            authenticationMethod: .none, privateKey: privateKey.map { Secret($0, kind: .other) })
        registration.assertion = assertion.map { Secret($0, kind: .clientAssertion) }
        let provider = BoundProvider(
            descriptor: try Shipped.descriptor(file), bound: bound, registration: registration, method: method
        )
        let program = try Compiled.program(flow)
        let plan = RunPlan(program: program, providers: program.providers.map { _ in provider }, inputs: [])
        let world = CatalogueWorld(answers)
        let recorder = EventRecorder()
        let outcome = await FlowRun(plan: plan, handler: world, sinks: [recorder]).run()
        return CatalogueRun(world: world, outcome: outcome, events: recorder.events)
    }

    private static func parts(_ token: String) throws -> (header: JSONValue, claims: JSONValue) {
        let parts = try token.split(separator: ".").prefix(2).map { part in
            try JSON.parse(try #require(Base64URL.decode(part)))
        }
        return (parts[0], parts[1])
    }

    @Test(
        "a private key signs an assertion that its public half verifies",
        arguments: [KeyType.ec(.p256), .ec(.p521), .rsa, .ed25519])
    func privateKey(type: KeyType) async throws {
        let key = try PrivateKey.generate(type)
        let run = try await Self.run(
            Self.descriptor("{token_endpoint_auth_method: private_key_jwt}"),
            privateKey: try key.privatePEM())
        #expect(run.outcome.isSuccess)
        let request = try run.sent(.token)
        #expect(
            request[body: "client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        )
        #expect(request[body: "client_secret"] == nil)
        #expect(request[body: "client_id"] == nil, "the assertion names it")
        let assertion = try #require(request[body: "client_assertion"])
        let keys = try JWKSet.parse(["keys": .array([key.publicJWK()])])
        let algorithm = try #require(
            SignatureAlgorithm.allCases.first { $0.keyType == type && $0.rawValue != "PS256" })
        _ = try JWS.verify(try JWS.split(assertion), keys: keys, allowed: [algorithm])
        let claims = try Self.parts(assertion).claims
        #expect(claims["iss"] == "CLIENT-ID-1")
        #expect(claims["sub"] == "CLIENT-ID-1")
        #expect(claims["aud"] == "https://op.example")
        #expect(claims["jti"]?.stringValue?.count == 32)
        #expect(claims["exp"] == .int(ManualClock.start / 1000 + 300))
    }

    @Test("an assertion says what the descriptor gives it, and a JWK brings its kid")
    func given() async throws {
        let key = try PrivateKey.generate(.ec(.p256))
        let run = try await Self.run(
            Self.descriptor(
                """
                {token_endpoint_auth_method: private_key_jwt, token_endpoint_auth_signing_alg: ES256,
                  assertion: {claims: {aud: https://other.example, iss: host.example}, header: {x5t: abc}, expires_in: 60}}
                """), privateKey: try key.privatePEM())
        let parts = try Self.parts(try #require(try run.sent(.token)[body: "client_assertion"]))
        #expect(parts.claims["aud"] == "https://other.example")
        #expect(parts.claims["iss"] == "host.example")
        #expect(parts.claims["exp"] == .int(ManualClock.start / 1000 + 60))
        #expect(parts.header["x5t"] == "abc")
        #expect(parts.header["alg"] == "ES256")
    }

    /// As a build service issues it, good for so many seconds.
    private static func issued(for lifetime: Int64) throws -> String {
        let claims: JSONObject = [
            "iss": "https://builds.example", "sub": "project:7", "aud": "https://op.example",
            "exp": .int(ManualClock.start / 1000 + lifetime),
        ]
        return try JWS.sign(
            header: [:], payload: claims.serializedBytes, key: try PrivateKey.generate(.ec(.p256)),
            algorithm: .es256)
    }

    @Test(
        "an assertion that somebody else issued is sent as it is, whatever clients of the provider usually have",
        arguments: [
            "{}", "{token_endpoint_auth_method: client_secret_post}", "{token_endpoint_auth_method: none}",
        ])
    func issuedAssertion(client: String) async throws {
        let assertion = try Self.issued(for: 600)
        let run = try await Self.run(Self.descriptor(client), assertion: assertion)
        #expect(run.outcome.isSuccess)
        let request = try run.sent(.token)
        #expect(request[body: "client_assertion"] == assertion)
        #expect(request[body: "client_id"] == "CLIENT-ID-1", "the assertion is about project:7")
        #expect(
            request[body: "client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        )
        #expect(request[body: "client_secret"] == nil)
        #expect(run.events.warnings == [])
        #expect(!"\(run.events)".contains(assertion))
    }

    @Test("how the client registered to prove itself wins over what it has")
    func registeredMethod() async throws {
        let run = try await Self.run(
            Self.descriptor("{}"), secret: "s", assertion: try Self.issued(for: 600),
            method: .clientSecretPost)
        #expect(try run.sent(.token)[body: "client_secret"] == "s")
        #expect(try run.sent(.token)[body: "client_assertion"] == nil)
    }

    @Test("who registered another way to prove itself than by the assertion that it has is warned")
    func unsuitable() async throws {
        let run = try await Self.run(
            Self.descriptor("{}"), assertion: try Self.issued(for: 600), method: .clientSecretPost)
        #expect(run.events.warnings.contains { $0.hasPrefix("the client has no secret") })
    }

    @Test("an assertion that no server can take is not sent")
    func uselessAssertion() async throws {
        let nearly = try await Self.run(Self.descriptor("{}"), assertion: try Self.issued(for: -59))
        #expect(nearly.outcome.isSuccess)
        for (assertion, words) in [
            (try Self.issued(for: -62), "the client's assertion expired at"), ("opaque", "is no JWT"),
        ] {
            let run = try await Self.run(Self.descriptor("{}"), assertion: assertion)
            #expect(run.outcome.end.error?.code == .clientKey)
            #expect(run.outcome.end.error?.message.contains(words) == true)
            #expect(run.sent.isEmpty)
        }
    }

    @Test("addresses, and whatever else no request has a say in, may be made of the client's identifier")
    func identifierInAddresses() async throws {
        let text = """
            provider: shop
            protocol: oauth2
            issuer: https://op.example/${client.id}
            authorization_endpoint: https://op.example/apps/${client.id}/authorize
            token_endpoint: https://${client.id}.op.example/token
            client: {token_endpoint_auth_method: none}
            id_token: {audience: ["api://${client.id}"]}
            userinfo: {supported: false}
            """
        let provider = try Compiled.provider(text, clientID: "app-7", secret: nil)
        #expect(provider.declared.issuer == "https://op.example/app-7")
        #expect(provider.bound.trustedAudiences == ["api://app-7"])
        let run = try await CatalogueRun.signIn(provider, answers: .plain())
        #expect(run.authorization.endpoint == "https://op.example/apps/app-7/authorize")
        #expect(try run.sent(.token).endpoint == "https://app-7.op.example/token")
    }

    @Test("a secret that a header field or a signature is made of is not said to be unsent")
    func secretElsewhere() async throws {
        let none = "{token_endpoint_auth_method: none}"
        let unsent = try await Self.run(Self.descriptor(none), secret: "s")
        #expect(unsent.events.warnings.contains { $0.hasPrefix("the client's secret is not sent") })
        let sent = try await Self.run(
            Self.descriptor(none, "token: {headers: {secret_key: '${client.secret}'}}"), secret: "s")
        #expect(try sent.sent(.token).headers["secret_key"] == "s")
        #expect(sent.events.warnings == [])
    }

    @Test("each request has an assertion of its own [rule 80]")
    func unique() async throws {
        let key = try PrivateKey.generate(.ec(.p256)).privatePEM()
        let flow = FlowTexts.signIn([
            "store": "{ next: again }\n  again: { do: refresh, next: checked }\n"
                + "  checked: { do: verify_id_token, next: { ok: done, absent: done } }"
        ])
        var answers = CatalogueWorld.Answers.plain(userinfo: ["sub": "s"])
        answers.refresh = CatalogueWorld.json(CatalogueWorld.Answers.tokens())
        let run = try await Self.run(
            Self.descriptor("{token_endpoint_auth_method: private_key_jwt}"), privateKey: key, flow: flow,
            answers: answers)
        let identifiers = try [HTTPExchange.Purpose.token, .refresh].map { purpose in
            let assertion = try #require(try run.sent(purpose)[body: "client_assertion"])
            return try Self.parts(assertion).claims["jti"]
        }
        #expect(identifiers[0] != nil)
        #expect(identifiers[0] != identifiers[1])
    }

    @Test("a state that the redirect URI bears is shown no more than one of its own")
    func stateInRedirectURI() async throws {
        let run = try await Self.run(
            Self.descriptor(
                "{token_endpoint_auth_method: none}", "authorization: {state: {mode: in_redirect_uri}}"))
        #expect(run.outcome.isSuccess)
        #expect(run.authorization[query: "state"] == nil)
        let redirect = try #require(run.authorization[query: "redirect_uri"])
        let state = try #require(redirect.split(separator: "=").last)
        #expect(try run.sent(.token)[body: "redirect_uri"] == redirect)
        #expect(!"\(run.events)".contains(state))
    }

    @Test("a failure that tells the redirect URI does not tell the state in it")
    func toldRedirectURI() async throws {
        var answers = CatalogueWorld.Answers.plain(userinfo: ["sub": "s"])
        answers.token = { _ in CatalogueWorld.json(["error": "redirect_uri_mismatch"], status: 400) }
        let run = try await Self.run(
            Self.descriptor(
                "{token_endpoint_auth_method: none}", "authorization: {state: {mode: in_redirect_uri}}"),
            answers: answers)
        let fixes = try #require(run.outcome.failure(.english)).text.fixes
        #expect(fixes == ["register exactly  https://client.example/callback?state=‹state›  at proof"])
    }

    @Test("a secret authenticates an assertion with HS256")
    func secretJWT() async throws {
        let secret = "a secret of at least thirty-two bytes"
        let run = try await Self.run(
            Self.descriptor("{token_endpoint_auth_method: client_secret_jwt}"), secret: secret)
        let assertion = try #require(try run.sent(.token)[body: "client_assertion"])
        _ = try JWS.verify(
            try JWS.split(assertion), secret: SharedSecret(Array(secret.utf8)), allowed: [.hs256])
        #expect(try run.sent(.token)[body: "client_secret"] == nil)
    }

    @Test(
        "a run without what it needs to prove itself ends as a matter of configuration, and sends nothing",
        arguments: [
            ("{token_endpoint_auth_method: private_key_jwt}", nil, "not a key"),
            ("{token_endpoint_auth_method: client_secret_jwt}", "short", nil),
            (
                "{token_endpoint_auth_method: client_secret_post, client_secret: {jwt: {alg: ES256, key: '${client.id}', claims: {iss: a}}}}",
                nil, nil
            ),
        ] as [(String, String?, String?)])
    func unusable(client: String, secret: String?, key: String?) async throws {
        let run = try await Self.run(Self.descriptor(client), secret: secret, privateKey: key)
        #expect(run.outcome.errorCode == "client_key")
        #expect(run.outcome.exitStatus == 3)
        #expect(run.sent.isEmpty)
    }

    @Test("an ID token may be authenticated with the secret, where that was registered")
    func sharedSecret() async throws {
        let secret = "a secret of at least thirty-two bytes"
        let text = Self.descriptor(
            "{token_endpoint_auth_method: client_secret_post, id_token_signed_response_alg: HS256}"
        ).replacing("protocol: oauth2", with: "protocol: oidc\ndiscovery: off")
        for (key, isRight) in [(secret, true), ("another secret, long enough as well, but wrong", false)] {
            var answers = CatalogueWorld.Answers.plain(userinfo: ["sub": "s"])
            answers.token = { nonce in
                var claims: JSONObject = [
                    "iss": "https://op.example", "sub": "s", "aud": "CLIENT-ID-1",
                    "iat": .int(ManualClock.start / 1000), "exp": .int(ManualClock.start / 1000 + 60),
                ]
                claims["nonce"] = nonce.map { .string($0) }
                let token = try JWS.sign(
                    header: [:], payload: Array(JSONValue.object(claims).serialize().utf8),
                    secret: SharedSecret(Array(key.utf8)), algorithm: .hs256)
                return CatalogueWorld.json(
                    CatalogueWorld.Answers.tokens(["id_token": .string(token)]))
            }
            let run = try await Self.run(text, secret: secret, answers: answers)
            #expect(run.outcomes(of: "verify") == [isRight ? "ok" : "signature_invalid"])
        }
    }

    @Test(
        "a signed userinfo answer is asked for and verified, and refused with another audience, signature or time [rule 138]"
    )
    func signedUserInfo() async throws {
        let cases: [(change: JSONObject, forged: Bool, isRight: Bool)] = [
            ([:], false, true), (["aud": "another"], false, false), ([:], true, false),
            (["exp": 1], false, false), (["exp": "soon"], false, false), (["nbf": 1e12], false, false),
        ]
        for (change, forged, isRight) in cases {
            var claims: JSONObject = [
                "iss": "https://op.example", "aud": "CLIENT-ID-1", "sub": "s", "name": "Ada",
            ]
            for (name, value) in change { claims[name] = value }
            var token = try TestKey.idToken(claims, nonce: nil)
            if forged { token = String(token.dropLast(8)) + "AAAAAAAA" }
            var answers = CatalogueWorld.Answers.plain()
            answers.userinfo = CatalogueWorld.text(token, "application/jwt")
            let run = try await Self.run(
                Self.descriptor(
                    "{token_endpoint_auth_method: none, userinfo_signed_response_alg: ES256}",
                    "jwks_uri: https://op.example/jwks\nclaims: {name: userinfo.name}\n"), answers: answers)
            #expect(run.outcomes(of: "userinfo") == [isRight ? "ok" : "insecure"], "\(change)")
            #expect(run.profile?["name"] == (isRight ? "Ada" : nil))
            #expect(try run.sent(.userinfo).headers["accept"] == "application/jwt")
        }
    }

    @Test("an endpoint that an answer fills in leads to the named hosts alone")
    func dynamicEndpoint() async throws {
        let more = """
            callback: {capture: {server: server}}
            token: {endpoint: "${callback.server}/token", allowed_hosts: [accounts.op.example, "*.eu.op.example"]}

            """
        let text = Self.descriptor("{token_endpoint_auth_method: none}", more)
        let hosts = [
            ("https://accounts.op.example", true), ("https://a.eu.op.example", true),
            ("https://eu.op.example", false), ("https://evil.example", false),
            ("https://accounts.op.example.evil.example", false), ("http://accounts.op.example", false),
        ]
        for (server, isRight) in hosts {
            let run = try await Self.run(
                text, answers: .plain(userinfo: ["sub": "s"], callback: [("server", server)]))
            #expect(run.outcome.isSuccess == isRight, "\(server)")
            if !isRight {
                #expect(run.outcome.errorCode == "endpoint_refused")
                #expect(run.outcome.exitStatus == 7)
                #expect(run.events.security.map(\.check.name) == ["endpoint-host"])
                #expect(run.sent.isEmpty)
            }
        }
    }

    @Test(
        "the question who signed in names or proves the client where its file says so",
        arguments: [
            (
                "{token_placement: body:access_token, include_client_id: true}",
                body: ["access_token=AT-1", "client_id=CLIENT-ID-1"], query: [String](),
                authorization: String?.none
            ),
            (
                "{include_client_id: true}", body: [], query: ["client_id=CLIENT-ID-1"],
                authorization: "Bearer AT-1"
            ),
            (
                "{method: POST, include_client_id: true}", body: ["client_id=CLIENT-ID-1"], query: [],
                authorization: "Bearer AT-1"
            ),
            (
                "{token_placement: body:access_token, auth: client_secret_post}",
                body: ["access_token=AT-1", "client_id=CLIENT-ID-1", "client_secret=SECRET"], query: [],
                authorization: nil
            ),
            (
                "{token_placement: query:access_token, auth: client_secret_basic}", body: [],
                query: ["access_token=AT-1"], authorization: "Basic Q0xJRU5ULUlELTE6U0VDUkVU"
            ),
            ("{}", body: [], query: [], authorization: "Bearer AT-1"),
        ])
    func namedClient(
        _ userinfo: String, body: [String], query: [String], authorization: String?
    ) async throws {
        let run = try await Self.run(
            Self.descriptor("{token_endpoint_auth_method: client_secret_post}", "userinfo: \(userinfo)\n"),
            secret: "SECRET")
        #expect(run.outcome.isSuccess)
        let request = try run.sent(.userinfo)
        #expect(request.body.map(\.description).sorted() == body)
        #expect(request.query.map(\.description).sorted() == query)
        #expect(request.headers["authorization"] == authorization)
    }

    @Test("a token in a header field of its own has a word before it where the file gives one")
    func schemeOfField() async throws {
        for (scheme, value) in [("", "AT-1"), (", token_scheme: bearer", "bearer AT-1")] {
            let run = try await Self.run(
                Self.descriptor(
                    "{token_endpoint_auth_method: none}",
                    "userinfo: {token_placement: 'header:Authentication'\(scheme)}\n"))
            let request = try run.sent(.userinfo)
            #expect(request.headers["authentication"] == value)
            #expect(request.headers["authorization"] == nil)
        }
    }

    @Test("a value in an endpoint's path is one segment of it, and leads to no other")
    func valuesInPaths() async throws {
        let more = """
            callback: {capture: {id: id}}
            userinfo: {endpoint: "https://op.example/employees/${callback.id}/me"}

            """
        let text = Self.descriptor("{token_endpoint_auth_method: none}", more)
        let segments = [
            ("7", "7"), ("../../admin/delete?all=1", "..%2F..%2Fadmin%2Fdelete%3Fall%3D1"),
            ("a b#c", "a%20b%23c"), ("%2e%2e", "%252e%252e"), ("é", "%C3%A9"),
        ]
        for (id, segment) in segments {
            let run = try await Self.run(
                text, answers: .plain(userinfo: ["sub": "s"], callback: [("id", id)]))
            #expect(run.outcome.isSuccess, "\(id)")
            #expect(try run.sent(.userinfo).endpoint == "https://op.example/employees/\(segment)/me")
        }
        for id in [".", ".."] {
            let run = try await Self.run(
                text, answers: .plain(userinfo: ["sub": "s"], callback: [("id", id)]))
            #expect(run.outcome.errorCode == "endpoint_refused")
            #expect(run.events.security.map(\.check.name) == ["endpoint-host"])
            #expect(run.world.sent.map(\.purpose) == [.token])
        }
    }

    @Test("a flow calls an operation of the descriptor, with the token of its session")
    func operation() async throws {
        let flow = FlowTexts.stored(
            "{ do: http, with: { operation: longer, use: main, out: { days: { at: /days, type: int } } }, next: done }"
        )
        let text = Self.descriptor(
            "{token_endpoint_auth_method: client_secret_post}",
            """
            operations:
              longer:
                endpoint: https://op.example/longer/${token.access_token}
                query: {grant_type: longer, secret: "${client.secret}", token: "${token.access_token}"}
                response: {unwrap: data, map: {days: lifetime.days}, error_when: [{path: ok, equals: false}]}

            """)
        for (body, outcome) in [
            (["ok": true, "data": ["lifetime": ["days": 60]]], "ok"),
            (["ok": false, "error": "no"], "rejected"),
        ] as [(JSONObject, String)] {
            var answers = CatalogueWorld.Answers.plain()
            answers.others = [("https://op.example/longer", CatalogueWorld.json(body))]
            answers.session = StoredSession(
                bytes: Array(
                    (#"{"version":1,"client_id":"CLIENT-ID-1","issuer":"https://op.example","#
                        + #""access_token":"marker-access-token-0","token_type":"Bearer","scopes":[],"obtained_at":1}"#)
                        .utf8),
                generation: 1)
            let run = try await Self.run(text, secret: "S", flow: flow, answers: answers)
            #expect(run.outcomes(of: "work") == [outcome])
            let sent = try run.sent(.http)
            #expect(sent.endpoint == "https://op.example/longer/marker-access-token-0")
            #expect(!"\(run.events)".contains("marker-access-token-0"))
            #expect(sent.query.description == "[grant_type=longer, secret=S, token=marker-access-token-0]")
        }
    }

    @Test("a step may add the access token to an operation")
    func operationWithBearer() async throws {
        let text = Self.descriptor(
            "{token_endpoint_auth_method: client_secret_post}",
            "operations: {me: {endpoint: \"https://op.example/me\", headers: {X-Team: a}}}\n")
        for (auth, shown) in [("bearer", true), ("none", false)] {
            var answers = CatalogueWorld.Answers.plain()
            answers.others = [("https://op.example/me", CatalogueWorld.json(["id": 7]))]
            answers.session = StoredSession(
                bytes: Array(
                    (#"{"version":1,"client_id":"CLIENT-ID-1","issuer":"https://op.example","#
                        + #""access_token":"marker-access-token-0","token_type":"Bearer","scopes":[],"obtained_at":1}"#)
                        .utf8),
                generation: 1)
            let flow = FlowTexts.stored(
                "{ do: http, with: { operation: me, use: main, auth: \(auth) }, next: done }")
            let run = try await Self.run(text, secret: "S", flow: flow, answers: answers)
            #expect(run.outcomes(of: "work") == ["ok"])
            let headers = try run.sent(.http).headers
            #expect(headers["authorization"] == (shown ? "Bearer marker-access-token-0" : nil))
            #expect(headers["x-team"] == "a")
        }
    }
}
