import JOSE
import OAuthProtocol
import Testing

@Suite("Dynamic client registration (RFC 7591, RFC 7592)")
struct RegistrationTests {
    private static let endpoint = "https://op.example/register"
    private static let now: Int64 = 1_577_000_000_000
    private let asked = ClientMetadata(
        redirectURIs: ["http://127.0.0.1/callback"], grantTypes: ["authorization_code", "refresh_token"],
        authenticationMethod: .clientSecretBasic, name: "flow", scopes: ["openid", "email"],
        further: [
            "dpop_bound_access_tokens": true, "client_name": "other", "tos_uri": "https://x.example",
        ])

    private func answer(_ changes: [(String, JSONValue?)] = []) -> JSONObject {
        var answer: JSONObject = [
            "client_id": "s6BhdRkqt3", "client_secret": "cf136dc3c1fc93f31185e5885805d",
            "client_secret_expires_at": 1_577_858_400, "client_id_issued_at": 2_893_256_800,
            "registration_access_token": "reg-23410913-abewfq.123483",
            "registration_client_uri": "https://op.example/register/s6BhdRkqt3",
            "redirect_uris": ["http://127.0.0.1/callback"],
            "token_endpoint_auth_method": "client_secret_basic",
        ]
        for (name, value) in changes { answer[name] = value }
        return answer
    }

    private func created(
        _ changes: [(String, JSONValue?)] = [], status: Int = 201, log: inout CheckLog
    ) throws(ProtocolError) -> RegisteredClient {
        try RegisteredClient.created(
            Fixture.response(answer(changes).serialize(), status: status), endpoint: Self.endpoint,
            asked: asked, now: Self.now, log: &log)
    }

    @Test("a registration is posted as JSON, with the token that allows it")
    func request() throws {
        let request = try ClientRegistrationRequest.plan(
            endpoint: Self.endpoint, metadata: asked,
            initialAccessToken: Secret("init", kind: .accessToken), step: "register"
        ).encoded()
        #expect(request.field("Content-Type") == "application/json")
        #expect(request.field("Authorization") == "Bearer init")
        #expect(
            try JSON.parse(request.body ?? []) == [
                "redirect_uris": ["http://127.0.0.1/callback"],
                "grant_types": ["authorization_code", "refresh_token"],
                "token_endpoint_auth_method": "client_secret_basic", "client_name": "flow",
                "scope": "openid email", "dpop_bound_access_tokens": true, "tos_uri": "https://x.example",
            ])
    }

    @Test("the answer becomes a registration; credentials are no metadata")
    func good() throws {
        var log = CheckLog()
        let client = try created(log: &log)
        #expect(client.clientID == "s6BhdRkqt3")
        #expect(client.secretExpiresAt == 1_577_858_400)
        #expect(log.verdict(Checks.registeredMetadata) == .passed)
        #expect(log.verdict(Checks.registrationManagement) == .passed)
        #expect(client.management?.uri == "https://op.example/register/s6BhdRkqt3")
        #expect(client.metadata["client_secret"] == nil)
        #expect(client.metadata["registration_access_token"] == nil)
        #expect(client.registration().authenticationMethod == .clientSecretBasic)
        #expect(!"\(client)".contains("cf136dc3"))
        #expect(!"\(client)".contains("reg-2341"))
    }

    @Test("a secret that does not end, and one that is not needed")
    func secrets() throws {
        var log = CheckLog()
        #expect(try created([("client_secret_expires_at", 0)], log: &log).secretExpiresAt == nil)
        #expect(try created([("client_secret_expires_at", 1_577_000_001)], log: &log).reservations == [])
        let open = try created(
            [("client_secret", nil), ("token_endpoint_auth_method", "none")], log: &log)
        #expect(open.secret == nil)
        #expect(open.registration().authenticationMethod == .none)
    }

    static let wrong: [(change: (String, JSONValue?), error: ProtocolError)] = [
        (("client_id", nil), nameless("none")), (("client_id", ""), nameless("another value")),
        (("client_id", 5), nameless("another value")),
        (("client_id", "a\u{7F}"), nameless("another value")),
        (("client_id", "\u{E4}"), nameless("another value")),
        (("client_secret", nil), secretless("none")), (("client_secret", ""), secretless("none")),
        (("client_secret", "a\u{1F}"), secretless("one that is no printable ASCII")),
    ]

    private static func nameless(_ actual: String) -> ProtocolError {
        .failed(Checks.registeredClient, expected: "client_id, a text", actual: actual)
    }

    private static func secretless(_ actual: String) -> ProtocolError {
        .failed(
            Checks.registeredSecret, expected: "client_secret, for client_secret_basic", actual: actual)
    }

    @Test(
        "an answer that names no client, or lacks the secret it needs, is refused", arguments: wrong)
    func refusal(change: (String, JSONValue?), expected: ProtocolError) {
        #expect(failure { log throws(ProtocolError) in try created([change], log: &log) }.error == expected)
    }

    static let changed: [(change: (String, JSONValue?), reservation: String)] = [
        (
            ("token_endpoint_auth_method", "attest_jwt_client_auth"),
            "token_endpoint_auth_method is attest_jwt_client_auth, which is not known here"
        ),
        (
            ("token_endpoint_auth_method", "none"),
            "token_endpoint_auth_method is none, not client_secret_basic"
        ),
        (("redirect_uris", ["https://evil.example/"]), "redirect_uris lacks http://127.0.0.1/callback"),
        (("grant_types", ["implicit"]), "grant_types lacks authorization_code refresh_token"),
        (("scope", "openid"), "scope lacks email"),
        (("client_secret_expires_at", 1), "its secret has ended already: client_secret_expires_at is 1"),
        (
            ("client_secret_expires_at", 1_577_000_000),
            "its secret has ended already: client_secret_expires_at is 1577000000"
        ),
        (
            ("registration_client_uri", "https://evil.example/x"),
            "registration_client_uri is https://evil.example/x, not at https://op.example, so it is not used"
        ),
        (
            ("registration_client_uri", "http://op.example/x"),
            "registration_client_uri is http://op.example/x, not at https://op.example, so it is not used"
        ),
        (
            ("registration_access_token", "a b"),
            "registration_access_token is no printable ASCII, so it is not used"
        ),
    ]

    @Test("what the client relies on in later answers is compared; what is usual need not be repeated")
    func demands() throws {
        var asked = asked
        asked.further = [
            "id_token_signed_response_alg": "RS256", "id_token_encrypted_response_alg": "ECDH-ES",
            "id_token_encrypted_response_enc": "A128CBC-HS256", "userinfo_signed_response_alg": "ES256",
            "dpop_bound_access_tokens": true, "request_object_signing_alg": "PS256",
            "application_type": "native", "software_statement": "a.b.c",
            "post_logout_redirect_uris": ["https://app.example/bye"],
        ]
        func told(_ changes: [(String, JSONValue?)]) throws -> [String] {
            var log = CheckLog()
            let response = Fixture.response(answer(changes).serialize(), status: 201)
            let client = try RegisteredClient.created(
                response, endpoint: Self.endpoint, asked: asked, now: Self.now, log: &log)
            return client.reservations
        }
        #expect(
            try told([]) == [
                "nothing says that id_token_encrypted_response_alg is ECDH-ES",
                "nothing says that userinfo_signed_response_alg is ES256",
            ])
        #expect(
            try told([
                ("id_token_encrypted_response_alg", "ECDH-ES"),
                ("id_token_encrypted_response_enc", "A256GCM"), ("userinfo_signed_response_alg", "RS256"),
                ("id_token_signed_response_alg", "PS256"), ("dpop_bound_access_tokens", false),
                ("application_type", "web"), ("software_statement", "d.e.f"),
                ("post_logout_redirect_uris", []),
            ]) == [
                "post_logout_redirect_uris lacks https://app.example/bye",
                "id_token_signed_response_alg is PS256, not RS256",
                "id_token_encrypted_response_enc is A256GCM, not A128CBC-HS256",
                "userinfo_signed_response_alg is RS256, not ES256",
                "dpop_bound_access_tokens is false, not true", "application_type is web, not native",
            ])
        asked.further = [
            "id_token_signed_response_alg": "PS256", "userinfo_encrypted_response_enc": "A256GCM",
        ]
        #expect(
            try told([]) == [
                "nothing says that id_token_signed_response_alg is PS256",
                "nothing says that userinfo_encrypted_response_enc is A256GCM",
            ])
    }

    @Test(
        "what the server registered otherwise is told, and the client with its secret is kept",
        arguments: changed)
    func reservations(change: (String, JSONValue?), reservation: String) throws {
        var log = CheckLog()
        let client = try created([change], log: &log)
        #expect(client.reservations == [reservation])
        #expect(client.clientID == "s6BhdRkqt3")
        #expect(client.secret != nil)
        let leadsAway = change.0.hasPrefix("registration_")
        #expect((client.management == nil) == leadsAway)
    }

    @Test("201 is success, 200 a client that exists all the same, and an error is the server's word")
    func status() throws {
        var log = CheckLog()
        #expect(try created(status: 200, log: &log).clientID == "s6BhdRkqt3")
        let refused = failure { log throws(ProtocolError) in
            try RegisteredClient.created(
                Fixture.response(#"{"error":"invalid_redirect_uri"}"#, status: 200), endpoint: Self.endpoint,
                asked: asked, now: Self.now, log: &log)
        }.error
        #expect(refused == .rejected(OAuthError(code: "invalid_redirect_uri"), status: 200))
        #expect(
            failure { log throws(ProtocolError) in try created(status: 202, log: &log) }.error == .status(202)
        )
        let error = failure { log throws(ProtocolError) in
            try RegisteredClient.created(
                Fixture.response(#"{"error":"invalid_redirect_uri"}"#, status: 400), endpoint: Self.endpoint,
                asked: asked, now: Self.now, log: &log)
        }.error
        #expect(error == .rejected(OAuthError(code: "invalid_redirect_uri"), status: 400))
    }

    @Test(
        "of a client whose registration is refused the identifier is told where one was made",
        arguments: [
            (201, "a\u{1B}b", "ab"), (200, "a", "a"), (201, "", nil), (202, "a", nil), (400, "a", nil),
        ]
            as [(Int, String, String?)])
    func identifier(status: Int, id: String, told: String?) {
        let body = JSONValue.object(["client_id": .string(id)]).serialize()
        #expect(RegisteredClient.identifier(in: Fixture.response(body, status: status)) == told)
    }

    @Test("reading, changing and deleting carry the token of the registration")
    func management() throws {
        var log = CheckLog()
        let client = try created(log: &log)
        let management = try #require(client.management)
        let read = try ClientManagementRequest.read(management, step: "m").encoded()
        #expect(read.method == .get)
        #expect(read.field("Authorization") == "Bearer reg-23410913-abewfq.123483")
        let update = try ClientManagementRequest.update(
            client, management,
            metadata: ClientMetadata(
                redirectURIs: ["http://127.0.0.1/callback"],
                further: ["client_id": "x", "registration_access_token": "y"]), step: "m"
        ).encoded()
        #expect(update.method == .put)
        #expect(
            try JSON.parse(update.body ?? []) == [
                "client_id": "s6BhdRkqt3", "client_secret": "cf136dc3c1fc93f31185e5885805d",
                "redirect_uris": ["http://127.0.0.1/callback"],
            ])
        #expect(try ClientManagementRequest.delete(management, step: "m").encoded().method == .delete)
    }

    @Test("the answer of the management keeps or replaces what manages it, for the same client only")
    func managed() throws {
        var log = CheckLog()
        let client = try created(log: &log)
        let managed = { (changes: [(String, JSONValue?)]) throws(ProtocolError) in
            var log = CheckLog()
            return try RegisteredClient.managed(
                Fixture.response(answer(changes).serialize()), known: client, now: Self.now, log: &log)
        }
        #expect(
            try managed([("registration_client_uri", nil), ("registration_access_token", nil)]).management
                == client.management)
        #expect(
            try managed([("registration_access_token", "new")]).management?.token.reveal() == "new")
        let moved = try managed([
            ("registration_access_token", "new"), ("registration_client_uri", "https://evil.example/x"),
        ])
        #expect(
            moved.management
                == .init(
                    uri: client.management?.uri ?? "", token: Secret("new", kind: .registrationAccessToken)))
        #expect(moved.reservations.count == 1)
        #expect(
            throws: ProtocolError.failed(Checks.registeredClient, expected: "s6BhdRkqt3", actual: "other")
        ) { try managed([("client_id", "other")]) }
    }

    @Test("what a server does not repeat of a client stays as it was")
    func unrepeated() throws {
        var log = CheckLog()
        let client = RegisteredClient.stored(
            clientID: "s6BhdRkqt3", secret: Secret("kept", kind: .clientSecret), method: .clientSecretPost,
            management: try created(log: &log).management ?? .init(uri: "", token: Secret("", kind: .other)))
        func managed(_ changes: [(String, JSONValue?)]) throws -> RegisteredClient {
            try RegisteredClient.managed(
                Fixture.response(answer(changes).serialize()), known: client, now: Self.now, log: &log)
        }
        let short = try managed([
            ("client_secret", nil), ("token_endpoint_auth_method", ["client_secret_post"]),
        ])
        #expect(short.secret?.reveal() == "kept")
        #expect(short.authenticationMethod == .clientSecretPost)
        #expect(short.secretExpiresAt == nil)
        let open = try managed([("client_secret", nil), ("token_endpoint_auth_method", "none")])
        #expect(open.secret == nil)
        // Its secret may be kept elsewhere.
        let elsewhere = RegisteredClient.stored(
            clientID: "s6BhdRkqt3", secret: nil, method: .clientSecretPost,
            management: try #require(client.management))
        var answered = CheckLog()
        #expect(
            try RegisteredClient.managed(
                Fixture.response(answer([("client_secret", nil)]).serialize()), known: elsewhere,
                now: Self.now, log: &answered
            ).secret == nil)
    }

    @Test("a registration that nobody may change has no management")
    func unmanaged() throws {
        for missing in [
            ("registration_access_token", nil), ("registration_access_token", ""),
            ("registration_client_uri", nil), ("registration_client_uri", .null),
        ] as [(String, JSONValue?)] {
            var log = CheckLog()
            let client = try created([missing], log: &log)
            #expect(client.management == nil)
            #expect(client.reservations == [])
            #expect(
                log.verdict(Checks.registrationManagement)
                    == .notApplicable("the server lets nobody change a registration"))
        }
    }

    @Test("a registration that is gone answers 401; a deletion 204")
    func gone() throws {
        var log = CheckLog()
        let client = try created(log: &log)
        for (status, challenges, code) in [
            (401, ["Bearer error=\"invalid_token\""], "invalid_token"), (401, [], "invalid_token"),
            (403, ["Basic realm=\"x\"", "Bearer error=\"insufficient_scope\""], "insufficient_scope"),
            (403, [], "invalid_token"),
        ] {
            let error = failure { log throws(ProtocolError) in
                try RegisteredClient.managed(
                    HTTPResponse(
                        status: status, fields: challenges.map { HTTPField("WWW-Authenticate", $0) }),
                    known: client, now: Self.now, log: &log)
            }.error
            #expect(error == .rejected(OAuthError(code: code), status: status))
        }
        try RegisteredClient.checkDeleted(HTTPResponse(status: 204), log: &log)
        #expect(
            failure { log throws(ProtocolError) in
                try RegisteredClient.checkDeleted(HTTPResponse(status: 405), log: &log)
            }.error == .status(405))
    }
}
