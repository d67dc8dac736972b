import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Synchronization
import Testing

/// That everything refused or let through for want of better is one event, whatever the step; that a security outcome
/// has exactly one is checked in every `Conversation`.
@Suite("Security events")
struct SecurityEventTests {
    private func events(
        _ script: [ScriptedEffect], provider: String = ProviderText.standard,
        flow: String = FlowTexts.signIn()
    ) async throws -> [SecurityEvent] {
        await Conversation.run(try Compiled.plan(flow, provider: provider), script).events.security
    }

    // MARK: Refused

    @Test("a failed check is told with its rule, its host, what was expected and what came, and no secret")
    func failedCheck() async throws {
        let found = try await events(
            Scripts.authorize + [Scripts.callback([("iss", "https://evil.example")]), Scripts.badEnd])
        let event = try #require(found.first)
        #expect(found.count == 1)
        #expect(event.severity == .critical)
        #expect(event.decision == .refused)
        #expect(event.check == Checks.iss)
        #expect(event.host == "p.example")
        #expect(
            event.evidence == [
                .init("expected", "https://p.example"), .init("found", "https://evil.example"),
            ])
    }

    @Test("the host is that of the endpoint whose answer failed")
    func host() async throws {
        let provider = ProviderText.make(
            omit: ["userinfo_endpoint"], extra: "userinfo_endpoint: https://api.example/me\n")
        let stranger = Answers.json(200, ["sub": "person-2"])
        let script =
            try Scripts.untilTokens() + [
                Scripts.keys(), ScriptedEffect("http userinfo", stranger), Scripts.badEnd,
            ]
        let found = try await events(script, provider: provider)
        #expect(found.map(\.check.name) == ["userinfo-sub"])
        #expect(found.map(\.host) == ["api.example"])
    }

    @Test("a key that is found when it is asked for once more is no event, one that is not is one")
    func refetch() async throws {
        let set = try #require(try TestKey.set(kid: "other").objectValue)
        let fetched = ScriptedEffect("http jwks", Answers.json(200, set))
        let keep = ScriptedEffect("keep keys")
        let start =
            try Scripts.untilTokens(Answers.signedIn(kid: "other")) + [
                Scripts.keys(age: 60_000), fetched, keep,
            ]
        let good = try await events(start + [Scripts.userinfo, Scripts.save, Scripts.goodEnd])
        #expect(good == [])
        let unknown =
            try Scripts.untilTokens(Answers.signedIn(kid: "third")) + [
                Scripts.keys(age: 60_000), fetched, keep,
            ]
        #expect(try await events(unknown + [Scripts.badEnd]).map(\.check.name) == ["kid"])
    }

    @Test(
        "another scope than was asked for is told after a code and after a refresh, and is no failure [rule 93]"
    )
    func scope() async throws {
        let token: JSONValue = .string(try TestKey.idToken([:], kid: TestKey.kid, nonce: Markers.nonce))
        let signIn = try Scripts.untilTokens(Answers.tokens(["id_token": token, "scope": "openid admin"]))
        let rest = [try Scripts.keys(), Scripts.userinfo, Scripts.save, Scripts.goodEnd]
        let refresh = [
            Scripts.load(.expired), ScriptedEffect("lock", .locked), Scripts.load(.expired),
            ScriptedEffect(
                "http refresh", Answers.renewed(["refresh_token": .null, "scope": "openid admin"])),
            Scripts.save, ScriptedEffect("unlock"),
        ]
        for (found, severity) in [
            (try await events(signIn + rest), SecurityEvent.Severity.info),
            (try await events(refresh, flow: FlowTexts.renew()), .warning),
        ] {
            let event = try #require(found.first)
            #expect(found.count == 1)
            #expect(event.check == Checks.scopeChange)
            #expect(event.severity == severity && event.decision == .allowed)
            #expect(event.host == "p.example")
            #expect(
                event.evidence == [.init("not granted", "email"), .init("granted unasked", "admin")])
        }
        #expect(try await events(Scripts.signIn()) == [])
    }

    @Test("a redirect is refused with the host that it names, and nothing else of it")
    func redirect() async throws {
        let moved = Answers.text(302, "", [HTTPField("Location", "https://x.example/?token=marker")])
        let found = try await events(
            Scripts.untilCode + [ScriptedEffect("http token", moved), Scripts.badEnd])
        #expect(found.map(\.check.name) == ["redirect"])
        #expect(
            found.first?.evidence == [
                .init("expected", "an answer of p.example"), .init("found", "302 to x.example"),
            ])
    }

    @Test(
        "a redirect on the same host says that it is one",
        arguments: ["https://p.example/token/?x=marker", "/token/?x=marker"])
    func redirectOnTheSameHost(location: String) async throws {
        let moved = Answers.text(302, "", [HTTPField("Location", location)])
        let found = try await events(
            Scripts.untilCode + [ScriptedEffect("http token", moved), Scripts.badEnd])
        #expect(found.first?.evidence.last == .init("found", "302 to another address of the same host"))
    }

    @Test("a provider without S256 is refused before anything is sent")
    func pkceMethod() async throws {
        let found = try await events(
            Scripts.discovered(["code_challenge_methods_supported": ["plain"]]),
            provider: ProviderText.discovered)
        #expect(found.map(\.check.name) == ["pkce-method"])
        #expect(found.first?.evidence.last == .init("found", "plain"))
    }

    // MARK: Let through

    @Test("what a descriptor relaxes is told once, as a warning, and the run goes on")
    func relaxed() async throws {
        let provider = ProviderText.standard.replacing(
            "authorization: { ", with: "authorization: { pkce: { mode: off }, ")
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: provider), try Scripts.signIn())
        #expect(run.end == "done")
        #expect(run.events.security.map(\.check.name) == ["pkce"])
        #expect(run.events.security.map(\.decision) == [.allowed])
        #expect(run.events.security.map(\.severity) == [.warning])
        #expect(
            run.events.checks.contains { if case .relaxed = $0.verdict { $0.name == "pkce" } else { false } })
    }

    @Test("a run with a provider that relaxes nothing has no event")
    func nothing() async throws {
        #expect(try await events(Scripts.signIn()) == [])
    }

    @Test("requests to this machine without TLS are told once, as information")
    func loopback() async throws {
        let provider = ProviderText.standard.replacing("https://p.example", with: "http://127.0.0.1:8080")
        let script = [
            Scripts.authorize[0], Scripts.authorize[1], Scripts.authorize[2],
            Scripts.callback([("iss", "http://127.0.0.1:8080")]),
            ScriptedEffect("http token", Answers.json(400, ["error": "invalid_grant"])), Scripts.badEnd,
        ]
        let found = try await events(script, provider: provider)
        #expect(found.map(\.check.name) == ["http"])
        #expect(found.map(\.severity) == [.info])
        #expect(found.map(\.host) == ["127.0.0.1"])
    }

    @Test("a rehearsal shows what the descriptor relaxes, and nothing fires")
    func rehearsal() async throws {
        let provider = ProviderText.standard.replacing(
            "authorization: { ", with: "authorization: { pkce: { mode: off }, ")
        for (text, expected) in [(provider, ["pkce"]), (ProviderText.standard, [])] {
            let recorder = EventRecorder()
            let plan = try Compiled.rehearsal(FlowTexts.signIn(), provider: text)
            _ = await FlowRun(plan: plan, handler: PlannedEffects(assumptions: []), sinks: [recorder]).run()
            #expect(recorder.events.security.map(\.check.name) == expected)
        }
    }

    @Test("a host that traces nothing is told all the same, and of no secret")
    func untraced() async throws {
        let told = Mutex<[SecurityEvent]>([])
        let script =
            Scripts.authorize + [
                // An answer that says its secrets again in what is shown of it.
                Scripts.callback([
                    ("code", Markers.code), ("state", Markers.state),
                    ("iss", "https://evil.example/\(Markers.code)/\(Markers.state)"),
                ]), Scripts.badEnd,
            ]
        let effects = ScriptedEffects(script, clock: ManualClock(), seed: 1, sourceLocation: #_sourceLocation)
        _ = await FlowRun(
            plan: try Compiled.plan(FlowTexts.signIn()), handler: effects, sinks: [],
            onSecurityEvent: { event in told.withLock { $0.append(event) } }
        ).run()
        effects.expectUsedUp()
        let events = told.withLock { $0 }
        #expect(events.map(\.check.name) == ["iss"])
        #expect("\(events)".contains("evil.example"))
        #expect(!"\(events)".contains(Markers.state))
        #expect(!"\(events)".contains(Markers.code))
    }
}
