import FlowEngine
import FlowLanguage
import JOSE
import OAuthProtocol
import Testing

@testable import FlowLive

@Suite("sessions across runs")
struct SessionTests {
    /// Signs in and gives the stored session.
    private func signIn(_ provider: RecordingProvider, _ folder: ScratchFolder) async throws -> JSONValue {
        let ended = try await LiveRun(provider, folder).run()
        #expect(
            ended.path == [
                "restore=absent", "authorize=ok", "callback=ok", "exchange=ok", "verify=ok", "userinfo=ok",
                "store=ok",
            ])
        #expect(ended.exit == 0)
        #expect(ended.pages.map(\.title) == ["You are signed in to flowrun sandbox"])
        return try #require(try await StoredSessions.all(folder).first)
    }

    @Test("a second run restores the session and opens no browser")
    func restore() async throws {
        let provider = try RecordingProvider()
        let folder = ScratchFolder()
        _ = try await signIn(provider, folder)
        let second = try await LiveRun(provider, folder).run()
        #expect(second.path == ["restore=ok", "userinfo=ok", "store=ok"])
        #expect(second.exit == 0)
        #expect(second.pages.isEmpty)
        #expect(provider.hits("/authorize").count == 1)
        #expect(provider.hits("/token").count == 1)
    }

    @Test("an expired session is refreshed once, and its new refresh token serves the next run")
    func refresh() async throws {
        let provider = try RecordingProvider(["access:expires=30"])
        let folder = ScratchFolder()
        let first = try await signIn(provider, folder)
        var tokens = [try #require(first["refresh_token"]?.stringValue)]
        for _ in 0..<2 {
            let ended = try await LiveRun(provider, folder).run()
            #expect(ended.path == ["restore=expired", "refresh=ok", "verify=ok", "userinfo=ok", "store=ok"])
            #expect(ended.exit == 0)
            let session = try #require(try await StoredSessions.all(folder).first)
            tokens.append(try #require(session["refresh_token"]?.stringValue))
        }
        #expect(Set(tokens).count == 3)
        #expect(provider.grants("refresh_token").map { $0.value("refresh_token") } == [tokens[0], tokens[1]])
        #expect(provider.hits("/authorize").count == 1)
    }

    @Test("an access token that the provider refuses is refreshed once [rule 140]")
    func refusedAccessToken() async throws {
        let provider = try RecordingProvider(["userinfo:invalid_token@2"])
        let folder = ScratchFolder()
        _ = try await signIn(provider, folder)
        let ended = try await LiveRun(provider, folder).run()
        #expect(
            ended.path == [
                "restore=ok", "userinfo=unauthorized", "refresh=ok", "verify=ok", "userinfo=ok", "store=ok",
            ])
        #expect(ended.exit == 0)
        #expect(provider.grants("refresh_token").count == 1)
    }

    @Test("a refresh token that was used by somebody else is forgotten, and the person is asked [rule 147]")
    func reuse() async throws {
        let provider = try RecordingProvider(["access:expires=30"])
        let (folder, thief) = (ScratchFolder(), ScratchFolder())
        _ = try await signIn(provider, folder)
        _ = try await signIn(provider, thief)
        // Somebody uses the stored token outside of this machine.
        let stolen = try #require(try await StoredSessions.all(folder).first?["refresh_token"]?.stringValue)
        let transport = CurlTransport(loop: try CurlLoop())
        let form = "grant_type=refresh_token&client_id=flowrun-sandbox&refresh_token=\(stolen)"
        let answer = await transport.send(
            HTTPRequest(
                method: .post, url: provider.issuer + "/token",
                fields: [HTTPField("Content-Type", FormBody.contentType)], body: Array(form.utf8)))
        #expect(try answer.get().status == 200)
        transport.loop.shutDown()

        let ended = try await LiveRun(provider, folder).run()
        #expect(
            ended.path.prefix(4) == ["restore=expired", "refresh=invalid_grant", "clear=ok", "authorize=ok"])
        #expect(ended.exit == 0)
        #expect(ended.failedChecks == ["token-status"])
        // The other session is another grant: it lives on.
        #expect(try await LiveRun(provider, thief).run().path.prefix(2) == ["restore=expired", "refresh=ok"])
    }

    @Test("an unanswered refresh token is never sent again")
    func unansweredRefresh() async throws {
        let provider = try RecordingProvider(["access:expires=30", "refresh:close"])
        let folder = ScratchFolder()
        _ = try await signIn(provider, folder)
        let ended = try await LiveRun(provider, folder).run()
        #expect(
            ended.path.prefix(4) == ["restore=expired", "refresh=unanswered", "clear=ok", "authorize=ok"])
        #expect(ended.retries.isEmpty)
        #expect(provider.grants("refresh_token").count == 1)
    }

    @Test(
        "a rotated refresh token is stored although what follows fails [rule 149]",
        arguments: [
            (["idtoken:signature=bad@2"], "verify=signature_invalid", 7),
            (["userinfo:html@2"], "userinfo=malformed", 6),
            (["jwks:500@2", "jwks:500@3", "jwks:500@4"], "verify=keys_unavailable", 8),
        ])
    func rotatedTokenSurvives(_ faults: [String], _ outcome: String, _ exit: Int) async throws {
        let provider = try RecordingProvider(["access:expires=30"] + faults)
        let folder = ScratchFolder()
        let before = try await signIn(provider, folder)
        let ended = try await LiveRun(provider, folder).run()
        #expect(ended.path.last == outcome)
        #expect(ended.exit == exit)
        let after = try #require(try await StoredSessions.all(folder).first)
        #expect(after["refresh_token"] != before["refresh_token"])
        // The access token that nobody verified is not there.
        #expect(after["access_token"] == before["access_token"])
        let next = try await LiveRun(provider, folder).run()
        #expect(next.path.prefix(2) == ["restore=expired", "refresh=ok"])
        #expect(next.exit == 0)
        #expect(provider.hits("/authorize").count == 1)
    }

    @Test("a rotated refresh token is stored although the run is cancelled at that moment")
    func rotatedTokenSurvivesCancellation() async throws {
        let provider = try RecordingProvider(["access:expires=30"])
        let folder = ScratchFolder()
        let before = try await signIn(provider, folder)
        var run = LiveRun(provider, folder)
        run.wrap = { CancelledRefresh(effects: $0, isBeforeAnswer: false) }
        let cancelled = run
        let ended = try await Task { try await cancelled.run() }.value
        #expect(ended.path == ["restore=expired", "refresh=ok"])
        #expect(ended.outcome.errorCode == "cancelled")
        #expect(ended.exit == 130)
        let after = try #require(try await StoredSessions.all(folder).first)
        #expect(after["refresh_token"] != before["refresh_token"])
        #expect(
            try await LiveRun(provider, folder).run().path.prefix(2) == ["restore=expired", "refresh=ok"])
    }

    @Test("a run that is cancelled while its refresh token is on the way waits for the answer, and keeps it")
    func patience() async throws {
        let provider = try RecordingProvider(["access:expires=30"])
        let folder = ScratchFolder()
        let before = try await signIn(provider, folder)
        var run = LiveRun(provider, folder)
        run.wrap = { CancelledRefresh(effects: $0, isBeforeAnswer: true) }
        let cancelled = run
        let ended = try await Task { try await cancelled.run() }.value
        #expect(ended.path == ["restore=expired", "refresh=ok"])
        #expect(ended.exit == 130)
        #expect(ended.events.contains { if case .waiting = $0.body { true } else { false } })
        let after = try #require(try await StoredSessions.all(folder).first)
        #expect(after["refresh_token"] != before["refresh_token"])
    }

    @Test("several runs refresh one expired session at once: the provider sees one refresh, all succeed")
    func together() async throws {
        let provider = try RecordingProvider(["access:expires=30@1"])
        let folder = ScratchFolder()
        _ = try await signIn(provider, folder)
        let run = LiveRun(provider, folder)
        let ended = try await withThrowingTaskGroup(of: EndedRun.self) { group in
            for _ in 0..<4 { group.addTask { try await run.run() } }
            return try await group.reduce(into: [EndedRun]()) { $0.append($1) }
        }
        #expect(ended.map(\.exit) == [0, 0, 0, 0])
        #expect(provider.grants("refresh_token").count == 1)
        #expect(provider.hits("/authorize").count == 1)
        #expect(try await LiveRun(provider, folder).run().path.first == "restore=ok")
    }

    @Test("refresh leaves a fresh session alone, refreshes it on demand, and asks nobody")
    func refreshFlow() async throws {
        let provider = try RecordingProvider()
        let folder = ScratchFolder()
        let none = try await LiveRun(provider, folder, flow: "refresh").run()
        #expect(none.end == "sign_in")
        #expect(none.exit == 4)
        let before = try await signIn(provider, folder)

        #expect(try await LiveRun(provider, folder, flow: "refresh").run().path == ["restore=ok"])
        #expect(provider.grants("refresh_token").isEmpty)

        var forced = LiveRun(provider, folder, flow: "refresh")
        forced.inputs = ["force": .bool(true)]
        let ended = try await forced.run()
        #expect(ended.path == ["restore=ok", "refresh=ok", "verify=ok", "store=ok"])
        #expect(ended.exit == 0)
        let after = try #require(try await StoredSessions.all(folder).first)
        #expect(after["refresh_token"] != before["refresh_token"])
        #expect(after["access_token"] != before["access_token"])
        #expect(provider.grants("refresh_token").count == 1)
        #expect(provider.hits("/authorize").count == 1)
    }

    @Test(
        "refresh keeps the stored session whenever it fails",
        arguments: [
            ("refresh:close", "uncertain", 8), ("refresh:invalid_client", "refused", 6),
            ("refresh:503=60", "overloaded", 6), ("idtoken:sub=other@2", "blocked", 7),
            ("idtoken:nonce=bad@2", "blocked", 7),
        ])
    func failedRefreshFlow(_ fault: String, _ end: String, _ exit: Int) async throws {
        let provider = try RecordingProvider([fault])
        let folder = ScratchFolder()
        _ = try await signIn(provider, folder)
        var forced = LiveRun(provider, folder, flow: "refresh")
        forced.inputs = ["force": .bool(true)]
        let ended = try await forced.run()
        #expect(ended.end == end)
        #expect(ended.exit == exit)
        #expect(provider.grants("refresh_token").count == 1)
        #expect(try await StoredSessions.all(folder).count == 1)
    }

    @Test("a store whose key is another one is left alone, and nobody is asked for anything")
    func otherKey() async throws {
        let provider = try RecordingProvider()
        let folder = ScratchFolder()
        _ = try await signIn(provider, folder)
        _ = folder.write("store/key", String(repeating: "k", count: 32))
        let ended = try await LiveRun(provider, folder).run()
        #expect(ended.path == ["restore=store_failed"])
        #expect(ended.exit == 9)
    }

    @Test("a session whose bytes were changed is forgotten, and the person is asked")
    func tamperedStore() async throws {
        let provider = try RecordingProvider()
        let folder = ScratchFolder()
        _ = try await signIn(provider, folder)
        try await StoredSessions.spoil(folder)
        let ended = try await LiveRun(provider, folder).run()
        #expect(ended.path.prefix(3) == ["restore=corrupt", "clear=ok", "authorize=ok"])
        #expect(ended.exit == 0)
        #expect(try await StoredSessions.all(folder).count == 1)
    }
}

/// Cancels its own run in the moment in which the refresh is sent, or in which it was answered.
private struct CancelledRefresh: EffectHandler {
    let effects: LiveEffects
    let isBeforeAnswer: Bool

    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        guard case .http(let exchange) = request.effect, exchange.purpose == .refresh else {
            return await effects.perform(request, events: events)
        }
        if isBeforeAnswer { withUnsafeCurrentTask { $0?.cancel() } }
        let event = await effects.perform(request, events: events)
        withUnsafeCurrentTask { $0?.cancel() }
        return event
    }

    func now() -> Int64 { effects.now() }

    func begin() -> RunIdentity { effects.begin() }
}
