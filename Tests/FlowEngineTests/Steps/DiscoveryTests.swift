import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("Metadata")
struct DiscoveryTests {
    private static let discover = FlowTexts.flow(
        "  discover: { next: done }", start: "discover",
        extra: "outputs: { source: string, token: optional json }",
        ends: """
              done:
                result: success
                outputs: { source: "${steps.discover.source}", token: "${get(steps.discover.endpoints, '/token_endpoint')}" }
              failed: { result: failure }
            """)

    private static let nothingKept = ScriptedEffect("recall metadata", .nothingKept)
    private static let keep = ScriptedEffect("keep metadata")

    private static func fetch(_ answer: InputEvent) -> ScriptedEffect {
        ScriptedEffect("http discovery", answer)
    }

    private static let url = "https://p.example/.well-known/openid-configuration"

    /// - Parameter fresh: Milliseconds from now on.
    private static func kept(
        age: Int64, fresh: Int64 = 1, tag: String? = nil, url: String = Self.url
    ) throws -> ScriptedEffect {
        var log = CheckLog()
        guard case .answered(let response, _) = Answers.metadata() else { return nothingKept }
        let metadata = try DiscoveredMetadata.validate(
            response, issuer: "https://p.example", acceptedIssuers: [], log: &log)
        return ScriptedEffect(
            "recall metadata",
            .metadata(
                metadata,
                DocumentOrigin(
                    url: url, fetchedAt: ManualClock.start - age, freshUntil: ManualClock.start + fresh,
                    entityTag: tag)))
    }

    private func run(
        _ flow: String, _ script: [ScriptedEffect], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws
        -> Conversation
    {
        await Conversation.run(
            try Compiled.plan(flow, provider: ProviderText.discovered), script, sourceLocation: sourceLocation
        )
    }

    @Test("discover fetches, checks and keeps the document")
    func fetched() async throws {
        let run = try await run(Self.discover, [Self.nothingKept, Self.fetch(Answers.metadata()), Self.keep])
        #expect(run.output("source") == .string("network"))
        #expect(run.output("token") == .json("https://p.example/token_endpoint"))
        guard case .http(let exchange) = run.performed[1].effect else { return notFound() }
        #expect(exchange.request.url == "https://p.example/.well-known/openid-configuration")
    }

    @Test(
        "the second well-known place is asked where the first knows nothing", arguments: [404, 401, 405, 400])
    func secondPlace(_ status: Int) async throws {
        let script = [
            Self.nothingKept, Self.fetch(Answers.text(status, "")), Self.fetch(Answers.metadata()), Self.keep,
        ]
        let run = await Conversation.run(
            try Compiled.plan(Self.discover, provider: ProviderText.located), script)
        #expect(run.output("source") == .string("network"))
        #expect(
            run.events.requests.map(\.endpoint) == [
                "https://p.example/.well-known/openid-configuration",
                "https://p.example/.well-known/oauth-authorization-server",
            ])
    }

    @Test("a kept copy serves for a day")
    func kept() async throws {
        let run = try await run(Self.discover, [try Self.kept(age: 86_399_999)])
        #expect(run.output("source") == .string("cache"))
    }

    @Test("an older copy is fetched again")
    func old() async throws {
        let run = try await run(
            Self.discover, [try Self.kept(age: 86_400_000), Self.fetch(Answers.metadata()), Self.keep])
        #expect(run.output("source") == .string("network"))
    }

    @Test("a copy is fetched again as soon as the server's own time for it is over [rule 25]")
    func notFresh() async throws {
        let run = try await run(
            Self.discover, [try Self.kept(age: 1, fresh: 0), Self.fetch(Answers.metadata()), Self.keep])
        #expect(run.output("source") == .string("network"))
    }

    @Test("the server is asked whether a copy still holds, and kept copies are renewed by its no")
    func revalidated() async throws {
        let unchanged = InputEvent.answered(
            HTTPResponse(status: 304, fields: [HTTPField("Cache-Control", "max-age=600")]), nil)
        let run = try await run(
            Self.discover, [try Self.kept(age: 1, fresh: 0, tag: "\"a\""), Self.fetch(unchanged), Self.keep])
        #expect(run.output("source") == .string("revalidated"))
        guard case .http(let exchange) = run.performed[1].effect else { return notFound() }
        #expect(exchange.plan.fields.last?.name == "If-None-Match")
        guard case .keepMetadata(_, _, let origin, let body) = run.performed[2].effect else {
            return notFound()
        }
        #expect(body == nil)
        #expect(
            origin
                == DocumentOrigin(
                    url: Self.url, fetchedAt: ManualClock.start, freshUntil: ManualClock.start + 600_000,
                    entityTag: "\"a\""))
    }

    @Test(
        "304 without a condition is no document, and a copy from elsewhere makes no condition",
        arguments: [(nil, url), ("\"a\"", "https://p.example/elsewhere")] as [(String?, String)])
    func unasked(tag: String?, url: String) async throws {
        let unchanged = InputEvent.answered(HTTPResponse(status: 304), nil)
        let run = try await run(
            Self.discover, [try Self.kept(age: 1, fresh: 0, tag: tag, url: url), Self.fetch(unchanged)])
        #expect(run.outcomes(of: "discover") == ["malformed"])
        guard case .http(let exchange) = run.performed[1].effect else { return notFound() }
        #expect(!exchange.plan.fields.contains { $0.name == "If-None-Match" })
    }

    @Test(
        "an older copy serves while the provider is away",
        arguments: [Answers.lost(.notDelivered), Answers.text(503, ""), Answers.text(429, "")])
    func stale(answer: InputEvent) async throws {
        let run = try await run(Self.discover, [try Self.kept(age: 86_400_000), Self.fetch(answer)])
        #expect(run.output("source") == .string("stale"))
        #expect(run.events.warnings == ["the provider's metadata cannot be fetched: an older copy is used"])
    }

    @Test("a flow that wants no older copy gets none")
    func notStale() async throws {
        let flow = FlowTexts.flow(
            "  discover: { with: { allow_stale: false }, next: done }", start: "discover")
        let run = try await run(flow, [try Self.kept(age: 86_400_000), Self.fetch(Answers.text(503, ""))])
        #expect(run.outcomes(of: "discover") == ["server_error"])
    }

    @Test("an older copy never stands in for a document that fails a check")
    func forgedNotStale() async throws {
        let run = try await run(
            Self.discover,
            [
                try Self.kept(age: 86_400_000),
                Self.fetch(Answers.metadata(["issuer": "https://evil.example"])),
            ])
        #expect(run.outcomes(of: "discover") == ["issuer_mismatch"])
    }

    @Test("nor when the connection was refused for safety: that ends the run, past every route")
    func refusedNotStale() async throws {
        let refusal = InputEvent.unanswered(
            TransportTrouble(
                delivery: .notDelivered, cause: "tls_pin", message: "no pin matches", isRefusal: true))
        let run = try await run(Self.discover, [try Self.kept(age: 86_400_000), Self.fetch(refusal)])
        #expect(run.outcome.end.error == RunFailure(.transportRefused, "no pin matches"))
        #expect(run.outcome.exitStatus == 7)
    }

    private static let insecure = Answers.metadata(["token_endpoint": "http://p.example/token"])
    private static let forged = Answers.metadata(["issuer": "https://evil.example"])

    static let cases = [
        Case("another issuer", forged, "issuer_mismatch", error: "metadata-issuer"),
        Case("no issuer", Answers.metadata(["issuer": .null]), "issuer_mismatch"),
        Case("an endpoint without TLS", insecure, "insecure"),
        Case("no JSON", Answers.text(200, "<html>"), "malformed"),
        Case("404", Answers.text(404, ""), "not_found"),
        Case("429", Answers.text(429, ""), "rate_limited"),
        Case("500", Answers.text(500, ""), "server_error"),
        Case("502", Answers.text(502, ""), "server_error"),
        Case("never sent", Answers.lost(.notDelivered), "network"),
        Case("perhaps sent", Answers.lost(.perhapsDelivered), "network"),
    ]

    @Test("discover tells what is wrong with the document", arguments: cases)
    func outcomes(_ given: Case) async throws {
        let run = try await run(Self.discover, [Self.nothingKept, Self.fetch(given.event)])
        #expect(run.outcomes(of: "discover") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "discover")?.error == error) }
    }

    @Test("what the descriptor says needs no document")
    func declared() async throws {
        let run = await Conversation.run(try Compiled.plan(Self.discover), [])
        #expect(run.output("source") == .string("descriptor"))
    }

    // MARK: In the steps that need it

    @Test("authorize fetches the document once, and the later steps of the run use it")
    func once() async throws {
        let script =
            try [Self.nothingKept, Self.fetch(Answers.metadata()), Self.keep] + Scripts.signIn()
        let run = try await run(FlowTexts.signIn(), script)
        #expect(run.end == "done")
        guard case .http(let exchange)? = run.performed.first(where: { $0.name == "http token" })?.effect
        else { return notFound() }
        #expect(exchange.request.url == "https://p.example/token_endpoint")
    }

    @Test("a token endpoint that only the document knows is looked up before anybody is asked")
    func tokenEndpoint() async throws {
        let provider = ProviderText.discovered + "authorization_endpoint: https://p.example/authorize\n"
        let script = try [Self.nothingKept, Self.fetch(Answers.metadata()), Self.keep] + Scripts.signIn()
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn(), provider: provider), script)
        #expect(run.end == "done")
        #expect(
            run.events.requests.first { $0.purpose == "authorization" }?.endpoint
                == "https://p.example/authorize")
    }

    @Test("a member that the descriptor replaces or removes may be as wrong as it likes in the document")
    func amended() async throws {
        let provider =
            ProviderText.discovered + """
                token_endpoint: https://p.example/right
                userinfo_endpoint:
                scopes_supported: null

                """
        let document = Answers.metadata(["token_endpoint": "http://p.example/wrong", "scopes_supported": 7])
        let script =
            try [Self.nothingKept, Self.fetch(document), Self.keep] + Scripts.untilTokens() + [
                try Scripts.keys(), Scripts.save, Scripts.goodEnd,
            ]
        let flow = FlowTexts.signIn([
            "verify": "{ do: verify_id_token, next: { ok: store, absent: store } }", "userinfo": "",
        ])
        let run = await Conversation.run(try Compiled.plan(flow, provider: provider), script)
        #expect(run.end == "done")
        #expect(
            run.events.requests.first { $0.purpose == "token" }?.endpoint == "https://p.example/right")
        guard case .keepMetadata(let kept, _, let origin, _) = run.performed[2].effect else {
            return notFound()
        }
        #expect(kept.fields.userinfoEndpoint == nil)
        #expect(kept.amended == ["token_endpoint", "userinfo_endpoint", "scopes_supported"])
        // A journal makes the checks again, without what was not checked.
        let coded = InputCoding.encode(.metadata(kept, origin))
        guard case .metadata(let again, _) = InputCoding.decode(coded) else { return notFound() }
        #expect(again == kept)
    }

    @Test("plain OAuth 2.0 with the address of its metadata fetches it for what the file does not say")
    func plain() async throws {
        let provider = """
            provider: q
            protocol: oauth2
            issuer: https://p.example
            server_metadata_url: https://p.example/.well-known/openid-configuration
            client: { token_endpoint_auth_method: client_secret_post }
            authorization: { scope: [read] }

            """
        let script = [Self.nothingKept, Self.fetch(Answers.metadata()), Self.keep]
        let run = await Conversation.run(try Compiled.plan(Self.discover, provider: provider), script)
        #expect(run.output("source") == .string("network"))
    }

    struct Implicit: Sendable, CustomTestStringConvertible {
        let step: String
        let given: Case

        var testDescription: String { "\(step), \(given)" }
    }

    static let implicitCases =
        ["authorize", "userinfo", "refresh"].flatMap { step in
            [
                Implicit(step: step, given: Case("another issuer", forged, "metadata_untrusted")),
                Implicit(step: step, given: Case("an endpoint without TLS", insecure, "metadata_untrusted")),
                Implicit(
                    step: step,
                    given: Case("404", Answers.text(404, ""), step == "refresh" ? "rejected" : "unsupported")),
                Implicit(step: step, given: Case("500", Answers.text(500, ""), "server_error")),
                Implicit(step: step, given: Case("429", Answers.text(429, ""), "rate_limited")),
                Implicit(step: step, given: Case("never sent", Answers.lost(.notDelivered), "network")),
                Implicit(step: step, given: Case("no JSON", Answers.text(200, "?"), "malformed")),
            ]
        }

    @Test(
        "a step that needs the document ends with its own outcome when there is none",
        arguments: implicitCases)
    func implicit(_ implicit: Implicit) async throws {
        let flows = [
            "authorize": FlowTexts.signIn(), "userinfo": FlowTexts.ask(), "refresh": FlowTexts.renew(),
        ]
        let flow = try #require(flows[implicit.step])
        let before = implicit.step == "authorize" ? [] : [Scripts.load(.expired.with { $0.expiresAt = nil })]
        let run = try await run(flow, before + [Self.nothingKept, Self.fetch(implicit.given.event)])
        #expect(run.outcomes(of: implicit.step) == [implicit.given.outcome])
    }

    static let keyCases = [
        Case("another issuer", forged, "metadata_untrusted"),
        Case("404", Answers.text(404, ""), "keys_unavailable"),
        Case("500", Answers.text(500, ""), "keys_unavailable"),
        Case("never sent", Answers.lost(.notDelivered), "keys_unavailable"),
        Case("no JSON", Answers.text(200, "?"), "malformed"),
    ]

    @Test("verify_id_token believes nothing when the document cannot be trusted", arguments: keyCases)
    func keys(_ given: Case) async throws {
        let provider =
            ProviderText.discovered + """
                authorization_endpoint: https://p.example/authorize
                token_endpoint: https://p.example/token

                """
        let script = try Scripts.untilTokens() + [Self.nothingKept, Self.fetch(given.event), Scripts.badEnd]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.signIn(), provider: provider), script)
        #expect(run.outcomes(of: "verify") == [given.outcome])
    }
}
