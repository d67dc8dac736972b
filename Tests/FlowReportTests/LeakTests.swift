import FlowEngine
import FlowReport
import JOSE
import OAuthProtocol
import Testing

@Suite("Looking for leaks")
struct LeakTests {
    private static let planted = "planted-Secret_0123456789"
    private static let scanner = LeakScanner(known: [("CLIENT_SECRET", planted)])

    @Test(
        "a planted secret is found with its place, raw or encoded",
        arguments: [
            planted, PercentEncoding.encodeForm(planted), Base64.encode(planted.utf8),
            Base64.encode("id:\(planted)".utf8), Base64URL.encode("x\(planted)y".utf8),
            Hexadecimal.encode(planted.utf8), "planted%2dSecret%5f0123456789",
            "planted&#x2d;Secret_0123456789", "planted-Secret\r\n_0123456789",
        ])
    func known(text: String) throws {
        let leak = try #require(Self.scanner.leaks(in: "first line\nab \(text)").first)
        #expect(leak.line == 2)
        #expect(leak.column >= 4)
        #expect(leak.what == "the value of CLIENT_SECRET")
        #expect(leak.isSure)
    }

    @Test("a challenge in an archive is made to be seen, another dense text in its place is not")
    func challenge() throws {
        #expect(LeakScanner().leaks(in: try Recorded.report("login", .har)).isEmpty)
        let pair = { (name: String) in
            "{\n  \"name\": \"\(name)\",\n  \"value\": \"XgAVHDcGF263srQ46VTkZHLZ_Sd8a-9_eh-bciOoRks\"\n}"
        }
        #expect(LeakScanner().leaks(in: pair("code_challenge")).isEmpty)
        #expect(LeakScanner().leaks(in: pair("x-thing")).count == 1)
    }

    @Test("nor is one in a page, whose name and value are cells of a row")
    func challengeInPage() throws {
        #expect(LeakScanner().leaks(in: try Recorded.report("login", .html)).isEmpty)
        let row = { (name: String) in
            "<tr><th>\(name)</th><td><code>XgAVHDcGF263srQ46VTkZHLZ_Sd8a-9_eh-bciOoRks</code></td></tr>"
        }
        #expect(LeakScanner().leaks(in: row("code_<wbr>challenge")).isEmpty)
        #expect(LeakScanner().leaks(in: row("x_<wbr>thing")).count == 1)
    }

    @Test(
        "what its name gives away is found",
        arguments: [
            #"{"access_token":"0123456789"}"#, "refresh_token=0123456789&x=1", "?code=0123456789",
            "client_secret: x client_secret=abcdefgh", "{\"password\": \"correct-horse\"}",
            #"{"n":"client_secret","v":"hunter2hunter2","src":"step register"}"#,
            #"{"name":"client_secret","value":"hunter2hunter2"}"#,
            "  \"name\": \"code_verifier\",\n  \"value\": \"hunter2hunter2\"",
            "{\n  \"name\": \"Cookie\",\n  \"value\": \"sid=0123456789\"",
            "client_secret: q8Zr4LmN2xVb7KpT1wYc", "https://bob:q8Zr4LmN@host.example/",
            #"{"kty":"EC","d":"0123456789abcdef"}"#,
        ])
    func named(text: String) {
        #expect(LeakScanner().leaks(in: text).contains { $0.isSure })
    }

    @Test(
        "what stands behind such a name in prose, in a descriptor or in a report is no leak",
        arguments: [
            "error code: invalid_request_object", "    access_token: data.authed_user.access_token",
            "client_secret: {env: ACME_CLIENT_SECRET}", "http://127.0.0.1:50321/callback@x",
            "https://host.example:8443/a@b", "code: ‹code:43#a1b2›",
            "  \"name\": \"client_id\",\n  \"value\": \"hunter2hunter2\"",
            #"{"name":"state","value":"‹state:43#a1b2›"}"#, #"{"d":"0123456789abcdef"}"#,
        ])
    func prose(text: String) {
        #expect(!LeakScanner().leaks(in: text).contains { $0.isSure })
    }

    @Test("every place is told once, with its line and its character")
    func places() {
        let line = "ü \(Self.planted) code=0123456789 \(Self.planted)"
        let leaks = Self.scanner.leaks(in: "\(line)\r\n\n\(line)")
        #expect(leaks.map(\.line) == [1, 1, 1, 3, 3, 3])
        #expect(leaks.map(\.column) == [3, 34, 45, 3, 34, 45])
        #expect(leaks[1].what == "a value of code")
    }

    /// Each takes minutes where something is looked at again for every place.
    @Test(
        "a text of one long line is read once",
        arguments: [
            "eyJ", "code=", "code=0123456789&", "planted-S", "Zx81QwErTy27UiOpAs35DfGhJk49LzXcVb6Nm ", "%25",
        ])
    func long(part: String) {
        let text = String(repeating: part, count: 200_000 / part.utf8.count)
        let found = Self.scanner.leaks(in: text)
        #expect(found.count <= text.utf8.count / part.utf8.count)
    }

    @Test("a long text without a pattern is worth a look, a digest is none")
    func dense() {
        let key = "Zx81QwErTy27UiOpAs35DfGhJk49LzXcVb6Nm"
        let found = LeakScanner().leaks(in: "found \(key) here")
        #expect(found.map(\.isSure) == [false])
        #expect(found.first?.column == 7)
        #expect(LeakScanner().leaks(in: "digest sha256:\(key)").isEmpty)
        #expect(LeakScanner().leaks(in: "?code_challenge=\(key)").isEmpty)
        #expect(LeakScanner().leaks(in: "a/path/of/many/words/that_is_long_but_plain").isEmpty)
    }

    @Test("a trace with placeholders has no leak")
    func trace() {
        let text = RoundTripTests.text(RoundTripTests.events)
        #expect(LeakScanner().leaks(in: text).isEmpty)
    }

    @Test("the strict trace keeps no length, no fingerprint and no word of a server or a person")
    func strict() throws {
        var redaction = StrictRedaction()
        let events = RoundTripTests.events.map { redaction.redacted($0) }
        let text = RoundTripTests.text(events)
        #expect(!text.contains("\"fp\""))
        #expect(!text.contains("\"len\""))
        #expect(!text.contains("\"message\":\"m\""))
        #expect(!text.contains("\"description\":\"no\""))
        #expect(text.contains("\"outcome\":\"invalid_grant\""))
        #expect(text.contains("https://p.example/token"))
        #expect(events.map(\.sequence) == RoundTripTests.events.map(\.sequence))
        #expect(try TraceReader.read(Array(text.utf8)) == events)
    }

    @Test("what anybody can fetch stays in a strict trace")
    func published() {
        var redaction = StrictRedaction()
        func answer(to purpose: String) -> TraceEvent.Body {
            let request = TracedRequest(
                purpose: purpose, method: "GET", endpoint: "https://p.example", query: [], fields: [],
                body: [],
                bodyFormat: "none")
            _ = redaction.redacted(TraceEvent(sequence: 1, time: 0, step: nil, body: .request(request)))
            let member = TracedParameter(
                name: "issuer", value: .text("https://p.example"), source: "answer", reference: nil)
            let response = TracedResponse(
                status: 200, contentType: nil, bytes: 1, members: [member], duration: nil)
            return redaction.redacted(
                TraceEvent(sequence: 2, time: 0, step: nil, body: .response(response))
            ).body
        }
        #expect("\(answer(to: "discovery"))".contains("https://p.example"))
        #expect(!"\(answer(to: "http"))".contains("https://p.example"))
    }
}
