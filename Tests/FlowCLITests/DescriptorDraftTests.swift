import FlowLanguage
import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowCLI

@Suite("Provider files from metadata")
struct DescriptorDraftTests {
    private func draft(
        _ path: String, _ change: (inout ServerMetadataFields) -> Void = { _ in }
    ) -> DescriptorDraft {
        var fields = ServerMetadataFields()
        fields.issuer = "https://a.example/t"
        change(&fields)
        return DescriptorDraft(
            name: "acme", issuer: "https://a.example/t", url: "https://a.example" + path, fields: fields)
    }

    private func read(_ draft: DescriptorDraft) -> ProviderDescriptor? {
        let reading = ProviderReader.read(SourceFile(path: "acme.yaml", text: draft.text))
        #expect(reading.diagnostics.map(\.message) == [])
        return reading.descriptor
    }

    @Test("metadata of RFC 8414 is of plain OAuth 2.0, which must be told to look there")
    func plain() throws {
        let descriptor = try #require(read(draft("/.well-known/oauth-authorization-server/t")))
        #expect(descriptor.wireProtocol == .oauth2)
        #expect(descriptor.discovery == .auto)
        #expect(descriptor.server.metadataURL == nil)
        #expect(descriptor.authorization.scopes.map(\.literal) == [])
    }

    @Test("metadata at a place of its own is named")
    func elsewhere() throws {
        let descriptor = try #require(read(draft("/meta/openid-configuration")))
        #expect(descriptor.wireProtocol == .oidc)
        #expect(descriptor.server.metadataURL != nil)
    }

    @Test("metadata that a person pointed at is named where a run would come upon other metadata first")
    func told() throws {
        for (path, isNamed) in [
            ("/.well-known/oauth-authorization-server/t", true),
            ("/t/.well-known/openid-configuration", false),
        ] {
            var draft = draft(path)
            draft.isTold = true
            #expect((try #require(read(draft)).server.metadataURL != nil) == isNamed, "\(path)")
        }
    }

    @Test("a provider that lists no scopes offers none to choose from")
    func noScopes() {
        let text = draft("/t/.well-known/openid-configuration") { $0.scopesSupported = [] }.text
        #expect(!text.contains("It offers"))
        #expect(text.contains("  scope: [openid]\n"))
    }

    @Test("an algorithm is written only where it is the one and not the usual")
    func algorithms() throws {
        func algorithm(_ names: [String]) -> String? {
            let text = draft("/t/.well-known/openid-configuration") {
                $0.idTokenSigningAlgValuesSupported = names
            }
            return read(text)?.client.idTokenSignedResponseAlgorithm?.rawValue
        }
        #expect(algorithm(["ES256"]) == "ES256")
        #expect(algorithm(["RS256"]) == nil)
        #expect(algorithm(["ES256", "RS256"]) == nil)
        #expect(algorithm(["XX256"]) == nil)
        // It needs a client with a secret (OpenID Connect Core §10.1).
        #expect(algorithm(["HS256"]) == "HS256")
        #expect(algorithm(["HS256", "RS256"]) == nil)
    }

    @Test("tokens are bound to a key where the resource takes no others (RFC 9728 §2)")
    func proof() throws {
        for demandsProof in [true, false] {
            var draft = draft("/t/.well-known/openid-configuration")
            draft.resource = ProtectedResource(
                identifier: "https://api.example", authorizationServers: ["https://a.example/t"],
                demandsProof: demandsProof)
            #expect(read(draft)?.client.security.bindsAccessTokens == demandsProof)
        }
    }

    @Test("scopes are those that the provider offers, openid in any case")
    func scopes() throws {
        let text = draft("/t/.well-known/openid-configuration") {
            $0.scopesSupported = ["email", "offline_access", "x: y # z"]
            $0.codeChallengeMethodsSupported = ["plain"]
        }
        #expect(read(text)?.authorization.scopes.map(\.literal) == ["openid", "email"])
        #expect(text.text.contains("# Add offline_access"))
        #expect(text.text.contains("# It lists the PKCE methods plain; flowrun sends S256"))
    }

    @Test("a program that registers itself has redirect URIs with ports, one at which it will listen")
    func ports() throws {
        func ports(_ issuer: String, _ endpoint: String?) -> [Int]? {
            var fields = ServerMetadataFields()
            fields.registrationEndpoint = endpoint
            let draft = DescriptorDraft(name: "acme", issuer: issuer, url: issuer, fields: fields)
            return read(draft)?.redirect.loopbackPorts?.map { Int($0) }
        }
        let one = try #require(ports("https://a.example/t", "https://a.example/register"))
        #expect(one.count == 3 && one.allSatisfy { (21_000...31_002).contains($0) })
        #expect(ports("https://b.example", "https://b.example/register") != one)
        #expect(ports("https://a.example/t", nil) == nil)
    }

    @Test("tokens for a resource are asked for, with its scopes, and go there")
    func resource() throws {
        var draft = draft("/.well-known/oauth-authorization-server/t")
        draft.resource = ProtectedResource(
            identifier: "https://api.example/v1", authorizationServers: ["https://a.example/t"],
            scopes: ["read", "notes:read", "${vars.x}", "off", "a,b]"])
        let descriptor = try #require(read(draft))
        #expect(descriptor.authorization.scopes.map(\.literal) == ["read", "notes:read", "off", "a,b]"])
        let bound = try descriptor.bind(variables: [:])
        #expect(bound.extras().resources == ["https://api.example/v1"])
        for facts in [
            descriptor.authorization.dialect, descriptor.token.request, descriptor.refresh.operation.request,
        ] {
            #expect(
                facts.parameters.map { "\($0.name)=\($0.text.literal ?? "")" }
                    == ["resource=https://api.example/v1"])
        }
    }

    @Test("what a server writes stays within its comment")
    func hostile() throws {
        let text = draft("/t/.well-known/openid-configuration") {
            $0.scopesSupported = ["a\nprotocol: oauth2", "b\u{2028}c"]
            $0.tokenEndpointAuthMethodsSupported = ["x\r\nclient: {}"]
        }
        #expect(read(text)?.wireProtocol == .oidc)
    }
}
