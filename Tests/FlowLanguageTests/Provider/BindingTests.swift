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

    @Test("a value cannot turn an endpoint insecure or leave its host")
    func endpoints() throws {
        let error = #expect(throws: BindingError.self) {
            try descriptor().bind(variables: ["tenant": "acme", "base": "http://p.example"])
        }
        #expect(
            error?.problems == [
                VariableProblem(
                    variable: "jwks_uri", message: "jwks_uri \"http://p.example/acme/keys\" is not https",
                    hint: "see p.yaml:8")
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
