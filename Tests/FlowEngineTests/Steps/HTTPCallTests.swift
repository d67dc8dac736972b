import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("http")
struct HTTPCallTests {
    private static func get(_ more: String = "", _ rest: String = "") -> String {
        "{ do: http, with: { url: \"${provider.endpoints.report}\", auth: bearer, use: main\(more) }\(rest), next: done }"
    }

    private static func post(_ more: String, _ rest: String = "") -> String {
        "{ do: http, with: { url: \"${provider.endpoints.report}\", method: POST\(more) }\(rest), next: done }"
    }

    private func run(_ step: String, _ answer: InputEvent?, ends: String? = nil, extra: String = "")
        async throws -> Conversation
    {
        let flow = FlowTexts.stored(step, extra: extra, ends: ends)
        let script = answer.map { [ScriptedEffect("http http", $0)] } ?? []
        return await Conversation.run(
            try Compiled.plan(flow, provider: ProviderText.complete), [Scripts.load()] + script)
    }

    private func exchange(_ run: Conversation) throws -> HTTPExchange {
        let last = try #require(run.performed.last)
        guard case .http(let exchange) = last.effect else {
            throw FixtureError(description: "no request was made")
        }
        return exchange
    }

    private static func challenge(_ text: String) -> [HTTPField] {
        [HTTPField("WWW-Authenticate", "Bearer \(text)")]
    }

    @Test(
        "a call that does something anew each time is not sent again after a crash",
        arguments: [
            (get(), true), (post(""), false), (post(", idempotent: true"), true),
            (get(", idempotent: false"), false),
        ])
    func onlyOnce(step: String, isRepeatable: Bool) async throws {
        let run = try await run(step, Answers.json(200, [:]))
        let request = try #require(run.performed.first { $0.name == "http http" })
        #expect(request.singleUse == (isRepeatable ? nil : .once))
    }

    // MARK: Outcomes

    static let cases = [
        Case("200", Answers.json(200, ["a": 1]), "ok"),
        Case("204 without a body", Answers.text(204, ""), "ok"),
        Case("200 that is not JSON", Answers.text(200, "<html>"), "malformed"),
        Case("401 without a word", Answers.text(401, ""), "unauthorized"),
        Case(
            "a dead token", Answers.text(401, "", challenge("error=\"invalid_token\"")), "unauthorized",
            error: "invalid_token"),
        Case("403", Answers.text(403, ""), "insufficient_scope"),
        Case(
            "a sign-in too weak",
            Answers.text(401, "", challenge("error=\"insufficient_user_authentication\"")),
            "insufficient_auth"),
        Case("404", Answers.json(404, ["error": "gone"]), "rejected", error: "gone"),
        Case("a redirect, which is not followed", Answers.text(302, ""), "rejected"),
        Case("429", Answers.text(429, ""), "rate_limited"),
        Case("500", Answers.text(500, ""), "server_error"),
        Case("502, which burns nothing", Answers.text(502, ""), "server_error"),
        Case("never sent", Answers.lost(.notDelivered), "network"),
        Case("perhaps sent, which burns nothing", Answers.lost(.perhapsDelivered), "network"),
    ]

    @Test("reads the answer of a resource", arguments: cases)
    func outcomes(_ given: Case) async throws {
        let run = try await run(Self.get(), given.event)
        #expect(run.outcomes(of: "work") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "work")?.error == error) }
    }

    @Test(
        "tells what a resource says of its refusal, in whatever words",
        arguments: [
            ("error=\"invalid_token\", error_description=\"too old\"", [:], "too old"),
            ("error=\"invalid_token\"", ["message": "too old"], "too old"),
            ("realm=\"r\"", ["error": ["message": "too old"]], "too old"),
        ] as [(String, JSONObject, String)])
    func words(challenge: String, body: JSONObject, description: String) async throws {
        let run = try await run(Self.get(), Answers.json(401, body, Self.challenge(challenge)))
        #expect(run.lastEnd(of: "work")?.description == description)
    }

    static let burning = [
        Case("perhaps sent", Answers.lost(.perhapsDelivered), "unanswered"),
        Case("502, which may have worked", Answers.text(502, ""), "unanswered"),
        Case("500", Answers.text(500, ""), "server_error"),
    ]

    @Test("a POST may have had its effect, unless the flow says that twice is harmless", arguments: burning)
    func unanswered(_ given: Case) async throws {
        #expect(try await run(Self.post(""), given.event).outcomes(of: "work") == [given.outcome])
        let again = try await run(Self.post(", idempotent: true"), given.event)
        #expect(again.outcomes(of: "work") != ["unanswered"])
    }

    @Test("a challenge names the level and the age that it demands")
    func stepUp() async throws {
        let text = "error=\"insufficient_user_authentication\", acr_values=\"gold silver\", max_age=\"60\""
        let step = """
            { do: http, with: { url: "${provider.endpoints.report}" }, next: { ok: failed, insufficient_auth: done } }
            """
        let run = try await run(
            step, Answers.text(401, "", Self.challenge(text)),
            ends: """
                  done: { result: success, outputs: { levels: "${steps.work.acr_values}", age: "${steps.work.max_age}" } }
                  failed: { result: failure }
                """, extra: "outputs: { levels: optional list<string>, age: optional duration }")
        #expect(run.output("levels") == .list([.string("gold"), .string("silver")]))
        #expect(run.output("age") == .duration(60_000))
    }

    @Test("statuses of expect and rules of classify come before the table")
    func ownOutcomes() async throws {
        let step = """
            { do: http, with: { url: "${provider.endpoints.report}", expect: { "404": absent },
                classify: [{ if: "status == 400 && (body.code ?? '') == 'BLOCKED'", outcome: blocked }] },
                outcomes: { absent: choice, blocked: denied }, next: { ok: done, absent: failed, blocked: failed } }
            """
        #expect(try await run(step, Answers.text(404, "")).outcomes(of: "work") == ["absent"])
        let blocked = try await run(step, Answers.json(400, ["code": "BLOCKED"]))
        #expect(blocked.outcomes(of: "work") == ["blocked"])
        #expect(try await run(step, Answers.json(400, [:])).outcomes(of: "work") == ["rejected"])
    }

    // MARK: Requests

    @Test("shows the token of the set in the header, and the parameters in the query")
    func request() async throws {
        let step = Self.get(
            ", query: { q: a b, k: \"${null}\" }, headers: { X-Trace: t1 }")
        let run = try await run(step, Answers.json(200))
        let request = try exchange(run).request
        #expect(request.url == "https://api.example/report?q=a%20b")
        #expect(request.method == .get)
        #expect(request.fields.contains(HTTPField("Authorization", "Bearer \(Markers.accessToken)")))
        #expect(request.fields.contains(HTTPField("X-Trace", "t1")))
    }

    @Test("a body needs a method that has one: its members would be in the URL", arguments: ["json", "form"])
    func bodyless(_ body: String) async throws {
        for method in ["", ", method: HEAD"] {
            let step = Self.get(", \(body): { token: \"${tokens.main.access_token}\" }\(method)")
            await #expect(throws: (any Error).self) { try await run(step, Answers.json(200)) }
        }
        let late = Self.get(", \(body): { a: b }, method: \"${'GE' + 'T'}\"")
        let refused = try? await run(late, Answers.json(200))
        #expect(refused?.names.contains("http http") != true)
    }

    @Test("secrets go into the body, and stay secrets until it is encoded")
    func json() async throws {
        let step = Self.post(
            """
            , json: { token: "${tokens.main.access_token}", nested: { deep: ["${tokens.main.refresh_token}"] }, k: 1,
            none: "${null}" }
            """)
        let run = try await run(step, Answers.json(200))
        let request = try exchange(run).request
        let body = try JSON.parse(request.body ?? [])
        #expect(
            body == [
                "k": 1, "nested": ["deep": [.string(Markers.refreshToken)]],
                "token": .string(Markers.accessToken),
            ])
        #expect(request.fields.contains(HTTPField("Content-Type", "application/json")))
    }

    @Test("a form takes secrets too")
    func form() async throws {
        let run = try await run(
            Self.post(", form: { token: \"${tokens.main.access_token}\", kind: x }"), Answers.json(200))
        #expect(
            String(decoding: try exchange(run).request.body ?? [], as: UTF8.self)
                == "token=\(PercentEncoding.encodeForm(Markers.accessToken))&kind=x")
    }

    @Test(
        "the client's own credentials and the provider's key prove who asks",
        arguments: ["client", "basic", "api_key"])
    func credentials(auth: String) async throws {
        let run = try await run(Self.post(", auth: \(auth)"), Answers.json(200))
        let fields = try exchange(run).request.fields
        if auth == "api_key" {
            #expect(fields.contains(HTTPField("X-Key", "marker-api-key")))
            #expect(!"\(run.events)".contains("marker-api-key"))
        } else {
            #expect(fields.contains { $0.name == "Authorization" && $0.value.hasPrefix("Basic ") })
        }
    }

    @Test("what is no address of the web is never called")
    func refusedURL() async throws {
        let step = """
            { do: http, with: { url: "${allowed_url('https://other.example/x', provider.resources)}", auth: bearer,
                use: main }, next: done }
            """
        let run = try await run(step, nil)
        #expect(run.outcomes(of: "work") == ["rejected"])
        #expect(run.lastEnd(of: "work")?.error == "no_url")
    }

    // MARK: Extraction

    private static let out = """
        , out: { user: { at: /data/id, type: string }, age: { at: /age, type: optional int },
            id_token: { at: /idToken, type: secret }, expires_in: { at: /expires, type: int } }, into: other
        """

    /// Its ID token is no proof of a sign-in, so nothing verifies it.
    private static let withoutSignIn = "providers: { main: { oidc: false } }"

    @Test("takes typed values and a token set out of the answer, and shows no secret of it")
    func extraction() async throws {
        let answer = Answers.json(
            200,
            [
                "data": ["id": "u1"], "idToken": .string(Markers.renewedToken), "expires": "60",
                "access_token": .string(Markers.accessToken),
            ])
        let run = try await run(
            Self.post(Self.out), answer,
            ends: """
                  done: { result: success, outputs: { user: "${steps.work.user}", body: "${steps.work.body}",
                    age: "${steps.work.age}" } }
                  failed: { result: failure }
                """, extra: "outputs: { user: string, body: json, age: optional int }\n" + Self.withoutSignIn)
        #expect(run.outcomes(of: "work") == ["ok"])
        #expect(run.output("user") == .string("u1"))
        #expect(run.output("age") == .null)
        guard case .json(let body)? = run.output("body") else { return notFound() }
        #expect(Markers.found(in: body.serialize()).isEmpty)
        let set = run.outcome.tokens.compactMap(\.self).first { $0.origin == .http }
        #expect(set?.accessToken.reveal() == Markers.renewedToken)
        #expect(set?.expiresAt == ManualClock.start + 60_000)
    }

    @Test("a list of secrets is taken out of the answer, and is not in its body")
    func secretList() async throws {
        let run = try await run(
            Self.post(", out: { codes: { at: /codes, type: list<secret> } }"),
            Answers.json(200, ["codes": [.string(Markers.renewedToken)], "left": 2]),
            ends: """
                  done: { result: success, outputs: { body: "${steps.work.body}" } }
                  failed: { result: failure }
                """, extra: "outputs: { body: json }")
        #expect(run.output("body") == .json(["codes": "‹secret›", "left": 2]))
    }

    @Test(
        "what stands in a body in place of a secret is not sent on as that secret",
        arguments: [
            "json: { token: \"${get(steps.ask.body, '/access_token')}\" }",
            "json: { deep: { all: \"${steps.ask.body}\" } }",
            "json: \"${steps.ask.body}\"", "form: { token: \"${get(steps.ask.body, '/access_token')}\" }",
        ])
    func placeholder(body: String) async throws {
        let flow = FlowTexts.flow(
            """
              ask: { do: http, with: { url: "${provider.endpoints.report}" }, next: { ok: tell, any: failed } }
              tell:
                do: http
                with: { url: "${provider.endpoints.report}", method: POST, \(body) }
                next: { ok: done, any: failed }
            """, start: "ask")
        let run = await Conversation.run(
            try Compiled.plan(flow, provider: ProviderText.complete),
            [ScriptedEffect("http http", Answers.json(200, ["access_token": .string(Markers.accessToken)]))])
        let end = try #require(run.lastEnd(of: "tell"))
        #expect(end.error == "placeholder")
        #expect(end.description?.contains("take that secret with out") == true)
        #expect(run.names.filter { $0 == "http http" }.count == 1)
    }

    @Test("nor is it handed to a port")
    func placeholderForPort() async throws {
        let flow = FlowTexts.flow(
            """
              ask: { do: http, with: { url: "${provider.endpoints.report}" }, next: { ok: tell, any: failed } }
              tell:
                do: call
                with: { port: keep, args: { token: "${get(steps.ask.body, '/access_token')}" } }
                next: { kept: done, any: failed }
            """, start: "ask", extra: "calls: { keep: { args: { token: json }, outcomes: [kept] } }")
        let run = await Conversation.run(
            try Compiled.plan(flow, provider: ProviderText.complete),
            [ScriptedEffect("http http", Answers.json(200, ["access_token": .string(Markers.accessToken)]))])
        let end = try #require(run.lastEnd(of: "tell"))
        #expect(end.error == "placeholder")
        #expect(!run.names.contains("call keep"))
    }

    @Test("whom an answer names is nobody whom a flow that expects somebody takes for proven [rule 134]")
    func assertedSubject() async throws {
        let steps = """
              restore: { next: work }
              work: { do: http, with: { url: "${provider.endpoints.report}", into: main, out: {
                access_token: { at: /t, type: secret }, subject: { at: /s, type: string } } }, next: userinfo }
              userinfo: { with: { expect_sub: person-1 }, next: { ok: done, subject_mismatch: failed } }
            """
        let provider = ProviderText.make(
            extra: "endpoints: { report: https://p.example/report }\nuserinfo: { supported: false }\n"
                + "claims: { name: id_token.name }\n")
        let run = await Conversation.run(
            try Compiled.plan(
                FlowTexts.flow(steps, start: "restore", extra: Self.withoutSignIn), provider: provider),
            [
                Scripts.load(),
                ScriptedEffect(
                    "http http", Answers.json(200, ["t": "token-of-the-answer", "s": "person-1"])),
            ])
        #expect(run.outcomes(of: "work") == ["ok"])
        #expect(run.outcomes(of: "userinfo") == ["subject_mismatch"])
        let set = run.outcome.tokens.compactMap(\.self).first { $0.origin == .http }
        #expect(set?.subject == "person-1")
        #expect(set?.isSubjectAsserted == true)
    }

    @Test("once a signature says it, the same name is proven [rule 134]")
    func provenSubject() async throws {
        let steps = """
              restore: { next: work }
              work: { do: http, with: { url: "${provider.endpoints.report}", into: main, out: {
                id_token: { at: /t, type: secret }, subject: { at: /s, type: string } } }, next: verify }
              verify: { do: verify_id_token, next: userinfo }
              userinfo: { with: { expect_sub: person-1 }, next: { ok: done, subject_mismatch: failed } }
            """
        let provider = ProviderText.make(
            extra: "endpoints: { report: https://p.example/report }\nuserinfo: { supported: false }\n"
                + "claims: { name: id_token.name }\n")
        let token = try TestKey.idToken(nonce: nil)
        let run = await Conversation.run(
            try Compiled.plan(
                FlowTexts.flow(steps, start: "restore", extra: Self.withoutSignIn), provider: provider),
            [
                Scripts.load(),
                ScriptedEffect(
                    "http http", Answers.json(200, ["t": .string(token), "s": "person-1"])),
                try Scripts.keys(),
            ])
        #expect(run.outcomes(of: "verify") == ["ok"])
        #expect(run.outcomes(of: "userinfo") == ["ok"])
        let set = run.outcome.tokens.compactMap(\.self).first { $0.origin == .http }
        #expect(set?.isSubjectAsserted == false)
    }

    @Test(
        "a value that is not there, or of another type, is malformed",
        arguments: [
            ["idToken": "t-12345678", "expires": 60],
            ["data": ["id": 7], "idToken": "t-12345678", "expires": 60],
            ["data": ["id": "u"], "expires": 60],
        ] as [JSONObject])
    func missing(answer: JSONObject) async throws {
        let run = try await run(
            Self.post(Self.out), Answers.json(200, answer), extra: Self.withoutSignIn)
        #expect(run.outcomes(of: "work") == ["malformed"])
        #expect(run.lastEnd(of: "work")?.error == "resource-member")
    }
}
