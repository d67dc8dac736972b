import JOSE
import OAuthProtocol
import Testing

@Suite("Metadata of protected resources (RFC 9728)")
struct ProtectedResourceTests {
    private static let resource = "https://api.example/v1/notes"

    private func read(
        _ changes: JSONObject = [:], at place: String = "https://api.example/meta"
    ) -> (error: ProtocolError?, found: ProtectedResource?) {
        var document: JSONObject = [
            "resource": .string(Self.resource), "authorization_servers": ["https://op.example"],
            "scopes_supported": ["notes:read", "two words", "a\"b", "a\\b", "", 5],
        ]
        for (name, value) in changes { document[name] = value.present }
        var found: ProtectedResource?
        let result = failure { log throws(ProtocolError) in
            found = try ProtectedResource.read(
                Fixture.response(JSONValue.object(document).serialize()), at: place, of: Self.resource,
                log: &log)
        }
        return (result.error, found)
    }

    @Test("the well-known part stands between host and path")
    func places() {
        #expect(
            ProtectedResource.plan(of: Self.resource).endpoint
                == "https://api.example/.well-known/oauth-protected-resource/v1/notes")
        #expect(
            ProtectedResource.plan(of: "https://api.example").endpoint
                == "https://api.example/.well-known/oauth-protected-resource")
    }

    @Test(
        "a query stays behind it, and only the slash that ends the host is left out",
        arguments: [
            ("https://api.example/", ""), ("https://api.example?tenant=1", "?tenant=1"),
            ("https://api.example/?tenant=/", "?tenant=/"), ("https://api.example/mcp/", "/mcp/"),
            ("https://api.example/mcp?at=https://x/", "/mcp?at=https://x/"),
        ])
    func queries(resource: String, rest: String) {
        #expect(
            ProtectedResource.plan(of: resource).endpoint
                == "https://api.example/.well-known/oauth-protected-resource\(rest)")
    }

    @Test("where a resource with a path has no document of its own, that of its host is looked for")
    func root() {
        let root = "https://api.example:8443/.well-known/oauth-protected-resource"
        #expect(ProtectedResource.rootPlan(of: "https://api.example:8443/mcp")?.endpoint == root)
        #expect(ProtectedResource.rootPlan(of: "https://api.example:8443/?a=b")?.endpoint == root)
        for resource in ["https://api.example", "https://api.example/", "mcp.example"] {
            #expect(ProtectedResource.rootPlan(of: resource) == nil)
        }
    }

    @Test("a resource that the one in question is a part of is believed at its own place alone [rule 12]")
    func wholes() {
        let root = "https://api.example/.well-known/oauth-protected-resource"
        for (whole, place) in [
            ("https://api.example", root), ("https://api.example/", root),
            ("https://api.example/v1", root + "/v1"), ("https://api.example/v1/notes/", root + "/v1/notes/"),
        ] {
            let changes: JSONObject = ["resource": .string(whole)]
            #expect(read(changes, at: place).found?.identifier == whole)
            #expect(read(changes).found == nil)
        }
        for (other, place) in [
            ("https://api.example/v1/note", root + "/v1/note"),
            ("https://api.example/v1/notes/2", root + "/v1/notes/2"),
            ("https://api.example?a=b", root + "?a=b"),
            ("https://evil.example", "https://evil.example/.well-known/oauth-protected-resource"),
        ] {
            #expect(read(["resource": .string(other)], at: place).found == nil)
        }
    }

    @Test("a refusal may name another place")
    func refusal() {
        func plan(_ challenges: String...) -> String? {
            ProtectedResource.plan(
                in: HTTPResponse(status: 401, fields: challenges.map { HTTPField("WWW-Authenticate", $0) }))?
                .endpoint
        }
        #expect(
            plan("Basic realm=\"x\"", "Bearer resource_metadata=\"https://m.example/x\"")
                == "https://m.example/x")
        #expect(
            plan("bearer error=\"invalid_token\", Resource_Metadata=\"https://m.example\"")
                == "https://m.example")
        #expect(plan("Bearer") == nil)
        #expect(plan() == nil)
    }

    @Test("the scopes that its refusal asks for stand before all that it knows (RFC 6750 §3)")
    func scopes() {
        func scopes(_ challenges: String...) -> [String]? {
            ProtectedResource(identifier: "https://a.example", authorizationServers: [], scopes: ["all"])
                .asking(
                    asIn: HTTPResponse(
                        status: 401, fields: challenges.map { HTTPField("www-authenticate", $0) })
                ).scopes
        }
        #expect(scopes() == ["all"])
        #expect(scopes("Bearer realm=\"r\"") == ["all"])
        #expect(scopes("Bearer scope=\"\"") == ["all"])
        #expect(scopes("Basic realm=\"r\"", "Bearer scope=\"read  write\"") == ["read", "write"])
        #expect(scopes("Bearer scope=\"a\\\\b c\"") == ["c"])
    }

    @Test("a document is believed about the very resource that was asked about")
    func names() {
        #expect(
            read().found
                == ProtectedResource(
                    identifier: Self.resource, authorizationServers: ["https://op.example"],
                    scopes: ["notes:read"]))
        for other in [
            "https://api.example/v1/notes/", "https://api.example", "https://evil.example/v1/notes",
        ] {
            #expect(
                read(["resource": .string(other)]).error
                    == .failed(Checks.protectedResource, expected: Self.resource, actual: other))
        }
        #expect(
            read(["resource": .null]).error
                == .failed(Checks.protectedResource, expected: Self.resource, actual: "no resource"))
    }

    @Test("nobody is led to an issuer over plain http")
    func plainIssuer() {
        #expect(
            read(["authorization_servers": ["https://op.example", "http://op.example"]]).error
                == .failed(
                    Checks.metadataEndpointSecure, expected: "authorization_servers, https addresses",
                    actual: "http://op.example is not https"))
        #expect(read(["authorization_servers": .null]).found?.authorizationServers == [])
        #expect(read(["scopes_supported": .null]).found?.scopes == nil)
    }

    @Test("a resource may say that tokens must be bound to a key (RFC 9728 §2)")
    func proof() {
        let member = "dpop_bound_access_tokens_required"
        for (value, demands) in [(true, true), (false, false), (.null, false), ("true", false)]
            as [(JSONValue, Bool)]
        {
            #expect(read([member: value]).found?.demandsProof == demands)
        }
    }
}
