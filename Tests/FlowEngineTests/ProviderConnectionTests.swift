import FlowLanguage
import FlowTesting
import OAuthProtocol
import Testing

@testable import FlowEngine

@Suite("Connections to a provider")
struct ProviderConnectionTests {
    private static func exchange(
        _ purpose: HTTPExchange.Purpose, _ url: String, _ source: ParameterSource?
    ) throws -> HTTPExchange {
        var plan = RequestPlan(method: .get, endpoint: url)
        plan.endpointSource = source
        return HTTPExchange(
            purpose: purpose, plan: plan, request: try plan.encoded(), timeout: 1, maximumBytes: 1)
    }

    static let endpoints: [(HTTPExchange.Purpose, String, ParameterSource?, AddressReach)] = [
        (.discovery, "https://p.example/m", .descriptor("p.yaml:1"), .published),
        (.jwks, "https://p.example/jwks", .metadata, .published),
        (.token, "https://p.example/token", .metadata, .published),
        (.token, "https://p.example/token", .descriptor("p.yaml:1"), .declared),
        (.userinfo, "https://p.example/userinfo", .metadata, .published),
        (.http, "https://elsewhere.example/api", .descriptor("p.yaml:1"), .declared),
        (.http, "https://p.example/api", .step("ask"), .declared),
        (.http, "https://elsewhere.example/api", .step("ask"), .published),
    ]

    @Test("what the network names may lead to global addresses alone [rule 28]", arguments: endpoints)
    func reach(
        purpose: HTTPExchange.Purpose, url: String, source: ParameterSource?, reach: AddressReach
    ) throws {
        let exchange = try Self.exchange(purpose, url, source)
        #expect(try Compiled.provider(ProviderText.discovered).reach(of: exchange) == reach)
        let local = ProviderText.discovered.replacing("https://p.example", with: "http://127.0.0.1:9400")
        let near = try Compiled.provider(local).reach(of: try Self.exchange(.jwks, url, .metadata))
        #expect(near == .publishedNear(.loopback))
    }

    @Test("where nothing is discovered a file has named all addresses [rule 28]")
    func declared() throws {
        let provider = try Compiled.provider()
        let exchange = try Self.exchange(.http, "https://elsewhere.example/api", .step("ask"))
        #expect(provider.reach(of: exchange) == .declared)
        #expect(provider.reach(ofEndpoint: "https://p.example/token") == .declared)
        #expect(provider.reach(ofEndpoint: "https://elsewhere.example/token") == .published)
    }

    private static func provider(isBound: Bool, isRehearsal: Bool = false) throws -> BoundProvider {
        let text = ProviderText.standard.replacing(
            "client: {", with: "client: { tls_client_certificate_bound_access_tokens: \(isBound),")
        let descriptor = try Compiled.descriptor(text)
        return BoundProvider(
            descriptor: descriptor, bound: try descriptor.bind(variables: [:]),
            registration: ClientRegistration(
                clientID: "c", privateKey: Secret(TestKey.pem, kind: .other),
                certificate: Secret("certificate", kind: .other)), isRehearsal: isRehearsal)
    }

    @Test("the client's certificate goes to those who ask who it is, and with tokens that are bound to it")
    func certificate() throws {
        for isBound in [true, false] {
            let provider = try Self.provider(isBound: isBound)
            for purpose in [.token, .refresh, .revocation, .registration] as [HTTPExchange.Purpose] {
                #expect(provider.policy(for: purpose)?.certificate != nil)
            }
            for purpose in [.userinfo, .http] as [HTTPExchange.Purpose] {
                #expect((provider.policy(for: purpose)?.certificate != nil) == isBound)
            }
            for purpose in [.discovery, .jwks] as [HTTPExchange.Purpose] {
                #expect(provider.policy(for: purpose) == nil)
            }
        }
        #expect(try Self.provider(isBound: true, isRehearsal: true).policy(for: .token) == nil)
    }

    @Test("a client with a certificate is sent to the endpoints for such clients (RFC 8705 §5)")
    func aliases() throws {
        var published = ServerMetadataFields()
        published.tokenEndpoint = "https://p.example/token"
        published.mtlsEndpointAliases = ["token_endpoint": "https://mtls.p.example/token"]
        let located = try Compiled.descriptor(ProviderText.discovered)
        func known(_ registration: ClientRegistration) throws -> String? {
            BoundProvider(
                descriptor: located, bound: try located.bind(variables: [:]), registration: registration
            ).known(published).fields.tokenEndpoint
        }
        #expect(try known(ClientRegistration(clientID: "c")) == "https://p.example/token")
        let proven = ClientRegistration(
            clientID: "c", privateKey: Secret(TestKey.pem, kind: .other),
            certificate: Secret("certificate", kind: .other))
        #expect(try known(proven) == "https://mtls.p.example/token")
    }
}
