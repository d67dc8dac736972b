import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("refresh")
struct RefreshTests {
    @Test("locks, reads again, redeems, writes the rotated token, stores the rest, unlocks: in this order")
    func order() async throws {
        let script =
            RefreshScript.untilSent + [
                RefreshScript.send(Answers.renewed()), ScriptedEffect("save session", .saved(generation: 8)),
                ScriptedEffect("save session", .saved(generation: 9)), RefreshScript.unlock,
            ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        #expect(run.outcomes(of: "refresh") == ["ok"])
        let sent = run.performed.first { $0.name == "http refresh" }
        #expect(
            RefreshScript.body(sent) == [
                "grant_type=refresh_token",
                "refresh_token=\(PercentEncoding.encodeForm(Markers.refreshToken))",
            ])
    }

    @Test("a refresh token whose time is over is not sent, whoever stored it")
    func over() async throws {
        let over = StoredTokens.expired.with { $0.refreshExpiresAt = ManualClock.start }
        let restored = await Conversation.run(try Compiled.plan(FlowTexts.renew()), [Scripts.load(over)])
        #expect(restored.outcomes(of: "restore") == ["unrefreshable"])
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew()),
            [
                Scripts.load(.expired), RefreshScript.lock, Scripts.load(over, generation: 8),
                RefreshScript.unlock,
            ])
        #expect(run.outcomes(of: "refresh") == ["absent"])
        #expect(run.outcome.problem?.error == "refresh_ended")
        let last = StoredTokens.expired.with { $0.refreshExpiresAt = ManualClock.start + 1 }
        let asked = await Conversation.run(
            try Compiled.plan(FlowTexts.renew()),
            [
                Scripts.load(last), RefreshScript.lock, Scripts.load(last),
                RefreshScript.send(Answers.json(400, ["error": "invalid_grant"])), RefreshScript.unlock,
            ])
        #expect(asked.outcomes(of: "refresh") == ["invalid_grant"])
    }

    @Test(
        "the end of the refresh token is stored as the answer says, and stays where it brings no other token",
        arguments: [
            (["refresh_token_expires_in": 60], ManualClock.start + 60_000),
            (["refresh_token_expires_in": .null], nil),
            (["refresh_token": .null], ManualClock.start + 5_000),
            (["refresh_token": .string(Markers.refreshToken)], ManualClock.start + 5_000),
            (["refresh_token": .null, "refresh_expires_in": 90], ManualClock.start + 90_000),
        ] as [(JSONObject, Int64?)])
    func end(change: JSONObject, end: Int64?) async throws {
        let stored = StoredTokens.expired.with { $0.refreshExpiresAt = ManualClock.start + 5_000 }
        let keepsToken = change["refresh_token"] != nil
        let script =
            [Scripts.load(stored), RefreshScript.lock, Scripts.load(stored)] + [
                RefreshScript.send(Answers.renewed(change))
            ] + (keepsToken ? [] : [ScriptedEffect("save session", .saved(generation: 8))]) + [
                ScriptedEffect("save session", .saved(generation: 9)), RefreshScript.unlock,
            ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        #expect(run.outcomes(of: "refresh") == ["ok"])
        for saved in run.saved {
            #expect(try JSON.parse(Array(saved.utf8))["refresh_expires_at"]?.intValue == end)
        }
    }

    @Test(
        "until store, the stored session holds the new refresh token and an access token that counts as expired [rules 142, 143]"
    )
    func rotation() async throws {
        let script =
            RefreshScript.untilSent + [
                RefreshScript.send(Answers.renewed()), ScriptedEffect("save session", .saved(generation: 8)),
                ScriptedEffect("save session", .saved(generation: 9)), RefreshScript.unlock,
            ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        #expect(run.saveConditions == [.generation(7), .generation(8)])
        let rotated = try JSON.parse(Array(run.saved[0].utf8))
        #expect(rotated["refresh_token"]?.stringValue == Markers.rotatedToken)
        #expect(rotated["access_token"]?.stringValue == Markers.accessToken)
        #expect(rotated["expires_at"]?.intValue == 0)
        #expect(rotated["subject"]?.stringValue == "person-1")
        let stored = try JSON.parse(Array(run.saved[1].utf8))
        #expect(stored["refresh_token"]?.stringValue == Markers.rotatedToken)
        #expect(stored["access_token"]?.stringValue == Markers.renewedToken)
        #expect(stored["expires_at"]?.intValue == ManualClock.start + 3_600_000)
        #expect(stored["refreshed_at"]?.intValue == ManualClock.start)
    }

    @Test(
        "an answer that is refused leaves its refresh token in the store, and nothing else [rules 142, 149]",
        arguments: [
            ["expires_in": "x"], ["scope": 5], ["token_type": "mac"], ["access_token": .null],
        ] as [JSONObject])
    func refused(_ change: JSONObject) async throws {
        let script =
            RefreshScript.untilSent + [
                RefreshScript.send(Answers.renewed(change)),
                ScriptedEffect("save session", .saved(generation: 8)),
                RefreshScript.unlock,
            ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        #expect(run.outcomes(of: "refresh") != ["ok"])
        #expect(run.saveConditions == [.generation(7)])
        let kept = try JSON.parse(Array(run.saved[0].utf8))
        #expect(kept["refresh_token"]?.stringValue == Markers.rotatedToken)
        #expect(kept["access_token"]?.stringValue == Markers.accessToken)
    }

    @Test("what was noted with the session, and the name it was stored under, survive a rotation and a store")
    func noted() async throws {
        let session = StoredTokens.expired.with {
            $0.meta = ["profile": ["name": "Ada"]]
            $0.key = "mail"
        }
        let flow = FlowTexts.renew([
            "restore": "{ with: { key: mail }, next: { ok: refresh, expired: refresh } }",
            "store": "{ with: { key: mail }, next: done }",
        ])
        let script = [
            Scripts.load(session), RefreshScript.lock, Scripts.load(session),
            RefreshScript.send(Answers.renewed()),
            ScriptedEffect("save session", .saved(generation: 8)),
            ScriptedEffect("save session", .saved(generation: 9)), RefreshScript.unlock,
        ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        for saved in run.saved {
            let record = try JSON.parse(Array(saved.utf8))
            #expect(record["meta"] == ["profile": ["name": "Ada"]])
            #expect(record["key"]?.stringValue == "mail")
        }
        #expect(run.saved.count == 2)
    }

    @Test(
        "a token that was not replaced is not written [rule 142]",
        arguments: [JSONValue.null, .string(Markers.refreshToken)])
    func notRotated(member: JSONValue) async throws {
        let script =
            RefreshScript.untilSent + [
                RefreshScript.send(Answers.renewed(["refresh_token": member])),
                ScriptedEffect("save session", .saved(generation: 8)), RefreshScript.unlock,
            ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        #expect(run.saveConditions == [.generation(7)])
        #expect(
            try JSON.parse(Array(run.saved[0].utf8))["refresh_token"]?.stringValue == Markers.refreshToken)
    }

    @Test("a provider that drops the old token without naming a new one leaves none")
    func dropped() async throws {
        let provider = ProviderText.make(refresh: "{ on_missing_refresh_token: drop }")
        let script =
            RefreshScript.untilSent + [
                RefreshScript.send(Answers.renewed(["refresh_token": .null])),
                ScriptedEffect("save session", .saved(generation: 8)), RefreshScript.unlock,
            ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew(), provider: provider), script)
        #expect(try JSON.parse(Array(run.saved[0].utf8))["refresh_token"] == nil)
    }

    @Test(
        "what the provider's file keeps of an answer stays until another answer says it anew",
        arguments: [(nil, "a"), ("b", "b")] as [(JSONValue?, JSONValue)])
    func kept(member: JSONValue?, value: JSONValue) async throws {
        let provider = ProviderText.make(extra: "token: { response: { keep: [area, more] } }\n")
        let first = Answers.tokens(["id_token": .string(try TestKey.idToken()), "area": "a", "more": 1])
        let signIn = await Conversation.run(
            try Compiled.plan(FlowTexts.signIn(), provider: provider),
            try Scripts.untilTokens(first) + [
                Scripts.keys(), Scripts.userinfo, Scripts.save, Scripts.goodEnd,
            ])
        let saved = Array(try #require(signIn.saved.first).utf8)
        #expect(try JSON.parse(saved)["kept"] == ["area": "a", "more": 1])
        let load = ScriptedEffect("load session", .session(StoredSession(bytes: saved, generation: 1)))
        let answer = Answers.renewed(["refresh_token": .null, "area": member ?? .null])
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew(), provider: provider),
            [
                load, RefreshScript.lock, load, RefreshScript.send(answer), Scripts.save,
                RefreshScript.unlock,
            ])
        let kept = try JSON.parse(Array(run.saved[0].utf8))["kept"]
        #expect(kept == ["area": value, "more": 1])
    }

    @Test("a subject that nobody has proven is not proven by a refresh")
    func asserted() async throws {
        var session = try #require(try JSON.parse(StoredTokens.expired.bytes).objectValue)
        session["subject_asserted"] = true
        let load = ScriptedEffect(
            "load session", .session(StoredSession(bytes: session.serializedBytes, generation: 7)))
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew()),
            [
                load, RefreshScript.lock, load, RefreshScript.send(Answers.renewed(["refresh_token": .null])),
                Scripts.save, RefreshScript.unlock,
            ])
        #expect(try JSON.parse(Array(run.saved[0].utf8))["subject_asserted"] == true)
    }

    @Test("a refresh that brings no ID token leaves the stored one, which signing out needs")
    func keptIDToken() async throws {
        let session = StoredTokens.expired.with { $0.idToken = "header.payload.signature" }
        let script = [
            Scripts.load(session), RefreshScript.lock, Scripts.load(session),
            RefreshScript.send(Answers.renewed()),
            ScriptedEffect("save session", .saved(generation: 8)),
            ScriptedEffect("save session", .saved(generation: 9)), RefreshScript.unlock,
        ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        #expect(run.outcomes(of: "verify") == ["absent"])
        for saved in run.saved {
            #expect(
                try JSON.parse(Array(saved.utf8))["id_token"]?.stringValue == "header.payload.signature")
        }
    }

    @Test(
        "a session in doubt that is written anew stays in doubt, so that its token is revoked and never redeemed [rule 143]"
    )
    func doubtful() async throws {
        let flow = FlowTexts.stored("{ do: store, next: done }")
        for isInDoubt in [false, true] {
            let stored = StoredSession(bytes: StoredTokens().bytes, generation: 7, isInDoubt: isInDoubt)
            let run = await Conversation.run(
                try Compiled.plan(flow),
                [ScriptedEffect("load session", .session(stored))] + Scripts.replace)
            let saved = try JSON.parse(Array(run.saved[0].utf8))
            #expect(saved["access_token"]?.stringValue == Markers.accessToken)
            #expect(saved["refresh_token"]?.stringValue == Markers.refreshToken)
            #expect((saved["in_doubt"] == true) == isInDoubt)
            let summary = try #require(SessionRecord.summary(Array(run.saved[0].utf8)))
            #expect(summary.isInDoubt == isInDoubt)
            guard isInDoubt else { continue }
            let again = StoredSession(bytes: Array(run.saved[0].utf8), generation: 8)
            let refreshed = await Conversation.run(
                try Compiled.plan(FlowTexts.renew()),
                [
                    Scripts.load(.expired), RefreshScript.lock,
                    ScriptedEffect("load session", .session(again)),
                    RefreshScript.unlock,
                ])
            #expect(refreshed.outcomes(of: "refresh") == ["absent"])
        }
    }

    @Test(
        "what a hook does not let the step read is kept all the same [rule 143]",
        arguments: ["abort", "cancel"])
    func rescuedFromHook(way: String) async throws {
        let flow = FlowTexts.renew(
            extra: "hooks: [{ id: h, at: step.response, steps: [refresh], native: { name: h } }]")
        let answer =
            way == "cancel"
            ? InputEvent.cancelled() : .hook(HookReply.failed("it fell over"))
        let script = [
            Scripts.load(.expired), RefreshScript.lock, Scripts.load(.expired),
            RefreshScript.send(Answers.renewed()),
            ScriptedEffect("hook h", answer), ScriptedEffect("save session", .saved(generation: 8)),
            RefreshScript.unlock,
        ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.saveConditions == [.generation(7)])
        let kept = try JSON.parse(Array(run.saved[0].utf8))
        #expect(kept["refresh_token"]?.stringValue == Markers.rotatedToken)
        #expect(kept["access_token"]?.stringValue != Markers.renewedToken)
        #expect(!run.outcome.isSuccess)
    }

    @Test("tokens that were never stored are renewed without a lock")
    func unstored() async throws {
        let flow = FlowTexts.signIn([
            "userinfo": "{ next: { ok: store, unauthorized: [ { to: refresh, max: 1 }, failed ] } }",
            "refresh": "{ next: again }",
            "again": "{ do: verify_id_token, next: { ok: userinfo, absent: userinfo } }",
        ])
        let script =
            try Scripts.untilTokens() + [
                Scripts.keys(), ScriptedEffect("http userinfo", Answers.text(401, "")),
                RefreshScript.send(Answers.renewed()), Scripts.userinfo, Scripts.save, Scripts.goodEnd,
            ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.outcomes(of: "refresh") == ["ok"])
        #expect(run.saveConditions == [.always])
    }

    @Test("an answer that is refused and repeats the refresh token changes nothing in the store [rule 142]")
    func refusedRepetition() async throws {
        let answer = Answers.tokens(["token_type": "mac"])
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew()),
            RefreshScript.untilSent + [RefreshScript.send(answer), RefreshScript.unlock])
        #expect(run.outcomes(of: "refresh") == ["insecure"])
    }

    @Test("a second refresh in a row has the lock already")
    func twice() async throws {
        let flow = FlowTexts.renew(["refresh": "{ next: again }", "again": "{ do: refresh, next: verify }"])
        let answer = Answers.renewed(["refresh_token": .null])
        let run = await Conversation.run(
            try Compiled.plan(flow),
            RefreshScript.untilSent + [
                RefreshScript.send(answer), RefreshScript.send(answer), Scripts.save, RefreshScript.unlock,
            ])
        #expect(run.end == "done")
    }

    @Test("a peer may have the session as soon as it is stored")
    func release() async throws {
        let stored = FlowTexts.renew(["store": "{ next: ask }", "ask": "{ do: userinfo, next: done }"])
        let script =
            RefreshScript.untilSent + [
                RefreshScript.send(Answers.renewed(["refresh_token": .null])), Scripts.save,
                RefreshScript.unlock,
                Scripts.userinfo,
            ]
        #expect(await Conversation.run(try Compiled.plan(stored), script).end == "done")
    }
}
