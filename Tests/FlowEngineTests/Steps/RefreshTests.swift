import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

@Suite("refresh")
struct RefreshTests {
    static let lock = ScriptedEffect("lock", .locked)
    static let unlock = ScriptedEffect("unlock")

    static func send(_ answer: InputEvent, after: Int64 = 0) -> ScriptedEffect {
        ScriptedEffect("http refresh", after: after, answer)
    }

    static let untilSent = [Scripts.load(.expired), lock, Scripts.load(.expired)]

    func body(_ request: EffectRequest?) -> Set<String> {
        guard case .http(let exchange)? = request?.effect else { return [] }
        return Set(
            String(decoding: exchange.request.body ?? [], as: UTF8.self).split(separator: "&").map(
                String.init))
    }

    @Test("locks, reads again, redeems, writes the rotated token, stores the rest, unlocks: in this order")
    func order() async throws {
        let script =
            Self.untilSent + [
                Self.send(Answers.renewed()), ScriptedEffect("save session", .saved(generation: 8)),
                ScriptedEffect("save session", .saved(generation: 9)), Self.unlock,
            ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        #expect(run.outcomes(of: "refresh") == ["ok"])
        let sent = run.performed.first { $0.name == "http refresh" }
        #expect(
            body(sent) == [
                "grant_type=refresh_token",
                "refresh_token=\(PercentEncoding.encodeForm(Markers.refreshToken))",
            ])
    }

    @Test(
        "until store, the stored session holds the new refresh token and an access token that counts as expired [rules 142, 143]"
    )
    func rotation() async throws {
        let script =
            Self.untilSent + [
                Self.send(Answers.renewed()), ScriptedEffect("save session", .saved(generation: 8)),
                ScriptedEffect("save session", .saved(generation: 9)), Self.unlock,
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
            Self.untilSent + [
                Self.send(Answers.renewed(change)), ScriptedEffect("save session", .saved(generation: 8)),
                Self.unlock,
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
            Scripts.load(session), Self.lock, Scripts.load(session), Self.send(Answers.renewed()),
            ScriptedEffect("save session", .saved(generation: 8)),
            ScriptedEffect("save session", .saved(generation: 9)), Self.unlock,
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
            Self.untilSent + [
                Self.send(Answers.renewed(["refresh_token": member])),
                ScriptedEffect("save session", .saved(generation: 8)), Self.unlock,
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
            Self.untilSent + [
                Self.send(Answers.renewed(["refresh_token": .null])),
                ScriptedEffect("save session", .saved(generation: 8)), Self.unlock,
            ]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew(), provider: provider), script)
        #expect(try JSON.parse(Array(run.saved[0].utf8))["refresh_token"] == nil)
    }

    // MARK: Less than everything

    private static let narrow = FlowTexts.renew([
        "restore":
            "{ with: { scopes: \"${['email']}\", narrow: true }, next: { ok: refresh, expired: refresh } }"
    ])

    @Test(
        "a token for less is asked for by the same refresh token, and the whole stays beside it (RFC 6749 §6)"
    )
    func narrowed() async throws {
        let script = [
            Scripts.load(), Self.lock, Scripts.load(),
            Self.send(Answers.renewed(["scope": "email"])),
            ScriptedEffect("save session", .saved(generation: 8)),
            ScriptedEffect("save session", .saved(generation: 9)), Self.unlock,
        ]
        let run = await Conversation.run(try Compiled.plan(Self.narrow), script)
        #expect(body(run.performed.first { $0.name == "http refresh" }).contains("scope=email"))
        let rotated = try JSON.parse(Array(run.saved[0].utf8))
        #expect(rotated["refresh_token"]?.stringValue == Markers.rotatedToken)
        for saved in [rotated, try JSON.parse(Array(run.saved[1].utf8))] {
            #expect(saved["access_token"]?.stringValue == Markers.accessToken)
            #expect(saved["expires_at"]?.intValue == ManualClock.start + 3_600_000)
            #expect(saved["scopes"] == ["openid", "email"])
        }
        let held = try #require(try JSON.parse(Array(run.saved[1].utf8))["held"]?.arrayValue)
        #expect(held.map { $0["access_token"]?.stringValue } == [Markers.renewedToken])
        #expect(held.map { $0["asked"] } == [["email"]])
        #expect(rotated["held"] == nil)
    }

    @Test("the arguments of refresh go before what the session was restored for, in their own order")
    func arguments() async throws {
        let flow = FlowTexts.renew([
            "refresh": "{ with: { scopes: \"${['openid', 'email']}\", resource: "
                + "\"${['https://b.example/', 'https://a.example/']}\" }, next: verify }"
        ])
        let script =
            Self.untilSent + [
                Self.send(Answers.renewed(["refresh_token": .null])),
                ScriptedEffect("save session", .saved(generation: 8)), Self.unlock,
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
            Scripts.load(.expired), Self.lock, Scripts.load(peer, generation: 8),
            Self.send(Answers.renewed(["refresh_token": .null, "scope": "email"])),
            ScriptedEffect("save session", .saved(generation: 9)), Self.unlock,
        ]
        var run = await Conversation.run(try Compiled.plan(Self.narrow), send)
        // The peer's refresh token, not the one that it has used up.
        #expect(
            body(run.performed.first { $0.name == "http refresh" })
                .contains("refresh_token=\(PercentEncoding.encodeForm(Markers.rotatedToken))"))
        let both = peer.with {
            $0.held = [.both.with { $0.asked = ["email"] }]
        }
        let adopt =
            [
                Scripts.load(.expired), Self.lock, Scripts.load(both, generation: 8), Self.unlock,
            ] + Scripts.replace
        run = await Conversation.run(try Compiled.plan(Self.narrow), adopt)
        #expect(!run.performed.contains { $0.name == "http refresh" })
    }

    @Test("a refresh that brings no ID token leaves the stored one, which signing out needs")
    func keptIDToken() async throws {
        let session = StoredTokens.expired.with { $0.idToken = "header.payload.signature" }
        let script = [
            Scripts.load(session), Self.lock, Scripts.load(session), Self.send(Answers.renewed()),
            ScriptedEffect("save session", .saved(generation: 8)),
            ScriptedEffect("save session", .saved(generation: 9)), Self.unlock,
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
                    Scripts.load(.expired), Self.lock, ScriptedEffect("load session", .session(again)),
                    Self.unlock,
                ])
            #expect(refreshed.outcomes(of: "refresh") == ["absent"])
        }
    }

    // MARK: Hooks

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
            Scripts.load(.expired), Self.lock, Scripts.load(.expired), Self.send(Answers.renewed()),
            ScriptedEffect("hook h", answer), ScriptedEffect("save session", .saved(generation: 8)),
            Self.unlock,
        ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.saveConditions == [.generation(7)])
        let kept = try JSON.parse(Array(run.saved[0].utf8))
        #expect(kept["refresh_token"]?.stringValue == Markers.rotatedToken)
        #expect(kept["access_token"]?.stringValue != Markers.renewedToken)
        #expect(!run.outcome.isSuccess)
    }

    // MARK: Outcomes

    private static func error(_ status: Int, _ code: String) -> InputEvent {
        Answers.json(status, ["error": .string(code)])
    }

    static let cases = [
        Case("a dead token", error(400, "invalid_grant"), "invalid_grant"),
        Case("a refused client", error(401, "invalid_client"), "invalid_client"),
        Case("another error", error(400, "invalid_scope"), "rejected"),
        Case("429", Answers.text(429, ""), "rate_limited"),
        Case("503", Answers.text(503, ""), "server_error"),
        Case("502", Answers.text(502, ""), "unanswered"), Case("504", Answers.text(504, ""), "unanswered"),
        Case("no JSON", Answers.text(200, "?"), "unanswered", error: "unreadable"),
        Case("a member twice", Answers.text(200, #"{"a":1,"a":2}"#), "unanswered", error: "unreadable"),
        Case("nothing", Answers.text(204, ""), "unanswered", error: "unreadable"),
        Case(
            "too much", Answers.lost(.perhapsDelivered, cause: "too_large"), "unanswered", error: "unreadable"
        ),
        Case("never sent", Answers.lost(.notDelivered), "network"),
        Case("perhaps sent", Answers.lost(.perhapsDelivered), "unanswered"),
    ]

    @Test("tells what became of the refresh token, and unlocks whatever it is", arguments: cases)
    func outcomes(_ given: Case) async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew()), Self.untilSent + [Self.send(given.event), Self.unlock])
        #expect(run.outcomes(of: "refresh") == [given.outcome])
        if let error = given.error { #expect(run.lastEnd(of: "refresh")?.error == error) }
    }

    @Test(
        "where tokens are reusable a lost answer is mere trouble of the network",
        arguments: [
            Case("perhaps sent", Answers.lost(.perhapsDelivered), "network"),
            Case("502", Answers.text(502, ""), "server_error"),
        ])
    func reusable(_ given: Case) async throws {
        let provider = ProviderText.make(refresh: "{ rotation: reusable }")
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew(), provider: provider),
            Self.untilSent + [Self.send(given.event), Self.unlock])
        #expect(run.outcomes(of: "refresh") == [given.outcome])
    }

    @Test("a provider whose file says that it renews nothing is asked for nothing, and the file is named")
    func unsupported() async throws {
        let provider = ProviderText.make(refresh: "{ supported: false }")
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew(), provider: provider), [Scripts.load()])
        #expect(run.outcomes(of: "refresh") == ["absent"])
        #expect(
            run.lastEnd(of: "refresh")?.description
                == "the file of Provider P says that it renews no tokens (refresh.supported)")
    }

    @Test("without a refresh token nothing is locked, read or sent")
    func absent() async throws {
        let session = StoredTokens().with { $0.refreshToken = nil }
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), [Scripts.load(session)])
        #expect(run.outcomes(of: "refresh") == ["absent"])
    }

    @Test("asks for narrower scopes when the flow says so")
    func narrower() async throws {
        let flow = FlowTexts.renew(["refresh": "{ with: { scopes: \"${['openid']}\" }, next: verify }"])
        let script =
            Self.untilSent + [
                Self.send(Answers.renewed(["refresh_token": .null, "scope": "openid"])),
                Scripts.save, Self.unlock,
            ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(body(run.performed.first { $0.name == "http refresh" }).contains("scope=openid"))
        #expect(
            try JSON.parse(Array(run.saved[0].utf8))["held"]?.arrayValue?.map { $0["scopes"] } == [["openid"]]
        )
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
                Self.send(Answers.renewed()), Scripts.userinfo, Scripts.save, Scripts.goodEnd,
            ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.outcomes(of: "refresh") == ["ok"])
        #expect(run.saveConditions == [.always])
    }

    @Test("a peer may have the session as soon as it is stored")
    func release() async throws {
        let stored = FlowTexts.renew(["store": "{ next: ask }", "ask": "{ do: userinfo, next: done }"])
        let script =
            Self.untilSent + [
                Self.send(Answers.renewed(["refresh_token": .null])), Scripts.save, Self.unlock,
                Scripts.userinfo,
            ]
        #expect(await Conversation.run(try Compiled.plan(stored), script).end == "done")
    }

    // MARK: A run that stops in the middle

    @Test("a run that is cancelled while the token is under way gives up the lock")
    func cancelled() async throws {
        let run = await Conversation.run(
            try Compiled.plan(FlowTexts.renew()), Self.untilSent + [Self.send(.cancelled()), Self.unlock])
        #expect(run.end == "cancelled")
        #expect(run.outcome.exitStatus == 130)
    }

    @Test("whether a request that nobody waited for was sent decides if its token is spent")
    func openFate() async throws {
        let request = try await sentRequest()
        #expect(request.isLeftOpen(by: .cancelled(delivery: .perhapsDelivered)))
        #expect(!request.isLeftOpen(by: .cancelled(delivery: .notDelivered)))
        let coded = InputCoding.decode(InputCoding.encode(.cancelled(delivery: .perhapsDelivered)))
        #expect(coded.map { request.isLeftOpen(by: $0) } == true)
    }

    @Test(
        "an answer that nobody can read leaves open whether the token is spent",
        arguments: [
            (Answers.text(200, "<html>"), true), (Answers.text(200, ""), true), (Answers.text(204, ""), true),
            (Answers.text(302, ""), true), (Answers.text(502, ""), true),
            (Answers.renewed(), false), (Answers.renewed(["access_token": .null]), false),
            (Answers.json(200, ["error": "invalid_grant"]), false), (Answers.text(400, "no"), false),
            (Answers.text(503, ""), false),
        ])
    func unreadable(_ answer: InputEvent, isOpen: Bool) async throws {
        #expect(try await sentRequest().isLeftOpen(by: answer) == isOpen)
    }

    private func sentRequest() async throws -> EffectRequest {
        let script = Self.untilSent + [Self.send(.cancelled()), Self.unlock]
        let run = await Conversation.run(try Compiled.plan(FlowTexts.renew()), script)
        return try #require(run.performed.first { $0.name == "http refresh" })
    }

    @Test("a run that is late while it waits gives up the lock")
    func late() async throws {
        let flow = FlowTexts.renew(extra: "limits: { deadline: 1m }")
        let script = [Scripts.load(.expired), ScriptedEffect("lock", after: 61_000, .locked), Self.unlock]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(run.outcome.end.error?.code == .deadline)
    }

    @Test("a rotated token that comes late is kept all the same")
    func lateAnswer() async throws {
        let flow = FlowTexts.renew(extra: "limits: { deadline: 1m }")
        let script =
            Self.untilSent + [
                Self.send(Answers.renewed(), after: 61_000),
                ScriptedEffect("save session", .saved(generation: 8)), Self.unlock,
            ]
        let run = await Conversation.run(try Compiled.plan(flow), script)
        #expect(
            try JSON.parse(Array(run.saved[0].utf8))["refresh_token"]?.stringValue == Markers.rotatedToken)
        #expect(run.outcomes(of: "refresh") == ["ok"])
        #expect(run.outcome.end.error?.code == .deadline)
    }

    @Test("a cancelled task still writes the rotated token, tells the hooks at the end, and unlocks")
    func cancelledTask() async throws {
        let answer = Answers.renewed(["id_token": .string(try TestKey.idToken(nonce: nil))])
        let flow = FlowTexts.renew(extra: "hooks: [ { id: last, at: flow.end, native: { name: last } } ]")
        let script =
            Self.untilSent + [
                ScriptedEffect("http refresh") { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return answer
                }, ScriptedEffect("save session", .saved(generation: 8)),
                ScriptedEffect("hook last", .hook(HookReply())), Self.unlock,
            ]
        let plan = try Compiled.plan(flow)
        let run = await Task { await Conversation.run(plan, script) }.value
        #expect(run.end == "cancelled")
        #expect(run.saved.count == 1)
    }

    @Test("a cancelled task still asks the hooks of the answer, so that the rotated token is kept")
    func cancelledBeforeHooks() async throws {
        let flow = FlowTexts.renew(
            extra: "hooks: [ { id: look, at: step.response, steps: [refresh], native: { name: look } } ]")
        let script =
            Self.untilSent + [
                ScriptedEffect("http refresh") { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return Answers.renewed()
                }, ScriptedEffect("hook look", .hook(HookReply())),
                ScriptedEffect("save session", .saved(generation: 8)),
                ScriptedEffect("save session", .saved(generation: 9)), Self.unlock,
            ]
        let plan = try Compiled.plan(flow)
        let run = await Task { await Conversation.run(plan, script) }.value
        #expect(run.saveConditions == [.generation(7), .generation(8)])
    }

    @Test("what a cancelled run has renewed and need not verify is still stored")
    func cancelledStore() async throws {
        let script =
            Self.untilSent + [
                ScriptedEffect("http refresh") { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return Answers.renewed()
                }, ScriptedEffect("save session", .saved(generation: 8)),
                ScriptedEffect("save session", .saved(generation: 9)), Self.unlock,
            ]
        let plan = try Compiled.plan(FlowTexts.renew())
        let run = await Task { await Conversation.run(plan, script) }.value
        #expect(run.end == "done")
        #expect(run.saveConditions == [.generation(7), .generation(8)])
    }
}
