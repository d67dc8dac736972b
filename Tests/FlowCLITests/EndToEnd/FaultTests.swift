import FlowEngine
import FlowLanguage
import Glibc
import OAuthProtocol
import Testing

@testable import FlowCLI
@testable import FlowLive

@Suite("faults of a provider, over real sockets")
struct FaultTests {
    @Test(
        "a fault ends the sign-in as the flow says, with its check named and nothing stored [rules 62, 133, 185]",
        arguments: FaultCase.all)
    func fault(_ fault: FaultCase) async throws {
        let provider = try RecordingProvider(fault.faults)
        let folder = ScratchFolder()
        var run = LiveRun(provider, folder)
        run.httpTimeout = fault.httpTimeout
        run.wait = fault.wait
        let ended = try await run.run()

        #expect(ended.path.last == fault.outcome)
        #expect(ended.end == fault.end)
        #expect(ended.exit == fault.exit)
        if let check = fault.check {
            #expect(ended.failedChecks.contains(check))
        } else {
            #expect(ended.failedChecks.isEmpty)
        }
        #expect(ended.pages.last?.title == fault.page)
        #expect(try await StoredSessions.all(folder).isEmpty)
        let codes = provider.grants("authorization_code").compactMap { $0.value("code") }
        #expect(codes.count == fault.codes)
    }

    @Test(
        "a code whose use went unanswered, or that a failing server had, is sent exactly once [rule 81]",
        arguments: [
            ("token:close", "unanswered"), ("token:truncate", "unanswered"), ("token:500", "server_error"),
            ("token:503", "server_error"), ("token:invalid_client", "invalid_client"),
        ])
    func unansweredCode(_ fault: String, _ outcome: String) async throws {
        let provider = try RecordingProvider([fault])
        let ended = try await LiveRun(provider, ScratchFolder()).run()
        #expect(ended.path.last == "exchange=\(outcome)")
        #expect(ended.retries.isEmpty)
        #expect(provider.hits("/token").count == 1)
    }

    @Test("a 429 with Retry-After is waited for, then the same code works")
    func retryAfter() async throws {
        let provider = try RecordingProvider(["token:429=1@1"])
        let folder = ScratchFolder()
        let ended = try await LiveRun(provider, folder).run()
        #expect(ended.end == "signed_in")
        #expect(ended.exit == 0)
        #expect(ended.retries == ["rate_limited: Retry-After"])
        #expect(provider.grants("authorization_code").count == 2)
        #expect(ended.pages.map(\.title) == ["You are signed in to flowrun sandbox"])
        #expect(try await StoredSessions.all(folder).count == 1)
    }

    @Test("a server that asks for a longer wait than the flow grants is not waited for")
    func longRetryAfter() async throws {
        let provider = try RecordingProvider(["token:429=60"])
        let ended = try await LiveRun(provider, ScratchFolder()).run()
        #expect(ended.retries.isEmpty)
        #expect(ended.contains(note: "asks to wait 60 s"))
    }

    @Test("a key that the provider rotated in is fetched once and believed")
    func rotatedKey() async throws {
        // The second ID token of the run, which the refresh after the refused access token brings.
        let provider = try RecordingProvider(["userinfo:invalid_token@1", "jwks:rotate@2"])
        let ended = try await LiveRun(provider, ScratchFolder()).run()
        #expect(ended.path.suffix(4) == ["refresh=ok", "verify=ok", "userinfo=ok", "store=ok"])
        #expect(ended.exit == 0)
        #expect(provider.hits("/jwks").count == 2)
    }

    @Test("a provider that refuses connections is unavailable before any browser opens")
    func connectionRefused() async throws {
        let provider = try RecordingProvider(port: try Self.quietPort(row: 1))
        provider.stop()
        let folder = ScratchFolder()
        let ended = try await LiveRun(provider, folder).run()
        #expect(ended.path == ["restore=absent", "authorize=network"])
        #expect(ended.end == "unavailable")
        #expect(ended.exit == 8)
        #expect(ended.pages.isEmpty)
        #expect(try await StoredSessions.all(folder).isEmpty)
    }

    @Test("a person who never comes back is waited for no longer than was said [rule 64]")
    func silence() async throws {
        // The provider's own error page: nothing ever arrives at the callback.
        let provider = try RecordingProvider(clients: [])
        let folder = ScratchFolder()
        var run = LiveRun(provider, folder)
        run.wait = 500
        let ended = try await run.run()
        #expect(ended.path.last == "callback=timeout")
        #expect(ended.end == "abandoned")
        #expect(ended.exit == 10)
        #expect(ended.failedChecks.isEmpty)
        #expect(try await StoredSessions.all(folder).isEmpty)
    }

    @Test("where nobody can be asked the run says so before any listener waits")
    func headless() async throws {
        let provider = try RecordingProvider()
        var run = LiveRun(provider, ScratchFolder())
        run.isInteractive = false
        let ended = try await run.run()
        #expect(ended.path.last == "authorize=headless")
        #expect(ended.end == "unattended")
        #expect(ended.exit == 4)
        #expect(provider.hits("/authorize").isEmpty)
    }

    /// A free port that the system gives to nobody who asks for any.
    ///
    /// - Parameter row: Apart from those of tests that run at the same time.
    private static func quietPort(row: UInt16) throws -> UInt16 {
        let first = 20_000 + UInt16(truncatingIfNeeded: getpid()) % 10_000 + row * 100
        for port in first..<(first + 100) {
            // Nothing is opened to find out: a program that another test starts would hold it for a moment.
            if !LoopbackProbe.answers(port: port) { return port }
        }
        throw ServerError.portInUse(first)
    }

    @Test("a second attempt tells the first page, and finds its only port free again")
    func secondAttemptOnTheSamePort() async throws {
        let provider = try RecordingProvider(["token:invalid_grant@1"])
        let folder = ScratchFolder()
        var run = LiveRun(provider, folder)
        run.port = try Self.quietPort(row: 0)
        let ended = try await run.run()
        #expect(ended.end == "signed_in")
        #expect(
            ended.pages.map(\.title) == ["Sign-in did not finish", "You are signed in to flowrun sandbox"])
        #expect(ended.pages.first?.code == "another_attempt")
        let codes = provider.grants("authorization_code").compactMap { $0.value("code") }
        #expect(Set(codes).count == 2)
    }

    @Test("a port that another program has is a failure of this machine [rule 35]")
    func portInUse() async throws {
        let provider = try RecordingProvider()
        let other = try HTTPServer { _, _ in }
        defer { other.stop() }
        var run = LiveRun(provider, ScratchFolder())
        run.port = other.port
        let ended = try await run.run()
        #expect(ended.end == "failed")
        #expect(ended.exit == 9)
        #expect(ended.outcome.errorCode == "redirect_unavailable")
        #expect(ended.pages.isEmpty)
    }

    @Test("a store that cannot be used is a failure of this machine")
    func brokenStore() async throws {
        let provider = try RecordingProvider()
        let folder = ScratchFolder()
        _ = folder.write("store", "not a folder")
        let ended = try await LiveRun(provider, folder).run()
        #expect(ended.path == ["restore=store_failed"])
        #expect(ended.end == "failed")
        #expect(ended.exit == 9)
        #expect(provider.hits.isEmpty)
    }
}
