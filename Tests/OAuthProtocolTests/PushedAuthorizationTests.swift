import JOSE
import OAuthProtocol
import Testing

@Suite("Pushed authorization requests (RFC 9126)")
struct PushedAuthorizationTests {
    private let transaction = Fixture.transaction()

    private func authorization(_ resources: [String] = []) -> RequestPlan {
        AuthorizationRequest.plan(
            endpoint: "https://op.example/authorize?tenant=1", transaction: transaction,
            resources: resources, demands: AuthorizationDemands(dpopThumbprint: "jkt-1"), step: "authorize")
    }

    @Test("everything but a request_uri is posted, with the client's credentials [rule 40]")
    func request() throws {
        let plan = PushedAuthorizationRequest.plan(
            endpoint: "https://op.example/par", authorization: authorization(["https://a", "https://b"]),
            registration: Fixture.registration(.clientSecretPost), dialect: .standard)
        let request = try plan.encoded()
        #expect(request.method == .post)
        #expect(request.url == "https://op.example/par")
        let body = try #require(FormBody.parse(request.body ?? []))
        #expect(
            body.map(\.name) == [
                "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
                "code_challenge_method", "resource", "resource", "dpop_jkt", "client_secret",
            ])
        #expect(body.first { $0.name == "dpop_jkt" }?.value == "jkt-1")
    }

    @Test("with Basic credentials client_id is in the body all the same")
    func basic() throws {
        let request = try PushedAuthorizationRequest.plan(
            endpoint: "https://op.example/par", authorization: authorization(),
            registration: Fixture.registration(.clientSecretBasic), dialect: .standard
        ).encoded()
        #expect(request.field("Authorization")?.hasPrefix("Basic ") == true)
        #expect(request.text.contains("client_id=client-1"))
    }

    private func read(
        _ body: String, status: Int = 201, dialect: ResponseDialect = .standard
    ) -> (error: ProtocolError?, log: CheckLog) {
        failure { log throws(ProtocolError) in
            try PushedAuthorizationResponse.read(
                Fixture.response(body, status: status), dialect: dialect, log: &log)
        }
    }

    @Test("the example of RFC 9126 §2.2 leads to a URL with two parameters and no secret of the request")
    func response() throws {
        var log = CheckLog()
        let pushed = try PushedAuthorizationResponse.read(
            Fixture.response(
                #"{"request_uri":"urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c","expires_in":60}"#,
                status: 201), dialect: .standard, log: &log)
        #expect(pushed.expiresIn == 60)
        #expect(log.passedNames.contains("request_uri"))
        let plan = AuthorizationRequest.plan(
            for: pushed, in: authorization(), clientID: "client-1", step: "authorize")
        #expect(
            plan.sentQuery == [
                "tenant=1", "client_id=client-1",
                "request_uri=urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c",
            ])
        #expect(!"\(plan)".contains("6esc_11ACC5bwc014ltc14eY22c"))
    }

    @Test("another status than 201 is no success, unless the descriptor says so")
    func status() {
        let good = #"{"request_uri":"urn:x","expires_in":60}"#
        #expect(read(good, status: 200).error == .status(200))
        #expect(read(good, status: 200, dialect: ResponseDialect(successStatus: 200...201)).error == nil)
        #expect(read("", status: 302).error == .status(302))
        #expect(
            read(#"{"error":"invalid_request"}"#, status: 400).error
                == .rejected(OAuthError(code: "invalid_request"), status: 400))
    }

    static let wrong: [(body: String, check: Check)] = [
        (#"{"expires_in":60}"#, Checks.requestURI),
        (#"{"request_uri":"","expires_in":60}"#, Checks.requestURI),
        (#"{"request_uri":"urn:a b","expires_in":60}"#, Checks.requestURI),
        (#"{"request_uri":1,"expires_in":60}"#, Checks.requestURI),
        (#"{"request_uri":"urn:x"}"#, Checks.requestURILifetime),
        (#"{"request_uri":"urn:x","expires_in":0}"#, Checks.requestURILifetime),
        (#"{"request_uri":"urn:x","expires_in":-5}"#, Checks.requestURILifetime),
        (#"{"request_uri":"urn:x","expires_in":"60"}"#, Checks.requestURILifetime),
    ]

    @Test("a request_uri that cannot be used, or a lifetime that is none, is refused", arguments: wrong)
    func members(body: String, check: Check) throws {
        let error = try #require(read(body).error)
        guard case .failed(let found, _, _) = error else {
            Issue.record("another error: \(error)")
            return
        }
        #expect(found == check)
    }

    @Test(
        "what such an answer lacks is told apart from what it has wrong",
        arguments: [
            (#"{"expires_in":60}"#, "request_uri, a URI", "none"),
            (#"{"request_uri":"","expires_in":60}"#, "request_uri, a URI", "another value"),
            (#"{"request_uri":"urn:x"}"#, "expires_in, a number above 0", "none"),
            (#"{"request_uri":"urn:x","expires_in":0.9}"#, "expires_in, a number above 0", "another value"),
        ])
    func told(body: String, expected: String, actual: String) {
        guard case .failed(_, let wanted, let found)? = read(body).error else {
            Issue.record("another error")
            return
        }
        #expect([wanted, found] == [expected, actual])
    }

    @Test("the shortest lifetime is a second; the fragments of the request stay at the address")
    func shortest() throws {
        #expect(read(#"{"request_uri":"urn:x","expires_in":1}"#).error == nil)
        var log = CheckLog()
        let pushed = try PushedAuthorizationResponse.read(
            Fixture.response(#"{"request_uri":"urn:x","expires_in":1}"#, status: 201),
            dialect: .standard, log: &log)
        #expect(pushed.expiresIn == 1)
        var plan = authorization()
        plan.fragment = "/route"
        let short = AuthorizationRequest.plan(for: pushed, in: plan, clientID: "c", step: "s")
        #expect(short.fragment == "/route")
        plan.query.append(RequestParameter("request_uri", .text("urn:other"), .step("s"), "RFC 9126 §2.1"))
        let request = PushedAuthorizationRequest.plan(
            endpoint: "https://op.example/par", authorization: plan,
            registration: Fixture.registration(.clientSecretPost), dialect: .standard)
        #expect(!request.body.contains { $0.name == "request_uri" })
    }

    @Test("a lifetime out of all proportion does not overflow")
    func lifetime() throws {
        var log = CheckLog()
        let pushed = try PushedAuthorizationResponse.read(
            Fixture.response(#"{"request_uri":"urn:x","expires_in":1e300}"#, status: 201),
            dialect: .standard, log: &log)
        #expect(pushed.expiresIn == 86_400)
    }
}
