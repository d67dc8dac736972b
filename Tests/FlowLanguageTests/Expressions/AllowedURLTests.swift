import Testing

@testable import FlowLanguage

@Suite("The sanitiser of URLs")
struct AllowedURLTests {
    static let rules = [
        "https://app.example/*", "https://api.example/v1/*", "https://one.example/exact?x=1",
        "https://bare.example", "https://port.example:8443/*", "http://127.0.0.1:9000/*", "http://[::1]/cb",
    ]

    @Test(
        "what a rule names is allowed",
        arguments: [
            "https://app.example/", "https://app.example", "https://app.example/a/b?c=d&e=/../f",
            "HTTPS://APP.EXAMPLE/a", "https://app.example:443/a", "https://app.example/a%20b",
            "https://app.example/a/", "https://app.example?x", "https://app.example/@user",
            "https://app.example/a..b/...", "https://api.example/v1/users", "https://api.example/v1/",
            "https://one.example/exact?x=1", "https://bare.example/", "https://port.example:8443/x",
            "http://127.0.0.1:9000/done", "http://[::1]/cb",
        ])
    func allowed(_ url: String) throws {
        #expect(AllowedURL.allows(url, Self.rules))
    }

    @Test(
        "another origin is refused, however near",
        arguments: [
            "https://evil.example/", "https://app.example.evil.example/", "https://evil-app.example/",
            "https://sub.app.example/", "https://app.example./", "https://app.examp1e/",
            "https://app.example:8443/", "https://port.example/x", "https://port.example:443/x",
            "http://app.example/", "http://app.example:443/", "https://127.0.0.1:9000/",
            "http://127.0.0.1:9001/", "http://127.0.0.1/", "http://localhost:9000/", "http://127.1:9000/",
            "http://2130706433:9000/", "http://0x7f000001:9000/", "http://[::ffff:127.0.0.1]/cb",
            "https://app.example@evil.example/", "https://app.example:x@evil.example/",
            "https://user@app.example/", "https://evil.example/@app.example/",
            "https://app.example%40evil.example/", "https://@app.example/", "https://?@app.example/",
            "https:\\\\app.example/", "https://app.example\\@evil.example/",
            "https://evil.example\\.app.example/", "https:/app.example/", "https:app.example/",
            "//app.example/", "///app.example/", "/a", "\\\\app.example/", "https:///app.example/",
        ])
    func otherOrigin(_ url: String) {
        #expect(!AllowedURL.allows(url, Self.rules))
    }

    @Test(
        "a path that leads elsewhere for some reader is refused",
        arguments: [
            "https://app.example//evil.example", "https://app.example/a//b", "https://app.example/a\\b",
            "https://api.example/v1/../admin", "https://api.example/v1/..",
            "https://api.example/v1/%2e%2e/admin", "https://api.example/v1/.%2E/admin",
            "https://api.example/v1/..%2fadmin", "https://api.example/v1/%2e./x",
            "https://api.example/v1/..;/admin", "https://api.example/v1/%2e%2e;x=1/admin",
            "https://api.example/v1/..%3Bx/admin", "https://api.example/v1/./x",
            "https://api.example/v1/%252e%252e/x", "https://api.example/v1/a%5c..%5cb",
            "https://api.example/v1/a%2f..%2fb", "https://api.example/v1/%c0%ae%c0%ae/x",
            "https://api.example/v1/%00", "https://api.example/v1/a%0d%0ab", "https://api.example/",
            "https://api.example/v1", "https://api.example/v1x", "https://api.example/V1/x",
            "https://api.example/v2/x", "https://one.example/exact", "https://one.example/exact?x=2",
            "https://one.example/exact?x=1&y=2", "https://one.example/exact/?x=1", "https://bare.example/x",
            "https://bare.example/?x",
        ])
    func otherPath(_ url: String) {
        #expect(!AllowedURL.allows(url, Self.rules))
    }

    @Test(
        "what is no plain https URL is refused",
        arguments: [
            "javascript:alert(1)//https://app.example/", "data:text/html,x", "com.app:/cb",
            "ftp://app.example/", "", " https://app.example/", "https://app.example/ ",
            "https://app.example/a b", "https://app.example/\u{9}", "https://app.example/\r\nSet-Cookie: x",
            "ht\ntps://app.example/", "https://app.example/#https://evil.example",
            "https://app.example#@evil.example/", "https://app.ex\u{E4}mple/",
            "https://app\u{3002}example/", "https://\u{FF41}pp.example/", "https://app.example/%",
            "https://app.example/%2", "https://app.example/%zz", "https://app.example:/",
            "https://app.example:0/", "https://app.example:99999/", "https://app.example:+443/",
            "https://[app.example]/", "https://app.example\u{0}.evil.example/",
        ])
    func noURL(_ url: String) {
        #expect(!AllowedURL.allows(url, Self.rules))
    }

    @Test(
        "a rule that is no plain URL allows nothing",
        arguments: [
            "*", "/*", "https://*", "https:///*", "https://*.example/*", "*.example", "https://app.example*",
            "https://app.example/?to=/*", "http://app.example/*", "app.example",
            "https://user@app.example/*", "https://app.example/a/../*", "https://app.example//*",
            "https://app.example/a*", "",
        ])
    func badRules(_ rule: String) {
        #expect(!AllowedURL.allows("https://app.example/a", [rule]))
        #expect(!AllowedURL.allows("https://app.example/a?to=/x", [rule]))
    }
}
