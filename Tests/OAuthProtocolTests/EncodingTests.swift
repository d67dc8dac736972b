import OAuthProtocol
import Testing

@Suite("Percent-encoding, queries and forms")
struct EncodingTests {
    @Test("a query keeps only the unreserved characters of RFC 3986 §2.3")
    func queryEncoding() {
        #expect(PercentEncoding.encodeQuery("aZ09-._~ +&=/:ä\u{0}") == "aZ09-._~%20%2B%26%3D%2F%3A%C3%A4%00")
    }

    @Test("a form writes a space as a plus sign (RFC 6749 Appendix B) [rule 37]")
    func formEncoding() {
        // The example of Appendix B.
        #expect(PercentEncoding.encodeForm(" %&+£€") == "+%25%26%2B%C2%A3%E2%82%AC")
    }

    @Test(
        "decoding refuses broken escapes and what is not UTF-8",
        arguments: ["%", "%2", "%zz", "a%2", "%ff", "%c0%af"])
    func invalid(text: String) {
        #expect(PercentEncoding.decodeForm(text) == nil)
        #expect(PercentEncoding.decodeQuery(text) == nil)
    }

    @Test("only a form reads a plus sign as a space")
    func plus() {
        #expect(PercentEncoding.decodeForm("a+b%2Bc") == "a b+c")
        #expect(PercentEncoding.decodeQuery("a+b%2bc") == "a+b+c")
    }

    @Test("a query is read in order with its duplicates")
    func queryItems() throws {
        let items = try #require(QueryItems.parse("a=1&b&&a=2&c=x=y&=z&d=%26"))
        #expect(items.map { "\($0.name):\($0.value)" } == ["a:1", "b:", "a:2", "c:x=y", ":z", "d:&"])
        #expect(QueryItems.parse("a=1&b=%g0") == nil)
        #expect(QueryItems.parse("")?.isEmpty == true)
    }

    @Test(
        "what a person pasted is read however it is broken",
        arguments: [
            ("a=%", "%"), ("a=%4", "%4"), ("a=b%4", "b%4"), ("a=%zz+%41", "%zz A"), ("a=%4z", "%4z"),
            ("a=%ff", "\u{FFFD}"), ("a=1af+%", "1af %"),
        ])
    func broken(text: String, value: String) {
        #expect(QueryItems.received(text).map(\.value) == [value])
    }

    @Test("a combining mark after the separator hides no parameter")
    func combiningMark() {
        #expect(QueryItems.parse("a=1&\u{301}b=2")?.map(\.name) == ["a", "\u{301}b"])
    }

    @Test("a form comes back as it was written")
    func formRoundTrip() throws {
        let body = FormBody.encode([("a b", "1+2"), ("ü", ""), ("a b", "&")])
        #expect(String(decoding: body, as: UTF8.self) == "a+b=1%2B2&%C3%BC=&a+b=%26")
        let items = try #require(FormBody.parse(body))
        #expect(items.map { "\($0.name):\($0.value)" } == ["a b:1+2", "ü:", "a b:&"])
        #expect(FormBody.parse([0xFF]) == nil)
    }

    @Test("query pairs are written with spaces as %20")
    func queryWriting() {
        #expect(QueryItems.encode([("a", "b c"), ("d", "e&f")]) == "a=b%20c&d=e%26f")
    }
}

@Suite("Remote text")
struct RemoteTextTests {
    @Test("control, bidirectional and invisible characters are removed")
    func controls() {
        let text = "a\u{1B}[31mb\u{7F}\u{9B}c\u{202E}d\u{2066}e\u{200B}f\u{FEFF}g\u{2028}h\u{E0041}"
        #expect(RemoteText.sanitize(text) == "a[31mbcdefgh")
    }

    @Test("a line break becomes a space")
    func lineBreaks() {
        #expect(RemoteText.sanitize("a\r\nb\tc") == "a  b c")
    }

    @Test("a text is cut at the limit, and shows it [rule 99]")
    func limit() {
        #expect(RemoteText.sanitize("abcdef", limit: 6) == "abcdef")
        #expect(RemoteText.sanitize("abcdefg", limit: 6) == "abcde…")
        #expect(RemoteText.sanitize("abc", limit: 0) == "…")
    }

    @Test("every scalar comes out harmless, and by itself as beside one that is removed [rule 181]")
    func everyScalar() {
        for range in [0..<0x3000, 0xF000..<0x1_1000, 0xE_0000..<0xE_0200] as [Range<UInt32>] {
            for scalar in range.compactMap(Unicode.Scalar.init) {
                let text = String(Character(scalar))
                let kept = RemoteText.sanitize(text)
                let isHarmless = kept.unicodeScalars.allSatisfy { scalar in
                    !(0..<0x20).contains(scalar.value) && !(0x7F...0x9F).contains(scalar.value)
                        && !scalar.properties.isBidiControl
                }
                if !isHarmless || kept != RemoteText.sanitize(text + "\u{7F}") {
                    Issue.record("U+\(String(scalar.value, radix: 16))")
                }
            }
        }
    }
}

@Suite("Secrets")
struct SecretTests {
    @Test("no description of a secret, or of what holds one, shows it [rule 177]")
    func descriptions() {
        let secret = Secret("hunter2", kind: .clientSecret)
        let registration = Fixture.registration(secret: "hunter2")
        var plan = RequestPlan(method: .post, endpoint: "https://op.example/token", bodyFormat: .form)
        ClientAuthentication.apply(registration, to: &plan)
        var text = "\(secret) \(String(reflecting: secret)) \(registration) \(plan)"
        dump(plan, to: &text)
        dump(Fixture.transaction(), to: &text)
        #expect(text.contains("‹client_secret›"))
        #expect(!text.contains("hunter2"))
        #expect(!text.contains(Fixture.transaction().state.reveal()))
    }

    @Test("secrets are equal by kind and value")
    func equality() {
        #expect(Secret("a", kind: .code) == Secret("a", kind: .code))
        #expect(Secret("a", kind: .code) != Secret("b", kind: .code))
        #expect(Secret("a", kind: .code) != Secret("a", kind: .state))
    }
}
