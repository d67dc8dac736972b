import FlowSandbox
import JOSE
import OAuthProtocol
import Testing

@Suite("Metadata and keys")
struct MetadataTests {
    @Test(
        "both well-known documents name the issuer and its endpoints",
        arguments: ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"])
    func metadata(path: String) throws {
        let response = try #require(try Visitor().get(path).response)
        #expect(response.status == 200)
        #expect(response.field("Content-Type") == "application/json")
        let document = try response.json()
        #expect(document["issuer"] == .string(Visitor.issuer))
        #expect(document["authorization_endpoint"] == .string(Visitor.issuer + "/authorize"))
        #expect(document["token_endpoint"] == .string(Visitor.issuer + "/token"))
        #expect(document["userinfo_endpoint"] == .string(Visitor.issuer + "/userinfo"))
        #expect(document["jwks_uri"] == .string(Visitor.issuer + "/jwks"))
        #expect(document["code_challenge_methods_supported"] == ["S256"])
        #expect(document["authorization_response_iss_parameter_supported"] == true)
    }

    private func advertised(_ member: String) throws -> [String] {
        let document = try #require(try Visitor().get("/.well-known/openid-configuration").response).json()
        return try #require(document[member]?.arrayValue).compactMap(\.stringValue)
    }

    @Test(
        "where clients may sign assertions, it is said by which algorithms (RFC 8414 §2)",
        arguments: ["token", "revocation", "introspection"])
    func assertionAlgorithms(endpoint: String) throws {
        #expect(try advertised("\(endpoint)_endpoint_auth_methods_supported").contains("private_key_jwt"))
        #expect(
            try advertised("\(endpoint)_endpoint_auth_signing_alg_values_supported").contains("ES256"))
    }

    @Test("every grant type that is advertised is known, and no other is")
    func grantTypes() throws {
        let visitor = try Visitor()
        let code = { (type: String) in
            try visitor.post("/token", [("grant_type", type), ("client_id", "flowrun-sandbox")]).response?
                .errorCode()
        }
        // An ID token beside the code is of the implicit grant, and no request is made for it.
        for type in try advertised("grant_types_supported") where type != "implicit" {
            #expect(try code(type) != "unsupported_grant_type")
        }
        for type in ["password", "urn:ietf:params:oauth:grant-type:saml2-bearer"] {
            #expect(try code(type) == "unsupported_grant_type")
        }
    }

    @Test("every response mode, scope and type of details that is advertised is accepted")
    func requests() throws {
        let visitor = try Visitor()
        for mode in try advertised("response_modes_supported") {
            #expect(try [200, 303].contains(visitor.authorize(["response_mode": mode]).status))
        }
        let scopes = try advertised("scopes_supported").joined(separator: " ")
        #expect(try visitor.authorize(["scope": scopes]).callback()["code"] != nil)
        for type in try advertised("authorization_details_types_supported") {
            let details = "[{\"type\":\"\(type)\"}]"
            #expect(
                try visitor.authorize(["authorization_details": details]).callback()["code"] != nil)
        }
    }

    @Test("every endpoint that is advertised is there")
    func endpoints() throws {
        let visitor = try Visitor()
        let document = try #require(visitor.get("/.well-known/openid-configuration").response).json()
        let urls = try #require(document.objectValue).filter {
            $0.key.hasSuffix("_endpoint") || $0.key == "jwks_uri"
        }
        #expect(urls.count == 10)
        for url in urls {
            let path = try #require(url.value.stringValue).dropFirst(Visitor.issuer.count)
            #expect(visitor.get(String(path)).response?.status != 404)
        }
    }

    @Test("the algorithm in use is named first, and RS256 always")
    func algorithms() throws {
        let document = try #require(
            try Visitor(algorithm: .edDSA).get("/.well-known/openid-configuration").response)
        #expect(try document.json()["id_token_signing_alg_values_supported"] == ["EdDSA", "RS256"])
    }

    @Test("the key set has one public key of each algorithm")
    func keys() throws {
        let response = try #require(try Visitor().get("/jwks").response)
        let set = try JWKSet.parse(try response.json())
        #expect(set.keys.map(\.algorithmName) == ["RS256", "ES256", "EdDSA"])
        #expect(set.unusable.isEmpty)
        #expect(Set(set.keys.map(\.kid)).count == 3)
    }

    @Test("the index page explains the sandbox and names clients and users")
    func index() throws {
        let page = try #require(try Visitor().get("/").response)
        #expect(page.status == 200)
        #expect(page.text.contains("This is flowrun’s sandbox"))
        #expect(page.text.contains("<code>flowrun-sandbox-confidential</code>"))
        #expect(page.text.contains("<code>chloe</code>"))
    }

    @Test("a secret that somebody chose is not shown on the index page")
    func chosenSecrets() throws {
        let page = try #require(
            try Visitor { configuration in
                configuration.clients = [
                    SandboxClient(
                        id: "mine", name: "Mine", secret: Secret("canary-secret", kind: .clientSecret),
                        redirectURIs: [Visitor.redirectURI])
                ]
                configuration.users = [
                    SandboxUser(
                        subject: "1", username: "dora", password: Secret("canary-password", kind: .other),
                        givenName: "Dora", familyName: "Test", email: "dora@example.com", phoneNumber: "1",
                        address: "Here")
                ]
            }.get("/").response)
        #expect(page.text.contains("dora"))
        #expect(!page.text.contains("canary"))
    }

    @Test("the favicon is empty and a picture shows the initials")
    func pictures() throws {
        let visitor = try Visitor()
        #expect(visitor.get("/favicon.ico") == .send(HTTPResponse(status: 204)))
        let picture = try #require(visitor.get("/pictures/chloe.svg").response)
        #expect(picture.field("Content-Type") == "image/svg+xml")
        #expect(picture.text.contains(">CM</text>"))
        #expect(visitor.get("/pictures/nobody.svg").response?.status == 404)
    }

    @Test("another path is not found, another method not allowed")
    func routes() throws {
        let visitor = try Visitor()
        #expect(visitor.get("/nowhere").response?.status == 404)
        let refused = try #require(visitor.get("/token").response)
        #expect(refused.status == 405)
        #expect(refused.field("Allow") == "POST")
        #expect(visitor.post("/authorize", Visitor.request()).response?.status == 405)
    }

    @Test(
        "what GET asks for HEAD asks for too, and nothing else (RFC 9110 §9.3.2)",
        arguments: ["/", "/jwks", "/.well-known/openid-configuration", "/userinfo", "/resource"])
    func head(path: String) throws {
        let visitor = try Visitor()
        let answer = try #require(visitor.send("HEAD", path, nil).response)
        #expect(answer == visitor.get(path).response)
        let refused = try #require(visitor.send("DELETE", path, nil).response)
        #expect(refused.status == 405)
        #expect(refused.field("Allow")?.hasPrefix("GET, HEAD") == true)
        #expect(visitor.send("HEAD", "/token", nil).response?.status == 405)
    }
}
