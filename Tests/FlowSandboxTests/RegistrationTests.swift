import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

@Suite("Registration at the sandbox (RFC 7591, RFC 7592)")
struct RegistrationTests {
    private static let endpoint = Visitor.issuer + "/register"
    private let signer: Signer
    private let visitor: Visitor

    init() throws {
        signer = try Signer()
        visitor = try Visitor()
    }

    private func metadata(
        _ method: ClientAuthenticationMethod? = nil, keySet: JSONObject? = nil
    ) -> ClientMetadata {
        ClientMetadata(
            redirectURIs: [Visitor.redirectURI], authenticationMethod: method, name: "Dynamic", keySet: keySet
        )
    }

    private func register(
        _ metadata: ClientMetadata, at other: Visitor? = nil, token: Secret? = nil
    ) throws -> RegisteredClient {
        var log = CheckLog()
        let response = try (other ?? visitor).send(
            ClientRegistrationRequest.plan(
                endpoint: Self.endpoint, metadata: metadata, initialAccessToken: token, step: "register"))
        return try RegisteredClient.created(
            response, endpoint: Self.endpoint, asked: metadata, now: Visitor.now, log: &log)
    }

    /// Signs in as that client.
    private func signIn(
        _ registration: ClientRegistration, at other: Visitor? = nil
    ) throws -> HTTPResponse {
        let visitor = other ?? visitor
        let code = try signer.code(visitor.authorize(["client_id": registration.clientID]))
        return try visitor.send(signer.exchange(code, registration: registration))
    }

    @Test("a browser is sent where the client registered it to go after signing out, and nowhere else")
    func farewells() throws {
        var asked = metadata()
        asked.further["post_logout_redirect_uris"] = ["https://app.example/bye"]
        let client = try register(asked)
        #expect(client.reservations.isEmpty)
        let random = CountingBytes(seed: "second")
        let again = Visitor(
            provider: SandboxProvider(
                configuration: visitor.provider.configuration, restoring: visitor.provider.snapshot(),
                random: { random.next($0) }))
        for (place, isKnown) in [("https://app.example/bye", true), ("https://app.example/by", false)] {
            let plan = LogoutRequest.plan(
                endpoint: Visitor.issuer + "/logout", idToken: nil, clientID: client.clientID,
                redirectURI: place, state: nil, dialect: .standard, step: "logout")
            for visitor in [visitor, again] {
                let answer = try visitor.send(plan)
                #expect(answer.field("Location") == (isKnown ? place : nil))
                let text = String(decoding: answer.body, as: UTF8.self)
                #expect(text.contains("You are not signed out") == !isKnown)
            }
        }
    }

    @Test("a client that registered signs in with the method it chose")
    func methods() throws {
        for method in [nil, .clientSecretPost, ClientAuthenticationMethod.none] {
            let client = try register(metadata(method))
            #expect(client.authenticationMethod == method ?? .clientSecretBasic)
            #expect(try signIn(client.registration()).status == 200)
        }
        let client = try register(metadata(.privateKeyJWT, keySet: signer.keySet))
        #expect(client.secret == nil)
        var registration = client.registration()
        registration.assertion = try SignedAssertion.make(
            .client(client.clientID, at: Visitor.issuer), signer: signer.signer, randomBytes: signer.bytes(),
            now: Visitor.now)
        #expect(try signIn(registration).status == 200)
    }

    @Test("encryption, of which the sandbox has none, is not registered, and the client is told")
    func encryption() throws {
        var metadata = metadata(nil)
        metadata.further = [
            "id_token_encrypted_response_alg": "RSA-OAEP", "id_token_signed_response_alg": "ES256",
        ]
        let client = try register(metadata)
        #expect(client.reservations == ["nothing says that id_token_encrypted_response_alg is RSA-OAEP"])
        #expect(client.metadata["id_token_signed_response_alg"] == "ES256")
    }

    @Test("a registration is read, changed and deleted with its own token")
    func management() throws {
        var log = CheckLog()
        let client = try register(metadata())
        let management = try #require(client.management)
        let read = try RegisteredClient.managed(
            visitor.send(ClientManagementRequest.read(management, step: "m")), known: client,
            now: Visitor.now, log: &log)
        #expect(read.metadata["client_name"] == "Dynamic")
        #expect(read.secret == client.secret)
        var changed = metadata(.clientSecretPost)
        changed.name = "Renamed"
        let update = try RegisteredClient.managed(
            visitor.send(
                ClientManagementRequest.update(client, management, metadata: changed, step: "m")),
            known: client, asked: changed, now: Visitor.now, log: &log)
        #expect(update.metadata["client_name"] == "Renamed")
        #expect(update.authenticationMethod == .clientSecretPost)
        #expect(try signIn(update.registration()).status == 200)
        try RegisteredClient.checkDeleted(
            visitor.send(ClientManagementRequest.delete(management, step: "m")), log: &log)
        #expect(try visitor.send(ClientManagementRequest.read(management, step: "m")).status == 401)
        #expect(try visitor.authorize(["client_id": client.clientID]).status == 400)
    }

    @Test(
        "grant types that the token endpoint does not know are not registered",
        arguments: [
            ["password"], ["authorization_code", "implicit"], ["urn:example:odd"], "authorization_code", [1],
            nil,
        ] as [JSONValue])
    func oddGrantTypes(types: JSONValue) throws {
        let answer = try #require(
            visitor.register([
                "redirect_uris": [.string(Visitor.redirectURI)], "grant_types": types,
            ]).response)
        #expect(answer.status == 400)
        #expect(try answer.errorCode() == "invalid_client_metadata")
    }

    @Test("the grant of an ID token beside the code goes with that response type (OpenID Registration §2)")
    func hybridGrant() throws {
        let grants: JSONValue = ["authorization_code", "implicit"]
        let answer = try #require(
            visitor.register([
                "redirect_uris": [.string(Visitor.redirectURI)], "grant_types": grants,
                "response_types": ["code id_token"],
            ]).response)
        #expect(answer.status == 201)
        #expect(answer.json?["grant_types"] == grants)
    }

    @Test("another client's token manages nothing")
    func strangers() throws {
        let one = try #require(try register(metadata()).management)
        let other = try #require(try register(metadata()).management)
        let mixed = RegisteredClient.Management(uri: one.uri, token: other.token)
        for plan in [
            ClientManagementRequest.read(mixed, step: "m"), ClientManagementRequest.delete(mixed, step: "m"),
        ] {
            #expect(try visitor.send(plan).status == 401)
        }
        #expect(visitor.send("PATCH", "/register/x", nil).response?.status == 405)
    }

    @Test("where registration is not open, a token is needed")
    func closed() throws {
        let token = Secret("initial", kind: .accessToken)
        let closed = try Visitor { $0.initialAccessToken = token }
        #expect(
            closed.register(["redirect_uris": [.string(Visitor.redirectURI)]]).response?.status == 401)
        #expect(try register(metadata(), at: closed, token: token).clientID.hasPrefix("dyn-"))
    }

    static let refused: [(metadata: JSONValue, code: String)] = [
        ([:], "invalid_redirect_uri"), (["redirect_uris": [1]], "invalid_redirect_uri"),
        (["redirect_uris": ["https://a.example/#b"]], "invalid_redirect_uri"),
        (
            ["redirect_uris": ["https://a.example/"], "token_endpoint_auth_method": "magic"],
            "invalid_client_metadata"
        ),
        (
            ["redirect_uris": ["https://a.example/"], "token_endpoint_auth_method": "private_key_jwt"],
            "invalid_client_metadata"
        ),
        (["redirect_uris": ["https://a.example/"], "jwks": ["keys": []]], "invalid_client_metadata"),
        ([], "invalid_client_metadata"),
    ]

    @Test("metadata that cannot be registered is refused", arguments: refused)
    func refusals(metadata: JSONValue, code: String) throws {
        #expect(try visitor.register(metadata).response?.errorCode() == code)
    }

    private func created(fault: String) throws(ProtocolError) -> RegisteredClient {
        var log = CheckLog()
        let response: HTTPResponse
        do {
            response = try Visitor(faults: ["registration:\(fault)"]).send(
                ClientRegistrationRequest.plan(
                    endpoint: Self.endpoint, metadata: metadata(), step: "register"))
        } catch {
            throw .malformed("test", detail: "\(error)")
        }
        return try RegisteredClient.created(
            response, endpoint: Self.endpoint, asked: metadata(), now: Visitor.now, log: &log)
    }

    @Test("an answer without a client is refused, one with another client than was asked for is told apart")
    func faults() throws {
        #expect(
            throws: ProtocolError.failed(
                Checks.registeredClient, expected: "client_id, a text", actual: "none")
        ) { try created(fault: "client_id=missing") }
        for fault in ["redirect_uris=other", "management=other"] {
            let client = try created(fault: fault)
            #expect(client.reservations.count == 1, "\(fault)")
            #expect(client.secret != nil, "\(fault)")
        }
    }

    @Test("a snapshot keeps who registered")
    func snapshot() throws {
        let client = try register(metadata())
        let random = CountingBytes(seed: "restored")
        let restored = Visitor(
            provider: SandboxProvider(
                configuration: visitor.provider.configuration,
                restoring: try SandboxSnapshot(decoding: visitor.provider.snapshot().encoded()),
                random: { random.next($0) }))
        #expect(try signIn(client.registration(), at: restored).status == 200)
    }
}
