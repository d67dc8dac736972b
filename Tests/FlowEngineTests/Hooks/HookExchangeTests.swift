import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// What a hook may add to a request, what it is told of the answer, and what of its wishes comes to pass.
@Suite("Hooks around an exchange")
struct HookExchangeTests: HookWriting {
    // MARK: step.request

    private static let requesting = FlowTexts.stored(
        http.replacing("/api", with: "/api?id=7"),
        extra: extra(hook("at: step.request, may: [headers, query]")))

    @Test("a hook adds header fields and query parameters, and the trace says whose they are")
    func headers() async throws {
        let longest = "x-" + String(repeating: "a", count: 62)
        let value = String(repeating: "b", count: 1_024)
        let reply = Self.reply {
            $0.headers = [
                "X-Tenant": "acme", "User-Agent": "shop/1", "Accept-Language": "de", longest: value,
                "if-match": "e",
            ]
            $0.query = ["x-debug": "a b", longest: "c", "tenant": "d"]
        }
        let provider = ProviderText.make(extra: "hooks: { headers: [If-Match], query: [tenant] }\n")
        let script = [Scripts.load(), Self.answer(reply), ScriptedEffect("http http", Answers.json(200))]
        let run = await Conversation.run(try Compiled.plan(Self.requesting, provider: provider), script)
        #expect(run.end == "done")
        let sent = run.performed.compactMap { request in
            if case .http(let exchange) = request.effect { exchange.request } else { nil }
        }
        let request = try #require(sent.first)
        #expect(request.url == "https://p.example/api?id=7&tenant=d&\(longest)=c&x-debug=a%20b")
        #expect(request.fields.contains(HTTPField("X-Tenant", "acme")))
        #expect(request.fields.contains(HTTPField("User-Agent", "shop/1")))
        #expect(request.fields.contains(HTTPField("Accept-Language", "de")))
        #expect(request.fields.contains(HTTPField(longest, value)))
        let traced = try #require(run.events.requests.first)
        let added = (traced.fields + traced.query).filter { $0.source == "hook h" }
        #expect(
            added.map(\.name) == [
                "Accept-Language", "User-Agent", "X-Tenant", "if-match", longest, "tenant", longest,
                "x-debug",
            ])
        #expect(
            added.map(\.value) == ["de", "shop/1", "acme", "e", value, "d", "c", "a b"].map { .text($0) })
        #expect(run.events.requests.count == 1)
        #expect(
            run.events.hooks.first?.wrote
                == ["headers.Accept-Language", "headers.User-Agent", "headers.X-Tenant", "headers.if-match"]
                + ["headers.\(longest)", "query.tenant", "query.\(longest)", "query.x-debug"])
        #expect(
            run.hookCalls.first?.facts["request"] == [
                "method": "GET", "url": "https://p.example/api", "headers": ["Accept"], "query": [],
                "body": [],
            ])
    }

    @Test("it is asked before each attempt, with the number of the attempt")
    func attempts() async throws {
        let flow = FlowTexts.stored(
            "{ do: http, retry: { outcomes: [server_error], attempts: 2 }, with: { url: \"https://p.example/api\" }, next: done }",
            extra: Self.extra(Self.hook("at: step.request")))
        let script = [
            Scripts.load(), Self.answer(), ScriptedEffect("http http", Answers.json(503)),
            ScriptedEffect("sleep", .woke), Self.answer(), ScriptedEffect("http http", Answers.json(200)),
        ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.end == "done")
        #expect(run.hookCalls.compactMap(\.step?.attempt) == [1, 2])
        #expect(run.hookCalls.map(\.sequence) == [1, 2])
    }

    // MARK: step.response

    private static func answering(_ keys: String, routes: String = "done") -> String {
        FlowTexts.stored(
            "{ do: http, outcomes: { away: choice }, with: { url: \"https://p.example/api\" }, next: { ok: \(routes), away: gone } }",
            extra: extra(hook("at: step.response, \(keys)")),
            ends: "  done: { result: success }\n  gone: { result: failure }\n  failed: { result: failure }")
    }

    @Test("it sees status, names and a body without secrets")
    func response() async throws {
        let answer = Answers.json(
            200,
            [
                "items": [["session_token": "marker/deep+secret~1", "name": "a"]], "count": 2,
                "jwt": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2ln", "echo": .string(Markers.accessToken),
            ])
        let script = [Scripts.load(), ScriptedEffect("http http", answer), Self.answer()]
        let run = await Conversation.run(try Compiled.plan(Self.answering("may: [outcome]")), script)
        #expect(run.end == "done")
        let facts = try #require(run.hookCalls.first?.facts["response"]?.objectValue)
        #expect(facts["status"] == 200)
        #expect(facts["headers"] == ["Content-Type"])
        #expect(
            facts["body"] == [
                "items": [["session_token": "‹secret›", "name": "a"]], "count": 2, "jwt": "‹secret›",
                "echo": "‹access_token›",
            ])
    }

    @Test(
        "of published metadata everything is shown, endpoints and methods with words such as authorization too"
    )
    func metadata() async throws {
        let flow = FlowTexts.single(
            "{ do: discover, next: done }", extra: Self.extra(Self.hook("at: step.response, may: [outcome]")))
        let methods: JSONValue = ["client_secret_basic", "none"]
        let answer = Answers.metadata(["token_endpoint_auth_methods_supported": methods])
        let script = [
            ScriptedEffect("recall metadata", .nothingKept), ScriptedEffect("http discovery", answer),
            Self.answer(), ScriptedEffect("keep metadata"),
        ]
        let run = await Conversation.run(try Compiled.plan(flow, provider: ProviderText.discovered), script)
        let body = try #require(run.hookCalls.first?.facts["response"]?.objectValue?["body"]?.objectValue)
        #expect(body["authorization_endpoint"] == "https://p.example/authorization_endpoint")
        #expect(body["token_endpoint_auth_methods_supported"] == methods)
    }

    @Test("of what a token endpoint answers no text is shown that is not known to be harmless")
    func tokenResponse() async throws {
        let flow = FlowTexts.signIn(
            extra: Self.extra(Self.hook("at: step.response, steps: [exchange], may: [outcome]")))
        let script =
            Scripts.untilCode + [
                try Scripts.exchange(), Self.answer(), try Scripts.keys(), Scripts.userinfo, Scripts.save,
                Scripts.goodEnd,
            ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.end == "done")
        let body = try #require(run.hookCalls.first?.facts["response"]?.objectValue?["body"]?.objectValue)
        #expect(body["access_token"] == "‹access_token›")
        #expect(body["id_token"] == "‹id_token›")
        #expect(body["token_type"] == "Bearer")
        #expect(Markers.found(in: HookWire.encode(try #require(run.hookCalls.first))) == [])
    }

    @Test("it may give the answer another outcome of the step")
    func outcome() async throws {
        let script = [
            Scripts.load(), ScriptedEffect("http http", Answers.json(200)),
            Self.answer(Self.reply { $0.outcome = "away" }),
        ]
        let run = await Conversation.run(try Compiled.plan(Self.answering("may: [outcome]")), script)
        #expect(run.outcomes(of: "work") == ["away"])
        #expect(run.end == "gone")
        #expect(run.events.hooks.map(\.wrote) == [["outcome.away"]])
        let busy = Answers.json(429, [:], [HTTPField("Retry-After", "5")])
        let told = await Conversation.run(
            try Compiled.plan(Self.answering("may: [outcome]")),
            [script[0], ScriptedEffect("http http", busy), script[2]])
        let end = try #require(told.lastEnd(of: "work"))
        #expect(end.outcome == "away" && end.status == 429 && end.retryAfter == 5_000)
    }

    @Test(
        "an answer that a hook calls a failure is asked for again where that does no harm",
        arguments: [("GET", nil, true), ("POST", nil, false), ("POST", true, true), ("GET", false, false)])
    func askedAgain(method: String, idempotent: Bool?, isHarmless: Bool) async throws {
        let more = idempotent.map { ", idempotent: \($0)" } ?? ""
        let flow = FlowTexts.stored(
            """
            { do: http, with: { url: "https://p.example/api", method: \(method)\(more) },
                retry: { outcomes: [rate_limited], attempts: 2 }, next: done }
            """, extra: Self.extra(Self.hook("at: step.response, may: [outcome]")))
        let answer = ScriptedEffect("http http", Answers.json(200))
        let wish = Self.answer(Self.reply { $0.outcome = "rate_limited" })
        let again = [ScriptedEffect("sleep", .woke), answer, Self.answer()]
        let run = await Conversation.run(
            try Compiled.plan(flow), [Scripts.load(), answer, wish] + (isHarmless ? again : []))
        #expect(run.end == (isHarmless ? "done" : "failed"))
        #expect(run.lastEnd(of: "work")?.outcome == (isHarmless ? "ok" : "rate_limited"))
        let note = "what was sent is used up: sending it again could only do harm"
        #expect(run.events.notes.contains(note) == !isHarmless)
    }

    @Test("an answer after which the step goes on has no outcome for a hook to give")
    func earlyOutcome() async throws {
        let flow = FlowTexts.flow(
            "  restore: { next: userinfo }\n  userinfo: { next: { ok: done, insufficient_scope: sad } }",
            start: "restore", extra: Self.extra(Self.hook("at: step.response, may: [outcome]")),
            ends: "  done: { result: success }\n  sad: { result: failure }\n  failed: { result: failure }")
        let wish = Self.answer(Self.reply { $0.outcome = "insufficient_scope" })
        let session = StoredTokens().with { $0.issuer = "https://q.example" }
        let run = await Conversation.run(
            try Compiled.plan(flow, provider: ProviderText.plain),
            [
                Scripts.load(session), ScriptedEffect("http userinfo", Answers.json(200, ["id": "1"])), wish,
                ScriptedEffect("http userinfo", Answers.json(200)), wish,
            ])
        #expect(run.end == "sad")
        #expect(
            run.events.notes.contains(
                "the answer does not end the step, so hook \"h\" gives it no outcome"))
    }

    @Test("a failed check stays failed, whatever a hook wishes for")
    func securityOutcome() async throws {
        let flow = FlowTexts.ask(
            extra: Self.extra(Self.hook("at: step.response, steps: [userinfo], may: [outcome]")))
        let other = Answers.json(200, ["sub": "person-2"])
        let script = [
            Scripts.load(), ScriptedEffect("http userinfo", other),
            Self.answer(Self.reply { $0.outcome = "insufficient_scope" }),
        ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.outcomes(of: "userinfo") == ["subject_mismatch"])
        #expect(run.events.warnings.count == 1)
    }

    @Test("a used code is not sent again because a hook calls the answer a failure")
    func spent() async throws {
        let flow = FlowTexts.signIn(
            ["exchange": "{ retry: { outcomes: [rate_limited], attempts: 3 }, next: verify }"],
            extra: Self.extra(Self.hook("at: step.response, steps: [exchange], may: [outcome]")))
        let wish = Self.answer(Self.reply { $0.outcome = "rate_limited" })
        let run = await Conversation.run(
            try Compiled.plan(flow), Scripts.untilCode + [try Scripts.exchange(), wish, Scripts.badEnd])
        #expect(run.outcome.end.error?.code == .hookFailed)
    }
}
