import FlowReport
@testable import FlowCLI
@testable import FlowEngine
@testable import FlowLive
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

    /// A run that shows an address and waits for the answer.
    private static func shown(_ ways: AnswerWays, opened: String? = nil) -> SampleRun {
        var run = SampleRun()
        run.start()
        run.enter("authorize")
        var action = TracedAction(url: "https://p.example/a?state=s", opened: opened, expiresAt: 0)
        action.ways = ways
        run.add(.actionRequired(action))
        run.enter("callback")
        run.add(.waiting(forWhat: "your answer", until: 1_767_225_900_000))
        return run
    }

    private static let steps = """
        ! SSH session without a display: not opening a browser (override: --headless off)
          1. Open on any machine: https://p.example/a?state=s
          2. Paste here the address that it ends at, or make the port reachable first:
             ssh -L 1:127.0.0.1:1 host
        """

    @Test("where no browser is the steps are told, and the wait is a prompt that nothing overwrites")
    func headless() {
        let ways = AnswerWays(
            obstacle: "SSH session without a display", forwarding: "ssh -L 1:127.0.0.1:1 host",
            takesPaste: true)
        var (progress, text) = played(Self.shown(ways), isTerminal: true)
        #expect(text == Self.steps + "\n  waiting for your answer, up to 5 min; or paste here: ")
        #expect(progress.tick(now: 1_767_225_662_500) == "")
    }

    @Test("an answer that is pasted wrongly is asked for again")
    func pastedWrongly() {
        var run = Self.shown(AnswerWays(takesPaste: true), opened: "firefox")
        run.add(.callbackIgnored(reason: "the pasted text cannot be read"), after: 2_000)
        let (_, text) = played(run, isTerminal: true)
        #expect(
            text.hasSuffix(
                Self.erase + "! a callback was ignored, still waiting: the pasted text cannot be read\n"
                    + "  waiting for your answer, up to 5 min; or paste here: "))
    }

    @Test("a wait for something else is no prompt")
    func otherWait() {
        var run = Self.shown(AnswerWays(takesPaste: true))
        run.leave(to: "refresh")
        run.enter("refresh")
        run.add(.waiting(forWhat: "process 1", until: 1_767_225_900_000))
        let (_, text) = played(run, isTerminal: true)
        #expect(text.hasSuffix("  waiting for process 1  0 s of 5 min"))
    }

    @Test("an address that goes elsewhere is not printed, and one that is too long is not drawn")
    func places() throws {
        let file = try AddressPlaces(words: ["file:/tmp/address"])
        var progress = LiveProgress(RenderOptions(), isTerminal: false, places: file)
        #expect(
            !Self.shown(AnswerWays(takesPaste: true)).events.map { progress.render($0) }.joined().contains(
                "p.example"))
        var narrow = RenderOptions()
        narrow.width = 20
        progress = LiveProgress(narrow, isTerminal: false, places: try AddressPlaces(words: ["qr"]))
        #expect(
            Self.shown(AnswerWays()).events.map { progress.render($0) }.joined().contains(
                "the QR code of"))
        progress = LiveProgress(RenderOptions(), isTerminal: false, places: try AddressPlaces(words: ["qr"]))
        #expect(Self.shown(AnswerWays()).events.map { progress.render($0) }.joined().contains("▄"))
    }

    @Test("a step's line has the time of the step, with the network's where most of it was something else")
    func retried() {
        var run = SampleRun()
        run.start()
        run.enter("exchange")
        for attempt in 2...4 {
            run.add(.request(SampleRun.token(fingerprint: "c3d1")), after: attempt == 2 ? 0 : 1_000)
            run.add(
                .response(
                    TracedResponse(
                        status: 503, contentType: nil, bytes: 0, members: [], duration: attempt == 4 ? 8 : 6)),
                after: 6)
            if attempt < 4 {
                run.add(.retry(outcome: "server_error", attempt: attempt, delay: 1_000, reason: "backoff"))
            }
        }
        run.leave("server_error", "transient", status: 503, to: "failed", isEnd: true)
        run.finish("failed", "failure", error: "server_error", exit: 6)
        let (_, text) = played(run, isTerminal: false)
        #expect(text.contains(#/✗ exchange +503 2 s +network 20 ms ·/#), "\(text)")
        #expect(text.hasSuffix("(2 s, network 20 ms)\n"), "\(text)")
    }

    @Test("steps of sub-flows stand in one column with the others")
    func column() {
        var run = SampleRun()
        run.start()
        run.add(
            .flow(
                TracedFlow(
                    file: "a.flow.yaml", lines: [], start: "sign_in",
                    steps: ["sign_in/authorize", "fetch"].map {
                        TracedFlow.Step(name: $0, kind: "http", firstLine: 1, lastLine: 1, routes: [])
                    }, ends: [])))
        for name in ["sign_in/authorize", "fetch"] {
            run.enter(name, "http")
            run.leave("ok", "success", status: 200, to: "done")
        }
        let lines = played(run, isTerminal: false).text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.last?.hasPrefix("✓ fetch" + String(repeating: " ", count: 13) + "200") == true)
    }

    @Test("quiet leaves only what a person must do or know")
    func quiet() {
        let text = RenderGolden.text(
            .refusal(), LiveProgress(RenderOptions(verbosity: .quiet), isTerminal: false))
        #expect(text == "")
    }

    /// A step whose request has been sent for a second, of the 20 that it may take.
    private static var slow: SampleRun {
        var run = SampleRun()
        run.start()
        run.enter("exchange")
        run.add(.request(SampleRun.token()))
        run.add(
            .waiting(forWhat: "login.example to answer the token request", until: 1_767_225_620_000),
            after: 1_000)
        return run
    }

    @Test("on a terminal a slow answer is counted from its request, and its line goes away with it")
    func slowAnswer() {
        var run = Self.slow
        var (progress, text) = played(run, isTerminal: true)
        let line = "  waiting for login.example to answer the token request  "
        #expect(text == line + "1 s of 20 s")
        #expect(progress.tick(now: 1_767_225_603_000) == Self.erase + line + "3 s of 20 s")
        run.leave(to: "verify")
        (progress, text) = played(run, isTerminal: true)
        #expect(text.hasPrefix(line + "1 s of 20 s" + Self.erase + "✓ exchange"))
        #expect(progress.tick(now: 1_767_225_604_000) == "")
    }

    @Test("on a pipe a slow answer is told in one line, and to nobody who wants quiet")
    func slowAnswerOnPipe() {
        let line = "  waiting for login.example to answer the token request, up to 20 s\n"
        #expect(played(Self.slow, isTerminal: false).text == line)
        let quiet = LiveProgress(RenderOptions(verbosity: .quiet), isTerminal: false)
        #expect(RenderGolden.text(Self.slow, quiet) == "")
    }

    @Test("a pause before another attempt is told once on a pipe, and counted on a terminal")
    func pauseBeforeAttempt() {
        var run = SampleRun()
        run.start()
        run.enter("exchange")
        run.add(.retry(outcome: "network", attempt: 2, delay: 8_000, reason: "retry of the step"))
        run.add(.waiting(forWhat: "the next attempt of step exchange", until: 1_767_225_608_000))
        let told = "exchange: network, attempt 2 in 8 s (retry of the step)\n"
        #expect(played(run, isTerminal: false).text.hasSuffix(told))
        #expect(
            played(run, isTerminal: true).text.hasSuffix(
                told + "  waiting for the next attempt of step exchange  0 s of 8 s"))
    }

    @Test("what is waited for outside of runs is a line, which a terminal loses again")
    func outsideOfRuns() throws {
        func text(isTerminal: Bool, verbosity: Int, terminal: String = "xterm") throws -> String {
            let error = TextStream(isTerminal: isTerminal)
            var common = CommonOptions()
            common.verbosity = verbosity
            let environment = ["NO_COLOR": "1", "TERM": terminal]
            let line = WaitLine(common, try Workplace().surroundings(environment, error: error))
            let end = WallClock.now() + 30_000
            line?.show(SlowWait(what: "api.example to answer the GET request", until: end))
            line?.show(nil)
            return error.text
        }
        let line = "  waiting for api.example to answer the GET request, up to 30 s"
        #expect(try text(isTerminal: false, verbosity: 1) == line + "\n")
        #expect(try text(isTerminal: true, verbosity: 1) == line + Self.erase)
        #expect(try text(isTerminal: false, verbosity: 0) == "")
        #expect(try text(isTerminal: true, verbosity: 1, terminal: "dumb") == line + "\n")
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
