import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

@Suite("Pages")
struct PageTests {
    private let visitor: Visitor

    init() throws {
        visitor = try Visitor(mode: .page)
    }

    private func form(_ page: HTTPResponse, _ more: Pairs) throws -> Pairs {
        [("request", try page.hidden("request")), ("csrf", try page.hidden("csrf"))] + more
    }

    private let alice: Pairs = [("username", "alice"), ("password", "sandbox")]

    @Test("the page says whose sandbox it is, who asks, and for what in plain words")
    func words() throws {
        let page = try visitor.authorize()
        #expect(page.status == 200)
        #expect(page.text.contains("This is flowrun’s sandbox"))
        #expect(page.text.contains("Sign in to continue to flowrun"))
        #expect(page.text.contains("Client <code>flowrun-sandbox</code>"))
        #expect(page.text.contains("<li>See your e-mail address</li>"))
        #expect(page.text.contains("<li>Keep this access while you are away, until you withdraw it</li>"))
        #expect(!page.text.contains("offline_access"))
    }

    @Test("the page can be used without sight, mouse or script")
    func accessibility() throws {
        let page = try visitor.authorize().text
        #expect(page.contains("<html lang=\"en\">"))
        #expect(page.contains("name=\"viewport\""))
        #expect(page.contains("<legend>Who are you?</legend>"))
        #expect(page.contains("<label class=\"label\" for=\"password\">"))
        #expect(page.contains("autocomplete=\"current-password\""))
        #expect(!page.contains("<script"))
        #expect(!page.contains("tabindex"))
    }

    @Test("the policy of the page allows its own style and the client's origin as the form's end, no more")
    func policy() throws {
        let page = try visitor.authorize()
        let style = try #require(page.text.split(separator: "<style>").dropFirst().first)
        let sheet = try #require(style.split(separator: "</style>").first)
        let hash = Base64.encode(Digest.sha256(sheet.utf8))
        #expect(
            page.field("Content-Security-Policy")
                == "default-src 'none'; style-src 'sha256-\(hash)'; form-action 'self' http://127.0.0.1:5555; "
                + "base-uri 'none'; frame-ancestors 'none'")
        #expect(page.field("Cache-Control") == "no-store")
        #expect(page.field("X-Content-Type-Options") == "nosniff")
    }

    @Test("a policy names the scheme where it cannot name the origin")
    func policyWithoutOrigin() throws {
        let page = try visitor.authorize(["redirect_uri": "http://[::1]:5555/callback"])
        #expect(page.field("Content-Security-Policy")?.contains("form-action 'self' http:;") == true)
    }

    @Test("signing in redirects with a code for the user who was picked")
    func signIn() throws {
        let page = try visitor.authorize()
        let bob: Pairs = [("username", "bob"), ("password", "sandbox")]
        let answer = try #require(visitor.post("/login", try form(page, bob)).response)
        #expect(answer.status == 303)
        let callback = try answer.callback()
        #expect(callback["state"] == ["state-1"])
        #expect(callback["iss"] == [Visitor.issuer])
        let tokens = try visitor.redeem(try #require(callback["code"]?.first)).json()
        #expect(try tokens.idToken().claims["sub"] == "sandbox-user-2")
    }

    @Test("the user of login_hint, by name or e-mail, is preselected", arguments: ["bob", "bob@example.org"])
    func preselection(hint: String) throws {
        let page = try visitor.authorize(["login_hint": hint]).text
        #expect(page.contains("value=\"bob\" required checked>"))
        #expect(page.components(of: " checked>") == 1)
        #expect(try visitor.authorize().text.contains("value=\"alice\" required checked>"))
    }

    @Test("a wrong password asks again, says so, and keeps the choice")
    func wrongPassword() throws {
        let page = try visitor.authorize()
        let wrong: Pairs = [("username", "bob"), ("password", "wrong")]
        let again = try #require(visitor.post("/login", try form(page, wrong)).response)
        #expect(again.status == 403)
        #expect(
            again.text.contains("<p role=\"alert\" id=\"failure\">That is not the password of this user."))
        #expect(again.text.contains("aria-describedby=\"failure hint\""))
        #expect(again.text.contains("value=\"bob\" required checked>"))
        #expect(!again.text.contains("wrong\""))
        #expect(visitor.post("/login", try form(again, alice)).response?.status == 303)
    }

    @Test("cancelling sends access_denied back")
    func cancel() throws {
        let page = try visitor.authorize()
        let answer = try #require(visitor.post("/consent", try form(page, [("decision", "cancel")])).response)
        let callback = try answer.callback()
        #expect(callback["error"] == ["access_denied"])
        #expect(callback["state"] == ["state-1"])
        #expect(callback["iss"] == [Visitor.issuer])
        #expect(callback["code"] == nil)
    }

    @Test("prompt=consent asks a second time, after the password")
    func consent() throws {
        let page = try visitor.authorize(["prompt": "consent"])
        let asked = try #require(visitor.post("/login", try form(page, alice)).response)
        #expect(asked.status == 200)
        #expect(asked.text.contains("You are signed in as <strong>Alice Example</strong>"))
        let answer = try #require(visitor.post("/consent", try form(asked, [("decision", "allow")])).response)
        #expect(try answer.callback()["code"]?.count == 1)
    }

    @Test("nobody can allow before signing in")
    func allowWithoutLogin() throws {
        let page = try visitor.authorize(["prompt": "consent"])
        let answer = try #require(visitor.post("/consent", try form(page, [("decision", "allow")])).response)
        #expect(answer.status == 403)
        #expect(answer.field("Location") == nil)
    }

    /// Changes of a good form after which it is not ours any more.
    static let foreign: [[String: String]] = [
        ["csrf": ""], ["csrf": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"], ["request": "unknown"],
    ]

    @Test("a form without the token of its request is refused", arguments: foreign)
    func forgery(change: [String: String]) throws {
        let good = try form(try visitor.authorize(), alice)
        let forged = good.map { ($0.name, change[$0.name] ?? $0.value) }
        let answer = try #require(visitor.post("/login", forged).response)
        #expect(answer.status == 403)
        #expect(answer.text.contains("This page is over"))
        #expect(visitor.post("/login", good).response?.status == 303)
    }

    @Test("the token of one request does not serve another")
    func foreignToken() throws {
        let (one, other) = (try visitor.authorize(), try visitor.authorize())
        let mixed: Pairs = [("request", try one.hidden("request")), ("csrf", try other.hidden("csrf"))]
        #expect(visitor.post("/login", mixed + alice).response?.status == 403)
    }

    @Test("a form that another site sent is refused", arguments: ["https://evil.test", "null"])
    func foreignOrigin(origin: String) throws {
        let good = try form(try visitor.authorize(), alice)
        let fields = [HTTPField("Origin", origin)]
        #expect(visitor.post("/login", good, fields: fields).response?.status == 403)
        let own = [HTTPField("Origin", Visitor.issuer)]
        #expect(visitor.post("/login", good, fields: own).response?.status == 303)
    }

    @Test("a page can be answered once and for ten minutes")
    func pageLifetime() throws {
        let good = try form(try visitor.authorize(), alice)
        var later = visitor
        later.now += 600_000
        #expect(later.post("/login", good).response?.status == 403)
        #expect(visitor.post("/login", good).response?.status == 303)
        #expect(visitor.post("/login", good).response?.status == 403)
    }

    @Test("a form with a parameter twice, or that is no form, is refused")
    func malformedForms() throws {
        let good = try form(try visitor.authorize(), alice)
        #expect(visitor.post("/login", good + [("username", "bob")]).response?.status == 403)
        let json = ServerRequest(
            method: "POST", path: "/login", fields: [HTTPField("Content-Type", "application/json")],
            body: FormBody.encode(good))
        #expect(visitor.provider.respond(to: json, now: Visitor.now).response?.status == 403)
    }

    static let hostile = "\"><script>alert('1')</script>&\u{1}\u{202E}"

    @Test(
        "a hostile parameter is text on every page that shows it",
        arguments: ["client_id", "redirect_uri", "login_hint", "scope", "state"])
    func escaping(name: String) throws {
        let visitor = try Visitor(mode: .page) { $0.acceptsOtherScopes = true }
        let page = try visitor.authorize([name: Self.hostile])
        #expect(page.field("Location") == nil)
        #expect(!page.text.contains("<script"))
        #expect(!page.text.unicodeScalars.contains { $0 == "\u{1}" || $0 == "\u{202E}" })
    }

    @Test("an escaped parameter is still readable")
    func readable() throws {
        let page = try visitor.authorize(["client_id": "<a href='x'>\"&"])
        #expect(page.text.contains("“&lt;a href=&#39;x&#39;&gt;&quot;&amp;”"))
    }
}

extension String {
    /// How often the text occurs.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
