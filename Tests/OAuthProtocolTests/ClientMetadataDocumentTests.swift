import JOSE
import OAuthProtocol
import Testing

@Suite("Documents about clients (draft-ietf-oauth-client-id-metadata-document)")
struct ClientMetadataDocumentTests {
    @Test(
        "an address is https with a path of its own, and nothing else",
        arguments: [
            ("https://app.example/client.json", nil), ("https://app.example:8443/a/b", nil),
            ("https://app.example/a..b/.c/", nil), ("https://app.example", "has no path"),
            ("https://app.example/", "has no path"), ("http://app.example/c", "is not https"),
            ("http://127.0.0.1/c", "is not https"), ("app.example/c", "is not an absolute URL"),
            ("https://app.example/../c", "has a path with dots for segments"),
            ("https://app.example/a/.", "has a path with dots for segments"),
            ("https://app.example/c?v=1", "has a query"), ("https://app.example/c#v", "has a fragment"),
            ("https://a@app.example/c", "holds user information"),
        ])
    func address(text: String, problem: String?) {
        #expect(ClientMetadataDocument.problem(of: text) == problem)
    }

    @Test("nobody proves himself by a secret that everybody reads")
    func methods() {
        let allowed = ClientAuthenticationMethod.allCases.filter(ClientMetadataDocument.allows)
        #expect(Set(allowed) == [.none, .privateKeyJWT, .tlsClientAuth, .selfSignedTLSClientAuth])
    }

    @Test("the document says its own address before all else, whatever further members say")
    func document() {
        let metadata = ClientMetadata(
            redirectURIs: ["http://127.0.0.1/callback"],
            authenticationMethod: ClientAuthenticationMethod.none,
            name: "Acme", further: ["client_id": "other", "logo_uri": "https://app.example/logo"])
        let document = ClientMetadataDocument.text(metadata, at: "https://app.example/c")
        #expect(
            document.map(\.key) == [
                "client_id", "redirect_uris", "token_endpoint_auth_method", "client_name", "logo_uri",
            ])
        #expect(document["client_id"] == "https://app.example/c")
    }

    @Test(
        "what is published says its own address and has every redirect URI",
        arguments: [
            (
                200,
                #"{"client_id":"https://a.example/c","redirect_uris":["http://127.0.0.1/b","http://127.0.0.1/a"]}"#,
                nil
            ),
            (404, "{}", "answers 404"), (301, "", "answers 301"), (200, "<html>", "holds no JSON object"),
            (200, "[]", "holds no JSON object"),
            (200, #"{"client_id":"https://a.example/d"}"#, "does not say its own address as client_id"),
            (
                200, #"{"client_id":"https://a.example/c","redirect_uris":["http://127.0.0.1/b"]}"#,
                "lacks the redirect URI http://127.0.0.1/a"
            ),
        ] as [(Int, String, String?)])
    func published(status: Int, body: String, problem: String?) {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        #expect(
            ClientMetadataDocument.problem(
                with: response, at: "https://a.example/c", redirectURIs: ["http://127.0.0.1/a"]) == problem)
    }
}
