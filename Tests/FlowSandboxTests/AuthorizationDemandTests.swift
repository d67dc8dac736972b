import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

@Suite("Details, resources and claims at the sandbox (RFC 9396, RFC 8707, OIDC Core §5.5)")
struct AuthorizationDemandTests {
    private let signer: Signer
    private let visitor: Visitor
    private static let resource = Visitor.issuer + "/resource"

    init() throws {
        signer = try Signer()
        visitor = try signer.visitor()
    }

    private func call(
        _ token: Secret, _ query: String = "", at moment: Visitor? = nil
    ) throws -> HTTPResponse {
        try (moment ?? visitor).send(
            UserInfoRequest.plan(
                endpoint: Self.resource + query, accessToken: token, dialect: .standard, step: "call"))
    }

    private let payment: JSONValue = [["type": "payment_initiation", "amount": "123.50"]]

    private func details(_ faults: [String] = []) throws -> (
        tokens: TokenResponse, asked: AuthorizationDetails
    ) {
        let asked = try AuthorizationDetails.parse(payment)
        let demands = AuthorizationDemands(authorizationDetails: asked)
        return (
            try signer.tokens(signer.visitor(faults: faults), signer.authorization(nil, demands)), asked
        )
    }

    @Test("details come back with the tokens")
    func granted() throws {
        let (tokens, asked) = try details()
        var log = CheckLog()
        #expect(try AuthorizationDetails.granted(in: tokens, asked: asked, log: &log) == asked)
    }

    @Test("they may be missing, or others")
    func faults() throws {
        var log = CheckLog()
        let missing = try details(["token:authorization_details=missing"])
        #expect(try AuthorizationDetails.granted(in: missing.tokens, asked: missing.asked, log: &log) == nil)
        let other = try details(["token:authorization_details=other"])
        #expect(
            refusal { log throws(ProtocolError) in
                try AuthorizationDetails.granted(in: other.tokens, asked: other.asked, log: &log)
            }?.check == Checks.authorizationDetails)
    }

    @Test("a token is for the resources of the request, or for those of them that the exchange names")
    func resources() throws {
        let both = signer.authorization(nil, resources: [Self.resource, "https://api.example"])
        #expect(try call(signer.tokens(visitor, both).accessToken).status == 200)
        let code = try signer.code(visitor.send(both))
        let other = try visitor.send(signer.exchange(code, resources: ["https://api.example"]))
        let response = try call(signer.read(other).accessToken)
        #expect(response.challenges.first?.parameter("error") == "invalid_token")
    }

    @Test("a resource that nobody was asked about is no target")
    func target() throws {
        let code = try signer.code(
            visitor.send(signer.authorization(nil, resources: ["https://api.example"])))
        let response = try visitor.send(signer.exchange(code, resources: [Self.resource]))
        #expect(try response.errorCode() == "invalid_target")
    }

    @Test("claims that were asked for one by one are in the ID token and at userinfo")
    func claims() throws {
        let claims = try ClaimsRequest.parse([
            "id_token": ["locale": nil, "acr": ["essential": true, "values": ["gold", "silver"]]],
            "userinfo": ["phone_number": ["essential": true]],
        ])
        let tokens = try signer.tokens(
            visitor, signer.authorization(nil, AuthorizationDemands(claims: claims)))
        let token = try JWS.split(try #require(tokens.idToken).reveal())
        let found = try JSON.parse(token.payload)
        #expect(found["locale"] == "en-GB")
        #expect(found["acr"] == "gold")
        let userInfo = try visitor.userInfo(tokens.accessToken.reveal()).json()
        #expect(userInfo["phone_number"] == "+44 20 7946 0101")
        #expect(userInfo["name"] == nil)
    }

    @Test("a resource can want a level or a fresh sign-in, and a sign-in that heeds it satisfies it")
    func stepUp() throws {
        var later = visitor
        later.now += 120_000
        let stale = try signer.tokens(visitor).accessToken
        let refused = try call(stale, "?acr=gold&max_age=60", at: later)
        #expect(refused.status == 401)
        let challenge = try #require(refused.challenges.first)
        #expect(challenge.parameter("error") == "insufficient_user_authentication")
        #expect(challenge.parameter("acr_values") == "gold")
        #expect(challenge.parameter("max_age") == "60")
        let transaction = signer.transaction(maxAge: 60, acrValues: ["gold"])
        let code = try signer.code(later.send(signer.authorization(transaction)))
        let registration = try signer.registration(now: later.now)
        let fresh = try signer.read(later.send(signer.exchange(code, registration: registration)))
        #expect(try call(fresh.accessToken, "?acr=gold&max_age=60", at: later).status == 200)
        let claims = try JSON.parse(try JWS.split(try #require(fresh.idToken).reveal()).payload)
        #expect(claims["acr"] == "gold")
        #expect(claims["auth_time"] == .int(later.now / 1000))
    }

    @Test("a fault wants it whatever the token")
    func stepUpFault() throws {
        let strict = try signer.visitor(faults: ["resource:insufficient_user_authentication@1"])
        let token = try signer.tokens(strict).accessToken
        let refused = try call(token, at: strict)
        let challenge = try #require(refused.challenges.first)
        #expect(challenge.parameter("acr_values") == "gold")
        #expect(challenge.parameter("max_age") == "60")
        #expect(try call(token, at: strict).status == 200)
    }
}
