import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("logout")
struct LogoutTests {
    private static let random = ScriptedEffect(
        "randomness", .randomness(Array(Markers.randomness.prefix(32))))
    private static let shown = ScriptedEffect("present", .presented(how: ""))
    private static let opened = ScriptedEffect(
        "open redirect", .redirectOpened(uri: "http://127.0.0.1:5000/callback"))
    private static let waiting = "{ do: logout, with: { await_return: true, timeout: 30s }, next: done }"

    private func run(
        _ step: String, _ script: [ScriptedEffect], provider: String = ProviderText.complete
    ) async throws -> Conversation {
        await Conversation.run(
            try Compiled.plan(FlowTexts.stored(step), provider: provider), [Scripts.load()] + script)
    }

    @Test("without an address to come back to, the browser is only sent there")
    func plain() async throws {
        let run = try await run("{ do: logout, next: done }", [Self.shown])
        #expect(run.outcomes(of: "work") == ["ok"])
        guard case .present(let presentation)? = run.performed.last?.effect else { return notFound() }
        #expect(presentation.url == "https://p.example/logout?client_id=client-1")
        #expect(presentation.state == nil)
    }

    @Test("an address to come back to is sent with a state [rule 160]")
    func redirect() async throws {
        let step = """
            { do: logout, with: { post_logout_redirect: "https://app.example/bye", present: emit }, next: done }
            """
        let run = try await run(step, [Self.random, Self.shown])
        #expect(run.outcomes(of: "work") == ["ok"])
        guard case .present(let presentation)? = run.performed.last?.effect else { return notFound() }
        #expect(presentation.plan.query.map(\.name) == ["client_id", "post_logout_redirect_uri", "state"])
        #expect(presentation.means == .emit)
    }

    @Test("the browser that comes back with this run's state ends the wait")
    func returned() async throws {
        let script = [
            Self.opened, Self.random, Self.shown,
            ScriptedEffect("await callback", .callback([("state", Markers.state)], channel: "loopback")),
            Scripts.goodEnd,
        ]
        let run = try await run(Self.waiting, script)
        #expect(run.outcomes(of: "work") == ["ok"])
        guard case .awaitCallback(let wait) = run.performed[4].effect else { return notFound() }
        #expect(wait.until == ManualClock.start + 30_000)
    }

    static let returns = [
        Case(
            "another state", .callback([("state", "other")], channel: "loopback"), "state_mismatch",
            error: "logout-state"),
        Case("no state", .callback([], channel: "loopback"), "state_mismatch", error: "logout-state"),
        Case("only other states", .callbackTimedOut(refused: 1), "state_mismatch", error: "logout-state"),
        Case("nobody", .callbackTimedOut(refused: 0), "timeout"),
        Case("a person who gives up", .callbackCancelled, "cancelled"),
    ]

    @Test("tells how the browser did not come back", arguments: returns)
    func missing(_ given: Case) async throws {
        let script = [
            Self.opened, Self.random, Self.shown, ScriptedEffect("await callback", given.event),
            Scripts.badEnd,
        ]
        let run = try await run(Self.waiting, script)
        #expect(run.outcomes(of: "work") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "work")?.error == error) }
    }

    @Test("where nobody can be shown an address, the outcome says so")
    func headless() async throws {
        let run = try await run(
            "{ do: logout, next: done }", [ScriptedEffect("present", .headless(reason: "no browser"))])
        #expect(run.outcomes(of: "work") == ["headless"])
    }

    @Test("an address that cannot be listened on, and a provider without the endpoint, are unsupported")
    func unsupported() async throws {
        let failed = ScriptedEffect("open redirect", .redirectFailed(reason: "taken"))
        let taken = try await run(Self.waiting, [failed, Scripts.badEnd])
        #expect(taken.outcomes(of: "work") == ["unsupported"])
        let none = try await run("{ do: logout, next: done }", [], provider: ProviderText.standard)
        #expect(none.outcomes(of: "work") == ["unsupported"])
    }

    @Test("metadata of another issuer is told apart, unreachable metadata is not")
    func metadata() async throws {
        for (answer, outcome) in [
            (Answers.metadata(["issuer": "https://other.example"]), "metadata_untrusted"),
            (Answers.lost(.notDelivered), "unsupported"),
        ] {
            let script = [
                ScriptedEffect("recall metadata", .nothingKept), ScriptedEffect("http discovery", answer),
            ]
            let run = try await run("{ do: logout, next: done }", script, provider: ProviderText.discovered)
            #expect(run.outcomes(of: "work") == [outcome])
        }
    }
}
