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
        let forms = SecretForms.of(Self.value)
        #expect(forms.contains { wrapping.text.contains($0) }, "\(wrapping.name)")
        #expect(forms.allSatisfy { $0.utf8.count >= 30 })
        #expect(forms.first == Self.value)
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
