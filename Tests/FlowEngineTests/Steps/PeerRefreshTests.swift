import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Other processes that are at the same session.
@Suite("refresh: peers")
struct PeerRefreshTests {
    private static let peer = StoredTokens().with {
        $0.accessToken = Markers.renewedToken
        $0.refreshToken = Markers.rotatedToken
    }

    @Test("a session that was ended while its lock was waited for is not refreshed [rule 144]")
    func ended() async throws {
        let script = [
            Scripts.load(.expired), RefreshScript.lock, ScriptedEffect("load session", .noSession),
            RefreshScript.unlock,
        ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        #expect(run.outcomes(of: "refresh") == ["absent"])
        #expect(run.outcome.problem?.error == "ended")
    }

    @Test(
        "a session that cannot be read again is not refreshed: its token may be spent, and it is kept [rule 144]",
        arguments: [
            InputEvent.storeFailed(reason: "no space"), .sessionCorrupt(reason: "no space"), .conflict,
            .session(StoredSession(bytes: Array("{}".utf8), generation: 8)),
        ])
    func unreadable(report: InputEvent) async throws {
        let script = [
            Scripts.load(.expired), RefreshScript.lock, ScriptedEffect("load session", report),
            RefreshScript.unlock,
        ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        #expect(run.outcome.errorCode == "store_failed")
        #expect(run.outcome.end.error?.message.hasPrefix("the session cannot be read again") == true)
        #expect(run.saved.isEmpty)
    }

    @Test("a peer's token of a short life is used too, while half of that is left [rule 144]")
    func shortLife() async throws {
        let rows: [(life: Int64, left: Int64, isSent: Bool)] = [
            (25_000, 13_000, false), (25_000, 12_000, true), (4_000, 3_000, false), (4_000, 2_000, true),
        ]
        for (life, left, isSent) in rows {
            let peer = Self.peer.with {
                $0.refreshedAt = ManualClock.start - (life - left)
                $0.expiresAt = ManualClock.start + left
            }
            let adopt =
                [
                    Scripts.load(.expired), RefreshScript.lock, Scripts.load(peer, generation: 8),
                    RefreshScript.unlock,
                ] + Scripts.replace
            let send = [
                Scripts.load(.expired), RefreshScript.lock, Scripts.load(peer, generation: 8),
                RefreshScript.send(Answers.renewed(["refresh_token": .null])),
                ScriptedEffect("save session", .saved(generation: 9)), RefreshScript.unlock,
            ]
            let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), isSent ? send : adopt)
            #expect(run.end == "done")
        }
    }

    @Test("what a peer renewed meanwhile is used, and nothing is sent [rule 144]")
    func peer() async throws {
        let flow = FlowTexts.renew(
            extra: "outputs: { source: string }",
            ends: """
                  done: { result: success, outputs: { source: "${steps.refresh.source}" } }
                  failed: { result: failure }
                """)
        let script =
            [
                Scripts.load(.expired), RefreshScript.lock, Scripts.load(Self.peer, generation: 8),
                RefreshScript.unlock,
            ] + Scripts.replace
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.output("source") == .string("peer"))
        #expect(run.saveConditions == [.generation(8)])
    }

    @Test("the ID token of a peer is kept and not verified once more: it is no answer of this run")
    func peerIDToken() async throws {
        let peer = Self.peer.with { $0.idToken = "header.payload.signature" }
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew()),
            [
                Scripts.load(.expired), RefreshScript.lock, Scripts.load(peer, generation: 8),
                RefreshScript.unlock,
            ] + Scripts.replace)
        #expect(run.lastEnd(of: "verify")?.outcome == "absent")
        #expect(
            run.lastEnd(of: "verify")?.description
                == "no ID token: a refresh may bring none (OIDC Core §12.2)")
        #expect(try JSON.parse(Array(run.saved[0].utf8))["id_token"] == "header.payload.signature")
    }

    @Test("what nobody has renewed meanwhile is renewed, however long the token is good")
    func ownSession() async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew()),
            [
                Scripts.load(), RefreshScript.lock, Scripts.load(),
                RefreshScript.send(Answers.renewed(["refresh_token": .null])), Scripts.save,
                RefreshScript.unlock,
            ])
        #expect(run.outcomes(of: "refresh") == ["ok"])
    }

    @Test(
        "a token in doubt is sent again where its provider lets it be used again, if it can be read [rule 143]",
        arguments: [
            (true, "single_use", "absent"), (false, "single_use", "absent"), (true, "reusable", "ok"),
            (false, "reusable", nil),
        ] as [(Bool, String, String?)])
    func doubtful(isReadable: Bool, rotation: String, outcome: String?) async throws {
        let bytes = isReadable ? StoredTokens.expired.bytes : Array("{}".utf8)
        let stored = StoredSession(bytes: bytes, generation: 7, isInDoubt: true)
        var script = [
            Scripts.load(.expired), RefreshScript.lock, ScriptedEffect("load session", .session(stored)),
        ]
        if outcome == "ok" {
            script += [RefreshScript.send(Answers.renewed(["refresh_token": .null])), Scripts.save]
        }
        let provider = ProviderText.make(refresh: "{ rotation: \(rotation) }")
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew(), provider: provider), script + [RefreshScript.unlock])
        #expect(run.outcomes(of: "refresh") == [outcome].compactMap(\.self))
        #expect(run.outcome.end.error?.code == (outcome == nil ? .storeFailed : nil))
        if outcome == "absent" { #expect(run.outcome.problem?.error == "in_doubt") }
    }

    @Test("a peer's rotated token is redeemed when its access token is dead too")
    func deadPeer() async throws {
        let dead = Self.peer.with { $0.expiresAt = 0 }
        let script = [
            Scripts.load(.expired), RefreshScript.lock, Scripts.load(dead, generation: 8),
            RefreshScript.send(Answers.renewed(["refresh_token": .null])),
            ScriptedEffect("save session", .saved(generation: 9)), RefreshScript.unlock,
        ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        let sent = run.performed.first { $0.name == "http refresh" }
        #expect(
            RefreshScript.body(sent).contains(
                "refresh_token=\(PercentEncoding.encodeForm(Markers.rotatedToken))"))
        #expect(run.saveConditions == [.generation(8)])
    }

    @Test("a peer's session without a refresh token leaves nothing to redeem")
    func peerWithoutToken() async throws {
        let dead = Self.peer.with {
            $0.refreshToken = nil
            $0.expiresAt = 0
        }
        let script = [
            Scripts.load(.expired), RefreshScript.lock, Scripts.load(dead, generation: 8),
            RefreshScript.unlock,
        ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        #expect(run.outcomes(of: "refresh") == ["absent"])
    }

    @Test("a peer's good token is used although no refresh token came with it")
    func goodWithoutToken() async throws {
        let last = Self.peer.with { $0.refreshToken = nil }
        let script = [
            Scripts.load(.expired), RefreshScript.lock, Scripts.load(last, generation: 8),
            RefreshScript.unlock,
        ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script + Scripts.replace)
        #expect(run.outcomes(of: "refresh") == ["ok"])
        #expect(!run.performed.contains { $0.name == "http refresh" })
    }

    @Test("nothing is stored in place of a session that a peer is renewing [rule 144]")
    func storeDuringRenewal() async throws {
        let flow = FlowTexts.stored("{ do: store, next: { ok: failed, conflict: done } }")
        let run = await Conversation.run(
            try Compiled.plan(flow),
            [Scripts.load(), ScriptedEffect("lock", .lockTimedOut(holder: "process 7"))])
        #expect(run.end == "done")
        #expect(run.saved == [])
    }

    @Test("no peer has the session between a refusal of its token and its end [rule 144]")
    func deadUnderLock() async throws {
        let flow = FlowTexts.renew([
            "refresh": "{ next: { ok: verify, invalid_grant: forget } }",
            "forget": "{ do: clear, next: failed }",
        ])
        let run = await Conversation.run(
            try Compiled.plan(flow),
            [
                Scripts.load(.expired), RefreshScript.lock, Scripts.load(.expired),
                RefreshScript.send(Answers.json(400, ["error": "invalid_grant"])),
                ScriptedEffect("delete session"), RefreshScript.unlock,
            ])
        #expect(run.outcomes(of: "forget") == ["ok"])
    }

    @Test("a peer that never lets go of the lock ends the run with status 9")
    func lockTimeout() async throws {
        let script = [
            Scripts.load(.expired),
            ScriptedEffect("lock", after: 10_000, .lockTimedOut(holder: "process 42")),
        ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        #expect(run.outcome.end.error?.code == .lockTimeout)
        #expect(run.outcome.exitStatus == 9)
        guard case .lock(_, let until)? = run.performed.last?.effect else { return notFound() }
        #expect(until == ManualClock.start + 10_000)
    }

    @Test("locks that cannot be used are the store's failure and no other process's")
    func lockUnusable() async throws {
        let script = [
            Scripts.load(.expired),
            ScriptedEffect("lock", .storeFailed(reason: "/state/locks: no file can be made in it")),
        ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        #expect(
            run.outcome.end.error
                == RunFailure(
                    .storeFailed, "the session cannot be locked: /state/locks: no file can be made in it"))
        #expect(run.outcome.exitStatus == 9)
    }

    @Test("a session that changed during the refresh is told and not overwritten")
    func conflict() async throws {
        let script =
            RefreshScript.untilSent + [
                RefreshScript.send(Answers.renewed()), ScriptedEffect("save session", .conflict),
                Scripts.load(Self.peer, generation: 8),
                ScriptedEffect("save session", .conflict), RefreshScript.unlock,
            ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        #expect(run.outcomes(of: "refresh") == ["ok"])
        #expect(run.outcomes(of: "store") == ["conflict"])
        #expect(run.saveConditions == [.generation(7), .generation(7)])
        #expect(run.events.warnings == ["another process changed the stored session during the refresh"])
    }

    private static let gone = ScriptedEffect("load session", .noSession)
    private static let revoked = ScriptedEffect("http revocation", Answers.text(200, ""))

    private func ending(_ script: [ScriptedEffect], provider: String = ProviderText.complete) async throws
        -> Conversation
    {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew(), provider: provider),
            RefreshScript.untilSent + script + [RefreshScript.unlock])
        #expect(run.outcomes(of: "refresh") == ["absent"])
        #expect(run.outcome.problem?.error == "ended")
        #expect(run.outcomes(of: "store") == [])
        return run
    }

    @Test("what a refresh brings of a session that was ended meanwhile is revoked, and not stored [rule 157]")
    func endedDuringRefresh() async throws {
        let run = try await ending([
            RefreshScript.send(Answers.renewed()), ScriptedEffect("save session", .conflict), Self.gone,
            Self.revoked, Self.revoked,
        ])
        let sent = run.performed.filter { $0.name == "http revocation" }
        #expect(
            RefreshScript.body(sent.first).contains(
                "token=\(PercentEncoding.encodeForm(Markers.rotatedToken))"))
        #expect(
            RefreshScript.body(sent.last).contains(
                "token=\(PercentEncoding.encodeForm(Markers.renewedToken))"))
    }

    @Test("a slow refresh that brings no new refresh token looks whether its session is there [rule 157]")
    func endedDuringSlowRefresh() async throws {
        let answer = Answers.renewed(["refresh_token": .null])
        let run = try await ending([
            RefreshScript.send(answer, after: 4_000), Self.gone, Self.revoked, Self.revoked,
        ])
        let sent = run.performed.filter { $0.name == "http revocation" }
        #expect(
            RefreshScript.body(sent.last).contains(
                "token=\(PercentEncoding.encodeForm(Markers.renewedToken))"))
        let kept = await Conversation.run(
            try Compiled.plan(FlowTexts.renew()),
            RefreshScript.untilSent + [
                RefreshScript.send(answer, after: 4_000), Scripts.load(.expired),
                ScriptedEffect("save session", .saved(generation: 8)), RefreshScript.unlock,
            ])
        #expect(kept.end == "done")
        #expect(kept.events.warnings == [])
    }

    @Test("tokens of an ended session that cannot be revoked are told, and not handed out either")
    func endedUnrevoked() async throws {
        let run = try await ending([
            RefreshScript.send(Answers.renewed()), ScriptedEffect("save session", .conflict), Self.gone,
            ScriptedEffect("http revocation", Answers.text(503, "")),
            ScriptedEffect("http revocation", Answers.text(503, "")),
        ])
        #expect(
            run.events.warnings.contains { $0.hasPrefix("the tokens that the refresh has brought are not") })
        let other = try await ending(
            [
                RefreshScript.send(Answers.renewed()), ScriptedEffect("save session", .conflict), Self.gone,
            ], provider: ProviderText.make())
        #expect(
            other.events.warnings == [
                "the tokens that the refresh has brought are not revoked: "
                    + "the provider names no revocation_endpoint"
            ])
    }

    @Test(
        "a store that fails does not lose the new tokens of this run",
        arguments: [InputEvent.storeFailed(reason: "disk full"), .sessionCorrupt(reason: "disk full")])
    func storeFailed(report: InputEvent) async throws {
        let script =
            RefreshScript.untilSent + [
                RefreshScript.send(Answers.renewed()), ScriptedEffect("save session", report),
                ScriptedEffect("save session", .saved(generation: 8)), RefreshScript.unlock,
            ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        #expect(run.events.warnings == ["the rotated refresh token could not be stored yet: disk full"])
        #expect(run.saveConditions == [.generation(7), .generation(7)])
    }
}
