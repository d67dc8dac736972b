import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

@Suite("Request objects at the sandbox (RFC 9101)")
struct SignedRequestTests {
    private let signer: Signer
    private let visitor: Visitor

    init() throws {
        signer = try Signer()
        visitor = try signer.visitor()
    }

    private func plan(
        _ authorization: RequestPlan? = nil, issuer: String = Visitor.issuer, clientID: String = Signer.id,
        with other: MessageSigner? = nil, now: Int64 = Visitor.now, lifetime: Int64 = 300
    ) throws -> RequestPlan {
        let authorization = authorization ?? signer.authorization()
        let object = try RequestObject.sign(
            authorization, clientID: clientID, issuer: issuer, signer: other ?? signer.signer,
            randomBytes: signer.bytes(), now: now, lifetime: lifetime)
        return RequestObject.plan(object, in: authorization, clientID: Signer.id, step: "authorize")
    }

    @Test("a signed request is as good as its parameters, and nothing beside it counts")
    func good() throws {
        var signed = try plan()
        signed.query.append(RequestParameter("scope", .text("openid phone"), .step("x")))
        let tokens = try signer.tokens(visitor, signed)
        #expect(tokens.scopes == ["openid", "email", "offline_access"])
    }

    @Test("the client secret may sign too")
    func secret() throws {
        let secret = SharedSecret(Array(Signer.secret.utf8))
        #expect(try visitor.send(plan(with: .secret(secret, .hs256))).status == 303)
    }

    @Test("details, resources and claims come through as they were meant")
    func structured() throws {
        let demands = AuthorizationDemands(
            authorizationDetails: try .parse([["type": "payment_initiation", "amount": 5]]),
            claims: try .parse(["id_token": ["locale": nil]]))
        let authorization = signer.authorization(
            nil, resources: [Visitor.issuer + "/resource", "https://api.example"], demands)
        let tokens = try signer.tokens(visitor, try plan(authorization))
        #expect(
            tokens.members["authorization_details"] == [["type": "payment_initiation", "amount": 5]])
    }

    @Test("an object that is not the client's, for the sandbox, and current is refused on a page")
    func refusals() throws {
        let stranger = MessageSigner.key(try PrivateKey.generate(.ec(.p256)), .es256, kid: "c1")
        let refused = [
            try plan(with: stranger), try plan(issuer: "https://other.example"),
            try plan(clientID: "flowrun-sandbox"), try plan(now: Visitor.now - 301_000),
            try plan(lifetime: 7200),
        ]
        for plan in refused {
            let response = try visitor.send(plan)
            #expect(response.status == 400)
            #expect(response.text.contains("The request cannot be believed"))
        }
    }

    @Test("an unsigned object, and one with another typ, are no objects")
    func types() throws {
        let claims: JSONObject = ["iss": .string(Signer.id), "aud": .string(Visitor.issuer)]
        let none =
            Base64URL.encode(#"{"alg":"none"}"#.utf8) + "." + Base64URL.encode(claims.serialize().utf8) + "."
        let jwt = try signer.signer.sign(claims, type: "JWT")
        for object in [none, jwt] {
            let plan = RequestObject.plan(
                Secret(object, kind: .requestObject), in: signer.authorization(), clientID: Signer.id,
                step: "authorize")
            #expect(try visitor.send(plan).status == 400)
        }
    }

    @Test("a pushed object is refused with its own error")
    func pushed() throws {
        let plan = { (authorization: RequestPlan) in
            PushedAuthorizationRequest.plan(
                endpoint: Visitor.issuer + "/par", authorization: authorization,
                registration: try signer.registration(), dialect: .standard)
        }
        #expect(try visitor.send(plan(try self.plan())).status == 201)
        let wrong = try self.plan(issuer: "https://other.example")
        #expect(try visitor.send(plan(wrong)).errorCode() == "invalid_request_object")
    }

    @Test("a client that registered to sign its requests is refused without")
    func required() throws {
        let strict = try signer.visitor([.privateKeyJWT], .init(signedRequest: true))
        #expect(try strict.send(signer.authorization()).callback()["error"] == ["invalid_request"])
        #expect(try strict.send(plan()).status == 303)
    }
}

@Suite("Response modes of the sandbox (Form Post, JARM)")
struct ResponseModeTests {
    private let signer: Signer

    init() throws {
        signer = try Signer()
    }

    private func parameters(_ response: HTTPResponse) throws -> [(name: String, value: String)] {
        if response.status == 200 {
            let names = ["response", "code", "state", "iss", "error"]
            return names.filter { response.text.contains("name=\"\($0)\" value=") }.map {
                ($0, (try? response.hidden($0)) ?? "")
            }
        }
        return try response.callback().flatMap { name, values in values.map { (name: name, value: $0) } }
    }

    private func validate(_ visitor: Visitor, mode: String) throws -> ProtocolError? {
        let items = try parameters(try visitor.send(signer.authorization(nil, mode: mode)))
        let keys = try visitor.keySet()
        return refusal { log throws(ProtocolError) in
            let token = try SecuredAuthorizationResponse.token(in: items, log: &log)
            let jws = try MessageSignature.verify(
                token, .authorizationResponse, keys: keys, allowed: [.es256], log: &log)
            let secured = try SecuredAuthorizationResponse.validate(
                jws, issuers: [Visitor.issuer], clientID: Signer.id, now: Visitor.now, log: &log)
            return try AuthorizationResponse.validate(
                secured.parameters, transaction: signer.transaction(), issuerParameterSupported: true,
                log: &log)
        }
    }

    @Test("a form carries the same parameters, and sends itself under a policy that allows only that")
    func formPost() throws {
        let response = try signer.visitor().send(signer.authorization(nil, mode: "form_post"))
        #expect(response.status == 200)
        let items = try parameters(response)
        #expect(items.map(\.name) == ["code", "state", "iss"])
        #expect(response.text.contains("<form method=\"post\" action=\"\(Visitor.redirectURI)\">"))
        let policy = try #require(response.field("Content-Security-Policy"))
        let script = "document.forms[0].submit()"
        #expect(response.text.contains("<script>\(script)</script>"))
        #expect(policy.contains("script-src 'sha256-\(Base64.encode(Digest.sha256(script.utf8)))'"))
        #expect(policy.contains("form-action 'self' http://127.0.0.1:5555"))
    }

    @Test("an error travels in the mode that was asked for")
    func error() throws {
        let visitor = try signer.visitor()
        let plan = signer.authorization(signer.transaction(scopes: ["nothing"]), mode: "form_post")
        #expect(try visitor.send(plan).hidden("error") == "invalid_scope")
        let secured = signer.authorization(signer.transaction(scopes: ["nothing"]), mode: "jwt")
        #expect(try visitor.send(secured).callback().keys.sorted() == ["response"])
    }

    @Test("a signed response passes every check", arguments: ["jwt", "query.jwt", "form_post.jwt"])
    func secured(mode: String) throws {
        #expect(try validate(signer.visitor(), mode: mode) == nil)
    }

    static let faults: [(fault: String, check: Check)] = [
        ("jarm:iss=other", Checks.securedIssuer), ("jarm:iss=missing", Checks.securedIssuer),
        ("jarm:aud=other", Checks.securedAudience), ("jarm:aud=missing", Checks.securedAudience),
        ("jarm:expired", Checks.securedExpiry), ("jarm:exp=missing", Checks.securedExpiry),
        ("jarm:signature=bad", Checks.signature), ("jarm:alg=none", Checks.algorithm),
        ("jarm:kid=unknown", Checks.key), ("callback:jarm=plain", Checks.securedResponse),
        ("callback:state=wrong", Checks.state), ("callback:state=missing", Checks.state),
    ]

    @Test("every fault of it fails its check", arguments: faults)
    func fault(fault: String, check: Check) throws {
        #expect(try validate(signer.visitor(faults: [fault]), mode: "jwt")?.check == check)
    }

    @Test("the answer may come in another mode than it was asked for")
    func otherMode() throws {
        let form = try signer.visitor(faults: ["callback:mode=form_post"])
        #expect(try form.send(signer.authorization()).status == 200)
        let query = try signer.visitor(faults: ["callback:mode=query"])
        #expect(try query.send(signer.authorization(nil, mode: "form_post")).status == 303)
    }
}
