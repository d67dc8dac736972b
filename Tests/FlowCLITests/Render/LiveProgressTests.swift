@testable import FlowCLI
@testable import FlowEngine
import OAuthProtocol
import Synchronization
import Testing

@Suite("Live progress")
struct LiveProgressTests {
    private static let erase = "\r\u{1B}[2K"

    /// A run that waits for its callback since 2026-01-01T00:00:00Z.
    private static var waiting: SampleRun {
        var run = SampleRun()
        run.start()
        run.enter("callback")
        run.add(.waiting(forWhat: "the browser", until: 1_767_225_900_000))
        return run
    }

    private func played(_ run: SampleRun, isTerminal: Bool) -> (LiveProgress, text: String) {
        var progress = LiveProgress(RenderOptions(), isTerminal: isTerminal)
        let text = run.events.map { progress.render($0) }.joined()
        return (progress, text)
    }

    @Test("on a terminal the wait is one line without an end, refreshed in place")
    func terminal() {
        var (progress, text) = played(Self.waiting, isTerminal: true)
        #expect(text == "  waiting for the browser  0 s of 5 min")
        #expect(
            progress.tick(now: 1_767_225_662_500) == Self.erase
                + "  waiting for the browser  1 min 2 s of 5 min")
    }

    @Test("on a pipe the wait is told once and never refreshed")
    func pipe() {
        var (progress, text) = played(Self.waiting, isTerminal: false)
        #expect(text == "  waiting for the browser, up to 5 min\n")
        #expect(progress.tick(now: 1_767_225_662_500) == "")
    }

    @Test("an ignored callback is told at once, above the waiting line")
    func ignored() {
        var run = Self.waiting
        run.add(.callbackIgnored(reason: "wrong path"), after: 2_000)
        let (_, text) = played(run, isTerminal: true)
        #expect(
            text == "  waiting for the browser  0 s of 5 min" + Self.erase
                + "! a callback was ignored, still waiting: wrong path\n  waiting for the browser  2 s of 5 min"
        )
    }

    @Test("a security event is told however quiet the run is, with its evidence", arguments: [true, false])
    func security(isQuiet: Bool) {
        var run = SampleRun()
        run.start()
        run.add(
            .security(
                SecurityEvent(
                    .critical, .refused, Check(162, "tls-pin", "RFC 7469 §2.6"), host: "idp.example",
                    "no pin matches",
                    evidence: [.init("presented", "sha256/AAAA")])))
        var progress = LiveProgress(
            RenderOptions(verbosity: isQuiet ? .quiet : .normal), isTerminal: false)
        let text = run.events.map { progress.render($0) }.joined()
        #expect(
            text
                == "! SECURITY CRITICAL idp.example: no pin matches (tls-pin, RFC 7469 §2.6, rule 162)\n    presented: sha256/AAAA\n"
        )
    }

    @Test("what follows a wait takes its line, and nothing is refreshed any more")
    func over() {
        var run = Self.waiting
        run.leave(to: "exchange")
        var (progress, text) = played(run, isTerminal: true)
        #expect(text.contains(Self.erase + "✓ callback"))
        #expect(progress.tick(now: 1_767_225_662_500) == "")
    }

    @Test("the address to open is never wrapped [rule 48]")
    func address() {
        var run = SampleRun()
        run.start()
        run.enter("authorize")
        let url = "https://login.example/authorize?x=" + String(repeating: "y", count: 200)
        run.add(.actionRequired(TracedAction(url: url, opened: nil, expiresAt: 0)))
        #expect(played(run, isTerminal: false).text.hasPrefix("  Sign in: \(url)\n"))
    }

    @Test("quiet leaves only what a person must do or know")
    func quiet() {
        let text = RenderGolden.text(
            .refusal(), LiveProgress(RenderOptions(verbosity: .quiet), isTerminal: false))
        #expect(text == "")
    }

    @Test("a sink writes the texts in the order of the events")
    func sink() {
        let written = Mutex("")
        let sink = RenderSink(LiveProgress(RenderOptions(), isTerminal: true)) { text in
            written.withLock { $0 += text }
        }
        for event in Self.waiting.events { sink.receive(event) }
        sink.write { $0.tick(now: 1_767_225_601_000) }
        #expect(
            written.withLock { $0 } == "  waiting for the browser  0 s of 5 min" + Self.erase
                + "  waiting for the browser  1 s of 5 min")
    }

    @Test("the address of a sign-out, which holds an ID token, is whole only for those who must open it")
    func signOut() {
        let url = "https://p.example/logout?id_token_hint=eyJ-CANARY&state=s"
        func text(_ opened: String?) -> String {
            var run = SampleRun()
            run.start()
            run.enter("end_session")
            var action = TracedAction(url: url, opened: opened, expiresAt: 0)
            action.errand = .logout
            run.add(.actionRequired(action))
            return played(run, isTerminal: false).text
        }
        #expect(text(nil).contains(url))
        let opened = text("firefox")
        #expect(opened.contains("Sign out: https://p.example/logout?…"))
        #expect(!opened.contains("CANARY"))
    }
}
