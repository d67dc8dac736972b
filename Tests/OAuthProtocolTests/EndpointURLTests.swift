import OAuthProtocol
import Testing

@Suite("Endpoint URLs (RFC 3986, RFC 6749 §3)")
struct EndpointURLTests {
    @Test(
        "a URL that parsers could read in two ways is refused",
        arguments: [
            ("", EndpointURLProblem.notAbsolute), ("op.example", .notAbsolute),
            ("https:/op.example", .notAbsolute),
            ("//op.example", .notAbsolute), ("https", .notAbsolute),
            ("ftp://op.example", .scheme), ("file:///etc/passwd", .scheme), ("-x://op.example", .scheme),
            ("javascript://op.example", .scheme), ("://op.example", .scheme),
            ("http://op.example", .insecure), ("http://127.0.0.1.op.example", .insecure),
            ("http://localhost.op.example", .insecure), ("http://128.0.0.1", .insecure),
            ("http://[::2]", .insecure), ("http://localhost:80", .insecure),
            ("https://user@op.example", .userinfo), ("https://op.example:443@evil.example", .userinfo),
            ("https://op.example#x", .fragment), ("https://op.example/a?b#", .fragment),
            ("https://op.example\\@evil.example", .character), ("https://op.example/a b", .character),
            ("https://op.example/\u{0}", .character), ("https://op.example/\r\n", .character),
            ("https://öp.example", .letter), ("https://op.example/é", .letter),
            ("https://op.example/%2", .character),
            ("https://op.example/%zz", .character), ("https://op.example/[a]", .character),
            ("https://op.example/{tenant}", .character), ("https://op.example/\"", .character),
            ("https://", .host), ("https:///path", .host), ("https://?a", .host), ("https://.example", .host),
            ("https://a..example", .host), ("https://127.1", .host), ("https://2130706433", .host),
            ("https://0x7f.0.0.1", .host), ("https://0177.0.0.1", .host), ("https://256.0.0.1", .host),
            ("https://[::1", .host), ("https://[::1::2]", .host), ("https://[1:2:3]", .host),
            ("https://[fe80::1%25eth0]", .host), ("https://[]", .host), ("https://op%2eexample", .host),
            ("https://op.example:", .port), ("https://op.example:0", .port),
            ("https://op.example:65536", .port), ("https://op.example:-1", .port),
            ("https://op.example:8a", .port), ("https://[::1]8", .port), ("https://[::1]x443", .port),
            ("https://op.example:+443", .port), ("https://op.example:000443", .port),
            ("https://[1:2:3:4:5::6:7:8:9]", .host), ("https://[1:2:3:4::5:6:7:8]", .host),
            ("https://[00001::]", .host), ("https://[+1::]", .host), ("https://[1:]", .host),
            ("https://.", .host), ("https://op.example..", .host), ("https://1..1.1", .host),
            ("https://1.1.1.1.1", .host), ("https://\(String(repeating: "a", count: 64)).example", .host),
            ("https://\(String(repeating: "a.", count: 127))", .host), ("https://0x7f000001", .host),
            ("https://op.0X7F", .host), ("https://[::1.2.3.4:5]", .host), ("https://1.2.3.", .host),
        ])
    func refused(text: String, problem: EndpointURLProblem) {
        #expect(EndpointURL.check(text, allowLoopbackHTTP: false) == problem)
    }

    @Test(
        "http is allowed to loopback literals, and only with leave",
        arguments: [
            "http://127.0.0.1", "http://127.255.0.9:8080/a", "http://localhost:1", "http://[::1]:3/",
            "http://[0:0:0:0:0:0:0:1]", "HTTP://LOCALHOST",
        ])
    func loopback(text: String) {
        #expect(EndpointURL.check(text, allowLoopbackHTTP: true) == nil)
        #expect(EndpointURL.check(text, allowLoopbackHTTP: false) == .insecure)
    }

    @Test(
        "with leave, too, http goes to no other machine [rule 17]",
        arguments: [
            "http://op.example", "http://128.0.0.1", "http://126.255.255.255", "http://10.0.0.1",
            "http://0.0.0.0", "http://[::2]", "http://[::]", "http://[1::1]", "http://[::7f00:1]",
            "http://[::ffff:127.0.0.1]", "http://127.0.0.1.op.example", "http://localhost.op.example",
            "http://localhost.", "http://xlocalhost", "http://l\u{0F}calhost", "http://LOCAL_HOST",
        ])
    func notLoopback(text: String) {
        let problem = EndpointURL.check(text, allowLoopbackHTTP: true)
        #expect(problem == (text.contains("\u{0F}") ? .character : .insecure))
    }

    @Test("which host is this machine, and what it is called without its brackets")
    func hostNames() throws {
        let read = { (text: String) throws(EndpointURLProblem) in
            try EndpointURL(text, allowLoopbackHTTP: true)
        }
        #expect(try read("http://[::1]:8080/a").hostName == "::1")
        #expect(try read("https://Op.Example").hostName == "op.example")
        #expect(try read("https://127.0.0.1").isLoopback)
        #expect(try !read("https://[::2]").isLoopback)
    }

    @Test("the parts are those of the text, scheme and host in lower case")
    func parts() throws {
        let url = try EndpointURL("HTTPS://Op.Example:8443/a/b?c=d?e")
        #expect(url.scheme == "https")
        #expect(url.host == "op.example")
        #expect(url.port == 8443)
        #expect(url.path == "/a/b")
        #expect(url.query == "c=d?e")
        #expect(url.origin == "https://op.example:8443")
        #expect(!url.isLoopback)
    }

    @Test(
        "names up to their greatest length, with the root behind them, are hosts",
        arguments: [
            "op.example.", "_dmarc.op-1.example", "1.op.example",
            String(repeating: "a", count: 63) + ".example",
            String(repeating: "a.", count: 126) + "a", "[1:2:3:4:5:6:7::]", "[::1.2.3.4]",
        ])
    func hosts(text: String) {
        #expect(EndpointURL.check("https://\(text)", allowLoopbackHTTP: false) == nil)
    }

    @Test("what means something before the path is an ordinary character behind it")
    func laterMarks() throws {
        let url = try EndpointURL("https://op.example/@me:1/?a=[b]@c?/d")
        #expect(url.host == "op.example")
        #expect(url.path == "/@me:1/")
        #expect(url.query == "a=[b]@c?/d")
        #expect(try EndpointURL("https://op.example?a=@b/").query == "a=@b/")
        #expect(try EndpointURL("http://localhost", allowLoopbackHTTP: true).port == 80)
        #expect(try EndpointURL("https://op.example").port == 443)
    }

    @Test("the scheme's own port is not part of the origin")
    func standardPort() throws {
        #expect(try EndpointURL("https://op.example:443/").origin == "https://op.example")
        #expect(try EndpointURL("https://[2001:DB8::1]").origin == "https://[2001:db8::1]")
        #expect(try EndpointURL("http://127.0.0.1:80", allowLoopbackHTTP: true).origin == "http://127.0.0.1")
    }

    @Test("no prefix of a URL traps")
    func truncations() {
        let bytes = Array("https://[2001:db8::127.0.0.1]:8443/a%20b?c=%7E".utf8)
        let problems = (0...bytes.count).map {
            EndpointURL.check(String(decoding: bytes[..<$0], as: UTF8.self), allowLoopbackHTTP: true)
        }
        #expect(problems.last == .some(nil))
        #expect(problems.first == .notAbsolute)
    }
}
