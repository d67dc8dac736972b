import FlowEngine
import FlowLanguage
import FlowLive
import OAuthProtocol
import Testing
import YAMLText

/// A program that embeds a flow with several providers.
@Suite("a program with several providers")
struct SeveralProvidersTests {
    private let folder = ScratchFolder()

    private static let flow = """
        language: flow/1
        flow: two
        version: 1
        providers: { home: {}, shop: {} }
        start: first
        defaults: { timeout: 60s, next: { any: failed } }
        steps:
          first: { do: client_credentials, provider: home, with: { into: home }, next: second }
          second: { do: client_credentials, provider: shop, with: { into: shop }, next: done }
        ends:
          done: { result: success }
          failed: { result: failure }
        """

    private func runner(
        _ providers: [String: FlowProvider], flow: String = flow
    ) throws(SignInFailure) -> FlowRunner {
        try FlowRunner(
            flow: SourceFile(path: "two.flow.yaml", text: flow), providers: providers,
            configuration: LiveConfiguration(
                storeDirectory: folder.path + "/store", stateDirectory: folder.path + "/state"))
    }

    private static let descriptor = SourceFile(
        path: "sandbox.yaml", text: ScratchFolder.read(Project.path("providers/sandbox.yaml")))

    private func provider(_ issuer: String) -> FlowProvider {
        FlowProvider(
            Self.descriptor,
            client: ClientRegistration(
                clientID: "flowrun-sandbox-confidential",
                secret: Secret("sandbox-secret-that-everybody-knows", kind: .clientSecret),
                authenticationMethod: .clientSecretBasic),
            variables: ["issuer": issuer])
    }

    @Test("each alias has its own, and the program gets the tokens of each set")
    func own() async throws {
        let (home, shop) = (try RecordingProvider(), try RecordingProvider())
        let runner = try runner(["shop": provider(shop.issuer), "home": provider(home.issuer)])
        let result = try await runner.run()
        #expect(result.failure == nil)
        #expect(home.hits("/token").count == 1)
        #expect(shop.hits("/token").count == 1)
        #expect(result.tokens == nil)
        #expect(Set(result.tokenSets.keys) == ["home", "shop"])
        let tokens = result.tokenSets.values.map { $0.accessToken.reveal() }
        #expect(Set(tokens).count == 2)
        home.stop()
        shop.stop()
    }

    @Test(
        "what one has issued is shown to no other, where both may have filled the set",
        arguments: [
            "userinfo, provider: shop", "refresh, provider: shop",
            "introspect, provider: shop",
            "store, provider: shop",
            "http, provider: shop, with: { url: \"SHOP/userinfo\", auth: bearer }",
        ])
    func foreign(_ step: String) async throws {
        let (home, shop) = (try RecordingProvider(), try RecordingProvider())
        let third = step.replacing("SHOP", with: shop.issuer)
        let flow = Self.flow
            .replacing("home: {}, shop: {}", with: "home: { oidc: false }, shop: { oidc: false }")
            .replacing("{ any: failed }", with: "{ any: failed, any.choice: failed }")
            .replacing("home }, next: second", with: "main }, next: { ok: third, any.config: second }")
            .replacing("shop }, next: done", with: "main }, next: third")
            .replacing("ends:\n", with: "  third: { do: \(third), next: { ok: done } }\nends:\n")
        let runner = try runner(
            ["shop": provider(shop.issuer), "home": provider(home.issuer)], flow: flow)
        let result = try await runner.run()
        #expect(!result.isSuccess)
        #expect(result.failure?.code == "endpoint_refused")
        #expect(result.failure?.failureClass == .security)
        let reason = "the tokens are those of \(home.issuer), and the step is about \(shop.issuer)"
        #expect(result.failure?.detail == reason)
        #expect(home.hits("/token").count == 1)
        #expect(["/userinfo", "/token", "/introspect"].allSatisfy { shop.hits($0).isEmpty })
        home.stop()
        shop.stop()
    }

    @Test(
        "an alias without a provider, and a provider without its alias, are refused",
        arguments: [
            (["home"], ["no provider is given for the alias \"shop\""]),
            (["home", "shpo"], ["the flow has no provider alias \"shpo\""]),
        ])
    func missing(aliases: [String], messages: [String]) {
        let providers = Dictionary(
            uniqueKeysWithValues: aliases.map { ($0, provider("http://127.0.0.1:1")) })
        let failure = #expect(throws: SignInFailure.self) { try runner(providers) }
        #expect(failure?.code == "file_invalid")
        #expect(failure?.diagnostics.map(\.message) == messages)
    }

    @Test("one provider is not taken for two")
    func one() {
        let failure = #expect(throws: SignInFailure.self) {
            try FlowRunner(
                flow: SourceFile(path: "two.flow.yaml", text: Self.flow), provider: Self.descriptor,
                client: ClientRegistration(clientID: "flowrun-sandbox", authenticationMethod: .none),
                variables: ["issuer": "http://127.0.0.1:1"],
                configuration: LiveConfiguration(
                    storeDirectory: folder.path + "/store", stateDirectory: folder.path + "/state"))
        }
        #expect(failure?.diagnostics.map(\.message) == ["no provider is given for the alias \"shop\""])
    }
}
