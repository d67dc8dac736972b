import Testing

@testable import FlowCLI

@Suite("What people type for an issuer")
struct IssuerTextTests {
    static let names = [
        ("https://accounts.google.com", "google"), ("https://acme.eu.auth0.com/", "acme"),
        ("https://login.example.co.uk/x", "example"), ("https://sso.example.com:8443", "example"),
        ("https://127.0.0.1:80", "local"), ("https://[::1]", "local"), ("https://localhost", "localhost"),
    ]

    @Test("a provider is named after its host", arguments: names)
    func name(issuer: String, name: String) {
        #expect(IssuerText.name(of: issuer) == name)
    }

    @Test("an issuer may be typed as a host or as the address of its metadata")
    func typed() throws {
        #expect(try IssuerText("accounts.google.com").issuer == "https://accounts.google.com")
        #expect(
            try IssuerText("https://a.example/t/.well-known/openid-configuration").issuer
                == "https://a.example/t")
        #expect(
            try IssuerText("https://a.example/.well-known/oauth-authorization-server/t").issuer
                == "https://a.example/t")
    }
}
