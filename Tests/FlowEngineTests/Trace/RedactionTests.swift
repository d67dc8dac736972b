import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// `Conversation.run` looks for markers in every event of every scenario; here are those that try hard to show one.
@Suite("Redaction")
struct RedactionTests {
    private static let echoes = [
        "the code \(Markers.code) is bad", "verifier=\(Markers.verifier)", "secret \(Markers.clientSecret)!",
        "code=\(PercentEncoding.encodeForm(Markers.code))", "state \(Markers.state) nonce \(Markers.nonce)",
        "base64 \(Base64.encode(Markers.code.utf8))",
        "Basic \(Base64.encode("\(Markers.clientID):\(PercentEncoding.encodeForm(Markers.clientSecret))".utf8))",
        "split ma\u{200B}rker/co\u{200B}de+0001",
    ]

    @Test("a provider that echoes what it was sent shows nothing [rule 99]", arguments: echoes)
    func echo(text: String) async throws {
        let answer = Answers.json(400, ["error": "invalid_grant", "error_description": .string(text)])
        let script = Scripts.untilCode + [ScriptedEffect("http token", answer), Scripts.badEnd]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script)
        let end = try #require(run.lastEnd(of: "exchange"))
        #expect(end.outcome == "invalid_grant")
        #expect(end.description?.contains("‹") == true)
        let texts = run.events.map { "\($0)" }.joined()
        #expect(!texts.contains(Base64.encode(Markers.code.utf8)))
        #expect(
            !texts.contains(
                Base64.encode("\(Markers.clientID):\(PercentEncoding.encodeForm(Markers.clientSecret))".utf8))
        )
    }

    @Test(
        "what looks like a secret is not shown, whoever wrote it",
        arguments: [
            (SecretTextTests.token, "c2lnbmF0dXJlLW9mLWEtdG9rZW4"), (SecretTextTests.key, "MHcCAQEE"),
            ("Bearer 0123456789abcdefghij", "0123456789"), ("Basic 0123456789abcdefghij", "0123456789"),
            ("DPoP 0123456789abcdefghij", "0123456789"),
        ])
    func shapes(text: String, part: String) async throws {
        let answer = Answers.json(400, ["error": "invalid_grant", "error_description": .string(text)])
        let script = Scripts.untilCode + [ScriptedEffect("http token", answer), Scripts.badEnd]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script)
        #expect(!run.events.contains { "\($0)".contains(part) })
    }

    @Test("a secret that a cut splits does not show its first half", arguments: [470, 480, 486, 490])
    func cut(position: Int) async throws {
        let text = String(repeating: "x", count: position) + Markers.code + String(repeating: "y", count: 100)
        let answer = Answers.json(400, ["error": "invalid_grant", "error_description": .string(text)])
        let script = Scripts.untilCode + [ScriptedEffect("http token", answer), Scripts.badEnd]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script)
        #expect(!run.events.contains { "\($0)".contains("xmarker/") })
    }

    @Test("the callback's error may repeat the state and the code")
    func callback() async throws {
        let callback = Scripts.callback([
            ("error", "server_error"), ("error_description", "\(Markers.state) \(Markers.code)"),
        ])
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn()), Scripts.authorize + [callback, Scripts.badEnd])
        #expect(run.lastEnd(of: "callback")?.description == "‹state› ‹code›")
    }

    @Test("a secret that comes back in an address inside of an address is replaced [rule 99]")
    func addressInAddress() async throws {
        let inner = "https://p.example/retry?code=\(PercentEncoding.encodeForm(Markers.code))&x=1"
        let words = "go to https://p.example/login?next=\(PercentEncoding.encodeForm(inner))"
        var script = Scripts.untilCode
        script.append(
            try Scripts.exchange(
                Answers.json(400, ["error": "invalid_grant", "error_description": .string(words)])))
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script + [Scripts.badEnd])
        let description = try #require(run.lastEnd(of: "exchange")?.description)
        #expect(description.contains("code%3D‹code›%26x%3D1"), "\(description)")
        for event in run.events { #expect(Markers.found(in: "\(event)") == []) }
    }

    @Test("an address that a part of a token stands in is shown without it [rule 99]")
    func partInAddress() async throws {
        let provider = ProviderText.plain.replacing(
            "userinfo:\n",
            with: "userinfo:\n  endpoint: \"https://q.example/of/${after(token.access_token, '/')}/me\"\n")
        let session = StoredTokens().with {
            $0.issuer = "https://q.example"
            $0.subject = nil
        }
        let person = Answers.json(200, ["id": 42, "email": "ada@example.com"])
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.ask(), provider: provider),
            [Scripts.load(session), ScriptedEffect("http userinfo", person)])
        guard case .http(let exchange)? = run.performed.last?.effect else { return notFound() }
        #expect(exchange.request.url == "https://q.example/of/access%2Btoken~0001/me")
        let endpoints = run.events.compactMap { event in
            if case .request(let request) = event.body { request.endpoint } else { nil }
        }
        #expect(endpoints == ["https://q.example/of/‹secret›/me"])
    }

    @Test("a number that is made of a token is shown no more than the token [rule 99]")
    func number() async throws {
        let provider = ProviderText.plain.replacing(
            "userinfo:\n",
            with: """
                userinfo:
                  method: POST
                  body_format: json
                  params: { pin: "${int(after(token.access_token, '-'))}", deep: { pins: ["${int(after(token.access_token, '-'))}"] } }

                """)
        let session = StoredTokens().with {
            $0.issuer = "https://q.example"
            $0.subject = nil
            $0.accessToken = "pin-73519264"
        }
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.ask(), provider: provider),
            [
                Scripts.load(session),
                ScriptedEffect(
                    "http userinfo", Answers.json(400, ["error": "no 73519264", "code": 73_519_264])),
            ])
        guard case .http(let exchange)? = run.performed.last?.effect else { return notFound() }
        #expect(
            try JSON.parse(exchange.request.body ?? []) == [
                "pin": 73_519_264, "deep": ["pins": [73_519_264]],
            ])
        #expect(!run.events.contains { "\($0)".contains("73519264") })
    }

    @Test("a further member of a token response is a secret by its name, what is made of it too [rule 99]")
    func member() async throws {
        let provider = ProviderText.plain.replacing(
            "userinfo:\n",
            with: """
                grants: { response: { keep: [session_key] } }
                userinfo:
                  params: { key: "${token.session_key}", low: "${lower(token.session_key ?? '')}", id: "${token.open_id}" }

                """)
        let flow = FlowTexts.flow(
            """
              ask: { do: client_credentials, next: { ok: who, any: failed } }
              who: { do: userinfo, next: { ok: done, any: failed } }
            """, start: "ask", extra: "providers: { main: { oidc: false } }")
        let tokens = Answers.tokens([
            "session_key": .string(Markers.renewedToken), "open_id": "person-1",
        ])
        let run = await Conversation.run(
            try Compiled.plan(flow, provider: provider),
            [
                ScriptedEffect("http client_credentials", tokens),
                ScriptedEffect(
                    "http userinfo",
                    Answers.json(400, ["error": "no", "error_description": .string(Markers.renewedToken)])),
            ])
        #expect(run.lastEnd(of: "who")?.description == "‹secret›")
        let requests = run.events.compactMap { event in
            if case .request(let request) = event.body { request } else { nil }
        }
        let query = try #require(requests.last).query
        #expect(query.map(\.name) == ["key", "low", "id"])
        #expect(query.last?.value == .text("person-1"))
        #expect(query.prefix(2).allSatisfy { if case .secret = $0.value { true } else { false } })
    }

    @Test("who signed in is told though tokens begin with that, and an endpoint is made of it")
    func subjectInToken() async throws {
        let provider = ProviderText.plain.replacing(
            "userinfo:\n",
            with: "userinfo:\n  endpoint: \"https://q.example/of/${before(token.access_token, '.')}\"\n")
        let tokens = Answers.tokens([
            "access_token": "12345678.marker", "refresh_token": .null, "scope": .null,
        ])
        let person = Answers.json(200, ["id": 12_345_678, "email": "a@q.example"])
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: provider),
            Scripts.authorize + [
                Scripts.callback([("iss", "https://q.example")]), try Scripts.exchange(tokens),
                ScriptedEffect("http userinfo", person), Scripts.save, Scripts.goodEnd,
            ])
        #expect(run.end == "done")
        #expect(!run.outcome.secrets.contains { $0.reveal() == "12345678" })
    }

    @Test("the words of an error that an answer calls code are shown")
    func errorCode() async throws {
        let provider = ProviderText.plain.replacing(
            "error_when: [{ path: error, exists: true }]",
            with: "error_when: [{ path: code, not_equals: 0 }]\n    error: { code: code, description: why }")
        let answer = Answers.json(200, ["code": "ExpiredAppKey", "why": "ExpiredAppKey: ask for another"])
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: provider),
            Scripts.authorize + [
                Scripts.callback([("iss", "https://q.example")]), try Scripts.exchange(answer),
                Scripts.badEnd,
            ])
        let end = try #require(run.lastEnd(of: "exchange"))
        #expect(end.error == "ExpiredAppKey")
        #expect(end.description?.contains("ExpiredAppKey: ask for another") == true)
    }

    @Test(
        "a parameter of the callback that repeats the code is replaced before the code was ever sent",
        arguments: ["session_key", "x-Api-Key", "device-code"])
    func extra(name: String) async throws {
        let flow = FlowTexts.signIn(
            extra:
                "hooks: [ { id: tell, at: step.after, steps: [callback], outcomes: [ok], emit: { event: extra, data: { all: \"${to_json(out.extra)}\" } } } ]"
        )
        var script = try Scripts.signIn()
        script[3] = Scripts.callback([("again", Markers.code), (name, Markers.renewedToken)])
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(
            run.events.hooks.map(\.message) == [
                #"extra all="{\"again\":\"‹code›\",\"\#(name)\":\"‹secret›\"}""#
            ])
    }

    @Test("tokens under other names are not shown either")
    func otherNames() async throws {
        let answer = Answers.tokens([
            "id_token": .string(try TestKey.idToken()), "token": .string(Markers.accessToken),
            "legacy_key": "sk-123",
            "user": ["secret": .string(Markers.refreshToken)], "fresh": true,
        ])
        var script = try Scripts.signIn()
        script[4] = ScriptedEffect("http token", answer)
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script)
        let members = run.events.compactMap { event -> [TracedParameter]? in
            if case .response(let response) = event.body, event.step == "exchange" {
                response.members
            } else {
                nil
            }
        }.joined()
        let values = Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        #expect(values["token"] == .text("(not shown)"))
        #expect(values["legacy_key"] == .text("(not shown)"))
        #expect(values["user"] == .text("(not shown)"))
        #expect(values["fresh"] == .text("true"))
        #expect(values["token_type"] == .text("Bearer"))
        #expect(values["expires_in"] == .text("3600"))
    }

    @Test("what a provider says about a person is not shown")
    func personal() async throws {
        let answer = Answers.json(
            200, ["sub": "person-1", "shoe_size": 987654, "nick": "Countess", "email_verified": true])
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.ask()), [Scripts.load(), ScriptedEffect("http userinfo", answer)])
        let texts = run.events.map { "\($0)" }.joined()
        #expect(!texts.contains("Countess"))
        #expect(!texts.contains("987654"))
        #expect(!texts.contains("person-1"))
    }

    @Test("a hook that repeats what it was granted shows nothing")
    func hook() async throws {
        let flow = FlowTexts.renew(
            extra:
                "hooks: [ { id: h, at: step.after, steps: [restore], outcomes: [ok, expired], grants: [tokens.main.refresh_token], native: { name: h } } ]"
        )
        let reply = HookReply(.abort(message: "bad token \(Markers.refreshToken)"))
        let run = await Conversation.run(
            try Compiled.plan(flow), [Scripts.load(.expired), ScriptedEffect("hook h", .hook(reply))])
        #expect(run.events.hooks.map(\.message) == ["bad token ‹refresh_token›"])
        #expect(run.runEnd?.message == "hook \"h\": bad token ‹refresh_token›")
    }

    @Test("a secret input is never shown")
    func input() async throws {
        let flow = FlowTexts.flow(
            "  restore: { next: { ok: done, store_failed: failed } }", start: "restore",
            extra: "inputs: { pin: secret }")
        let pin = Secret(Markers.code, kind: .other)
        let run = await Conversation.run(
            try Compiled.plan(flow, inputs: ["pin": .secret(pin)]),
            [ScriptedEffect("load session", .storeFailed(reason: "no row for \(Markers.code)"))])
        #expect(run.lastEnd(of: "restore")?.description == "no row for ‹secret›")
    }

    @Test("what a flow calls sensitive is not shown in requests, whatever is made of it [rule 99]")
    func sensitive() async throws {
        let flow = FlowTexts.flow(
            """
              restore:
                save: { vars.made: "for ${inputs.phone}" }
                next: { ok: tell, any: failed }
              tell:
                do: http
                with:
                  url: "${provider.endpoints.report}"
                  method: POST
                  json: { phone: "${inputs.phone}", made: "${vars.made}", said: "${vars.said}" }
                next: { ok: done, any: failed }
            """, start: "restore",
            extra: """
                inputs: { phone: sensitive }
                vars: { made: { type: string }, said: { type: string, label: sensitive, init: "marker-said" } }
                """)
        let run = await Conversation.run(
            try Compiled.plan(
                flow, provider: ProviderText.complete, inputs: ["phone": .string("marker-phone")]),
            [Scripts.load(), ScriptedEffect("http http", Answers.json(200))])
        #expect(run.lastEnd(of: "tell")?.outcome == "ok")
        let texts = run.events.map { "\($0)" }.joined()
        #expect(texts.contains("phone"))
        #expect(!texts.contains("marker-phone"))
        #expect(!texts.contains("marker-said"))
    }

    @Test("a transport that repeats the address shows nothing secret in it")
    func transport() async throws {
        let trouble = TransportTrouble(
            delivery: .notDelivered, cause: "connect",
            message: "POST https://p.example/token?code=\(Markers.code)")
        let script = Scripts.untilCode + [ScriptedEffect("http token", .unanswered(trouble)), Scripts.badEnd]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script)
        #expect(run.lastEnd(of: "exchange")?.description == "POST https://p.example/token?code=‹code›")
    }

    // MARK: Fingerprints

    private func fingerprints(_ events: [TraceEvent], _ kind: String) -> [String?] {
        events.requests.flatMap { $0.query + $0.fields + $0.body }.compactMap { parameter -> String?? in
            switch parameter.value {
            case .secret(kind, _, let print), .prefixed(_, kind, _, let print): .some(print)
            case .secret, .prefixed, .text: nil
            }
        }
    }

    @Test("one secret has one fingerprint in a run, two secrets have two")
    func fingerprints() async throws {
        let flow = FlowTexts.ask(["userinfo": "{ next: again }", "again": "{ do: userinfo, next: done }"])
        let run = await Conversation.run(
            try Compiled.plan(flow), [Scripts.load(), Scripts.userinfo, Scripts.userinfo])
        let found = fingerprints(run.events, "access_token")
        #expect(found.count == 2)
        #expect(found[0] == found[1])
        #expect(found[0]?.count == 4)
        let whole = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), try Scripts.signIn())
        #expect(fingerprints(whole.events, "code") != fingerprints(whole.events, "code_verifier"))
        #expect(fingerprints(whole.events, "access_token") == Array(found.prefix(1)))
    }

    @Test("a rehearsal shows neither lengths nor fingerprints")
    func rehearsal() async throws {
        let plan = try Compiled.rehearsal(FlowTexts.signIn())
        let recorder = EventRecorder()
        _ = await FlowRun(plan: plan, handler: PlannedEffects(assumptions: []), sinks: [recorder]).run()
        let secrets = recorder.events.flatMap { event -> [TracedParameter] in
            switch event.body {
            case .request(let request): request.query + request.fields + request.body
            case .response(let response): response.members
            default: []
            }
        }.filter { if case .text = $0.value { false } else { true } }
        #expect(!secrets.isEmpty)
        for secret in secrets {
            switch secret.value {
            case .secret(_, let length, let print), .prefixed(_, _, let length, let print):
                #expect(length == nil && print == nil)
            case .text: break
            }
        }
        Conversation.expectSoundTrace(recorder.events, #_sourceLocation)
    }
}
