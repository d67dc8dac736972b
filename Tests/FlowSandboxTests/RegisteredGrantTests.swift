import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

@Suite("Grants that a client registered for (RFC 7591 §2)")
struct RegisteredGrantTests {
    private let visitor: Visitor

    init() throws { visitor = try Visitor() }

    /// Registers a client with a secret; `nil` names no grant types.
    private func register(_ types: [String]?) throws -> JSONValue {
        var metadata: JSONObject = [
            "redirect_uris": [.string(Visitor.redirectURI)],
            "token_endpoint_auth_method": "client_secret_post",
        ]
        metadata["grant_types"] = types.map { .array($0.map(JSONValue.string)) }
        let response = try #require(visitor.register(.object(metadata)).response)
        #expect(response.status == 201)
        return try response.json()
    }

    private func credentials(_ client: JSONValue) throws -> Pairs {
        [("client_id", try client.text("client_id")), ("client_secret", try client.text("client_secret"))]
    }

    private func ask(
        _ type: String, _ client: JSONValue, at other: Visitor? = nil
    ) throws -> HTTPResponse {
        let form: Pairs = [("grant_type", type), ("scope", "profile")]
        return try #require((other ?? visitor).post("/token", try credentials(client) + form).response)
    }

    private static let all = [
        "authorization_code", "refresh_token", "client_credentials", TokenRequest.deviceGrant,
        TokenRequest.exchangeGrant, TokenRequest.jwtBearerGrant,
    ]

    @Test("a grant that was not registered is refused (RFC 6749 §5.2)", arguments: all)
    func refused(type: String) throws {
        let client = try register(Self.all.filter { $0 != type })
        let response = try ask(type, client)
        #expect(response.status == 400)
        #expect(try response.errorCode() == "unauthorized_client")
        #expect(try ask("password", client).errorCode() == "unsupported_grant_type")
    }

    @Test("a grant that was registered is not", arguments: all)
    func allowed(type: String) throws {
        #expect(try ask(type, register([type])).errorCode() != "unauthorized_client")
    }

    @Test("a client that names no grant has registered authorization_code alone")
    func standard() throws {
        let client = try register(nil)
        #expect(client["grant_types"] == ["authorization_code"])
        #expect(try ask("authorization_code", client).errorCode() == "invalid_request")
        for type in Self.all.dropFirst() {
            #expect(try ask(type, client).errorCode() == "unauthorized_client", "\(type)")
        }
    }

    @Test("one that registered no code gets none (RFC 6749 §4.1.2.1)")
    func noCode() throws {
        let client = try register(["client_credentials"])
        let answer = try visitor.authorize(["client_id": client.text("client_id")]).callback()
        #expect(answer["error"] == ["unauthorized_client"])
        #expect(answer["state"] == ["state-1"])
        #expect(answer["code"] == nil)
        let request = Visitor.request(["client_id": try client.text("client_id")])
        let secret: Pairs = [("client_secret", try client.text("client_secret"))]
        let pushed = try #require(visitor.post("/par", request + secret).response)
        #expect(try pushed.errorCode() == "unauthorized_client")
    }

    @Test("one that registered no device grant gets no code for a device (RFC 8628 §3.2)")
    func noDevice() throws {
        let path = "/device_authorization"
        let form: Pairs = [("scope", "openid")]
        let other = try credentials(register(["authorization_code"]))
        let refusal = try #require(visitor.post(path, other + form).response)
        #expect(refusal.status == 400)
        #expect(try refusal.errorCode() == "unauthorized_client")
        let device = try credentials(register([TokenRequest.deviceGrant]))
        #expect(try #require(visitor.post(path, device + form).response).status == 200)
    }

    @Test("a device that sent a challenge gets tokens for its verifier alone (RFC 7636 §4.6)")
    func provedDevice() throws {
        let (verifier, other) = (String(repeating: "a", count: 43), String(repeating: "b", count: 43))
        let challenge: Pairs = [
            ("code_challenge", Base64URL.encode(Digest.sha256(verifier.utf8))),
            ("code_challenge_method", "S256"),
        ]
        let client = try credentials(register([TokenRequest.deviceGrant]))
        func begin(_ form: Pairs) throws -> HTTPResponse {
            try #require(
                visitor.post("/device_authorization", client + [("scope", "openid")] + form).response)
        }
        func ask(_ begun: HTTPResponse, _ proof: String?) throws -> String? {
            let form: Pairs = [
                ("grant_type", TokenRequest.deviceGrant),
                ("device_code", try begun.json().text("device_code")),
            ]
            let answer = try #require(
                visitor.post("/token", client + form + (proof.map { [("code_verifier", $0)] } ?? [])).response
            )
            return try answer.errorCode()
        }
        #expect(try ask(begin(challenge), verifier) == nil)
        for proof in [other, nil] { #expect(try ask(begin(challenge), proof) == "invalid_grant") }
        #expect(try ask(begin(challenge), "short") == "invalid_request")
        // A challenge that got lost on the way protects nothing (RFC 9700 §4.8.2).
        #expect(try ask(begin([]), verifier) == "invalid_grant")
        #expect(try ask(begin([]), nil) == nil)
        #expect(try begin([("code_challenge", verifier)]).errorCode() == "invalid_request")
    }

    @Test("offline_access is ignored for one that cannot refresh (OIDC Core §11)")
    func offline() throws {
        for (types, isOffline) in [
            (["authorization_code"], false), (["authorization_code", "refresh_token"], true),
        ] {
            let client = try register(types)
            let code = try visitor.code(["client_id": client.text("client_id")])
            let tokens = try visitor.redeem(
                code,
                ["client_id": client.text("client_id"), "client_secret": client.text("client_secret")]
            ).json()
            #expect((tokens["refresh_token"] != nil) == isOffline)
            #expect(try tokens.text("scope").hasSuffix("offline_access") == isOffline)
        }
    }

    @Test("a client of the configuration may use what is registered there, and every grant if nothing is")
    func configured() throws {
        let secret = Secret("s", kind: .clientSecret)
        let visitor = try Visitor { configuration in
            configuration.clients = [
                SandboxClient(id: "any", name: "any", secret: secret, redirectURIs: []),
                SandboxClient(
                    id: "code", name: "code", secret: secret, redirectURIs: [],
                    grantTypes: ["authorization_code"]),
            ]
        }
        let any: JSONValue = ["client_id": "any", "client_secret": "s"]
        let code: JSONValue = ["client_id": "code", "client_secret": "s"]
        #expect(try ask("client_credentials", any, at: visitor).status == 200)
        #expect(try ask("client_credentials", code, at: visitor).errorCode() == "unauthorized_client")
    }

    @Test("a snapshot keeps what was registered")
    func snapshot() throws {
        let client = try register(["authorization_code"])
        let random = CountingBytes(seed: "restored")
        let restored = Visitor(
            provider: SandboxProvider(
                configuration: visitor.provider.configuration,
                restoring: try SandboxSnapshot(decoding: visitor.provider.snapshot().encoded()),
                random: { random.next($0) }))
        #expect(try ask("client_credentials", client, at: restored).errorCode() == "unauthorized_client")
    }
}
