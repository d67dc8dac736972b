import FlowEngine
import FlowLanguage
import FlowTesting
import OAuthProtocol
import Testing
import YAMLText

/// What holds of every descriptor of `providers/`.
@Suite("Catalogue")
struct CatalogueTests {
    @Test("there are providers enough to find one's own among them")
    func count() throws {
        #expect(try Shipped.providers().count >= 200)
    }

    @Test("a descriptor and its environments are free of findings", arguments: try Shipped.providers())
    func clean(_ name: String) throws {
        let file = try Shipped.file(name)
        let reading = try Shipped.reading(name)
        #expect(reading.diagnostics == [])
        let descriptor = try #require(reading.descriptor)
        #expect(descriptor.id == name)
        #expect(file.text.hasPrefix("# yaml-language-server: $schema=provider.schema.json\n# "))
    }

    @Test("the examples of its variables fit, in every environment", arguments: try Shipped.providers())
    func bound(_ name: String) throws {
        let environments = try Shipped.descriptor(name).environments
        for environment in [nil] + environments.map(Optional.some) {
            let bound = try CatalogueRun.bind(name, CatalogueRun.Client(environment: environment))
            #expect(bound.descriptor.wireProtocol == .oauth2 || bound.declared.issuer != nil)
        }
    }

    @Test("a client's authentication is said, or discovered", arguments: try Shipped.providers())
    func authentication(_ name: String) throws {
        let descriptor = try Shipped.descriptor(name)
        #expect(descriptor.client.authenticationMethod != nil || descriptor.discovery != .off)
    }

    /// Addresses that a catalogue has parsed end in a slash, which is one character too many for an issuer
    /// (OpenID Connect Discovery §4.3).
    @Test("the issuer of a host alone ends in a slash only where the provider's does")
    func hosts() throws {
        let slashed = try Shipped.providers().filter { name in
            let issuer = try CatalogueRun.bind(name).declared.issuer ?? ""
            return issuer.hasSuffix("/") && issuer.count { $0 == "/" } == 3
        }
        #expect(Set(slashed) == ["auth0", "docusign", "gov-br", "govuk-one-login", "jumpcloud", "matrix"])
    }

    @Test(
        "the flows of every day can be bound to every provider", arguments: try Shipped.providers(),
        ["logout", "refresh", "userinfo", "revoke", "introspect"])
    func everyDay(_ name: String, _ flow: String) throws {
        let program = try Shipped.program(flow)
        let bound = try CatalogueRun.bind(name).bound
        let facts = program.providers.map { _ in BindFacts(descriptor: bound.descriptor, bound: bound) }
        #expect(BindRules.check(program, facts).filter { $0.severity == .error } == [])
    }
}
