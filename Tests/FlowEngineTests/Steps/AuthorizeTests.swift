import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("authorize")
struct AuthorizeTests {
    /// Ends after `authorize` with the outcome `cancelled` of the callback, which every script here can afford.
    private static let giveUp = [ScriptedEffect("await callback", .callbackCancelled), Scripts.badEnd]

    private func request(_ flow: String, provider: String = ProviderText.standard, fixed: String? = nil)
        async throws
        -> TracedRequest
    {
        let plan = try Compiled.plan(flow, provider: provider, redirectURI: fixed)
        let run = await Conversation.run(plan, Scripts.authorize + Self.giveUp)
        #expect(run.outcomes(of: "authorize") == ["ok"])
        return try #require(run.events.requests.first { $0.purpose == "authorization" })
    }

    private func text(_ name: String, _ request: TracedRequest) -> String? {
        guard case .text(let text)? = request.query.first(where: { $0.name == name })?.value else {
            return nil
        }
        return text
    }

    static let proofs:
        [(secret: String?, key: String?, method: ClientAuthenticationMethod?, missing: String?)] = [
            ("s", nil, nil, nil),
            (
                nil, nil, nil,
                "the client has no secret, and those of Provider P prove themselves with client_secret_basic"
            ),
            (
                nil, "k", nil,
                "the client has no secret, and those of Provider P prove themselves with client_secret_basic"
            ),
            (
                nil, nil, .clientSecretJWT,
                "the client has no secret, and those of Provider P prove themselves with client_"
            ),
            (nil, nil, .privateKeyJWT, "the client has no private key, and those of Provider P"),
            ("s", nil, .privateKeyJWT, "the client has no private key, and those of Provider P"),
            (nil, "k", .privateKeyJWT, nil),
            (nil, nil, ClientAuthenticationMethod.none, nil),
        ]

    @Test("a client that cannot prove itself is told of before anybody signs in", arguments: proofs)
    func proof(secret: String?, key: String?, method: ClientAuthenticationMethod?, missing: String?)
        async throws
    {
        let program = try Compiled.program(FlowTexts.signIn())
        let provider = try Compiled.provider(secret: secret, privateKey: key, method: method)
        let plan = RunPlan(
            program: program, providers: program.providers.map { _ in provider },
            inputs: try program.inputValues([:]))
        let run = await Conversation.run(plan, Scripts.authorize + Self.giveUp)
        #expect(run.outcomes(of: "authorize") == ["ok"])
        let warnings = run.events.warnings
        if let missing {
            #expect(warnings.count == 1 && warnings.first?.hasPrefix(missing) == true, "\(warnings)")
        } else {
            #expect(warnings.isEmpty, "\(warnings)")
        }
    }

    @Test(
        "endpoint_when says where the browser goes while its condition holds, and is among the destinations")
    func alternatives() async throws {
        let other = "https://eu.example/authorize"
        for (region, endpoint) in [("eu", other), ("us", "https://p.example/authorize")] {
            let rule = "{ if: \"vars.region == 'eu'\", authorization_endpoint: \"\(other)\" }"
            let text = ProviderText.make(extra: "variables: { region: { default: \(region) } }\n").replacing(
                "allow_params: [hd] }", with: "allow_params: [hd], endpoint_when: [\(rule)] }")
            #expect(try await request(FlowTexts.signIn(), provider: text).endpoint == endpoint)
            #expect(try Compiled.provider(text).destinations.contains("https://eu.example"))
        }
    }

    @Test("asks for a code with state, nonce and an S256 challenge [rule 29]")
    func parameters() async throws {
        let request = try await request(FlowTexts.signIn())
        #expect(request.endpoint == "https://p.example/authorize")
        #expect(text("response_type", request) == "code")
        #expect(text("client_id", request) == Markers.clientID)
        #expect(text("redirect_uri", request) == "http://127.0.0.1:5000/callback")
        #expect(text("scope", request) == "openid email")
        #expect(text("code_challenge_method", request) == "S256")
        let challenge = try #require(text("code_challenge", request))
        #expect(Markers.transaction.pkce?.challenge == .text(challenge))
        let secret = request.query.filter { if case .secret = $0.value { true } else { false } }
        #expect(secret.map(\.name).sorted() == ["nonce", "state"])
    }

    @Test("openid is asked for even where the flow names other scopes")
    func openid() async throws {
        let flow = FlowTexts.signIn(["authorize": "{ with: { scopes: \"${['email']}\" }, next: callback }"])
        #expect(text("scope", try await request(flow)) == "openid email")
    }

    @Test("hands the flow's wishes to the provider")
    func wishes() async throws {
        let flow = FlowTexts.signIn([
            "authorize": """
            { with: { prompt: login, login_hint: ada, max_age: 1h, acr_values: "${['high', 'low']}", \
            ui_locales: "${['de', 'en']}", extra: { hd: acme.example } }, next: callback }
            """
        ])
        let request = try await request(flow)
        let wishes = ["prompt", "login_hint", "max_age", "acr_values", "ui_locales", "hd"].map {
            text($0, request)
        }
        #expect(wishes == ["login", "ada", "3600", "high low", "de en", "acme.example"])
    }

    @Test("a parameter that the descriptor does not allow is left out, and that is said")
    func extra() async throws {
        let flow = FlowTexts.signIn(["authorize": "{ with: { extra: { audience: x } }, next: callback }"])
        let run = await Conversation.run(try Compiled.plan(flow), Scripts.authorize + Self.giveUp)
        #expect(
            run.events.warnings == ["parameter \"audience\" was left out: the descriptor does not allow it"])
        let request = try #require(run.events.requests.first)
        #expect(!request.query.contains { $0.name == "audience" })
    }

    @Test(
        "the browser may bring the answer as the flow asks, else as the descriptor says, else as its mode does",
        arguments: [
            ("", "", [.get]), ("", "authorization: {response_mode: form_post}\n", [.post]),
            ("", "callback: {method: [POST]}\n", [.post]),
            ("", "callback: {method: [GET, POST]}\n", [.get, .post]),
            ("form_post", "callback: {method: [GET]}\n", [.post]),
            ("auto", "callback: {method: [POST]}\n", [.post]),
        ] as [(String, String, [HTTPMethod])])
    func answerMethods(mode: String, lines: String, methods: [HTTPMethod]) async throws {
        let step = mode.isEmpty ? "" : "with: { response_mode: \(mode) }, "
        let flow = FlowTexts.signIn(["authorize": "{ \(step)next: callback }"])
        // A second "authorization" would be refused.
        let provider =
            lines.hasPrefix("authorization")
            ? ProviderText.standard.replacing("scope: [", with: "response_mode: form_post, scope: [")
            : ProviderText.make(extra: lines)
        let run = await Conversation.run(
            try Compiled.plan(flow, provider: provider), Scripts.authorize + Self.giveUp)
        guard case .openRedirect(let plan)? = run.performed.first?.effect else {
            Issue.record("no redirect was opened")
            return
        }
        #expect(plan.methods == methods)
    }

    @Test("a redirect URI that the user fixed wins over the flow's, which may leave it to the engine")
    func fixedRedirect() async throws {
        for (redirect, fixed, expected) in [
            ("http://127.0.0.1:1/flow", nil, "http://127.0.0.1:1/flow"),
            ("http://127.0.0.1:1/flow", "http://127.0.0.1:2/user", "http://127.0.0.1:2/user"),
            ("loopback", nil, nil), ("auto", nil, nil),
        ] as [(String, String?, String?)] {
            let flow = FlowTexts.signIn([
                "authorize": "{ with: { redirect: \"\(redirect)\" }, next: callback }"
            ])
            let run = await Conversation.run(
                try Compiled.plan(flow, redirectURI: fixed), Scripts.authorize + Self.giveUp)
            guard case .openRedirect(let plan)? = run.performed.first?.effect else {
                Issue.record("no redirect was opened")
                return
            }
            #expect(plan.fixed == expected)
        }
    }

    @Test("without anybody to show a page to it is headless, and the redirect is closed")
    func headless() async throws {
        let script =
            Scripts.authorize.dropLast() + [
                ScriptedEffect("present", .headless(reason: "no display")), Scripts.badEnd,
            ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), Array(script))
        #expect(run.outcomes(of: "authorize") == ["headless"])
        #expect(run.outcome.errorCode == "headless")
    }

    @Test("a redirect that cannot be opened ends the run with status 9")
    func noRedirect() async throws {
        let script = [
            ScriptedEffect("open redirect", .redirectFailed(reason: "port 5000 is taken")), Scripts.badEnd,
        ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script)
        #expect(run.outcome.end.error == RunFailure(.redirectUnavailable, "port 5000 is taken"))
        #expect(run.outcome.exitStatus == 9)
    }

    @Test("an endpoint that brings a parameter of the request in its own query is not opened [rule 36]")
    func repeated() async throws {
        let provider = ProviderText.standard.replacing(
            "https://p.example/authorize", with: "https://p.example/authorize?tenant=a&state=mine")
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: provider),
            Array(Scripts.authorize.prefix(2)) + [Scripts.badEnd])
        #expect(run.outcome.end.error?.code == .endpointRefused)
        #expect(!run.names.contains("present"))
    }

    @Test("without 96 random bytes nothing is asked [rule 30]", arguments: [0, 95])
    func randomness(count: Int) async throws {
        let script = [
            Scripts.authorize[0],
            ScriptedEffect("randomness", .randomness(Array(repeating: 1, count: count))),
            Scripts.badEnd,
        ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script)
        #expect(run.outcome.end.error == RunFailure(.randomness, "the system gave no random bytes"))
    }

    @Test(
        "a provider whose metadata lacks an endpoint is unsupported before anybody signs in [rule 15]",
        arguments: ["authorization_endpoint", "token_endpoint", "jwks_uri"])
    func noEndpoint(name: String) async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: ProviderText.discovered),
            Scripts.discovered([name: .null]))
        #expect(run.outcomes(of: "authorize") == ["unsupported"])
    }

    private static let untilCode = [
        "callback": "{ next: done }", "exchange": "", "verify": "", "userinfo": "",
    ]

    @Test(
        "what no step of the flow will need may be missing",
        arguments: [
            ("token_endpoint", untilCode, ""), ("jwks_uri", untilCode, ""),
            ("jwks_uri", ["userinfo": "{ next: done }"], "providers: { main: { oidc: false } }"),
        ] as [(String, [String: String], String)])
    func needless(name: String, changes: [String: String], extra: String) async throws {
        let steps = changes.merging(["store": ""]) { own, _ in own }
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(steps, extra: extra), provider: ProviderText.discovered),
            Scripts.discovered([name: .null]) + Scripts.authorize + Self.giveUp)
        #expect(run.outcomes(of: "authorize") == ["ok"])
    }

    @Test("a provider whose metadata knows PKCE without S256 is not to be trusted")
    func plainPKCE() async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: ProviderText.discovered),
            Scripts.discovered(["code_challenge_methods_supported": ["plain"]]))
        #expect(run.outcomes(of: "authorize") == ["metadata_untrusted"])
        let failure = try #require(run.outcome.failure(.english))
        #expect(
            failure.text.headline == "the provider is not known to take PKCE with the method that is used")
        let event = try #require(run.events.security.first)
        #expect(event.evidence.contains(.init("expected", "S256")))
    }

    @Test("for a server that knows plain alone the verifier is the challenge, and as secret")
    func plainChallenge() async throws {
        let provider = ProviderText.standard.replacing(
            "authorization: { ", with: "authorization: { pkce: { method: plain }, ")
        let request = try await request(FlowTexts.signIn(), provider: provider)
        #expect(text("code_challenge_method", request) == "plain")
        let challenge = request.query.first { $0.name == "code_challenge" }
        guard case .secret("code_verifier", _, _)? = challenge?.value else {
            Issue.record("no secret: \(String(describing: challenge))")
            return
        }
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: provider), try Scripts.signIn())
        #expect(run.end == "done")
        #expect(run.events.security.map(\.check.name) == ["pkce-method"])
        #expect(run.events.security.map(\.decision) == [.allowed])
        let trace = run.events.map { "\($0)" }.joined()
        #expect(!trace.contains(Markers.verifier))
    }

    @Test("where plain is said and the metadata has S256 alone, the sign-in does not start")
    func plainUnknown() async throws {
        let provider = ProviderText.discovered.replacing(
            "authorization: { ", with: "authorization: { pkce: { method: plain }, ")
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: provider),
            Scripts.discovered(["code_challenge_methods_supported": ["S256"]]))
        #expect(run.outcomes(of: "authorize") == ["metadata_untrusted"])
    }

    @Test("what the descriptor says of the methods of PKCE counts more")
    func amendedPKCE() async throws {
        let provider = ProviderText.discovered + "code_challenge_methods_supported: [S256]\n"
        let script =
            try Scripts.discovered(["code_challenge_methods_supported": ["plain"]]) + Scripts.signIn()
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn(), provider: provider), script)
        #expect(run.end == "done")
    }
}
