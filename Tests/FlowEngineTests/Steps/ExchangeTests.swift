import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("exchange")
struct ExchangeTests {
    private static func error(_ status: Int, _ code: String) -> InputEvent {
        Answers.json(status, ["error": .string(code), "error_description": "because"])
    }

    /// The rows of flow/1 §6 "HTTP status to outcome" for a token endpoint that burns what it is sent.
    static let cases = [
        Case("a refused code", error(400, "invalid_grant"), "invalid_grant", error: "invalid_grant"),
        Case("a refused client", error(400, "invalid_client"), "invalid_client", error: "invalid_client"),
        Case(
            "a refused client, 401", error(401, "invalid_client"), "invalid_client", error: "invalid_client"),
        Case(
            "an overload", error(400, "temporarily_unavailable"), "server_error",
            error: "temporarily_unavailable"),
        Case("a server error", error(400, "server_error"), "server_error", error: "server_error"),
        Case("another error", error(400, "invalid_request"), "rejected", error: "invalid_request"),
        Case(
            "another error, 401", error(401, "unauthorized_client"), "rejected", error: "unauthorized_client"),
        Case("400 without a word", Answers.text(400, ""), "rejected", error: "http_400"),
        Case("401 without a word", Answers.text(401, ""), "invalid_client", error: "http_401"),
        Case("403", Answers.text(403, ""), "rejected", error: "http_403"),
        Case("404", Answers.text(404, ""), "rejected", error: "http_404"),
        Case("429", Answers.text(429, ""), "rate_limited", error: "http_429"),
        Case("429 with an error", error(429, "slow_down"), "rate_limited", error: "slow_down"),
        Case("429 with an overload", error(429, "temporarily_unavailable"), "rate_limited"),
        Case("a redirect", Answers.text(302, "", [HTTPField("Location", "https://x.example")]), "insecure"),
        Case("500", Answers.text(500, ""), "server_error", error: "http_500"),
        Case("503", Answers.text(503, ""), "server_error", error: "http_503"),
        Case("500 with a refused code", error(500, "invalid_grant"), "invalid_grant"),
        Case("502", Answers.text(502, "<html>"), "unanswered", error: "http_502"),
        Case("504", Answers.text(504, "<html>"), "unanswered", error: "http_504"),
        Case("502 with an error in its body", error(502, "server_error"), "unanswered"),
        Case("504 with an overload in its body", error(504, "temporarily_unavailable"), "unanswered"),
        Case("200 that is no JSON", Answers.text(200, "<html>"), "malformed", error: "malformed"),
        Case(
            "200 without a token", Answers.tokens(["access_token": .null]), "malformed", error: "access_token"
        ),
        Case(
            "a token of another type", Answers.tokens(["token_type": "mac"]), "insecure", error: "token_type"
        ),
        Case(
            "a compressed answer", Answers.lost(.perhapsDelivered, cause: "compressed"), "malformed",
            error: "compressed"),
        Case(
            "an answer too long", Answers.lost(.perhapsDelivered, cause: "too_large"), "malformed",
            error: "too_large"),
        Case("never sent", Answers.lost(.notDelivered, cause: "connect"), "network", error: "connect"),
        Case("perhaps sent", Answers.lost(.perhapsDelivered), "unanswered", error: "reset"),
    ]

    @Test("an endpoint that has a parameter of the request in its own query gets none twice")
    func repeatedParameter() async throws {
        let provider = ProviderText.make(
            omit: ["token_endpoint"],
            // What stands there in so many words is refused when the file is read.
            extra: "variables: { name: { default: v } }\n"
                + "token_endpoint: \"https://p.example/token?${vars.name}=1\"\ntoken: { query: { v: \"2\" } }\n"
        )
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: provider), Scripts.untilCode + [Scripts.badEnd])
        let reason =
            "the endpoint has \"v\" in its own query, and no parameter may be there twice (RFC 6749 §3.2)"
        #expect(run.outcome.end.error == RunFailure(.endpointRefused, reason))
    }

    @Test("tells what became of the code", arguments: cases)
    func outcomes(_ given: Case) async throws {
        let script = Scripts.untilCode + [ScriptedEffect("http token", given.event), Scripts.badEnd]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), script)
        #expect(run.outcomes(of: "exchange") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "exchange")?.error == error) }
    }

    @Test("an error inside a success is an error where the descriptor says so")
    func errorInSuccess() async throws {
        let script =
            Scripts.authorize + [
                Scripts.callback([("iss", "https://q.example")]),
                ScriptedEffect("http token", Self.error(200, "invalid_grant")), Scripts.badEnd,
            ]
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: ProviderText.plain), script)
        #expect(run.outcomes(of: "exchange") == ["invalid_grant"])
    }

    @Test(
        "the provider's classify says what its answers mean, but never that a refused answer is harmless",
        arguments: [
            Case("its own word for too many", error(400, "too_many"), "rate_limited", error: "too_many"),
            Case("a status of its own", Answers.text(420, ""), "rate_limited", error: "http_420"),
            Case("what no rule is about", error(400, "invalid_request"), "rejected"),
            Case("a redirect", Answers.text(302, ""), "insecure", error: "redirect"),
        ])
    func classified(_ given: Case) async throws {
        let rules = """
            classify:
              - { if: "status in [302, 420]", outcome: rate_limited }
              - { if: "(body.error ?? '') == 'too_many'", outcome: rate_limited }

            """
        let script = Scripts.untilCode + [ScriptedEffect("http token", given.event), Scripts.badEnd]
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: ProviderText.standard + rules), script)
        #expect(run.outcomes(of: "exchange") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "exchange")?.error == error) }
    }

    @Test(
        "an outcome that the step does not have is the nearest that it has, and one of polling says nothing of it",
        arguments: [
            ("access_denied", "rejected"), ("interaction_required", "invalid_grant"),
            ("unauthorized", "invalid_client"), ("expired_token", "invalid_grant"),
            ("authorization_pending", "server_error"), ("slow_down", "server_error"),
        ])
    func nearest(word: String, outcome: String) async throws {
        let rules = """
            classify:
              - { if: "status == 400", outcome: \(word) }
              - { if: "body.code == 7", outcome: server_error }

            """
        let answer = Answers.json(400, ["code": 7])
        let script = Scripts.untilCode + [ScriptedEffect("http token", answer), Scripts.badEnd]
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: ProviderText.standard + rules), script)
        #expect(run.outcomes(of: "exchange") == [outcome])
    }

    @Test(
        "the provider's table of errors may say what a code means for the flow, after classify",
        arguments: [
            Case("by its code", error(400, "too_many"), "rate_limited", error: "too_many"),
            Case("by a pattern", error(400, "E1234"), "invalid_grant", error: "E1234"),
            Case("first classify", Answers.text(420, #"{"error":"too_many"}"#), "server_error"),
            Case("without an outcome", error(400, "invalid_request"), "rejected"),
            Case("a redirect", Answers.text(302, ""), "insecure", error: "redirect"),
        ])
    func advised(_ given: Case) async throws {
        let rules = """
            classify: [{ if: "status == 420", outcome: server_error }]
            errors:
              - { match: too_many, cause: too many, outcome: rate_limited }
              - { match: "E[0-9]+", cause: the code is old, outcome: invalid_grant }
              - { match: invalid_request, cause: something is missing }
              - { match: redirect, cause: it moved, outcome: rate_limited }

            """
        let script = Scripts.untilCode + [ScriptedEffect("http token", given.event), Scripts.badEnd]
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: ProviderText.standard + rules), script)
        #expect(run.outcomes(of: "exchange") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "exchange")?.error == error) }
    }

    @Test("sends code, verifier and redirect URI of the same transaction, and the client's own credentials")
    func request() async throws {
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn()), try Scripts.signIn())
        let exchange = try #require(run.performed.first { $0.name == "http token" })
        guard case .http(let sent) = exchange.effect else { return notFound() }
        #expect(sent.request.url == "https://p.example/token")
        let body = String(decoding: sent.request.body ?? [], as: UTF8.self)
        let fields = Set(body.split(separator: "&").map(String.init))
        #expect(
            fields == [
                "grant_type=authorization_code", "code=\(PercentEncoding.encodeForm(Markers.code))",
                "redirect_uri=\(PercentEncoding.encodeForm("http://127.0.0.1:5000/callback"))",
                "code_verifier=\(Markers.verifier)",
            ])
        let basic = "\(Markers.clientID):\(PercentEncoding.encodeForm(Markers.clientSecret))"
        #expect(
            sent.request.fields.contains(HTTPField("Authorization", "Basic \(Base64.encode(basic.utf8))")))
    }

    @Test("scopes that were not granted are data, not failure")
    func missingScopes() async throws {
        let flow = FlowTexts.signIn(
            extra: "outputs: { missing: list<string> }",
            ends: """
                  done: { result: success, outputs: { missing: "${steps.exchange.missing_scopes ?? []}" } }
                  failed: { result: failure }
                """)
        var script = try Scripts.signIn()
        script[4] = ScriptedEffect(
            "http token", Answers.tokens(["scope": "openid", "id_token": .string(try TestKey.idToken())]))
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.output("missing") == .list([.string("email")]))
    }

    // MARK: A code works once

    private static let retrying = FlowTexts.signIn([
        "exchange": """
        { retry: { outcomes: [any.transient], attempts: 3, backoff: { initial: 100ms, jitter: none } }, next: verify }
        """
    ])

    @Test(
        "a code that may have been used is not sent again [rule 81]",
        arguments: [
            Case("perhaps sent", Answers.lost(.perhapsDelivered), "unanswered"),
            Case("502", Answers.text(502, ""), "unanswered"),
            Case("504", Answers.text(504, ""), "unanswered"),
            Case("500", Answers.text(500, ""), "server_error"),
            Case("503", Answers.text(503, ""), "server_error"),
            Case("server_error", error(500, "server_error"), "server_error"),
        ])
    func burnt(_ given: Case) async throws {
        let script = Scripts.untilCode + [ScriptedEffect("http token", given.event), Scripts.badEnd]
        let run = await Conversation.run(try Compiled.plan(Self.retrying), script)
        #expect(run.outcomes(of: "exchange") == [given.outcome])
        #expect(run.events.retries.isEmpty)
    }

    @Test(
        "a code that nobody looked at is sent again",
        arguments: [
            Case("never sent", Answers.lost(.notDelivered), "network"),
            Case("429", Answers.text(429, ""), "rate_limited"),
        ])
    func repeated(_ given: Case) async throws {
        let script =
            try Scripts.untilCode + [
                ScriptedEffect("http token", given.event), ScriptedEffect("sleep", .woke), Scripts.exchange(),
                Scripts.keys(), Scripts.userinfo, Scripts.save, Scripts.goodEnd,
            ]
        let run = await Conversation.run(try Compiled.plan(Self.retrying), script)
        #expect(run.outcomes(of: "exchange") == ["ok"])
        #expect(run.events.retries.map(\.delay) == [100])
    }

    @Test("each rule of a descriptor that refuses an answer is named by its own line")
    func placesOfRules() async throws {
        let provider = ProviderText.make(
            extra: """
                token:
                  response:
                    error_when:
                      - { path: ok, equals: false }
                      - { path: code, not_equals: 0 }
                    error: { code: code, description: msg }
                    unwrap: data
                    map:
                      # The answer below has one of that name too, which is not this one.
                      abc: u
                      access_token: t
                    types: { expires_in: iso8601 }

                """)
        // The line on which `token:` stands.
        let first = ProviderText.make().split(separator: "\n", omittingEmptySubsequences: false).count
        for (answer, rule, words) in [
            (["ok": false], "p.yaml:\(first + 3), error_when: ok = false", nil),
            (["ok": true, "code": 7, "msg": "no"], "p.yaml:\(first + 4), error_when: code is not 0", "no"),
            (
                ["code": 0, "data": 3], nil,
                "token response: data is not a JSON object, read as p.yaml:\(first + 6) says"
            ),
            (
                ["code": 0, "data": ["x": 1], "abc": 1], nil,
                "expected a text that is not empty, got no access_token, but code, data, abc, "
                    + "read as p.yaml:\(first + 10) says"
            ),
            (
                ["code": 0, "data": ["t": "a", "token_type": "Bearer", "expires_in": "soon"]], nil,
                "expected expires_in is a date and time (iso8601), got a text that is not written as "
                    + "2031-01-02T03:04:05Z, read as p.yaml:\(first + 11) says"
            ),
        ] as [(JSONObject, String?, String?)] {
            let run = await Conversation.run(
                try Compiled.plan(FlowTexts.signIn(), provider: provider),
                Scripts.untilCode + [
                    try Scripts.exchange(Answers.json(200, answer)), Scripts.badEnd,
                ])
            let end = try #require(run.lastEnd(of: "exchange"))
            #expect(end.rule == rule, "\(answer)")
            #expect(end.description == words, "\(answer)")
        }
    }

    @Test(
        "a lifetime that the provider hardly means is told, with the type that would mend it",
        arguments: [
            (
                3_600_000, nil, "expires_in is read as 41 days",
                "milliseconds: types: { expires_in: milliseconds }"
            ),
            (
                1_767_229_200, nil, "expires_in is read as 56 years",
                "a time in seconds since 1970: types: { expires_in: epoch }"
            ),
            (3600, "epoch", "expires_in is read as 55 years ago", "seconds: types: { expires_in: seconds }"),
        ] as [(Int64, String?, String, String)])
    func lifetimes(number: Int64, type: String?, reading: String, fix: String) async throws {
        let extra = type.map { "token: { response: { types: { expires_in: \($0) } } }\n" } ?? ""
        var script = try Scripts.signIn()
        script[4] = try Scripts.exchange(
            Answers.tokens(["id_token": .string(try TestKey.idToken()), "expires_in": .int(number)]))
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: ProviderText.make(extra: extra)), script)
        #expect(run.events.outcomes(of: "exchange") == ["ok"])
        let warning = try #require(run.events.warnings.first)
        let words = "\(reading), which is hard to believe; if it means \(fix) in "
        #expect(warning.hasPrefix(words), "\(warning)")
        #expect(warning.contains(type == nil ? "the provider's file" : "p.yaml:"))
    }

    @Test("what the rules of a descriptor make of an answer names their place, and nothing else does")
    func rulesOfAnswer() async throws {
        let provider = ProviderText.make(extra: "token: { response: { unwrap: data } }\n")
        for (text, answer, description) in [
            (
                provider, Answers.json(200, ["ok": true]),
                "token response: data is not a JSON object, read as p.yaml:13 says"
            ),
            (
                ProviderText.standard,
                Answers.text(200, "[]", [HTTPField("Content-Type", "application/json")]),
                "token response: the body is not a JSON object"
            ),
            (provider, Answers.json(404), nil),
        ] as [(String, InputEvent, String?)] {
            let run = await Conversation.run(
                try Compiled.plan(FlowTexts.signIn(), provider: text),
                Scripts.untilCode + [try Scripts.exchange(answer), Scripts.badEnd])
            #expect(run.lastEnd(of: "exchange")?.description == description)
        }
    }

    @Test(
        "a policy that retries a refusal does not send the used code again",
        arguments: ["invalid_grant", "rejected", "malformed"])
    func refusedPolicy(outcome: String) async throws {
        let answers = [
            "invalid_grant": Self.error(400, "invalid_grant"), "rejected": Self.error(400, "invalid_request"),
            "malformed": Answers.text(200, "?"),
        ]
        let flow = FlowTexts.signIn([
            "exchange": "{ retry: { outcomes: [\(outcome)], attempts: 3 }, next: verify }"
        ])
        let script =
            Scripts.untilCode + [
                ScriptedEffect("http token", try #require(answers[outcome])), Scripts.badEnd,
            ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.outcomes(of: "exchange") == [outcome])
        #expect(
            run.events.notes.contains("what was sent is used up: sending it again could only do harm"))
    }
}
