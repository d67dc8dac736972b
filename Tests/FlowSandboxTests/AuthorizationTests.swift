import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

@Suite("Authorization requests")
struct AuthorizationTests {
    @Test("automatic mode redirects at once with code, state and issuer")
    func automatic() throws {
        let response = try Visitor().authorize()
        #expect(response.status == 303)
        #expect(response.field("Location")?.hasPrefix(Visitor.redirectURI + "?code=") == true)
        #expect(response.field("Cache-Control") == "no-store")
        let callback = try response.callback()
        #expect(callback["state"] == ["state-1"])
        #expect(callback["iss"] == [Visitor.issuer])
        #expect(callback["code"]?.first?.utf8.count == 43)
        #expect(callback.count == 3)
    }

    @Test("automatic mode signs in whom login_hint names, else the first user")
    func loginHint() throws {
        let visitor = try Visitor()
        #expect(try visitor.tokens(["login_hint": "bob"]).idToken().claims["sub"] == "sandbox-user-2")
        #expect(try visitor.tokens(["login_hint": "nobody"]).idToken().claims["sub"] == "sandbox-user-1")
        #expect(try visitor.tokens().idToken().claims["sub"] == "sandbox-user-1")
    }

    @Test(
        "every port of a loopback address matches, and none needs one",
        arguments: [
            "http://127.0.0.1:1/callback", "http://127.0.0.1:65535/callback", "http://127.0.0.1/callback",
            "http://[::1]:5555/callback",
        ])
    func loopbackPorts(redirectURI: String) throws {
        #expect(try Visitor().authorize(["redirect_uri": redirectURI]).status == 303)
    }

    @Test(
        "a redirect URI that was not registered gets a page and no redirect",
        arguments: [
            "http://127.0.0.1:5555/callback/", "http://127.0.0.1:5555/other",
            "http://localhost:5555/callback",
            "https://127.0.0.1:5555/callback", "http://127.0.0.1:5555/callback?x=1",
            "http://127.0.0.1:5555/callback#x", "http://127.0.0.1:0/callback",
            "http://127.0.0.1:65536/callback",
            "http://127.0.0.1:/callback", "http://127.0.0.1:+1/callback",
            "http://127.0.0.1.evil.test/callback",
            "http://127.0.0.1:5555@evil.test/callback", "HTTP://127.0.0.1:5555/callback",
            "http://evil.test/callback", "javascript:alert(1)",
        ])
    func otherRedirectURIs(redirectURI: String) throws {
        let response = try Visitor().authorize(["redirect_uri": redirectURI])
        #expect(response.status == 400)
        #expect(response.field("Location") == nil)
        #expect(response.text.contains("did not register the redirect URI"))
    }

    @Test("a redirect URI that is not on a loopback address matches byte by byte")
    func exactRedirectURI() throws {
        let visitor = try Visitor { configuration in
            configuration.clients = [
                SandboxClient(
                    id: "app", name: "App", redirectURIs: ["https://app.example/cb?tenant=1", "app:/cb"])
            ]
        }
        let right = try visitor.authorize([
            "client_id": "app", "redirect_uri": "https://app.example/cb?tenant=1",
        ])
        #expect(right.field("Location")?.hasPrefix("https://app.example/cb?tenant=1&code=") == true)
        let wrong = try visitor.authorize(
            ["client_id": "app", "redirect_uri": "https://app.example:443/cb?tenant=1"])
        #expect(wrong.status == 400)
        #expect(try visitor.authorize(["client_id": "app", "redirect_uri": "app:/cb"]).status == 303)
    }

    @Test("a loopback address without a path matches with every port too, and with no path")
    func loopbackWithoutPath() throws {
        let app = SandboxClient(id: "app", name: "App", redirectURIs: ["http://127.0.0.1"])
        let visitor = try Visitor { $0.clients.append(app) }
        for (place, status) in [
            ("http://127.0.0.1", 303), ("http://127.0.0.1:4000", 303), ("http://127.0.0.1:4000/", 400),
            ("http://127.0.0.1.evil.test", 400), ("http://127.0.0.1:4000@evil.test", 400),
        ] {
            #expect(try visitor.authorize(["client_id": "app", "redirect_uri": place]).status == status)
        }
    }

    @Test("an unknown client gets a page and no redirect")
    func unknownClient() throws {
        let response = try Visitor().authorize(["client_id": "nobody"])
        #expect(response.status == 400)
        #expect(response.field("Location") == nil)
        #expect(response.text.contains("No client is registered as “nobody”."))
    }

    @Test(
        "a missing client or redirect URI gets a page", arguments: ["client_id", "redirect_uri"])
    func missingDestination(name: String) throws {
        let response = try Visitor().authorize([name: nil])
        #expect(response.status == 400)
        #expect(response.text.contains("The parameter \(name) is missing."))
    }

    @Test("client_id or redirect_uri twice gets a page", arguments: ["client_id", "redirect_uri"])
    func repeatedDestination(name: String) throws {
        let visitor = try Visitor()
        let first = try #require(Visitor.request().first { $0.name == name })
        let response = try #require(visitor.get("/authorize", Visitor.request() + [first]).response)
        #expect(response.status == 400)
        #expect(response.field("Location") == nil)
        #expect(response.text.contains("The parameter \(name) came more than once."))
    }

    @Test("a broken escape gets a page")
    func brokenQuery() throws {
        let request = ServerRequest(method: "GET", path: "/authorize", query: "client_id=%zz")
        let response = try #require(try Visitor().provider.respond(to: request, now: Visitor.now).response)
        #expect(response.status == 400)
        #expect(response.text.contains("The query is not valid"))
    }

    @Test("any other parameter twice is an invalid request")
    func repeated() throws {
        let response = try #require(
            try Visitor().get("/authorize", Visitor.request() + [("nonce", "nonce-2")]).response)
        #expect(try response.callback()["error"] == ["invalid_request"])
        #expect(try response.callback()["state"] == ["state-1"])
    }

    @Test("a state that comes twice is not sent back")
    func repeatedState() throws {
        let response = try #require(
            try Visitor().get("/authorize", Visitor.request() + [("state", "state-2")]).response)
        #expect(try response.callback()["error"] == ["invalid_request"])
        #expect(try response.callback()["state"] == nil)
    }

    @Test(
        "an ID token beside the code needs a nonce and openid, and tells so in the form that was asked for",
        arguments: [
            (["nonce": nil], "invalid_request"), (["scope": "email"], "invalid_scope"),
        ] as [([String: String?], String)])
    func hybrid(change: [String: String?], error: String) throws {
        let form = ["response_type": "code id_token", "response_mode": "form_post"] as [String: String?]
        let response = try Visitor().authorize(form.merging(change) { $1 })
        #expect(try response.hidden("error") == error)
        #expect(try response.hidden("state") == "state-1")
        let good = try Visitor().authorize(form)
        #expect(try good.hidden("id_token").split(separator: ".").count == 3)
    }

    /// Changes of a good request, and the error that each earns.
    static let refused: [(change: [String: String?], error: String)] = [
        (["response_type": "token"], "unsupported_response_type"),
        (["response_type": "code token"], "unsupported_response_type"),
        (["response_type": "code id_token"], "invalid_request"),
        (["response_type": nil], "invalid_request"),
        (["code_challenge": nil], "invalid_request"),
        (["code_challenge_method": "plain"], "invalid_request"),
        (["code_challenge_method": nil], "invalid_request"),
        (["code_challenge": "tooshort"], "invalid_request"),
        (["code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM"], "invalid_request"),
        (["client_id": "flowrun-sandbox-confidential", "code_challenge": nil], "invalid_request"),
        (["scope": nil], "invalid_scope"),
        (["scope": "openid admin"], "invalid_scope"),
        (["prompt": "none login"], "invalid_request"),
        (["prompt": "maybe"], "invalid_request"),
        (["max_age": "soon"], "invalid_request"),
        (["response_mode": "fragment"], "invalid_request"),
        (["request_uri": "https://client.example/r"], "request_uri_not_supported"),
        (["dpop_jkt": "short"], "invalid_request"), (["claims": "[]"], "invalid_request"),
        (["authorization_details": "{}"], "invalid_authorization_details"),
        (["authorization_details": "[{\"type\":\"unknown\"}]"], "invalid_authorization_details"),
        (["resource": "https://api.example/#here"], "invalid_target"),
        (["request_uri": "urn:x"], "request_uri_not_supported"),
    ]

    @Test("a request that breaks a rule is sent back with its error, state and issuer", arguments: refused)
    func refusal(change: [String: String?], error: String) throws {
        let callback = try Visitor().authorize(change).callback()
        #expect(callback["error"] == [error])
        #expect(callback["state"] == ["state-1"])
        #expect(callback["iss"] == [Visitor.issuer])
        #expect(callback["code"] == nil)
    }

    @Test("other scopes are granted when the sandbox is told to accept them")
    func otherScopes() throws {
        let visitor = try Visitor { $0.acceptsOtherScopes = true }
        #expect(try visitor.tokens(["scope": "openid admin"])["scope"] == "openid admin")
    }

    @Test("max_age and acr_values are accepted, and the first acr is claimed")
    func acr() throws {
        let claims = try Visitor().tokens(["max_age": "60", "acr_values": "gold silver"]).idToken().claims
        #expect(claims["acr"] == "gold")
        #expect(claims["auth_time"] == .int(Visitor.now / 1000))
    }

    @Test("prompt=none needs a login on the page and none in automatic mode")
    func promptNone() throws {
        #expect(
            try Visitor(mode: .page).authorize(["prompt": "none"]).callback()["error"] == ["login_required"])
        #expect(try Visitor().authorize(["prompt": "none"]).callback()["code"]?.count == 1)
    }
}
