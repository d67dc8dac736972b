import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

@Suite("Pushed authorization requests at the sandbox (RFC 9126)")
struct PushedRequestTests {
    private let signer: Signer

    init() throws {
        signer = try Signer()
    }

    private func push(_ visitor: Visitor, _ authorization: RequestPlan? = nil) throws -> HTTPResponse {
        try visitor.send(
            PushedAuthorizationRequest.plan(
                endpoint: Visitor.issuer + "/par", authorization: authorization ?? signer.authorization(),
                registration: try signer.registration(), dialect: .standard))
    }

    private func read(_ response: HTTPResponse) throws -> PushedAuthorizationResponse {
        var log = CheckLog()
        return try PushedAuthorizationResponse.read(response, dialect: .standard, log: &log)
    }

    private func open(_ pushed: PushedAuthorizationResponse) -> RequestPlan {
        AuthorizationRequest.plan(
            for: pushed, in: signer.authorization(), clientID: Signer.id, step: "authorize")
    }

    @Test("a pushed request is redeemed by its name, once")
    func once() throws {
        let visitor = try signer.visitor()
        let pushed = try read(try push(visitor))
        #expect(pushed.expiresIn == 60)
        let code = try signer.code(visitor.send(open(pushed)))
        #expect(try visitor.send(signer.exchange(code)).status == 200)
        #expect(try visitor.send(open(pushed)).status == 400)
    }

    @Test("the name is over after its lifetime")
    func expiry() throws {
        var visitor = try signer.visitor()
        let pushed = try read(try push(visitor))
        visitor.now += 60_000
        #expect(try visitor.send(open(pushed)).status == 400)
    }

    @Test("another client cannot use the name, and does not spend it")
    func otherClient() throws {
        let visitor = try signer.visitor()
        let pushed = try read(try push(visitor))
        let stolen = AuthorizationRequest.plan(
            for: pushed, in: signer.authorization(), clientID: "flowrun-sandbox", step: "authorize")
        #expect(try visitor.send(stolen).status == 400)
        #expect(try visitor.send(open(pushed)).status == 303)
    }

    @Test("what the browser adds does not count")
    func tampering() throws {
        let visitor = try signer.visitor()
        var plan = open(try read(try push(visitor)))
        plan.query.append(RequestParameter("scope", .text("openid phone"), .step("x")))
        let code = try signer.code(visitor.send(plan))
        let tokens = try signer.read(try visitor.send(signer.exchange(code)))
        #expect(tokens.scopes == ["openid", "email", "offline_access"])
    }

    @Test("the client authenticates, and the request is checked, before anything is kept")
    func refusals() throws {
        let visitor = try signer.visitor()
        let bare = PushedAuthorizationRequest.plan(
            endpoint: Visitor.issuer + "/par", authorization: signer.authorization(),
            registration: ClientRegistration(clientID: Signer.id, authenticationMethod: .none),
            dialect: .standard)
        #expect(
            refusal { log throws(ProtocolError) in
                try PushedAuthorizationResponse.read(
                    (try? visitor.send(bare)) ?? HTTPResponse(status: 0), dialect: .standard, log: &log)
            }?.code == "invalid_client")
        let unknown = signer.authorization(signer.transaction(scopes: ["openid", "unknown"]))
        #expect(try push(visitor, unknown).errorCode() == "invalid_scope")
        let form: Pairs = Visitor.request(["request_uri": "urn:x"])
        #expect(try visitor.post("/par", form).response?.errorCode() == "invalid_request")
        #expect(
            try visitor.post("/par", Visitor.request(["redirect_uri": "https://evil.example/"])).response?
                .errorCode() == "invalid_request")
    }

    @Test("a sandbox or a client that insists takes no other request")
    func required() throws {
        let everybody = try signer.visitor { $0.requiresPushedRequests = true }
        let direct = try everybody.send(signer.authorization()).callback()
        #expect(direct["error"] == ["invalid_request"])
        #expect(try everybody.send(open(try read(try push(everybody)))).status == 303)
        let metadata = try #require(everybody.get("/.well-known/openid-configuration").response).json()
        #expect(metadata["require_pushed_authorization_requests"] == true)
        let one = try signer.visitor([.privateKeyJWT], .init(pushedRequest: true))
        #expect(try one.send(signer.authorization()).callback()["error"] == ["invalid_request"])
        #expect(try one.authorize().callback()["code"] != nil)
    }

    @Test("a proof at the endpoint binds the code")
    func proof() throws {
        let visitor = try signer.visitor(faults: ["par:dpop_nonce"])
        let plan = { (nonce: String?) in
            try signer.prove(
                PushedAuthorizationRequest.plan(
                    endpoint: Visitor.issuer + "/par", authorization: signer.authorization(),
                    registration: try signer.registration(), dialect: .standard),
                nonce: nonce)
        }
        let nonce = try #require(DPoPNonces.demanded(by: try visitor.send(plan(nil)), .authorization))
        let pushed = try read(try visitor.send(plan(nonce)))
        let bare = try signer.exchange(signer.code(visitor.send(open(pushed))))
        #expect(try visitor.send(bare).errorCode() == "invalid_grant")
    }

    static let faults: [(fault: String, check: Check)] = [
        ("request_uri=missing", Checks.requestURI), ("request_uri=empty", Checks.requestURI),
        ("expires_in=missing", Checks.requestURILifetime), ("expires_in=0", Checks.requestURILifetime),
    ]

    @Test("every fault of the answer is one that a client refuses", arguments: faults)
    func fault(fault: String, check: Check) throws {
        let response = try push(try signer.visitor(faults: ["par:\(fault)"]))
        #expect(
            refusal { log throws(ProtocolError) in
                try PushedAuthorizationResponse.read(response, dialect: .standard, log: &log)
            }?.check == check)
    }

    @Test("a status of 200 and an error in its place are refused too")
    func status() throws {
        for (fault, error) in [
            ("par:status=200", ProtocolError.status(200)),
            (
                "par:invalid_request",
                .rejected(
                    OAuthError(code: "invalid_request", description: "the sandbox was asked for this fault"),
                    status: 400)
            ),
        ] {
            let response = try push(try signer.visitor(faults: [fault]))
            #expect(
                refusal { log throws(ProtocolError) in
                    try PushedAuthorizationResponse.read(response, dialect: .standard, log: &log)
                } == error)
        }
    }
}
