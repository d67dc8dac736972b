@testable import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("callback")
struct CallbackTests {
    private static func refusal(_ error: String) -> InputEvent {
        Scripts.answer([("code", nil), ("error", error), ("error_description", "because")])
    }

    static let cases = [
        Case("the person refuses", refusal("access_denied"), "access_denied", error: "access_denied"),
        Case(
            "nobody is signed in", refusal("login_required"), "interaction_required", error: "login_required"),
        Case(
            "consent is missing", refusal("consent_required"), "interaction_required",
            error: "consent_required"),
        Case(
            "interaction", refusal("interaction_required"), "interaction_required",
            error: "interaction_required"),
        Case(
            "several accounts", refusal("account_selection_required"), "interaction_required",
            error: "account_selection_required"),
        Case("a server error", refusal("server_error"), "server_error", error: "server_error"),
        Case(
            "an overload", refusal("temporarily_unavailable"), "server_error",
            error: "temporarily_unavailable"),
        Case("a wrong scope", refusal("invalid_scope"), "rejected", error: "invalid_scope"),
        Case("an unknown client", refusal("unauthorized_client"), "rejected", error: "unauthorized_client"),
        Case("an unknown error", refusal("acme_error"), "rejected", error: "acme_error"),
        Case("another state", Scripts.answer([("state", "forged")]), "state_mismatch", error: "state"),
        Case("no state", Scripts.answer([("state", nil)]), "state_mismatch", error: "state"),
        Case(
            "an error with another state", Scripts.answer([("state", "forged"), ("error", "access_denied")]),
            "state_mismatch",
            error: "state"),
        Case(
            "another issuer", Scripts.answer([("iss", "https://evil.example")]), "issuer_mismatch",
            error: "iss"),
        Case(
            "an error of another issuer",
            Scripts.answer([("iss", "https://evil.example"), ("error", "access_denied")]),
            "issuer_mismatch", error: "iss"),
        Case("no code", Scripts.answer([("code", nil)]), "malformed", error: "code"),
        Case("an empty code", Scripts.answer([("code", "")]), "malformed", error: "code"),
        Case(
            "two codes", Scripts.answer([("code", "a"), ("code", "b")]), "malformed",
            error: "duplicate-parameter"),
        Case("nothing in time", .callbackTimedOut(refused: 0), "timeout"),
        Case("nothing but forged answers", .callbackTimedOut(refused: 2), "state_mismatch", error: "state"),
        Case("the person gives up", .callbackCancelled, "cancelled"),
    ]

    @Test("tells what came back, and redeems nothing [rules 44, 62]", arguments: cases)
    func outcomes(_ given: Case) async throws {
        let script = Scripts.authorize + [ScriptedEffect("await callback", given.event), Scripts.badEnd]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script)
        #expect(run.outcomes(of: "callback") == [given.outcome])
        #expect(run.lastEnd(of: "callback")?.error == given.error)
        #expect(run.path == ["authorize", "callback"])
    }

    @Test(
        "the answers that were refused while it waited are counted",
        arguments: [(1, "1 answer without it"), (2, "2 answers without it")])
    func refused(count: Int, actual: String) async throws {
        let script =
            Scripts.authorize
            + [ScriptedEffect("await callback", .callbackTimedOut(refused: count)), Scripts.badEnd]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script)
        #expect(
            run.events.checks.last?.verdict == .failed(expected: "the state of this run", actual: actual))
    }

    @Test("what the descriptor keeps of an answer must be there, as JSON where it says so")
    func captured() async throws {
        for (rule, value) in [
            ("{ decode: json }", nil), ("{ decode: json }", ""), ("{ decode: json }", "{"), ("server", nil),
            ("server", ""),
        ] as [(String, String?)] {
            let provider = ProviderText.make(extra: "callback: { capture: { server: \(rule) } }\n")
            let script = Scripts.authorize + [Scripts.callback([("server", value)]), Scripts.badEnd]
            let plan = try Compiled.plan(FlowTexts.signIn(), provider: provider)
            let run = await Conversation.run(plan, script)
            #expect(run.outcomes(of: "callback") == ["malformed"])
            #expect(run.lastEnd(of: "callback")?.error == Checks.callbackCapture.name)
        }
    }

    @Test("a provider that says it sends iss must send it")
    func missingIssuer() async throws {
        let provider = ProviderText.make(extra: "authorization_response_iss_parameter_supported: true\n")
        let script = Scripts.authorize + [Scripts.callback([("iss", nil)]), Scripts.badEnd]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn(), provider: provider), script)
        #expect(run.outcomes(of: "callback") == ["issuer_mismatch"])
    }

    @Test("a descriptor may do without iss where it is announced, and never lets another one pass [rule 58]")
    func ignoredIssuer() async throws {
        let provider = ProviderText.make(
            extra: "authorization_response_iss_parameter_supported: true\ncallback: { iss: ignore }\n")
        let plan = try Compiled.plan(FlowTexts.signIn(), provider: provider)
        var script = try Scripts.signIn()
        script[3] = Scripts.callback([("iss", nil)])
        let relaxed = await Conversation.run(plan, script)
        #expect(relaxed.end == "done")
        let verdict = relaxed.events.checks.first { $0.name == "iss" }?.verdict
        #expect(
            verdict == .relaxed(reason: "the descriptor says that the provider announces iss and sends none"))
        let forged = Scripts.callback([("iss", "https://evil.example")])
        let run = await Conversation.run(plan, Scripts.authorize + [forged, Scripts.badEnd])
        #expect(run.outcomes(of: "callback") == ["issuer_mismatch"])
    }

    @Test("the provider's table of errors says what its own code means, and nothing of a check that failed")
    func advised() async throws {
        let provider = ProviderText.make(
            extra: """
                callback: { error: { code: [reason, error] } }
                errors:
                  - { match: user_cancelled, cause: the person gave up, outcome: access_denied }
                  - { match: state, cause: nothing, outcome: access_denied }

                """)
        let plan = try Compiled.plan(FlowTexts.signIn(), provider: provider)
        for (changes, outcome) in [
            ([("code", nil), ("reason", "user_cancelled")], "access_denied"),
            ([("code", nil), ("error", "user_cancelled")], "access_denied"),
            ([("state", "forged"), ("reason", "user_cancelled")], "state_mismatch"),
        ] as [([(String, String?)], String)] {
            let script = Scripts.authorize + [Scripts.callback(changes), Scripts.badEnd]
            #expect(await Conversation.run(plan, script).outcomes(of: "callback") == [outcome])
        }
    }

    private static let signed = ProviderText.make(
        extra:
            "callback: { verify: { param: hmac, expect: \"${hex(hmac_sha256(client.secret, message))}\" } }\n"
    )

    @Test("a signature over the answer that does not verify is told as that, and not as one of an ID token")
    func signature() async throws {
        let plan = try Compiled.plan(FlowTexts.signIn(), provider: Self.signed)
        for changes in [[("hmac", "00")], [("hmac", "")], []] as [[(String, String?)]] {
            let script = Scripts.authorize + [Scripts.callback(changes), Scripts.badEnd]
            let run = await Conversation.run(plan, script)
            #expect(run.outcomes(of: "callback") == ["signature_invalid"])
            #expect(run.lastEnd(of: "callback")?.error == "callback-signature")
            let failure = try #require(run.outcome.failure(.english))
            #expect(failure.code == "signature_invalid")
            #expect(failure.text.headline == "the signature over the answer in the browser does not verify")
            #expect(failure.text.fixes.first?.hasPrefix("compare the client secret") == true)
        }
    }

    @Test(
        "a signed answer is as old as its rule says at most, and no further in the future",
        arguments: [
            ("1000", true), ("940", true), ("939", false), ("1060", true), ("1061", false), (nil, false),
            ("", false), ("soon", false), ("-9223372036854775808", false),
        ] as [(String?, Bool)])
    func signatureAge(time: String?, isRecent: Bool) throws {
        let text = ProviderText.make(
            extra: """
                callback:
                  verify: { param: sig, expect: "${client.secret}", timestamp: at, max_age: 60 }

                """)
        let provider = try Compiled.provider(text)
        let signature = CallbackSignature(
            facts: try #require(provider.descriptor.callback.signature), provider: provider)
        let secret = try #require(provider.registration.secret).reveal()
        let parameters = [("sig", secret)] + (time.map { [("at", $0)] } ?? [])
        var log = CheckLog()
        let error: ProtocolError?
        do throws(ProtocolError) {
            try signature.check(parameters.map { (name: $0.0, value: $0.1) }, now: 1_000, log: &log)
            error = nil
        } catch let found { error = found }
        #expect(
            error
                == (isRecent
                    ? nil
                    : .failed(
                        Checks.callbackSignature, expected: "at of the last 60 s",
                        actual: "another time, or none")))
    }

    @Test(
        "without what verifies the answer no browser is opened",
        arguments: [
            ("${hex(hmac_sha256(client.secret, message))}", "the client has no secret, and the answers"),
            ("${hex(hmac_sha256(vars.key, message))}", "p.yaml:"),
        ])
    func missingSecret(expression: String, message: String) async throws {
        let text = ProviderText.make(
            extra: """
                variables: { key: { secret: true, required: false } }
                callback: { verify: { param: hmac, expect: "\(expression)" } }

                """)
        let program = try Compiled.program(FlowTexts.signIn())
        let provider = try Compiled.provider(text, secret: nil, method: ClientAuthenticationMethod.none)
        let plan = RunPlan(
            program: program, providers: program.providers.map { _ in provider },
            inputs: try program.inputValues([:]))
        let run = await Conversation.run(plan, [])
        let error = try #require(run.outcome.end.error)
        #expect(error.code == .clientKey)
        #expect(error.message.hasPrefix(message))
    }

    @Test("a public client verifies answers with a key that is none of its own")
    func signatureByVariable() async throws {
        let text = ProviderText.make(
            extra: """
                variables: { key: { secret: true } }
                callback: { verify: { param: sig, expect: "${vars.key}-${callback.state}" } }

                """)
        let descriptor = try Compiled.descriptor(text)
        let provider = BoundProvider(
            descriptor: descriptor,
            bound: try descriptor.bind(variables: [:], secrets: ["key": Secret("k", kind: .other)]),
            registration: ClientRegistration(clientID: Markers.clientID, authenticationMethod: .none))
        let signature = CallbackSignature(
            facts: try #require(descriptor.callback.signature), provider: provider)
        #expect(signature.obstacle == nil)
        #expect(signature.signature([("state", "s"), ("sig", "x")]) == "k-s")
    }

    @Test("an alias of the issuer is as good as the issuer")
    func aliasedIssuer() async throws {
        let provider = ProviderText.make(extra: "issuer_aliases: [p.example]\ncallback: { iss: require }\n")
        var script = try Scripts.signIn()
        script[3] = Scripts.callback([("iss", "p.example")])
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn(), provider: provider), script)
        #expect(run.end == "done")
    }

    @Test("unknown parameters are the flow's to read, known ones are not")
    func extra() async throws {
        let flow = FlowTexts.signIn(
            [
                "callback": "{ save: { vars.user: \"${to_json(out.extra)}\" }, next: exchange }"
            ], extra: "vars: { user: { type: string, init: '' } }\noutputs: { user: string }",
            ends:
                "  done: { result: success, outputs: { user: \"${vars.user}\" } }\n  failed: { result: failure }"
        )
        var script = try Scripts.signIn()
        script[3] = Scripts.callback([("user", "ada")])
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.output("user") == .string("{\"user\":\"ada\"}"))
    }

    @Test("waits until its timeout, at the redirect that was opened, for this run's state [rule 34]")
    func wait() async throws {
        let flow = FlowTexts.signIn(["callback": "{ timeout: 2m, next: exchange }"])
        let script =
            Scripts.authorize + [ScriptedEffect("await callback", .callbackCancelled), Scripts.badEnd]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        guard case .awaitCallback(let wait)? = run.performed.dropLast().last?.effect else {
            Issue.record("nothing was awaited")
            return
        }
        #expect(wait.until == ManualClock.start + 120_000)
        #expect(wait.redirectURI == "http://127.0.0.1:5000/callback")
        #expect(wait.state.reveal() == Markers.state)
    }
}
