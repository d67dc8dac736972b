import FlowTesting
import Testing

@testable import FlowEngine

@Suite("Scopes of an authorization request")
struct ScopeTests {
    @Test("each is sent once, in the order in which they were asked for, behind what is required")
    func once() throws {
        let provider = try Compiled.provider()
        #expect(provider.authorizationScopes(["email", "openid", "email"]) == ["email", "openid"])
        #expect(provider.authorizationScopes(["email", "email"]) == ["openid", "email"])
    }
}
