import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("userinfo")
struct UserInfoTests {
    private static func challenge(_ error: String) -> [HTTPField] {
        [HTTPField("WWW-Authenticate", "Bearer realm=\"p\", error=\"\(error)\"")]
    }

    static let cases = [
        Case("the person of the session", Answers.person, "ok"),
        Case("401 without a word", Answers.text(401, ""), "unauthorized"),
        Case(
            "a dead token", Answers.text(401, "", challenge("invalid_token")), "unauthorized",
            error: "invalid_token"),
        Case("403 without a word", Answers.text(403, ""), "insufficient_scope"),
        Case("a scope too few", Answers.text(403, "", challenge("insufficient_scope")), "insufficient_scope"),
        Case(
            "a sign-in too weak", Answers.text(401, "", challenge("insufficient_user_authentication")),
            "insufficient_auth"),
        Case("429", Answers.text(429, ""), "rate_limited"),
        Case("500", Answers.text(500, ""), "server_error"),
        Case("503", Answers.text(503, ""), "server_error"),
        Case("502, which burns nothing", Answers.text(502, ""), "server_error"),
        Case("504, which burns nothing", Answers.text(504, ""), "server_error"),
        Case("a redirect", Answers.text(302, ""), "insecure"),
        Case("404", Answers.text(404, ""), "malformed"),
        Case("no JSON", Answers.text(200, "<html>"), "malformed"),
        Case(
            "somebody else", Answers.json(200, ["sub": "person-2"]), "subject_mismatch", error: "userinfo-sub"
        ),
        Case("nobody", Answers.json(200, ["name": "Ada"]), "subject_mismatch", error: "userinfo-sub"),
        Case("never sent", Answers.lost(.notDelivered), "network"),
        Case("perhaps sent, which burns nothing", Answers.lost(.perhapsDelivered), "network"),
    ]

    @Test("tells what the endpoint says", arguments: cases)
    func outcomes(_ given: Case) async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.ask()),
            [Scripts.load(), ScriptedEffect("http userinfo", given.event)])
        #expect(run.outcomes(of: "userinfo") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "userinfo")?.error == error) }
    }

    @Test(
        "no rule of the descriptor makes an answer about somebody else anything else",
        arguments: [
            (["sub": "person-2"], "subject_mismatch"), (["name": "Ada"], "subject_mismatch"),
            ([], "unauthorized"),
        ] as [(JSONValue, String)])
    func classified(body: JSONValue, outcome: String) async throws {
        let provider =
            ProviderText.standard + "classify: [{ if: \"status == 200\", outcome: unauthorized }]\n"
        let answer = Answers.text(200, body.serialize(), [HTTPField("Content-Type", "application/json")])
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.ask(), provider: provider),
            [Scripts.load(), ScriptedEffect("http userinfo", answer)])
        #expect(run.outcomes(of: "userinfo") == [outcome])
    }

    @Test("shows the access token in the header and nowhere else")
    func request() async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.ask()), [Scripts.load(), Scripts.userinfo])
        guard case .http(let exchange)? = run.performed.last?.effect else { return notFound() }
        #expect(exchange.request.method == .get)
        #expect(exchange.request.url == "https://p.example/userinfo")
        #expect(exchange.request.fields.contains(HTTPField("Authorization", "Bearer \(Markers.accessToken)")))
    }

    @Test("the person that the flow expects wins over the session's")
    func expected() async throws {
        let flow = FlowTexts.ask(["userinfo": "{ with: { expect_sub: person-2 }, next: done }"])
        let run = await Conversation.run(try Compiled.plan(flow), [Scripts.load(), Scripts.userinfo])
        #expect(run.outcomes(of: "userinfo") == ["subject_mismatch"])
    }

    /// A provider that says itself that it has no endpoint, although an address is there.
    private static func silent(_ claims: String) -> String {
        ProviderText.make(extra: "userinfo: { supported: false }\nclaims: \(claims)\n")
    }

    @Test(
        "a provider without the endpoint is unsupported",
        arguments: [
            ProviderText.make(omit: ["userinfo_endpoint"]),
            ProviderText.make(extra: "userinfo: { supported: false }\n"),
            silent("{ source: userinfo, sub: id }"),
            silent("{ sub: userinfo.id }"),
            silent("{ sub: \"${userinfo.a}${claims.b}\" }"),
            """
            provider: q
            protocol: oauth2
            issuer: https://p.example
            authorization_endpoint: https://p.example/authorize
            token_endpoint: https://p.example/token
            claims: { sub: id }

            """,
        ])
    func unsupported(provider: String) async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.ask(), provider: provider), [Scripts.load()])
        #expect(run.outcomes(of: "userinfo") == ["unsupported"])
    }

    @Test(
        "what other answers say of the person is mapped where there is no endpoint",
        arguments: [
            ProviderText.make(
                omit: ["userinfo_endpoint"],
                extra:
                    "callback: { capture: { mail: { optional: true } } }\nclaims: { sub: sub, mail: callback.mail }\n"
            ),
            silent("{ source: id_token, sub: sub }"),
            silent("{ source: id_token }"),
            silent("{ sub: id_token.sub }"),
            silent("{ sub: \"${claims.sub}\" }"),
            silent("{ source: token, sub: [a, id_token.sub] }"),
        ])
    func withoutEndpoint(provider: String) async throws {
        let flow = FlowTexts.signIn(
            ["userinfo": "{ next: done }", "store": ""],
            extra: "outputs: { profile: json, subject: optional string }",
            ends: """
                  done: { result: success, outputs: { profile: "${steps.userinfo.profile}", subject: "${tokens.main.subject}" } }
                  failed: { result: failure }
                """)
        let run = await Conversation.run(
            try Compiled.plan(flow, provider: provider),
            try Scripts.untilTokens() + [try Scripts.keys(), Scripts.goodEnd])
        #expect(run.outcomes(of: "userinfo") == ["ok"])
        #expect(run.output("profile") == .json(["sub": "person-1"]))
        #expect(run.output("subject") == .string("person-1"))
    }

    @Test(
        "the person whom the flow expects is compared though nobody is asked",
        arguments: [("person-1", "ok"), ("person-2", "subject_mismatch")],
        ["supported: false", "when: \"false\""])
    func expectedUnasked(_ expected: (subject: String, outcome: String), asking: String) async throws {
        let flow = FlowTexts.signIn([
            "userinfo": "{ with: { expect_sub: \(expected.subject) }, next: done }", "store": "",
        ])
        let provider = ProviderText.make(extra: "userinfo: { \(asking) }\nclaims: { sub: id_token.sub }\n")
        let end = expected.outcome == "ok" ? Scripts.goodEnd : Scripts.badEnd
        let run = await Conversation.run(
            try Compiled.plan(flow, provider: provider),
            try Scripts.untilTokens() + [try Scripts.keys(), end])
        #expect(run.outcomes(of: "userinfo") == [expected.outcome])
    }

    // MARK: Further requests

    private static let profile = FlowTexts.flow(
        "  restore: { next: userinfo }\n  userinfo: { next: done }", start: "restore",
        extra: "outputs: { profile: json, subject: optional string }",
        ends: """
              done: { result: success, outputs: { profile: "${steps.userinfo.profile}", subject: "${tokens.main.subject}" } }
              failed: { result: failure }
            """)

    private static let session = StoredTokens().with {
        $0.issuer = "https://q.example"
        $0.subject = nil
    }

    @Test("a further request fills what the first answer lacks")
    func also() async throws {
        let emails = Answers.text(200, #"[{"email":"ada@example.com"}]"#)
        let script = [
            Scripts.load(Self.session), ScriptedEffect("http userinfo", Answers.json(200, ["id": 42])),
            ScriptedEffect("http userinfo", emails),
        ]
        let run = await Conversation.run(
            try Compiled.plan(Self.profile, provider: ProviderText.plain), script)
        #expect(run.output("profile") == .json(["sub": "42", "email": "ada@example.com"]))
        #expect(run.output("subject") == .string("42"))
        guard case .http(let exchange)? = run.performed.last?.effect else { return notFound() }
        #expect(exchange.request.url == "https://q.example/emails")
    }

    @Test("an answer that names nobody where the provider file says who, is warned about with what it has")
    func nobody() async throws {
        let answer = Answers.json(200, ["data": ["id": 42], "email": "first@example.com"])
        let run = await Conversation.run(
            try Compiled.plan(Self.profile, provider: ProviderText.plain),
            [Scripts.load(Self.session), ScriptedEffect("http userinfo", answer)])
        #expect(run.output("profile") == .json(["email": "first@example.com"]))
        #expect(
            run.events.warnings == [
                "nobody is named: claims.sub finds nothing in the answer, which has data, email"
            ])
    }

    @Test("and so it is where the provider file says nothing of it")
    func nobodyMapped() async throws {
        let provider = ProviderText.plain.replacing(
            "sub: { path: userinfo.id, type: string }", with: "name: id")
        let answer = Answers.json(200, ["data": ["id": 42], "email": "first@example.com"])
        let run = await Conversation.run(
            try Compiled.plan(Self.profile, provider: provider),
            [Scripts.load(Self.session), ScriptedEffect("http userinfo", answer)])
        #expect(
            run.events.warnings == [
                "nobody is named: the answer has no sub, and no claims of the provider's file say what stands for it: "
                    + "data, email"
            ])
    }

    @Test("and so it is where nobody is asked")
    func nobodyUnasked() async throws {
        let provider = ProviderText.plain.replacing("userinfo:\n", with: "userinfo:\n  supported: false\n")
            .replacing("sub: { path: userinfo.id, type: string }", with: "sub: token.user_id")
        let run = await Conversation.run(
            try Compiled.plan(Self.profile, provider: provider), [Scripts.load(Self.session)])
        #expect(run.events.warnings == ["nobody is named: claims.sub finds nothing in the answers"])
    }

    @Test(
        "an error in words of the provider's own is told",
        arguments: [
            (400, "malformed", "http_400"), (401, "unauthorized", "invalid_token"),
            (403, "insufficient_scope", "insufficient_scope"),
        ])
    func foreignError(status: Int, outcome: String, error: String) async throws {
        let answer = Answers.json(status, ["message": "Version is required"])
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.ask()), [Scripts.load(), ScriptedEffect("http userinfo", answer)])
        #expect(run.outcomes(of: "userinfo") == [outcome])
        #expect(run.lastEnd(of: "userinfo")?.error == error)
        #expect(run.lastEnd(of: "userinfo")?.description == "Version is required")
    }

    @Test("a further request whose condition does not hold is not made")
    func condition() async throws {
        let answer = Answers.json(200, ["id": 42, "email": "first@example.com"])
        let run = await Conversation.run(
            try Compiled.plan(Self.profile, provider: ProviderText.plain),
            [Scripts.load(Self.session), ScriptedEffect("http userinfo", answer)])
        #expect(run.output("profile") == .json(["sub": "42", "email": "first@example.com"]))
    }

    @Test(
        "a further request that is refused leaves a gap in the profile",
        arguments: [
            Answers.text(403, ""), Answers.text(404, ""), Answers.text(200, "<html>"),
        ])
    func gap(answer: InputEvent) async throws {
        let script = [
            Scripts.load(Self.session), ScriptedEffect("http userinfo", Answers.json(200, ["id": 42])),
            ScriptedEffect("http userinfo", answer),
        ]
        let run = await Conversation.run(
            try Compiled.plan(Self.profile, provider: ProviderText.plain), script)
        #expect(run.output("profile") == .json(["sub": "42"]))
        #expect(run.events.warnings.count == 1)
    }

    @Test("a further request that gets no answer is the step's trouble")
    func lost() async throws {
        let script = [
            Scripts.load(Self.session), ScriptedEffect("http userinfo", Answers.json(200, ["id": 42])),
            ScriptedEffect("http userinfo", Answers.lost(.notDelivered)),
        ]
        let run = await Conversation.run(
            try Compiled.plan(Self.profile, provider: ProviderText.plain), script)
        #expect(run.outcomes(of: "userinfo") == ["network"])
    }
}
