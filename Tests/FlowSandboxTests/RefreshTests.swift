import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

@Suite("Refresh tokens")
struct RefreshTests {
    private let visitor: Visitor
    private let tokens: JSONValue

    init() throws {
        visitor = try Visitor()
        tokens = try visitor.tokens()
    }

    @Test("a refresh yields new tokens, and an ID token of the same sign-in without nonce")
    func refresh() throws {
        var later = visitor
        later.now += 100_000
        let renewed = try later.refresh(tokens.text("refresh_token")).json()
        #expect(renewed["access_token"] != tokens["access_token"])
        #expect(renewed["refresh_token"] != tokens["refresh_token"])
        #expect(renewed["scope"] == tokens["scope"])
        let claims = try renewed.idToken().claims
        #expect(claims["nonce"] == nil)
        #expect(claims["sub"] == "sandbox-user-1")
        #expect(claims["auth_time"] == .int(Visitor.now / 1000))
        #expect(claims["iat"] == .int(Visitor.now / 1000 + 100))
    }

    @Test("a refresh token that was rotated away revokes the whole family")
    func reuse() throws {
        let old = try tokens.text("refresh_token")
        let renewed = try visitor.refresh(old).json()
        #expect(try visitor.refresh(old).errorCode() == "invalid_grant")
        #expect(try visitor.refresh(renewed.text("refresh_token")).errorCode() == "invalid_grant")
        #expect(try visitor.userInfo(renewed.text("access_token")).status == 401)
        #expect(try visitor.userInfo(tokens.text("access_token")).status == 401)
    }

    @Test("a family that is revoked takes no other with it")
    func otherFamily() throws {
        let other = try visitor.tokens()
        let old = try tokens.text("refresh_token")
        _ = try visitor.refresh(old)
        _ = try visitor.refresh(old)
        #expect(try visitor.refresh(other.text("refresh_token")).status == 200)
    }

    @Test("the scope may narrow for one access token, and widen back no further than the grant")
    func narrowing() throws {
        let narrow = try visitor.refresh(tokens.text("refresh_token"), [("scope", "openid email")]).json()
        #expect(narrow["scope"] == "openid email")
        #expect(try visitor.userInfo(narrow.text("access_token")).json()["name"] == nil)
        let full = try visitor.refresh(narrow.text("refresh_token")).json()
        #expect(full["scope"] == "openid profile email offline_access")
    }

    @Test("a wider scope is refused and the token stays good")
    func widening() throws {
        let token = try tokens.text("refresh_token")
        let wider = try visitor.refresh(token, [("scope", "openid phone")])
        #expect(wider.status == 400)
        #expect(try wider.errorCode() == "invalid_scope")
        #expect(try visitor.refresh(token).status == 200)
    }

    @Test("an unknown token is an invalid grant, none an invalid request")
    func unknown() throws {
        #expect(try visitor.refresh("unknown").errorCode() == "invalid_grant")
        #expect(try visitor.refresh("").errorCode() == "invalid_request")
    }

    @Test("a token of another client is an invalid grant, and stays good for its own")
    func otherClient() throws {
        let form: Pairs = [
            ("grant_type", "refresh_token"), ("refresh_token", try tokens.text("refresh_token")),
            ("client_id", "flowrun-sandbox-confidential"),
            ("client_secret", "sandbox-secret-that-everybody-knows"),
        ]
        #expect(try visitor.post("/token", form).response?.errorCode() == "invalid_grant")
        #expect(try visitor.refresh(tokens.text("refresh_token")).status == 200)
    }

    @Test("of many threads that use one refresh token, one wins")
    func race() async throws {
        let token = try tokens.text("refresh_token")
        let visitor = visitor
        let wins = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try visitor.refresh(token).status == 200 ? 1 : 0 } }
            return try await group.reduce(0, +)
        }
        #expect(wins == 1)
    }
}

@Suite("Userinfo")
struct UserInfoTests {
    private let visitor: Visitor

    init() throws {
        visitor = try Visitor()
    }

    @Test("the claims are those that the scopes ask for")
    func claims() throws {
        let all = try visitor.tokens(["scope": "openid profile email phone address"])
        #expect(
            try visitor.userInfo(all.text("access_token")).json() == [
                "sub": "sandbox-user-1", "name": "Alice Example", "given_name": "Alice",
                "family_name": "Example", "preferred_username": "alice",
                "picture": .string(Visitor.issuer + "/pictures/alice.svg"), "locale": "en-GB",
                "email": "alice@example.com", "email_verified": true, "phone_number": "+44 20 7946 0101",
                "phone_number_verified": false, "address": ["formatted": "1 Loopback Lane\nLondon"],
            ])
        let least = try visitor.tokens(["scope": "openid"])
        #expect(try visitor.userInfo(least.text("access_token")).json() == ["sub": "sandbox-user-1"])
    }

    @Test("POST with the bearer field works too")
    func post() throws {
        let field = HTTPField("Authorization", "bearer \(try visitor.tokens().text("access_token"))")
        #expect(visitor.post("/userinfo", [], fields: [field]).response?.status == 200)
    }

    @Test("without a token there is a challenge without an error code")
    func noToken() throws {
        let response = try #require(visitor.get("/userinfo").response)
        #expect(response.status == 401)
        #expect(response.field("WWW-Authenticate") == "Bearer realm=\"flowrun sandbox\"")
    }

    @Test("a token in the query is none")
    func query() throws {
        let token = try visitor.tokens().text("access_token")
        #expect(visitor.get("/userinfo", [("access_token", token)]).response?.status == 401)
    }

    @Test("an unknown token is invalid")
    func unknown() throws {
        let response = try visitor.userInfo("unknown")
        #expect(response.status == 401)
        #expect(
            response.field("WWW-Authenticate") == "Bearer realm=\"flowrun sandbox\", error=\"invalid_token\"")
    }

    @Test("an access token is invalid after its hour")
    func expiry() throws {
        let token = try visitor.tokens().text("access_token")
        var later = visitor
        later.now += 3_599_999
        #expect(try later.userInfo(token).status == 200)
        later.now += 1
        #expect(try later.userInfo(token).status == 401)
    }

    @Test("a token without openid lacks scope")
    func scope() throws {
        let response = try visitor.userInfo(try visitor.tokens(["scope": "email"]).text("access_token"))
        #expect(response.status == 403)
        #expect(
            response.field("WWW-Authenticate")
                == "Bearer realm=\"flowrun sandbox\", error=\"insufficient_scope\", scope=\"openid\"")
    }

    @Test("another scheme is an invalid request")
    func otherScheme() throws {
        let response = try #require(
            visitor.get("/userinfo", fields: [HTTPField("Authorization", "Basic eDp5")]).response)
        #expect(response.status == 400)
    }
}
