import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("register")
struct RegisterTests {
    private static let provider = ProviderText.make(
        extra: "registration_endpoint: https://p.example/register\n")

    private static let flow = FlowTexts.single(
        """
        { do: register, with: { grant_types: [authorization_code, refresh_token], client_name: Tool,
            token_endpoint_auth_method: private_key_jwt, scopes: [openid, email], metadata: { contacts: [a@example.com] },
            initial_access_token: "${inputs.token}" }, next: done }
        """,
        extra: """
            inputs: { token: secret }
            outputs: { id: string, secret: optional secret, end: optional time, method: string, uri: optional string, token: optional secret }
            """,
        ends: """
              done: { result: success, outputs: { id: "${steps.work.client_id}", secret: "${steps.work.client_secret}",
                end: "${steps.work.client_secret_expires_at}", method: "${steps.work.token_endpoint_auth_method}",
                uri: "${steps.work.registration_client_uri}", token: "${steps.work.registration_access_token}" } }
              failed: { result: failure }
            """)

    private static let plain = FlowTexts.single("{ do: register, next: done }")

    private static func plan(_ flow: String = flow, provider: String = provider) throws -> RunPlan {
        let isPlain = try Compiled.program(flow).inputs.isEmpty
        return try Compiled.plan(
            flow, provider: provider,
            inputs: isPlain ? [:] : ["token": .secret(Secret("initial/token+1", kind: .other))],
            privateKey: TestKey.pem)
    }

    private static func created(_ changes: JSONObject = [:], status: Int = 201) -> InputEvent {
        var body: JSONObject = [
            "client_id": "client-2", "client_secret": .string(Markers.clientSecret),
            "client_secret_expires_at": 1_900_000_000, "token_endpoint_auth_method": "client_secret_basic",
            "registration_client_uri": "https://p.example/register/client-2",
            "registration_access_token": "marker-registration-token",
            "redirect_uris": ["http://127.0.0.1/callback"],
        ]
        for (name, value) in changes { body[name] = value.present }
        return Answers.json(status, body)
    }

    static let cases = [
        Case("a client", created(), "ok"),
        Case("200 in place of 201 (RFC 7591 §3.2.1)", created(status: 200), "ok"),
        Case("202, which says nothing of a client", created(status: 202), "malformed"),
        Case(
            "metadata that cannot be registered", Answers.json(400, ["error": "invalid_client_metadata"]),
            "rejected", error: "invalid_client_metadata"),
        Case(
            "a redirect URI that cannot", Answers.json(400, ["error": "invalid_redirect_uri"]), "rejected",
            error: "invalid_redirect_uri"),
        Case(
            "a wrong initial access token",
            Answers.json(401, [:], [HTTPField("WWW-Authenticate", "Bearer error=\"invalid_token\"")]),
            "unauthorized"),
        Case("403", Answers.text(403, ""), "unauthorized"),
        Case(
            "a word for clients that failed to authenticate", Answers.json(400, ["error": "invalid_client"]),
            "rejected", error: "invalid_client"),
        Case("the same with 503", Answers.json(503, ["error": "invalid_client"]), "rejected"),
        Case("the same with 401", Answers.json(401, ["error": "invalid_client"]), "unauthorized"),
        Case(
            "no client_id", created(["client_id": .null]), "malformed", error: "registration-client_id"),
        Case(
            "no secret for a method that needs one", created(["client_secret": .null]), "malformed",
            error: "registration-client_secret"),
        Case(
            "other redirect URIs, of which a warning tells",
            created(["redirect_uris": ["https://evil.example"]]), "ok"),
        Case(
            "management elsewhere, which is not used",
            created(["registration_client_uri": "https://evil.example/c"]), "ok"),
        Case(
            "a secret that no header can bear", created(["client_secret": "a\r\nb"]), "malformed",
            error: "registration-client_secret"),
        Case("429", Answers.text(429, ""), "rate_limited"),
        Case("503", Answers.text(503, ""), "server_error"),
        Case("502: it may have registered one", Answers.text(502, ""), "unanswered"),
        Case("never sent", Answers.lost(.notDelivered), "network"),
        Case("perhaps sent", Answers.lost(.perhapsDelivered), "unanswered"),
    ]

    @Test("tells what the server says", arguments: cases)
    func outcomes(_ given: Case) async throws {
        let run = await Conversation.run(
            try Self.plan(Self.plain), [ScriptedEffect("http registration", given.event)])
        #expect(run.outcomes(of: "work") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "work")?.error == error) }
    }

    @Test("tells of a client that was made and cannot be taken")
    func orphan() async throws {
        let answer = Self.created(["client_secret": .null])
        let run = await Conversation.run(
            try Self.plan(Self.plain), [ScriptedEffect("http registration", answer)])
        let told = try #require(run.lastEnd(of: "work")?.description)
        #expect(
            told.hasPrefix("the provider has made the client client-2 and answered with what cannot be used"))
        #expect(Markers.found(in: told) == [])
    }

    @Test("says what the flow and the provider file say, keys by their public half alone")
    func request() async throws {
        let run = await Conversation.run(
            try Self.plan(), [ScriptedEffect("http registration", Self.created())])
        guard case .http(let exchange)? = run.performed.last?.effect else { return notFound() }
        #expect(exchange.request.url == "https://p.example/register")
        #expect(exchange.request.value("Authorization") == "Bearer initial/token+1")
        let body = try JSON.parse(exchange.request.body ?? [])
        #expect(body["redirect_uris"] == ["http://127.0.0.1/callback"])
        #expect(body["grant_types"] == ["authorization_code", "refresh_token"])
        #expect(body["response_types"] == ["code"])
        #expect(body["token_endpoint_auth_method"] == "private_key_jwt")
        #expect(body["client_name"] == "Tool")
        #expect(body["scope"] == "openid email")
        #expect(body["contacts"] == ["a@example.com"])
        let key = try #require(body["jwks"]?["keys"]?.arrayValue?.first)
        #expect(key["kty"] == "EC")
        #expect(key["d"] == nil)
    }

    @Test("a secret among the metadata is one in the events, by its name")
    func secretMetadata() async throws {
        let metadata: JSONObject = [
            "client_secret": .string(Markers.clientSecret),
            "software_statement": .string(Markers.refreshToken),
        ]
        let flow = FlowTexts.single(
            "{ do: register, with: { metadata: \"${inputs.metadata}\" }, next: done }",
            extra: "inputs: { metadata: json }")
        let run = await Conversation.run(
            try Compiled.plan(
                flow, provider: Self.provider, inputs: ["metadata": .json(.object(metadata))]),
            [ScriptedEffect("http registration", Self.created())])
        #expect(run.outcomes(of: "work") == ["ok"])
        for event in run.events { #expect(Markers.found(in: "\(event)") == []) }
    }

    @Test("leaves behind what the server made; the secrets are secrets")
    func fields() async throws {
        let run = await Conversation.run(
            try Self.plan(), [ScriptedEffect("http registration", Self.created())])
        #expect(run.output("id") == .string("client-2"))
        #expect(run.output("secret") == .secret(Secret(Markers.clientSecret, kind: .clientSecret)))
        #expect(run.output("end") == .time(1_900_000_000_000))
        #expect(run.output("method") == .string("client_secret_basic"))
        #expect(run.output("uri") == .string("https://p.example/register/client-2"))
        #expect(
            run.output("token")
                == .secret(Secret("marker-registration-token", kind: .registrationAccessToken)))
        for event in run.events { #expect(!"\(event)".contains("marker-registration-token")) }
    }

    @Test("without any word of the flow the descriptor's method and the usual redirect URI are asked for")
    func standard() async throws {
        let run = await Conversation.run(
            try Self.plan(Self.plain), [ScriptedEffect("http registration", Self.created())])
        guard case .http(let exchange)? = run.performed.last?.effect else { return notFound() }
        #expect(
            try JSON.parse(exchange.request.body ?? []) == [
                "redirect_uris": ["http://127.0.0.1/callback"],
                "token_endpoint_auth_method": "client_secret_basic",
                "id_token_signed_response_alg": "ES256", "application_type": "native",
            ])
        #expect(exchange.request.value("Authorization") == nil)
    }

    @Test(
        "the response type is that of the sign-ins, where there are any and nobody says another",
        arguments: [
            ("", "code", nil), ("grant_types: [client_credentials]", "code", nil),
            ("metadata: { grant_types: [authorization_code] }", "code", ["code"]),
            ("grant_types: [authorization_code], metadata: { response_types: [none] }", "code", ["none"]),
            ("", "code id_token", ["code id_token"]),
        ] as [(String, String, JSONValue?)])
    func responseTypes(with: String, usual: String, expected: JSONValue?) async throws {
        let provider = Self.provider.replacing(
            "authorization: {", with: "authorization: { response_type: \(usual), response_mode: form_post,")
        let flow = FlowTexts.single("{ do: register, with: { \(with) }, next: done }")
        let run = await Conversation.run(
            try Self.plan(flow, provider: provider),
            [ScriptedEffect("http registration", Self.created())])
        guard case .http(let exchange)? = run.performed.last?.effect else { return notFound() }
        #expect(try JSON.parse(exchange.request.body ?? [])["response_types"] == expected)
    }

    private func body(_ client: String, with: String = "") async throws
        -> JSONValue
    {
        let provider = Self.provider.replacing("id_token_signed_response_alg: ES256", with: client)
        let flow = FlowTexts.single("{ do: register, with: { \(with) }, next: done }")
        let run = await Conversation.run(
            try Self.plan(flow, provider: provider),
            [ScriptedEffect("http registration", Self.created())])
        guard case .http(let exchange)? = run.performed.last?.effect else { return .null }
        return try JSON.parse(exchange.request.body ?? [])
    }

    @Test("what the provider file says of the client is registered, unless the flow says otherwise")
    func described() async throws {
        let described = try await body(
            "dpop_bound_access_tokens: true, id_token_signed_response_alg: PS256, "
                + "userinfo_signed_response_alg: ES256",
            with: "metadata: { id_token_signed_response_alg: RS256 }")
        #expect(described["dpop_bound_access_tokens"] == true)
        #expect(described["id_token_signed_response_alg"] == "RS256")
        #expect(described["userinfo_signed_response_alg"] == "ES256")
        #expect(described["jwks"] == nil)
    }

    @Test("whoever encrypts to the client or checks what it signs gets its public key, once for each purpose")
    func keys() async throws {
        let encrypted =
            "id_token_encrypted_response_alg: ECDH-ES, userinfo_signed_response_alg: ES256, "
            + "userinfo_encrypted_response_alg: ECDH-ES"
        func purposes(_ body: JSONValue) -> [String] {
            (body["jwks"]?["keys"]?.arrayValue ?? []).map {
                #expect($0["kty"] == "EC" && $0["d"] == nil)
                return "\($0["use"]?.stringValue ?? "") \($0["alg"]?.stringValue ?? "")"
            }
        }
        #expect(purposes(try await body(encrypted)) == ["enc ECDH-ES"])
        #expect(
            purposes(try await body("\(encrypted), require_signed_request_object: true"))
                == ["sig ES256", "enc ECDH-ES"])
        #expect(purposes(try await body("request_object_signing_alg: HS256")) == [])
        #expect(
            try await body(encrypted, with: "metadata: { jwks_uri: \"https://c.example/jwks\" }")["jwks"]
                == nil)
        let unfit = Self.provider.replacing(
            "id_token_signed_response_alg: ES256", with: "id_token_encrypted_response_alg: RSA-OAEP")
        let refused = await Conversation.run(try Self.plan(Self.plain, provider: unfit), [])
        #expect(refused.outcome.end.error?.code == .clientKey)
    }

    @Test(
        "an ID token beside the code is of the implicit grant, which is registered with it",
        arguments: [
            ("code id_token", "grant_types: [authorization_code]", ["authorization_code", "implicit"]),
            ("code", "grant_types: [authorization_code]", ["authorization_code"]),
            ("code id_token", "grant_types: [client_credentials]", ["client_credentials"]),
            ("code id_token", "metadata: { grant_types: [authorization_code] }", ["authorization_code"]),
        ] as [(String, String, JSONValue)])
    func hybridGrants(type: String, with: String, expected: JSONValue) async throws {
        let provider = Self.provider.replacing(
            "authorization: {", with: "authorization: { response_type: \(type), response_mode: form_post,")
        let flow = FlowTexts.single("{ do: register, with: { \(with) }, next: done }")
        let run = await Conversation.run(
            try Self.plan(flow, provider: provider), [ScriptedEffect("http registration", Self.created())])
        guard case .http(let exchange)? = run.performed.last?.effect else { return notFound() }
        #expect(try JSON.parse(exchange.request.body ?? [])["grant_types"] == expected)
    }

    @Test(
        "a client is native where all its redirect URIs lead to a program on this machine",
        arguments: [
            ("http://127.0.0.1/callback", "native"), ("http://localhost:8400/callback", "native"),
            ("com.example.app:/oauthredirect", "native"), ("https://app.example/callback", nil),
            ("http://127.0.0.1/callback, https://app.example/callback", nil),
        ] as [(String, JSONValue?)])
    func native(redirects: String, expected: JSONValue?) async throws {
        let list = redirects.split(separator: ", ").map { "\"\($0)\"" }.joined(separator: ", ")
        let body = try await body(
            "id_token_signed_response_alg: ES256", with: "redirect_uris: [\(list)]")
        #expect(body["application_type"] == expected)
    }

    @Test("it is native for a server of plain OAuth 2.0 too, which passes over what it does not know")
    func nativeOfOAuth() async throws {
        let provider = Self.provider.replacing("protocol: oidc", with: "protocol: oauth2")
            .replacing(", id_token_signed_response_alg: ES256", with: "")
        let run = await Conversation.run(
            try Self.plan(Self.plain, provider: provider),
            [ScriptedEffect("http registration", Self.created())])
        guard case .http(let exchange)? = run.performed.last?.effect else { return notFound() }
        #expect(try JSON.parse(exchange.request.body ?? [])["application_type"] == "native")
    }

    @Test("the addresses after signing out are registered, and not what stands for all below one")
    func farewells() async throws {
        let places = "post_logout_redirects: [\"https://app.example/bye\", \"https://app.example/*\"]"
        let provider = Self.provider + places + "\n"
        for (with, expected) in [
            ("", ["https://app.example/bye"]),
            ("metadata: { post_logout_redirect_uris: [] }", []),
        ] as [(String, JSONValue)] {
            let flow = FlowTexts.single("{ do: register, with: { \(with) }, next: done }")
            let run = await Conversation.run(
                try Self.plan(flow, provider: provider),
                [ScriptedEffect("http registration", Self.created())])
            guard case .http(let exchange)? = run.performed.last?.effect else {
                Issue.record("nothing was sent")
                continue
            }
            #expect(try JSON.parse(exchange.request.body ?? [])["post_logout_redirect_uris"] == expected)
        }
    }

    @Test("a provider without the endpoint is unsupported, and forged metadata is told apart")
    func endpoints() async throws {
        let none = await Conversation.run(try Self.plan(Self.plain, provider: ProviderText.standard), [])
        #expect(none.outcomes(of: "work") == ["unsupported"])
        let forged = await Conversation.run(
            try Self.plan(Self.plain, provider: ProviderText.discovered),
            [
                ScriptedEffect("recall metadata", .nothingKept),
                ScriptedEffect("http discovery", Answers.metadata(["issuer": "https://evil.example"])),
            ])
        #expect(forged.outcomes(of: "work") == ["metadata_untrusted"])
    }

    @Test("the ports that a provider file lists are registered each")
    func ports() throws {
        let fixed = try Compiled.provider(
            ProviderText.make(
                extra: "redirect: { loopback: { hosts: [localhost], ports: [8400, 8401], path: /cb } }\n"))
        #expect(
            fixed.redirectURIs(fixed: nil) == ["http://localhost:8400/cb", "http://localhost:8401/cb"])
        #expect(fixed.redirectURIs(fixed: "https://app.example/cb") == ["https://app.example/cb"])
        let none = try Compiled.provider(
            ProviderText.make(extra: "redirect: { https: [\"https://app.example/cb\"] }\n"))
        #expect(none.redirectURIs(fixed: nil) == [])
    }

    @Test("a private key in the metadata of a flow is not sent, nor shown")
    func privateKey() async throws {
        let flow = FlowTexts.single(
            "{ do: register, with: { metadata: { jwks: { keys: [{ kty: EC, d: canary-private }] } } }, next: done }"
        )
        let run = await Conversation.run(try Self.plan(flow), [])
        let error = run.outcome.end.error
        #expect(error?.code == .clientKey)
        #expect(error?.message == "jwks of the metadata holds a private key: its member \"d\"")
        #expect(run.performed.isEmpty)
    }
}
