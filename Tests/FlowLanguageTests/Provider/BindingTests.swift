import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

@Suite("Binding variables")
struct BindingTests {
    private func descriptor() throws -> ProviderDescriptor {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables:
              tenant: {pattern: '[a-z0-9-]+', description: the directory}
              region: {default: eu, enum: [eu, us]}
              base: {default: 'https://p.example'}
            jwks_uri: ${vars.base}/${vars.tenant}/keys

            """)
        #expect(report == [])
        return try #require(descriptor)
    }

    @Test("values fill in the texts")
    func values() throws {
        let bound = try descriptor().bind(variables: ["tenant": "acme"])
        #expect(bound.serverFields().jwksURI == "https://p.example/acme/keys")
    }

    @Test("all that is missing, unknown or misfitting is named")
    func problems() throws {
        let error = #expect(throws: BindingError.self) {
            try descriptor().bind(variables: ["tenat": "x", "region": "asia"])
        }
        #expect(
            error?.problems == [
                VariableProblem(
                    variable: "tenat", message: "provider \"p\" has no variable \"tenat\"",
                    hint: "did you mean \"tenant\"?"),
                VariableProblem(
                    variable: "tenant", message: "variable \"tenant\" has no value", hint: "the directory"),
                VariableProblem(
                    variable: "region", message: "variable \"region\" must be one of eu, us, not \"asia\"",
                    hint: nil),
            ])
    }

    @Test("scopes are made of variables and of the client's identifier; what has no value is none")
    func scopes() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables:
              area: {default: eu}
              more: {required: false}
              key: {secret: true}
            authorization:
              scope: [openid, "https://${vars.area}.p.example/.default", "${client.id}", "${vars.more}"]
              required_scope: ["${vars.area}:read"]

            """)
        #expect(report == [])
        let open = try #require(descriptor)
        let bound = try open.bind(variables: ["area": "us", "key": "k"]).used(by: "a-client")
        #expect(bound.scopes == ["openid", "https://us.p.example/.default", "a-client"])
        #expect(bound.requiredScopes == ["us:read"])
        let several = try open.bind(variables: ["key": "k", "more": "a b"]).used(by: "c")
        #expect(several.scopes == ["openid", "https://eu.p.example/.default", "c", "a", "b"])
        let error = #expect(throws: BindingError.self) {
            try open.bind(variables: ["area": "e\"u", "key": "k"])
        }
        #expect(
            error?.problems.map(\.hint) == ["see p.yaml:9", "see p.yaml:10"],
            "no value is repeated: it may be hidden")
        let (_, secret) = DescriptorFixture.read(
            "variables: {key: {secret: true}}\nauthorization: {scope: ['${vars.key}', '${token.scope}']}\n")
        #expect(secret.map { $0.prefix(10) } == ["FL061 5:28", "FL046 5:43"])
    }

    @Test("a value cannot turn an endpoint insecure or leave its host")
    func endpoints() throws {
        let error = #expect(throws: BindingError.self) {
            try descriptor().bind(variables: ["tenant": "acme", "base": "http://p.example"])
        }
        #expect(
            error?.problems == [
                VariableProblem(
                    variable: "jwks_uri", message: "jwks_uri \"http://p.example/acme/keys\" is not https",
                    hint: "see p.yaml:8; http:// is only for this machine")
            ])
        let other = #expect(throws: BindingError.self) {
            try descriptor().bind(variables: ["tenant": "a/../b"])
        }
        #expect(
            other?.problems.map(\.message) == [
                "variable \"tenant\" must match [a-z0-9-]+, which \"a/../b\" does not"
            ])
    }
}
