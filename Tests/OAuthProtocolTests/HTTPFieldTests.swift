import OAuthProtocol
import Testing

@Suite("Retry-After (RFC 9110 §10.2.3)")
struct RetryAfterTests {
    @Test(
        "seconds and dates become milliseconds from now",
        arguments: [
            ("0", 0), ("120", 120_000), (" 5 ", 5_000),
            ("Thu, 01 Jan 2026 00:00:30 GMT", 30_000), ("Wed, 31 Dec 2025 23:59:59 GMT", 0),
            ("Sun, 01 Mar 2026 00:00:00 GMT", 59 * 86_400_000),
            ("99999999999999999999999999", 100 * 366 * 86_400_000),
            ("9223372036854775807", 100 * 366 * 86_400_000),
        ] as [(String, Int64)])
    func values(text: String, wait: Int64) {
        #expect(RetryAfter.parse(text, now: Fixture.now) == wait)
    }

    @Test("the example of RFC 9110 is the second it names")
    func example() {
        #expect(RetryAfter.parse("Sun, 06 Nov 1994 08:49:37 GMT", now: 784_111_777_000 - 1000) == 1000)
    }

    @Test(
        "anything else is no wait",
        arguments: [
            "", " ", "-1", "1.5", "soon", "Thu, 01 Foo 2026 00:00:30 GMT", "Thu, 01 Jan 2026 24:00:30 GMT",
            "Thu, 01 Jan 2026 00:00:30 UTC", "Thu, 00 Jan 2026 00:00:30 GMT", "Thu, 01 Jan 2026 00:0a:30 GMT",
            "Thu; 01 Jan 2026 00:00:30 GMT", "Thu, 01-Jan-2026 00:00:30 GMT", "Thu, 01 Jan 2026 00-00-30 GMT",
            "Thu, 01 Jan 2026 00:60:30 GMT", "Thu, 01 Jan 2026 00:00:61 GMT", "Thu, 32 Jan 2026 00:00:30 GMT",
        ])
    func others(text: String) {
        #expect(RetryAfter.parse(text, now: Fixture.now) == nil)
    }
}

@Suite("WWW-Authenticate (RFC 9110 §11.6.1, RFC 6750 §3)")
struct WWWAuthenticateTests {
    @Test("the example of RFC 6750 §3")
    func example() throws {
        let challenges = WWWAuthenticate.parse(
            #"Bearer realm="example", error="invalid_token", error_description="The access token expired""#)
        let challenge = try #require(challenges.first)
        #expect(challenges.count == 1)
        #expect(challenge.scheme == "Bearer")
        #expect(challenge.parameter("REALM") == "example")
        #expect(
            challenge.oauthError == OAuthError(code: "invalid_token", description: "The access token expired")
        )
    }

    @Test("several challenges in one field are told apart")
    func several() {
        let challenges = WWWAuthenticate.parse(
            #"Negotiate YII+/a==, Basic realm="a, b", DPoP algs=ES256 , error = "use_dpop_nonce",Bearer"#)
        #expect(challenges.map(\.scheme) == ["Negotiate", "Basic", "DPoP", "Bearer"])
        #expect(challenges.map { $0.parameters.map(\.name) } == [[], ["realm"], ["algs", "error"], []])
        #expect(challenges[1].parameter("realm") == "a, b")
    }

    @Test(
        "credentials of 68 characters are a challenge's whole content, and none of its parameters",
        arguments: [
            ("Negotiate YIIa", ["Negotiate"], [0]), ("Negotiate YII/=", ["Negotiate"], [0]),
            ("Negotiate YIIa , Basic realm=a", ["Negotiate", "Basic"], [0, 1]),
            ("Negotiate YII== , Basic realm=a", ["Negotiate", "Basic"], [0, 1]),
            (", ,Bearer", ["Bearer"], [0]), ("Bearer , ,", ["Bearer"], [0]),
            ("Bearer a=b=c", ["Bearer"], [1]), ("Bearer a==b", ["Bearer"], [0]),
            ("Bearer error=x, Basic", ["Bearer", "Basic"], [1, 0]), ("Bearer a b", ["Bearer"], [0]),
        ])
    func tokens(text: String, schemes: [String], counts: [Int]) {
        let challenges = WWWAuthenticate.parse(text)
        #expect(challenges.map(\.scheme) == schemes)
        #expect(challenges.map(\.parameters.count) == counts)
    }

    @Test("an error without a name is none")
    func emptyError() {
        #expect(WWWAuthenticate.parse("Bearer error=\"\"").map { $0.oauthError == nil } == [true])
    }

    @Test("escapes are undone and control characters removed")
    func escapes() {
        let challenge = WWWAuthenticate.parse("Bearer error=\"a\\\"b\\\\\u{1B}c\"").first
        #expect(challenge?.parameter("error") == #"a"b\c"#)
    }

    @Test(
        "what follows something that is no challenge is ignored",
        arguments: ["", "=", "\"a\"", "Bearer error=\"open"])
    func malformed(text: String) {
        #expect(WWWAuthenticate.parse(text).allSatisfy { $0.parameters.isEmpty })
    }

    @Test("no prefix and no changed byte of a field traps")
    func truncations() {
        let bytes = Array(#"Bearer realm="a\"b", error=invalid_token,Basic x==, , Y z="1""#.utf8)
        var count = 0
        for end in 0...bytes.count {
            for byte in [UInt8(ascii: ","), UInt8(ascii: "="), UInt8(ascii: "\""), 0, 0xFF] {
                count += WWWAuthenticate.parse(String(decoding: bytes[..<end] + [byte], as: UTF8.self)).count
            }
        }
        #expect(count > 0)
    }
}

@Suite("Types of content (RFC 9110 §8.3)")
struct ContentTypeTests {
    @Test(
        "type and subtype are in lower case, without parameters and blanks",
        arguments: [
            ("application/json", "application/json", nil), ("Application/JSON", "application/json", nil),
            ("text/html;charset=utf-8", "text/html", "utf-8"),
            ("text/html ; q=1;\tCharSet\t= \"ISO-8859-1\" ", "text/html", "ISO-8859-1"),
            ("text/html; charset='x'", "text/html", "x"), ("text/ html\t", "text/html", nil),
            ("text/html; charset", "text/html", nil), ("text/html; charset=\"\"", "text/html", nil),
            ("text/html; mycharset=x; charset=y", "text/html", "y"), ("", nil, nil),
            (" ; charset=x", nil, "x"),
        ] as [(String, String?, String?)])
    func types(field: String, type: String?, charset: String?) {
        let response = HTTPResponse(status: 200, fields: [HTTPField("content-TYPE", field)])
        #expect(response.mediaType == type)
        #expect(response.charset == charset)
    }

    @Test(
        "without regard to case only letters of ASCII are the same",
        arguments: [
            ("", "", true), ("DPoP", "dpop", true), ("AZaz", "azAZ", true), ("a", "b", false),
            ("ab", "a", false), ("@", "`", false), ("[", "{", false), ("\u{C9}", "\u{E9}", false),
            ("\u{212A}", "k", false), ("a\0", "a ", false), ("-", "\r", false), ("_", "\u{7F}", false),
        ])
    func names(one: String, other: String, isSame: Bool) {
        #expect(one.equalsIgnoringASCIICase(other) == isSame)
        #expect(other.equalsIgnoringASCIICase(one) == isSame)
    }
}
