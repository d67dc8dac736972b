import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Rules of the security page that are about the order of a whole run, or about what it never does.
@Suite("Security rules of runs")
struct SecurityRuleTests {
    private static let giveUp = [ScriptedEffect("await callback", .callbackCancelled), Scripts.badEnd]

    private func sent(_ name: String, _ run: Conversation) throws -> HTTPRequest {
        for request in run.performed where request.name == name {
            if case .http(let exchange) = request.effect { return exchange.request }
        }
        throw FixtureError(description: "nothing was sent as \(name)")
    }

    // MARK: Discovered metadata

    private static func discovered(_ changes: JSONObject) -> [ScriptedEffect] {
        [
            ScriptedEffect("recall metadata", .nothingKept),
            ScriptedEffect("http discovery", Answers.metadata(changes)), ScriptedEffect("keep metadata"),
        ]
    }

    private func run(
        _ changes: JSONObject, _ rest: [ScriptedEffect], provider: String = ProviderText.discovered
    ) async throws -> Conversation {
        await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: provider), Self.discovered(changes) + rest)
    }

    @Test("metadata cannot widen the registered algorithm and client authentication [rule 9]")
    func pinned() async throws {
        let header = Base64URL.encode(Array(#"{"alg":"RS256","kid":"key-1"}"#.utf8))
        let parts = try TestKey.idToken().split(separator: ".")
        let token = JSONValue.string("\(header).\(parts[1]).\(parts[2])")
        let run = try await run(
            [
                "id_token_signing_alg_values_supported": ["RS256", "none"],
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            ],
            try Scripts.untilTokens(Answers.tokens(["id_token": token])) + [Scripts.keys(), Scripts.badEnd])
        #expect(run.outcomes(of: "verify") == ["signature_invalid"])
        #expect(run.lastEnd(of: "verify")?.error == "alg")
        let request = try sent("http token", run)
        #expect(request.fields.contains { $0.name == "Authorization" && $0.value.hasPrefix("Basic ") })
        #expect(!String(decoding: request.body ?? [], as: UTF8.self).contains("client_secret"))
    }

    @Test("where neither descriptor nor metadata says how, the client authenticates with Basic [rule 21]")
    func standardAuthentication() async throws {
        let provider = ProviderText.discovered.replacing(
            "token_endpoint_auth_method: client_secret_basic, ", with: "")
        let run = try await run([:], try Scripts.signIn(), provider: provider)
        #expect(run.end == "done")
        let request = try sent("http token", run)
        #expect(request.fields.contains { $0.name == "Authorization" && $0.value.hasPrefix("Basic ") })
    }

    @Test("metadata that is silent about PKCE does not turn it off [rule 22]")
    func silentMetadata() async throws {
        let run = try await run([:], Scripts.authorize + Self.giveUp)
        let request = try #require(run.events.requests.first { $0.purpose == "authorization" })
        let method = request.query.first { $0.name == "code_challenge_method" }
        #expect(method?.value == .text("S256"))
    }

    @Test("metadata that lists plain alone stops the sign-in before anything is sent [rule 23]")
    func plainMetadata() async throws {
        let run = try await run(["code_challenge_methods_supported": ["plain"]], [])
        #expect(run.outcomes(of: "authorize") == ["metadata_untrusted"])
        #expect(run.names == ["recall metadata", "http discovery", "keep metadata"])
    }

    @Test("metadata of another place that redirects is no document, and nothing follows it [rule 24]")
    func redirectedMetadata() async throws {
        let moved = Answers.text(302, "", [HTTPField("Location", "https://evil.example/metadata")])
        let script = [
            ScriptedEffect("recall metadata", .nothingKept), ScriptedEffect("http discovery", moved),
        ]
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: ProviderText.discovered), script)
        #expect(run.outcomes(of: "authorize") == ["metadata_untrusted"])
    }

    @Test("openid without jwks_uri verifies nothing, and so asks nobody to sign in [rule 19]")
    func noKeys() async throws {
        let run = try await run(["jwks_uri": .null], [])
        #expect(run.outcomes(of: "authorize") == ["unsupported"])
        #expect(run.lastEnd(of: "authorize")?.error == "jwks_uri")
        #expect(run.names == ["recall metadata", "http discovery", "keep metadata"])
    }

    @Test("a server that takes only pushed requests and has no endpoint for them is left alone [rule 39]")
    func pushRequired() async throws {
        let run = try await run(
            ["require_pushed_authorization_requests": true],
            [Scripts.authorize[0], Scripts.authorize[1], Scripts.badEnd])
        #expect(run.outcomes(of: "authorize") == ["unsupported"])
        #expect(!run.names.contains("present"))
    }

    // MARK: The sign-in

    @Test("the listener is bound before the browser opens, and closed when the flow ends [rule 51]")
    func listener() async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn()), Scripts.authorize + Self.giveUp)
        #expect(
            run.names == ["open redirect", "randomness", "present", "await callback", "conclude badly"])
    }

    @Test("state, nonce and verifier are new for every authorization, and used once [rules 31, 32, 33]")
    func fresh() async throws {
        let flow = FlowTexts.signIn([
            "callback": "{ next: { ok: exchange, access_denied: authorize }, visits: 2 }",
            "authorize": "{ next: callback, visits: 2 }",
        ])
        let other = Array(Markers.randomness.reversed())
        var again = Scripts.authorize
        again[1] = ScriptedEffect("randomness", .randomness(other))
        let denied = ScriptedEffect(
            "await callback", Scripts.answer([("code", nil), ("error", "access_denied")]))
        // The answer to the first authorization is no answer to the second.
        let script = Scripts.authorize + [denied] + again + [Scripts.callback(), Scripts.badEnd]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.outcomes(of: "callback") == ["access_denied", "state_mismatch"])
    }

    @Test("nothing of a sign-in under way is written anywhere: it lives in the run alone [rule 179]")
    func noStateFile() async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn()), Scripts.authorize + Self.giveUp)
        #expect(run.saved.isEmpty)
        #expect(!run.names.contains { $0.contains("save") || $0.contains("keep") })
    }

    @Test("a lifetime counts from when the request was sent, not from when its answer came [rule 92]")
    func lifetime() async throws {
        let flow = FlowTexts.signIn(["exchange": "{ timeout: 30s, next: verify }"])
        var script = try Scripts.signIn()
        script[4] = ScriptedEffect("http token", after: 9_000, try Answers.signedIn())
        let run = await Conversation.run(try Compiled.plan(flow), script)
        let record = try JSON.parse(Array(run.saved[0].utf8))
        #expect(record["expires_at"]?.intValue == ManualClock.start + 3_600_000)
    }

    @Test("scope that is absent is what was asked for, a wider one is told with the tokens [rule 93]")
    func scope() async throws {
        let flow = FlowTexts.signIn(
            extra: "outputs: { scopes: list<string>, missing: list<string> }",
            ends: """
                  done:
                    result: success
                    outputs: { scopes: "${tokens.main.scopes}", missing: "${steps.exchange.missing_scopes}" }
                  failed: { result: failure }
                """)
        for (scope, scopes, missing) in [
            (.null, ["openid", "email"], []), ("openid", ["openid"], ["email"]),
            ("openid email files", ["openid", "email", "files"], []),
        ] as [(JSONValue, [String], [String])] {
            var script = try Scripts.signIn()
            let answer = Answers.tokens(["scope": scope, "id_token": .string(try TestKey.idToken())])
            script[4] = ScriptedEffect("http token", answer)
            let run = await Conversation.run(try Compiled.plan(flow), script)
            #expect(run.output("scopes") == .list(scopes.map(Value.string)))
            #expect(run.output("missing") == .list(missing.map(Value.string)))
        }
    }

    // MARK: The person

    @Test("a person is (iss, sub): the same e-mail address is not the same person [rule 134]")
    func identity() async throws {
        let other = Answers.json(200, ["sub": "person-2", "email": "ada@example.com"])
        let script =
            try Scripts.untilTokens() + [
                Scripts.keys(), ScriptedEffect("http userinfo", other), Scripts.badEnd,
            ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script)
        #expect(run.outcomes(of: "userinfo") == ["subject_mismatch"])
        let good = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), try Scripts.signIn())
        let record = try JSON.parse(Array(good.saved[0].utf8))
        #expect(record["iss"] == "https://p.example")
        #expect(record["subject"] == "person-1")
        #expect(record["email"] == nil)
    }

    @Test("claims that lie elsewhere are not fetched [rule 141]")
    func distributedClaims() async throws {
        let answer = Answers.json(
            200,
            [
                "sub": "person-1", "_claim_names": ["email": "src"],
                "_claim_sources": ["src": ["endpoint": "http://169.254.169.254/", "access_token": "x"]],
            ])
        var script = try Scripts.signIn()
        script[6] = ScriptedEffect("http userinfo", answer)
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script)
        #expect(run.end == "done")
        #expect(run.names.filter { $0.hasPrefix("http") } == ["http token", "http userinfo"])
    }

    @Test("a client that registered signed claims takes no plain JSON [rule 138]")
    func plainUserInfo() async throws {
        let provider = ProviderText.standard.replacing(
            "client: {", with: "client: { userinfo_signed_response_alg: ES256,")
        let script = [Scripts.load(), Scripts.userinfo]
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.ask(), provider: provider), script)
        #expect(run.outcomes(of: "userinfo") == ["insecure"])
    }

    // MARK: Devices

    @Test(
        "a device's code is shown with its address; the address that holds it is opened by nobody [rule 155]")
    func device() async throws {
        let answer = Answers.json(
            200,
            [
                "device_code": "d", "user_code": "WDJB-MJHT", "expires_in": 600,
                "verification_uri": "https://p.example/go",
                "verification_uri_complete": "https://p.example/go?user_code=WDJB-MJHT",
            ])
        let flow = FlowTexts.flow("  begin: { do: device_authorize, next: done }", start: "begin")
        let run = await Conversation.run(
            try Compiled.plan(flow, provider: ProviderText.complete),
            [
                ScriptedEffect("http device_authorization", answer),
                ScriptedEffect("present code", .presented(how: "")),
            ])
        guard case .presentCode(let prompt)? = run.performed.last?.effect else {
            throw FixtureError(description: "no code was shown")
        }
        #expect(prompt.means == .terminal)
        #expect(prompt.userCode == "WDJB-MJHT")
        #expect(prompt.verificationURI == "https://p.example/go")
        #expect(run.names == ["http device_authorization", "present code"])
    }
}
