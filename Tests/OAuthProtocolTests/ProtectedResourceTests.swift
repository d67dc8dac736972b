import JOSE
import OAuthProtocol
import Testing

@Suite("Metadata of protected resources (RFC 9728)")
struct ProtectedResourceTests {
    private static let resource = "https://api.example/v1/notes"

    private func read(_ changes: JSONObject = [:]) -> (error: ProtocolError?, found: ProtectedResource?) {
        var document: JSONObject = [
            "resource": .string(Self.resource), "authorization_servers": ["https://op.example"],
            "scopes_supported": ["notes:read", "two words", "a\"b", "a\\b", "", 5],
        ]
        for (name, value) in changes { document[name] = value.present }
        var found: ProtectedResource?
        let result = failure { log throws(ProtocolError) in
            found = try ProtectedResource.read(
                Fixture.response(JSONValue.object(document).serialize()), of: Self.resource, log: &log)
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
}
