import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("refresh: less than everything")
struct NarrowerRefreshTests {
    private static let narrow = FlowTexts.renew([
        "restore":
            "{ with: { scopes: \"${['email']}\", narrow: true }, next: { ok: refresh, expired: refresh } }"
    ])

    @Test(
        "a token for less is asked for by the same refresh token, and the whole stays beside it (RFC 6749 §6)"
    )
    func narrowed() async throws {
        let script = [
            Scripts.load(), RefreshScript.lock, Scripts.load(),
            RefreshScript.send(Answers.renewed(["scope": "email"])),
            ScriptedEffect("save session", .saved(generation: 8)),
            ScriptedEffect("save session", .saved(generation: 9)), RefreshScript.unlock,
        ]
        let run = await Conversation.run(try Compiled.plan(Self.narrow), script)
        #expect(RefreshScript.body(run.performed.first { $0.name == "http refresh" }).contains("scope=email"))
        let rotated = try JSON.parse(Array(run.saved[0].utf8))
        #expect(rotated["refresh_token"]?.stringValue == Markers.rotatedToken)
        for saved in [rotated, try JSON.parse(Array(run.saved[1].utf8))] {
            #expect(saved["access_token"]?.stringValue == Markers.accessToken)
            #expect(saved["expires_at"]?.intValue == ManualClock.start + 3_600_000)
            #expect(saved["scopes"] == ["openid", "email"])
            #expect(saved["granted"] == nil, "the whole is what it was")
        }
        let held = try #require(try JSON.parse(Array(run.saved[1].utf8))["held"]?.arrayValue)
        #expect(held.map { $0["access_token"]?.stringValue } == [Markers.renewedToken])
        #expect(held.map { $0["asked"] } == [["email"]])
        #expect(rotated["held"] == nil)
    }

    @Test("it takes the place of the one before it, and those past their time are gone")
    func replaced() async throws {
        let session = StoredTokens().with {
            $0.held = [
                StoredTokens.HeldToken.both.with { $0.asked = ["email"] },
                StoredTokens.HeldToken.api.with { $0.expiresAt = ManualClock.start },
            ]
        }
        let answer = Answers.renewed(["scope": "email", "refresh_token": .null])
        let run = await Conversation.run(
            try Compiled.plan(Self.narrow),
            [
                Scripts.load(session), RefreshScript.lock, Scripts.load(session), RefreshScript.send(answer),
                ScriptedEffect("save session", .saved(generation: 8)), RefreshScript.unlock,
            ])
        let held = try #require(try JSON.parse(Array(run.saved[0].utf8))["held"]?.arrayValue)
        #expect(held.map { $0["access_token"]?.stringValue } == [Markers.renewedToken])
    }

    @Test("a whole that can do less than before is all that is left of the grant")
    func lessThanBefore() async throws {
        let answer = Answers.renewed(["scope": "openid", "refresh_token": .null])
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew()),
            RefreshScript.untilSent + [
                RefreshScript.send(answer), ScriptedEffect("save session", .saved(generation: 8)),
                RefreshScript.unlock,
            ])
        let saved = try JSON.parse(Array(run.saved[0].utf8))
        #expect(saved["scopes"] == ["openid"] && saved["granted"] == nil)
        #expect(run.events.security.contains { $0.summary.contains("refresh: {narrow: false}") })
    }

    @Test("it is not asked for where the session would lose the rest with it")
    func lasting() async throws {
        let provider = ProviderText.make(refresh: "{ narrow: false }")
        let less = await Conversation.run(
            try Compiled.plan(Self.narrow, provider: provider), [Scripts.load(.expired)])
        #expect(less.outcomes(of: "refresh") == ["rejected"])
        let end = less.lastEnd(of: "refresh")
        #expect(end?.error == "narrowing")
        #expect(end?.description == "the session would lose openid for good, so it is not asked for")
        let all = FlowTexts.renew([
            "refresh": "{ with: { scopes: \"${['email', 'openid']}\" }, next: verify }"
        ])
        let run = await Conversation.run(
            try Compiled.plan(all, provider: provider),
            RefreshScript.untilSent + [
                RefreshScript.send(Answers.renewed(["refresh_token": .null])),
                ScriptedEffect("save session", .saved(generation: 8)), RefreshScript.unlock,
            ])
        #expect(run.outcomes(of: "refresh") == ["ok"])
    }

    @Test("asks for narrower scopes when the flow says so")
    func narrower() async throws {
        let flow = FlowTexts.renew(["refresh": "{ with: { scopes: \"${['openid']}\" }, next: verify }"])
        let script =
            RefreshScript.untilSent + [
                RefreshScript.send(Answers.renewed(["refresh_token": .null, "scope": "openid"])),
                Scripts.save, RefreshScript.unlock,
            ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(
            RefreshScript.body(run.performed.first { $0.name == "http refresh" }).contains("scope=openid"))
        #expect(
            try JSON.parse(Array(run.saved[0].utf8))["held"]?.arrayValue?.map { $0["scopes"] } == [["openid"]]
        )
    }

    @Test("the arguments of refresh go before what the session was restored for, in their own order")
    func arguments() async throws {
        let flow = FlowTexts.renew([
            "refresh": "{ with: { scopes: \"${['openid', 'email']}\", resource: "
                + "\"${['https://b.example/', 'https://a.example/']}\" }, next: verify }"
        ])
        let script =
            RefreshScript.untilSent + [
                RefreshScript.send(Answers.renewed(["refresh_token": .null])),
                ScriptedEffect("save session", .saved(generation: 8)), RefreshScript.unlock,
            ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        guard case .http(let exchange)? = run.performed.first(where: { $0.name == "http refresh" })?.effect
        else { throw Missing() }
        let sent = String(decoding: exchange.request.body ?? [], as: UTF8.self)
        #expect(sent.contains("scope=openid+email"))
        #expect(sent.contains("resource=https%3A%2F%2Fb.example%2F&resource=https%3A%2F%2Fa.example%2F"))
        let held = try JSON.parse(Array(run.saved[0].utf8))["held"]?.arrayValue?.first
        #expect(held?["resources"] == ["https://a.example/", "https://b.example/"])
    }

    private struct Missing: Error {}

    @Test("what a peer renewed is used only when it is the token that is wanted")
    func otherPeer() async throws {
        let peer = StoredTokens().with {
            $0.accessToken = Markers.renewedToken
            $0.refreshToken = Markers.rotatedToken
        }
        let send = [
            Scripts.load(.expired), RefreshScript.lock, Scripts.load(peer, generation: 8),
            RefreshScript.send(Answers.renewed(["refresh_token": .null, "scope": "email"])),
            ScriptedEffect("save session", .saved(generation: 9)), RefreshScript.unlock,
        ]
        var run = await Conversation.run(try Compiled.plan(Self.narrow), send)
        // The peer's refresh token, not the one that it has used up.
        #expect(
            RefreshScript.body(run.performed.first { $0.name == "http refresh" })
                .contains("refresh_token=\(PercentEncoding.encodeForm(Markers.rotatedToken))"))
        let both = peer.with {
            $0.held = [.both.with { $0.asked = ["email"] }]
        }
        let adopt =
            [
                Scripts.load(.expired), RefreshScript.lock, Scripts.load(both, generation: 8),
                RefreshScript.unlock,
            ] + Scripts.replace
        run = await Conversation.run(try Compiled.plan(Self.narrow), adopt)
        #expect(!run.performed.contains { $0.name == "http refresh" })
    }
}
