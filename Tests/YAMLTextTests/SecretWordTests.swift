import Testing

@testable import YAMLText

@Suite("Words that look like a secret")
struct SecretWordTests {
    private static let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln"

    private func diagnostic(_ message: String, hint: String? = nil) -> Diagnostic {
        let span = SourceSpan(start: SourceMark(line: 1, column: 1), end: SourceMark(line: 1, column: 29))
        return Diagnostic(
            code: "FL010", file: "a.yaml", span: span, message: message, hint: hint,
            related: [.init(span: span, message: message)])
    }

    @Test(
        "a message does not repeat what looks like a secret",
        arguments: [
            token, "GOCSPX-9f8a7b6c", "8f14e45fceea167a5a36dedd4bea2543", "Bearer mF9B5f4a1JqM2x",
            "-----BEGIN PRIVATE KEY----- MIIE", "aBcDeFgHiJkLmNoPqRsTuVwXyZabcdef1",
        ])
    func secret(word: String) {
        let found = diagnostic("unknown key \"\(word)\" in provider \"p\"", hint: "not \"\(word)\"")
        #expect(found.message == "unknown key \"‹secret›\" in provider \"p\"")
        #expect(found.hint == "not \"‹secret›\"")
        #expect(found.related[0].message == found.message)
        #expect(found.isCredential)
    }

    @Test(
        "names, digests and addresses are repeated",
        arguments: [
            "client_secert", "token_endpoint_auth_method", "sha256_rsa2048", "x5t#S256", "base64url_sha256",
            "tokenEndpointOAuth2Scopes", "code_challenge_methods_supported",
            "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "https://login.example/0a1b2c3d-0000-4000-8000-000000000000/v2.0",
            "urn:ietf:params:oauth:1a2b3c4d5e",
            "flows/login2.flow.yaml", "eyJ",
        ])
    func name(word: String) {
        let found = diagnostic("unknown key \"\(word)\"")
        #expect(found.message == "unknown key \"\(word)\"")
        #expect(!found.isCredential)
    }

    @Test("nor does a line that cannot be read", arguments: [token, "GOCSPX-9f8a7b6c"])
    func unreadable(word: String) {
        let source = SourceFile(path: "a.yaml", text: "a: b\n\(word)\nlanguage: flow/1\n")
        let (_, found) = YAMLDocument.parse(source)
        #expect(found.map(\.code) == ["FL001"])
        let shown = TextDiagnosticRenderer().render(found, sources: [source])
        #expect(!shown.contains(word))
        #expect(shown.contains("   2 | \(String(repeating: "*", count: word.count))\n     | ^"))
    }

    @Test("neither does the line below it, nor that of another mistake in it")
    func line() {
        let text = "\(Self.token): [1]\n"
        let source = SourceFile(path: "a.yaml", text: text)
        let key = SourceSpan(start: SourceMark(line: 1, column: 1), end: SourceMark(line: 1, column: 42))
        let value = SourceSpan(start: SourceMark(line: 1, column: 44), end: SourceMark(line: 1, column: 47))
        let found = [
            Diagnostic(code: "FL010", file: "a.yaml", span: key, message: "unknown key \"\(Self.token)\""),
            Diagnostic(code: "FL016", file: "a.yaml", span: value, message: "no list"),
        ]
        let shown = TextDiagnosticRenderer().render(found, sources: [source])
        #expect(!shown.contains("eyJ"))
        #expect(shown.contains("   1 | \(String(repeating: "*", count: 41)): [1]\n"))
        #expect(shown.contains("     | ^~~~"))
        for other in [JSONDiagnosticRenderer().render(found, sources: [source]), found[0].description] {
            #expect(!other.contains("eyJ"))
        }
    }
}
