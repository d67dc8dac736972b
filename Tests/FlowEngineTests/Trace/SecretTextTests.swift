import FlowEngine
import JOSE
import OAuthProtocol
import Testing

@Suite("Secrets in texts")
struct SecretTextTests {
    static let value = "s3cr&t/+ v\"alue_of 31 characters"

    static let wrappings: [(name: String, text: String)] = [
        ("as it is", value), ("in a form", PercentEncoding.encodeForm(value)),
        ("in a query", PercentEncoding.encodeQuery(value)), ("in JSON", JSONValue.string(value).serialize()),
        ("in hexadecimal", Hexadecimal.encode(value.utf8)), ("in base64", Base64.encode(value.utf8)),
        ("in base64url", Base64URL.encode(value.utf8)),
        ("behind one byte in base64", Base64.encode("x\(value)".utf8)),
        ("behind two bytes in base64", Base64.encode("xy\(value)".utf8)),
        ("between others in base64", Base64.encode("client:\(value):tail".utf8)),
        ("between others in base64url", Base64URL.encode("a longer text, \(value), and more".utf8)),
    ]

    @Test("a secret is found in every encoding", arguments: wrappings)
    func forms(wrapping: (name: String, text: String)) {
        let index = SecretIndex([Secret(Self.value, kind: .clientSecret)])
        #expect(index.replaced(in: "<\(wrapping.text)>").contains("‹client_secret›"), "\(wrapping.name)")
    }

    static let escapes: [(name: String, text: String)] = [
        ("lower-case percent-encoding", "s3cr%26t%2f%2b%20v%22alue_of%2031%20characters"),
        ("percent-encoding twice", "s3cr%2526t%252F%252B%2520v%2522alue_of%252031%2520characters"),
        ("percent-encoding of every byte", value.utf8.map { "%" + Hexadecimal.encode([$0]) }.joined()),
        ("references by number", "s3cr&#38;t&#x2F;&#x2b; v&#34;alue_of 31 characters"),
        ("references by name", "s3cr&amp;t&sol;&plus; v&quot;alue_of 31 characters"),
        ("references twice", "s3cr&amp;amp;t/+ v&amp;quot;alue_of 31 characters"),
        ("JSON with more escapes than it needs", #"s3cr\u0026t\/\u002B v\"alue_of\u002031 characters"#),
        ("JSON in JSON", #"s3cr\\u0026t\\/+ v\\\"alue_of 31 characters"#),
        ("several of them", #"s3cr&#38;t\/%2b v&quot;alue_of%2031+characters"#),
        ("lines", "s3cr&t/+ v\"alue\r\n\t_of 31 characters"),
        ("cleaned lines", "s3cr&t/+ v\"al  ue_of 31 characters"),
    ]

    @Test("an escaped secret is replaced as a whole", arguments: escapes)
    func escaped(escape: (name: String, text: String)) {
        let index = SecretIndex([Secret(Self.value, kind: .clientSecret)])
        #expect(index.replaced(in: "<\(escape.text)>") == "<‹client_secret›>", "\(escape.name)")
    }

    /// A secret with every sign that an encoding has a letter for, and one that no encoding changes.
    @Test(
        "a secret in an address inside of an address is replaced, in whatever form",
        arguments: ["marker/of+signs=/+=tail==", "marker-without-any-sign"])
    func addressInAddress(secret: String) {
        let index = SecretIndex([Secret(secret, kind: .accessToken)])
        let forms = [
            secret, Base64.encode(secret.utf8), Base64.encode("u:\(secret)".utf8),
            Base64URL.encode("user:\(secret)".utf8), Hexadecimal.encode(secret.utf8),
        ]
        let encodings = [PercentEncoding.encodeForm, PercentEncoding.encodeQuery]
        for form in forms {
            for (inner, outer) in encodings.flatMap({ one in encodings.map { (one, $0) } }) {
                let address = outer("https://p.example/cb?x=1&t=\(inner(form))&y=2")
                let text = "see https://q.example/?next=\(address), please"
                for written in [text, JSONValue.string(text).serialize()] {
                    let shown = index.replaced(in: written)
                    #expect(shown.contains("‹access_token›"), "\(written)")
                    #expect(shown.contains("please"), "\(shown)")
                }
                let leaks = index.replaced(in: outer(outer(address)))
                #expect(leaks.contains("‹access_token›"), "\(leaks)")
            }
        }
    }

    @Test("characters beyond ASCII are found as references, in JSON and percent-encoded")
    func beyondASCII() {
        let index = SecretIndex([Secret("pässwörd-🔑-long", kind: .other)])
        for text in [
            #"p\u00e4ssw\u00F6rd-\ud83d\udd11-long"#, "p&#xe4;ssw&#246;rd-&#x1F511;-long",
            "p%c3%a4ssw%C3%B6rd-%F0%9F%94%91-long",
        ] { #expect(index.replaced(in: text) == "‹secret›") }
    }

    @Test(
        "what is no escape, or one of something else, is left",
        arguments: [
            "100% of &nothing; \\x with %zz &#; &#x; &#x110000; \\ud800 %", "s3cr%26t%2f%2b", "%", "\\", "&",
        ])
    func noEscape(text: String) {
        #expect(SecretIndex([Secret(Self.value, kind: .clientSecret)]).replaced(in: text) == text)
    }

    @Test("a text that was cut within an escape of a secret shows nothing of it")
    func cutEscape() {
        let index = SecretIndex([Secret(Self.value, kind: .clientSecret)])
        for text in ["s3cr%26t%2f%2b%20v%2…", "s3cr&amp;t/+ v&quo…", #"s3cr\u0026t\/\u002B v\u00…"#] {
            #expect(index.replaced(in: text) == "‹client_secret›…")
        }
    }

    static let token =
        Base64URL.encode(#"{"alg":"RS256"}"#.utf8) + "."
        + Base64URL.encode(#"{"sub":"248289761001"}"#.utf8) + ".c2lnbmF0dXJlLW9mLWEtdG9rZW4"
    static let key = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----"

    @Test("what looks like a secret is replaced, whoever wrote it")
    func shapes() {
        #expect(SecretShapes.redacted("got \(Self.token), sorry") == "got ‹jwt›, sorry")
        #expect(SecretShapes.redacted("\(Self.token)\n\(Self.token)") == "‹jwt›\n‹jwt›")
        #expect(SecretShapes.redacted("key: \(Self.key) end") == "key: ‹private_key› end")
        #expect(SecretShapes.redacted("cut -----BEGIN PRIVATE KEY-----\nMHc") == "cut ‹private_key›")
        #expect(
            SecretShapes.redacted("Authorization: Bearer 0123456789abcdefghij!")
                == "Authorization: Bearer ‹credential›!")
        #expect(SecretShapes.redacted("Bearer \(Self.token)") == "Bearer ‹jwt›")
    }

    @Test(
        "what is none stays",
        arguments: [
            "eyJ is how a token begins", "Bearer access token, expires in 3600 s, refresh token",
            "-----BEGIN PUBLIC KEY-----\nMHc\n-----END PUBLIC KEY-----", "Basic authentication is missing",
            "eyJhbGciOiJSUzI1NiJ9", "",
        ])
    func harmless(text: String) {
        #expect(SecretShapes.redacted(text) == text)
    }
}
